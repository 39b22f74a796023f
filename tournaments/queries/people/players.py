"""Read queries for the games of a player, their sums, and the comparison of two players.

The sums come from the cached results of finished games (`sheets.result_of`), so a player with
thousands of games is shown without folding any of them.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from fractions import Fraction
from typing import Any, NamedTuple

from django.db.models import Q, QuerySet

from tournaments.engine.ratings.ratings import Rating
from tournaments.engine.rules.rulesets import Points
from tournaments.engine.variants import RULESETS
from tournaments.models import Game, Player, PlayerRating, RatingChange, Seat, Visitor
from tournaments.queries.ratings.leaderboard import Listed

FOUR = (0, 1, 2, 3)

AT_ONCE = 200
"""Rows read at a time: each result is dropped once the player's part is taken."""


@dataclass(frozen=True, slots=True)
class PlayerGame:
    """A game of a player: their seat and its result for them.

    `ranks` and `totals` are per side, and empty while the game goes on. `contracts` is one flat row
    that repeats: name, deals declared, their points, other deals, their points. Thousands of games
    with many small rows each would keep the garbage collector busy. `season` and `event` are keys.
    """

    pk: int
    at: datetime
    seat: int
    ruleset: str
    family: str
    sides: Sequence[int]
    house: bool
    season: int | None
    event: int | None
    ranks: Sequence[int] = ()
    totals: Sequence[int | str] = ()
    out: bool = False
    sunk: bool = False
    kings: int = 0
    badges: tuple[tuple[str, int], ...] = ()
    contracts: tuple[Any, ...] = ()

    @property
    def finished(self) -> bool:
        return bool(self.ranks)

    @property
    def side(self) -> int:
        return self.sides[self.seat]

    @property
    def place(self) -> int:
        """Return the place of the player's side, from 1; only for a finished game."""
        return self.place_of(self.seat)

    @property
    def points(self) -> Points:
        """Return the total of the player's side; only for a finished game."""
        return self.points_of(self.seat)

    def place_of(self, seat: int) -> int:
        return self.ranks[self.sides[seat]]

    def points_of(self, seat: int) -> Points:
        return _number(self.totals[self.sides[seat]])


def _number(written: int | str) -> Points:
    return Fraction(written) if isinstance(written, str) else written


def games_of(
    player: Player, visitor: Visitor, other: Player | None = None, *, published: bool = False
) -> list[PlayerGame]:
    """Return the games of a player, or those with another one, the latest first (1 query).

    They are those whose results the visitor may see, as in `seats_of`. Games of a ruleset that no
    longer exists are left out, as in the ratings.
    """
    seats = counted(seats_of(player, visitor, published=published))
    if other is not None:
        seats = seats.filter(game__seats__player=other)
    return games_at(seats)


def seats_of(player: Player, visitor: Visitor, *, published: bool = False) -> QuerySet[Seat]:
    """Filter to a player's seats at games whose results a visitor may see.

    With `published`, only those of published evenings; without, for members of the club.
    """
    seats = Seat.objects.filter(player=player).results_visible_to(visitor)
    return seats.filter(game__table__round__event__published=True) if published else seats


def counted(seats: QuerySet[Seat]) -> QuerySet[Seat]:
    """Leave out cancelled tournaments."""
    return seats.filter(game__table__round__event__tournament__cancelled_at=None)


def games_at(seats: QuerySet[Seat], *, few: bool = False) -> list[PlayerGame]:
    """Return the games at seats of one player, the latest first (1 query)."""
    rows = seats.order_by("-game__played_at", "-game_id").values_list(
        "game_id",
        "game__played_at",
        "number",
        "game__ruleset",
        "game__document__family",
        "game__document__sides",
        "game__table__round__event__season_id",
        "game__table__round__event_id",
        "game__result",
    )
    # An iterator asks PostgreSQL several times: to declare a cursor, to fetch, to close it.
    some = rows if few else rows.iterator(AT_ONCE)
    return [_game(row) for row in some if row[4] or row[3] in RULESETS]


def _game(row: tuple[Any, ...]) -> PlayerGame:
    pk, at, seat, ruleset, family, sides, *keys, result = row
    # A document omits default values.
    rules = (family, sides or FOUR) if family else _rules_of_program(ruleset)
    head = (pk, at, seat, ruleset, *rules, bool(family), *keys)
    return PlayerGame(*head) if result is None else PlayerGame(*head, *_own(result, seat, rules[1]))


