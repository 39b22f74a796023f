"""Each kind of cache made wrong on purpose is found, named, and made right again."""

from datetime import timedelta

import pytest
from django.db import transaction
from django.db.models import F

from tests.club_factories import PlayerFactory, TableFactory
from tests.deals import WHOLE_GAME
from tests.factories import GameFactory
from tests.kept_sums import keep_sums
from tests.services.tournaments.whole_tournament import whole_tournament
from tournaments.models import (
    Club,
    Game,
    KeptSums,
    Player,
    PlayerRating,
    RatedRound,
    RatingChange,
    RatingCount,
    RatingPool,
    Round,
)
from tournaments.services.checks.nights import look_at_all, repair
from tournaments.services.ratings.computing import rebuild_ratings

pytestmark = pytest.mark.django_db


@pytest.fixture
def club():
    whole_tournament()
    Club.objects.update(in_server_ratings=True)
    TableFactory(round__event__club=Club.objects.get(), entries=WHOLE_GAME)
    rebuild_ratings()
    for player in Player.objects.all()[:2]:
        keep_sums(player)
    return Club.objects.get()


def spoil(rows, **fields):
    rows.model.objects.filter(pk=rows.order_by("pk")[0].pk).update(**fields)


def a_change():
    return RatingChange.objects.filter(rating__pool__club__isnull=False).order_by("pk")


def change_gone():
    a_change()[0].delete()


def change_too_many():
    row = a_change().first()
    row.game, row.number = GameFactory(entries=WHOLE_GAME), 99
    row.save()


def change_twice_at_a_seat():
    row = a_change().first()
    row.rating, row.number = PlayerRating.objects.order_by("-pk")[0], 99
    row.save()


def other_spreads():
    row = RatedRound.objects.order_by("pk")[0]
    spoil(RatedRound.objects, spreads={name: [1, 2.0] for name in row.spreads})


def other_standings():
    row = Round.objects.get(standings__isnull=False)
    (key, (place, points)), *others = row.standings.items()
    # Later than anything was done, which a correction would not be.
    later = row.closed_at + timedelta(days=1)
    told = {**dict(others), key: [place, "1/2" if points == 1 else 1]}
    Round.objects.filter(pk=row.pk).update(standings=told, closed_at=later)


def other_sums():
    row = KeptSums.objects.order_by("pk")[0]
    spoil(KeptSums.objects, sums={**row.sums, "met": {}})


def finished():
    return Game.objects.filter(result__isnull=False)


def other_points():
    spoil(finished(), result={**finished().order_by("pk")[0].result, "totals": [30, -10, -10, -10]})


WRONG = {
    "points": (other_points, {"results", "rating-changes"}),
    "result gone": (lambda: spoil(finished(), result=None), {"results", "rating-changes"}),
    "revision": (lambda: spoil(finished(), revision=1), {"revisions", "results"}),
    "kept standings": (other_standings, {"standings", "round-digests"}),
    "name in a head": (
        lambda: spoil(finished(), players=["A", "B", "C", "D"]),
        {"names-on-sheets"},
    ),
    "folded name": (lambda: spoil(Player.objects, name_key="x"), {"folded-names"}),
    "searched name": (lambda: spoil(Player.objects, search_key="x"), {"folded-names"}),
    "sums of a player": (other_sums, {"player-sums"}),
    "mean": (lambda: spoil(a_change(), mean=F("mean") + 1e-9), {"rating-changes", "ratings"}),
    "mean before": (
        lambda: spoil(a_change(), mean_before=F("mean_before") + 1e-9),
        {"rating-changes"},
    ),
    "time": (
        lambda: spoil(a_change(), at=F("at") + timedelta(days=1)),
        {"rating-changes", "ratings"},
    ),
    "seat": (
        lambda: spoil(a_change(), seat=3 - a_change().first().seat),
        {"rating-changes", "ratings"},
    ),
    "number": (lambda: spoil(a_change(), number=99), {"rating-changes", "ratings"}),
    "change gone": (change_gone, {"rating-changes", "ratings"}),
    "change too many": (change_too_many, {"rating-changes", "ratings"}),
    "change twice at a seat": (change_twice_at_a_seat, {"rating-changes", "ratings"}),
    "spreads": (other_spreads, {"rating-changes"}),
    "round not rated": (lambda: RatedRound.objects.first().delete(), {"rating-changes"}),
    "rating": (lambda: spoil(PlayerRating.objects, mean=1), {"ratings"}),
    "points shown": (lambda: spoil(PlayerRating.objects, points=1), {"ratings", "rating-counts"}),
    "player shown": (
        lambda: spoil(PlayerRating.objects, player=PlayerFactory(club=Club.objects.get())),
        {"ratings"},
    ),
    "count": (lambda: spoil(RatingCount.objects, ratings=9), {"rating-counts"}),
    "count gone": (lambda: RatingCount.objects.first().delete(), {"rating-counts"}),
    "empty pool": (
        lambda: RatingPool.objects.create(club=Club.objects.get(), family="krapet"),
        {"rating-counts"},
    ),
}


def names(differing):
    return frozenset(cache.name for cache, _found in differing)


def test_every_kind_of_wrong_cache_is_found_and_made_right(club):
    found, left = {}, {}
    for caches in {frozenset(caches): None for _do, caches in WRONG.values()}:
        alike = {kind: do for kind, (do, wrong) in WRONG.items() if wrong == caches}
        savepoint = transaction.savepoint()
        for kind, do in alike.items():
            do()
            found[kind] = names(look_at_all())
            transaction.savepoint_rollback(savepoint)
        # One repair makes all of them right.
        for do in alike.values():
            do()
        repair(list(look_at_all()))
        left[caches] = names(look_at_all())
        transaction.savepoint_rollback(savepoint)

    assert names(look_at_all()) == set()
    assert found == {kind: caches for kind, (_do, caches) in WRONG.items()}
    assert set(left.values()) == {frozenset()}
