"""The tables of a phone: searched, carried to another phone once, shown without a signal."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.phone import game_with
from tests.deals import WHOLE_GAME
from tournaments.services.games.playing import delete_game
from tournaments.web.base.phone import address

pytestmark = pytest.mark.browser

NAMES = ("Abdurrahman", "Işıl", "İnci", "Gökçenaz")
OTHERS = ("Deniz", "Ece", "Mert", "Çağrı")


def lines(phone):
    return phone.page.locator(".evenings li:visible")


def search(phone, text):
    phone.page.locator("[type=search]").fill(text)


def test_tables_go_to_another_phone_once(new_phone):
    mine, other, third = (new_phone(locale="tr-TR") for _ in range(3))
    over, going = game_with(WHOLE_GAME, players=NAMES), game_with(players=OTHERS, place="Moda")
    mine.open(address(over, "follow"))
    mine.open(address(going, "write"))
    mine.open("/")
    mine.tap_and_go(mine.page.get_by_role("link", name=re.compile("Masalarımda ara")), "/tables/")
    expect(lines(mine)).to_have_count(2)
    assert mine.faults() == {}
    assert mine.misfits(360, 430) == {}
    # The names as people type them, with and without their dots and tails.
    for text, found in (("ISIL", 1), ("inci", 1), ("cagri moda", 1), ("kasım", 2), ("x", 0)):
        search(mine, text)
        expect(lines(mine)).to_have_count(found)
    expect(mine.page.locator("#none-found")).to_have_text("Bulunamadı.")

    mine.page.locator("[name=writes]").check()
    mine.tap_and_go(".card form[action$='carry/'] button", "/carry/")
    link = re.sub(r"^.*(?=/carried/)", "", mine.page.locator("#carry-address").input_value())
    assert mine.faults() == {}
    for phone in (other, third):
        phone.open(link)
        assert phone.faults() == {}
    take = [phone.page.locator(".actions button") for phone in (other, third)]
    other.tap(take[0])
    expect(other.page.get_by_role("status")).to_have_text("2 parti artık bu telefonda.")
    third.tap(take[1])
    expect(third.page.get_by_role("alert")).to_contain_text("Bu bağlantı kullanılmış")

    other.open("/tables/")
    expect(lines(other)).to_have_count(2)
    links = other.page.locator(".evenings a").evaluate_all("all => all.map(a => a.pathname)")
    assert set(links) == {address(over, "follow"), address(going, "write")}
    assert other.taps == 1


@pytest.mark.keeps_pages
def test_phone_asks_for_what_its_cookie_has_forgotten_and_keeps_it_without_signal(new_phone):
    phone = new_phone(locale="tr-TR")
    phone.open(address(game_with(WHOLE_GAME, players=NAMES), "follow"))
    phone.open(address(game_with(players=OTHERS), "write"))
    phone.context.clear_cookies(name="games")
    phone.open("/tables/")
    expect(lines(phone)).to_have_count(2)
    expect(phone.page.locator(".together tbody tr").first).to_contain_text("1")

    # An address to write stays on the phone that had it.
    kept = phone.page.evaluate("JSON.parse(localStorage.getItem('kingscore.tables'))")
    assert sorted(sorted(each) for each in kept.values()) == [["follow"], ["follow", "write"]]
    phone.wait_for_kept(lambda pages: "/tables/" in pages)
    phone.lose_signal()
    phone.page.reload()
    expect(lines(phone)).to_have_count(2)
    expect(phone.page.locator("#no-signal")).to_be_visible()


def test_phone_with_too_many_games_forgets_the_oldest(new_phone):
    phone = new_phone()
    phone.open("/")
    phone.page.evaluate("""() => localStorage.setItem("kingscore.tables",
      JSON.stringify(Object.fromEntries([...Array(150).keys()].map((n) => [`old${n}`, {}]))))""")
    game = game_with(players=NAMES)
    phone.open(address(game, "write"))

    kept = "Object.keys(JSON.parse(localStorage.getItem('kingscore.tables')))"
    phone.page.wait_for_function(f"() => !{kept}.includes('old0')")
    games = phone.page.evaluate(kept)
    assert (len(games), games[0], games[-1]) == (150, "old1", game.public_id)


def test_phone_forgets_games_that_are_gone(new_phone):
    phone = new_phone(locale="tr-TR")
    gone, stays = game_with(players=NAMES), game_with(players=OTHERS)
    for game in (gone, stays):
        phone.open(address(game, "write"))
    delete_game(gone.pk)
    phone.open("/tables/")
    expect(lines(phone)).to_have_count(1)
    kept = "Object.keys(JSON.parse(localStorage.getItem('kingscore.tables'))).join()"
    phone.page.wait_for_function(f"() => {kept} === '{stays.public_id}'")
