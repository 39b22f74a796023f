"""Deals confirmed, disputed, corrected and settled at the same moment, on real connections."""

import pytest
from django.utils import timezone

from tests.club_factories import ClubFactory, MemberFactory
from tests.deals import WHOLE_GAME
from tests.factories import ContextFactory, record
from tests.together import at_once, while_another_is_writing
from tests.web.rounds.going import going, table
from tournaments.engine.documents.entries import parse_entry
from tournaments.models import AuditEntry, DealReview
from tournaments.services.audit import NOBODY, Actor
from tournaments.services.games.playing import correct_entry
from tournaments.services.rounds.deal_reviews import (
    SeenDeal,
    confirm_deal,
    dispute_deal,
    settle_deal,
)

pytestmark = pytest.mark.django_db(transaction=True)

OTHERWISE = parse_entry(WHOLE_GAME[1] | {"counts": {"queens": [3, 0, 0, 1]}})


@pytest.fixture
def game():
    game = table(going(ClubFactory(), 1, confirm_deals=True)).games.get()
    record(game, WHOLE_GAME[1])
    return game


def seen(revision=1):
    return SeenDeal(0, revision, NOBODY, timezone.now())


def kinds():
    return list(DealReview.objects.values_list("revision", "kind"))


def test_two_phones_confirm_a_deal_once(game):
    works = (lambda seat=seat: confirm_deal(game.pk, seen(), seat) for seat in (1, 2))

    assert at_once(*works) == [1, 1]
    assert kinds() == [(1, "confirmed")]
    assert AuditEntry.objects.filter(action="confirm-deal").count() == 1


def test_deal_that_was_corrected_meanwhile_is_not_confirmed(game):
    context = ContextFactory(revision=1)

    first, second, waited = while_another_is_writing(
        lambda: correct_entry(game.pk, 0, OTHERWISE, "", context),
        lambda: confirm_deal(game.pk, seen(), 1),
    )

    assert (first, second, waited, kinds()) == (2, "StaleRevision", True, [])


def test_two_directors_settle_a_dispute_once(game):
    dispute_deal(game.pk, seen(), 1, OTHERWISE)
    director = Actor(MemberFactory(club=game.table.round.event.club, role="director").user)
    said = SeenDeal(0, 1, director, timezone.now())

    outcomes = at_once(
        *(lambda: settle_deal(game.pk, said, disputed_counts=True) for _ in range(2))
    )

    assert outcomes == [2, 2]
    assert kinds() == [(1, "disputed"), (2, "settled")]
