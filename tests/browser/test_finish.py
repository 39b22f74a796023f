"""The first screen of a finished game, and its picture where a phone shares no files."""

import pytest
from playwright.sync_api import expect

from tests.browser.phone import only_found
from tests.deals import WHOLE_GAME
from tests.factories import GameFactory, SetupFactory
from tests.sample_games import load
from tests.web.games.table import table_of_record
from tournaments.engine.documents.ruleset_records import write_ruleset
from tournaments.engine.variants import RULESETS
from tournaments.web.base.phone import address

pytestmark = pytest.mark.browser

LONG_NAMES = ("Abdurrahmani", "Maximilianus", "Bartholomäus", "Zeynepgülizar")
KEEPS_TO_ITSELF = "navigator.canShare = undefined; navigator.share = undefined;"

# What of the result reaches below the buttons at the foot of the screen, or beyond its sides.
HIDDEN = """() => {
  const foot = document.querySelector(".end .next").getBoundingClientRect();
  return [...document.querySelectorAll(".end > :not(.next), .end .total")]
    .filter(part => part.getBoundingClientRect().bottom > foot.top + 1
      || part.getBoundingClientRect().right > innerWidth || foot.bottom > innerHeight + 1)
    .map(part => part.className);
}"""


def with_stake():
    """A whole game with four badges and a settlement, by house rules."""
    rules = write_ruleset(RULESETS["turkish-king"])
    settings = {**rules.get("settings", {}), "stake": "1/10"}
    document = rules | {"id": "house-king", "name": "King", "settings": settings}
    head = SetupFactory(ruleset="house-king", players=LONG_NAMES, document=document)
    return GameFactory(head=head, entries=WHOLE_GAME)


@pytest.mark.usefixtures("worker")
def test_picture_is_saved_where_the_phone_shares_no_files(new_phone):
    phone = new_phone()
    phone.context.add_init_script(KEEPS_TO_ITSELF)
    phone.open(address(GameFactory(entries=WHOLE_GAME), "follow"))
    with phone.page.expect_download() as download:
        phone.tap(phone.page.locator("[data-picture]"))
    assert download.value.suggested_filename == "king-2026-11-20.png"
    assert download.value.path().read_bytes().startswith(b"\x89PNG")


@pytest.mark.usefixtures("worker")
def test_scoresheet_takes_one_tap(new_phone):
    phone = new_phone()
    phone.sit_down(*WHOLE_GAME)
    # The first is waited for on a page of its own, the second is there at once.
    for stays in (False, True):
        phone.open(address(phone.game, "write"))
        with phone.page.expect_download() as download:
            phone.tap(phone.page.locator(".end .next form button"))
        assert download.value.path().read_bytes().startswith(b"%PDF")
        assert (phone.path == address(phone.game, "write")) is stays


RECORDS = (
    *("partners-king", "krapet-points", "barbu-doubled"),
    *("euchre-sequence", "italian-king-whole"),
)


def test_whole_result_is_on_the_first_screen(new_phone):
    phone = new_phone(locale="tr-TR")
    found = {}
    for game in (with_stake(), *(table_of_record(load(name)) for name in RECORDS)):
        phone.open(address(game, "write"))
        expect(phone.page.locator(".end h2")).to_be_visible()
        hidden = phone.page.evaluate(HIDDEN)
        found[game.ruleset] = only_found({"hidden": hidden} | phone.faults())
    assert only_found(found) == {}
