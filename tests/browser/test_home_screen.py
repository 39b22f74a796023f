"""The hint to put the site on the home screen: after the second game, once."""

import pytest
from playwright.sync_api import expect

from tests.browser.phone import game_with
from tests.deals import WHOLE_GAME
from tournaments.web.base.phone import address

pytestmark = pytest.mark.browser

IPHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15"
    " (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1"
)
OFFER = """() => {
  const offer = new Event("beforeinstallprompt", { cancelable: true });
  offer.prompt = () => { document.title = "asked"; };
  dispatchEvent(offer);
  return offer.defaultPrevented;
}"""


def end_two_games(phone):
    for _ in range(2):
        expect(phone.page.locator("#home-screen")).to_be_hidden()
        phone.open(address(game_with(WHOLE_GAME[:19]), "write"))
        phone.write_deal(WHOLE_GAME[19])


def test_iphone_says_the_way_once(new_phone):
    phone = new_phone(user_agent=IPHONE, locale="tr-TR")
    hint = phone.page.locator("#home-screen")
    phone.open("/")
    end_two_games(phone)
    expect(hint).to_be_visible()
    expect(hint).to_contain_text("Ana Ekrana Ekle")
    expect(hint.locator(".add")).to_be_hidden()
    assert phone.misfits() == {}
    phone.tap(hint.locator(".later"))
    expect(hint).to_be_hidden()
    phone.open("/")
    phone.page.wait_for_timeout(500)
    expect(hint).to_be_hidden()


def test_browser_with_a_prompt_shows_it(new_phone):
    phone = new_phone()
    phone.open("/")
    end_two_games(phone)
    assert phone.page.evaluate(OFFER)
    hint = phone.page.locator("#home-screen")
    expect(hint).to_be_visible()
    phone.tap(hint.locator(".add"))
    expect(hint).to_be_hidden()
    assert phone.page.title() == "asked"
