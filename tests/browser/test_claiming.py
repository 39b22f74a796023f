"""Coming to one's player on a phone, in Turkish, by the code of a card."""

import pytest
from django.core.cache import cache
from django.urls import reverse
from playwright.sync_api import expect

from tests.browser.phone import LIGHT_AND_DARK, Phone
from tests.club_factories import (
    AccountFactory,
    ClubFactory,
    MemberFactory,
    PlayerFactory,
    RoundFactory,
    TableFactory,
)
from tests.deals import WHOLE_GAME
from tests.factories import EVENING
from tournaments.models import Player
from tournaments.services.auditing import NOBODY
from tournaments.services.people.merging import merge_players

pytestmark = pytest.mark.browser


@pytest.fixture
def player():
    """Şule Ak of Moda King, who has played a game."""
    club = ClubFactory(slug="moda", name="Moda King")
    names = ["Şule Ak", "Burak", "Cem", "Deniz"]
    TableFactory(round=RoundFactory(event__club=club), players=names, entries=WHOLE_GAME)
    return Player.objects.get(name="Şule Ak")


@pytest.fixture
def phone_of(browser, live_server, client):
    """Make phones on which somebody is signed in."""
    phones = []

    def make(user, **settings):
        client.force_login(user)
        phone = Phone(browser, live_server.url, **{"locale": "tr", **settings})
        cookie = client.cookies["sessionid"].value
        phone.context.add_cookies([{"name": "sessionid", "value": cookie, "url": phone.base}])
        phones.append(phone)
        return phone

    yield make
    for phone in phones:
        phone.context.close()
    cache.clear()


def button(phone):
    return phone.page.locator(".actions button").first


def test_code_typed_on_a_phone_brings_the_games_along(phone_of, player):
    phone = phone_of(AccountFactory())
    phone.open(reverse("claim_code"))
    phone.page.fill("[name=code]", f"{player.pk} 2222 2222")
    phone.tap(button(phone))
    expect(phone.page.locator(".errors")).to_be_visible()
    assert phone.faults() == {}

    phone.page.fill("[name=code]", player.claim_code.upper().replace("-", " "))
    phone.tap(button(phone))
    expect(phone.page.locator("h1")).to_contain_text("Şule Ak")
    expect(phone.page.locator(".lead")).to_contain_text("Moda King")
    assert phone.faults() == {}
    phone.tap(button(phone))

    expect(phone.page.locator(".played li")).to_have_count(1)
    expect(phone.page.locator(".played strong")).to_have_text("540")
    assert phone.faults() == {}


def test_list_is_searched_while_one_types(phone_of, player):
    for name in ("Selin", "Suna"):
        PlayerFactory(club=player.club, name=name)
    phone = phone_of(MemberFactory(club=player.club).user)
    phone.open(reverse("players", args=["moda"]))

    phone.page.locator("#q").press_sequentially("su")

    expect(phone.page.locator("#found li")).to_have_text(["Suna", "Şule Ak"])
    assert phone.page.url.endswith("?q=su")


def test_pages_of_a_director_fit_a_phone(phone_of, player):
    club = player.club
    other = PlayerFactory(club=club, name="Sule Ak Yılmaz-Karamustafaoğulları")
    merge_players(player.pk, PlayerFactory(club=club).pk, NOBODY, at=EVENING)
    claimed = PlayerFactory(club=club, account=AccountFactory())
    phone = phone_of(MemberFactory(club=club, role="director").user, **LIGHT_AND_DARK)

    faults = {}
    for name, row, query in (
        ("players", None, ""),
        ("new_players", None, ""),
        ("player", player, ""),
        ("player", claimed, ""),
        ("player_card", player, ""),
        ("merge_player", player, ""),
        ("merge_player", player, f"?other={other.public_id}"),
        ("remove_player", player, ""),
    ):
        args = [club.slug, row.public_id] if row else [club.slug]
        phone.open(reverse(name, args=args) + query)
        faults[name, query] = phone.faults()

    assert {page: found for page, found in faults.items() if found} == {}
