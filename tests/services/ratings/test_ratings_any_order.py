"""Whatever happens in whatever order, ratings end as their games make them, to the last digit."""

import pytest

from tests.services.ratings.rating_world import World, check_everything
from tournaments.services.ratings.computing import differing_ratings, sweep_ratings

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("seed", range(8))
def test_ratings_are_what_the_games_make_of_them_whatever_happened(seed):
    world = World(seed)
    sweep_ratings()
    for _ in range(40):
        world.happen()

    sweep_ratings()

    check_everything()
    assert differing_ratings() == []
