"""Standings of a tournament of ten rounds computed, beside one plain pass of adding up and sorting.

Tables of four, with byes, a forfeit and a penalty in each round; once with the tie-breaks of the
settings' defaults and once with all of them.
"""

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence

from benchmarks.figures import Figure, Work, against, in_turn, used
from tournaments.engine.play.outcomes import rank
from tournaments.engine.standings.results import Competitor, RoundResults, Ruling, TableResult
from tournaments.engine.standings.standings import rank_entrants, why_place
from tournaments.engine.standings.tournament_settings import TIE_BREAKS, TournamentSettings

FIELDS = (40, 400, 1000)
ROUNDS = 10
SIZES = {
    "tiny": {"players": 40, "times": 1},
    "usual": {"players": 1000, "times": 9},
    "full": {"players": 1000, "times": 15},
}
PLAIN = "plain sums"


def measure(players: int, times: int) -> Iterator[Figure]:
    """Figures of tournaments of up to so many players."""
    for number in FIELDS:
        for points in ("game", "places"):
            if number <= players:
                works = works_of(number, points)
                yield from against(in_turn(works, times), PLAIN, used)


def works_of(players: int, points: str) -> dict[str, Work]:
    """The figures of one tournament, beside its plain sums."""
    who, rounds = draw_tournament(players, random.Random(players))
    usual = TournamentSettings(points=points)
    every = TournamentSettings(points=points, tie_breaks=TIE_BREAKS)
    where = f"{players} entrants, {points} points"
    return {
        f"{where}: usual tie-breaks": lambda: rank_entrants(who, rounds, usual, 1),
        f"{where}: all tie-breaks": lambda: rank_entrants(who, rounds, every, 1),
        f"{where}: why one place": lambda: why_place("p7", who, rounds, usual, 1),
        PLAIN: lambda: plain_sums(rounds),
    }


def plain_sums(rounds: Sequence[RoundResults]) -> list[tuple[str, object]]:
    """Each entrant's points of all games, in order, and nothing else."""
    sums: defaultdict[str, int] = defaultdict(int)
    for played in rounds:
        for table in played.tables:
            for name, total in zip(table.entrants, table.totals, strict=True):
                sums[name] += total
    return sorted(sums.items(), key=lambda item: -item[1])


def draw_tournament(
    players: int, chance: random.Random
) -> tuple[list[Competitor], list[RoundResults]]:
    """Entrants and rounds; four sit out in each."""
    who = [Competitor(f"p{number}", number) for number in range(players)]
    names = [each.id for each in who]
    return who, [draw_round(number, names, chance) for number in range(1, ROUNDS + 1)]


def draw_round(number: int, names: Sequence[str], chance: random.Random) -> RoundResults:
    """A round with a penalty and a forfeit."""
    order = chance.sample(names, len(names))
    tables = tuple(draw_table(order[at : at + 4], chance) for at in range(4, len(order), 4))
    rulings = (Ruling(order[4], "penalty", 20), Ruling(order[5], "forfeit", -100))
    return RoundResults(number, tables, tuple(order[:4]), rulings)


def draw_table(names: Sequence[str], chance: random.Random) -> TableResult:
    """A game of Turkish King: tens that add up to nothing."""
    totals = [10 * chance.randint(-40, 30) for _ in range(3)]
    totals.append(-sum(totals))
    out = tuple(side for side in range(4) if totals[side] > 0)
    return TableResult(tuple(names), tuple(totals), rank(totals), out)
