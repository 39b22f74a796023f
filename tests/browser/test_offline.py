"""The pages that open without a signal: start page, games of this phone, rules and guide."""

import re

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from tests.browser.phone import game_with
from tests.club_factories import ClubFactory, MemberFactory
from tests.deals import NAMES, WHOLE_GAME
from tournaments.services.games import playing
from tournaments.web.base.phone import address

pytestmark = [pytest.mark.browser, pytest.mark.keeps_pages]

START, GUIDE = "/offline/", reverse("guide")
BEGINNING = {reverse("new_offline"), reverse("table_offline")}
UNSTYLED = "[...document.styleSheets].filter(sheet => !sheet.cssRules.length).length"
UNSEEN = "[...document.images].filter(image => !image.naturalWidth).length"


@pytest.fixture
def at_kept_table(new_phone):
    """A phone at a table that has kept all it needs without a signal."""
    phone = new_phone()
    phone.sit_down(WHOLE_GAME[0])
    phone.rules = f"{address(phone.game, 'write')}rules/"
    needed = {address(phone.game, "write"), phone.rules, START, GUIDE}
    phone.wait_for_kept(lambda kept: needed <= kept.keys())
    return phone


def test_games_rules_and_guide_open_without_signal(at_kept_table):
    phone, page = at_kept_table, at_kept_table.page
    phone.lose_signal()
    # Neither the rules nor the guide were ever opened.
    phone.tap(page.locator(f"a[href='{phone.rules}']"))
    expect(page.locator("h1")).to_have_text("King")
    assert page.evaluate(UNSTYLED) == 0
    phone.tap(page.locator(".masthead .link"))
    phone.tap(page.locator(f"a[href='{GUIDE}']"))
    expect(page.locator(".guide-steps img")).to_have_count(9)
    assert (page.evaluate(UNSTYLED), page.evaluate(UNSEEN)) == (0, 0)

    phone.open("/")
    expect(page.locator(".games .names")).to_have_text([" · ".join(NAMES)])
    expect(page.locator(".works")).to_be_visible()
    assert phone.faults() == {}
    phone.tap(page.locator(".games a"))
    phone.wait_for(1)
    phone.send(WHOLE_GAME[1])
    phone.find_signal()
    phone.wait_for(2)
    assert len(phone.stored()) == 2

    # A page that is not kept gives way to the start page until there is a signal.
    phone.lose_signal()
    phone.open(reverse("clubs"))
    expect(page.locator(".works")).to_be_visible()
    phone.find_signal()
    expect(page.locator(".works")).to_have_count(0)


def test_hanging_network_gives_way_to_what_is_kept(at_kept_table):
    phone = at_kept_table
    phone.cable.hang()
    phone.open("/")
    expect(phone.page.locator(".works")).to_be_visible()
    phone.tap(phone.page.locator(".games a"))
    phone.wait_for(1)
    assert phone.page.evaluate(UNSTYLED) == 0


def test_game_that_is_not_kept_is_marked_and_a_deleted_one_forgotten(at_kept_table):
    phone = at_kept_table
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

    # The start page loads itself again.
    with phone.page.expect_navigation():
        phone.find_signal()
    phone.open(first)
    phone.stay_after_reload()
    playing.delete_game(phone.game.pk)
    phone.page.reload()
    phone.wait_for_kept(lambda kept: not {first, phone.rules} & kept.keys())
    assert phone.kept().keys() >= {START, GUIDE, second}


def test_kept_pages_are_in_the_language_chosen_last(at_kept_table):
    phone = at_kept_table
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


def test_nothing_of_an_account_is_kept_after_signing_out(new_phone):
    phone = new_phone(MemberFactory(club=ClubFactory()).user)
    followed = address(game_with([WHOLE_GAME[0]]), "follow")
    phone.open(followed)

    def of_account(kept):
        return {path for path, page in kept.items() if f'href="{reverse("me")}"' in page}

    phone.wait_for_kept(lambda kept: of_account(kept) == {followed, GUIDE})
    phone.open(reverse("account_logout"))
    phone.tap_and_go(".actions button", f"^{phone.base}/$")
    phone.wait_for_kept(lambda kept: kept.keys() == {*BEGINNING, START, GUIDE, followed})
    assert of_account(phone.kept()) == set()
