import logging
import re
import socket
from datetime import timedelta
from importlib import import_module
from io import StringIO

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.apps import apps
from django.contrib.auth.hashers import MD5PasswordHasher, make_password
from django.contrib.sessions.models import Session
from django.core import mail
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tests.factories import UserFactory
from tests.program_factories import TokenFactory
from tests.web.accounts.signing_in import (
    AYSE,
    CODE,
    FACTOR,
    PASSWORD,
    PROOF,
    SIGN_IN,
    SIGN_UP,
    forget_proofs,
    last_code,
    signed_in,
    takes_code,
)
from tournaments.models import PersonalToken, User

NEW_PASSWORD = {"password1": "havlu-sepet-44", "password2": "havlu-sepet-44"}
IPEK = "ipek@ornek.org"
SPELLINGS = (
    "İpek@ornek.org",
    "İPEK@ORNEK.ORG",
    "i\u0307pek@ornek.org",
    "ıpek@ornek.org",
    " Ipek@Ornek.ORG ",
    "ｉｐｅｋ＠ornek.org",
)


@pytest.mark.parametrize("typed", SPELLINGS)
def test_address_is_the_same_however_a_phone_spells_its_i(visitor, typed):
    visitor.post(SIGN_UP, {"email": typed})
    assert [letter.to for letter in mail.outbox] == [[IPEK]]
    visitor.post(PROOF, {"code": last_code().replace("-", "")})
    assert signed_in(visitor).email == IPEK

    for way in (SIGN_IN, reverse("account_request_login_code")):
        again = Client()
        field = "login" if way == SIGN_IN else "email"
        again.post(way, {field: typed})
        assert mail.outbox[-1].to == [IPEK]
        again.post(CODE, {"code": last_code().replace("-", "")})
        assert signed_in(again).email == IPEK
    Client().post(reverse("account_reset_password"), {"email": typed})
    assert mail.outbox[-1].to == [IPEK]


def test_address_with_a_dotted_i_signs_in_by_password_and_can_be_added(client):
    user = UserFactory(email=IPEK, password=make_password(PASSWORD))
    EmailAddress.objects.create(user=user, email=IPEK, verified=True, primary=True)
    client.post(SIGN_IN, {"login": "İpek@Ornek.org", "password": PASSWORD})
    assert signed_in(client) == user

    client.post(reverse("account_email"), {"action_add": "", "email": "İpek.İki@ornek.org"})
    assert mail.outbox[-1].to == ["ipek.iki@ornek.org"]


def test_stored_addresses_with_a_dot_are_mended_or_told(db, caplog):
    mended, told = UserFactory(email="i\u0307pek@ornek.org"), UserFactory(email="İnci@ornek.org")
    other = UserFactory(email="inci@ornek.org")
    for user in (mended, told, other):
        EmailAddress.objects.create(user=user, email=user.email, primary=True)
    migration = import_module("tournaments.migrations.0050_folded_addresses")

    migration.fold_addresses(apps, None)

    assert User.objects.get(pk=mended.pk).email == IPEK
    assert EmailAddress.objects.get(user=mended).email == IPEK
    assert User.objects.get(pk=told.pk).email == "İnci@ornek.org"
    assert f"Account {told.pk} has an address" in caplog.text
    assert str(mended.pk) not in [word for line in caplog.messages for word in line.split()]


def test_sign_up_takes_an_address_and_the_code_sent_there(visitor):
    asked = visitor.post(SIGN_UP, {"email": AYSE, "first_name": "Ayşe"})
    assert (asked.status_code, asked.url) == (302, PROOF)
    assert signed_in(visitor) is None
    assert [letter.to for letter in mail.outbox] == [[AYSE]]

    answer = visitor.post(PROOF, {"code": last_code().replace("-", "")}, follow=True)

    assert answer.redirect_chain == [(reverse("clubs"), 302)]
    assert [str(message) for message in answer.context["messages"]] == [
        "Hello Ayşe, you are signed in."
    ]
    user = signed_in(visitor)
    assert (user.email, user.first_name, user.is_staff) == (AYSE, "Ayşe", False)
    assert user.has_usable_password() is False
    assert EmailAddress.objects.get(user=user).verified


