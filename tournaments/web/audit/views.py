"""The audit log of a club, as a page."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date, datetime, time
from typing import Any

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.timezone import make_aware
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from tournaments.models import AuditEntry, Club, Entrant, Event, Game, Player, Season, Table, User
from tournaments.models.audit import AuditEntryQuerySet
from tournaments.models.clubs import DIRECTING
from tournaments.permissions import directed_club
from tournaments.queries.players import account_name
from tournaments.queries.sheets import ruleset_of
from tournaments.web.audit.texts import (
    LEFT_OUT,
    SHOWN_OF_SUBJECTS,
    action_text,
    field_place,
    field_text,
    value_text,
)
from tournaments.web.games.correcting import changed, head_changes
from tournaments.web.games.deals.sheets import entry_text
from tournaments.web.tournaments.forms import settings_changes


def read_lines(club: Club, rows: list[AuditEntry]) -> list[dict[str, Any]]:
    """Return the entries of a club as text (at most 1 query for each kind of referenced row).

    `about` is the subject in a filter; "" for an invitation, which has few entries.
    """
    references = _References(club, _keys_of(rows))
    lines = []
    for row in rows:
        subject = references.name(row.subject)
        if row.user is not None:
            who = account_name(row.user)
        elif row.table:
            who = _("Phone at %(table)s") % {"table": references.name(f"table:{row.table}")}
        else:
            # The account was deleted, or there never was one.
            who = _("Somebody without an account") if row.address else _("The server")
        lines.append(
            {
                "row": row,
                "kind": row.get_kind_display(),
                "what": action_text(row.kind, row.action),
                "subject": subject,
                "about": row.subject if subject else "",
                "who": who,
                "changes": list(_changes(row, references)),
            }
        )
    return lines


def _changes(row: AuditEntry, references: "_References") -> Iterator[str]:
    before, after = (_as_fields(side) for side in (row.before, row.after))
    if "position" in before or "position" in after:
        yield from _sheet_changes(row, before, after, references)
        return
    details = SHOWN_OF_SUBJECTS.get(row.subject.partition(":")[0])
    # Databases do not keep the order of the fields; the texts have one.
    for field in sorted({**before, **after}, key=field_place):
        if field in LEFT_OUT or (details is not None and field not in details):
            continue
        if field == "settings":
            yield from settings_changes(before.get(field), after.get(field))
            continue
        sides = [
            references.value(field, side[field], row.subject)
            for side in (before, after)
            if field in side
        ]
        if len(sides) == 1 or sides[0] != sides[1]:
            yield f"{field_text(field)}: {' → '.join(sides)}"


def _sheet_changes(
    row: AuditEntry,
    before: Mapping[str, Any],
    after: Mapping[str, Any],
    references: "_References",
) -> Iterator[str]:
    game = references.games.get(row.subject)
    if game is None:
        return
    bodies = before.get("body") or {}, after.get("body") or {}
    position = after.get("position", before.get("position"))
    if position is None:
        yield from head_changes(game, *bodies)
        return
    rules = ruleset_of(game)
    old, new = (entry_text(body, game.players, rules) if body else "" for body in bodies)
    line = _("Line %(number)s of the sheet") % {"number": position + 1}
    yield f"{line}: {changed(old, new) if new else f'{old} → –'}"


def _as_fields(side: Any) -> Mapping[str, Any]:
    return side if isinstance(side, dict) else {} if side is None else {"name": side}


def _keys_of(rows: Iterable[AuditEntry]) -> Iterator[str]:
    """Yield the keys that entries refer to, such as `player:17`."""
    for row in rows:
        yield row.subject
        if row.table:
            yield f"table:{row.table}"
        for side in (row.before, row.after):
            fields = _as_fields(side)
            yield from (value for name in REFERRING if isinstance(value := fields.get(name), str))
            yield from (_entrant_key(row.subject, key) for key in fields.get(ENTRANTS, ()))


def _entrant_key(subject: str, key: Any) -> str:
    """Return the key of an entrant of the entry's tournament, such as `entrant:x4k e12`."""
    return f"entrant:{subject.partition(':')[2]} {key}"


