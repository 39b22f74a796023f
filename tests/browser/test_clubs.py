"""A club on phones in Turkish: its players are found while one types, its evening follows."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from tests import club_factories as make
from tests.deals import WHOLE_GAME
from tests.factories import record
from tournaments.models import Player

pytestmark = pytest.mark.browser


@pytest.fixture
def player():
    club = make.ClubFactory(slug="moda", name="Moda King")
    names = ["Şule Ak", "Burak", "Cem", "Deniz"]
    make.TableFactory(round=make.RoundFactory(event__club=club), players=names, entries=WHOLE_GAME)
    return Player.objects.get(name="Şule Ak")


def test_names_are_found_and_suggested_while_one_types(new_phone, player):
    for name in ("Selin", "Suna"):
        make.PlayerFactory(club=player.club, name=name)
    phone = new_phone(make.MemberFactory(club=player.club, role="director").user, locale="tr")
    phone.open(reverse("players", args=["moda"]))
    phone.page.locator("#q").press_sequentially("su")
    expect(phone.page.locator("#found li")).to_have_text(["Suna", "Şule Ak"])
    assert phone.page.url.endswith("?q=su")

    round_ = player.seats.get().game.table.round
    place = ["moda", round_.event.public_id, round_.number]
    phone.open(reverse("new_event_table", args=place))
    phone.page.locator("[name=name0]").press_sequentially("sule")
    names = phone.page.locator("#names option")
    expect(names).to_have_count(1)
    expect(names).to_have_attribute("value", "Şule Ak")


def test_page_of_an_evening_follows_its_tables_and_keeps_their_menus_open(new_phone, player):
    table = make.TableFactory(round__event__club=player.club)
    phone = new_phone(make.MemberFactory(club=player.club, role="director").user, locale="tr-TR")
    phone.open(reverse("event", args=["moda", table.round.event.public_id]))
    menu = phone.page.locator(".event-tables > li .menu")
    phone.tap(menu.locator("summary"))
    record(table.games.get(), WHOLE_GAME[0])
    expect(phone.page.locator(".event-tables > li .event-totals b").nth(2)).to_have_text("−320")
    expect(menu).to_have_attribute("open", "")