def test_password_needs_no_code_and_may_be_left_out_for_one(visitor, ayse):
    refused = visitor.post(SIGN_IN, {"login": AYSE, "password": "havlu"})
    assert refused.status_code == 422
    assert "The address or the password is not right." in refused.text

    answer = visitor.post(SIGN_IN, {"login": AYSE, "password": PASSWORD})

    assert (answer.status_code, answer.url) == (302, "/")
    assert signed_in(visitor) == ayse
    assert mail.outbox == []
    visitor.logout()
    # A passkey is another key and no second lock.
    data = {"name": "Telefon", "credential": {}}
    Authenticator.objects.create(user=ayse, type=Authenticator.Type.WEBAUTHN, data=data)
    asked = visitor.post(SIGN_IN, {"login": AYSE})
    assert (asked.status_code, asked.url) == (302, CODE)
    answer = visitor.post(CODE, {"code": last_code()})
    assert (answer.status_code, answer.url) == (302, "/")
    assert signed_in(visitor) == ayse


@pytest.mark.usefixtures("ayse")
@pytest.mark.parametrize(
    ("path", "field", "email"),
    [
        (SIGN_IN, "login", AYSE),
        (SIGN_UP, "email", "yeni@ornek.org"),
        (reverse("account_reset_password"), "email", AYSE),
    ],
)
def test_mailed_code_is_valid_for_ten_minutes(visitor, monkeypatch, path, field, email):
    page = visitor.post(path, {field: email}).url

    assert "The code is valid for 10 minutes." in mail.outbox[-1].body
    assert takes_code(visitor, page, monkeypatch, after=9 * 60 + 50)
    assert not takes_code(visitor, page, monkeypatch, after=10 * 60 + 1)


def test_one_address_cannot_try_on_and_on(visitor):
    tries = [visitor.post(SIGN_UP, {}).status_code for _ in range(61)]

    assert tries == [422] * 60 + [429]
    assert "That was tried too often" in visitor.post(SIGN_UP, {}).text
    # Looking costs nothing.
    assert visitor.get(SIGN_UP).status_code == 200


def shown(answer, email):
    text = re.sub(r'csrfmiddlewaretoken" value="\w+"', "", answer.content.decode())
    return answer.status_code, answer.headers.get("Location"), text.replace(email, "…")


@pytest.mark.parametrize(
    ("path", "field", "more"),
    [
        (SIGN_IN, "login", {}),
        (SIGN_IN, "login", {"password": "havlu"}),
        (SIGN_UP, "email", {}),
        (reverse("account_request_login_code"), "email", {}),
        (reverse("account_reset_password"), "email", {}),
    ],
)
def test_page_does_not_tell_who_has_an_account(ayse, path, field, more):
    answers = []
    for email in (AYSE, "kimse@ornek.org"):
        visitor = Client(headers={"accept-language": "en"})
        first = visitor.post(path, {field: email, **more})
        told = [shown(first, email)]
        if first.status_code == 302:
            told.append(shown(visitor.get(first.url), email))
            told += [shown(visitor.post(first.url, {"code": "1"}), email) for _ in range(3)]
        answers.append(told)

    assert answers[0] == answers[1]


class CountingHasher(MD5PasswordHasher):
    """Counts how often a password is hashed, which takes nearly all the time of a sign-in."""

    hashed = 0

    def encode(self, password, salt):
        type(self).hashed += 1
        return super().encode(password, salt)


def hashes_of(login, password):
    before = CountingHasher.hashed
    Client().post(SIGN_IN, {"login": login, "password": password})
    return CountingHasher.hashed - before


