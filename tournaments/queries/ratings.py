"""Ratings as shown, the lists behind leaderboards, predictions, and how they came out.

`CurrentRatings` and `SeasonRatings` have the same methods: `queries.leaderboards` reads its pages
from either. `outlooks` predicts a seated round, `seats_rated` shows what a finished game changed.
"""

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from operator import itemgetter, neg
from typing import Any, NamedTuple

from django.db.models import Avg, Count, F, OuterRef, Q, QuerySet, Subquery, Window
from django.db.models.functions import Abs, FirstValue, RowNumber

from tournaments.engine.ratings.ratings import (
    Accuracy,
    Foretold,
    Rating,
    accuracy_of,
    expected_places,
    expected_scores,
    half_places,
    newcomer,
    scores_of,
)
from tournaments.models import (
    Club,
    Entrant,
    Game,
    PlayerRating,
    RatedRound,
    RatingChange,
    RatingPool,
    Season,
    Seat,
    Tournament,
    Visitor,
)
from tournaments.models.people import PlayerQuerySet
from tournaments.models.ratings import RatingPoolQuerySet
from tournaments.queries.state import SeatedRound, TournamentState, rules_of_tournament

DAY = 86400.0


@dataclass(frozen=True, slots=True)
class DisplayedRating:
    """A rating for a page: in 19 of 20 cases the strength is within `within` of `points`."""

    points: int
    within: int
    provisional: bool


def displayed_points(rating: Rating) -> int:
    """Return a rating in whole points, as shown and ranked."""
    return int(rating.mean + 0.5)


def displayed(rating: Rating) -> DisplayedRating:
    return DisplayedRating(
        displayed_points(rating), round(2 * rating.deviation), rating.provisional
    )


def rating_at(row: PlayerRating, at: datetime) -> Rating:
    """Return a rating at a time after its last game: its deviation grows with time."""
    return row.rating.rested((at - row.last_at).total_seconds() / DAY)


def games_in(spreads: Mapping[str, Sequence[float]]) -> int:
    """Return how many games the stored spreads of a pool's scores were measured from."""
    return int(sum(games for games, _squares in spreads.values()))


def month_of(at: datetime) -> int:
    """Return a consecutive number for a month in UTC."""
    return at.year * 12 + at.month - 1


class LastChange(NamedTuple):
    """The last change of a rating, given by its key; `player` is who sat there."""

    rating: int
    mean: float
    variance: float
    number: int
    at: datetime
    player: int | None


def last_changes(
    ratings: QuerySet[PlayerRating], before: datetime | None = None
) -> list[LastChange]:
    """Return the last change of each rating that has one (1 query)."""
    last = RatingChange.objects.filter(rating=OuterRef("pk")).order_by("-number")
    if before is not None:
        last = last.filter(at__lt=before)
    # Joined: for keys of two columns from a subquery, Django lets SQLite read all changes.
    rows = ratings.filter(changes__number=Subquery(last.values("number")[:1])).order_by()
    seat = Seat.objects.filter(game=OuterRef("changes__game"), number=OuterRef("changes__seat"))
    fields = (f"changes__{name}" for name in ("mean", "variance", "number", "at"))
    return [
        LastChange(*row) for row in rows.values_list("pk", *fields, Subquery(seat.values("player")))
    ]


ACTIVE_MONTHS = 6
"""A player is active with a game in this month or the five before."""

CHANGE_DAYS = 30
"""Days over which the change of a rating is measured."""

MOST_FOUND = 100
"""Most results of a search: for each one, rows that do not match have to be read, too."""


@dataclass(frozen=True)
class Ranks:
    """How many ratings of a list have which points.

    `points` has each value that occurs, the highest first; `above` the number with more than each.
    """

    points: tuple[int, ...]
    above: tuple[int, ...]
    total: int

    @staticmethod
    def of(counted: Iterable[tuple[int, int]]) -> "Ranks":
        """Build from pairs of points and their count, the highest points first."""
        rows = list(counted)
        *above, total = accumulate(map(itemgetter(1), rows), initial=0)
        return Ranks(tuple(points for points, _number in rows), tuple(above), total)

    def rank(self, points: int) -> int:
        """Return the rank, from 1, for these points; equal points share a rank."""
        index = bisect_left(self.points, -points, key=neg)
        return 1 + (self.above[index] if index < len(self.above) else self.total)

    def start(self, offset: int) -> tuple[int, int]:
        """Return the points after `offset` ratings, and how many with these points come before."""
        index = bisect_right(self.above, offset) - 1
        return self.points[index], offset - self.above[index]


