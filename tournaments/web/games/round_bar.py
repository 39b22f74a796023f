"""The bar above the sheet of a tournament's table: the clock, and a call for a director."""

from dataclasses import dataclass
from datetime import datetime

from tournaments.models import Game, Table
from tournaments.web.games.clock_view import Clock, clock_of


@dataclass(frozen=True)
class RoundBar:
    """A table of an open round of a tournament, with its time left."""

    table: Table
    clock: Clock | None

    @property
    def called(self) -> bool:
        return self.table.called_at is not None


def round_bar(row: Game, at: datetime) -> RoundBar | None:
    """Return the bar of a table; None unless its tournament round is open (1 query)."""
    if row.table_id is None:
        return None
    tables = Table.objects.filter(round__event__tournament__isnull=False).select_related("round")
    table = tables.filter(pk=row.table_id).first()
    if table is None or not table.round.is_open:
        return None
    return RoundBar(table, clock_of(table.round, at, table.extra_seconds))
