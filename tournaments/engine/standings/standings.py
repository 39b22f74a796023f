"""The standings of a tournament: points, tie-breaks and places after any number of rounds."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tournaments.engine.rules.rulesets import Points
from tournaments.engine.standings.round_results import Competitor, RoundResults
from tournaments.engine.standings.tallies import Tally, tally_rounds
from tournaments.engine.standings.tie_breaks import TIE_BREAKS, Book
from tournaments.engine.standings.tournament_settings import TournamentSettings

Value = Points | None
Decided = dict[str, dict[str, Value]]


@dataclass(frozen=True, slots=True)
class Standing:
    """A row of the standings.

    `by_round` holds the points of each round (None: nothing yet). `points` is their sum less
    `penalties`. `tie_breaks` are in the order of the settings, the larger the better; None if a
    tie-break does not apply or was not needed. A place is `shared` if nothing decides. It is the
    place within the `section`.
    """

    entrant: str
    place: int
    points: Points
    by_round: tuple[Value, ...]
    tie_breaks: tuple[Value, ...]
    shared: bool
    penalties: Points = 0
    section: str = ""

    @property
    def has_played(self) -> bool:
        """Whether any round has a result, even one of 0 points."""
        return any(points is not None for points in self.by_round)


def rank_entrants(
    competitors: Iterable[Competitor],
    rounds: Sequence[RoundResults],
    settings: TournamentSettings,
    seed: int = 0,
) -> tuple[Standing, ...]:
    """Return the standings after `rounds`, by section and place; house players have no row.

    More points rank first; entrants who have not played rank behind all others. Then the tie-breaks
    of the settings decide, one after the other. Full equals share a place (1, 2, 2, 4), in the
    order of their numbers. `seed` is for random draws. For the standings after an earlier round,
    pass fewer rounds.

    Raises:
        ValueError: if a round names an unknown competitor.
    """
    return rank_tallies(tally_rounds(competitors, rounds, settings), settings, seed)


def rank_tallies(
    tallies: Mapping[str, Tally], settings: TournamentSettings, seed: int = 0
) -> tuple[Standing, ...]:
    """Return the standings from the tally of each entrant."""
    book = Book(tallies, settings, seed)
    everybody = sorted(tallies.values(), key=lambda tally: (tally.number, tally.id))
    # Tie-breaks among equals are computed when they are needed.
    decided: Decided = {
        name: {} if TIE_BREAKS[name].among_equals else _ask(name, everybody, book)
        for name in settings.tie_breaks
    }
    rows: list[Standing] = []
    for section in sorted({tally.section for tally in everybody}):
        here = (tally for tally in everybody if tally.section == section)
        groups = _equals(here, lambda tally: (tally.has_played, tally.points))
        rows += _rows(groups, settings.tie_breaks, decided, book)
    return tuple(rows)


def _ask(name: str, tied: Sequence[Tally], book: Book) -> dict[str, Value]:
    values = TIE_BREAKS[name].values(tied, book)
    return {tally.id: value for tally, value in zip(tied, values, strict=True)}


def _equals(
    tallies: Iterable[Tally], key: Callable[[Tally], tuple[bool, Points]]
) -> Iterator[list[Tally]]:
    """Group tallies with the same key, the largest first."""
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
    if TIE_BREAKS[name].among_equals:
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
        section=tally.section,
    )
