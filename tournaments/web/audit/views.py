"""The audit log of a club, as a page: `changes`, with the texts of its entries from `read_lines`.

An entry refers to its subject, and to others, by keys such as `player:17`. A new kind of key needs
a row in `ROWS`, a text in `GONE` for when the row is no more, and a line in `NAMES` unless the row
has a `name`. `texts.py` has the names of actions and fields.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date, datetime, time
from typing import Any

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.timezone import localdate, make_aware
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from tournaments.models import (
    AuditEntry,
    Club,
    Entrant,
    Event,
    Game,
    HouseRuleset,
    Player,
    Season,
    Table,
    User,
)
from tournaments.models.audit import AuditEntryQuerySet
from tournaments.models.clubs import DIRECTING
from tournaments.models.people import name_order
from tournaments.permissions import directed_club
from tournaments.queries.players import account_name
from tournaments.queries.sheets import ruleset_of
from tournaments.web.audit.texts import (
    EMPTY,
    FIELDS,
    LEFT_OUT,
    SHOWN_OF_SUBJECTS,
    action_text,
    field_place,
    value_text,
)
from tournaments.web.games.correcting import changed, head_changes
from tournaments.web.games.deals.sheets import entry_text
from tournaments.web.tournaments.forms import settings_changes

Named = Callable[[User], str]

PAGE = 30
LAST_KEY = 2**63 - 1


@require_safe
def changes(request: HttpRequest, slug: str) -> HttpResponse:
    """List the changes in a club, newest first."""
    club = directed_club(request, slug)
    named = accounts_of(club)
    form = FilterForm(club, request.GET, named)
    lines = form.filtered(AuditEntry.objects.filter(club=club))
    rows, older, newer = _page_of_entries(lines, _key(request, "before"), _key(request, "after"))
    query = {name: request.GET[name] for name in form.fields if request.GET.get(name)}
    details = read_lines(club, rows, named)
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


def _page_of_entries(
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


# Dates beyond these do not exist in every time zone.
DAYS = [MinValueValidator(date(2000, 1, 1)), MaxValueValidator(date(2999, 12, 31))]


def _day(label: Any) -> forms.DateField:
    widget = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
    return forms.DateField(label=label, required=False, validators=DAYS, widget=widget)


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
    since = _day(gettext_lazy("From the day"))
    until = _day(gettext_lazy("Up to the day"))
    about = forms.CharField(
        max_length=AuditEntry.subject.field.max_length, required=False, widget=forms.HiddenInput
    )

    def __init__(self, club: Club, data: Mapping[str, Any], named: Named) -> None:
        super().__init__(data)
        field = self.fields["who"]
        assert isinstance(field, forms.ChoiceField)
        directing = club.members.filter(role__in=DIRECTING).values("user")
        # And the account tapped in an entry; names of accounts outside the club are not revealed.
        who = _numbers({data.get("who", "")})
        tapped = club.audit_lines.filter(user__in=who).values("user")[:1]
        offered = User.objects.filter(Q(pk__in=directing) | Q(pk__in=tapped)).order_by("pk")
        people = [(str(user.pk), named(user)) for user in offered]
        people.sort(key=lambda each: name_order(each[1]))
        field.choices = [("", gettext_lazy("everybody")), *people]

    def filtered(self, lines: AuditEntryQuerySet) -> AuditEntryQuerySet:
        """Return the entries that match; ignore invalid filters."""
        self.full_clean()
        chosen = {name: value for name, value in self.cleaned_data.items() if value}
        if "about" in chosen:
            lines = lines.about([chosen.pop("about")])
        lookups = {"kind": "kind", "who": "user", "since": "at__gte", "until": "at__lte"}
        for name, end in ("since", time.min), ("until", time.max):
            if name in chosen:
                chosen[name] = make_aware(datetime.combine(chosen[name], end))
        return lines.filter(**{lookups[name]: value for name, value in chosen.items()})


def accounts_of(club: Club) -> Named:
    """Return what names an account: its player in the club rather than its address (1 query)."""
    players = dict(club.players.present().exclude(account=None).values_list("account", "name"))
    return lambda user: user.first_name or players.get(user.pk) or account_name(user)


def read_lines(club: Club, rows: list[AuditEntry], named: Named) -> list[dict[str, Any]]:
    """Return the entries of a club as text (at most 1 query for each kind of referenced row).

    `about` is the subject in a filter; "" for an invitation, which has few entries.
    """
    references = _References(club, _keys_of(rows), named)
    lines = []
    for row in rows:
        subject = references.name(row.subject)
        if row.user is not None:
            who = named(row.user)
        elif row.table:
            # The subject says in which round and event.
            table = references.name(f"table:{row.table}").partition(" · ")[0]
            who = _("Phone at %(table)s") % {"table": table}
        else:
            # The account was deleted, or there never was one.
            who = _("Somebody without an account") if row.address else _("The server")
        lines.append(
            {
                "row": row,
                "day": localdate(row.at),
                "act": (row.kind, row.action, row.subject, row.user_id, row.table),
                "what": action_text(row.kind, row.action),
                "subject": subject,
                "about": row.subject if subject else "",
                "who": who,
                "changes": list(_change_texts(row, references)),
            }
        )
    return lines


def _change_texts(row: AuditEntry, references: "_References") -> Iterator[str]:
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
        if sides != [EMPTY] and (len(sides) == 1 or sides[0] != sides[1]):
            yield f"{FIELDS.get(field, field)}: {' → '.join(sides).removeprefix(f'{EMPTY} → ')}"


def _sheet_changes(
    row: AuditEntry,
    before: Mapping[str, Any],
    after: Mapping[str, Any],
    references: "_References",
) -> Iterator[str]:
    game = references.rows.get(row.subject)
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
    def __init__(self, club: Club, keys: Iterable[str], named: Named) -> None:
        self.named = named
        wanted = defaultdict[str, set[str]](set)
        for kind, _colon, name in (key.partition(":") for key in keys):
            wanted[kind].add(name)
        self.rows: dict[str, Any] = {}
        for kind, (model, field, of_club) in ROWS.items():
            # Invalid keys in entries or addresses cause no query.
            if names := _numbers(wanted[kind]) if field == "pk" else wanted[kind]:
                found = model.objects.filter(**{f"{field}__in": names, of_club: club})
                # With what is on the path.
                found = found.select_related(of_club.rpartition("__")[0] or None)
                self.rows |= {f"{kind}:{getattr(row, field)}": row for row in found}
        # Also former members: their keys are in an entry of this club.
        accounts = User.objects.in_bulk(_numbers(wanted["account"]))
        self.rows |= {f"account:{key}": row for key, row in accounts.items()}
        for row in _entrants(club, wanted["entrant"]):
            self.rows[f"entrant:{row.tournament.event.public_id} {row.key}"] = row

    def name(self, key: str) -> str:
        """Return the name of a key; empty for the club itself."""
        kind, _colon, name = key.partition(":")
        row = self.rows.get(key)
        if isinstance(row, User):
            return self.named(row)
        if type(row) in NAMES:
            return NAMES[type(row)](row)
        return str(getattr(row, "name", "") or GONE.get(kind, name))

    def value(self, field: str, value: Any, subject: str) -> str:
        """Return a value before or after, which may be a reference too."""
        if field == ENTRANTS and isinstance(value, list):
            return ", ".join(self.name(_entrant_key(subject, key)) for key in value) or EMPTY
        if field in REFERRING and isinstance(value, str) and _REFERENCE.fullmatch(value):
            return self.name(value)
        return value_text(field, value)


def _numbers(names: set[str]) -> list[int]:
    return [int(name) for name in names if name.isascii() and name.isdigit() and len(name) < 15]


def _entrants(club: Club, names: set[str]) -> QuerySet[Entrant]:
    pairs = [name.partition(" e") for name in names]
    return Entrant.objects.filter(
        tournament__event__club=club,
        tournament__event__public_id__in={event for event, _e, _number in pairs},
        number__in=_numbers({number for _event, _e, number in pairs}),
    ).select_related("player", "partner", "tournament__event")


ROWS: Mapping[str, tuple[Any, str, str]] = {
    "game": (Game, "public_id", "table__round__event__club"),
    "player": (Player, "pk", "club"),
    "event": (Event, "public_id", "club"),
    "table": (Table, "public_id", "round__event__club"),
    "season": (Season, "pk", "club"),
    "rules": (HouseRuleset, "slug", "club"),
}
"""The model that keys name, its field with the key, and the path to its club."""


GONE = {
    "game": gettext_lazy("a game that no longer exists"),
    "player": gettext_lazy("a player who was removed"),
    "account": gettext_lazy("an account that no longer exists"),
    "event": gettext_lazy("an evening that no longer exists"),
    "table": gettext_lazy("a table that no longer exists"),
    "season": gettext_lazy("a season that no longer exists"),
    "invitation": gettext_lazy("invitation"),
    "webhook": gettext_lazy("webhook"),
    "entrant": gettext_lazy("an entrant who was struck off the list"),
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
    Table: _table_name,
    Entrant: lambda row: f"{row.shown_name} (№ {row.number})",
}
