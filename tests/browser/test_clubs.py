"""A club on phones in Turkish: made, joined by its link, and its players claimed by code."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from tests import club_factories as make
from tests.deals import WHOLE_GAME
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
