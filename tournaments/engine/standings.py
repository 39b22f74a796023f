"""The standings of a tournament: points, tie-breaks and places after any number of rounds."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tournaments.engine.round_results import Competitor, RoundResults
from tournaments.engine.rulesets import Points
from tournaments.engine.tallies import Tally, tally_rounds
from tournaments.engine.tie_breaks import AMONG_EQUALS, TIE_BREAKS, Book
from tournaments.engine.tournament_settings import TournamentSettings

Value = Points | None
Decided = dict[str, dict[str, Value]]


@dataclass(frozen=True, slots=True)
class Standing:
    """A row of the standings.

    `by_round` holds the points of each round (None: nothing yet), `penalties` what was taken
    from their sum; `points` is what is left. `tie_breaks` are in the order of the settings, the
    larger the better; None where a tie-break has nothing to say or was not asked. A place is
    `shared` when nothing has decided.
    """

    entrant: str
    place: int
    points: Points
    by_round: tuple[Value, ...]
    tie_breaks: tuple[Value, ...]
    shared: bool
    penalties: Points = 0

    @property
    def has_played(self) -> bool:
        """Whether any round has brought something, be it nothing."""
        return any(points is not None for points in self.by_round)


def rank_entrants(
    competitors: Iterable[Competitor],
    rounds: Sequence[RoundResults],
    settings: TournamentSettings,
    seed: int = 0,
) -> tuple[Standing, ...]:
    """The standings after `rounds`, in order of place; house players have no row.

    Who has more points is before who has less, and whoever has not played at all behind
    everybody else; then the tie-breaks of the settings decide, one after the other. Full equals
    share a place (1, 2, 2, 4), in the order of their numbers. `seed` draws the lots. The
    standings after an earlier round are those of fewer rounds.

    Raises:
        ValueError: when a round names who is no competitor.
    """
    return rank_tallies(tally_rounds(competitors, rounds, settings), settings, seed)


def rank_tallies(
    tallies: Mapping[str, Tally], settings: TournamentSettings, seed: int = 0
) -> tuple[Standing, ...]:
    """The standings from what each entrant has."""
    book = Book(tallies, settings, seed)
    everybody = sorted(tallies.values(), key=lambda tally: (tally.number, tally.id))
    # Those among equals are asked when it comes to them.
    decided: Decided = {
        name: {} if name in AMONG_EQUALS else _ask(name, everybody, book)
        for name in settings.tie_breaks
    }
    groups = _equals(everybody, lambda tally: (tally.has_played, tally.points))
    return tuple(_rows(groups, settings.tie_breaks, decided, book))


def _ask(name: str, tied: Sequence[Tally], book: Book) -> dict[str, Value]:
    values = TIE_BREAKS[name](tied, book)
    return {tally.id: value for tally, value in zip(tied, values, strict=True)}


def _equals(
    tallies: Sequence[Tally], key: Callable[[Tally], tuple[bool, Points]]
) -> Iterator[list[Tally]]:
    """Those with the same key together, the largest first."""
    groups: dict[tuple[bool, Points], list[Tally]] = {}
    for tally in tallies:
        groups.setdefault(key(tally), []).append(tally)
    for value in sorted(groups, reverse=True):
        yield groups[value]


def _rows(
    groups: Iterable[list[Tally]], names: tuple[str, ...], decided: Decided, book: Book
) -> Iterator[Standing]:
    place = 1
    for group in groups:
        for tied in _break(group, names, decided, book):
            for tally in tied:
                yield _row(tally, place, len(tied) > 1, decided)
            place += len(tied)


def _break(
    tied: list[Tally], names: tuple[str, ...], decided: Decided, book: Book
) -> Iterator[list[Tally]]:
    """The groups that `names` cannot divide any further, in order."""
    if not names or len(tied) == 1:
        yield tied
        return
    name, *later = names
    if name in AMONG_EQUALS:
        decided[name].update(_ask(name, tied, book))
    values = decided[name]
    for group in _equals(tied, lambda tally: _none_last(values[tally.id])):
        yield from _break(group, tuple(later), decided, book)


def _none_last(value: Value) -> tuple[bool, Points]:
    return value is not None, value or 0


def _row(tally: Tally, place: int, shared: bool, decided: Decided) -> Standing:
    return Standing(
        entrant=tally.id,
        place=place,
        points=tally.points,
        by_round=tally.by_round,
        tie_breaks=tuple(values.get(tally.id) for values in decided.values()),
        shared=shared,
        penalties=tally.penalties,
    )
