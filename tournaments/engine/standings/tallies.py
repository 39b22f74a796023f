"""The tally of each entrant of a tournament: games that count, byes and rulings."""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import chain
from typing import NamedTuple, Protocol

from tournaments.engine.rules.rulesets import Points, whole
from tournaments.engine.standings.round_results import (
    ABSENT,
    ADJUSTED,
    FORFEIT,
    NOBODY,
    PENALTY,
    Competitor,
    RoundResults,
    Ruling,
    TableResult,
    as_forfeited,
    not_seated,
    table_worth,
)

BYE_AVERAGE = "average"
"""A bye is worth the average of the rounds played so far."""


class ScoringSettings(Protocol):
    """The settings that decide what a round is worth."""

    @property
    def points(self) -> str: ...

    @property
    def place_points(self) -> tuple[Points, ...]: ...

    @property
    def bye(self) -> str | Points: ...

    @property
    def missed(self) -> Points | None: ...

    @property
    def line_up(self) -> int: ...

    @property
    def tie_break_version(self) -> int: ...


# There are thousands of these, and a tuple takes a third of the time to create.
class Counted(NamedTuple):
    """A table as it counts for one entrant.

    `at` is the place of its round in `rounds`, and `side` is the entrant's. `worth` is in points of
    the standings, before any adjustment.
    """

    at: int
    table: TableResult
    side: int
    worth: Points
    ruling: Ruling | None = None

    @property
    def was_there(self) -> bool:
        """Whether the entrant sat at the table."""
        return self.ruling is None or self.ruling.kind != ABSENT

    @property
    def was_played(self) -> bool:
        """Whether the entrant was there and played to the end."""
        return self.ruling is None


class Tally:
    """The tally of one entrant after some rounds; `bye` is the worth of a bye.

    `missed` is what each round is worth before the first one with a table, a bye or a ruling; None
    if they count nothing, and a bye in that first round as any other.
    """

    def __init__(
        self,
        competitor: Competitor,
        rounds: int,
        bye: str | Points,
        missed: Points | None = None,
    ) -> None:
        self.id, self.number = competitor.id, competitor.number
        self.section = competitor.section
        self.rounds, self._bye, self._missed = rounds, bye, missed
        self.first: int | None = None
        self.counted: list[Counted] = []
        self.byes: list[int] = []
        self.adjusted: dict[int, Ruling] = {}
        self.penalized: list[tuple[int, Ruling]] = []

    @cached_property
    def games(self) -> dict[int, Points]:
        """The points of the rounds that the entrant played, by the place of the round."""
        return {
            game.at: self.adjusted[game.at].points if game.at in self.adjusted else game.worth
            for game in self.counted
            if game.was_there
        }

    @cached_property
    def bye(self) -> Points:
        """The worth of a bye: fixed, or the mean of the rounds played (0 with none)."""
        if self._bye != BYE_AVERAGE:
            assert not isinstance(self._bye, str)
            return self._bye
        return whole(Fraction(sum(self.games.values()), len(self.games) or 1))

    def bye_at(self, at: int) -> Points:
        """Return the worth of a bye in a round: of who has just come no more than a missed one."""
        if self._missed is None or not at or at != self.first:
            return self.bye
        return min(self.bye, self._missed)

    @cached_property
    def by_round(self) -> tuple[Points | None, ...]:
        """The points of each round; None if nothing counts yet."""
        points: list[Points | None] = [None] * self.rounds
        for game in self.counted:
            points[game.at] = game.worth
        if self._missed and self.first:
            points[: self.first] = [self._missed] * self.first
        for at in self.byes:
            points[at] = self.bye_at(at)
        for at, ruling in self.adjusted.items():
            points[at] = ruling.points
        return tuple(points)

    @cached_property
    def has_played(self) -> bool:
        """Whether any round has a result, even one of 0 points."""
        return bool(self.counted or self.byes or self.adjusted)

    @cached_property
    def before_penalties(self) -> Points:
        """The sum of the rounds."""
        return whole(sum(points for points in self.by_round if points is not None))

    @cached_property
    def penalties(self) -> Points:
        return whole(sum(ruling.points for _, ruling in self.penalized))

    @cached_property
    def points(self) -> Points:
        """The sum of the rounds less the penalties."""
        return whole(self.before_penalties - self.penalties)


