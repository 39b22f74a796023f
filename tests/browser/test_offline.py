"""What opens without a signal: the start page, the games this phone knows, rules and guide."""

import re

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from tests.browser.phone import LOOKS, game_with
from tests.club_factories import ClubFactory
from tests.deals import NAMES, WHOLE_GAME
from tests.factories import reload
from tournaments.services.play import playing
from tournaments.web.phone import address

pytestmark = pytest.mark.browser

START, GUIDE = "/offline/", reverse("guide")
UNSTYLED = "[...document.styleSheets].filter(sheet => !sheet.cssRules.length).length"
UNSEEN = "[...document.images].filter(image => !image.naturalWidth).length"


@pytest.fixture
def at_kept_table(at_table):
    """A phone at a table that has kept all it needs without a signal."""

    def open_table(deals=1, **settings):
        phone = at_table(deals, **settings)
        phone.rules = f"{address(phone.game, 'write')}rules/"
        needed = {address(phone.game, "write"), phone.rules, START, GUIDE}
        phone.wait_for_kept(lambda kept: needed <= kept.keys())
        return phone

    return open_table


def test_start_page_without_signal_leads_to_the_games_of_this_phone(at_kept_table):
    phone = at_kept_table()
    phone.lose_signal()

    phone.open("/")
    expect(phone.page.locator(".games .names")).to_have_text([" · ".join(NAMES)])
    expect(phone.page.locator(".works")).to_be_visible()
    phone.tap(phone.page.locator(".games a"))
    phone.page.wait_for_selector("#table[data-revision='1']")
    phone.enter(WHOLE_GAME[1])
    phone.tap(phone.save)
    phone.find_signal()

    phone.page.wait_for_selector("#table[data-revision='2']")
    assert len(reload(phone.game).positions) == 2


def test_rules_and_guide_that_were_never_opened_open_without_signal(at_kept_table):
    phone = at_kept_table(0)
    phone.lose_signal()

    phone.tap(phone.page.locator(f"a[href='{phone.rules}']"))
    expect(phone.page.locator("h1")).to_have_text("King")
    assert phone.page.evaluate(UNSTYLED) == 0
    phone.tap(phone.page.locator(".masthead .link"))
    phone.tap(phone.page.locator(f"a[href='{GUIDE}']"))

    expect(phone.page.locator(".guide-steps img")).to_have_count(9)
    assert (phone.page.evaluate(UNSTYLED), phone.page.evaluate(UNSEEN)) == (0, 0)


def test_page_that_is_not_kept_gives_way_to_the_start_page(at_kept_table):
    phone = at_kept_table(0)
    phone.lose_signal()
    phone.open("/")
    phone.open(reverse("new"))
    expect(phone.page.locator(".works")).to_be_visible()

    phone.find_signal()

    expect(phone.page.locator("[name=name0]")).to_be_visible()


def test_hanging_network_gives_way_to_what_is_kept(at_kept_table):
    phone = at_kept_table()
    phone.cable.hang()

    phone.open("/")
    expect(phone.page.locator(".works")).to_be_visible()
    phone.tap(phone.page.locator(".games a"))

    phone.page.wait_for_selector("#table[data-revision='1']")
    assert phone.page.evaluate(UNSTYLED) == 0


def test_game_that_is_not_kept_is_marked(at_kept_table):
    phone = at_kept_table(0)
    first, second = address(phone.game, "write"), address(game_with(), "follow")
    phone.open(second)
    phone.stay_after_reload()
    phone.page.evaluate("path => caches.open('kingscore-pages-1').then(c => c.delete(path))", first)
    phone.lose_signal()

    phone.open("/")

    lines = phone.page.locator(".games li")
    expect(lines.nth(0).locator("a[href]")).to_have_attribute("href", second)
    expect(lines.nth(0).locator(".far")).to_be_hidden()
    expect(lines.nth(1).locator("a[href]")).to_have_count(0)
    expect(lines.nth(1).locator(".far")).to_be_visible()


def test_deleted_game_is_forgotten_with_its_rules(at_kept_table):
    phone = at_kept_table(0)
    playing.delete_game(phone.game.pk)

    phone.page.reload()

    phone.wait_for_kept(lambda kept: kept.keys() == {START, GUIDE})


def test_kept_pages_are_in_the_language_chosen_last(at_kept_table):
    phone = at_kept_table(0)
    phone.open("/")
    phone.page.locator("button[lang=tr]").tap()
    expect(phone.page.locator("html[lang=tr]")).to_be_attached()
    in_turkish = re.compile('<html lang="tr"').search
    phone.wait_for_kept(lambda kept: all(in_turkish(kept[path]) for path in (START, GUIDE)))
    phone.lose_signal()

    for path in ("/", GUIDE):
        phone.open(path)
        expect(phone.page.locator("html")).to_have_attribute("lang", "tr")
        assert phone.page.evaluate(UNSEEN) == 0


def test_nothing_of_an_account_is_kept_after_signing_out(directors_phone):
    phone = directors_phone(ClubFactory())
    followed = address(game_with(1), "follow")
    phone.open(followed)

    def of_account(kept):
        return {path for path, page in kept.items() if f'href="{reverse("me")}"' in page}

    phone.wait_for_kept(lambda kept: of_account(kept) == {followed, GUIDE})

    phone.open(reverse("account_logout"))
    phone.tap(phone.page.locator(".actions button"))
    phone.page.wait_for_url(f"{phone.base}/")

    phone.wait_for_kept(lambda kept: kept.keys() == {START, GUIDE, followed})
    assert of_account(phone.kept()) == set()


@pytest.mark.parametrize(("language", "scheme"), LOOKS)
def test_start_page_without_signal_is_accessible(new_phone, language, scheme):
    phone = new_phone(locale=language, color_scheme=scheme, reduced_motion="reduce")
    phone.start_table()

    phone.open(START)

    assert phone.faults() == {}
