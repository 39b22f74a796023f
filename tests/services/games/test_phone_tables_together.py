"""Two phones that open the link to the tables of a third at the same moment."""

import pytest

from tests.factories import EVENING, GameFactory
from tests.together import at_once, while_another_is_writing
from tournaments.models import PhoneTransfer
from tournaments.services.games.seating import begin_transfer, take_transfer

pytestmark = pytest.mark.django_db(transaction=True)


def link():
    return begin_transfer([(GameFactory(), "follow")], {}, at=EVENING)


def take(key):
    return lambda: len(take_transfer(key, at=EVENING)[0])


def test_one_of_two_phones_gets_the_tables():
    for _ in range(5):
        works = [take(link())] * 2
        assert sorted(map(str, at_once(*works))) == ["1", "TransferGone"]
    assert not PhoneTransfer.objects.exists()


def test_second_phone_waits_and_finds_the_link_used():
    works = [take(link())] * 2
    assert while_another_is_writing(*works) == (1, "TransferGone", True)
