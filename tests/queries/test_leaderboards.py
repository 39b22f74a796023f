from collections import Counter
from datetime import UTC, datetime, timedelta
from random import Random

import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from tests.club_factories import PlayerFactory
from tests.rating_factories import RatingPoolFactory
from tests.web.ratings.ratings_world import MONTH, rated
from tournaments.engine.ratings.ratings import Rating
from tournaments.queries.leaderboards import COLUMNS, MOST_DOTS, MOST_ROWS, draw_curve
from tournaments.queries.players import RatingStep
from tournaments.queries.ratings import CurrentRatings, Ranks, displayed

START = datetime(2026, 1, 3, 20, 0, tzinfo=UTC)


def course(gaps, moves):
    """Steps at so many hours from each other, each of so many points, with breaks between."""
    steps, rating, at = [], Rating(), START
    for number, (gap, move) in enumerate(zip(gaps, moves, strict=True)):
        at += timedelta(hours=gap)
        before = rating.rested(gap / 24)
        rating = Rating(before.mean + move, before.variance * 0.9)
        steps.append(RatingStep(number, at, before, rating))
    return steps


def places(points):
    return [tuple(map(float, pair.split(","))) for pair in points.split()]


games = st.integers(1, 80).flatmap(
    lambda n: st.tuples(
        st.lists(st.integers(0, 5000), min_size=n, max_size=n),
        st.lists(st.floats(-150, 150), min_size=n, max_size=n),
    )
)


@given(games, st.one_of(st.none(), st.integers(0, 50_000)))
def test_curve_is_inside_its_drawing_and_goes_from_left_to_right(drawn, hours):
    steps = course(*drawn)
    until = None if hours is None else steps[-1].at + timedelta(hours=hours)

    curve = draw_curve(steps, until)

    line, band = places(curve["line"]), places(curve["band"])
    assert [x for x, _y in line] == sorted(x for x, _y in line)
    assert len(band) == 2 * len(line)
    assert len(line) <= 2 * (COLUMNS + 1) + 2
    for x, y in [*line, *band, *curve["dots"], curve["end"]]:
        assert curve["left"] <= x <= curve["right"]
        assert 0 <= y <= curve["bottom"]
    upper, lower = band[: len(line)], band[len(line) :][::-1]
    assert all(u[1] < m[1] < v[1] for u, m, v in zip(upper, line, lower, strict=True))
    assert len(curve["dots"]) == (len(steps) if len(steps) <= MOST_DOTS else 0)
    assert 1 <= len(curve["dates"]) <= 6
    assert all(curve["left"] <= date["at"] <= curve["right"] for date in curve["dates"])
    assert [row["games"] for row in curve["rows"]] == [1] * len(steps) or curve["by_months"]
    assert sum(row["games"] for row in curve["rows"]) == len(steps)
    assert curve["rows"][0]["rating"] == displayed(steps[-1].after)


def test_band_widens_in_a_break_and_after_the_last_game():
    curve = draw_curve(course([0, 24, 24 * 300], [10, 10, 10]), START + timedelta(days=900))
    half = len(places(curve["line"]))
    band = places(curve["band"])
    widths = [band[2 * half - 1 - n][1] - band[n][1] for n in range(half)]

    _first, second, before_third, third, today = widths[-5:]
    assert second < before_third > third < today


def test_table_is_by_months_where_there_are_many_games():
    steps = course([24 * 5] * (MOST_ROWS + 1), [3] * (MOST_ROWS + 1))

    curve = draw_curve(steps, None)

    assert curve["by_months"]
    assert [row["games"] for row in curve["rows"]] == [2, 6, 6, 6, 5]
    assert sum(row["change"] for row in curve["rows"]) == pytest.approx(3 * len(steps), abs=3)
    assert not draw_curve(steps[1:], None)["by_months"]


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

    listed = CurrentRatings(pool, timezone.now(), active=active, provisional=provisional)

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