def tally_rounds(
    competitors: Iterable[Competitor],
    rounds: Sequence[RoundResults],
    settings: ScoringSettings,
) -> dict[str, Tally]:
    """Return the tally of each entrant after `rounds`, by id; house players are left out.

    Raises:
        ValueError: if a round names an unknown competitor.
    """
    known, tallies = {NOBODY}, {}
    for competitor in competitors:
        known.add(competitor.id)
        if not competitor.house:
            # A reserve who plays for the first time has not come late.
            missed = None if settings.line_up else settings.missed
            tallies[competitor.id] = Tally(competitor, len(rounds), settings.bye, missed)
    for at, played in enumerate(rounds):
        _refuse_strangers(played, known)
        _count_round(at, played, tallies, settings)
    return tallies


def _refuse_strangers(played: RoundResults, known: set[str]) -> None:
    for table in played.tables:
        if not known.issuperset(table.entrants):
            raise ValueError(f"Round {played.number} names a stranger: {table.entrants}.")
    strangers = {*played.byes, *(ruling.entrant for ruling in played.rulings)} - known
    if strangers:
        raise ValueError(f"Round {played.number} names strangers: {sorted(strangers)}.")


def _count_round(
    at: int, played: RoundResults, tallies: Mapping[str, Tally], settings: ScoringSettings
) -> None:
    instead = _instead(at, played, tallies)
    for name in chain(*(table.entrants for table in played.tables), played.byes, instead):
        if name in tallies and tallies[name].first is None:
            tallies[name].first = at
    for table in played.tables:
        if table.finished:
            _count_table(at, table, tallies, instead, settings)
    for name in played.byes:
        if name in tallies and name not in instead:
            tallies[name].byes.append(at)
    for name, ruling in instead.items():
        _count_ruling(at, ruling, tallies[name], settings)


def _instead(at: int, played: RoundResults, tallies: Mapping[str, Tally]) -> dict[str, Ruling]:
    """Return the ruling that replaces each entrant's result; add penalties to their tallies."""
    instead: dict[str, Ruling] = {}
    for ruling in played.rulings:
        if ruling.entrant in tallies and ruling.kind == PENALTY:
            tallies[ruling.entrant].penalized.append((at, ruling))
        elif ruling.entrant in tallies:
            instead[ruling.entrant] = ruling
    return instead


def _count_table(
    at: int,
    table: TableResult,
    tallies: Mapping[str, Tally],
    instead: Mapping[str, Ruling],
    settings: ScoringSettings,
) -> None:
    worth = table_worth(settings.points, table, settings.place_points)
    for side, name in enumerate(table.entrants):
        if name not in tallies:
            continue
        ruling = instead.get(name)
        if ruling is not None and ruling.kind in (FORFEIT, ABSENT):
            game = _forfeited(at, table, side, ruling, settings)
        else:
            game = Counted(at, table, side, worth[side])
        tallies[name].counted.append(game)


def _count_ruling(at: int, ruling: Ruling, tally: Tally, settings: ScoringSettings) -> None:
    """Count an adjustment, or a forfeit of an entrant without a table that counts."""
    if ruling.kind == ADJUSTED:
        tally.adjusted[at] = ruling
    elif not tally.counted or tally.counted[-1].at != at:
        alone = not_seated(ruling.entrant, ruling.points)
        tally.counted.append(_forfeited(at, alone, 0, ruling, settings))


def _forfeited(
    at: int, table: TableResult, side: int, ruling: Ruling, settings: ScoringSettings
) -> Counted:
    own = as_forfeited(table, side, ruling.points)
    worth = table_worth(settings.points, own, settings.place_points)[side]
    return Counted(at, own, side, worth, ruling)
