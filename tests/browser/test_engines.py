"""One journey in the engines of Firefox and Safari: a table from its start to its end.

All other tests of this folder play in Chromium.
"""

import os
import shutil
import time

import pytest
from django.core.cache import cache

from tests.browser.cable import Cable
from tests.browser.engines import firefox, webkit
from tests.deals import NAMES, WHOLE_GAME
from tests.factories import record, reload
from tournaments.models import Game
from tournaments.web.base.phone import address

pytestmark = [
    pytest.mark.browser,
    # Selenium of itself, which does as it says it should not.
    pytest.mark.filterwarnings("ignore:setting remote_server_addr:DeprecationWarning"),
]

SAVE = ".save button[value=deal]"
KEPT = """caches.match(location.href).then(kept => kept?.text())
  .then(text => text?.includes('data-revision="4"'))"""
PICTURE = """fetch(document.querySelector("[data-picture]").href)
  .then(answer => answer.blob()).then(createImageBitmap)
  .then(({ width, height }) => [width, height])"""
NEEDED = {firefox: ("firefox-esr",), webkit: ("WebKitWebDriver", "Xvfb")}


@pytest.fixture(params=NEEDED, ids=lambda engine: engine.__name__)
def hand(request):
    """Use each engine in turn, where it is installed."""
    missing = [each for each in NEEDED[request.param] if shutil.which(each) is None]
    if missing:
        say = pytest.fail if os.environ.get("KINGSCORE_TEST_REQUIRE_ALL") == "1" else pytest.skip
        say(f"no {missing[0]} on this machine")
    with request.param() as hand:
        yield hand
    # Counted against guessing: of no concern to the next test.
    cache.clear()


@pytest.fixture
def cable(live_server):
    cable = Cable(live_server.url)
    yield cable
    cable.close()


def wait_for(hand, revision):
    hand.wait_for(f"#table[data-revision='{revision}']")
    # Before its style a page is drawn otherwise, and a tap falls beside.
    hand.wait("document.readyState === 'complete'")


def tap_numbers(hand, numbers):
    for number in numbers:
        hand.tap(f".keys [data-number='{number}']")
    hand.tap(SAVE)


def write_king_of_hearts(hand, seat):
    hand.tap(".pick:has([value='heart-king'])")
    hand.tap(f".unit-heart_king .tile[data-side='{seat}']")
    hand.tap(SAVE)


def take_back(hand):
    hand.tap(".undo")
    hand.wait_for("#ask[open]")
    # A second tap that is too quick is no answer.
    time.sleep(0.5)
    hand.tap("#ask .button")


def write_last_deal(hand):
    hand.tap(".suit-spades:has(input)")
    tap_numbers(hand, WHOLE_GAME[-1]["counts"]["tricks"][:3])


def test_table_is_begun_written_followed_finished_and_drawn(hand, cable, worker):
    hand.open(f"{cable.url}/new/")
    for seat, name in enumerate(NAMES):
        hand.fill(f"[name=name{seat}]", name)
    hand.tap(".actions button")
    wait_for(hand, 0)
    (game,) = Game.objects.all()

    write_king_of_hearts(hand, 1)
    wait_for(hand, 1)
    take_back(hand)
    wait_for(hand, 2)
    write_king_of_hearts(hand, 1)
    wait_for(hand, 3)
    assert reload(game).game.totals == (0, -320, 0, 0)

    hand.tap(".sheet a[href*='/entries/']")
    # A page is seen before its scripts have run; until then a tile is a plain box for a number.
    hand.wait("document.querySelector('.correcting .pad')?.hidden === false")
    hand.tap(".unit-heart_king .tile[data-side='2']")
    hand.tap("button[value=correct]")
    wait_for(hand, 4)
    assert reload(game).game.totals == (0, 0, -320, 0)

    # Without a signal the page comes back as it was, and a deal written on it waits.
    hand.wait("Boolean(navigator.serviceWorker.controller)")
    hand.wait(KEPT)
    cable.pull()
    hand.open(cable.url + address(game, "write"))
    wait_for(hand, 4)
    hand.tap(".pick:has([value='no-queens'])")
    tap_numbers(hand, WHOLE_GAME[1]["counts"]["queens"][:3])
    hand.wait_for(".sheet .marks.waits")
    cable.plug()
    wait_for(hand, 5)

    hand.open(cable.url + address(game, "follow"))
    wait_for(hand, 5)
    for body in WHOLE_GAME[2:-1]:
        record(game, body)
    wait_for(hand, 22)

    hand.open(cable.url + address(game, "write"))
    write_last_deal(hand)
    wait_for(hand, 23)
    hand.wait_for(".end .standings")
    assert hand.run(PICTURE) == [1080, 1350]
