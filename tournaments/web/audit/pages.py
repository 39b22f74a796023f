"""The audit of a club, for its directors: a filtered list of changes."""

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

from tournaments.models import AuditEntry, Club, User
from tournaments.models.audit import AuditEntryQuerySet
from tournaments.models.clubs import DIRECTING
from tournaments.permissions import directed_club
from tournaments.queries.people.players import account_name
from tournaments.texts.documents import choices_of
from tournaments.web.audit.texts import KINDS
from tournaments.web.audit.view import read_lines

PAGE = 30
LAST_KEY = 2**63 - 1

# Dates beyond these do not exist in every time zone.
DAYS = [MinValueValidator(date(2000, 1, 1)), MaxValueValidator(date(2999, 12, 31))]


class FilterForm(forms.Form):
    """Filters: `who` is an account, `about` the key of a subject, such as `player:17`."""

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

    def filtered(self, lines: AuditEntryQuerySet) -> AuditEntryQuerySet:
        """Return the entries that match; ignore invalid filters."""
        self.full_clean()
        asked = {name: value for name, value in self.cleaned_data.items() if value}
        for name, value in asked.items():
            about = name == "about"
            lines = lines.about([value]) if about else lines.filter(**_condition(name, value))
        return lines


def _condition(name: str, value: Any) -> dict[str, Any]:
    match name:
        case "who":
            return {"user": value}
        case "since":
            return {"at__gte": make_aware(datetime.combine(value, time.min))}
        case "until":
            return {"at__lte": make_aware(datetime.combine(value, time.max))}
    return {name: value}


def _offered(club: Club, chosen: Any) -> list[User]:
    """Return the accounts to filter by: directors, and the account tapped in an entry (1 query)."""
    directing = club.members.filter(role__in=DIRECTING).values("user")
    offered = User.objects.filter(pk__in=directing)
    if isinstance(chosen, str) and chosen.isascii() and chosen.isdigit() and len(chosen) < 15:
        # Names of accounts outside the club are not revealed.
        tapped = club.audit_lines.filter(user=int(chosen)).values("user")[:1]
        offered |= User.objects.filter(pk__in=tapped)
    return sorted(offered.order_by("pk"), key=account_name)


@dataclass(frozen=True)
class AuditPage:
    """Some entries, newest first, and the keys for the pages before and after."""

    rows: list[AuditEntry]
    older: int | None = None
    newer: int | None = None


@never_cache
@require_safe
def changes(request: HttpRequest, slug: str) -> HttpResponse:
    """List the changes in a club, newest first."""
    club = directed_club(request, slug)
    form = FilterForm(club, request.GET)
    lines = form.filtered(AuditEntry.objects.filter(club=club))
    part = _part(lines, _key(request, "before"), _key(request, "after"))
    asked = {name: request.GET[name] for name in form.fields if request.GET.get(name)}
    details = read_lines(club, part.rows)
    page = {
        "club": club,
        "form": form,
        "lines": details,
        "part": part,
        "asked": asked,
        # Named after its own entries: an account without any here stays nameless.
        "about": details[0].subject if details and asked.get("about") else "",
    }
    return render(request, "tournaments/audit/changes.html", page)


def _key(request: HttpRequest, name: str) -> int | None:
    text = request.GET.get(name, "")
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 20 else 0
    return number if 0 < number <= LAST_KEY else None


def _part(lines: AuditEntryQuerySet, before: int | None, after: int | None) -> AuditPage:
    """Return the entries on one side of a key, by the index, at any size (1 query)."""
    lines = lines.select_related("user")
    if after is not None and before is None:
        rows = list(lines.filter(pk__gt=after).order_by("pk")[: PAGE + 1])
        found = rows[:PAGE][::-1]
        newer = found[0].pk if len(rows) > PAGE else None
        return AuditPage(found, older=after + 1 if not found else found[-1].pk, newer=newer)
    chosen = lines if before is None else lines.filter(pk__lt=before)
    rows = list(chosen.order_by("-pk")[: PAGE + 1])
    found = rows[:PAGE]
    older = found[-1].pk if len(rows) > PAGE else None
    newer = None if before is None else found[0].pk if found else before - 1
    return AuditPage(found, older=older, newer=newer)