class _References:
    def __init__(self, club: Club, keys: Iterable[str]) -> None:
        wanted: dict[str, set[str]] = {}
        for key in keys:
            kind, colon, name = key.partition(":")
            if colon and kind in ROWS:
                wanted.setdefault(kind, set()).add(name)
        self.rows: dict[str, Any] = {}
        for kind, names in wanted.items():
            for row in ROWS[kind](club, names):
                if isinstance(row, Entrant):
                    name = f"{row.tournament.event.public_id} {row.key}"
                else:
                    by_public_id = isinstance(row, Game | Event | Table)
                    name = row.public_id if by_public_id else str(row.pk)
                self.rows[f"{kind}:{name}"] = row
        self.games = {key: row for key, row in self.rows.items() if isinstance(row, Game)}

    def name(self, key: str) -> str:
        """Return the name of a key; empty for the club itself."""
        kind, _colon, name = key.partition(":")
        if key in self.rows:
            return NAMES[type(self.rows[key])](self.rows[key])
        gone = GONE.get(kind)
        return gone() if gone is not None else name

    def value(self, field: str, value: Any, subject: str) -> str:
        """Return a value before or after, which may be a reference too."""
        if field == ENTRANTS and isinstance(value, list):
            return ", ".join(self.name(_entrant_key(subject, key)) for key in value) or "–"
        if field in REFERRING and isinstance(value, str) and _REFERENCE.fullmatch(value):
            return self.name(value)
        return value_text(field, value)


def _numbers(names: set[str]) -> list[int]:
    # Invalid keys in entries or addresses cause no query.
    return [int(name) for name in names if name.isascii() and name.isdigit() and len(name) < 15]


def _entrants(club: Club, names: set[str]) -> QuerySet[Entrant]:
    pairs = [name.partition(" e") for name in names]
    return Entrant.objects.filter(
        tournament__event__club=club,
        tournament__event__public_id__in={event for event, _e, _number in pairs},
        number__in=_numbers({number for _event, _e, number in pairs}),
    ).select_related("player", "partner", "tournament__event")


ROWS: Mapping[str, Callable[[Club, set[str]], QuerySet[Any]]] = {
    "game": lambda club, names: Game.objects.filter(
        public_id__in=names, table__round__event__club=club
    ).select_related("table__round__event"),
    "player": lambda club, names: Player.objects.filter(pk__in=_numbers(names), club=club),
    # Also former members: their keys are in an entry of this club.
    "account": lambda _club, names: User.objects.filter(pk__in=_numbers(names)),
    "event": lambda club, names: club.events.filter(public_id__in=names),
    "table": lambda club, names: Table.objects.filter(
        public_id__in=names, round__event__club=club
    ).select_related("round__event"),
    "season": lambda club, names: club.seasons.filter(pk__in=_numbers(names)),
    "entrant": _entrants,
}


GONE: Mapping[str, Callable[[], str]] = {
    "game": lambda: _("a game that is no more"),
    "player": lambda: _("a player who was removed"),
    "account": lambda: _("an account that is no more"),
    "event": lambda: _("an evening that is no more"),
    "table": lambda: _("a table that is no more"),
    "season": lambda: _("a season that is no more"),
    "invitation": lambda: _("invitation"),
    "webhook": lambda: _("webhook"),
    "entrant": lambda: _("an entrant who was struck off the list"),
}


ENTRANTS = "entrants"
"""The field that names entrants of the tournament by their keys."""

REFERRING = ("account", "other", "claim", "invitation")
"""The fields that are references; typed text is in other fields, and is never one."""

_REFERENCE = re.compile(rf"({'|'.join(GONE)}):[\w-]+")


def _table_name(row: Table) -> str:
    table = _("Table %(number)s") % {"number": row.number}
    round_ = _("Round %(number)s") % {"number": row.round.number}
    return f"{table} · {round_} · {row.round.event.name}"


NAMES: Mapping[type, Callable[[Any], str]] = {
    Game: lambda row: (
        " · ".join(row.players) + (f" ({_table_name(row.table)})" if row.table is not None else "")
    ),
    Player: lambda row: row.name or _("a player who was removed"),
    User: account_name,
    Event: lambda row: row.name,
    Table: _table_name,
    Season: lambda row: row.name,
    Entrant: lambda row: f"{row.shown_name} (№ {row.number})",
}


PAGE = 30
LAST_KEY = 2**63 - 1

# Dates beyond these do not exist in every time zone.
DAYS = [MinValueValidator(date(2000, 1, 1)), MaxValueValidator(date(2999, 12, 31))]


