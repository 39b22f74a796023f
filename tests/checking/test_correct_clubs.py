"""Clubs in which everything is right, however they came to be: no cache is found to differ."""

import pytest

from tests.services.ratings.rating_world import World
from tests.services.tournaments.whole_tournament import GAMES, whole_tournament
from tournaments.models import PlayerRating, RatingChange
from tournaments.services.checking import folded_names, rating_rows, rating_sums, sheets
from tournaments.services.checking.all_caches import look_at_all
from tournaments.services.ratings.computing import sweep_ratings

pytestmark = pytest.mark.django_db


def differing():
    return [(cache.name, found) for cache, found in look_at_all()]


@pytest.mark.parametrize("ruleset", GAMES)
def test_whole_tournament_has_no_differences(ruleset):
    whole_tournament(ruleset)
    assert differing() == []
    sweep_ratings()
    assert differing() == []


def test_nothing_differs_whatever_happened_in_any_order(monkeypatch):
    # Many small heaps, so that rounds of one moment and followers of a change lie at their ends.
    monkeypatch.setattr(rating_rows, "ROUNDS_AT_ONCE", 2)
    for module in (sheets, folded_names, rating_sums):
        monkeypatch.setattr(module, "AT_ONCE", 3)
    world = World(7)
    for number in range(60):
        world.happen()
        if number % 10 == 9:
            # What waits to be rated is not wrong, neither before nor after it was.
            assert differing() == []
    sweep_ratings()
    assert differing() == []

    # One wrong value is told where it is and where the next change begins, not in all after it.
    last, wrong = PlayerRating.objects.order_by("-games")[0].changes.order_by("-number")[:2]
    RatingChange.objects.filter(pk=wrong.pk).update(mean=wrong.mean + 1e-9)
    assert {found.subject.split(", ")[1] for _cache, found in differing()} == {
        f"game {wrong.game_id}",
        f"game {last.game_id}",
    }
