"""A site as it is installed: pages come in few requests, and bundled scripts play a game."""

import json

import pytest

from tests.browser.cable import Cable
from tests.browser.phone import Phone
from tests.deals import WHOLE_GAME

pytestmark = pytest.mark.browser

MOST_REQUESTS, MOST_BYTES, MOST_LATER_BYTES = 12, 55_000, 26_000
ASKS_AGAIN = 4000
"""Milliseconds after which a page has asked for news, if it does."""

MAKE_TABLES = """
import json
from tests.deals import WHOLE_GAME
from tests.factories import GameFactory, record_all
from tests.tournament_builders import one_table
from tournaments.models import Game
from tournaments.web.base.phone import address
of_round = Game.objects.get(table__round=one_table())
record_all(of_round, WHOLE_GAME[:7])
tables = {"free": GameFactory(entries=WHOLE_GAME[:7]), "of a round": of_round}
print(json.dumps({
    name: {kind: address(game, kind) for kind in ("write", "follow")}
    for name, game in tables.items()
}))
"""


@pytest.fixture(scope="module")
def tables(server):
    return json.loads(server.run_python(MAKE_TABLES).splitlines()[-1])


@pytest.fixture
def phone_at(browser, server):
    phones = []

    def make(**settings):
        phones.append(Phone(browser, Cable(f"http://{server.host}:{server.port}"), **settings))
        return phones[-1]

    yield make
    for phone in phones:
        phone.context.close()
        phone.cable.close()
        assert phone.complaints == []


@pytest.mark.parametrize("table", ["free", "of a round"])
def test_first_load_of_a_table_is_small_and_what_follows_smaller(phone_at, tables, table):
    # What the worker keeps for a time without a signal comes later, one file after the other.
    phone = phone_at(keeps_pages=False)
    write, follow = tables[table].values()
    paths = (write, *(f"{write}{name}/" for name in ("pen", "log", "rules")), follow, "/tables/")
    loaded = {}
    for path in paths:
        before = phone.cable.asked, phone.cable.passed
        phone.open(path)
        phone.page.wait_for_timeout(ASKS_AGAIN)
        loaded[path] = (phone.cable.asked - before[0], phone.cable.passed - before[1])
    requests, size = loaded.pop(write)
    assert requests <= MOST_REQUESTS
    assert size <= MOST_BYTES
    assert max(size for _requests, size in loaded.values()) <= MOST_LATER_BYTES, loaded


def test_bundled_scripts_play_a_game_without_a_signal_too(phone_at):
    phone, follower = phone_at(), phone_at(keeps_pages=False)
    phone.start_table()
    assert phone.page.locator("script[src]").count() == 1
    assert phone.page.locator("link[rel=stylesheet]").count() == 1
    phone.write_deal(WHOLE_GAME[0])
    phone.wait_for_kept(lambda kept: "-320" in kept.get(phone.path, "").replace("−", "-"))

    phone.lose_signal()
    phone.page.reload()
    phone.send(WHOLE_GAME[1])
    assert len(phone.waiting()) == 1
    phone.find_signal()
    phone.wait_for(2)

    totals = phone.totals()
    phone.tap_and_go(phone.page.locator(".sheet tbody a").nth(1), "/entries/")
    for seat, number in ((0, 0), (1, 1)):
        phone.tap(phone.tiles("queens").nth(seat))
        phone.tap(phone.key(number))
    phone.tap_and_go("[value=correct]", "/play/[^/]+/[^/]+/#corrected$")
    people = json.loads(phone.page.locator("#people").text_content())
    follower.open(people["follow"])
    follower.wait_for(3)
    assert follower.totals() == phone.totals() != totals
