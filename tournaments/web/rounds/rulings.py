"""Rulings: create for a round, list for a tournament, withdraw."""

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from tournaments.engine.rules.entries import write_points
from tournaments.engine.rules.rulesets import LONGEST_REASON, number_of
from tournaments.engine.standings.round_results import PENALTY
from tournaments.engine.standings.round_results import Ruling as EngineRuling
from tournaments.engine.standings.tournament_settings import TournamentSettings
from tournaments.models import Entrant, Round, Ruling, Tournament
from tournaments.permissions import (
    actor_of,
    directed_tournament,
    directed_tournament_round,
    seen_tournament,
)
from tournaments.presenters.rounds.rulings import ruling_effect
from tournaments.queries.tournaments.state import load_state, settings_of
from tournaments.services.rounds.rulings import (
    NoReason,
    NoSuchPoints,
    NotInRound,
    RulingDecision,
    rule,
    withdraw_ruling,
)
from tournaments.services.tournaments.lifecycle import WrongState
from tournaments.texts.labels import MEANINGS, RULINGS, points_text, round_name, ruling_unit
from tournaments.web.base.fields import LineField
from tournaments.web.base.going_back import kept_for_going_back
from tournaments.web.base.htmx import HtmxRequest
from tournaments.web.base.refusals import add_refused
from tournaments.web.games.pages import number_in
from tournaments.web.rounds.tables import ruling_lines
from tournaments.web.tournaments.pages import page_of

NUMBER = re.compile(r"([-−+]?)(\d{1,5})(?:[.,](\d{1,3})|/(\d{1,3}))?")
"""A number as people type it: 12, −12, 2,5 or 1/2."""


