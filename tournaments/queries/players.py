"""Players, members and accounts, and the history of a player."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from fractions import Fraction
from typing import Any, NamedTuple

from django.db.models import (
    Case,
    Count,
    Exists,
    F,
    Max,
    OuterRef,
    Prefetch,
    Q,
    QuerySet,
    Sum,
    Value,
    When,
)
from django.utils.translation import pgettext

from tournaments.engine.ratings.ratings import Rating, chance_above
from tournaments.engine.rules.entries import write_points
from tournaments.engine.rules.rulesets import Points, number_of
from tournaments.engine.variants import RULESETS
from tournaments.models import (
    Club,
    Game,
    Member,
    Merge,
    Player,
    PlayerRating,
    RatingChange,
    Seat,
    Tournament,
    User,
    Visitor,
)
from tournaments.models.clubs import Role
from tournaments.models.people import LONGEST_SEARCH, PlayerQuerySet, name_order
from tournaments.queries.ratings import CurrentRatings, displayed, rating_at

RANK = Case(*(When(role=role, then=Value(rank)) for rank, role in enumerate(Role)))


def account_name(user: User) -> str:
    """Return the name shown to those who may see the e-mail address."""
    return user.first_name or user.email or user.username


def called_in_club(user: User, player: Player | None) -> str:
    """Return the name shown to all members; the account may have a player in the club.

    Never the user name, which is derived from the e-mail address.
    """
    shown = player.shown_name if player else ""
    return user.first_name or shown or pgettext("of a club", "member")


def members_found(club: Club, text: str, *, directs: bool) -> QuerySet[Member]:
    """Filter to the members whose names contain every word of `text` (2 queries).

    Directors also find them by address; for others no part of an address finds or sorts them.
    """
    found = club.members.select_related("user")
    players = Player.objects.present().filter(club=club)
    for word in text[:LONGEST_SEARCH].split():
        # Without a name of their own, directors see the user name, others that of the player.
        unnamed = Q(user__in=players.matching(word, directs=False).values("account"))
        if directs:
            unnamed = Q(user__username__icontains=word)
        named = Q(user__first_name__icontains=word) | (Q(user__first_name="") & unnamed)
        found = found.filter(named | Q(user__email__icontains=word) if directs else named)
    if directs:
        return found.order_by(RANK, "user__first_name", "user__username")
    own = Prefetch("user__players", players, to_attr="players_here")
    return found.order_by(RANK, "user__first_name", "pk").prefetch_related(own)


def member_name(member: Member, *, directs: bool) -> str:
    """Return the name of a member of `members_found` as directors see it, or all members."""
    if directs:
        return account_name(member.user)
    return called_in_club(member.user, next(iter(member.user.players_here), None))  # type: ignore[attr-defined]


MOST_SORTED = 2_000


def in_name_order(found: PlayerQuerySet) -> list[int] | QuerySet[Player, int]:
    """Return the keys of players as the active language orders their names (1 query).

    More than a club ever has come as the database orders them, page by page.
    """
    rows = list(found.order_by("name_key").values_list("pk", "name")[: MOST_SORTED + 1])
    if len(rows) > MOST_SORTED:
        return found.order_by("name_key").values_list("pk", flat=True)
    return [pk for pk, _name in sorted(rows, key=lambda row: name_order(row[1]))]


def players_found(club: Club, text: str, *, directs: bool) -> PlayerQuerySet:
    """Filter to the players of a club found by words of a name; without a text, all of them."""
    return Player.objects.present().filter(club=club).matching(text, directs=directs)


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
    return [_player_game(row) for row in some if row[4] or row[3] in RULESETS]


def game_at_seat(row: Game, seat: int) -> PlayerGame:
    """Return a game as seen from a seat; its round, if any, is loaded with it."""
    document = row.document or {}
    event = row.table and row.table.round.event
    keys = (event.season_id, event.pk) if event else (None, None)
    house = document.get("family"), document.get("sides")
    return _player_game((row.pk, row.played_at, seat, row.ruleset, *house, *keys, row.result))


def _player_game(row: tuple[Any, ...]) -> PlayerGame:
    """Return a game as seen from a seat, of the columns that `games_at` reads."""
    pk, at, seat, ruleset, family, sides, season, event, result = row
    house = bool(family)
    # A document omits default values.
    sides = (sides or FOUR) if house else RULESETS[ruleset].sides
    family = family or RULESETS[ruleset].family
    head = (pk, at, seat, ruleset, family, sides, house, season, event)
    if result is None:
        return PlayerGame(*head)
    side = sides[seat]
    details: list[Any] = []
    # A game whose entries contradict each other keeps the result of an earlier version.
    badges, contracts = result.get("badges", {}), result.get("contracts", {})
    for name, seats in contracts.items():
        details.append(name)
        details += seats[seat]
    return PlayerGame(
        *head,
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


@dataclass(slots=True)
class PlayerSums:
    """Sums over the finished games of a player.

    `places` counts by number of sides and place; `met` has the opponents by key, if they were read.
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
    met: dict[int, Meeting] = field(default_factory=dict)


