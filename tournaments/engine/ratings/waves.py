"""Rate many games at once, to the same digits as one after the other.

A wave is games in which nobody plays twice, each after the earlier games of its players. The games
of a wave are rated together, as columns of arrays.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from tournaments.engine.ratings.ratings import DRIFT, START_VARIANCE, Rating, rate_columns

GUEST = -1
"""The number of a player who is rated as a newcomer in each game, without a change."""

MICROSECONDS, DAY = 1_000_000, 86_400

CHANGE = np.dtype(
    [
        *[("player", "i8"), ("game", "i8"), ("seat", "i2"), ("number", "i4"), ("at", "i8")],
        *[(name, "f8") for name in ("mean_before", "variance_before", "mean", "variance")],
    ]
)
"""The change of a player's rating by the `number`-th game; `at` is in microseconds."""

Changes = np.ndarray[Any, np.dtype[np.void]]


class Waves:
    """Games in order, of players who are numbered from 0."""

    def __init__(self, players: Iterable[tuple[Rating, int, int]], newcomer: Rating) -> None:
        """Begin with each player's rating and number of games, and the moment of the last."""
        ratings, games, moments = zip(*players, (newcomer, 0, 0), strict=True)
        self.newcomer = newcomer
        self.means, self.variances, _starts = np.array(ratings).T
        self.numbers, self.moments = np.array(games), np.array(moments, float)
        self.last_waves = [0] * len(games)
        self.players: list[int] = []
        self.games: dict[tuple[int, Sequence[int], bool], list[tuple[float, ...]]]
        self.games = defaultdict(list)

    def add(
        self, game: int, at: int, players: Sequence[int], sides: Sequence[int], *figures: float
    ) -> None:
        """Add the next game, by its key and moment; `figures` are its unit, and the scores."""
        last = self.last_waves
        wave = 1 + max([last[player] for player in players])
        for player in players:
            last[player] = wave
        last[GUEST] = 0
        self.games[wave, sides, figures[0] > 0.0].append((game, at, len(self.players), *figures))
        self.players += players

    def rate(self) -> Changes:
        """Rate all games; return the changes of all players in order of games and seats."""
        changes = np.empty(len(self.players), CHANGE)
        changes["player"] = self.players
        for (_wave, sides, scored), games in sorted(self.games.items()):
            game, at, first, unit, *scores = np.array(games).T
            seats = np.arange(len(sides))[:, None]
            places = first.astype(int) + seats
            rows = changes[places]
            rows["game"], rows["at"], rows["seat"] = game, at, seats
            self._rest(rows)
            before = [
                Rating(row["mean_before"], row["variance_before"], self.newcomer.start)
                for row in rows
            ]
            after = rate_columns(before, sides, scores, unit) if scored else before
            for row, rating in zip(rows, after, strict=True):
                row["mean"], row["variance"] = rating.mean, rating.variance
            self._keep(rows)
            changes[places] = rows
        seated: Changes = changes[changes["player"] != GUEST]
        return seated

    def _rest(self, rows: Changes) -> None:
        """Set the ratings before a wave: as `Rating.rested` has them."""
        players, start = rows["player"], self.newcomer.start
        days = (rows["at"] - self.moments[players]) / MICROSECONDS / DAY
        drift = DRIFT * (start / START_VARIANCE)
        rested = self.variances[players] + drift * np.maximum(0.0, days)
        rows["mean_before"] = self.means[players]
        rows["variance_before"] = np.minimum(start, rested)

    def _keep(self, rows: Changes) -> None:
        """Keep what the players have reached after a wave."""
        players = rows["player"]
        self.numbers[players] += 1
        rows["number"] = self.numbers[players]
        self.moments[players] = rows["at"]
        self.means[players], self.variances[players] = rows["mean"], rows["variance"]
        self.means[GUEST], self.variances[GUEST] = self.newcomer.mean, self.newcomer.variance

    def reached(self) -> Iterator[tuple[Rating, int, int]]:
        """Yield each player's rating and number of games, and the moment of the last."""
        columns = self.means, self.variances, self.numbers, self.moments.astype(int)
        for mean, variance, number, at in zip(*(c[:GUEST].tolist() for c in columns), strict=True):
            yield Rating(mean, variance, self.newcomer.start), number, at
