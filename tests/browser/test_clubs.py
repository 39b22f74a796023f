"""A club on two phones in Turkish: made on one, joined by its link on the other."""

from urllib.parse import urlsplit

import pytest
from django.test import Client
from playwright.sync_api import expect

from tests.browser.phone import LIGHT_AND_DARK
from tests.club_factories import AccountFactory, AuditLineFactory, TableFactory
from tests.deals import WHOLE_GAME
from tests.rating_factories import (
    PlayerRatingFactory,
    RatingChangeFactory,
    RatingPoolFactory,
)
from tournaments.models import Club, Member

pytestmark = pytest.mark.browser

SOON = 15_000


@pytest.fixture
def phone_of(table_phone):
    """Make a phone in Turkish whose holder has signed in."""

    def sign_in(phone, user):
        client = Client()
        client.force_login(user)
        session = client.cookies["sessionid"].value
        phone.context.add_cookies([{"name": "sessionid", "value": session, "url": phone.base}])

    def make(user=None, **settings):
        phone = table_phone(locale="tr", **settings)
        phone.become = lambda user: sign_in(phone, user)
        if user is not None:
            phone.become(user)
        return phone

    return make


def test_club_is_made_and_joined_by_its_link(phone_of):
    ada, ece = AccountFactory(first_name="Ada"), AccountFactory(first_name="Ece")
    owner, guest = phone_of(ada), phone_of()
    page = owner.page

    owner.open("/clubs/")
    assert owner.faults() == {}
    page.fill("[name=name]", "Moda King Kulübü")
    page.locator("main form button").last.tap()
    expect(page.locator("h1")).to_have_text("Moda King Kulübü", timeout=SOON)
    assert owner.faults() == {}

    owner.open("/clubs/moda-king-kulubu/people/")
    assert owner.faults() == {}
    page.locator(".actions a").tap()
    expect(page.locator("[name=role]:checked")).to_have_value("member", timeout=SOON)
    assert owner.faults() == {}
    page.locator("[name=many]").tap()
    page.locator(".actions button").tap()
    address = page.locator("#invitation-address")
    expect(address).to_be_visible(timeout=SOON)
    assert owner.faults() == {}

    link = urlsplit(address.input_value()).path
    guest.open(link)
    expect(guest.page.locator("h1")).to_contain_text("Moda King Kulübü")
    assert guest.faults() == {}
    sign_in = guest.page.locator(".actions a").first.get_attribute("href")
    assert sign_in == f"/accounts/login/?next={link}"
    guest.become(ece)
    guest.open(link)
    guest.page.locator(".actions button").tap()
    expect(guest.page.locator("main [role=status]")).to_contain_text(
        "Moda King Kulübü", timeout=SOON
    )
    assert guest.faults() == {}
    assert Member.objects.get(user=ece).role == "member"

    owner.open("/clubs/moda-king-kulubu/people/")
    page.get_by_role("link", name="Ece").tap()
    page.locator("[value=director]").tap()
    assert owner.faults() == {}
    page.locator("main form button").first.tap()
    expect(page.locator(".club-list").first).to_contain_text("yönetici", timeout=SOON)
    assert Member.objects.get(user=ece).role == "director"

    guest.open("/clubs/moda-king-kulubu/changes/")
    assert guest.faults() == {}
    expect(guest.page.locator(".club-changes li").first).to_contain_text("Ada")


def test_pages_of_an_owner_are_without_faults(phone_of):
    ada = AccountFactory(first_name="Ada")
    phone = phone_of(ada, **LIGHT_AND_DARK)
    club = Club.objects.create(slug="moda", name="Moda", created_at=ada.date_joined)
    Member.objects.create(club=club, user=ada, role="owner", joined_at=ada.date_joined)
    AuditLineFactory.create_batch(40, club=club, user=ada, address="192.0.2.7")
    one, other = rated_players(club)

    for path in (
        "/",
        "/me/",
        "/clubs/moda/",
        "/clubs/moda/settings/",
        "/clubs/moda/leave/",
        f"/clubs/moda/people/{ada.pk}/",
        "/clubs/moda/changes/?kind=settings",
        f"/clubs/moda/players/{one.public_id}/",
        f"/clubs/moda/players/{one.public_id}/against/",
        f"/clubs/moda/players/{one.public_id}/against/{other.public_id}/",
    ):
        phone.open(path)
        assert (path, phone.faults()) == (path, {})


def rated_players(club):
    """Two of four who have played a whole game, which was rated."""
    game = TableFactory(round__event__club=club, entries=WHOLE_GAME).games.get()
    one, other, *_rest = [seat.player for seat in game.seats.all()]
    pool = RatingPoolFactory(club=club)
    for player in (one, other):
        rating = PlayerRatingFactory(pool=pool, player=player)
        RatingChangeFactory(rating=rating, game=game)
    return one, other
