"""Finals after the last round: who plays on, who advances, and the final places.

At tables of four, four play one final. Eight play two semi-finals, from which two each advance;
sixteen play four quarter-finals, from which the winners do. At tables of two (players, or pairs),
half of them are eliminated in each stage; the losers of the semi-finals do not play for a place.
Each section has finals of its own, in the same rounds.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from tournaments.engine.rules.rulesets import Code, InvalidEntry, Points, Problem
from tournaments.engine.standings.round_results import Competitor, RoundResults
from tournaments.engine.standings.standings import Standing, rank_entrants
from tournaments.engine.standings.tallies import Tally, tally_rounds
from tournaments.engine.standings.tournament_settings import TournamentSettings

STAGES = ("final", "semi-final", "quarter-final", "round-of-16")
"""The names of the stages, the last one first."""


@dataclass(frozen=True, slots=True)
class FinalStage:
    """A round of the finals by its name; ids in seat order for each table, the best one first."""

    name: str
    tables: tuple[tuple[str, ...], ...]


def stages(cut: int, table_size: int = 4) -> tuple[str, ...]:
    """Return the names of the stages in the order of play; empty without a cut."""
    return STAGES[: len(_fields(cut, table_size))][::-1]


def next_stage(
    standings: Sequence[Standing],
    competitors: Iterable[Competitor],
    played: Sequence[RoundResults],
    settings: TournamentSettings,
    table_size: int = 4,
) -> FinalStage | None:
    """Return the tables of the next stage; None after the last one, or without finals.

    `standings` are those at the cut. `played` are the finals so far, with their tables in seating
    order. The best of each table advance: by the ranks of the game, or by what the round is worth
    if a ruling concerns the table, with a forfeit behind everything. The standings at the cut
    decide between equals. If an entrant has withdrawn, the next one steps in.

    Raises:
        InvalidEntry: if too few entrants are left to play on.
        ValueError: if the last stage is not finished.
    """
    names = stages(settings.finals, table_size)
    if len(played) >= len(names):
        return None
    if played and not _is_finished(played[-1]):
        raise ValueError("The stage before is not finished.")
    competitors = tuple(competitors)
    tables: list[tuple[str, ...]] = []
    for rows in _sections(standings) or [[]]:
        before = [_within(each, rows) for each in played]
        tables += _next_tables(rows, competitors, before, settings, table_size)
    return FinalStage(names[len(played)], tuple(tables))


def _next_tables(
    standings: Sequence[Standing],
    competitors: Iterable[Competitor],
    played: Sequence[RoundResults],
    settings: TournamentSettings,
    table_size: int,
) -> tuple[tuple[str, ...], ...]:
    """Return the tables of a section in the next stage."""
    size = _fields(settings.finals, table_size)[len(played)]
    gone = {competitor.id for competitor in competitors if competitor.withdrawn}
    if not played:
        return _seed(_first([row.entrant for row in standings], size, gone), table_size)
    orders = _table_orders(standings, competitors, played[-1], settings)
    through = size // max(1, len(orders))
    best = [entrant for order in orders for entrant in _first(order, through, gone)]
    seeds = _seeds(standings)
    return tuple(
        tuple(sorted(best[at : at + table_size], key=seeds.__getitem__))
        for at in range(0, len(best), table_size)
    )


def rank_with_finals(
    competitors: Iterable[Competitor],
    rounds: Sequence[RoundResults],
    finals: Sequence[RoundResults],
    settings: TournamentSettings,
    seed: int = 0,
) -> tuple[Standing, ...]:
    """Return the standings with the games after the cut, stage by stage.

    Entrants who reached a later stage rank before all others; the rest keep their order at the cut.
    Within a stage, points decide: all of them if they are carried, else those since the cut, which
    `points` then shows. Then the rank at the last table decides, then the standings at the cut. At
    tables of two, only the last game decides. Entrants who played on never share a place.
    """
    competitors = tuple(competitors)
    at_cut = rank_entrants(competitors, rounds, settings, seed)
    if not finals:
        return at_cut
    # Round results name everybody, so they are counted once for all sections.
    counted = [*rounds, *finals]
    after = {row.entrant: row for row in rank_entrants(competitors, counted, settings, seed)}
    points = {name: row.points for name, row in after.items()}
    if not settings.carry:
        points = {row.entrant: row.points for row in rank_entrants(competitors, finals, settings)}
    table_size = max((len(table.entrants) for table in finals[0].tables), default=4)
    fields = _fields(settings.finals, table_size)
    ranked: list[Standing] = []
    for rows in _sections(at_cut):
        order: list[str] = []
        played = [_within(each, rows) for each in finals]
        for reached in _by_stage(rows, competitors, played, settings, fields):
            decide = reached if table_size == 2 else _by_points(reached, points)
            order += [name for name in decide if name not in order]
        ranked += [
            replace(after[name], place=place, points=points[name], shared=False)
            for place, name in enumerate(order, start=1)
        ]
        ranked += _the_rest(rows, order, len(finals))
    return tuple(ranked)


def _sections(standings: Sequence[Standing]) -> list[list[Standing]]:
    """The rows of each section; standings are ordered by them."""
    return [list(rows) for _section, rows in groupby(standings, lambda row: row.section)]


def _within(played: RoundResults, standings: Sequence[Standing]) -> RoundResults:
    """The results of a stage at the tables of a section."""
    names = {row.entrant for row in standings}
    return replace(played, tables=tuple(each for each in played.tables if names & {*each.entrants}))


def _fields(cut: int, table_size: int) -> list[int]:
    """The number of players in each stage."""
    fields = [cut] if cut else []
    while fields and fields[-1] > table_size:
        fields.append(table_size if table_size > 2 else fields[-1] // 2)
    return fields


def _seeds(standings: Sequence[Standing]) -> dict[str, int]:
    return {row.entrant: seed for seed, row in enumerate(standings)}


def _first(order: Iterable[str], count: int, gone: set[str]) -> list[str]:
    """The first `count` names that are not in `gone`."""
    there = [name for name in order if name not in gone]
    if len(there) < count:
        params = {"expected": count, "got": len(there)}
        raise InvalidEntry([Problem(Code.TOO_FEW_ENTRANTS, "finals", params)])
    return there[:count]


def _seed(best: Sequence[str], table_size: int) -> tuple[tuple[str, ...], ...]:
    """The first tables: a snake at fours (1-4-5-8, 2-3-6-7), at twos 1-8, 4-5, 2-7, 3-6."""
    if table_size == 2:
        bracket = [0]
        while len(bracket) < len(best):
            last = 2 * len(bracket) - 1
            bracket = [seed for upper in bracket for seed in (upper, last - upper)]
        return tuple(
            (best[one], best[other]) for one, other in zip(*[iter(bracket)] * 2, strict=True)
        )
    tables: list[list[str]] = [[] for _ in range(len(best) // table_size)]
    for row in range(table_size):
        names = best[row * len(tables) : (row + 1) * len(tables)]
        for table, name in zip(tables, names if row % 2 == 0 else names[::-1], strict=True):
            table.append(name)
    return tuple(map(tuple, tables))


def _is_finished(played: RoundResults) -> bool:
    return all(table.finished for table in played.tables)


def _table_orders(
    standings: Sequence[Standing],
    competitors: Iterable[Competitor],
    played: RoundResults,
    settings: TournamentSettings,
) -> list[dict[str, int]]:
    """For each table of a finished round its entrants, the best first, with their ranks."""
    tallies, seeds = tally_rounds(competitors, [played], settings), _seeds(standings)
    return [
        _table_order([tallies[name] for name in table.entrants if name in seeds], seeds)
        for table in played.tables
    ]


def _table_order(tallies: Sequence[Tally], seeds: dict[str, int]) -> dict[str, int]:
    """The entrants of a table, the best first; equals share a rank, and seeds order them."""
    ruled = any(tally.adjusted or tally.penalized for tally in tallies)

    def key(tally: Tally) -> tuple[bool, Points, int]:
        (game,) = tally.counted
        worth = -tally.points if ruled else 0
        return not game.was_played, worth, game.table.ranks[game.side]

    keys = {tally.id: key(tally) for tally in tallies}
    order = sorted(keys, key=lambda name: (keys[name], seeds[name]))
    return {name: 1 + sum(key < keys[name] for key in keys.values()) for name in order}


def _by_stage(
    standings: Sequence[Standing],
    competitors: Iterable[Competitor],
    finals: Sequence[RoundResults],
    settings: TournamentSettings,
    fields: Sequence[int],
) -> Iterator[list[str]]:
    """The entrants of each stage, the last stage first, and the best of each table first.

    If another stage follows a finished last one, those who are to play it come first.
    """
    seeds = _seeds(standings)
    for played in reversed(finals):
        if not _is_finished(played):
            there = [name for table in played.tables for name in table.entrants if name in seeds]
            yield sorted(there, key=seeds.__getitem__)
            continue
        orders = _table_orders(standings, competitors, played, settings)
        if played is finals[-1] and len(finals) < len(fields):
            gone = {competitor.id for competitor in competitors if competitor.withdrawn}
            through = fields[len(finals)] // max(1, len(orders))
            yield _across((_first_here(order, through, gone) for order in orders), seeds)
        yield _across(orders, seeds)


def _first_here(order: Mapping[str, int], count: int, gone: set[str]) -> dict[str, int]:
    """The first of a table, as many as there are up to `count`, who are not in `gone`."""
    there = [name for name in order if name not in gone]
    return {name: order[name] for name in there[:count]}


def _across(orders: Iterable[Mapping[str, int]], seeds: dict[str, int]) -> list[str]:
    """The entrants of several tables by their ranks there; seeds order those of equal rank."""
    ranks = {name: rank for order in orders for name, rank in order.items()}
    return sorted(ranks, key=lambda name: (ranks[name], seeds[name]))


def _by_points(reached: Sequence[str], points: dict[str, Points]) -> list[str]:
    # Sorting keeps the order of equals: that of their tables.
    return sorted(reached, key=lambda name: points[name], reverse=True)


def _the_rest(
    at_cut: Sequence[Standing], played_on: Sequence[str], finals: int
) -> Iterator[Standing]:
    """Those who did not play on, in their old order, behind those who did."""
    rest = [row for row in at_cut if row.entrant not in played_on]
    equals = Counter(row.place for row in rest)
    place = len(played_on) + 1
    for at, row in enumerate(rest):
        if at and rest[at - 1].place != row.place:
            place = len(played_on) + at + 1
        yield replace(
            row,
            place=place,
            shared=equals[row.place] > 1,
            by_round=row.by_round + (None,) * finals,
        )
