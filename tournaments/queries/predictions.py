"""Predictions of ratings, and how they came out."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Avg, Count, F, Q
from django.db.models.functions import Abs

from tournaments.engine.ratings.ratings import (
    Accuracy,
    Foretold,
    Rating,
    accuracy_of,
    expected_places,
    newcomer,
)
from tournaments.models import (
    Club,
    Entrant,
    Game,
    PlayerRating,
    RatingChange,
    RatingPool,
    Tournament,
    Visitor,
)
from tournaments.queries.ratings import ShownRating, rating_at, shown, shown_points
from tournaments.queries.state import (
    DrawnTable,
    SeatedRound,
    TournamentState,
    rules_of_tournament,
)

OF_ITS_CLUB = Q(rating__pool__club=F("game__table__round__event__club"))


@dataclass(frozen=True, slots=True)
class Outlook:
    """The prediction for an entrant at a table: rating and average place.

    `rating` is None for a house player; `new` is set for anybody not rated yet.
    """

    rating: ShownRating | None
    new: bool
    place: float


@dataclass(frozen=True, slots=True)
class SeatRated:
    """The rating change at a seat; for a guest, who has no rating, only the places.

    `expected` is the average place predicted for the side, `place` the actual one.
    """

    before: ShownRating | None
    after: ShownRating | None
    change: int
    expected: float
    place: int


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
        found |= _outlooks_at(table, sides)
    return found


def ratings_of_entrants(
    tournament: Tournament, entrants: Sequence[Entrant], visitor: Visitor, at: datetime
) -> dict[str, ShownRating]:
    """Return the club ratings of entrants, by key; entrants without one are left out (1 query)."""
    players = {each.key: [player.pk for player in each.players] for each in entrants}
    known = _known(tournament, [pk for those in players.values() for pk in those], visitor, at)
    sides = {each.key: _Side.of(each, players[each.key], known) for each in entrants}
    return {key: rating for key, side in sides.items() if side.known and (rating := side.shown)}


def _known(
    tournament: Tournament, players: Sequence[int], visitor: Visitor, at: datetime
) -> dict[int, Rating]:
    """Return the players' ratings in the club at a time, by key, as far as the visitor may see."""
    family, pools = rules_of_tournament(tournament).family, RatingPool.objects.seen_by(visitor)
    rows = PlayerRating.objects.filter(
        pool__in=pools.filter(club=tournament.event.club_id, family=family),
        person__in=[f"p{pk}" for pk in players],
    )
    return {int(row.person[1:]): rating_at(row, at) for row in rows}


def _newcomer_among(ratings: Iterable[Rating]) -> Rating:
    """Return the rating of an unknown player in the pool of these ratings."""
    return next((newcomer(rating.start) for rating in ratings), Rating())


@dataclass(frozen=True, slots=True)
class _Side:
    """A side of a table: the ratings of its players, and which of them are known."""

    ratings: tuple[Rating, ...]
    known: tuple[Rating, ...]
    house: bool

    @classmethod
    def of(cls, entrant: Entrant, players: Sequence[int], known: Mapping[int, Rating]) -> "_Side":
        """Return the side of an entrant with these players."""
        # As in the rating of games, a house player counts as a newcomer.
        if entrant.house:
            return cls((_newcomer_among(known.values()),) * len(players), (), house=True)
        unknown = _newcomer_among(known.values())
        ratings = tuple(known.get(player, unknown) for player in players)
        return cls(ratings, tuple(known[pk] for pk in players if pk in known), house=False)

    @property
    def shown(self) -> ShownRating | None:
        """Return the average rating of the side's players."""
        if self.house:
            return None
        size = len(self.ratings)
        mean = sum(rating.mean for rating in self.ratings) / size
        variance = sum(rating.variance for rating in self.ratings) / size**2
        details = shown(Rating(mean, variance))
        unsure = any(rating.provisional for rating in self.ratings)
        return ShownRating(details.points, details.within, unsure)


