"""What decides between equals: named strategies, each giving values of which the larger is better.

A bye counts for none of them: it is no game, no place, no win and no opponent.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from math import lcm
from types import MappingProxyType

from tournaments.engine.round_results import split_places, win_share
from tournaments.engine.rulesets import Points, whole
from tournaments.engine.tallies import Counted, Tally
from tournaments.engine.tournament_settings import TournamentSettings

Values = Sequence[Points | None]


@dataclass(frozen=True, slots=True)
class Book:
    """All that a tie-break may look at; `seed` draws the lots."""

    tallies: Mapping[str, Tally]
    settings: TournamentSettings
    seed: int = 0


def _game_points(tied: Sequence[Tally], _book: Book) -> Values:
    """The points of the games, before any adjustment."""
    return [whole(sum(game.table.totals[game.side] for game in t.counted)) for t in tied]


def _place_points(tied: Sequence[Tally], book: Book) -> Values:
    """The place points of the settings, whether the standings count them or not."""
    worth = book.settings.place_points
    return [
        whole(sum(split_places(game.table.ranks, worth)[game.side] for game in tally.counted))
        for tally in tied
    ]


def _wins(tied: Sequence[Tally], _book: Book) -> Values:
    """How often out; in games without out and sunk, how often first."""
    return [whole(sum(win_share(game.table, game.side) for game in t.counted)) for t in tied]


def _kings(tied: Sequence[Tally], _book: Book) -> Values:
    """How many Kings were made."""
    return [sum(game.table.kings.count(game.side) for game in t.counted) for t in tied]


def _best_game(tied: Sequence[Tally], _book: Book) -> Values:
    """The points of the best game that was played; None without one."""
    return [
        max((game.table.totals[game.side] for game in t.counted if game.was_played), default=None)
        for t in tied
    ]


def _fewest_penalties(tied: Sequence[Tally], _book: Book) -> Values:
    """How many penalties there were, counted below zero."""
    return [-len(tally.penalized) for tally in tied]


def _opponents(tied: Sequence[Tally], book: Book) -> Values:
    """The points of everybody met, once for each time, before their penalties.

    House players count for nothing, and who was absent has met nobody.
    """
    # Whole numbers of a common part: adding up thousands of fractions takes its time.
    part = lcm(*(tally.before_penalties.denominator for tally in book.tallies.values()))
    worth = _worth_by_round(book, part)
    return [whole(Fraction(_met(tally, worth), part)) for tally in tied]


def _worth_by_round(book: Book, part: int) -> list[Mapping[str, int]]:
    """For each round what it is worth to meet somebody: their points as whole numbers of parts."""
    everybody: Mapping[str, int] = defaultdict(
        int, {name: int(tally.before_penalties * part) for name, tally in book.tallies.items()}
    )
    rounds = max((tally.rounds for tally in book.tallies.values()), default=0)
    worth = [everybody] * rounds
    for name, tally in book.tallies.items():
        for game in tally.counted:
            if not game.was_there:
                worth[game.at] = defaultdict(int, {**worth[game.at], name: 0})
    return worth


def _met(tally: Tally, worth: Sequence[Mapping[str, int]]) -> int:
    return sum(
        sum(map(worth[game.at].__getitem__, game.table.entrants)) - worth[game.at][tally.id]
        for game in tally.counted
        if game.was_there
    )


def _head_to_head(tied: Sequence[Tally], _book: Book) -> Values:
    """How often one was placed before another of those tied, less how often behind.

    It counts only when every two of them have met, or one would win by whom they have missed;
    else it says nothing about any of them.
    """
    games = {t.id: {game.at: game for game in t.counted if game.was_there} for t in tied}
    values: list[Points] = []
    for tally in tied:
        met, value = set(), 0
        for other, own, theirs in _meetings(tally, games):
            met.add(other)
            value += (own < theirs) - (own > theirs)
        if len(met) < len(tied) - 1:
            return [None] * len(tied)
        values.append(value)
    return values


def _meetings(
    tally: Tally, games: Mapping[str, Mapping[int, Counted]]
) -> Iterator[tuple[str, tuple[bool, int], tuple[bool, int]]]:
    """For each meeting with one of those in `games`: who, the own place, and theirs."""
    for at, own in games[tally.id].items():
        for name in own.table.entrants:
            if name != tally.id and at in games.get(name, ()):
                theirs = games[name][at]
                yield name, _place(own), _place(theirs)


def _place(game: Counted) -> tuple[bool, int]:
    """Whoever forfeits is behind the last of those who played."""
    return not game.was_played, game.table.ranks[game.side]


def _lot(tied: Sequence[Tally], book: Book) -> Values:
    """A place drawn by lot for each, the same on every machine and whoever else is there."""
    drawn = sorted(tied, key=lambda tally: sha256(f"{book.seed} {tally.id}".encode()).digest())
    place = {tally.id: place for place, tally in enumerate(drawn, start=1)}
    return [place[tally.id] for tally in tied]


TIE_BREAKS: Mapping[str, Callable[[Sequence[Tally], Book], Values]] = MappingProxyType(
    {
        "total-points": _game_points,
        "place-points": _place_points,
        "wins": _wins,
        "kings": _kings,
        "head-to-head": _head_to_head,
        "opponents": _opponents,
        "best-game": _best_game,
        "fewest-penalties": _fewest_penalties,
        "lot": _lot,
    }
)
"""The named tie-breaks: each gives one value for each of the tallies."""

AMONG_EQUALS = frozenset({"head-to-head", "lot"})
"""Those that depend on who else is tied."""