def test_every_try_to_sign_in_costs_one_hash(ayse, settings):
    settings.PASSWORD_HASHERS = [f"{__name__}.CountingHasher"]
    UserFactory(username="sahip", email="", password=make_password(PASSWORD))
    UserFactory(username="kodcu", email="kodcu@ornek.org", password=make_password(None))
    gone = UserFactory(email="eski@ornek.org", is_active=False, password=make_password(PASSWORD))
    twice = [UserFactory(email="iki@ornek.org", password=make_password(PASSWORD)) for _ in "ab"]
    assert len({gone, *twice}) == 3

    costs = {
        "right": hashes_of(AYSE, PASSWORD),
        "wrong": hashes_of(AYSE, "havlu"),
        "unknown": hashes_of("kimse@ornek.org", "havlu"),
        "user name": hashes_of("sahip", "havlu"),
        "unknown user name": hashes_of("kimse", "havlu"),
        "no password set": hashes_of("kodcu@ornek.org", "havlu"),
        "not active": hashes_of("eski@ornek.org", PASSWORD),
        "two accounts": hashes_of("iki@ornek.org", "havlu"),
        "tried too often": [hashes_of(AYSE, "havlu") for _ in range(6)][-1],
        "unknown, too often": [hashes_of("kimse@ornek.org", "havlu") for _ in range(6)][-1],
    }

    assert costs == dict.fromkeys(costs, 1)


def test_who_has_no_account_learns_it_by_mail_only(visitor, ayse):
    visitor.post(SIGN_IN, {"login": "kimse@ornek.org"})
    Client().post(SIGN_UP, {"email": AYSE})

    unknown, known = mail.outbox
    assert (unknown.to, known.to) == (["kimse@ornek.org"], [AYSE])
    assert f"http://testserver{SIGN_UP}" in unknown.body
    assert f"http://testserver{SIGN_IN}" in known.body
    assert re.findall(r"\d{4}-\d{4}", unknown.body + known.body) == []


@pytest.fixture
def two_devices(ayse):
    devices = []
    for agent in (
        "Mozilla/5.0 (iPhone; …) Safari/604.1",
        "Mozilla/5.0 (Android 15; …) Firefox/140",
    ):
        devices.append(Client(headers={"user-agent": agent, "accept-language": "en"}))
        devices[-1].post(SIGN_IN, {"login": AYSE, "password": PASSWORD})
    return devices


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("account_change_password", {"oldpassword": PASSWORD, **NEW_PASSWORD}),
        ("usersessions_list", {}),
    ],
)
def test_new_password_signs_out_all_other_devices(two_devices, page, words):
    here, there = two_devices

    here.post(reverse(page), words)

    assert there.get(reverse("account_email")).status_code == 302
    assert here.get(reverse("account_email")).status_code == 200


@pytest.mark.parametrize(
    ("password", "taken"),
    [("904817263558", True), ("sepet-havlu", False), ("professional", False)],
)
def test_password_is_long_and_uncommon_and_of_any_characters(visitor, ayse, password, taken):
    visitor.force_login(ayse)
    words = {"oldpassword": PASSWORD, "password1": password, "password2": password}
    answer = visitor.post(reverse("account_change_password"), words)
    assert answer.status_code == (302 if taken else 422)
    ayse.refresh_from_db()
    assert ayse.check_password(password if taken else PASSWORD)


def test_forgotten_password_is_replaced_with_a_code(visitor, ayse):
    asked = visitor.post(reverse("account_reset_password"), {"email": AYSE})
    confirmed = visitor.post(asked.url, {"code": last_code()})

    tokens = [TokenFactory(user=ayse), TokenFactory()]
    visitor.post(confirmed.url, NEW_PASSWORD)

    assert signed_in(visitor) == ayse
    ayse.refresh_from_db()
    assert ayse.check_password(NEW_PASSWORD["password1"])
    # Whoever had the old one may have made a token; those of others stay.
    assert list(PersonalToken.objects.all()) == tokens[1:]
    assert mail.outbox[-1].subject == "Kingscore: your password was changed"


