"""The named tie-breaks: each gives a value per tally, and the larger value is better.

A bye counts for none of them: it is no game, no place, no win and no opponent.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from math import lcm
from types import MappingProxyType

from tournaments.engine.rules.entries import gettext_noop
from tournaments.engine.rules.rulesets import Points, whole
from tournaments.engine.standings.round_results import split_places, win_share
from tournaments.engine.standings.tallies import Counted, ScoringSettings, Tally

Values = Sequence[Points | None]

TIE_BREAK_VERSION = 2
"""Of the tie-breaks: 1 counts a stopped game as it stands, and adds up opponents."""


@dataclass(frozen=True, slots=True)
class Book:
    """The data for tie-breaks; `seed` is for random draws."""

    tallies: Mapping[str, Tally]
    settings: ScoringSettings
    seed: int = 0


def _game_points(tied: Sequence[Tally], book: Book) -> Values:
    """The sum of the points of the games, before any adjustment.

    A stopped game is raised or lowered for all its sides alike, to the sum of a whole one: the
    clock shall help or hurt no table.
    """
    levels = book.settings.tie_break_version > 1
    return [
        whole(
            sum(
                game.table.totals[game.side] + (game.table.unplayed if levels else 0)
                for game in tally.counted
            )
        )
        for tally in tied
    ]


def _place_points(tied: Sequence[Tally], book: Book) -> Values:
    """The place points of the settings, even if the standings do not count them."""
    worth = book.settings.place_points
    return [
        whole(sum(split_places(game.table.ranks, worth)[game.side] for game in tally.counted))
        for tally in tied
    ]


def _wins(tied: Sequence[Tally], _book: Book) -> Values:
    """The number of times out; in games without out and sunk, the number of first places."""
    return [whole(sum(win_share(game.table, game.side) for game in t.counted)) for t in tied]


def _kings(tied: Sequence[Tally], _book: Book) -> Values:
    return [sum(game.table.kings.count(game.side) for game in t.counted) for t in tied]


def _best_game(tied: Sequence[Tally], _book: Book) -> Values:
    """The points of the best game played; None without one."""
    return [
        max((game.table.totals[game.side] for game in t.counted if game.was_played), default=None)
        for t in tied
    ]


def _fewest_penalties(tied: Sequence[Tally], _book: Book) -> Values:
    return [-len(tally.penalized) for tally in tied]


def _opponents(tied: Sequence[Tally], book: Book) -> Values:
    """Buchholz: the mean of the points before penalties of everybody met, once for each meeting.

    House players are nobody to meet, and absent entrants have met nobody. It is None for whoever
    has met nobody. Version 1 is the sum, which is less for whoever sat out.
    """
    # Use whole numbers with a common denominator: adding thousands of fractions is slow.
    part = lcm(*(tally.before_penalties.denominator for tally in book.tallies.values()))
    worth = _worth_by_round(book, part)
    sums = [_met(tally, worth) for tally in tied]
    if book.settings.tie_break_version == 1:
        return [whole(Fraction(points, part)) for points, _meetings in sums]
    return [whole(Fraction(points, part * n)) if n else None for points, n in sums]


def _worth_by_round(book: Book, part: int) -> list[Mapping[str, int]]:
    """For each round, the points for meeting each entrant, in whole numbers of 1/`part`."""
    everybody = {name: int(tally.before_penalties * part) for name, tally in book.tallies.items()}
    rounds = max((tally.rounds for tally in book.tallies.values()), default=0)
    worth: list[Mapping[str, int]] = [everybody] * rounds
    for name, tally in book.tallies.items():
        for game in tally.counted:
            if not game.was_there:
                worth[game.at] = {
                    other: of for other, of in worth[game.at].items() if other != name
                }
    return worth


def _met(tally: Tally, worth: Sequence[Mapping[str, int]]) -> tuple[int, int]:
    """Return the points of those whom an entrant met, and the number of meetings."""
    met = [
        worth[game.at][name]
        for game in tally.counted
        if game.was_there
        for name in game.table.entrants
        if name != tally.id and name in worth[game.at]
    ]
    return sum(met), len(met)


def _head_to_head(tied: Sequence[Tally], _book: Book) -> Values:
    """Direct encounter: how often ahead of the others tied, less how often behind.

    It counts only if all those tied have met each other, or else missing a strong opponent would
    help. Otherwise the value of each is None.
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
    """For each meeting with an entrant in `games`: the id, the own place, and the other's."""
    for at, own in games[tally.id].items():
        for name in own.table.entrants:
            if name != tally.id and at in games.get(name, ()):
                theirs = games[name][at]
                yield name, _place(own), _place(theirs)


def _place(game: Counted) -> tuple[bool, int]:
    """Rank a forfeit behind all who played."""
    return not game.was_played, game.table.ranks[game.side]


def _lot(tied: Sequence[Tally], book: Book) -> Values:
    """Draw a random place for each: the same on every machine and in every tie."""
    drawn = sorted(tied, key=lambda tally: sha256(f"{book.seed} {tally.id}".encode()).digest())
    place = {tally.id: place for place, tally in enumerate(drawn, start=1)}
    return [place[tally.id] for tally in tied]


@dataclass(frozen=True, slots=True)
class TieBreak:
    """A tie-break: `values` returns one for each of the tallies.

    With `among_equals` they depend on who else is tied.
    """

    label: str
    values: Callable[[Sequence[Tally], Book], Values]
    among_equals: bool = False


TIE_BREAKS: Mapping[str, TieBreak] = MappingProxyType(
    {
        "total-points": TieBreak(gettext_noop("Points of the games"), _game_points),
        "place-points": TieBreak(gettext_noop("Points for places"), _place_points),
        "wins": TieBreak(gettext_noop("Games out or won"), _wins),
        "kings": TieBreak(gettext_noop("Kings made"), _kings),
        "head-to-head": TieBreak(
            gettext_noop("Direct encounter"), _head_to_head, among_equals=True
        ),
        "opponents": TieBreak(gettext_noop("Buchholz"), _opponents),
        "best-game": TieBreak(gettext_noop("Best game"), _best_game),
        "fewest-penalties": TieBreak(gettext_noop("Fewest penalties"), _fewest_penalties),
        "lot": TieBreak(gettext_noop("Lot"), _lot, among_equals=True),
    }
)
"""The tie-breaks by name, in the order in which forms offer them."""