def _outlooks_at(table: DrawnTable, sides: Mapping[str, _Side]) -> dict[str, Outlook]:
    at_table = [(key, sides[key]) for key in table.entrants if key in sides]
    if sum(bool(side.known) for _key, side in at_table) < 2:
        return {}
    ratings = [rating for _key, side in at_table for rating in side.ratings]
    numbers = [n for n, (_key, side) in enumerate(at_table) for _rating in side.ratings]
    places = expected_places(ratings, numbers)
    return {
        key: Outlook(side.shown, not side.known and not side.house, place)
        for (key, side), place in zip(at_table, places, strict=True)
    }


def seats_rated(
    row: Game, sides: Sequence[int], ranks: Sequence[int], visitor: Visitor
) -> list[SeatRated]:
    """Return the rating changes of a game in its club, per seat (1 query).

    Empty if the game is not rated or the visitor may not see it. `sides` are per seat, `ranks` per
    side.
    """
    changes = RatingChange.objects.filter(
        OF_ITS_CLUB, game=row, rating__pool__in=RatingPool.objects.seen_by(visitor)
    )
    by_seat = {change.seat: change for change in changes.select_related("rating")}
    if not by_seat:
        return []
    seats = range(len(sides))
    unknown = newcomer(next(iter(by_seat.values())).rating.start)
    before = [by_seat[seat].before if seat in by_seat else unknown for seat in seats]
    expected = expected_places(before, sides)
    return [
        _seat_rated(by_seat.get(seat), expected[side], ranks[side])
        for seat, side in enumerate(sides)
    ]


def _seat_rated(change: RatingChange | None, expected: float, place: int) -> SeatRated:
    if change is None:
        return SeatRated(None, None, 0, expected, place)
    moved = shown_points(change.after) - shown_points(change.before)
    return SeatRated(shown(change.before), shown(change.after), moved, expected, place)


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


def accuracy_told(row: Tournament, visitor: Visitor, *, directs: bool) -> Accuracy:
    """Return `accuracy_in`; during a tournament only to its directors."""
    finished = row.state == Tournament.State.FINISHED
    if not finished and not (directs and row.state == Tournament.State.RUNNING):
        return Accuracy()
    return accuracy_in(row, visitor)


def accuracy_in(tournament: Tournament, visitor: Visitor) -> Accuracy:
    """Return how well the club's ratings predicted the places so far (2 queries)."""
    changes = RatingChange.objects.filter(
        OF_ITS_CLUB,
        game__table__round__event=tournament.event_id,
        rating__pool__in=RatingPool.objects.seen_by(visitor),
    )
    before: dict[int, dict[int, Rating]] = defaultdict(dict)
    fields = ("game_id", "seat", "mean_before", "variance_before", "rating__start")
    for game, seat, *rating in changes.order_by().values_list(*fields):
        before[game][seat] = Rating(*rating)
    if not before:
        return Accuracy()
    games = Game.objects.filter(
        table__round__event=tournament.event_id, result__isnull=False
    ).values_list("pk", "result__ranks")
    sides = tuple(rules_of_tournament(tournament).sides)
    return accuracy_of(
        _foretold(sides, ranks, before[pk]) for pk, ranks in games.order_by() if pk in before
    )


def _foretold(sides: Sequence[int], ranks: Sequence[int], before: Mapping[int, Rating]) -> Foretold:
    unknown = _newcomer_among(before.values())
    return Foretold(
        ratings=[before.get(seat, unknown) for seat in range(len(sides))],
        sides=sides,
        ranks=ranks,
        counts=[
            any(seat in before for seat, of in enumerate(sides) if of == side)
            for side in range(len(ranks))
        ],
    )


FIRST_GAMES = 10


def first_moves(pool: RatingPool) -> list[float]:
    """Return by how many points each of a player's first games moves the rating, on average."""
    changes = RatingChange.objects.filter(rating__pool=pool, number__lte=FIRST_GAMES).order_by()
    moves = changes.values_list("number").annotate(moved=Avg(Abs(F("mean") - F("mean_before"))))
    return [moved for _number, moved in moves.order_by("number")]
