"""What ratings have come to, and how many of them show which points."""

from collections.abc import Iterator
from typing import Any

from django.db.models import Count

from tournaments.models import PlayerRating, RatingChange, RatingPool
from tournaments.queries.ratings import month_of, shown_points
from tournaments.services.checking.caches import Found, Looked
from tournaments.services.checking.moment import one_moment
from tournaments.services.checking.pending import load_pending
from tournaments.services.ratings.pools import last_changes

AT_ONCE = 1000


def look_at_ratings(after: int | None) -> Looked:
    """Compare ratings with the last of their changes."""
    with one_moment():
        pending = load_pending()
        rows = PlayerRating.objects.filter(pk__gt=after or 0).order_by("pk")
        ratings = list(rows.select_related("pool")[:AT_ONCE])
        keys = [row.pk for row in ratings]
        changes = last_changes(PlayerRating.objects.filter(pk__in=keys))
        last = {change.rating_id: change for change in changes}
    found = tuple(
        Found(row.pool.club_id, f"{row.pool}, {row.person}", _stored(row), computed)
        for row in ratings
        if _stored(row) != (computed := _computed(row, last.get(row.pk)))
        and not pending.covers(row.pool.club_id, row.last_at)
    )
    return Looked(len(ratings), found, keys[-1] if len(keys) == AT_ONCE else None)


def _stored(row: PlayerRating) -> list[Any]:
    shown = row.points, row.month, row.provisional
    return [row.mean, row.variance, row.games, row.last_at.isoformat(), row.player_id, *shown]


def _computed(row: PlayerRating, change: RatingChange | None) -> list[Any] | None:
    """What a rating is after its last change; None where there is none."""
    if change is None:
        return None
    player = getattr(change, "player", None) or row.player_id
    rating, at = change.after, change.at
    shown = shown_points(rating), month_of(at), rating.provisional
    return [*rating, change.number, at.isoformat(), player, *shown]


def look_at_counts(after: int | None) -> Looked:
    """Compare how many ratings of a pool show what with the ratings: one pool at a time."""
    with one_moment():
        pools = RatingPool.objects.order_by("pk")
        pool = pools.filter(pk__gt=after or 0).first()
        if pool is None:
            return Looked(0, (), None)
        found = tuple(_look_at_pool(pool))
    return Looked(1, found, pool.pk)


def _look_at_pool(pool: RatingPool) -> Iterator[Found]:
    shown = ("points", "month", "provisional")
    ratings = pool.ratings.order_by().values_list(*shown)
    computed = {tuple(key): number for *key, number in ratings.annotate(number=Count("pk"))}
    rows = pool.counts.values_list(*shown, "ratings")
    stored = {tuple(key): number for *key, number in rows}
    if not computed:
        yield Found(pool.club_id, f"{pool}", "nobody is in it", None)
    for key in sorted(computed.keys() | stored.keys()):
        if computed.get(key) != stored.get(key):
            points, month, provisional = key
            row = f"{pool}, {points} points, month {month}{', provisional' * provisional}"
            yield Found(pool.club_id, row, stored.get(key), computed.get(key))
