"""The bar above the sheet of a tournament's table: the clock, and a call for a director."""

from dataclasses import dataclass
from datetime import datetime

from django.http import HttpRequest
from django.urls import reverse

from tournaments.models import Game, Table
from tournaments.permissions import directs_club
from tournaments.web.games.clock_view import Clock, clock_of


@dataclass(frozen=True)
class RoundBar:
    """A table of a tournament's round, with its time left; directors get the way `back`."""

    table: Table
    clock: Clock | None
    back: str = ""

    @property
    def called(self) -> bool:
        return self.table.called_at is not None


def round_bar(request: HttpRequest, row: Game, at: datetime) -> RoundBar | None:
    """Return the bar of a table in a tournament (1 query, 2 for somebody signed in).

    Once the round is closed, only directors have one.
    """
    if row.table_id is None:
        return None
    tables = Table.objects.filter(pk=row.table_id, round__event__tournament__isnull=False)
    table = tables.select_related("round__event__club", "round__event__tournament").first()
    if table is None:
        return None
    clock = clock_of(table.round, at, table.extra_seconds) if table.round.is_open else None
    event = table.round.event
    if directs_club(request, event.club):
        way = (event.club.slug, event.tournament.slug, table.round.number, table.number)
        return RoundBar(table, clock, reverse("running_table", args=way))
    return RoundBar(table, clock) if table.round.is_open else None
