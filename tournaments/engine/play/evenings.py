"""The tally of an evening: games that follow one another, whoever plays in each."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from tournaments.engine.play.games import Game
from tournaments.engine.play.outcomes import Outcome, decide
from tournaments.engine.play.settlement import Payment, settle, settle_balances
from tournaments.engine.rules.rulesets import Points, number_of


@dataclass(frozen=True, slots=True)
class FinishedGame:
    """A finished game with the names of its players in seat order."""

    game: Game
    players: Sequence[str]

    @property
    def outcome(self) -> Outcome:
        return decide(self.game)


@dataclass(frozen=True, slots=True)
class Placed:
    """A player's rank and total in a game, with those of a partner the same; whether out."""

    rank: int
    total: Points
    out: bool
    king: bool


@dataclass(frozen=True, slots=True)
class EveningStanding:
    """A player's evening: `placed` has an item for each game, None for those without the player."""

    name: str
    placed: tuple[Placed | None, ...]

    @property
    def games(self) -> int:
        return len(list(self._played()))

    @property
    def won(self) -> int:
        """Return how many games the player was first in, alone or with others."""
        return sum(placed.rank == 1 for placed in self._played())

    @property
    def points(self) -> Points:
        return sum((placed.total for placed in self._played()), start=0)

    @property
    def average(self) -> Fraction:
        return Fraction(self.points) / self.games

    def places(self) -> tuple[int, ...]:
        """Return how often the player was first, second, … up to the last place taken."""
        ranks = [placed.rank for placed in self._played()]
        return tuple(ranks.count(rank) for rank in range(1, max(ranks) + 1))

    def _played(self) -> Iterator[Placed]:
        return (placed for placed in self.placed if placed is not None)


def tally(games: Sequence[FinishedGame]) -> list[EveningStanding]:
    """Return the standing of each player, by games won, then points, then first appearance."""
    names = dict.fromkeys(name for played in games for name in played.players)
    rows = [{name: _placed(played, name) for name in names} for played in games]
    standings = [EveningStanding(name, tuple(row[name] for row in rows)) for name in names]
    return sorted(standings, key=lambda standing: (-standing.won, -standing.points))


def _placed(played: FinishedGame, name: str) -> Placed | None:
    if name not in played.players:
        return None
    game, outcome = played.game, played.outcome
    side = game.ruleset.sides[played.players.index(name)]
    ending = game.ending
    king = ending is not None and ending.by == "king" and ending.seat is not None
    made_king = king and game.ruleset.sides[ending.seat or 0] == side if ending else False
    return Placed(outcome.ranks[side], game.totals[side], side in outcome.out, made_king)


def settle_evening(games: Sequence[FinishedGame]) -> tuple[list[str], tuple[Payment, ...]] | None:
    """Return the names, and payments between their indexes, for all games with a stake.

    None if no game has one. Partners share what their pair wins or loses.
    """
    balances: dict[str, Fraction] = {}
    for played in games:
        rules = played.game.ruleset
        stake = number_of(rules.settings.get("stake"))
        if stake is None or not played.game.rows:
            continue
        of_sides = settle(played.game.totals, stake).balances
        for seat, name in enumerate(played.players):
            share = of_sides[rules.sides[seat]] / rules.seats_in_a_side
            balances[name] = balances.get(name, Fraction(0)) + share
    if not balances:
        return None
    return list(balances), settle_balances(list(balances.values()))


def courses(games: Sequence[FinishedGame]) -> dict[str, list[Points]]:
    """Return the points of the evening of each player after each row of all games, from 0.

    During games without the player they stay.
    """
    names = dict.fromkeys(name for played in games for name in played.players)
    lines: dict[str, list[Points]] = {name: [0] for name in names}
    for played in games:
        sides = played.game.ruleset.sides
        for name, points in lines.items():
            before = points[-1]
            if name in played.players:
                side = sides[played.players.index(name)]
                points.extend(before + row.totals[side] for row in played.game.rows)
            else:
                points.extend([before] * len(played.game.rows))
    return lines