def test_sign_in_of_long_ago_is_no_proof(visitor, ayse):
    visitor.post(SIGN_IN, {"login": AYSE, "password": PASSWORD})
    forget_proofs(visitor)

    asked = visitor.post(reverse("account_email"), {"email": "yeni@ornek.org", "action_add": ""})
    assert asked.url.startswith(reverse("account_reauthenticate"))
    assert [row.email for row in EmailAddress.objects.filter(user=ayse)] == [AYSE]
    assert mail.outbox == []
    asked = visitor.get(reverse("mfa_add_webauthn"))
    assert asked.url.startswith(reverse("account_reauthenticate"))
    refused = visitor.post(asked.url, {"password": "havlu"})
    assert (refused.status_code, "Is it you?" in refused.text) == (422, True)
    visitor.post(asked.url, {"password": PASSWORD})

    assert visitor.get(reverse("mfa_add_webauthn")).status_code == 200


@pytest.mark.parametrize(("proxies", "seen"), [(0, "127.0.0.1"), (1, "192.0.2.9")])
def test_address_of_a_visitor_is_read_behind_as_many_proxies_as_there_are(
    settings, ayse, proxies, seen
):
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = proxies
    visitor = Client(headers={"x-forwarded-for": "203.0.113.7, 192.0.2.9"})

    visitor.post(SIGN_IN, {"login": AYSE, "password": PASSWORD})

    assert UserSession.objects.get().ip == seen


@pytest.fixture
def mail_log(caplog):
    logger = logging.getLogger("kingscore.mail")
    logger.addHandler(caplog.handler)
    yield caplog
    logger.removeHandler(caplog.handler)


@pytest.mark.parametrize("email", ["", "sahip@ornek.org"])
def test_owner_of_the_server_gets_into_the_office_by_user_name(
    visitor, monkeypatch, mail_log, email
):
    monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", PASSWORD)
    words = {"username": "sahip", "email": email, "interactive": False, "stdout": StringIO()}
    call_command("createsuperuser", **words)
    office = reverse("admin:index")
    page = visitor.get(office, follow=True)
    assert page.redirect_chain[-1][0].startswith(SIGN_IN)

    form = {"login": "sahip", "password": PASSWORD, "next": office}
    answer = visitor.post(SIGN_IN, form)
    if email:
        assert answer.url.startswith(PROOF)
        answer = visitor.post(answer.url, {"code": last_code(), "next": office})

    assert answer.url == office
    page = visitor.get(office, follow=True)
    assert page.redirect_chain == [(f"{FACTOR}?next=%2Foffice%2F", 302)]
    asked = visitor.post(FACTOR, {"action": "send", "next": office})
    visitor.get(asked.url)
    # Without an address it is in the log, which the owner of the server reads.
    code = last_code() if email else re.search(r"\d{4}-\d{4}", mail_log.text)[0]
    assert visitor.post(FACTOR, {"code": code, "next": office}).url == office
    assert visitor.get(office).status_code == 200


def test_deaf_mail_server_is_said_and_breaks_nothing(visitor, settings, caplog):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        nobody = taken.getsockname()[1]
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", nobody

    answer = visitor.post(SIGN_UP, {"email": AYSE}, follow=True)

    assert answer.redirect_chain == [(PROOF, 302)]
    for page in (answer.text, visitor.get(PROOF).text):
        assert page.count("The e-mail could not be sent. Try again later.") == 1
        assert "We have sent it" not in page
    assert "The mail server did not take a mail" in caplog.text
    for backend, told in (
        (settings.LOG_BACKEND, "the code is in the log of the server."),
        ("django.core.mail.backends.locmem.EmailBackend", "We have sent it"),
    ):
        settings.EMAIL_BACKEND = backend
        page = visitor.post(PROOF, {"action": "resend"}, follow=True).text
        assert told in page
        assert "could not be sent" not in page
    assert "in the log" not in page


