"""The comparison behind the big evening: it must see whatever the server could do wrong."""

import random

import pytest

from benchmarks.evening.comparing import compare
from benchmarks.evening.followers import Follower
from benchmarks.evening.tables import Deal, Table
from benchmarks.evening.tally import Tally
from tests.evening_by_hand import draw_deals, points_of

GAME = "abcdefghjk"


@pytest.fixture
def table():
    table = Table("127.0.0.1", 1, GAME, "/play/", "/follow/", Tally())
    deals = draw_deals(random.Random(4))[:3]
    table.sent = [Deal(f"key-{n}", body, answered=True) for n, body in enumerate(deals)]
    return table


def stored(table, *deals):
    """The sheet with those deals of the table, by their numbers from 0."""
    writes = [[n, table.sent[d].key, table.sent[d].body] for n, d in enumerate(deals, start=1)]
    totals = points_of({"entries": [body for _revision, _key, body in writes]})
    return {GAME: {"revision": len(writes), "writes": writes, "totals": totals}}


def test_whole_sheet_has_no_difference(table):
    found = compare(stored(table, 0, 1, 2), [table])
    assert (found.answered, found.lost, found.twice, found.problems) == (3, 0, 0, [])


def test_answered_deal_that_is_not_there_is_lost(table):
    assert compare(stored(table, 0, 1), [table]).lost == 1
    assert compare({}, [table]).lost == 3


def test_deal_that_stands_there_twice_is_found(table):
    found = compare(stored(table, 0, 1, 2, 2), [table])
    assert found.twice == 1


def test_deal_nobody_has_sent_is_found(table):
    sheets = stored(table, 0, 1, 2)
    del table.sent[2]
    assert len(compare(sheets, [table]).problems) == 1


def test_deal_that_was_not_answered_may_be_there_or_not(table):
    table.sent[2] = Deal(table.sent[2].key, table.sent[2].body)
    for deals, there in (((0, 1), 0), ((0, 1, 2), 1)):
        found = compare(stored(table, *deals), [table])
        assert (found.unanswered_stored, found.lost, found.problems) == (there, 0, [])


def test_another_body_or_another_order_is_found(table):
    sheets = stored(table, 0, 1, 2)
    sheets[GAME]["writes"][1][2] = table.sent[0].body
    assert compare(sheets, [table]).problems
    assert compare(stored(table, 0, 2, 1), [table]).problems


def test_wrong_total_and_a_gap_in_the_revisions_are_found(table):
    wrong = stored(table, 0, 1, 2)
    wrong[GAME]["totals"][0] += 10
    assert len(compare(wrong, [table]).problems) == 1
    gap = stored(table, 0, 1, 2)
    gap[GAME]["revision"] = 4
    assert len(compare(gap, [table]).problems) == 1


def test_follower_who_was_not_shown_the_last_deal_is_found(table):
    follower = Follower("127.0.0.1", 1, "/follow/", Tally())
    follower.revision = 3
    assert compare(stored(table, 0, 1, 2), [table], [follower]).problems == []
    follower.revision = 2
    assert len(compare(stored(table, 0, 1, 2), [table], [follower]).problems) == 1