def add_up(games: Iterable[PlayerGame]) -> PlayerSums:
    """Return the sums of the finished games; of equally good (or bad) games the first counts."""
    sums = PlayerSums()
    best: Points = 0
    worst: Points = 0
    for game in games:
        if not game.finished:
            continue
        points = game.points
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
        # The latest game comes first.
        if sums.best is None or points >= best:
            sums.best, best = game, points
        if sums.worst is None or points <= worst:
            sums.worst, worst = game, points
    return sums


def meetings(
    games: Iterable[PlayerGame], beside: Iterable[tuple[int, int, int]]
) -> dict[int, Meeting]:
    finished = {game.pk: game for game in games if game.finished}
    met: dict[int, Meeting] = {}
    for pk, seat, player in beside:
        game = finished.get(pk)
        if game is None:
            continue
        if (meeting := met.get(player)) is None:
            meeting = met[player] = Meeting(player)
        side, other, ranks = game.side, game.sides[seat], game.ranks
        if side == other:
            meeting.together += 1
            meeting.together_won += ranks[side] == 1
        elif ranks[side] < ranks[other]:
            meeting.above += 1
        elif ranks[side] > ranks[other]:
            meeting.below += 1
        else:
            meeting.level += 1
    return met


MOST_OPPONENTS = 50
"""The most that a search among opponents finds, including players never met."""


def meetings_with(
    found: PlayerQuerySet, met: Mapping[int, Meeting]
) -> tuple[dict[int, Meeting], bool]:
    """Return the meetings with players found by name, and whether there are more (1 query)."""
    rows = list(found.order_by("name_key").values_list("pk", "name")[: MOST_OPPONENTS + 1])
    keys = [pk for pk, _name in sorted(rows, key=lambda row: name_order(row[1]))]
    meetings = {pk: met.get(pk) or Meeting(pk) for pk in keys[:MOST_OPPONENTS]}
    return meetings, len(keys) > MOST_OPPONENTS


def compare(
    games: Iterable[PlayerGame], beside: Iterable[tuple[int, int, int]]
) -> dict[str, Points]:
    """Return the sums of both over the finished games in which they were no pair."""
    seats = {pk: seat for pk, seat, _player in beside}
    sums: dict[str, Points] = dict.fromkeys(
        ("games", "points", "other_points", "places", "other_places"), 0
    )
    for game in games:
        seat = seats.get(game.pk)
        if seat is None or not game.finished or game.sides[seat] == game.side:
            continue
        sums["games"] += 1
        sums["points"] += game.points
        sums["other_points"] += game.points_of(seat)
        sums["places"] += game.place
        sums["other_places"] += game.place_of(seat)
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


def rating_row(rows: Sequence[PlayerRating], family: str) -> PlayerRating | None:
    return next((r for r in rows if r.pool.club_id and r.pool.family == family), None)


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
    board = CurrentRatings(rating.pool, now, active=True, provisional=False)
    place = board.place(rating)
    return None if place is None else (place[0], board.ranks.total)


def rating_details(own: PlayerRating, rows: Iterable[PlayerRating], at: datetime) -> dict[str, Any]:
    """Return a player's rating in the club, and in the same family on the server (2 queries).

    `rank` is that on the club's leaderboard of `ranked` players, None for unranked players.
    """
    family = own.pool.family
    everywhere = [r for r in rows if r.pool.club_id is None and r.pool.family == family]
    rank, ranked = rank_of(own, at) or (None, 0)
    return {
        "now": displayed(rating_at(own, at)),
        "on_server": displayed(rating_at(everywhere[-1], at)) if everywhere else None,
        "games": own.games,
        "rank": rank,
        "ranked": ranked,
    }


def head_to_head(
    player: Player, other: Player, games: Sequence[PlayerGame], family: str, at: datetime
) -> dict[str, Any]:
    """Compare two players over `games` of both, with the `seats` of the other (3 queries).

    The chance, in hundredths, to end `above` the other is by the ratings of today; None unless both
    are rated in the family, or in any if there is none.
    """
    seats = seats_beside(player, other)
    own, theirs = ratings_of(player), ratings_of(other)
    family = family or family_of_both(own, theirs)
    rows = [row for row in (rating_row(own, family), rating_row(theirs, family)) if row is not None]
    chance = None
    if len(rows) == 2:
        ratings = [rating_at(row, at) for row in rows]
        above = round(100 * chance_above(ratings[:1], ratings[1:]))
        chance = {"above": above, "own": displayed(ratings[0]), "other": displayed(ratings[1])}
    return {
        "seats": seats,
        "meeting": meetings(games, seats).get(other.pk) or Meeting(other.pk),
        "compared": compare(games, seats),
        "chance": chance,
    }


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


