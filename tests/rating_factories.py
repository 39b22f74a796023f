import factory
from factory.django import DjangoModelFactory

from tests.club_factories import ClubFactory, PlayerFactory, RoundFactory
from tests.factories import EVENING, GameFactory
from tournaments.models import PlayerRating, RatedRound, RatingChange, RatingPool


class RatingPoolFactory(DjangoModelFactory):
    """A pool of a club; `club=None` for one of the whole server."""

    class Meta:
        model = RatingPool

    club = factory.SubFactory(ClubFactory)
    family = "turkish-king"


class PlayerRatingFactory(DjangoModelFactory):
    class Meta:
        model = PlayerRating

    pool = factory.SubFactory(RatingPoolFactory)
    player = factory.SubFactory(PlayerFactory)
    person = factory.LazyAttribute(lambda o: f"p{o.player.pk}")
    mean = 1512.0
    variance = 90.0**2
    games = 1
    last_at = EVENING
    points = 1512
    month = EVENING.year * 12 + EVENING.month - 1
    provisional = True


class RatingChangeFactory(DjangoModelFactory):
    class Meta:
        model = RatingChange

    rating = factory.SubFactory(PlayerRatingFactory)
    game = factory.SubFactory(GameFactory)
    seat = 0
    number = 1
    at = EVENING
    mean_before = 1500.0
    variance_before = 120.0**2
    mean = 1512.0
    variance = 90.0**2


class RatedRoundFactory(DjangoModelFactory):
    class Meta:
        model = RatedRound

    pool = factory.SubFactory(RatingPoolFactory)
    round = factory.SubFactory(RoundFactory, closed_at=EVENING)
    at = EVENING
    spreads = factory.LazyFunction(dict)
