"""Each kind of cache made wrong on purpose is found, named, and made right again."""

from datetime import timedelta

import pytest
from django.db import transaction
from django.db.models import F

from tests.club_factories import PlayerFactory, TableFactory
from tests.deals import WHOLE_GAME
from tests.factories import EVENING, GameFactory
from tests.kept_sums import keep_sums
from tests.services.ratings.rating_world import World
from tests.services.tournaments.whole_tournament import GAMES, whole_tournament
from tests.tournament_builders import NINE, SHORT, closed, decide, running
from tournaments.models import (
    AuditEntry,
    Club,
    Game,
    KeptSums,
    Player,
    PlayerRating,
    RatedRound,
    RatingChange,
    Revision,
    Round,
    Ruling,
    Sitting,
    Tournament,
)
from tournaments.services.audit import NOBODY
from tournaments.services.checks import caches, ratings
from tournaments.services.checks.nights import look_at_all, repair, sweep_checks
from tournaments.services.ratings.computing import rebuild_ratings, sweep_ratings
from tournaments.services.rounds.rulings import RulingDecision
from tournaments.services.tournaments.lifecycle import move_tournament

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
    "sums of another version": (lambda: (other_sums(), KeptSums.objects.update(version="")), set()),
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
    "points shown": (lambda: spoil(PlayerRating.objects, points=1), {"ratings"}),
    "player shown": (
        lambda: spoil(PlayerRating.objects, player=PlayerFactory(club=Club.objects.get())),
        {"ratings"},
    ),
}


def names_found():
    return {cache for cache, _found in look_at_all()}


def digests_found():
    looks = (caches.look_at_game_digests, caches.look_at_round_digests)
    return [found for look in looks for _rows, those in look() for found in those]


def test_every_kind_of_wrong_cache_is_found_and_made_right(club):
    found, left = {}, {}
    for wrong in {frozenset(wrong): None for _do, wrong in WRONG.values()}:
        alike = {kind: do for kind, (do, told) in WRONG.items() if told == wrong}
        savepoint = transaction.savepoint()
        for kind, do in alike.items():
            do()
            found[kind] = names_found()
            transaction.savepoint_rollback(savepoint)
        # One repair makes all of them right.
        for do in alike.values():
            do()
        repair(list(look_at_all()))
        left[wrong] = names_found()
        transaction.savepoint_rollback(savepoint)

    assert names_found() == set()
    assert found == {kind: wrong for kind, (_do, wrong) in WRONG.items()}
    assert [*left.values()] == [set()] * len(left)


@pytest.fixture
def tournament():
    row = running(*NINE, rounds=2)
    for _ in range(2):
        closed(row, SHORT)
    return move_tournament(row.pk, "finished", NOBODY, at=EVENING)


def test_a_finished_tournament_is_sealed_and_noted(tournament):
    first, second = Round.objects.order_by("number")
    digests = [first.digest, second.digest, Tournament.objects.get().digest]

    assert len({*digests, ""}) == 4
    noted = AuditEntry.objects.filter(action="seal-rounds").order_by("pk")
    assert [each.after["codes"] for each in noted] == [
        {"1": first.digest},
        {"2": second.digest},
        {"tournament": digests[2]},
    ]


def test_a_later_ruling_seals_its_round_and_those_after_it(tournament):
    before = list(Round.objects.order_by("number").values_list("digest", flat=True))

    decide(Round.objects.get(number=1), 1, RulingDecision("penalty", 50, "revoke"))

    after = list(Round.objects.order_by("number").values_list("digest", flat=True))
    assert all(one != other for one, other in zip(before, after, strict=True))
    assert digests_found() == []


BEHIND = {
    "an entry": lambda: Revision.objects.filter(pk=Revision.objects.first().pk).update(
        body={"type": "deal", "contract": "no-tricks", "declarer": 0,
              "counts": {"tricks": [10, 1, 1, 1]}}
    ),
    "when it was played": lambda: Game.objects.filter(pk=Game.objects.first().pk).update(
        played_at=EVENING.replace(year=2020)
    ),
    "a chair": lambda: [
        each.delete()
        for each in Sitting.objects.filter(table=None)[:1]
    ],
    "a ruling": lambda: Ruling.objects.create(
        round=Round.objects.first(), entrant=Tournament.objects.get().entrants.first(),
        kind="penalty", points=1, reason="x", at=EVENING.replace(year=2020),
    ),
    "places": lambda: Round.objects.filter(number=2).update(
        standings=Round.objects.get(number=2).standings | {"e1": [1, 5]}
    ),
    "the seed": lambda: Tournament.objects.update(seed=99),
    "the digest": lambda: Game.objects.filter(pk=Game.objects.first().pk).update(digest="0" * 64),
}  # fmt: skip


def test_a_row_changed_without_the_program_is_found(tournament):
    for what, change in BEHIND.items():
        savepoint = transaction.savepoint()
        change()

        assert digests_found(), what

        for _ in range(2):
            repair(list(look_at_all()))
        assert digests_found() == [], what
        transaction.savepoint_rollback(savepoint)


def test_digests_from_before_are_filled_in_at_night(tournament):
    Game.objects.update(digest="")
    Round.objects.update(digest="", sealed_at=None)
    Tournament.objects.update(digest="")

    sweep_checks(EVENING)

    assert not Game.objects.filter(digest="").exists()
    assert not Round.objects.filter(digest="").exists()
    assert Tournament.objects.get().digest
    assert names_found() == set()


def differing():
    return list(look_at_all())


@pytest.mark.parametrize("ruleset", GAMES)
def test_whole_tournament_has_digests_and_no_differences(ruleset):
    whole_tournament(ruleset)
    assert set(Round.objects.values_list("digest", flat=True)) - {""}
    assert differing() == []
    sweep_ratings()
    assert differing() == []


def test_nothing_differs_whatever_happened_in_any_order(monkeypatch):
    # Many small heaps, so that rounds of one moment and followers of a change lie at their ends.
    monkeypatch.setattr(ratings, "ROUNDS_AT_ONCE", 2)
    for module in (caches, ratings):
        monkeypatch.setattr(module, "AT_ONCE", 3)
    world = World(7)
    for number in range(45):
        world.happen()
        for player in Player.objects.order_by("pk")[number % 16 :: 16]:
            keep_sums(player)
        if number % 15 == 14:
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
