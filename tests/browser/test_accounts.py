"""Accounts in Chromium: signed up on a phone, with a passkey, on two devices."""

import re
from urllib.parse import urlencode

import pytest
from allauth.account.models import EmailAddress
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.core import mail
from django.core.cache import cache
from django.urls import reverse
from oauth2_provider.models import Grant, RefreshToken
from playwright.sync_api import expect

from tests.club_factories import ClubFactory, MemberFactory
from tests.services.webhooks.receiver import receiving
from tests.web.accounts.signing_in import AYSE, PASSWORD, last_code
from tournaments.models import User

pytestmark = pytest.mark.browser

KEY = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


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
    submit(phone, reverse("clubs"))


def give_key(phone):
    """Let the phone make passkeys; it knows nobody yet."""
    session = phone.context.new_cdp_session(phone.page)
    session.send("WebAuthn.enable")
    session.send("WebAuthn.addVirtualAuthenticator", {"options": KEY})


def add_passkey(phone):
    give_key(phone)
    phone.open(reverse("mfa_list_webauthn"))
    phone.page.locator(".actions a").tap()
    phone.page.fill("[name=name]", "Telefonum")
    submit(phone, reverse("mfa_list_webauthn"))


def sign_out(phone):
    phone.open(reverse("account_logout"))
    submit(phone, "/")


def test_sign_up_in_turkish_takes_four_taps_and_another_device_signs_it_out(new_phone):
    lost, other = new_phone(locale="tr"), new_phone()
    sign_up(lost)
    # To the sign-in, to the sign-up, for the code, with the code.
    assert lost.taps == 4
    assert User.objects.get().email == AYSE
    expect(lost.page.locator(".messages")).to_contain_text(f"Merhaba {AYSE}")
    assert mail.outbox[0].subject == "Kingscore: Lütfen E-posta Adresinizi Onaylayın"

    cache.clear()
    other.open(reverse("account_login"))
    other.page.fill("[name=login]", AYSE)
    submit(other, reverse("account_confirm_login_code"))
    other.page.fill("[name=code]", last_code())
    submit(other, "/")
    other.open(reverse("usersessions_list"))
    expect(other.page.locator(".things li")).to_have_count(2)
    other.page.locator(".things button").tap()
    expect(other.page.locator(".things li")).to_have_count(1)
    lost.open(reverse("account_email"))
    expect(lost.page).to_have_url(re.compile(reverse("account_login")))
    other.open(reverse("account_email"))
    expect(other.page.locator("main")).to_contain_text(AYSE)


def test_passkey_signs_in_proves_who_it_is_and_is_removed(new_phone, caplog):
    caplog.set_level("INFO", "kingscore.observing.sign_ins")
    phone = new_phone()
    sign_up(phone)
    add_passkey(phone)
    expect(phone.page.locator(".things li")).to_contain_text("Telefonum")
    # Signed in with a code, an owner of the server needs it for the office.
    User.objects.update(is_staff=True)
    phone.open(reverse("admin:index"))
    phone.page.wait_for_url(re.compile(reverse("office_factor")))
    assert phone.faults() == {}
    phone.tap_and_go("main a[href*=next]", reverse("mfa_reauthenticate_webauthn"))
    phone.tap(phone.page.locator("#mfa_webauthn_reauthenticate"))
    phone.page.wait_for_url(f"{phone.base}{reverse('admin:index')}")

    sign_out(phone)
    emails = len(mail.outbox)
    phone.open(reverse("account_login"))
    phone.page.get_by_role("button", name="Sign in with a passkey").tap()
    phone.page.wait_for_url(f"{phone.base}/")
    expect(phone.page.locator(".messages")).to_contain_text(f"Hello {AYSE}")
    assert "Accepted: sign-in by passkey" in caplog.messages
    assert len(mail.outbox) == emails

    forget_when_signed_in()
    phone.open(reverse("mfa_add_webauthn"))
    phone.page.wait_for_url(re.compile(reverse("mfa_reauthenticate_webauthn")))
    phone.page.get_by_role("button", name="Use a passkey").tap()
    phone.page.wait_for_url(re.compile(reverse("mfa_add_webauthn")))
    assert "Accepted: reauthentication by passkey" in caplog.messages

    phone.open(reverse("mfa_list_webauthn"))
    phone.page.get_by_role("link", name="Remove Telefonum").tap()
    submit(phone, reverse("mfa_list_webauthn"))
    expect(phone.page.locator(".things")).to_have_count(0)