@dataclass(frozen=True)
class Line:
    """A line of a leaderboard; `earlier` are the points that the change is measured from.

    `earlier` is None for anybody who had played no game then.
    """

    rank: int
    row: PlayerRating
    rating: DisplayedRating
    games: int
    earlier: int | None

    @property
    def change(self) -> int | None:
        return None if self.earlier is None else self.rating.points - self.earlier


@dataclass(frozen=True)
class CurrentRatings:
    """The ratings of a pool today, the highest first.

    `active` leaves out players without a recent game, `provisional=False` those not settled yet.
    """

    pool: RatingPool
    now: datetime
    active: bool = False
    provisional: bool = True

    @cached_property
    def ranks(self) -> Ranks:
        """Count the ranks (1 query)."""
        rows = PlayerRating.objects.filter(pool=self.pool, **self._limits)
        counted = rows.values_list("points").annotate(number=Count("pk")).order_by("-points")
        return Ranks.of(counted)

    def keys(self, first: int, size: int) -> list[int]:
        """Return the keys of `size` ratings after the `first` ones, read from that position."""
        if first >= self.ranks.total:
            return []
        points, skipped = self.ranks.start(first)
        keys = self._ratings.filter(points__lte=points).values_list("pk", flat=True)
        return list(keys[skipped : skipped + size])

    def keys_of_players(self, players: PlayerQuerySet) -> list[int]:
        """Return the keys of the ratings of some players, at most one more than are shown."""
        keys = self._ratings.filter(player__in=players).values_list("pk", flat=True)
        return list(keys[: MOST_FOUND + 1])

    def place(self, row: PlayerRating) -> tuple[int, int] | None:
        """Return the rank of a rating and how many lines come before it (1 query), or None."""
        if (row.provisional and not self.provisional) or (self.active and self.rests(row)):
            return None
        rank = self.ranks.rank(row.points)
        return rank, rank - 1 + self._ratings.filter(points=row.points, pk__lt=row.pk).count()

    def rests(self, row: PlayerRating) -> bool:
        """Return whether the player has had no game lately (`ACTIVE_MONTHS`)."""
        return row.month < self._first_month

    def lines(self, keys: Sequence[int]) -> list[Line]:
        """Return the lines of some ratings in their order, with the change in 30 days (1 query).

        Their deviation is the current one; the list itself goes by the last game.
        """
        then = self.now - timedelta(days=CHANGE_DAYS)
        earlier = RatingChange.objects.filter(rating=OuterRef("pk"), at__lt=then)
        last = Subquery(earlier.order_by("-number").values("mean")[:1])
        rows = PlayerRating.objects.filter(pk__in=keys).select_related("player__club")
        found: dict[int, Any] = {row.pk: row for row in rows.annotate(earlier=last)}
        lines = []
        for row in (found[pk] for pk in keys if pk in found):
            before = None if row.earlier is None else displayed_points(Rating(row.earlier))
            rating = displayed(rating_at(row, self.now))
            lines.append(Line(self.ranks.rank(row.points), row, rating, row.games, before))
        return lines

    @property
    def _ratings(self) -> QuerySet[PlayerRating]:
        rows = PlayerRating.objects.filter(pool=self.pool, **self._limits)
        return rows.order_by("-points", "pk")

    @property
    def _first_month(self) -> int:
        return month_of(self.now) - ACTIVE_MONTHS + 1

    @property
    def _limits(self) -> dict[str, Any]:
        limits: dict[str, Any] = {"month__gte": self._first_month} if self.active else {}
        return limits if self.provisional else {**limits, "provisional": False}


def pools_with_ratings(pools: RatingPoolQuerySet) -> list[RatingPool]:
    """Filter to the pools that have ratings, the most played first (1 query)."""
    last = RatedRound.objects.filter(pool=OuterRef("pk")).order_by("-at", "-round_id")
    ratings = PlayerRating.objects.filter(pool=OuterRef("pk")).order_by("-points")
    rows = pools.annotate(
        spreads=Subquery(last.values("spreads")[:1]),
        # Not Exists, for which PostgreSQL reads the ratings of all pools.
        rated=Subquery(ratings.values("pk")[:1]),
    )
    # The type checker does not see the annotations.
    found: list[Any] = list(rows.order_by("family"))
    rated = (row for row in found if row.rated is not None)
    return sorted(rated, key=lambda row: -games_in(row.spreads or {}))


