"""Accounts in Chromium: signed up on a phone, with a passkey, on two devices."""

import re

import pytest
from django.core import mail
from django.core.cache import cache
from django.urls import reverse
from playwright.sync_api import expect

from tournaments.models import User

pytestmark = pytest.mark.browser

AYSE = "ayse@ornek.org"
KEY = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


@pytest.fixture(autouse=True)
def counts_forgotten():
    """What was counted against guessing is of no concern to the next test."""
    yield
    cache.clear()


def last_code():
    return re.search(r"^\d{4}-\d{4}$", mail.outbox[-1].body, re.MULTILINE)[0]


def submit(phone, path):
    """Tap the button at the bottom, and wait for the next page."""
    phone.tap(phone.page.locator(".actions button"))
    phone.page.wait_for_url(lambda url: url == f"{phone.base}{path}")


def sign_up(phone):
    phone.open("/")
    phone.tap(phone.page.locator(".masthead .link"))
    phone.tap(phone.page.locator(f"main a[href='{reverse('account_signup')}']"))
    phone.page.fill("[name=email]", AYSE)
    submit(phone, reverse("account_email_verification_sent"))
    phone.page.fill("[name=code]", last_code())
    submit(phone, "/")


def sign_in(phone):
    phone.open(reverse("account_login"))
    phone.page.fill("[name=login]", AYSE)
    submit(phone, reverse("account_confirm_login_code"))
    phone.page.fill("[name=code]", last_code())
    submit(phone, "/")


def sign_out(phone):
    phone.open(reverse("account_logout"))
    submit(phone, "/")


def add_passkey(phone):
    session = phone.context.new_cdp_session(phone.page)
    session.send("WebAuthn.enable")
    session.send("WebAuthn.addVirtualAuthenticator", {"options": KEY})
    phone.open(reverse("mfa_list_webauthn"))
    phone.page.locator(".actions a").tap()
    phone.page.fill("[name=name]", "Telefonum")
    submit(phone, reverse("mfa_list_webauthn"))


def test_sign_up_in_turkish_takes_four_taps(new_phone):
    phone = new_phone(locale="tr")

    sign_up(phone)

    # To the door, to the sign-up, for the code, with the code.
    assert phone.taps == 4
    assert User.objects.get().email == AYSE
    expect(phone.page.locator(".messages")).to_contain_text(f"Merhaba {AYSE}")
    assert mail.outbox[0].subject == "Kingscore: e-posta adresinizi doğrulayın"


def pages_before(phone):
    """What somebody sees who is not in yet, the refused forms among it."""
    phone.open(reverse("account_login"))
    phone.page.locator("summary").tap()
    phone.page.fill("[name=login]", AYSE)
    phone.page.fill("[name=password]", "yanlış")
    phone.tap(phone.page.locator(".actions button"))
    phone.page.wait_for_selector(".notice-bad")
    yield "sign-in, refused"
    phone.open(reverse("account_signup"))
    phone.tap(phone.page.locator(".actions button"))
    phone.page.wait_for_selector(".errors")
    yield "sign-up, refused"
    phone.page.fill("[name=email]", AYSE)
    submit(phone, reverse("account_email_verification_sent"))
    phone.page.fill("[name=code]", "1")
    phone.tap(phone.page.locator(".actions button"))
    phone.page.wait_for_selector(".errors")
    yield "code, refused"
    phone.page.fill("[name=code]", last_code())
    submit(phone, "/")
    yield "first page"


def pages_within(phone):
    """The pages of the account."""
    for name in ("account_email", "account_set_password", "usersessions_list", "account_logout"):
        phone.open(reverse(name))
        yield name
    add_passkey(phone)
    yield "passkeys"
    for link in ("edit", "remove"):
        phone.open(reverse("mfa_list_webauthn"))
        phone.page.locator(f"a[href*='/{link}/']").tap()
        phone.page.wait_for_url(re.compile(link))
        yield link
    phone.open(reverse("mfa_add_webauthn"))
    yield "add"
    phone.open(reverse("account_set_password"))
    phone.page.fill("[name=password1]", "sepet-havlu-33")
    phone.page.fill("[name=password2]", "sepet-havlu-33")
    submit(phone, reverse("account_change_password"))
    yield "password"


