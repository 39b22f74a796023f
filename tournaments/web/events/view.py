"""An evening as its page shows it: rounds with their tables, and what is still to be done."""

from collections import defaultdict
from dataclasses import dataclass
from hashlib import sha256

from django.contrib.staticfiles.storage import staticfiles_storage
from django.http import HttpRequest
from django.utils.translation import get_language

from tournaments import words
from tournaments.engine.rulesets import Points
from tournaments.models import AuditLine, Event, Game, Round, Table
from tournaments.models.events import MOST_WRONG_CODES
from tournaments.queries.evenings import current_sheets
from tournaments.queries.sheets import Sheet
from tournaments.services.play.confirming import Agreement, agreement_on
from tournaments.telling.sheets import state_of
from tournaments.web.phone import address

LINES_LOOKED_AT = 20
"""So many of the newest lines tell whether anything has changed: lines that are written at the
same time need not become visible in their order."""


@dataclass(frozen=True)
class TableLine:
    """A table with its current game; `totals` are the names of its sides with their points."""

    table: Table
    row: Game
    ruleset: str
    state: str
    finished: bool
    totals: tuple[tuple[str, Points], ...]
    agreement: Agreement
    match_number: int | None

    @property
    def reminder(self) -> str:
        """Who has not confirmed a finished result yet; empty where nobody has to."""
        if not self.finished or self.agreement.enough:
            return ""
        return ", ".join(self.row.players[seat] for seat in self.agreement.missing)

    @property
    def confirmed(self) -> bool:
        """Whether as many have confirmed as have to, where anybody has to."""
        return self.finished and self.agreement.enough and self.agreement.needed > 0

    @property
    def write(self) -> str:
        """Where its sheet is written."""
        return address(self.row, "write")

    @property
    def secret(self) -> str:
        """The secret part of that address."""
        return self.row.secret("write")

    @property
    def shut(self) -> bool:
        """Whether too many wrong codes have shut its door."""
        return self.table.wrong_codes >= MOST_WRONG_CODES


@dataclass(frozen=True)
class RoundPart:
    """A round with its tables."""

    round: Round
    tables: tuple[TableLine, ...]

    @property
    def going(self) -> int:
        """How many of its games go on."""
        return sum(not line.finished for line in self.tables)


def rounds_of(event: Event) -> tuple[RoundPart, ...]:
    """The rounds of an evening, the newest first, with their tables (5 queries)."""
    current = current_sheets(Game.objects.filter(table__round__event=event))
    tables: dict[int, list[TableLine]] = defaultdict(list)
    for table in Table.objects.filter(round__event=event).order_by("number"):
        tables[table.round_id].append(line_of(table, current[table.pk], event))
    rounds = event.rounds.order_by("-number")
    return tuple(RoundPart(each, tuple(tables[each.pk])) for each in rounds)


def line_of(table: Table, sheet: Sheet, event: Event) -> TableLine:
    """A table by the sheet of its current game."""
    row, game = sheet.row, sheet.game
    names = game.ruleset.side_names(row.players)
    return TableLine(
        table=table,
        row=row,
        ruleset=words.name_of(game.ruleset),
        state=state_of(game, sheet.outcome, row.players),
        finished=game.finished,
        totals=tuple(zip(names, game.totals, strict=True)),
        agreement=agreement_on(sheet, event.confirmations, row.confirmations.all()),
        match_number=row.match_number,
    )


def etag_of(request: HttpRequest, event: Event, *, directs: bool) -> str:
    """What the page of an evening depends on: every change in a club has its line in the audit."""
    lines = AuditLine.objects.filter(club=event.club_id).order_by("-pk")
    seen = [
        event.pk,
        list(lines.values_list("pk", flat=True)[:LINES_LOOKED_AT]),
        request.user.pk if directs else None,
        directs,
        get_language(),
        request.COOKIES.get("theme"),
        request.COOKIES.get("suits"),
    ]
    return tag_of(seen)


def tag_of(seen: list[object]) -> str:
    """The ETag of a page that depends on all that is `seen`."""
    # Pages of an older program are told to load the new style sheet.
    told = repr([*seen, staticfiles_storage.url("events.css")])
    return f'"{sha256(told.encode()).hexdigest()[:32]}"'
