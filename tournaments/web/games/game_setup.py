"""Set a game up before its first deal, also without a signal."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from hashlib import sha256
from typing import Any

from django import forms
from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _
from django.views.decorators.http import condition, require_safe

from tournaments.engine.play.outcomes import sinks
from tournaments.engine.rules.entries import STAKE
from tournaments.engine.rules.rulesets import LONGEST_NAME, InvalidEntry, Ruleset
from tournaments.engine.variants import RULESETS
from tournaments.models import Club, Game, Table
from tournaments.queries.evenings import beginning_of
from tournaments.queries.rulesets import NOT_WITHOUT_SIGNAL, folds_without_signal
from tournaments.queries.scoresheets import verdict_texts
from tournaments.queries.sheets import (
    LaterEntryInvalid,
    fold_sheet,
    load_sheet,
    rules_of,
    stake_of,
)
from tournaments.services.base.writes import Fault, Refused
from tournaments.services.games.playing import GameSetup, change_head
from tournaments.services.games.seating import SeatsDrawn, is_drawn
from tournaments.texts import labels
from tournaments.texts.questions import answers_in, options_text, questions_of
from tournaments.web.base.forms import LineField
from tournaments.web.base.pages import HtmxRequest, add_refused
from tournaments.web.base.phone import TABLE, address, new_write_key, phone_table, suggested_names
from tournaments.web.games.starting import (
    LONGEST_TYPED_NAME,
    NewTableForm,
    SeatFields,
    StakeForm,
)
from tournaments.web.games.views import (
    SHOWS,
    answer_write,
    refusal_of,
    table_context,
    with_game,
    write_context,
)
from tournaments.web.rulesets.forms import (
    QuestionField,
    check_answers,
    field_of,
    options_in,
    question_fields,
)


class HeadForm(StakeForm):
    """Names in seat order, who declares first, the table's options, title, place, and who pays.

    A stake is for the whole evening, where it is `stake_of_all` its games.
    """

    first_declarer = forms.TypedChoiceField(coerce=int)
    title = LineField(required=False, label=gettext_lazy("Title"))
    place = LineField(required=False, label=gettext_lazy("Place"))
    stake_of_all = forms.BooleanField(required=False)

    def __init__(self, row: Game, data: Mapping[str, Any] | None = None) -> None:
        rules = rules_of(row)
        self.rules, self.row = rules, row
        # In a tournament, directors exchange chairs, and nobody changes the options.
        self.drawn = row.table_id is not None and is_drawn(row.table_id)
        # A phone that has begun the game without a signal asks for names alone: all else stays.
        self.only_names = data is not None and data.get("only") == "names"
        stays = self.drawn or self.only_names
        names = {f"name{seat}": name for seat, name in enumerate(row.players)}
        first = {"first_declarer": row.first_declarer, "title": row.title, "place": row.place}
        self.played_for = stake_of(row)
        paying = {**self.initial_of(self.played_for), "stake_of_all": True}
        answers = answers_in(rules, row.options)
        super().__init__(data, initial={**names, **first, **answers, **paying})
        for name in (*StakeForm.base_fields, "stake_of_all") if stays else ():
            del self.fields[name]
        for name in ("title", "place") if self.only_names else ():
            del self.fields[name]
        first_field = self.fields["first_declarer"]
        assert isinstance(first_field, forms.ChoiceField)
        first_field.choices = [(str(seat), str(seat)) for seat in range(rules.seats)]
        for seat in range(rules.seats):
            label = _("Seat %(number)s") % {"number": seat + 1}
            longest = LONGEST_TYPED_NAME if row.table_id is None else LONGEST_NAME
            self.fields[f"name{seat}"] = LineField(
                max_length=longest, label=label, disabled=self.drawn
            )
        for question in [] if stays else questions_of(rules):
            self.fields[question.name] = field_of(question)

    def seats(self) -> Iterator[SeatFields]:
        """Yield the seats in order of play; a seat declared first, whatever its name."""
        first = str(self["first_declarer"].value())
        for seat in range(self.rules.seats):
            yield SeatFields(seat, self[f"name{seat}"], first == str(seat))

    def questions(self) -> list[QuestionField]:
        return question_fields(self, self.rules)

    def answers(self) -> str:
        return options_text(self.rules.changed_options(self.row.options))

    def clean(self) -> dict[str, Any]:
        check_answers(self, self.rules)
        return super().clean()

    @property
    def sinks(self) -> bool:
        # A stake of another game of the evening stays.
        return sinks(self.rules) or self["pays"].value() in ("sinking", "pot")

    def began(self) -> str:
        return str(beginning_of(self.rules).began)

    def heading(self) -> list[forms.BoundField]:
        return [self["title"], self["place"]]

    @property
    def head(self) -> GameSetup:
        """Return the setup; options at their defaults are left out."""
        cleaned = self.cleaned_data
        asked = {o.setting for each in self.questions() for o in each.question.options}
        # A stake of earlier versions is an option: what is not asked, or stays, is as it was.
        stake = self.row.stake
        if self.has_changed_stake():
            stake = self.stake
            asked |= {"stake", "stake_per"}
        options = {name: each for name, each in self.row.options.items() if name not in asked}
        options |= options_in(self, self.rules)
        return GameSetup(
            ruleset=self.row.ruleset,
            players=[cleaned[f"name{seat}"] for seat in range(self.rules.seats)],
            first_declarer=cleaned["first_declarer"],
            options=options,
            title=cleaned.get("title", self.row.title),
            place=cleaned.get("place", self.row.place),
            stake=stake,
        )

    def has_changed_stake(self) -> bool:
        return "pays" in self.fields and STAKE.read(self.stake) != self.played_for

    def is_for_all_games(self) -> bool:
        return self.has_changed_stake() and bool(self.cleaned_data["stake_of_all"])


@with_game(*SHOWS)
def head(request: HtmxRequest, row: Game) -> HttpResponse:
    """Correct the setup; the whole game is folded again."""
    if request.method != "POST":
        return _head_page(request, row, HeadForm(row))
    form = HeadForm(row, request.POST)
    if not form.is_valid():
        return _head_page(request, row, form, status=422)
    if request.htmx:
        # From the outbox of a phone, which shows the sheet.
        write = partial(change_head, row.pk, form.head, whole_evening=form.is_for_all_games())
        return answer_write(request, row, write, {})
    try:
        context, all_games = write_context(request, row), form.is_for_all_games()
        change_head(row.pk, form.head, context, whole_evening=all_games)
    except (InvalidEntry, Fault, SeatsDrawn) as error:
        add_refused(form, error)
        return _head_page(request, row, form, status=422)
    except (LaterEntryInvalid, Refused) as error:
        row = Game.objects.get(pk=row.pk)
        refusal = refusal_of(error, load_sheet(row))
        notice = [refusal.notice, *refusal.details]
        return _head_page(request, row, form, refusal.status, notice)
    return redirect(f"{address(row, 'write')}#table")


def _head_page(
    request: HttpRequest, row: Game, form: HeadForm, status: int = 200, notice: Sequence[str] = ()
) -> HttpResponse:
    page = {
        "row": row,
        "form": form,
        "chairs": _chairs(request, row) if form.drawn else (),
        "notice": notice,
        "key": new_write_key(),
        "version": load_sheet(row).version(None),
        "back": address(row, "write"),
    }
    return render(request, "tournaments/games/game_setup.html", page, status=status)


def _chairs(request: HttpRequest, row: Game) -> list[tuple[str, str]]:
    """Return the entrants at a tournament's table, with their addresses to exchange chairs.

    Only for directors: for all others the list is empty.
    """
    tables = Table.objects.filter(round__event__club__in=Club.objects.directed_by(request.user))
    tables = tables.select_related("round__event__club", "round__event__tournament")
    table = tables.filter(games=row.pk).first()
    if table is None:
        return []
    event = table.round.event
    page = reverse("seating", args=[event.club.slug, event.tournament.slug, table.round.number])
    sittings = table.sittings.select_related("entrant__player", "entrant__partner")
    return [(each.entrant.shown_name, f"{page}?one={each.entrant.key}#swap") for each in sittings]


NAMES = "\ue000\ue001\ue002\ue003\ue004\ue005"
"""The players of an empty table: characters that no text uses, for which phones put names."""

EVERY_FIELD = {"king": "declared", "blind_declaration": True, "sale": True, "scoring": "points"}
"""The options with which a form has all its fields; phones take away those not chosen."""

NOWHERE = "-"
"""Public id and secret of a game that the server does not have yet."""


def version_of(request: HttpRequest) -> str:
    """Return the ETag of these pages, which depend on nothing else."""
    names = ("theme", "suits", TABLE)
    seen = [get_language(), *(request.COOKIES.get(name) for name in names)]
    # A new program has other names of its files, or another version.
    bundles = ("new.js", "table.css", "table_offline.js")
    files = [staticfiles_storage.url(f"pages/{name}") for name in bundles]
    return f'"{sha256(repr([settings.VERSION, *seen, *files]).encode()).hexdigest()[:32]}"'


# The service worker asks again with each page and is answered with 304.
@require_safe
@condition(etag_func=version_of)
def new_offline(request: HttpRequest) -> HttpResponse:
    """Return the form of a new table for phones without a signal (no query)."""
    # Without the options for which phones have no form.
    rulesets = {
        id_: replace(
            rules, options=tuple(o for o in rules.options if o.setting not in NOT_WITHOUT_SIGNAL)
        )
        for id_, rules in RULESETS.items()
    }
    form = NewTableForm(table=phone_table(request), rulesets=rulesets)
    page = {"form": form, "names": suggested_names(request), "only_here": True}
    return render(request, "tournaments/games/new_offline.html", page)


@require_safe
@condition(etag_func=version_of)
def table_offline(request: HtmxRequest) -> HttpResponse:
    """Return the page of a table that only the phone has, with an empty table per game (no query).

    It contains nothing of an account or a phone.
    """
    tables = []
    for ruleset in filter(folds_without_signal, RULESETS.values()):
        html, rules = draw(request, ruleset)
        name = labels.name_of(ruleset)
        tables.append({"id": ruleset.id, "name": name, "html": html, "rules": rules})
    page = {"tables": tables, "verdicts": verdict_texts(), "here": True}
    return render(request, "tournaments/games/table_offline.html", page)


def draw(request: HtmxRequest, ruleset: Ruleset) -> tuple[SafeString, Mapping[str, Any]]:
    """Return the fragment of an empty table, with all fields that options can add; its rules."""
    changeable = {option.setting for option in ruleset.options}
    options = {name: value for name, value in EVERY_FIELD.items() if name in changeable}
    players = list(NAMES[: ruleset.seats])
    row = Game(public_id=NOWHERE, ruleset=ruleset.id, players=players, options=options)
    page = table_context(request, fold_sheet(row, ()), holder=0)
    page |= {"secret": NOWHERE, "adopts": False, "key": "", "here": True}
    # Without a request: forms on the phone take their token from its cookie.
    return SafeString(render_to_string("tournaments/games/_table.html", page)), page["rules"]
