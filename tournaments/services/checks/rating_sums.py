"""Current ratings, and the number of ratings by points shown."""

from collections.abc import Iterator
from typing import Any

from django.db.models import Count

from tournaments.engine.ratings.ratings import Rating
from tournaments.models import PlayerRating, RatingPool
from tournaments.queries.ratings.ratings import LastChange, last_changes, month_of, shown_points
from tournaments.services.base.moment import one_moment
from tournaments.services.checks.caches import Mismatch, ScanResult, batches_of
from tournaments.services.checks.rating_rows import load_pending

AT_ONCE = 1000


def look_at_ratings() -> Iterator[ScanResult]:
    """Compare ratings with the last of their changes."""
    for keys in batches_of(PlayerRating.objects.all(), AT_ONCE):
        with one_moment():
            pending = load_pending()
            rows = PlayerRating.objects.filter(pk__in=keys)
            ratings = list(rows.order_by("pk").select_related("pool"))
            last = {change.rating: change for change in last_changes(rows)}
        found = tuple(
            Mismatch(row.pool.club_id, f"{row.pool}, {row.person}", _stored(row), computed)
            for row in ratings
            if _stored(row) != (computed := _computed(row, last.get(row.pk)))
            and not pending.covers(row.pool.club_id, row.last_at)
        )
        yield ScanResult(len(ratings), found)


def _stored(row: PlayerRating) -> list[Any]:
    shown = row.points, row.month, row.provisional
    return [
        row.mean,
        row.variance,
        row.start,
        row.games,
        row.last_at.isoformat(),
        row.player_id,
        *shown,
    ]


def _computed(row: PlayerRating, change: LastChange | None) -> list[Any] | None:
    """Return the values of a rating after its last change; None if it has none."""
    if change is None:
        return None
    player = change.player or row.player_id
    rating, at = Rating(change.mean, change.variance, row.pool.start), change.at
    shown = shown_points(rating), month_of(at), rating.provisional
    return [*rating, change.number, at.isoformat(), player, *shown]


def look_at_counts() -> Iterator[ScanResult]:
    """Compare the counts of shown ratings with the ratings, one pool at a time."""
    for keys in batches_of(RatingPool.objects.all(), 1):
        with one_moment():
            pools = RatingPool.objects.filter(pk__in=keys)
            found = tuple(each for pool in pools for each in _look_at_pool(pool))
        yield ScanResult(1, found)


def _look_at_pool(pool: RatingPool) -> Iterator[Mismatch]:
    shown = ("points", "month", "provisional")
    ratings = pool.ratings.order_by().values_list(*shown)
    computed = {tuple(key): number for *key, number in ratings.annotate(number=Count("pk"))}
    rows = pool.counts.values_list(*shown, "ratings")
    stored = {tuple(key): number for *key, number in rows}
    if not computed:
        yield Mismatch(pool.club_id, f"{pool}", "nobody is in it", None)
    for key in sorted(computed.keys() | stored.keys()):
        if computed.get(key) != stored.get(key):
            points, month, provisional = key
            row = f"{pool}, {points} points, month {month}{', provisional' * provisional}"
            yield Mismatch(pool.club_id, row, stored.get(key), computed.get(key))
