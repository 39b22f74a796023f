"""Reads: what ratings expect of a table, what a game has changed, and how well they told it."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, F, Q

from tournaments.engine.predictions import Accuracy, Foretold, accuracy_of
from tournaments.engine.ratings import Rating, expected_places
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
from tournaments.queries.tournaments import Course, Drawn, DrawnTable, rules_of_tournament

OF_ITS_CLUB = Q(rating__pool__club=F("game__table__round__event__club"))


@dataclass(frozen=True, slots=True)
class Outlook:
    """What is expected of an entrant at a table: the rating, and the place on average.

    `rating` is None of a house player, and `new` of whoever has not been rated yet.
    """

    rating: ShownRating | None
    new: bool
    place: float


@dataclass(frozen=True, slots=True)
class SeatRated:
    """What a game has changed at a seat; of a guest, who has no rating, only the places.

    `expected` is the place of the side on average before the game, `place` the one it took.
    """

    before: ShownRating | None
    after: ShownRating | None
    change: int
    expected: float
    place: int


def outlooks(course: Course, drawn: Drawn, visitor: Visitor, at: datetime) -> dict[str, Outlook]:
    """What is expected of everybody seated in a round, by key (1 query, and 1 for substitutes).

    Nothing of tables with fewer than two whose rating is known, nor for those who may not see
    the club's ratings.
    """
    keys = [key for table in drawn.tables for key in table.entrants if key in course.entrants]
    players = {
        key: [player.pk for player in course.players_of(course.entrants[key], drawn.row.number)]
        for key in keys
    }
    seated = [pk for those in players.values() for pk in those]
    known = _known(course.tournament, seated, visitor, at)
    sides = {key: _Side.of(course.entrants[key], players[key], known) for key in keys}
    found: dict[str, Outlook] = {}
    for table in drawn.tables:
        found |= _outlooks_at(table, sides)
    return found


def ratings_of_entrants(
    tournament: Tournament, entrants: Sequence[Entrant], visitor: Visitor, at: datetime
) -> dict[str, ShownRating]:
    """The ratings of entrants in the club, by key; without those who have none (1 query)."""
    players = {each.key: [player.pk for player in each.players] for each in entrants}
    known = _known(tournament, [pk for those in players.values() for pk in those], visitor, at)
    sides = {each.key: _Side.of(each, players[each.key], known) for each in entrants}
    return {key: rating for key, side in sides.items() if side.known and (rating := side.shown)}


def _known(
    tournament: Tournament, players: Sequence[int], visitor: Visitor, at: datetime
) -> dict[int, Rating]:
    """The ratings that players have in the club at a moment, by key, as far as a visitor sees."""
    family, pools = rules_of_tournament(tournament).family, RatingPool.objects.seen_by(visitor)
    rows = PlayerRating.objects.filter(
        pool__in=pools.filter(club=tournament.event.club_id, family=family),
        person__in=[f"p{pk}" for pk in players],
    )
    return {int(row.person[1:]): rating_at(row, at) for row in rows}


@dataclass(frozen=True, slots=True)
class _Side:
    """A side of a table: the ratings it plays with, and which of them are known."""

    ratings: tuple[Rating, ...]
    known: tuple[Rating, ...]
    house: bool

    @classmethod
    def of(cls, entrant: Entrant, players: Sequence[int], known: Mapping[int, Rating]) -> "_Side":
        """The side of an entrant for whom these play."""
        # As they are rated: who fills up a table is met as a newcomer.
        if entrant.house:
            return cls((Rating(),) * len(players), (), house=True)
        ratings = tuple(known.get(player, Rating()) for player in players)
        return cls(ratings, tuple(known[pk] for pk in players if pk in known), house=False)

    @property
    def shown(self) -> ShownRating | None:
        """The rating of the side: that of its players on average."""
        if self.house:
            return None
        size = len(self.ratings)
        mean = sum(rating.mean for rating in self.ratings) / size
        variance = sum(rating.variance for rating in self.ratings) / size**2
        told = shown(Rating(mean, variance))
        unsure = any(rating.provisional for rating in self.ratings)
        return ShownRating(told.points, told.within, unsure)


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
    """What a game has changed in the ratings of its club, per seat (1 query).

    Empty where it is not rated, or the visitor may not see it. `sides` are per seat, `ranks`
    per side.
    """
    changes = RatingChange.objects.filter(
        OF_ITS_CLUB, game=row, rating__pool__in=RatingPool.objects.seen_by(visitor)
    )
    by_seat = {change.seat: change for change in changes}
    if not by_seat:
        return []
    seats = range(len(sides))
    before = [by_seat[seat].before if seat in by_seat else Rating() for seat in seats]
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
    """Whether a game will be rated once its round is closed, for who will see it (1 query)."""
    games = Game.objects.filter(
        Q(table__round__event__tournament__isnull=False)
        | Q(table__round__event__club__rates_evenings=True),
        pk=row.pk,
        table__round__closed_at=None,
        table__round__event__club__in=Club.objects.showing_ratings_to(visitor),
    )
    # Who plays against guests only is not rated.
    return games.annotate(known=Count("seats")).filter(known__gte=2).exists()


def accuracy_told(row: Tournament, visitor: Visitor, *, directs: bool) -> Accuracy:
    """As `accuracy_in`; while a tournament is played its directors alone are told anything."""
    finished = row.state == Tournament.State.FINISHED
    if not finished and not (directs and row.state == Tournament.State.RUNNING):
        return Accuracy()
    return accuracy_in(row, visitor)


def accuracy_in(tournament: Tournament, visitor: Visitor) -> Accuracy:
    """How well the club's ratings told the places in a tournament so far (2 queries)."""
    changes = RatingChange.objects.filter(
        OF_ITS_CLUB,
        game__table__round__event=tournament.event_id,
        rating__pool__in=RatingPool.objects.seen_by(visitor),
    )
    before: dict[int, dict[int, Rating]] = defaultdict(dict)
    fields = ("game_id", "seat", "mean_before", "variance_before")
    for game, seat, mean, variance in changes.order_by().values_list(*fields):
        before[game][seat] = Rating(mean, variance)
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
    return Foretold(
        ratings=[before.get(seat, Rating()) for seat in range(len(sides))],
        sides=sides,
        ranks=ranks,
        counts=[
            any(seat in before for seat, of in enumerate(sides) if of == side)
            for side in range(len(ranks))
        ],
    )
