"""The results of rounds, what each entrant gets of them, and the tie-breaks."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from hashlib import sha256
from itertools import chain
from math import lcm
from types import MappingProxyType
from typing import NamedTuple, Protocol

from tournaments.engine.rules.entries import gettext_noop
from tournaments.engine.rules.rulesets import PerSide, Points, whole

PENALTY = "penalty"
ADJUSTED = "adjusted"
FORFEIT = "forfeit"
ABSENT = "absent"
BYE = "bye"
RULINGS = (PENALTY, ADJUSTED, FORFEIT, ABSENT, BYE)

MISSED = ("nothing", "half", "average")
"""What missed rounds of one entrant can be worth: 0, half of a bye, or a bye."""

Worth = tuple[Points, ...]
"""Place points: those of the first place, then of those after it."""

NOBODY = ""
"""The opponent of an entrant who was not seated; no competitor has this id."""


@dataclass(frozen=True, slots=True)
class Competitor:
    """A competitor of a tournament: a player or a pair.

    `number` orders those who share a place. A `house` player fills a table and has no place; a
    competitor who has `withdrawn` keeps all results. Places are counted within a `section`. What
    `missed` rounds are worth is one of `MISSED`; empty: as the settings say.
    """

    id: str
    number: int = 0
    house: bool = False
    team: str = ""
    withdrawn: bool = False
    section: str = ""
    missed: str = ""


@dataclass(frozen=True, slots=True)
class TableResult:
    """The result of a game; everything is per side, in side order.

    `ranks` are those of `outcomes.decide` (1 is best, equals share: 1, 2, 2, 4), `out` the sides
    that are out, and `kings` holds a side once for every King it made. `unplayed` is what each
    side of a stopped game lacks until the sum is that of a whole game. A table that is not
    `finished` does not count yet.
    """

    entrants: tuple[str, ...]
    totals: PerSide
    ranks: tuple[int, ...]
    out: tuple[int, ...] = ()
    kings: tuple[int, ...] = ()
    finished: bool = True
    unplayed: Points = 0


@dataclass(frozen=True, slots=True)
class Ruling:
    """A director's ruling about one entrant in one round.

    A `penalty` takes `points` (above 0) from the sum. `adjusted` makes `points` the worth of the
    round in the standings, whatever was played. With a `forfeit`, the entrant's game counts as
    `points` of the game, the last place of the table, not out and without a King; the others keep
    their results. `absent` is the same for an entrant who was not there, and so has met nobody.
    With `bye` the entrant's game does not count, and the round is worth a bye. If there are several
    other than penalties, the last one counts.

    Raises: ValueError: if there is no such kind, or a penalty is not above 0.
    """

    entrant: str
    kind: str
    points: Points = 0

    def __post_init__(self) -> None:
        if self.kind not in RULINGS:
            raise ValueError(f"A ruling is {' or '.join(RULINGS)}, not {self.kind!r}.")
        if self.kind == PENALTY and self.points <= 0:
            raise ValueError(f"A penalty takes points, not {self.points}.")


@dataclass(frozen=True, slots=True)
class RoundResults:
    """A round by its number: its tables, byes and rulings."""

    number: int
    tables: tuple[TableResult, ...]
    byes: tuple[str, ...] = ()
    rulings: tuple[Ruling, ...] = ()


def table_worth(method: str, table: TableResult, place_points: Worth) -> PerSide:
    """Return the worth of a table in the standings, per side; `method` is one of `POINTS`."""
    return METHODS[method](table, place_points)


@lru_cache(maxsize=1024)
def split_places(ranks: tuple[int, ...], place_points: Worth) -> PerSide:
    """Return place points, one per side; sides that share places share their exact worth.

    The last place has the last of `place_points`, and the places before it have the first ones. So
    of 4-2-1-0, two sides have 4 and 0. Further places are worth the last one.
    """
    first = place_points[: len(ranks) - 1]
    worth = first + place_points[-1:] * (len(ranks) - len(first))
    return tuple(
        whole(Fraction(sum(worth[rank - 1 : rank - 1 + count]), count))
        for rank, count in ((rank, ranks.count(rank)) for rank in ranks)
    )


def win_share(table: TableResult, side: int) -> Points:
    """Return 1 for a side that is out, and 0 for one that is sunk.

    If nobody is out (games without out and sunk, or a draw), the best place has the win, and sides
    that share the place share it.
    """
    if table.out:
        return int(side in table.out)
    return split_places(table.ranks, (1, 0))[side]


def not_seated(entrant: str, points: Points) -> TableResult:
    """Return the result of an entrant with a ruling but without a table."""
    return TableResult((entrant, NOBODY), (points, 0), (2, 1))


def _differences(table: TableResult, _place_points: Worth) -> PerSide:
    """The lead of each side over the mean of the others; for two sides, over the other."""
    together, others = sum(table.totals), len(table.totals) - 1
    return tuple(whole(Fraction(total * (others + 1) - together, others)) for total in table.totals)


METHODS: Mapping[str, Callable[[TableResult, Worth], PerSide]] = MappingProxyType(
    {
        "game": lambda table, _place_points: table.totals,
        "places": lambda table, place_points: split_places(table.ranks, place_points),
        "out": lambda table, _place_points: tuple(
            win_share(table, side) for side in range(len(table.ranks))
        ),
        "pair-difference": _differences,
    }
)
"""The worth of a table in the standings, per side, from the table and the place points."""


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
        return self.ruling is None or self.ruling.kind != ABSENT

    @property
    def was_played(self) -> bool:
        return self.ruling is None


class Tally:
    """The tally of one entrant after some rounds; `bye` is the worth of a bye.

    `missed` is what each round is worth before the first one with a table, a bye or a ruling; None
    if they count nothing, and a bye in that first round as any other. The competitor's own `missed`
    comes before it.
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
        self.rounds, self._bye = rounds, bye
        self._missed, self._own_missed = missed, competitor.missed
        self.first: int | None = None
        self.counted: list[Counted] = []
        self.byes: list[int] = []
        self.excused: set[int] = set()
        self.adjusted: dict[int, Ruling] = {}
        self.penalized: list[tuple[int, Ruling]] = []

    def only(self, at: int) -> "Tally":
        """Return a copy with the game and the penalties of one round alone."""
        one = copy(self)
        one.counted = [game for game in self.counted if game.at == at]
        one.penalized = [penalty for penalty in self.penalized if penalty[0] == at]
        return one

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

    @cached_property
    def missed(self) -> Points | None:
        """The worth of each round before the first one; None if they count nothing."""
        match self._own_missed:
            case "nothing":
                return 0
            case "half":
                return whole(Fraction(self.bye) / 2)
            case "average":
                return self.bye
        return self._missed

    def bye_at(self, at: int) -> Points:
        """Return the worth of a bye in a round: of who has just come no more than a missed one."""
        came = at == self.first and at not in self.excused and (at > 0 or self._own_missed)
        if self.missed is None or not came:
            return self.bye
        return min(self.bye, self.missed)

    @cached_property
    def by_round(self) -> tuple[Points | None, ...]:
        """The points of each round; None if nothing counts yet."""
        points: list[Points | None] = [None] * self.rounds
        for game in self.counted:
            points[game.at] = game.worth
        if self.missed and self.first:
            points[: self.first] = [self.missed] * self.first
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

    Raises: ValueError: if a round names an unknown competitor.
    """
    known, tallies = {NOBODY}, {}
    for competitor in competitors:
        known.add(competitor.id)
        if not competitor.house:
            # A reserve who plays for the first time has not come late.
            missed = None if settings.line_up else settings.missed
            tallies[competitor.id] = Tally(competitor, len(rounds), settings.bye, missed)
    for at, played in enumerate(rounds):
        for table in played.tables:
            if not known.issuperset(table.entrants):
                raise ValueError(f"Round {played.number} names a stranger: {table.entrants}.")
        strangers = {*played.byes, *(ruling.entrant for ruling in played.rulings)} - known
        if strangers:
            raise ValueError(f"Round {played.number} names strangers: {sorted(strangers)}.")
        _count_round(at, played, tallies, settings)
    return tallies


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
        tally = tallies[name]
        if ruling.kind == ADJUSTED:
            tally.adjusted[at] = ruling
        elif ruling.kind == BYE:
            tally.byes.append(at)
            if name not in played.byes:
                tally.excused.add(at)
        elif not tally.counted or tally.counted[-1].at != at:
            alone = not_seated(ruling.entrant, ruling.points)
            tally.counted.append(_forfeited(at, alone, 0, ruling, settings))


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
        if ruling is not None and ruling.kind == BYE:
            continue
        if ruling is not None and ruling.kind in (FORFEIT, ABSENT):
            game = _forfeited(at, table, side, ruling, settings)
        else:
            game = Counted(at, table, side, worth[side])
        tallies[name].counted.append(game)


def _forfeited(
    at: int, table: TableResult, side: int, ruling: Ruling, settings: ScoringSettings
) -> Counted:
    sides = range(len(table.entrants))
    own = TableResult(
        entrants=table.entrants,
        totals=tuple(ruling.points if s == side else table.totals[s] for s in sides),
        # The others rank before it, each alike, so the last place is not shared.
        ranks=tuple(len(sides) if s == side else 1 for s in sides),
        out=tuple(s for s in table.out if s != side),
    )
    worth = table_worth(settings.points, own, settings.place_points)[side]
    return Counted(at, own, side, worth, ruling)


Values = Sequence[Points | None]

TIE_BREAK_VERSION = 2
"""Of the tie-breaks: 1 counts a stopped game as it stands, and adds up opponents."""


@dataclass(frozen=True, slots=True)
class Book:
    """The data for tie-breaks; `seed` is for random draws."""

    tallies: Mapping[str, Tally]
    settings: ScoringSettings
    seed: int = 0


TieBreakValues = Callable[[Sequence[Tally], Book], Values]


@dataclass(frozen=True, slots=True)
class TieBreak:
    """A tie-break: `values` returns one for each of the tallies.

    With `among_equals` they depend on who else is tied.
    """

    label: str
    values: TieBreakValues
    among_equals: bool = False


TIE_BREAKS: dict[str, TieBreak] = {}
"""The tie-breaks by name, in the order in which forms offer them: that of the functions below."""


def tie_break(
    name: str, label: str, *, among_equals: bool = False
) -> Callable[[TieBreakValues], TieBreakValues]:
    def add(values: TieBreakValues) -> TieBreakValues:
        TIE_BREAKS[name] = TieBreak(label, values, among_equals)
        return values

    return add


@tie_break("total-points", gettext_noop("Points of the games"))
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


@tie_break("place-points", gettext_noop("Points for places"))
def _place_points(tied: Sequence[Tally], book: Book) -> Values:
    """The place points of the settings, even if the standings do not count them."""
    worth = book.settings.place_points
    return [
        whole(sum(split_places(game.table.ranks, worth)[game.side] for game in tally.counted))
        for tally in tied
    ]


@tie_break("wins", gettext_noop("Games out or won"))
def _wins(tied: Sequence[Tally], _book: Book) -> Values:
    """The number of times out; in games without out and sunk, the number of first places."""
    return [whole(sum(win_share(game.table, game.side) for game in t.counted)) for t in tied]


@tie_break("kings", gettext_noop("Kings made"))
def _kings(tied: Sequence[Tally], _book: Book) -> Values:
    return [sum(game.table.kings.count(game.side) for game in t.counted) for t in tied]


@tie_break("head-to-head", gettext_noop("Direct encounter"), among_equals=True)
def _head_to_head(tied: Sequence[Tally], _book: Book) -> Values:
    """Direct encounter: how often ahead of the others tied, less how often behind.

    It counts only if all those tied have met each other, or else missing a strong opponent would
    help. Otherwise the value of each is None.
    """
    found = encounters(tied)
    if any(len({other for _at, other, _ahead in met}) < len(tied) - 1 for met in found):
        return [None] * len(tied)
    return [sum(ahead for _at, _other, ahead in met) for met in found]


def encounters(tied: Sequence[Tally]) -> list[list[tuple[int, str, int]]]:
    """Return the meetings of each with the others: the round, whom, and 1 for who was ahead."""
    games = {t.id: {game.at: game for game in t.counted if game.was_there} for t in tied}
    return [
        [
            (at, other, (own < theirs) - (own > theirs))
            for at, game in games[tally.id].items()
            for other in game.table.entrants
            if other != tally.id and at in games.get(other, ())
            for own, theirs in [(_place(game), _place(games[other][at]))]
        ]
        for tally in tied
    ]


def _place(game: Counted) -> tuple[bool, int]:
    return not game.was_played, game.table.ranks[game.side]


@tie_break("opponents", gettext_noop("Buchholz"))
def _opponents(tied: Sequence[Tally], book: Book) -> Values:
    """Buchholz: the mean of the points before penalties of everybody met, once for each meeting.

    House players are nobody to meet, and absent entrants have met nobody. It is None for whoever
    has met nobody. Version 1 is the sum, which is less for whoever sat out.
    """
    # Use whole numbers with a common denominator: adding thousands of fractions is slow.
    denominator = lcm(*(tally.before_penalties.denominator for tally in book.tallies.values()))
    everybody = {
        name: int(tally.before_penalties * denominator) for name, tally in book.tallies.items()
    }
    # For each round, the points for meeting each entrant, in whole numbers of 1/`part`.
    rounds = max((tally.rounds for tally in book.tallies.values()), default=0)
    worth: list[Mapping[str, int]] = [everybody] * rounds
    for name, tally in book.tallies.items():
        for game in tally.counted:
            if not game.was_there:
                others = worth[game.at].items()
                worth[game.at] = {other: of for other, of in others if other != name}
    sums = [_met(tally, worth) for tally in tied]
    if book.settings.tie_break_version == 1:
        return [whole(Fraction(points, denominator)) for points, _meetings in sums]
    return [whole(Fraction(points, denominator * n)) if n else None for points, n in sums]


def _met(tally: Tally, worth: Sequence[Mapping[str, int]]) -> tuple[int, int]:
    met = [
        worth[game.at][name]
        for game in tally.counted
        if game.was_there
        for name in game.table.entrants
        if name != tally.id and name in worth[game.at]
    ]
    return sum(met), len(met)


@tie_break("best-game", gettext_noop("Best game"))
def _best_game(tied: Sequence[Tally], _book: Book) -> Values:
    """The points of the best game played; None without one."""
    return [
        max((game.table.totals[game.side] for game in t.counted if game.was_played), default=None)
        for t in tied
    ]


@tie_break("fewest-penalties", gettext_noop("Fewest penalties"))
def _fewest_penalties(tied: Sequence[Tally], _book: Book) -> Values:
    return [-len(tally.penalized) for tally in tied]


@tie_break("lot", gettext_noop("Lot"), among_equals=True)
def _lot(tied: Sequence[Tally], book: Book) -> Values:
    """Draw a random place for each: the same on every machine and in every tie."""
    drawn = sorted(tied, key=lambda tally: sha256(f"{book.seed} {tally.id}".encode()).digest())
    place = {tally.id: place for place, tally in enumerate(drawn, start=1)}
    return [place[tally.id] for tally in tied]