def has_ratings(club: Club | None) -> bool:
    return PlayerRating.objects.filter(pool__club=club).exists()


def rating_of_account(pool: RatingPool, account: int) -> PlayerRating | None:
    """Return the rating in a pool of the player that an account has claimed (1 query)."""
    rows = PlayerRating.objects.filter(pool=pool, player__account=account)
    return rows.order_by("-last_at", "pk").first()


@dataclass(frozen=True)
class Stand:
    """A person's rating after their last game in a season; `rating` and `player` are keys."""

    rating: int
    player: int
    after: DisplayedRating
    games: int
    # Points before their first game in the season; None if they had played none before.
    before: int | None


@dataclass(frozen=True)
class SeasonRatings:
    """The ratings of a pool after a season's last games; only of those who played in it."""

    pool: RatingPool
    season: Season
    provisional: bool = True

    @cached_property
    def stands(self) -> list[Stand]:
        """Return the whole list, the highest first (1 query)."""
        stands = []
        for pk, player, *after, games, first, began in self._last_changes():
            rating = displayed(Rating(*after))
            if self.provisional or not rating.provisional:
                before = None if first == 1 else displayed_points(Rating(began))
                stands.append(Stand(pk, player, rating, games, before))
        return sorted(stands, key=lambda each: (-each.after.points, each.rating))

    @cached_property
    def ranks(self) -> Ranks:
        counted = Counter(each.after.points for each in self.stands)
        return Ranks.of(sorted(counted.items(), reverse=True))

    @property
    def best(self) -> list[Stand]:
        """Return the first of the list, all if they are equal; empty without any."""
        return [each for each in self.stands if each.after.points == self.stands[0].after.points]

    def keys(self, first: int, size: int) -> list[int]:
        """Return the keys of `size` ratings after the `first` ones."""
        return [each.rating for each in self.stands[first : first + size]]

    def keys_of_players(self, players: PlayerQuerySet) -> list[int]:
        """Return the keys of the ratings of some players, at most one more than are shown."""
        rows = PlayerRating.objects.filter(pool=self.pool, player__in=players)
        found = set(rows.values_list("pk", flat=True))
        return [each.rating for each in self.stands if each.rating in found][: MOST_FOUND + 1]

    def place(self, row: PlayerRating) -> tuple[int, int] | None:
        """Return the rank of a rating and the number of lines before it; None if not listed."""
        for before, each in enumerate(self.stands):
            if each.rating == row.pk:
                return self.ranks.rank(each.after.points), before
        return None

    def lines(self, keys: Sequence[int]) -> list[Line]:
        """Return the lines of some ratings, in their order (1 query)."""
        stands = {each.rating: each for each in self.stands}
        rows = PlayerRating.objects.select_related("player__club").in_bulk(keys)
        lines = []
        for pk in keys:
            if pk in rows:
                stand = stands[pk]
                rank = self.ranks.rank(stand.after.points)
                lines.append(Line(rank, rows[pk], stand.after, stand.games, stand.before))
        return lines

    def _last_changes(self) -> "QuerySet[RatingChange, tuple[Any, ...]]":
        """Query each rating's last change in the season, with its first change and their number."""

        def of_each(what: Any, order: Any = None) -> Window:
            return Window(what, partition_by=F("rating"), order_by=order)

        changes = RatingChange.objects.filter(
            rating__pool=self.pool, game__table__round__event__season=self.season
        )
        changes = changes.annotate(
            from_last=of_each(RowNumber(), F("number").desc()),
            games_in_season=of_each(Count("pk")),
            first=of_each(FirstValue("number"), F("number").asc()),
            began=of_each(FirstValue("mean_before"), F("number").asc()),
        )
        last = changes.filter(from_last=1).order_by()
        keys = ("rating_id", "rating__player_id")
        after = ("mean", "variance", "rating__start")
        return last.values_list(*keys, *after, "games_in_season", "first", "began")


OF_ITS_CLUB = Q(rating__pool__club=F("game__table__round__event__club"))
"""Changes of the club's own rating; the same game also changes that of the server."""


@dataclass(frozen=True, slots=True)
class Outlook:
    """The prediction for an entrant at a table: rating and average place.

    `rating` is None for a house player; `new` is set for anybody not rated yet.
    """

    rating: DisplayedRating | None
    new: bool
    place: float


