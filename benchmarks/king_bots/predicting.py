"""How well a model predicts games that it has not seen."""

import math
import random
import time
from collections.abc import Iterable, Sequence

from benchmarks.king_bots.bots import PLAYERS, strengths
from benchmarks.king_bots.contenders import LUCK_OF_KING, Model, Shown
from benchmarks.king_bots.sheets import kept

SEEN = (0, 1, 3, 6, 11, 21, 51)
"""Where the bins of games played begin."""


class Tally:
    """How well a model predicted."""

    def __init__(self) -> None:
        self.games = 0
        self.pairs = self.right = self.loss = 0.0
        self.losses: dict[int, float] = {}
        self.seen = {start: [0, 0.0] for start in SEEN}
        self.bins = {tenth: [0, 0.0, 0.0] for tenth in range(5, 10)}
        self.seconds = 0.0

    def note(self, chance: float, evening: int, games: int) -> None:
        """Count a pair; `chance` is what the model gave to what happened."""
        self.pairs += 1
        self.right += 1.0 if chance > 0.5 else 0.5 if chance == 0.5 else 0.0
        loss = -math.log(min(max(chance, 1e-9), 1.0))
        self.loss += loss
        self.losses[evening] = self.losses.get(evening, 0.0) + loss
        group = self.seen[max(start for start in SEEN if start <= games)]
        group[0] += 1
        group[1] += loss
        sure = max(chance, 1.0 - chance)
        bin_ = self.bins[min(9, int(sure * 10))]
        bin_[0] += 1
        bin_[1] += sure
        bin_[2] += 1.0 if chance > 0.5 else 0.5 if chance == 0.5 else 0.0

    @property
    def log_loss(self) -> float:
        return self.loss / self.pairs


def run(model: Model, games: Iterable[Shown], first: int, last: int) -> Tally:
    """Let a model predict the evenings from first to last, and learn all before them and them."""
    tally, early, played = Tally(), Tally(), [0] * PLAYERS
    start = time.process_time()
    for game in games:
        if game.evening >= last:
            break
        predict(model, game, played, tally if game.evening >= first else early)
        model.learn(game)
        tally.games += 1
        for player in game.players:
            played[player] += 1
    tally.seconds = time.process_time() - start
    return tally


def predict(model: Model, game: Shown, played: Sequence[int], tally: Tally) -> None:
    """Note what the model thinks of each pair that did not end equal."""
    for seat, player in enumerate(game.players):
        for other, opponent in enumerate(game.players):
            if game.ranks[seat] < game.ranks[other]:
                seen = min(played[player], played[opponent])
                tally.note(model.chance(player, opponent), game.evening, seen)


def bots() -> list[Shown]:
    """The games of the bots."""
    return [Shown(sheet.evening, sheet.players, sheet.totals, sheet.ranks) for sheet in kept()]


def normal() -> list[Shown]:
    """The same players at the same tables, with normal luck."""
    chance, strong = random.Random(7), strengths()
    games = []
    for sheet in kept():
        totals = [round(strong[p] + chance.gauss(0.0, LUCK_OF_KING)) for p in sheet.players]
        ranks = [1 + sum(other > own for other in totals) for own in totals]
        games.append(Shown(sheet.evening, sheet.players, totals, ranks))
    return games