class FilterForm(forms.Form):
    """Filters: `who` is an account, `about` the key of a subject, such as `player:17`."""

    kind = forms.ChoiceField(
        label=gettext_lazy("What"),
        choices=[("", gettext_lazy("everything")), *AuditEntry.Kind.choices],
        required=False,
    )
    who = forms.TypedChoiceField(
        label=gettext_lazy("Who"), coerce=int, empty_value=None, required=False
    )
    since = forms.DateField(
        label=gettext_lazy("From the day"),
        required=False,
        validators=DAYS,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )
    until = forms.DateField(
        label=gettext_lazy("Up to the day"),
        required=False,
        validators=DAYS,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )
    about = forms.CharField(
        max_length=AuditEntry.subject.field.max_length, required=False, widget=forms.HiddenInput
    )

    def __init__(self, club: Club, data: Mapping[str, Any]) -> None:
        super().__init__(data)
        who = self.fields["who"]
        assert isinstance(who, forms.ChoiceField)
        people = [(str(user.pk), account_name(user)) for user in _offered(club, data.get("who"))]
        who.choices = [("", gettext_lazy("everybody")), *people]

    def filtered(self, lines: AuditEntryQuerySet) -> AuditEntryQuerySet:
        """Return the entries that match; ignore invalid filters."""
        self.full_clean()
        for name, value in self.cleaned_data.items():
            if not value:
                continue
            match name:
                case "kind":
                    lines = lines.filter(kind=value)
                case "who":
                    lines = lines.filter(user=value)
                case "since":
                    lines = lines.filter(at__gte=make_aware(datetime.combine(value, time.min)))
                case "until":
                    lines = lines.filter(at__lte=make_aware(datetime.combine(value, time.max)))
                case "about":
                    lines = lines.about([value])
        return lines


def _offered(club: Club, chosen: Any) -> list[User]:
    """Return the accounts to filter by: directors, and the account tapped in an entry (1 query)."""
    directing = club.members.filter(role__in=DIRECTING).values("user")
    offered = User.objects.filter(pk__in=directing)
    if isinstance(chosen, str) and chosen.isascii() and chosen.isdigit() and len(chosen) < 15:
        # Names of accounts outside the club are not revealed.
        tapped = club.audit_lines.filter(user=int(chosen)).values("user")[:1]
        offered |= User.objects.filter(pk__in=tapped)
    return sorted(offered.order_by("pk"), key=account_name)


@require_safe
def changes(request: HttpRequest, slug: str) -> HttpResponse:
    """List the changes in a club, newest first."""
    club = directed_club(request, slug)
    form = FilterForm(club, request.GET)
    lines = form.filtered(AuditEntry.objects.filter(club=club))
    rows, older, newer = _part(lines, _key(request, "before"), _key(request, "after"))
    query = {name: request.GET[name] for name in form.fields if request.GET.get(name)}
    details = read_lines(club, rows)
    page = {
        "club": club,
        "form": form,
        "lines": details,
        "part": {"rows": rows, "older": older, "newer": newer},
        "asked": query,
        # Named after its own entries: an account without any here stays nameless.
        "about": details[0]["subject"] if details and query.get("about") else "",
    }
    return render(request, "tournaments/audit/changes.html", page)


def _key(request: HttpRequest, name: str) -> int | None:
    text = request.GET.get(name, "")
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 20 else 0
    return number if 0 < number <= LAST_KEY else None


def _part(
    lines: AuditEntryQuerySet, before: int | None, after: int | None
) -> tuple[list[AuditEntry], int | None, int | None]:
    """Return the entries on one side of a key, by the index, at any size (1 query).

    They are the newest first, with the keys for the pages of older and of newer entries.
    """
    lines = lines.select_related("user")
    if after is not None and before is None:
        rows = list(lines.filter(pk__gt=after).order_by("pk")[: PAGE + 1])
        found = rows[:PAGE][::-1]
        newer = found[0].pk if len(rows) > PAGE else None
        return found, found[-1].pk if found else after + 1, newer
    chosen = lines if before is None else lines.filter(pk__lt=before)
    rows = list(chosen.order_by("-pk")[: PAGE + 1])
    found = rows[:PAGE]
    older = found[-1].pk if len(rows) > PAGE else None
    newer = None if before is None else found[0].pk if found else before - 1
    return found, older, newer
