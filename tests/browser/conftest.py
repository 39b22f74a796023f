"""Phones and laptops for the browser tests, put away after each."""

from threading import Event, Thread

import pytest
from django.core.cache import cache
from django.db import connection
from playwright.sync_api import expect

from tests.browser.cable import Cable
from tests.browser.laptop import LAPTOP, Laptop
from tests.browser.phone import Phone
from tests.club_factories import MemberFactory
from tournaments.models import Report
from tournaments.reports.documents import build_report

# Patient: more browsers work at once than there are processors.
expect.set_options(timeout=30_000)

NOT_NEEDED = [
    # Those that Playwright leaves out: a second switch of this name replaces its own.
    *("AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "HttpsUpgrades"),
    *("HttpsFirstBalancedModeAutoEnable", "LensOverlay", "MediaRouter", "PaintHolding"),
    *("ThirdPartyStoragePartitioning", "AvoidCorsURLLoaderRestartOnRedirect", "OptimizationHints"),
    *("NetworkTimeServiceQuerying", "AimEnabled", "PreconnectToSearch"),
    # Suggestions below an address bar that nobody sees: two pages for each phone, which took
    # more time than the pages of the site.
    *("WebUIOmniboxPopup", "WebUIOmniboxAimPopup"),
    # A process that waits beside each page for one from elsewhere, to which no test goes.
    "SpareRendererForSitePerProcess",
]
"""Features that Chromium starts without."""


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args):
    """Chromium speaks to nobody but the server under test."""
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
    settings.SITE_ADDRESS = "http://localhost"


@pytest.fixture
def new_phone(request, browser, live_server):
    """Make phones, each with a cable of its own to the server; `user` is signed in on it.

    Their service worker, which loads all that is kept for a time without a signal, is started only
    for tests that are marked with `keeps_pages`.
    """
    phones = []
    keeps = request.node.get_closest_marker("keeps_pages") is not None

    def make(user=None, **settings):
        phone = Phone(browser, Cable(live_server.url), **{"keeps_pages": keeps} | settings)
        phones.append(phone)
        if user is not None:
            phone.sign_in(user)
        return phone

    yield make
    complaints = [each for phone in phones for each in phone.complaints]
    for phone in phones:
        phone.context.close()
        phone.cable.close()
    # Counted against guessing: of no concern to the next test.
    cache.clear()
    assert complaints == []


@pytest.fixture
def new_laptop(new_phone):
    def make(club, laptop=Laptop):
        director = MemberFactory(club=club, role="director").user
        return laptop(new_phone(director, locale="tr-TR", **LAPTOP))

    return make


@pytest.fixture
def worker(transactional_db):
    """Build the reports that are asked for, as the worker does, in a thread of its own."""
    over = Event()

    def work():
        while not over.wait(0.1):
            for pk in Report.objects.filter(state="waiting").values_list("pk", flat=True):
                build_report(pk)
        connection.close()

    thread = Thread(target=work)
    thread.start()
    yield
    over.set()
    thread.join()
