"""What the database refuses of ratings, by the name of the constraint."""

from tests.club_factories import ClubFactory, RoundFactory
from tests.factories import GameFactory
from tests.rating_factories import (
    PlayerRatingFactory,
    RatedRoundFactory,
    RatingChangeFactory,
    RatingCountFactory,
    RatingPoolFactory,
)
from tournaments.models import RatingLedger


def two(factory, **same):
    """Two rows that share what is given."""
    factory(**same)
    factory(**same)


RATINGS_REFUSED = {
    "rating_pool_one_per_club": [
        lambda: two(RatingPoolFactory, club=ClubFactory(), family="euchre")
    ],
    "rating_pool_one_of_server": [lambda: two(RatingPoolFactory, club=None, family="euchre")],
    "rating_pool_has_a_family": [lambda: RatingPoolFactory(family="")],
    "rating_one_per_person": [
        lambda: two(PlayerRatingFactory, pool=RatingPoolFactory(), person="p1")
    ],
    "rating_after_a_game": [lambda: PlayerRatingFactory(games=0)],
    "rating_never_certain": [lambda: PlayerRatingFactory(variance=0.0)],
    "rating_change_numbered": [
        lambda: two(RatingChangeFactory, rating=PlayerRatingFactory(), number=1)
    ],
    "rating_change_one_per_game": [
        lambda: [
            RatingChangeFactory(rating=rating, game=game, number=number)
            for rating, game in [(PlayerRatingFactory(), GameFactory())]
            for number in (1, 2)
        ]
    ],
    "rating_change_at_a_seat": [lambda: RatingChangeFactory(seat=4)],
    "rating_change_from_one": [lambda: RatingChangeFactory(number=0)],
    "rated_round_once": [
        lambda: two(RatedRoundFactory, pool=RatingPoolFactory(), round=RoundFactory())
    ],
    "rating_count_once": [lambda: two(RatingCountFactory, pool=RatingPoolFactory())],
    "rating_count_of_some": [lambda: RatingCountFactory(ratings=0)],
    "rating_ledger_is_one": [lambda: RatingLedger.objects.create(pk=2)],
}
