"""Phones for the browser tests, put away after each."""

import pytest
from django.test import Client
from playwright.sync_api import expect

from tests.browser.cable import Cable
from tests.browser.phone import Phone, TablePhone, game_with
from tests.club_factories import MemberFactory
from tournaments.web.phone import address

# As long as what is waited for comes: more browsers work at once than there are processors.
expect.set_options(timeout=20_000)

NOT_NEEDED = [
    # What Playwright leaves out: a second switch of this name takes the place of its own.
    *("AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "HttpsUpgrades"),
    *("HttpsFirstBalancedModeAutoEnable", "LensOverlay", "MediaRouter", "PaintHolding"),
    *("ThirdPartyStoragePartitioning", "AvoidCorsURLLoaderRestartOnRedirect", "OptimizationHints"),
    *("NetworkTimeServiceQuerying", "AimEnabled", "PreconnectToSearch"),
    # Suggestions below an address bar that nobody sees: two pages for each phone, which took
    # more time than the pages of the site.
    *("WebUIOmniboxPopup", "WebUIOmniboxAimPopup"),
]
"""Features that Chromium starts without."""


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args):
    """No word from Chromium to anyone but the server under test."""
    quiet = [
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--disable-features=" + ",".join(NOT_NEEDED),
        # No page lives long enough to be worth compiling its scripts well.
        "--js-flags=--no-opt --no-maglev",
    ]
    return {**browser_type_launch_args, "args": [*browser_type_launch_args["args"], *quiet]}


@pytest.fixture(autouse=True)
def addresses_that_phones_can_open(settings):
    """Links and QR codes lead to the server, through the cable of the phone that asked."""
    settings.SITE_ADDRESS = "http://localhost"


@pytest.fixture
def new_phone(browser, live_server):
    """Make phones; they are put away after the test."""
    phones = []

    def make(**settings):
        phones.append(Phone(browser, live_server.url, **settings))
        return phones[-1]

    yield make
    for phone in phones:
        phone.context.close()


@pytest.fixture
def table_phone(browser, live_server):
    """Make phones that write at tables, each with a cable of its own to the server."""
    phones = []

    def make(**settings):
        phones.append(TablePhone(browser, Cable(live_server.url), **settings))
        return phones[-1]

    yield make
    for phone in phones:
        phone.context.close()
        phone.cable.close()


@pytest.fixture
def at_table(table_phone):
    """A phone that writes at a table with some deals."""

    def open_table(deals=0, locale="en", **head):
        phone = table_phone(locale=locale)
        phone.game = game_with(deals, **head)
        phone.open(address(phone.game, "write"))
        return phone

    return open_table


@pytest.fixture
def directors_phone(table_phone, db):
    """A phone in Turkish, signed in as the director of a club."""

    def make(club, **settings):
        phone = table_phone(**{"locale": "tr-TR", **settings})
        client = Client()
        client.force_login(MemberFactory(club=club, role="director").user)
        (session,) = client.cookies.values()
        cookie = {"name": session.key, "value": session.value, "url": phone.base}
        phone.context.add_cookies([cookie])
        return phone

    return make
