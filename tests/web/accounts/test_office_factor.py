import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse

from tests.web.accounts.signing_in import (
    AYSE,
    CODE,
    FACTOR,
    PASSWORD,
    SIGN_IN,
    last_code,
    takes_code,
)
from tournaments.models import User

OFFICE = reverse("admin:index")
WAY = f"{FACTOR}?next=%2Foffice%2F"


@pytest.fixture
def staff(ayse):
    User.objects.update(is_staff=True, is_superuser=True)
    return ayse


@pytest.fixture
def visitor(staff, client):
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = "en"
    client.post(SIGN_IN, {"login": AYSE, "password": PASSWORD})
    return client


def send(client):
    return client.post(FACTOR, {"action": "send", "next": OFFICE})


def age(client, seconds):
    session = client.session
    for shown in session["account_authentication_methods"]:
        shown["at"] -= seconds
    session.save()


@pytest.mark.parametrize(
    "path", [OFFICE, reverse("status"), reverse("admin:tournaments_user_changelist"), "/office/x/"]
)
def test_every_page_of_the_office_asks_for_it(visitor, path):
    answer = visitor.get(path)

    assert answer.status_code == 302
    assert answer.url.startswith(f"{FACTOR}?next=")
    assert visitor.post(path, {"is_active": ""}).url == WAY


def test_code_opens_the_office_for_twelve_hours(visitor):
    sent = send(visitor)
    assert sent.url == WAY
    assert AYSE in visitor.get(sent.url).text
    assert mail.outbox[-1].to == [AYSE]

    answer = visitor.post(FACTOR, {"code": last_code(), "next": reverse("status")})

    assert answer.url == reverse("status")
    assert visitor.get(OFFICE).status_code == 200
    age(visitor, 12 * 60 * 60 + 1)
    assert visitor.get(OFFICE).url == WAY


def test_each_session_asks_for_itself(visitor):
    send(visitor)
    visitor.post(FACTOR, {"code": last_code()})
    other = Client()
    other.post(SIGN_IN, {"login": AYSE, "password": PASSWORD})

    assert visitor.get(OFFICE).status_code == 200
    assert other.get(OFFICE).url == WAY


def test_code_of_the_sign_in_is_no_second_one(staff, client):
    client.post(SIGN_IN, {"login": AYSE})
    client.post(CODE, {"code": last_code()})

    assert client.get(OFFICE).url == WAY


def test_code_is_valid_for_ten_minutes(visitor, monkeypatch):
    page = send(visitor).url

    assert "The code is valid for 10 minutes." in mail.outbox[-1].body
    assert takes_code(visitor, page, monkeypatch, after=9 * 60 + 50)
    assert not takes_code(visitor, page, monkeypatch, after=10 * 60 + 1)


def test_way_does_not_lead_to_another_site(visitor):
    send(visitor)

    answer = visitor.post(FACTOR, {"code": last_code(), "next": "https://evil.example.org/"})

    assert answer.url == OFFICE


def test_who_is_not_of_the_staff_has_no_way(ayse, client):
    client.force_login(ayse)

    assert client.get(FACTOR).status_code == 404
    assert client.get(OFFICE, follow=True).status_code == 403