def outlooks(
    state: TournamentState, seated_round: SeatedRound, visitor: Visitor, at: datetime
) -> dict[str, Outlook]:
    """Return the prediction for each seated entrant, by key (1 query, and 1 for substitutes).

    Tables with fewer than two known ratings have none. Neither do visitors who may not see the
    club's ratings.
    """
    keys = [key for table in seated_round.tables for key in table.entrants if key in state.entrants]
    players = {
        key: [
            player.pk for player in state.players_of(state.entrants[key], seated_round.row.number)
        ]
        for key in keys
    }
    seated = [pk for those in players.values() for pk in those]
    known = _known(state.tournament, seated, visitor, at)
    sides = {key: _Side.of(state.entrants[key], players[key], known) for key in keys}
    found: dict[str, Outlook] = {}
    for table in seated_round.tables:
        at_table = [(key, sides[key]) for key in table.entrants if key in sides]
        if sum(bool(side.known) for _key, side in at_table) < 2:
            continue
        ratings = [rating for _key, side in at_table for rating in side.ratings]
        numbers = [n for n, (_key, side) in enumerate(at_table) for _rating in side.ratings]
        places = expected_places(ratings, numbers)
        for (key, side), place in zip(at_table, places, strict=True):
            found[key] = Outlook(side.average, not side.known and not side.house, place)
    return found


def ratings_of_entrants(
    tournament: Tournament, entrants: Sequence[Entrant], visitor: Visitor, at: datetime
) -> dict[str, DisplayedRating]:
    """Return the club ratings of entrants, by key; entrants without one are left out (1 query)."""
    players = {each.key: [player.pk for player in each.players] for each in entrants}
    known = _known(tournament, [pk for those in players.values() for pk in those], visitor, at)
    sides = {each.key: _Side.of(each, players[each.key], known) for each in entrants}
    return {key: rating for key, side in sides.items() if side.known and (rating := side.average)}


def _known(
    tournament: Tournament, players: Sequence[int], visitor: Visitor, at: datetime
) -> dict[int, Rating]:
    family, pools = rules_of_tournament(tournament).family, RatingPool.objects.seen_by(visitor)
    rows = PlayerRating.objects.filter(
        pool__in=pools.filter(club=tournament.event.club_id, family=family),
        person__in=[f"p{pk}" for pk in players],
    )
    return {int(row.person[1:]): rating_at(row, at) for row in rows}


def _newcomer_among(ratings: Iterable[Rating]) -> Rating:
    return next((newcomer(rating.start) for rating in ratings), Rating())


@dataclass(frozen=True, slots=True)
class _Side:
    """A side of a table: the ratings of its players, and which of them are known."""

    ratings: tuple[Rating, ...]
    known: tuple[Rating, ...]
    house: bool

    @classmethod
    def of(cls, entrant: Entrant, players: Sequence[int], known: Mapping[int, Rating]) -> "_Side":
        # As in the rating of games, a house player counts as a newcomer.
        if entrant.house:
            return cls((_newcomer_among(known.values()),) * len(players), (), house=True)
        unknown = _newcomer_among(known.values())
        ratings = tuple(known.get(player, unknown) for player in players)
        return cls(ratings, tuple(known[pk] for pk in players if pk in known), house=False)

    @property
    def average(self) -> DisplayedRating | None:
        if self.house:
            return None
        size = len(self.ratings)
        mean = sum(rating.mean for rating in self.ratings) / size
        variance = sum(rating.variance for rating in self.ratings) / size**2
        details = displayed(Rating(mean, variance))
        unsure = any(rating.provisional for rating in self.ratings)
        return DisplayedRating(details.points, details.within, unsure)


def seats_rated(
    row: Game, sides: Sequence[int], ranks: Sequence[int], visitor: Visitor
) -> list[dict[str, Any]]:
    """Return the rating changes of a game in its club, per seat (2 queries).

    A guest, who has no rating, has only places: the average one `expected` for the side, and the
    actual one. `more` are the points of the side beyond those expected, and in a game that counts
    half places `worth` is what its place is worth beyond that; both are None where the game was
    rated by an earlier version, or points do not follow from the sheet, as after a King.
    Empty if the game is not rated or the visitor may not see it. `sides` are per seat, `ranks` per
    side.
    """
    changes = RatingChange.objects.filter(
        OF_ITS_CLUB, game=row, rating__pool__in=RatingPool.objects.seen_by(visitor)
    )
    by_seat = {change.seat: change for change in changes.select_related("rating")}
    if not by_seat:
        return []
    one = next(iter(by_seat.values())).rating
    unknown = newcomer(one.start)
    before = [by_seat[seat].before if seat in by_seat else unknown for seat in range(len(sides))]
    expected = expected_places(before, sides)
    beyond = _beyond_expected(row, ranks, one.pool_id, before, sides)
    found = []
    for seat, side in enumerate(sides):
        rated: dict[str, Any] = {"before": None, "after": None, "change": 0}
        if (change := by_seat.get(seat)) is not None:
            rated = {"before": displayed(change.before), "after": displayed(change.after)}
            rated["change"] = rated["after"].points - rated["before"].points
        more, worth = beyond[side] if beyond else (None, None)
        rated |= {"expected": expected[side], "place": ranks[side], "more": more, "worth": worth}
        found.append(rated)
    return found