@pytest.mark.parametrize(("language", "scheme"), [("tr", "dark"), ("it", "light")])
def test_pages_of_an_account_have_no_faults(new_phone, language, scheme):
    phone = new_phone(locale=language, color_scheme=scheme)
    faults = {name: phone.faults() for name in pages_before(phone)}
    faults |= {name: phone.faults() for name in pages_within(phone)}
    sign_out(phone)
    phone.open(reverse("account_reset_password"))
    faults["password forgotten"] = phone.faults()

    assert {name: found for name, found in faults.items() if found} == {}
    assert len(faults) == 14


def test_passkey_opens_the_door_by_itself(new_phone):
    phone = new_phone()
    sign_up(phone)
    add_passkey(phone)
    expect(phone.page.locator(".things li")).to_contain_text("Telefonum")
    sign_out(phone)
    letters = len(mail.outbox)

    phone.open(reverse("account_login"))
    phone.page.get_by_role("button", name="Sign in with a passkey").tap()
    phone.page.wait_for_url(f"{phone.base}/")

    expect(phone.page.locator(".messages")).to_contain_text(f"Hello {AYSE}")
    assert len(mail.outbox) == letters
    phone.open(reverse("mfa_list_webauthn"))
    phone.page.get_by_role("link", name="Remove Telefonum").tap()
    submit(phone, reverse("mfa_list_webauthn"))
    expect(phone.page.locator(".things")).to_have_count(0)


def test_passkey_proves_who_it_is_once_more(new_phone):
    phone = new_phone()
    sign_up(phone)
    add_passkey(phone)
    forget_when_signed_in()

    phone.open(reverse("mfa_add_webauthn"))
    phone.page.wait_for_url(re.compile(reverse("mfa_reauthenticate_webauthn")))
    phone.page.get_by_role("button", name="Use a passkey").tap()

    phone.page.wait_for_url(re.compile(reverse("mfa_add_webauthn")))


def test_passkey_opens_the_office(new_phone):
    phone = new_phone(locale="tr", color_scheme="dark")
    sign_up(phone)
    add_passkey(phone)
    User.objects.update(is_staff=True)

    phone.open(reverse("admin:index"))
    phone.page.wait_for_url(re.compile(reverse("office_factor")))
    faults = phone.faults()
    phone.page.locator("main a[href*=next]").tap()
    phone.page.wait_for_url(re.compile(reverse("mfa_reauthenticate_webauthn")))
    phone.tap(phone.page.locator("#mfa_webauthn_reauthenticate"))

    phone.page.wait_for_url(f"{phone.base}{reverse('admin:index')}")
    assert faults == {}


def forget_when_signed_in():
    """As if the sign-in was of another day."""
    from django.contrib.sessions.backends.db import SessionStore
    from django.contrib.sessions.models import Session

    session = SessionStore(Session.objects.get().pk)
    session["signed_in_at"] = 0
    session.save()


def test_failing_passkey_is_said_on_the_page(new_phone):
    phone = new_phone()
    phone.open(reverse("account_login"))
    session = phone.context.new_cdp_session(phone.page)
    session.send("WebAuthn.enable")
    # A phone that knows nobody.
    session.send("WebAuthn.addVirtualAuthenticator", {"options": KEY})

    phone.page.get_by_role("button", name="Sign in with a passkey").tap()

    expect(phone.page.get_by_role("alert")).to_contain_text("That did not work.")


def test_without_passkeys_in_the_browser_none_are_offered(new_phone):
    phone = new_phone()
    phone.context.add_init_script("delete window.PublicKeyCredential")
    phone.open(reverse("account_login"))

    expect(phone.page.locator("#passkey_login")).to_be_hidden()


def test_lost_phone_is_signed_out_from_another(new_phone):
    lost, other = new_phone(), new_phone()
    sign_up(lost)
    cache.clear()
    sign_in(other)
    other.open(reverse("usersessions_list"))
    expect(other.page.locator(".things li")).to_have_count(2)

    other.page.locator(".things button").tap()
    expect(other.page.locator(".things li")).to_have_count(1)

    lost.open(reverse("account_email"))
    expect(lost.page).to_have_url(re.compile(reverse("account_login")))
    other.open(reverse("account_email"))
    expect(other.page.locator("main")).to_contain_text(AYSE)