def game_at_seat(row: Game, seat: int) -> PlayerGame:
    """Return a game as seen from a seat; its round, if any, is loaded with it."""
    document = row.document or {}
    # A document omits default values.
    sides = document.get("sides") or FOUR
    rules = (document["family"], sides) if document else _rules_of_program(row.ruleset)
    event = row.table and row.table.round.event
    keys = (event.season_id, event.pk) if event else (None, None)
    head = (row.pk, row.played_at, seat, row.ruleset, *rules, bool(document), *keys)
    return (
        PlayerGame(*head)
        if row.result is None
        else PlayerGame(*head, *_own(row.result, seat, rules[1]))
    )


def _rules_of_program(ruleset: str) -> tuple[str, Sequence[int]]:
    return RULESETS[ruleset].family, RULESETS[ruleset].sides


def _own(result: Mapping[str, Any], seat: int, sides: Sequence[int]) -> tuple[Any, ...]:
    """Return the parts of a result for one seat, in the order of the fields of a game."""
    side = sides[seat]
    details: list[Any] = []
    # A game whose entries contradict each other keeps the result of an earlier version.
    badges, contracts = result.get("badges", {}), result.get("contracts", {})
    for name, seats in contracts.items():
        details.append(name)
        details += seats[seat]
    return (
        tuple(result["ranks"]),
        tuple(result["totals"]),
        side in result["out"],
        side in result["sunk"],
        result["kings"].count(side),
        tuple((badge, counts[side]) for badge, counts in badges.items() if counts[side]),
        tuple(details),
    )


def seats_beside(
    player: Player, other: Player | None = None, *, games: Iterable[int] | None = None
) -> list[tuple[int, int, int]]:
    """Return game, seat and player of those at a player's, or two players', games (1 query).

    With `games`, at these games of the player.
    """
    at = {"game__seats__player": player} if games is None else {"game__in": list(games)}
    seats = Seat.objects.filter(**at).exclude(player=player)
    if other is not None:
        seats = seats.filter(player=other)
    return list(seats.order_by().values_list("game_id", "number", "player_id"))


@dataclass(slots=True)
class Contracted:
    """Deals of a contract that the player declared, and other ones, with the points in them."""

    declared: int = 0
    declared_points: Points = 0
    others: int = 0
    others_points: Points = 0


@dataclass(slots=True)
class PlayerSums:
    """Sums over the finished games of a player.

    `places` counts by number of sides and place.
    """

    games: int = 0
    points: Points = 0
    won: int = 0
    out: int = 0
    sunk: int = 0
    kings: int = 0
    places: Counter[tuple[int, int]] = field(default_factory=Counter)
    badges: Counter[str] = field(default_factory=Counter)
    contracts: dict[str, Contracted] = field(default_factory=dict)
    best: PlayerGame | None = None
    worst: PlayerGame | None = None


def add_up(games: Iterable[PlayerGame]) -> PlayerSums:
    """Return the sums of the finished games; of equally good (or bad) games the first counts."""
    sums = PlayerSums()
    best: Points = 0
    worst: Points = 0
    for game in games:
        if not game.finished:
            continue
        points = game.points
        _add(sums, game, points)
        # The latest game comes first.
        if sums.best is None or points >= best:
            sums.best, best = game, points
        if sums.worst is None or points <= worst:
            sums.worst, worst = game, points
    return sums


def _add(sums: PlayerSums, game: PlayerGame, points: Points) -> None:
    sums.games += 1
    sums.points += points
    sums.won += game.place == 1
    sums.out += game.out
    sums.sunk += game.sunk
    sums.kings += game.kings
    sums.places[len(game.ranks), game.place] += 1
    for badge, number in game.badges:
        sums.badges[badge] += number
    details = iter(game.contracts)
    for contract, declared, declared_points, others, others_points in zip(
        *[details] * 5, strict=True
    ):
        earned = sums.contracts.get(contract)
        if earned is None:
            earned = sums.contracts[contract] = Contracted()
        if declared:
            earned.declared += declared
            earned.declared_points += _number(declared_points)
        if others:
            earned.others += others
            earned.others_points += _number(others_points)