def _beyond_expected(
    row: Game, ranks: Sequence[int], pool: int, before: Sequence[Rating], sides: Sequence[int]
) -> list[tuple[float, float | None]]:
    """Return for each side its points and what its place is worth, less what was expected."""
    rounds = RatedRound.objects.filter(pool=pool, round__tables__games=row)
    unit, *width = (rounds.values_list("units", flat=True).first() or {}).get(str(row.pk), [0.0])
    totals = [Fraction(total) for total in (row.result or {}).get("totals", ())]
    if not unit or not totals:
        return []
    points, mean = scores_of(totals, ranks), sum(totals) / len(totals)
    # After a King the points that count are not those of the sheet.
    if any(abs(score - total + mean) > 0.01 for score, total in zip(points, totals, strict=True)):
        return []
    scores, places = half_places(points, ranks, *width) if width else (points, [])
    expected = expected_scores(before, sides, scores, unit)
    more = [one - other for one, other in zip(points, expected, strict=True)]
    if not width:
        return [(one, None) for one in more]
    worth = [one - other for one, other in zip(places, expected, strict=True)]
    return list(zip(more, worth, strict=True))


def is_to_be_rated(row: Game, visitor: Visitor) -> bool:
    """Return whether closing the round will rate the game, visibly to the visitor (1 query)."""
    games = Game.objects.filter(
        Q(table__round__event__tournament__isnull=False)
        | Q(table__round__event__club__rates_evenings=True),
        pk=row.pk,
        table__round__closed_at=None,
        table__round__event__tournament__cancelled_at=None,
        table__round__event__club__in=Club.objects.showing_ratings_to(visitor),
    )
    # A player whose opponents are all guests is not rated.
    return games.annotate(known=Count("seats")).filter(known__gte=2).exists()


def accuracy_of_tournament(row: Tournament, visitor: Visitor, *, directs: bool) -> Accuracy:
    """Return how well the club's ratings predicted the places so far (2 queries).

    During a tournament only to its directors.
    """
    finished = row.state == Tournament.State.FINISHED
    if not finished and not (directs and row.state == Tournament.State.RUNNING):
        return Accuracy()
    changes = RatingChange.objects.filter(
        OF_ITS_CLUB,
        game__table__round__event=row.event_id,
        rating__pool__in=RatingPool.objects.seen_by(visitor),
    )
    before: dict[int, dict[int, Rating]] = defaultdict(dict)
    fields = ("game_id", "seat", "mean_before", "variance_before", "rating__start")
    for game, seat, *rating in changes.order_by().values_list(*fields):
        before[game][seat] = Rating(*rating)
    if not before:
        return Accuracy()
    games = Game.objects.filter(table__round__event=row.event_id, result__isnull=False)
    sides = tuple(rules_of_tournament(row).sides)
    foretold = []
    for pk, ranks in games.order_by().values_list("pk", "result__ranks"):
        if (known := before.get(pk)) is not None:
            unknown = _newcomer_among(known.values())
            ratings = [known.get(seat, unknown) for seat in range(len(sides))]
            rated = {sides[seat] for seat in known}
            counts = [side in rated for side in range(len(ranks))]
            foretold.append(Foretold(ratings=ratings, sides=sides, ranks=ranks, counts=counts))
    return accuracy_of(foretold)


FIRST_GAMES = 10
"""The calibration page shows how far each of a player's first games moves the rating."""


def first_moves(pool: RatingPool) -> list[float]:
    """Return by how many points each of a player's first games moves the rating, on average."""
    changes = RatingChange.objects.filter(rating__pool=pool, number__lte=FIRST_GAMES).order_by()
    moves = changes.values_list("number").annotate(moved=Avg(Abs(F("mean") - F("mean_before"))))
    return [moved for _number, moved in moves.order_by("number")]