def forget_when_signed_in():
    """As if the sign-in was of another day."""
    session = SessionStore(Session.objects.get().pk)
    session["signed_in_at"] = 0
    session.save()


def test_application_is_registered_allowed_and_withdrawn(new_phone):
    phone = new_phone(locale="tr")
    sign_up(phone)
    phone.open(reverse("new_application"))
    pages = {"new": phone.faults()}
    with receiving() as site:
        # Another site, to which the form of the consent page leads.
        back = site.url("127.0.0.1", "/back")
        phone.page.fill("[name=name]", "Federasyon")
        phone.page.fill("[name=addresses]", back)
        phone.page.locator("[value=public]").check()
        phone.tap(phone.page.locator(".actions button"))
        client = phone.page.locator("#client-id").input_value()
        pages["made"] = phone.faults()
        asked = {"response_type": "code", "client_id": client, "redirect_uri": back}
        asked |= {"scope": "read score direct manage", "code_challenge_method": "S256"}
        question = urlencode(asked | {"code_challenge": "c" * 43})
        phone.open(f"{reverse('oauth2_provider:authorize')}?{question}")
        pages["consent"] = phone.faults()
        phone.tap_and_go("button[name=allow]", r"/back\?code=")
    code = Grant.objects.get()
    RefreshToken.objects.create(user=code.user, application=code.application, token="one")
    phone.open(reverse("tokens"))
    expect(phone.page.locator("main")).to_contain_text("Federasyon")
    pages["tokens"] = phone.faults()
    phone.page.locator("form[action$='/withdraw/'] button").tap()
    expect(phone.page.locator("#connected")).to_have_count(0)
    assert {page: faults for page, faults in pages.items() if faults} == {}
    assert not RefreshToken.objects.exists()


def test_failing_and_missing_passkeys_are_shown_on_the_page(new_phone):
    phone = new_phone()
    phone.open(reverse("account_login"))
    give_key(phone)
    phone.page.get_by_role("button", name="Sign in with a passkey").tap()
    expect(phone.page.get_by_role("alert")).to_contain_text("That did not work.")

    phone.context.add_init_script("delete window.PublicKeyCredential")
    phone.open(reverse("account_login"))
    expect(phone.page.locator("#passkey_login")).to_be_hidden()


def test_filled_form_goes_on_after_signing_in_again_and_in_another_language(new_phone):
    club = ClubFactory(slug="moda")
    user = MemberFactory(club=club, role="director").user
    user.set_password(PASSWORD)
    user.email = AYSE
    user.save()
    EmailAddress.objects.create(user=user, email=AYSE, verified=True, primary=True)
    phone = new_phone(user, locale="tr")
    phone.open(reverse("new_event", args=["moda"]))
    phone.page.fill("[name=name]", "Perşembe akşamı")
    phone.page.check("[name=published]")

    # Another language on the same page.
    phone.tap(phone.page.locator(".preferences button[value=it]"))
    expect(phone.page.locator("html")).to_have_attribute("lang", "it")
    expect(phone.page.locator("[name=name]")).to_have_value("Perşembe akşamı")
    expect(phone.page.locator("[name=published]")).to_be_checked()

    # As after 30 days without use, or signed out in another tab.
    phone.context.clear_cookies(name="sessionid")
    phone.tap(phone.page.locator(".actions button"))
    phone.tap(phone.page.locator(".actions a").first)
    phone.page.fill("[name=login]", AYSE)
    phone.tap(phone.page.locator("details summary").first)
    phone.page.fill("[name=password]", PASSWORD)
    phone.tap(phone.page.locator(".actions button"))
    phone.page.wait_for_url(f"**{reverse('new_event', args=['moda'])}")
    expect(phone.page.locator("[name=name]")).to_have_value("Perşembe akşamı")
    expect(phone.page.locator("[name=published]")).to_be_checked()
    phone.tap(phone.page.locator(".actions button"))
    phone.page.wait_for_url(lambda url: not url.endswith("/new/"))
    assert club.events.get().name == "Perşembe akşamı"

    # What was sent is not put into the next form.
    phone.open(reverse("new_event", args=["moda"]))
    expect(phone.page.locator("[name=published]")).not_to_be_checked()
