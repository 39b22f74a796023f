from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tournaments.engine.ratings.ratings import Rating
from tournaments.queries.leaderboards import COLUMNS, MOST_DOTS, MOST_ROWS, draw_curve
from tournaments.queries.players import RatingStep
from tournaments.queries.ratings import shown

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


@settings(max_examples=60, deadline=None)
@given(games, st.one_of(st.none(), st.integers(0, 50_000)))
def test_curve_is_inside_its_drawing_and_goes_from_left_to_right(drawn, hours):
    steps = course(*drawn)
    until = None if hours is None else steps[-1].at + timedelta(hours=hours)

    curve = draw_curve(steps, until)

    line, band = places(curve.line), places(curve.band)
    assert [x for x, _y in line] == sorted(x for x, _y in line)
    assert len(band) == 2 * len(line)
    assert len(line) <= 2 * (COLUMNS + 1) + 2
    for x, y in [*line, *band, *curve.dots, curve.end]:
        assert curve.left <= x <= curve.right
        assert 0 <= y <= curve.bottom
    upper, lower = band[: len(line)], band[len(line) :][::-1]
    assert all(u[1] < m[1] < v[1] for u, m, v in zip(upper, line, lower, strict=True))
    assert len(curve.dots) == (len(steps) if len(steps) <= MOST_DOTS else 0)
    assert 1 <= len(curve.dates) <= 6
    assert all(curve.left <= date.at <= curve.right for date in curve.dates)
    assert [row.games for row in curve.rows] == [1] * len(steps) or curve.by_months
    assert sum(row.games for row in curve.rows) == len(steps)
    assert curve.rows[0].rating == shown(steps[-1].after)


def test_band_widens_in_a_break_and_after_the_last_game():
    curve = draw_curve(course([0, 24, 24 * 300], [10, 10, 10]), START + timedelta(days=900))
    half = len(places(curve.line))
    band = places(curve.band)
    widths = [band[2 * half - 1 - n][1] - band[n][1] for n in range(half)]

    _first, second, before_third, third, today = widths[-5:]
    assert second < before_third > third < today


def test_table_is_by_months_where_there_are_many_games():
    steps = course([24 * 5] * (MOST_ROWS + 1), [3] * (MOST_ROWS + 1))

    curve = draw_curve(steps, None)

    assert curve.by_months
    assert [row.games for row in curve.rows] == [2, 6, 6, 6, 5]
    assert sum(row.change for row in curve.rows) == pytest.approx(3 * len(steps), abs=3)
    assert not draw_curve(steps[1:], None).by_months


def test_without_a_game_there_is_no_curve():
    assert draw_curve([], START) is None
