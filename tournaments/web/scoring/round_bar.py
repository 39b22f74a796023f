"""What the phone of a tournament's table is told of its round: the clock, and a call it made."""

from dataclasses import dataclass
from datetime import datetime

from tournaments.models import Game, Table
from tournaments.web.scoring.clock_view import Clock, clock_of


@dataclass(frozen=True)
class RoundBar:
    """A table of an open round of a tournament, with the time it has left."""

    table: Table
    clock: Clock | None

    @property
    def called(self) -> bool:
        """Whether somebody at it waits for a director."""
        return self.table.called_at is not None


def round_bar(row: Game, at: datetime) -> RoundBar | None:
    """What stands above a sheet; None unless its round of a tournament is open (1 query)."""
    if row.table_id is None:
        return None
    tables = Table.objects.filter(round__event__tournament__isnull=False).select_related("round")
    table = tables.filter(pk=row.table_id).first()
    if table is None or not table.round.is_open:
        return None
    return RoundBar(table, clock_of(table.round, at, table.extra_seconds))
