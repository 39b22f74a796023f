import json
import re

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.test import Client
from django.urls import reverse

from kingscore.observing.logs import JsonFormatter
from tests.club_factories import AccountFactory
from tests.web.accounts.signing_in import (
    AYSE,
    CODE,
    FACTOR,
    PASSWORD,
    PROOF,
    SIGN_IN,
    SIGN_UP,
    last_code,
    signed_in,
)
from tournaments.models import User

RESET = reverse("account_reset_password")
ASK_CODE = reverse("account_request_login_code")
REAUTHENTICATE = reverse("account_reauthenticate")
HERE, THERE = "192.0.2.1", "198.51.100.7"
TOO_OFTEN = "That was tried too often."


def browser(network=HERE):
    return Client(REMOTE_ADDR=network, headers={"accept-language": "en"})


def try_passwords(number, network, password="havlu"):
    for _ in range(number):
        answer = browser(network).post(SIGN_IN, {"login": AYSE, "password": password})
    return answer


def sign_in(client, **words):
    client.post(SIGN_IN, {"login": AYSE, "password": PASSWORD, **words})
    return signed_in(client)


def sign_in_by_code(client):
    asked = client.post(SIGN_IN, {"login": AYSE})
    if asked.status_code == 302:
        client.post(CODE, {"code": last_code()})
    return signed_in(client)


@pytest.fixture
def known(ayse):
    client = browser()
    assert sign_in(client) == ayse
    client.post(reverse("account_logout"))
    assert signed_in(client) is None
    return client


def test_wrong_passwords_from_elsewhere_lock_nobody_out(ayse):
    assert TOO_OFTEN in try_passwords(6, THERE).text

    assert sign_in(browser(THERE)) is None
    assert sign_in(browser(HERE)) == ayse


def test_wrong_passwords_of_the_same_network_do_not_lock_out_a_known_device(known, ayse):
    try_passwords(6, HERE)

    assert sign_in(browser(HERE)) is None
    assert sign_in(known) == ayse


def test_wrong_passwords_from_everywhere_leave_codes_and_known_devices(known, ayse):
    for last in range(11):
        try_passwords(5, f"203.0.113.{last}")

    assert sign_in(browser(THERE)) is None
    assert sign_in_by_code(browser(THERE)) == ayse
    assert sign_in(known) == ayse


def test_codes_asked_for_by_strangers_lock_nobody_out(known, ayse):
    for _ in range(6):
        answer = browser(HERE).post(SIGN_IN, {"login": AYSE})
    assert (answer.status_code, TOO_OFTEN in answer.text) == (422, True)

    assert sign_in_by_code(known) == ayse
    assert sign_in_by_code(browser(THERE)) == ayse


def test_flood_of_one_network_does_not_lock_out_a_known_device(known, ayse):
    statuses = [browser(HERE).post(SIGN_IN, {"login": "x"}).status_code for _ in range(61)]
    # Signing in the known device was one.
    assert statuses == [422] * 59 + [429] * 2

    assert browser(HERE).post(SIGN_IN, {"login": AYSE}).status_code == 429
    assert sign_in(known) == ayse


def test_known_device_has_limits_of_its_own(known):
    for _ in range(5):
        known.post(SIGN_IN, {"login": AYSE, "password": "havlu"})

    assert sign_in(known) is None


def test_device_is_known_for_its_own_account_only(known, ayse):
    other = AccountFactory(email="deniz@ornek.org")
    stranger = browser(THERE)
    other.set_password(PASSWORD)
    other.save()
    EmailAddress.objects.create(user=other, email=other.email, verified=True, primary=True)
    stranger.post(SIGN_IN, {"login": other.email, "password": PASSWORD})
    try_passwords(5, HERE)
    mine = known.cookies["device"].value

    for value in ("", "x", mine[:-1], stranger.cookies["device"].value):
        client = browser(HERE)
        client.cookies["device"] = value
        assert sign_in(client) is None
    try_passwords(5, HERE, password="x")
    known.post(SIGN_IN, {"login": other.email, "password": "havlu"})
    assert sign_in(known) == ayse


@pytest.mark.parametrize(
    ("other", "found"),
    [("2001:db8:0:1:ffff::9", None), ("2001:db8:0:2::1", AYSE)],
    ids=["the same network", "another network"],
)
def test_ipv6_is_counted_by_network(ayse, other, found):
    try_passwords(5, "2001:db8:0:1::1")

    user = sign_in(browser(other))

    assert (user and user.email) == found


def test_strangers_do_not_use_up_the_tries_to_prove_oneself(ayse):
    # Not by the page: the device is as unknown as theirs.
    client = browser(HERE)
    client.force_login(ayse)
    try_passwords(6, HERE)
    asked = client.get(reverse("mfa_add_webauthn"))

    client.post(asked.url, {"password": PASSWORD})

    assert client.get(reverse("mfa_add_webauthn")).status_code == 200