EVENT = "game__table__round__event"
COUNTED = ("games", "points", "won", "out", "sunk", "kings")
SETTLED = timedelta(days=2)
"""Sums of an event are kept from so long after its day on: few of its games change then."""

YEARS = 2
"""The years, with this one, that have parts of their own; all before are one part."""

ONE_GAME = 10_000

FORM = 1
"""Raise it when `write_history` writes something else: sums kept before are then computed again."""


@dataclass(slots=True)
class HistoryPart:
    """The games of one family, season and time, published or not; unfinished ones included.

    `key` is empty for those that still change: the sums of these are not kept. `rulesets` maps each
    ruleset, and whether it is a house's, to its newest game.
    """

    key: str
    family: str
    season: int | None
    games: int = 0
    checksum: int = 0
    events: set[int] = field(default_factory=set)
    rulesets: dict[tuple[str, bool], int] = field(default_factory=dict)


def parts_of(seats: QuerySet[Seat], today: date) -> tuple[list[HistoryPart], int]:
    """Return the games at seats of one player in parts, the latest first (1 query).

    With the number of all seats: games of cancelled tournaments, and of rulesets that no longer
    exist, are in no part.
    """
    fields = ("held_on", "season_id", "published", "tournament__state", "tournament__cancelled_at")
    rows = (
        seats.order_by(f"-{EVENT}__held_on", f"-{EVENT}_id")
        .values_list(
            f"{EVENT}_id",
            *(f"{EVENT}__{name}" for name in fields),
            *("game__ruleset", "game__document__family"),
        )
        .annotate(
            games=Count("pk"),
            last=Max("game_id"),
            checksum=Sum(F("game_id") * (F("game__revision") + ONE_GAME) + F("number")),
        )
    )
    parts: dict[tuple[str, int | None, str], HistoryPart] = {}
    number = 0
    for event, day, season, published, state, cancelled, ruleset, house, *sums in rows:
        games, last, checksum = sums
        number += games
        if cancelled or (house is None and ruleset not in RULESETS):
            continue
        family = house or RULESETS[ruleset].family
        settled = day <= today - SETTLED and state != Tournament.State.RUNNING
        year = max(day.year, today.year - YEARS)
        key = f"{family} {season or ''} {year} {'published' * published}" if settled else ""
        part = parts.get((family, season, key))
        if part is None:
            part = parts[family, season, key] = HistoryPart(key, family, season)
        part.games += games
        part.checksum += checksum
        part.events.add(event)
        newest = part.rulesets.get((ruleset, house is not None), 0)
        part.rulesets[ruleset, house is not None] = max(newest, last)
    return list(parts.values()), number


def version_of(player: Player, parts: Iterable[HistoryPart]) -> dict[str, str]:
    """Return the version of each part that can be kept (1 query).

    Writing on a sheet or moving a seat changes the sum over the games. Merging changes only seats,
    those of opponents too, so any merge in the club changes all versions.
    """
    # Joined to the players, SQLite reads them all where hardly any are merged.
    in_club = Player.objects.filter(pk=OuterRef("kept"), club=player.club_id)
    merged = Merge.objects.filter(Exists(in_club))
    merges, undone = merged.aggregate(made=Count("pk"), undone=Count("undone_at")).values()
    return {part.key: f"{FORM} {part.checksum} {merges} {undone}" for part in parts if part.key}


class Newest(NamedTuple):
    pk: int
    ruleset: str
    house: bool


def newest_of(parts: Iterable[HistoryPart]) -> list[Newest]:
    """Return the newest game of each ruleset, the latest first."""
    found: dict[tuple[str, bool], int] = {}
    for part in parts:
        for key, pk in part.rulesets.items():
            found[key] = max(pk, found.get(key, 0))
    return sorted((Newest(pk, *key) for key, pk in found.items()), reverse=True)


def limited_seats(seats: QuerySet[Seat], family: str, season: int | None) -> QuerySet[Seat]:
    """Filter to those of a family and, if given, a season that count."""
    rulesets = [name for name, rules in RULESETS.items() if rules.family == family]
    of_family = Q(game__document__isnull=True, game__ruleset__in=rulesets)
    rows = counted(seats).filter(of_family | Q(game__document__family=family))
    return rows if season is None else rows.filter(**{f"{EVENT}__season": season})


