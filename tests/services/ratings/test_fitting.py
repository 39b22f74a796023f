from datetime import timedelta

import pytest

from tests.club_factories import ClubFactory
from tests.deals import NAMES, deal
from tests.factories import EVENING
from tests.services.ratings.rating_world import STOPPED, check_everything, evening
from tournaments.engine.ratings.ratings import START_VARIANCE
from tournaments.models import PlayerRating, RatingDue, RatingPool
from tournaments.services.checks.nights import look_at_all
from tournaments.services.ratings import fitting
from tournaments.services.ratings.computing import differing_ratings, sweep_ratings
from tournaments.services.ratings.fitting import fit_pools

pytestmark = pytest.mark.django_db

NIGHT = EVENING + timedelta(days=60)
CLEAR = deal("no-tricks", 0, 2, 4, 7)
CLOSE = deal("no-tricks", 2, 3, 4, 4)


@pytest.fixture
def pool(monkeypatch):
    """A pool of four whose games always end the same; it is fitted from its 24th game on."""
    monkeypatch.setattr(fitting, "FROM_GAMES", 24)
    club = ClubFactory(rates_evenings=True)
    for day in range(23):
        evening(club, CLEAR, STOPPED, players=NAMES, day=day)
    sweep_ratings()
    return RatingPool.objects.get()


def test_pool_with_enough_games_gets_constants_and_new_ratings(pool):
    assert fit_pools(NIGHT) == 0
    evening(pool.club, CLOSE, STOPPED, players=NAMES, day=23)
    sweep_ratings()

    assert fit_pools(NIGHT) == 1

    pool.refresh_from_db()
    assert (pool.version, pool.fitted_at, pool.fitted_games) == (1, NIGHT, 24)
    assert pool.start > 2 * START_VARIANCE
    assert sum(pairs for pairs, *_ in pool.calibration["bins"]) == 6 * 24
    assert list(look_at_all()) == []
    sweep_ratings()
    assert not RatingDue.objects.exists()
    assert set(PlayerRating.objects.values_list("start", flat=True)) == {pool.start}
    check_everything()
    assert differing_ratings() == []
    assert list(look_at_all()) == []


def test_constants_stay_without_new_games_and_when_new_ones_tell_the_same(pool, monkeypatch):
    monkeypatch.setattr(fitting, "FROM_GAMES", 20)
    fit_pools(NIGHT)
    sweep_ratings()

    assert fit_pools(NIGHT) == 0
    evening(pool.club, CLEAR, STOPPED, players=NAMES, day=23)
    sweep_ratings()
    assert fit_pools(NIGHT) == 0

    pool.refresh_from_db()
    assert (pool.version, pool.fitted_games) == (1, 24)
    check_everything()
