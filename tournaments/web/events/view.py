"""The page of an evening: rounds with their tables, and open tasks."""

from collections import defaultdict
from dataclasses import dataclass

from django.http import HttpRequest
from django.utils.translation import get_language

from tournaments.engine.rules.rulesets import Points
from tournaments.models import AuditEntry, Event, Game, Round, Table
from tournaments.models.events import MOST_WRONG_CODES
from tournaments.presenters.games.sheets import state_of
from tournaments.queries.events import current_sheets
from tournaments.queries.games.sheets import Sheet
from tournaments.services.games.playing import Agreement, agreement_on
from tournaments.texts import labels
from tournaments.web.base.htmx import tag_of
from tournaments.web.base.phone import address

LINES_LOOKED_AT = 20
"""The number of newest entries in the ETag: entries written at the same time may become visible
out of order."""


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
        """The names of players who still have to confirm a finished result; empty if none."""
        if not self.finished or self.agreement.enough:
            return ""
        return ", ".join(self.row.players[seat] for seat in self.agreement.missing)

    @property
    def confirmed(self) -> bool:
        """Whether all required confirmations are there, if any are required."""
        return self.finished and self.agreement.enough and self.agreement.needed > 0

    @property
    def write(self) -> str:
        return address(self.row, "write")

    @property
    def secret(self) -> str:
        return self.row.secret("write")

    @property
    def shut(self) -> bool:
        """Whether too many wrong codes have locked its access link."""
        return self.table.wrong_codes >= MOST_WRONG_CODES


@dataclass(frozen=True)
class RoundPart:
    round: Round
    tables: tuple[TableLine, ...]

    @property
    def going(self) -> int:
        return sum(not line.finished for line in self.tables)


def rounds_of(event: Event) -> tuple[RoundPart, ...]:
    """Return the rounds of an evening, the newest first, with their tables (5 queries)."""
    current = current_sheets(Game.objects.filter(table__round__event=event))
    tables: dict[int, list[TableLine]] = defaultdict(list)
    for table in Table.objects.filter(round__event=event).order_by("number"):
        tables[table.round_id].append(line_of(table, current[table.pk], event))
    rounds = event.rounds.order_by("-number")
    return tuple(RoundPart(each, tuple(tables[each.pk])) for each in rounds)


def line_of(table: Table, sheet: Sheet, event: Event) -> TableLine:
    """Return a table by the sheet of its current game."""
    row, game = sheet.row, sheet.game
    names = game.ruleset.side_names(row.players)
    return TableLine(
        table=table,
        row=row,
        ruleset=labels.name_of(game.ruleset),
        state=state_of(game, sheet.outcome, row.players),
        finished=game.finished,
        totals=tuple(zip(names, game.totals, strict=True)),
        agreement=agreement_on(sheet, event.confirmations, row.confirmations.all()),
        match_number=row.match_number,
    )


def etag_of(request: HttpRequest, event: Event, *, directs: bool) -> str:
    """Return the ETag of an evening: every change in a club has an audit entry."""
    seen = [
        event.pk,
        _last_lines(request, event.club_id),
        request.user.pk if directs else None,
        directs,
        get_language(),
        request.COOKIES.get("theme"),
        request.COOKIES.get("suits"),
    ]
    return tag_of(seen)


def _last_lines(request: HttpRequest, club_pk: int) -> list[int]:
    """Return the last audit lines of a club as the request first saw them (1 query)."""
    # Two tags of one answer must say the same, although others go on writing.
    seen: dict[int, list[int]] = request.__dict__.setdefault("audit_lines_seen", {})
    if club_pk not in seen:
        lines = AuditEntry.objects.filter(club=club_pk).order_by("-pk")
        seen[club_pk] = list(lines.values_list("pk", flat=True)[:LINES_LOOKED_AT])
    return seen[club_pk]
