"""Digests: stored with each revision and closing, and what is changed behind them is found."""

import pytest
from django.db import transaction

from tests.factories import EVENING
from tests.services.tournaments.whole_tournament import whole_tournament
from tests.tournament_builders import NINE, SHORT, closed, decide, running
from tournaments.models import AuditEntry, Game, Revision, Round, Ruling, Sitting, Tournament
from tournaments.services.audit import NOBODY
from tournaments.services.checks.nights import look_at_all, repair, sweep_checks
from tournaments.services.rounds.rulings import RulingDecision
from tournaments.services.tournaments.lifecycle import move_tournament

pytestmark = pytest.mark.django_db


def found():
    return {cache.name for cache, _ in look_at_all()}


@pytest.fixture
def finished():
    row = running(*NINE, rounds=2)
    for _ in range(2):
        closed(row, SHORT)
    return move_tournament(row.pk, "finished", NOBODY, at=EVENING)


def test_digests_stay_right_whatever_happens():
    whole_tournament()

    assert found() == set()
    assert set(Round.objects.values_list("digest", flat=True)) - {""}


def test_a_finished_tournament_is_sealed_and_noted(finished):
    first, second = Round.objects.order_by("number")
    digests = [first.digest, second.digest, Tournament.objects.get().digest]

    assert len({*digests, ""}) == 4
    noted = AuditEntry.objects.filter(action="seal-rounds").order_by("pk")
    assert [each.after["codes"] for each in noted] == [
        {"1": first.digest},
        {"2": second.digest},
        {"tournament": digests[2]},
    ]


def test_a_later_ruling_seals_its_round_and_those_after_it(finished):
    before = list(Round.objects.order_by("number").values_list("digest", flat=True))

    decide(Round.objects.get(number=1), 1, RulingDecision("penalty", 50, "revoke"))

    after = list(Round.objects.order_by("number").values_list("digest", flat=True))
    assert all(one != other for one, other in zip(before, after, strict=True))
    assert "game-digests" not in found()
    assert "round-digests" not in found()


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


def test_a_row_changed_without_the_program_is_found(finished):
    for what, change in BEHIND.items():
        savepoint = transaction.savepoint()
        change()

        assert found() & {"game-digests", "round-digests"}, what

        for _ in range(2):
            repair(list(look_at_all()))
        assert not found() & {"game-digests", "round-digests"}, what
        transaction.savepoint_rollback(savepoint)


def test_digests_from_before_are_filled_in_at_night(finished):
    Game.objects.update(digest="")
    Round.objects.update(digest="", sealed_at=None)
    Tournament.objects.update(digest="")

    sweep_checks(EVENING)

    assert not Game.objects.filter(digest="").exists()
    assert not Round.objects.filter(digest="").exists()
    assert Tournament.objects.get().digest
    assert found() == set()