def test_office_does_not_say_that_a_refused_mail_was_sent(visitor, settings, monkeypatch):
    User.objects.create_superuser("sahip", AYSE, PASSWORD).emailaddress_set.create(
        email=AYSE, verified=True
    )
    visitor.post(SIGN_IN, {"login": "sahip", "password": PASSWORD})
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST = "127.0.0.1"
    monkeypatch.setattr("smtplib.SMTP.connect", _refuse)

    page = visitor.post(FACTOR, {"action": "send"}, follow=True).text

    assert page.count("The e-mail could not be sent. Try again later.") == 1
    assert "We have sent" not in page


def _refuse(*_words):
    raise ConnectionRefusedError


def test_session_ends_a_month_after_its_last_use(visitor, ayse, settings):
    answer = visitor.post(SIGN_IN, {"login": AYSE, "password": PASSWORD})
    assert answer.cookies["sessionid"]["max-age"] == 30 * 24 * 60 * 60
    # Stored in the sessions of older versions: another path would sign everybody out.
    assert visitor.session["_auth_user_backend"] == "kingscore.sign_in.OneHashBackend"
    assert import_module(settings.SESSION_ENGINE).__name__.endswith("db")
    # Used on the same day it costs nothing.
    assert "sessionid" not in visitor.get("/").cookies
    session = visitor.session
    session["used_at"] -= 25 * 60 * 60
    session.save()
    Session.objects.update(expire_date=timezone.now() + timedelta(minutes=1))

    assert visitor.get("/").cookies["sessionid"]["max-age"] == 30 * 24 * 60 * 60

    assert Session.objects.get().expire_date > timezone.now() + timedelta(days=29)


def test_sign_in_leads_back_and_never_to_another_site(visitor, ayse):
    data = {"login": AYSE, "password": PASSWORD}
    back = visitor.post(SIGN_IN, {**data, "next": "/rules/"})
    away = Client().post(SIGN_IN, {**data, "next": "https://evil.example.org/"})

    assert (back.url, away.url) == ("/rules/", "/")


OFFICE = reverse("admin:index")
WAY = f"{FACTOR}?next=%2Foffice%2F"


@pytest.fixture
def staff(ayse):
    User.objects.update(is_staff=True, is_superuser=True)
    return ayse


@pytest.fixture
def officer(staff, client):
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
def test_every_page_of_the_office_asks_for_it(officer, path):
    answer = officer.get(path)

    assert answer.status_code == 302
    assert answer.url.startswith(f"{FACTOR}?next=")
    assert officer.post(path, {"is_active": ""}).url == WAY


def test_code_opens_the_office_for_twelve_hours(officer):
    sent = send(officer)
    assert sent.url == WAY
    assert AYSE in officer.get(sent.url).text
    assert mail.outbox[-1].to == [AYSE]

    answer = officer.post(FACTOR, {"code": last_code(), "next": reverse("status")})

    assert answer.url == reverse("status")
    assert officer.get(OFFICE).status_code == 200
    # Each session asks for itself.
    other = Client()
    other.post(SIGN_IN, {"login": AYSE, "password": PASSWORD})
    assert other.get(OFFICE).url == WAY
    age(officer, 12 * 60 * 60 + 1)
    assert officer.get(OFFICE).url == WAY


def test_code_of_the_sign_in_is_no_second_one(staff, client):
    client.post(SIGN_IN, {"login": AYSE})
    client.post(CODE, {"code": last_code()})

    assert client.get(OFFICE).url == WAY


def test_code_is_valid_for_ten_minutes(officer, monkeypatch):
    page = send(officer).url

    assert "The code is valid for 10 minutes." in mail.outbox[-1].body
    assert takes_code(officer, page, monkeypatch, after=9 * 60 + 50)
    assert not takes_code(officer, page, monkeypatch, after=10 * 60 + 1)


def test_way_does_not_lead_to_another_site(officer):
    send(officer)

    answer = officer.post(FACTOR, {"code": last_code(), "next": "https://evil.example.org/"})

    assert answer.url == OFFICE
