"""Many phones at one real server, and a server that dies under them.

The server is gunicorn as `up` starts it, on a folder of its own; with KINGSCORE_DATABASE_URL it
works on PostgreSQL, in a database of its own.
"""

from collections import Counter

import pytest

from benchmarks.kill import kill_again_and_again
from tests.deals import WHOLE_GAME
from tests.phones import Phone, new_key
from tests.together import at_once

pytestmark = pytest.mark.slow

RIFKI, QUEENS = WHOLE_GAME[:2]
PHONES = 20


@pytest.fixture
def strangers(server):
    phones = [Phone(server.host, server.port) for _ in range(PHONES)]
    yield phones
    for phone in phones:
        phone.hang_up()


@pytest.fixture
def phones(strangers):
    """Phones that all came with the address that writes; the first one opened the table."""
    strangers[0].open_table()
    return [phone.join(strangers[0]) for phone in strangers]


def statuses(answers):
    return Counter(answer.status for answer in answers)


def sheet_of(server, phone):
    return server.read_sheets()[phone.path.split("/")[2]]


def test_same_deal_by_many_phones_is_stored_once_and_the_others_see_the_sheet(server, phones):
    keys = [new_key() for _ in phones]

    answers = at_once(
        *[
            lambda phone=phone, key=key: phone.write_deal(RIFKI, 0, key)
            for phone, key in zip(phones, keys, strict=True)
        ]
    )

    assert statuses(answers) == {200: 1, 409: PHONES - 1}
    winner = next(key for key, answer in zip(keys, answers, strict=True) if answer.status == 200)
    sheet = sheet_of(server, phones[0])
    assert sheet["writes"] == [[1, winner, RIFKI]]
    assert sheet["totals"] == [0, 0, -320, 0]
    assert all("−320" in answer.text for answer in answers)


def test_no_acknowledged_deal_is_lost_when_the_server_is_killed(server):
    tally = kill_again_and_again(server, kills=2, tables=4)

    assert (tally.kills, tally.lost, tally.problems) == (2, 0, [])
    assert tally.answered > 0