@dataclass(slots=True)
class Meeting:
    """Finished games with another player: above, level or below them, or in one pair."""

    player: int
    above: int = 0
    level: int = 0
    below: int = 0
    together: int = 0
    together_won: int = 0

    @property
    def against(self) -> int:
        return self.above + self.level + self.below

    @property
    def games(self) -> int:
        return self.against + self.together

    def add(self, more: "Meeting") -> None:
        """Add the games of another count."""
        self.above += more.above
        self.level += more.level
        self.below += more.below
        self.together += more.together
        self.together_won += more.together_won


def meetings(
    games: Iterable[PlayerGame], beside: Iterable[tuple[int, int, int]]
) -> dict[int, Meeting]:
    """Return the meetings of a player with each of the others, by their keys."""
    finished = {game.pk: game for game in games if game.finished}
    met: dict[int, Meeting] = {}
    for pk, seat, player in beside:
        game = finished.get(pk)
        if game is not None:
            if (meeting := met.get(player)) is None:
                meeting = met[player] = Meeting(player)
            _meet(meeting, game, game.sides[seat])
    return met


def _meet(meeting: Meeting, game: PlayerGame, other: int) -> None:
    """Count a game with a player of the side `other`."""
    side, ranks = game.side, game.ranks
    if side == other:
        meeting.together += 1
        meeting.together_won += ranks[side] == 1
    elif ranks[side] < ranks[other]:
        meeting.above += 1
    elif ranks[side] > ranks[other]:
        meeting.below += 1
    else:
        meeting.level += 1


@dataclass(slots=True)
class Compared:
    """Points and places of two players, added up over their games against each other."""

    games: int = 0
    points: Points = 0
    other_points: Points = 0
    places: int = 0
    other_places: int = 0


def compare(games: Iterable[PlayerGame], beside: Iterable[tuple[int, int, int]]) -> Compared:
    """Return the sums of both over the finished games in which they were no pair."""
    seats = {pk: seat for pk, seat, _player in beside}
    sums = Compared()
    for game in games:
        seat = seats.get(game.pk)
        if seat is None or not game.finished or game.sides[seat] == game.side:
            continue
        sums.games += 1
        sums.points += game.points
        sums.other_points += game.points_of(seat)
        sums.places += game.place
        sums.other_places += game.place_of(seat)
    return sums


# Ratings.


def ratings_of(player: Player) -> list[PlayerRating]:
    """Return the ratings of a player in the club and on the whole server, by family (1 query)."""
    own = f"p{player.pk}"
    people = [own] if player.account_id is None else [own, f"a{player.account_id}"]
    rows = PlayerRating.objects.filter(
        Q(pool__club=player.club_id, person=own) | Q(pool__club=None, person__in=people)
    )
    return list(rows.select_related("pool").order_by("pk"))


def family_of_both(own: Sequence[PlayerRating], theirs: Sequence[PlayerRating]) -> str:
    """Return the family, most played by one, in which both are rated; empty if there is none."""
    shared = {row.pool.family for row in theirs if row.pool.club_id}
    rows = [row for row in own if row.pool.club_id and row.pool.family in shared]
    most = max(rows, key=lambda row: row.games, default=None)
    return "" if most is None else most.pool.family


def rank_of(rating: PlayerRating, now: datetime) -> tuple[int, int] | None:
    """Return the rank on the default leaderboard, and its length (2 queries).

    None for a player who is not on it.
    """
    board = Listed(rating.pool, now, active=True, provisional=False)
    place = board.place(rating)
    return None if place is None else (place[0], board.ranks.total)


class RatingStep(NamedTuple):
    """A game's change of a rating; `at` is the closing time of its round."""

    game: int
    at: datetime
    before: Rating
    after: Rating


def steps_of(rating: PlayerRating) -> list[RatingStep]:
    """Return all changes of a rating, the oldest first (1 query)."""
    return _steps(rating, RatingChange.objects.filter(rating=rating).order_by("number"))


def steps_by(rating: PlayerRating, games: Iterable[int]) -> list[RatingStep]:
    """Return the changes of a rating by some games (1 query)."""
    return _steps(rating, RatingChange.objects.filter(rating=rating, game__in=list(games)))


def _steps(rating: PlayerRating, rows: QuerySet[RatingChange]) -> list[RatingStep]:
    columns = rows.values_list(
        "game_id", "at", "mean_before", "variance_before", "mean", "variance"
    )
    start = rating.start
    return [
        RatingStep(
            game, at, Rating(mean_before, variance_before, start), Rating(mean, variance, start)
        )
        for game, at, mean_before, variance_before, mean, variance in columns
    ]
