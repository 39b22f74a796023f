"""The models of ratings that are compared, each as something that predicts and learns."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from benchmarks.king_bots.bots import PLAYERS, strengths
from tournaments.engine import ratings as engine

LUCK_OF_KING = 530.0
"""The standard deviation of the bots' points for their strength."""

PLACE_SCORES = (1.029, 0.297, -0.297, -1.029)
"""What the best, second … of four normal numbers is on average."""


class Shown(NamedTuple):
    """A game as the models see it."""

    evening: int
    players: tuple[int, ...]
    totals: list[int]
    ranks: list[int]


class Model(Protocol):
    """What predicts and learns."""

    def chance(self, one: int, other: int) -> float:
        """How probable it is that one ends above the other."""

    def learn(self, game: Shown) -> None:
        """See a game."""


def normal_share(far: float) -> float:
    """How much of a normal distribution lies below so many deviations."""
    return 0.5 * (1.0 + math.erf(far / math.sqrt(2.0)))


class Coin:
    """Knows nothing."""

    def chance(self, one: int, other: int) -> float:  # noqa: ARG002 - nothing matters
        return 0.5

    def learn(self, game: Shown) -> None:
        """Learn nothing."""


class Oracle:
    """Knows each player's true strength, in points, and the size of luck."""

    def __init__(self, luck: float) -> None:
        self.luck = luck
        self.strengths = strengths()

    def chance(self, one: int, other: int) -> float:
        apart = self.strengths[one] - self.strengths[other]
        return normal_share(apart / (math.sqrt(2) * self.luck))

    def learn(self, game: Shown) -> None:
        """Know it already."""


class Elo:
    """Elo between all pairs of a table, each game's gains divided by the opponents."""

    def __init__(self, step: float) -> None:
        self.step = step
        self.of = [0.0] * PLAYERS

    def chance(self, one: int, other: int) -> float:
        return 1.0 / (1.0 + 10.0 ** ((self.of[other] - self.of[one]) / 400.0))

    def learn(self, game: Shown) -> None:
        gains = [0.0] * len(game.players)
        for seat, player in enumerate(game.players):
            for other, opponent in enumerate(game.players):
                if seat != other:
                    won = outcome(game.ranks[seat], game.ranks[other])
                    gains[seat] += won - self.chance(player, opponent)
        for player, gain in zip(game.players, gains, strict=True):
            self.of[player] += self.step * gain / (len(game.players) - 1)


def outcome(own: int, other: int) -> float:
    """1 for the better place, a half for the same."""
    return 0.5 + 0.5 * (own < other) - 0.5 * (own > other)


class Gaussian:
    """The engine's filter, told a game by one way to score it.

    `start` is the standard deviation of newcomers' strengths, that of luck being 1; the engine's
    own where none is given.
    """

    def __init__(self, scoring: Callable[[Shown], list[float]], start: float | None = None) -> None:
        assumed = engine.START_VARIANCE / engine.LUCK**2
        share = assumed if start is None else start**2
        self.of = [engine.Rating(engine.START, share * engine.LUCK**2)] * PLAYERS
        self.spread = engine.Spread()
        self.scoring = scoring
        self.luck = math.sqrt((1.0 + assumed) / (1.0 + share))

    def chance(self, one: int, other: int) -> float:
        return engine.chance_above([self.of[one]], [self.of[other]])

    def learn(self, game: Shown) -> None:
        scores = self.scoring(game)
        self.spread = self.spread.seeing(scores)
        before = [self.of[player] for player in game.players]
        after = engine.rate(before, range(4), scores, self.spread.unit * self.luck)
        for player, rating in zip(game.players, after, strict=True):
            self.of[player] = rating


class Weekly(Gaussian):
    """The engine's model with its drift, an evening being a week after the one before."""

    def __init__(self) -> None:
        super().__init__(by_points)
        self.evening = 0

    def learn(self, game: Shown) -> None:
        days = 7.0 * (game.evening - self.evening)
        if days:
            self.of = [rating.rested(days) for rating in self.of]
        self.evening = game.evening
        super().learn(game)


def by_points(game: Shown) -> list[float]:
    return engine.scores_of(game.totals, game.ranks)


def by_places(game: Shown) -> list[float]:
    return engine.scores_of(PLACE_SCORES, game.ranks)


def by_shape(game: Shown) -> list[float]:
    """Points, every game as wide as any other."""
    scores = by_points(game)
    size = math.sqrt(sum(score * score for score in scores) / 3.0) or 1.0
    return [score / size for score in scores]


def by_both(game: Shown) -> list[float]:
    """Half points, half places, as wide as each other on average."""
    return [
        points / LUCK_OF_KING + places
        for points, places in zip(by_points(game), by_places(game), strict=True)
    ]


class OpenSkill:
    """One of openskill's models, predicting with the curve it learns by.

    Its own predict_win does not say how probable that is. Beta and tau are given for a newcomer's
    deviation of 1.
    """

    def __init__(self, name: str, beta: float, margin: float = 0.0, tau: float = 0.0) -> None:
        from openskill import models

        sigma = 25.0 / 3.0
        self.name, self.beta = name, sigma * beta
        self.model = getattr(models, name)(beta=self.beta, margin=margin, tau=sigma * tau)
        self.scored = margin > 0.0
        self.of: list[Any] = [self.model.rating() for _ in range(PLAYERS)]

    def chance(self, one: int, other: int) -> float:
        above, below = self.of[one], self.of[other]
        apart = above.mu - below.mu
        width = math.sqrt(above.sigma**2 + below.sigma**2 + 2.0 * self.beta**2)
        if self.name.startswith("Thurstone"):
            return normal_share(apart / width)
        # Plackett-Luce divides by the width of all four, of whom these two are half.
        steep = width * math.sqrt(2.0) if self.name == "PlackettLuce" else width
        return 1.0 / (1.0 + math.exp(-apart / steep))

    def learn(self, game: Shown) -> None:
        teams = [[self.of[player]] for player in game.players]
        if self.scored:
            after = self.model.rate(teams, scores=by_points(game))
        else:
            after = self.model.rate(teams, ranks=game.ranks)
        for player, team in zip(game.players, after, strict=True):
            self.of[player] = team[0]


class TrueSkill:
    """The package trueskill, last released in 2018."""

    def __init__(self, beta: float, tau: float = 0.0) -> None:
        import trueskill

        sigma = 25.0 / 3.0
        self.beta = sigma * beta
        self.model = trueskill.TrueSkill(beta=self.beta, tau=sigma * tau, draw_probability=0.003)
        self.of: list[Any] = [self.model.create_rating() for _ in range(PLAYERS)]

    def chance(self, one: int, other: int) -> float:
        above, below = self.of[one], self.of[other]
        width = math.sqrt(above.sigma**2 + below.sigma**2 + 2.0 * self.beta**2)
        return normal_share((above.mu - below.mu) / width)

    def learn(self, game: Shown) -> None:
        after = self.model.rate([(self.of[player],) for player in game.players], game.ranks)
        for player, team in zip(game.players, after, strict=True):
            self.of[player] = team[0]