class RulingForm(forms.Form):
    """A ruling: entrant, decision, points and reason."""

    entrant = forms.ChoiceField(label=gettext_lazy("Entrant"))
    kind = forms.ChoiceField(
        label=gettext_lazy("Decision"),
        choices=list(RULINGS.items()),
        widget=forms.RadioSelect,
    )
    points = forms.CharField(
        label=gettext_lazy("Points"),
        max_length=12,
        initial="0",
        widget=forms.TextInput(attrs={"inputmode": "text", "autocomplete": "off"}),
    )
    reason = LineField(
        label=gettext_lazy("Why?"),
        max_length=LONGEST_REASON,
        error_messages={"required": gettext_lazy("Say why: everybody will ask.")},
    )

    def __init__(
        self, entrants: list[Entrant], settings: TournamentSettings, *args: Any, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.worth = settings.points
        choices = [(each.key, each.shown_name) for each in entrants]
        self.fields["entrant"].choices = choices  # type: ignore[attr-defined]
        self.by_key = {each.key: each for each in entrants}

    def clean_points(self) -> int | str:
        points = typed_points(self.cleaned_data["points"])
        if points is None:
            raise forms.ValidationError(_("A number, as 50, −50, 2,5 or 1/2."))
        return points

    @property
    def kinds(self) -> list[tuple[Any, Any, Any]]:
        details = zip(RULINGS.items(), self["kind"], strict=True)
        return [
            (choice, name, f"{MEANINGS[kind]}, {ruling_unit(kind, self.worth)}")
            for (kind, name), choice in details
        ]

    @property
    def decision(self) -> RulingDecision:
        said = self.cleaned_data
        return RulingDecision(said["kind"], said["points"], said["reason"])


def typed_points(text: str) -> int | str | None:
    """Return typed points as in a record; None if they are not a number."""
    found = NUMBER.fullmatch(text.strip())
    if found is None or found[4] in ("0", "00", "000"):
        return None
    sign, whole, decimals, parts = found.groups()
    points = Fraction(int(whole), int(parts or 1))
    if decimals:
        points += Fraction(int(decimals), 10 ** len(decimals))
    return write_points(-points if sign in ("-", "−") else points)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def new_ruling(request: HtmxRequest, slug: str, tournament: str, number: int) -> HttpResponse:
    """Create a ruling about an entrant of a round, optionally of one table."""
    row, round_ = directed_tournament_round(request, slug, tournament, number)
    table = number_in(request.GET, "table", 0)
    entrants = _entrants(round_, table)
    posted = request.POST if request.method == "POST" else None
    form = RulingForm(entrants, settings_of(row), posted)
    effect = _effect(row, round_, form, posted or request.GET)
    if request.htmx:
        return render(request, "tournaments/rounds/_ruling_effect.html", {"effect": effect})
    # A number that was meant for another unit is asked about once more.
    doubtful = effect is not None and effect.asks and request.POST.get("sure") != effect.said
    if form.is_valid() and not doubtful and _decide(request, round_, form):
        if effect is not None:
            messages.success(request, effect.text)
        if table:
            return redirect("running_table", slug, row.slug, number, table)
        return redirect("rulings", slug, row.slug)
    page = page_of(request, row) | {
        "round": round_,
        "round_name": round_name(round_),
        "table": table,
        "form": form,
        "effect": effect,
        "asked": posted is not None and form.is_valid() and doubtful,
    }
    status = 200 if posted is None else 422
    return render(request, "tournaments/rounds/ruling_new.html", page, status=status)


@dataclass(frozen=True, slots=True)
class ShownEffect:
    """The effect of a ruling as text; it `asks` if it seems too large. `said` is the ruling."""

    text: str
    asks: bool
    said: str


def _effect(
    row: Tournament, round_: Round, form: RulingForm, asked: QueryDict
) -> ShownEffect | None:
    """Return the effect of the ruling as typed so far; None if it is not complete."""
    entrant, kind = form.by_key.get(asked.get("entrant", "")), asked.get("kind", "")
    points = number_of(typed_points(asked.get("points", "")))
    if entrant is None or kind not in RULINGS or points is None:
        return None
    if kind == PENALTY and points <= 0:
        return None
    effect = ruling_effect(load_state(row), round_.number, EngineRuling(entrant.key, kind, points))
    said = {
        "name": entrant.shown_name,
        "before": points_text(effect.before),
        "after": points_text(effect.after),
        "unit": ruling_unit(PENALTY, form.worth),
    }
    text = _("Sum of %(name)s, %(unit)s: %(before)s → %(after)s") % said
    return ShownEffect(text, effect.large, f"{entrant.key} {kind} {points}")


def _decide(request: HttpRequest, round_: Round, form: RulingForm) -> bool:
    entrant = form.by_key[form.cleaned_data["entrant"]]
    try:
        rule(round_.pk, entrant.pk, form.decision, actor_of(request), at=timezone.now())
    except Round.DoesNotExist:
        add_refused(form, NotInRound())
    except (NoReason, NoSuchPoints, NotInRound, WrongState) as error:
        add_refused(form, error, "entrant")
    return not form.errors


def _entrants(round_: Round, table: int) -> list[Entrant]:
    rows = Entrant.objects.competing().filter(sittings__round=round_)
    if table:
        rows = rows.filter(sittings__round=round_, sittings__table__number=table)
    return list(rows.select_related("player", "partner").order_by("number"))


@kept_for_going_back
@require_safe
def rulings(request: HttpRequest, slug: str, tournament: str) -> HttpResponse:
    """List the rulings of a tournament, the newest first, optionally of one entrant."""
    row = seen_tournament(request, slug, tournament)
    rows = Ruling.objects.filter(round__event=row.event)
    asked = number_in(request.GET, "entrant", 0)
    if asked:
        rows = rows.filter(entrant__number=asked)
    page = page_of(request, row) | {
        "rulings": ruling_lines(rows),
        "places": row.event.rounds.exclude(published_at=None).order_by("-number"),
        "asked": asked,
    }
    return render(request, "tournaments/rounds/rulings.html", page)


@require_POST
def withdraw(request: HttpRequest, slug: str, tournament: str, pk: int) -> HttpResponse:
    """Withdraw a ruling."""
    row = directed_tournament(request, slug, tournament)
    ruling = get_object_or_404(Ruling, round__event=row.event, pk=pk)
    withdraw_ruling(ruling.pk, actor_of(request), at=timezone.now())
    messages.success(request, _("The ruling is withdrawn: it counts no more."))
    return redirect("rulings", slug, row.slug)
