"""The game that followed another at its table: phones go there by themselves."""

from dataclasses import dataclass

from django.http import HttpRequest

from tournaments.models import Game
from tournaments.queries.games.sheets import last_game_after
from tournaments.web.base.phone import address, address_on_phone


@dataclass(frozen=True)
class GoingOn:
    """The last game at a table, for the page of an earlier one."""

    number: int
    address: str


def going_on(request: HttpRequest, row: Game, kind: str) -> GoingOn | None:
    """Return the last game that followed one at its table; None if there is none (1 query).

    Whoever writes a game writes the next one at the table.
    """
    later = last_game_after(row)
    if later is None:
        return None
    writes = kind == "write" and later.table_id == row.table_id
    path = address(later, "write") if writes else address_on_phone(request, later)
    return GoingOn(later.number or later.match_number or 0, path)
