"""The audit of a club, for its directors: what was changed, by whom; to read and to filter."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Any

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.timezone import make_aware
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from tournaments.models import AuditLine, Club, User
from tournaments.models.audit import AuditLineQuerySet
from tournaments.models.clubs import DIRECTING
from tournaments.queries.members import account_name
from tournaments.visitors import directed_club
from tournaments.web.club_words import choices_of
from tournaments.web.clubs.audit_reading import read_lines
from tournaments.web.clubs.audit_words import KINDS

PAGE = 30
LAST_KEY = 2**63 - 1

# Beyond them a day has no moment in some time zone.
DAYS = [MinValueValidator(date(2000, 1, 1)), MaxValueValidator(date(2999, 12, 31))]


class FilterForm(forms.Form):
    """Which lines; `who` is an account, `about` what lines call a subject, as `player:17`."""

    kind = forms.ChoiceField(
        label=_("What"), choices=[("", _("everything")), *choices_of(KINDS)], required=False
    )
    who = forms.TypedChoiceField(label=_("Who"), coerce=int, empty_value=None, required=False)
    since = forms.DateField(
        label=_("From the day"),
        required=False,
        validators=DAYS,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )
    until = forms.DateField(
        label=_("Up to the day"),
        required=False,
        validators=DAYS,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )
    about = forms.CharField(max_length=40, required=False, widget=forms.HiddenInput)

    def __init__(self, club: Club, data: Mapping[str, Any]) -> None:
        super().__init__(data)
        who = self.fields["who"]
        assert isinstance(who, forms.ChoiceField)
        people = [(str(user.pk), account_name(user)) for user in _offered(club, data.get("who"))]
        who.choices = [("", _("everybody")), *people]

    def filtered(self, lines: AuditLineQuerySet) -> AuditLineQuerySet:
        """Those of `lines` that were asked for; what cannot be asked for leaves nothing out."""
        self.full_clean()
        asked = {name: value for name, value in self.cleaned_data.items() if value}
        for name, value in asked.items():
            lines = lines.filter(**_condition(name, value))
        return lines


def _condition(name: str, value: Any) -> dict[str, Any]:
    match name:
        case "who":
            return {"user": value}
        case "about":
            return {"subject": value}
        case "since":
            return {"at__gte": make_aware(datetime.combine(value, time.min))}
        case "until":
            return {"at__lte": make_aware(datetime.combine(value, time.max))}
    return {name: value}


def _offered(club: Club, chosen: Any) -> list[User]:
    """Whom to choose from: those who direct, and whoever was tapped on in a line (1 query)."""
    directing = club.members.filter(role__in=DIRECTING).values("user")
    offered = User.objects.filter(pk__in=directing)
    if isinstance(chosen, str) and chosen.isascii() and chosen.isdigit() and len(chosen) < 15:
        # Of other clubs' people nobody is told the name.
        tapped = club.audit_lines.filter(user=int(chosen)).values("user")[:1]
        offered |= User.objects.filter(pk__in=tapped)
    return sorted(offered.order_by("pk"), key=account_name)


@dataclass(frozen=True)
class Part:
    """Some lines, newest first, and the keys before and after which there are others."""

    rows: list[AuditLine]
    older: int | None = None
    newer: int | None = None


@never_cache
@require_safe
def changes(request: HttpRequest, slug: str) -> HttpResponse:
    """What was changed in a club, newest first."""
    club = directed_club(request, slug)
    form = FilterForm(club, request.GET)
    lines = form.filtered(AuditLine.objects.filter(club=club))
    part = _part(lines, _key(request, "before"), _key(request, "after"))
    asked = {name: request.GET[name] for name in form.fields if request.GET.get(name)}
    told = read_lines(club, part.rows)
    page = {
        "club": club,
        "form": form,
        "lines": told,
        "part": part,
        "asked": asked,
        # Named after its own lines: of what has none here nobody is told the name.
        "about": told[0].subject if told and asked.get("about") else "",
    }
    return render(request, "tournaments/changes.html", page)


def _key(request: HttpRequest, name: str) -> int | None:
    text = request.GET.get(name, "")
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 20 else 0
    return number if 0 < number <= LAST_KEY else None


def _part(lines: AuditLineQuerySet, before: int | None, after: int | None) -> Part:
    """The lines on one side of a key: found by the index, however many there are (1 query)."""
    lines = lines.select_related("user")
    if after is not None and before is None:
        rows = list(lines.filter(pk__gt=after).order_by("pk")[: PAGE + 1])
        found = rows[:PAGE][::-1]
        newer = found[0].pk if len(rows) > PAGE else None
        return Part(found, older=after + 1 if not found else found[-1].pk, newer=newer)
    chosen = lines if before is None else lines.filter(pk__lt=before)
    rows = list(chosen.order_by("-pk")[: PAGE + 1])
    found = rows[:PAGE]
    older = found[-1].pk if len(rows) > PAGE else None
    newer = None if before is None else found[0].pk if found else before - 1
    return Part(found, older=older, newer=newer)