class ListedGames:
    """The games at a player's seats, the latest first: a slice is a list of (game key, seat)."""

    def __init__(self, seats: QuerySet[Seat], number: int) -> None:
        self.seats, self.number = seats, number

    def __len__(self) -> int:
        return self.number

    def __getitem__(self, wanted: slice) -> list[tuple[int, int]]:
        """Read some (1 query)."""
        rows = self.seats.order_by("-game__played_at", "-game_id")
        return list(rows.values_list("game_id", "number")[wanted])

    def keys(self) -> set[int]:
        return set(self.seats.values_list("game_id", flat=True))


# The sums of parts.


def read_histories(
    player: Player, seats: QuerySet[Seat], parts: Sequence[HistoryPart]
) -> list[tuple[HistoryPart, PlayerSums]]:
    """Read the games of parts and add them up (2 queries)."""
    at = {(event, part.family): n for n, part in enumerate(parts) for event in part.events}
    games: list[list[PlayerGame]] = [[] for _ in parts]
    beside: list[list[tuple[int, int, int]]] = [[] for _ in parts]
    events = {event for event, _family in at}
    part_of: dict[int, int] = {}
    few = sum(part.games for part in parts) <= AT_ONCE
    for game in games_at(seats.filter(**{f"{EVENT}__in": events}), few=few):
        number = at.get((game.event or 0, game.family))
        if number is not None:
            games[number].append(game)
            part_of[game.pk] = number
    for seat in seats_beside(player, games=part_of):
        beside[part_of[seat[0]]].append(seat)
    found = []
    for part, own, others in zip(parts, games, beside, strict=True):
        sums = add_up(own)
        sums.met = meetings(own, others)
        found.append((part, sums))
    return found


MET = ("above", "level", "below", "together", "together_won")
EARNED = ("declared", "declared_points", "others", "others_points")


def add_histories(histories: Iterable[PlayerSums]) -> PlayerSums:
    """Return the sums of all; of equally good (or bad) games the first counts."""
    total = PlayerSums()
    for sums in histories:
        _add(total, sums, COUNTED)
        total.places.update(sums.places)
        total.badges.update(sums.badges)
        for contract, earned in sums.contracts.items():
            _add(total.contracts.setdefault(contract, Contracted()), earned, EARNED)
        total.best = _first(total.best, sums.best, 1)
        total.worst = _first(total.worst, sums.worst, -1)
        for player, meeting in sums.met.items():
            _add(total.met.setdefault(player, Meeting(player)), meeting, MET)
    return total


def _add(total: object, more: object, names: Iterable[str]) -> None:
    for name in names:
        setattr(total, name, getattr(total, name) + getattr(more, name))


def _first(one: PlayerGame | None, other: PlayerGame | None, sign: int) -> PlayerGame | None:
    """Return the game with more points (fewer with sign -1), the earlier one if they are equal."""
    if one is None or other is None:
        return one or other
    return min(one, other, key=lambda game: (-sign * game.points, game.at, game.pk))


# As JSON.


def write_history(sums: PlayerSums) -> dict[str, Any]:
    return {
        **{name: write_points(getattr(sums, name)) for name in COUNTED},
        "places": [[*key, number] for key, number in sums.places.items()],
        "badges": dict(sums.badges),
        "contracts": {
            name: [write_points(getattr(earned, each)) for each in EARNED]
            for name, earned in sums.contracts.items()
        },
        "best": _write_game(sums.best),
        "worst": _write_game(sums.worst),
        "met": {
            str(player): [getattr(meeting, name) for name in MET]
            for player, meeting in sums.met.items()
        },
    }


def read_history(kept: Mapping[str, Any]) -> PlayerSums:
    """Return what `write_history` has written; the games are without contracts and badges."""
    sums = PlayerSums(*(_points(kept[name]) for name in COUNTED))  # type: ignore[arg-type]
    for sides, place, number in kept["places"]:
        sums.places[sides, place] = number
    sums.badges.update(kept["badges"])
    for name, earned in kept["contracts"].items():
        sums.contracts[name] = Contracted(*map(_points, earned))  # type: ignore[arg-type]
    sums.best, sums.worst = _read_game(kept["best"]), _read_game(kept["worst"])
    sums.met = {int(pk): Meeting(int(pk), *numbers) for pk, numbers in kept["met"].items()}
    return sums


GAME = ("seat", "ruleset", "family", "house", "season", "event")


def _write_game(game: PlayerGame | None) -> list[Any] | None:
    if game is None:
        return None
    lists = list(game.sides), list(game.ranks), list(game.totals)
    return [game.pk, game.at.isoformat(), *(getattr(game, name) for name in GAME), *lists]


def _read_game(kept: list[Any] | None) -> PlayerGame | None:
    if kept is None:
        return None
    pk, at, seat, ruleset, family, house, season, event, sides, ranks, totals = kept
    head = (pk, datetime.fromisoformat(at), seat, ruleset, family, sides, house, season, event)
    return PlayerGame(*head, ranks, totals)


def _points(written: object) -> Points:
    return number_of(written) or 0
