"""A club on phones in Turkish: made, joined by its link, and its players claimed by code."""

from urllib.parse import urlsplit

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from tests.club_factories import (
    AccountFactory,
    ClubFactory,
    MemberFactory,
    PlayerFactory,
    RoundFactory,
    TableFactory,
)
from tests.deals import WHOLE_GAME
from tournaments.models import Member, Player

pytestmark = pytest.mark.browser


def test_club_is_made_and_joined_by_its_link(new_phone):
    ada, ece = AccountFactory(first_name="Ada"), AccountFactory(first_name="Ece")
    owner, guest = new_phone(ada, locale="tr"), new_phone(locale="tr")
    page = owner.page
    owner.open("/clubs/")
    assert owner.faults() == {}
    page.fill("[name=name]", "Moda King Kulübü")
    page.locator("main form button").last.tap()
    expect(page.locator("h1")).to_have_text("Moda King Kulübü")
    people = f"{page.url}people/"

    owner.open(people)
    page.locator(".actions a").tap()
    expect(page.locator("[name=role]:checked")).to_have_value("member")
    assert owner.faults() == {}
    page.locator("[name=many]").tap()
    page.locator(".actions button").tap()
    address = page.locator("#invitation-address")
    expect(address).to_be_visible()
    assert owner.faults() == {}

    link = urlsplit(address.input_value()).path
    guest.open(link)
    expect(guest.page.locator("h1")).to_contain_text("Moda King Kulübü")
    assert guest.faults() == {}
    to_sign_in = guest.page.locator(".actions a").first
    expect(to_sign_in).to_have_attribute("href", f"/accounts/login/?next={link}")
    guest.sign_in(ece)
    guest.open(link)
    guest.page.locator(".actions button").tap()
    expect(guest.page.locator("main [role=status]")).to_contain_text("Moda King Kulübü")
    assert Member.objects.get(user=ece).role == "member"

    owner.open(people)
    page.get_by_role("link", name="Ece").tap()
    page.locator("[value=director]").tap()
    assert owner.faults() == {}
    page.locator("main form button").first.tap()
    expect(page.locator(".club-list").first).to_contain_text("yönetici")
    assert Member.objects.get(user=ece).role == "director"


@pytest.fixture
def player():
    club = ClubFactory(slug="moda", name="Moda King")
    names = ["Şule Ak", "Burak", "Cem", "Deniz"]
    TableFactory(round=RoundFactory(event__club=club), players=names, entries=WHOLE_GAME)
    return Player.objects.get(name="Şule Ak")


def test_code_typed_on_a_phone_brings_the_games_along(new_phone, player):
    phone = new_phone(AccountFactory(), locale="tr")
    button = phone.page.locator(".actions button").first
    phone.open(reverse("claim_code"))
    phone.page.fill("[name=code]", f"{player.pk} 2222 2222")
    phone.tap(button)
    expect(phone.page.locator(".errors")).to_be_visible()
    assert phone.faults() == {}

    phone.page.fill("[name=code]", player.claim_code.upper().replace("-", " "))
    phone.tap(button)
    expect(phone.page.locator("h1")).to_contain_text("Şule Ak")
    expect(phone.page.locator(".lead")).to_contain_text("Moda King")
    assert phone.faults() == {}
    phone.tap(button)
    expect(phone.page.locator(".played li")).to_have_count(1)
    expect(phone.page.locator(".played strong")).to_have_text("540")
    assert phone.faults() == {}


def test_names_are_found_and_suggested_while_one_types(new_phone, player):
    for name in ("Selin", "Suna"):
        PlayerFactory(club=player.club, name=name)
    phone = new_phone(MemberFactory(club=player.club, role="director").user, locale="tr")
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
