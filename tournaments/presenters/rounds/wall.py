"""The wall display: seating, top places, and tables still playing."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from itertools import groupby, islice

from tournaments.engine.rules.rulesets import Points
from tournaments.models import Game, Round
from tournaments.presenters.standings.standings import last_closed, stages_reached
from tournaments.queries.tournaments.state import TournamentState

MOST_PLACES = 24


def shown_round(state: TournamentState) -> Round | None:
    """Return the published round that is not over, or else the last published one."""
    published = [each.row for each in state.seated_rounds if each.row.published_at is not None]
    going = (round_ for round_ in published if round_.closed_at is None)
    return next(going, published[-1] if published else None)


@dataclass(frozen=True, slots=True)
class WallTable:
    """A table with the names of its sides and of its players, each with a seat from 1.

    The last one, without a number, has those who sit out; there no player has a seat.
    """

    number: int | None
    names: tuple[str, ...]
    players: tuple[tuple[int | None, str], ...]
    finished: bool = False
    section: str = ""


def seated(
    state: TournamentState, round_: Round, going: Collection[int] | None = None
) -> list[WallTable]:
    """Return the tables of a round; those not in `going` are finished, unless it is None."""
    found = next(each for each in state.seated_rounds if each.row.pk == round_.pk)
    tables = []
    for table in found.tables:
        sides = [_names(state, key, round_.number) for key in table.entrants]
        waiting = [list(names) for names in sides]
        players = enumerate((waiting[side].pop(0) for side in state.rules.sides), 1)
        finished = going is not None and table.number not in going
        section = state.section_at(table.entrants)
        tables.append(WallTable(table.number, _joined(sides), tuple(players), finished, section))
    if found.byes:
        out = [_names(state, key, round_.number) for key in found.byes]
        players_out = tuple((None, name) for names in out for name in names)
        tables.append(WallTable(None, _joined(out), players_out))
    return tables


@dataclass(frozen=True, slots=True)
class WallPlace:
    """An entrant among the leaders; `stage` is that of the finals they reached, or play next."""

    rank: int
    name: str
    points: Points
    stage: str = ""
    through: bool = False
    section: str = ""


def top_places(state: TournamentState) -> list[WallPlace]:
    """Return the leaders of each section after the last closed public round."""
    after = last_closed(state, directs=False)
    if not after:
        return []
    standings = groupby(state.standings_before(after + 1), lambda row: row.section)
    stages = stages_reached(state, after)
    return [
        WallPlace(
            each.place,
            state.entrants[each.entrant].shown_name,
            each.points,
            *((at.stage, at.through) if (at := stages.get(each.entrant)) else ("", False)),
            each.section,
        )
        for _section, rows in standings
        for each in islice(rows, MOST_PLACES)
    ]


def still_playing(round_: Round) -> list[int]:
    """Return the numbers of the tables whose games go on (1 query)."""
    going = Game.objects.filter(table__round=round_, result__isnull=True)
    return list(going.order_by("table__number").values_list("table__number", flat=True))


def _names(state: TournamentState, key: str, number: int) -> list[str]:
    entrant = state.entrants[key]
    players = state.players_of(entrant, number)
    return [player.shown_name or f"№ {entrant.number}" for player in players]


def _joined(sides: Iterable[list[str]]) -> tuple[str, ...]:
    return tuple(" + ".join(names) for names in sides)
