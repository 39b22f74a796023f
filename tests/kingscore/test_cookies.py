import pytest
from django.test import Client
from django.urls import reverse

from tests.club_factories import AccountFactory
from tests.factories import GameFactory
from tournaments.web.base.phone import address

pytestmark = pytest.mark.django_db

ME = reverse("me")


@pytest.fixture
def phone(settings):
    settings.HTTPS = True
    return Client()


def test_every_cookie_has_a_prefix_and_comes_back(phone):
    game = GameFactory()
    path = address(game, "write")
    phone.post(reverse("preferences"), {"theme": "dark"}, secure=True)
    phone.post(reverse("set_language"), {"language": "tr"}, secure=True)
    phone.get(path, secure=True)
    turn = reverse("holder", args=[game.public_id, game.secret("write")])
    phone.post(turn, {"holder": "1"}, secure=True)
    phone.post(reverse("account_signup"), {"email": "ayse@ornek.org"}, secure=True)

    names = {name: cookie["path"] for name, cookie in phone.cookies.items()}
    assert names.pop("__Secure-holder") == path
    assert set(names.values()) == {"/"}
    assert all(name.startswith("__Host-") for name in names)
    assert set(names) >= {
        *("__Host-sessionid", "__Host-csrftoken", "__Host-django_language"),
        *("__Host-theme", "__Host-games"),
    }
    assert all(cookie["secure"] and not cookie["domain"] for cookie in phone.cookies.values())
    home = phone.get("/", secure=True)
    assert 'lang="tr" data-theme="dark"' in home.text
    assert address(game, "write") in home.text


def test_session_set_by_another_host_of_the_domain_is_not_taken(phone):
    owner = Client()
    owner.force_login(AccountFactory())
    session = owner.cookies["sessionid"].value
    phone.cookies["sessionid"] = session
    assert phone.get(ME, secure=True).status_code == 302

    phone.cookies["__Host-sessionid"] = session

    assert phone.get(ME, secure=True).status_code == 200


def test_games_that_a_phone_kept_before_are_still_there(phone):
    game = GameFactory()
    before = Client()
    before.get(address(game, "write"), secure=True)
    phone.cookies["games"] = before.cookies["__Host-games"].value

    assert address(game, "write") in phone.get("/", secure=True).text


def test_form_is_taken_with_the_token_of_its_cookie(phone):
    strict = Client(enforce_csrf_checks=True, headers={"referer": "https://testserver/"})
    strict.get(reverse("account_login"), secure=True)
    token = strict.cookies["__Host-csrftoken"].value

    refused = strict.post(reverse("preferences"), {"theme": "dark"}, secure=True)
    taken = strict.post(
        reverse("preferences"), {"theme": "dark"}, secure=True, headers={"x-csrftoken": token}
    )

    assert (refused.status_code, taken.status_code) == (403, 302)