def test_signed_in_thief_cannot_guess_the_password(ayse):
    client = browser(HERE)
    client.force_login(ayse)

    statuses = [client.post(REAUTHENTICATE, {"password": "havlu"}).status_code for _ in range(11)]

    assert statuses == [422] * 10 + [429]


def mails_to(email):
    return sum(letter.to == [email] for letter in mail.outbox)


@pytest.mark.parametrize(
    ("path", "field", "most"),
    [(SIGN_UP, "email", 5), (SIGN_IN, "login", 20), (ASK_CODE, "email", 20), (RESET, "email", 20)],
)
@pytest.mark.parametrize("email", [AYSE, "kimse@ornek.org"])
def test_one_address_gets_few_mails_an_hour_from_everywhere(ayse, path, field, most, email):
    for number in range(most + 2):
        answer = browser(f"203.0.113.{number // 5}").post(path, {field: email})

    assert mails_to(email) == most
    assert (answer.status_code, TOO_OFTEN in answer.text) == (422, True)


@pytest.mark.parametrize(
    ("path", "field", "most"),
    [(SIGN_UP, "email", 20), (RESET, "email", 20), (ASK_CODE, "email", 60)],
)
def test_one_network_is_sent_few_mails_an_hour(path, field, most):
    for number in range(most + 1):
        answer = browser().post(path, {field: f"kimse{number}@ornek.org"})

    assert len(mail.outbox) == most
    assert (answer.status_code, TOO_OFTEN in answer.text) == (422, True)
    assert User.objects.filter(email=f"kimse{most}@ornek.org").count() == 0


@pytest.mark.parametrize(
    ("path", "field", "code"), [(SIGN_IN, "login", CODE), (SIGN_UP, "email", PROOF)]
)
def test_asking_for_another_code_counts_whoever_it_is(ayse, path, field, code):
    statuses = {}
    for email in (AYSE, "kimse@ornek.org"):
        statuses[email] = []
        for _ in range(2):
            client = browser()
            client.post(path, {field: email})
            asked = [client.post(code, {"action": "resend"}) for _ in range(2)]
            statuses[email] += [answer.status_code for answer in asked]

    assert statuses[AYSE] == statuses["kimse@ornek.org"] == [302, 302, 302, 429]
    assert max(mails_to(AYSE), mails_to("kimse@ornek.org")) <= 5


def kinds_logged(caplog, module):
    """Which kinds the log tells; never of whom."""
    found = [record for record in caplog.records if record.name == f"kingscore.observing.{module}"]
    text = "".join(record.getMessage() for record in found)
    assert not re.search(r"@|192\.0\.2|ayse|/", text)
    return [record.kind for record in found]


def test_log_tells_what_was_refused(known, ayse, caplog):
    caplog.set_level("INFO", "kingscore.observing.refusals")
    client = browser(THERE)
    client.post(SIGN_IN, {"login": AYSE, "password": "havlu"})
    client.post(SIGN_IN, {"login": AYSE})
    client.post(CODE, {"code": "1"})
    try_passwords(6, HERE)
    sign_in(known)
    known.get("/clubs/moda/")
    known.get("/office/login/")
    browser().get("/clubs/moda/")
    browser().get("/api/v1/me/", headers={"authorization": "Bearer ks_wrong"})

    assert kinds_logged(caplog, "refusals") == [
        "sign-in by password",
        "sign-in by code",
        *["sign-in by password"] * 5,
        "limit password",
        "permission",
        "permission",
        "token",
    ]


def test_log_tells_what_was_accepted(ayse, caplog):
    caplog.handler.setFormatter(JsonFormatter())
    User.objects.update(is_staff=True)
    new, forgetful = browser(), browser()
    new.post(SIGN_UP, {"email": "yeni@ornek.org"})
    new.post(PROOF, {"code": last_code()})
    sign_in_by_code(browser())
    confirmed = forgetful.post(forgetful.post(RESET, {"email": AYSE}).url, {"code": last_code()})
    forgetful.post(confirmed.url, {"password1": PASSWORD, "password2": PASSWORD})
    client = Client(headers={"x-request-id": "of-the-proxy-1"})
    sign_in(client)
    client.post(REAUTHENTICATE, {"password": PASSWORD})
    client.post(FACTOR, {"action": "send"})
    client.post(FACTOR, {"code": last_code()})
    # The password is right, the address not proved yet.
    EmailAddress.objects.update(verified=False)
    sign_in(browser())

    assert kinds_logged(caplog, "sign_ins") == [
        "sign-in by code",
        "sign-in by code",
        "sign-in by password reset",
        "sign-in by password",
        "reauthentication by password",
        "second factor by code",
    ]
    lines = [json.loads(line) for line in caplog.text.splitlines() if "sign_ins" in line]
    assert {line["request_id"] for line in lines[3:]} == {"of-the-proxy-1"}
