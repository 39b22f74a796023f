from collections import Counter
from random import Random

import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from tests.club_factories import PlayerFactory
from tests.rating_factories import RatingPoolFactory
from tests.web.ratings.ratings_world import MONTH, counted, rated
from tournaments.queries.ratings import Listed, Ranks


@given(st.lists(st.integers(-20, 20), min_size=1))
def test_ranks_are_one_more_than_those_with_more_points(points):
    ranks = Ranks.of(sorted(Counter(points).items(), reverse=True))

    for asked in range(-21, 22):
        assert ranks.rank(asked) == 1 + sum(other > asked for other in points)
    in_order = sorted(points, reverse=True)
    assert ranks.total == len(points)
    for offset, wanted in enumerate(in_order):
        assert ranks.start(offset) == (wanted, offset - in_order.index(wanted))


@pytest.mark.django_db
@pytest.mark.parametrize("active", [True, False])
@pytest.mark.parametrize("provisional", [True, False])
def test_pages_of_any_size_are_the_sorted_list(active, provisional):
    chance = Random(f"{active} {provisional}")
    pool, another = RatingPoolFactory(club=None), RatingPoolFactory()
    players = PlayerFactory.create_batch(60, club=another.club)
    rows = [
        rated(
            pool,
            chance.choice((1480, 1499, 1500, 1501, 1530)),
            player=player,
            month=MONTH - chance.randrange(9),
            provisional=chance.random() < 0.4,
        )
        for player in players
    ]
    rated(another, 1500, player=players[0])
    counted()

    listed = Listed(pool, timezone.now(), active=active, provisional=provisional)

    on_it = [
        row
        for row in rows
        if (provisional or not row.provisional) and (row.month > MONTH - 6 or not active)
    ]
    on_it.sort(key=lambda row: (-row.points, row.pk))
    places = [
        (1 + sum(other.points > row.points for other in on_it), before)
        for before, row in enumerate(on_it)
    ]
    for size in (1, 7, 60):
        pages = [listed.keys(first, size) for first in range(0, len(on_it) + size, size)]
        assert [key for page in pages for key in page] == [row.pk for row in on_it]
    assert [listed.place(row) for row in on_it] == places
    assert [line.rank for line in listed.lines([row.pk for row in on_it])] == [
        rank for rank, _ in places
    ]
    assert {listed.place(row) for row in rows if row not in on_it} <= {None}
