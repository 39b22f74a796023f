"""The comparison behind the big evening: it must see whatever the server could do wrong."""

import random

import pytest

from benchmarks.evening.comparing import compare
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


SPOILED = {
    "one not sent": lambda table, _sheet: table.sent.pop(),
    "another body": lambda table, sheet: sheet["writes"][1].__setitem__(2, table.sent[0].body),
    "a wrong total": lambda _table, sheet: sheet["totals"].__setitem__(0, 7000),
    "a gap": lambda _table, sheet: sheet.update(revision=4),
}


@pytest.mark.parametrize("spoil", SPOILED.values(), ids=SPOILED)
def test_sheet_that_is_not_as_it_was_sent_is_a_problem(table, spoil):
    sheets = stored(table, 0, 1, 2)
    spoil(table, sheets[GAME])
    assert compare(sheets, [table]).problems


@pytest.mark.parametrize(
    ("deals", "lost", "twice"),
    [((0, 1, 2), 0, 0), ((0, 1), 1, 0), ((0, 1, 2, 2), 0, 1), ((0, 2, 1), 0, 0)],
)
def test_answered_deals_are_all_there_once_and_in_order(table, deals, lost, twice):
    found = compare(stored(table, *deals), [table])
    assert (found.answered, found.lost, found.twice) == (3, lost, twice)
    assert bool(found.problems) == (deals != (0, 1, 2))
    assert compare({}, [table]).lost == 3
