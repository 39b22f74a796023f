"""A table that a phone opens for the first time, in Chromium at 400 kbit/s with 400 ms.

It is usable once the scripts of its form have run, which then ask for the page's stream. The
service worker, which keeps pages for a time without a signal, loads them later and is left out.
"""

import tempfile
from collections.abc import Iterator
from statistics import median
from typing import Any

from playwright.sync_api import Browser, sync_playwright

from benchmarks.figures import Figure, readable
from tests.browser.cable import Cable
from tests.browser.phone import Phone
from tests.conftest import CHROMIUM
from tests.servers import Server, prepared, serve

SIZES = {"tiny": {"loads": 1}, "usual": {"loads": 9}, "full": {"loads": 25}}
BYTES_A_SECOND = 400_000 / 8
SLOW = {
    "offline": False,
    "latency": 400,
    "downloadThroughput": BYTES_A_SECOND,
    "uploadThroughput": BYTES_A_SECOND,
}


def measure(loads: int) -> Iterator[Figure]:
    with (
        tempfile.TemporaryDirectory(prefix="kingscore-loading-") as folder,
        serve(folder, ready=prepared(), processes=1) as server,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=CHROMIUM)
        yield from figures(browser, server, loads)
        browser.close()


def figures(browser: Browser, server: Server, loads: int) -> Iterator[Figure]:
    """Measure in a running browser, on a running server."""
    phone = new_phone(browser, server)
    path = phone.start_table().removeprefix(phone.base)
    close(phone)
    found = [load(new_phone(browser, server), path) for _ in range(loads)]
    taken, asked, passed = zip(*found, strict=True)
    note = f"slowest {readable(max(taken))} of {loads}"
    yield Figure("a table is usable", median(taken), "s", "at most", 2.5, note)
    note = f"{max(asked)} requests, with headers"
    yield Figure("a table is loaded", max(passed) / 1000, "kB", "at most", 55, note)


def load(phone: Phone, path: str) -> tuple[float, int, int]:
    """Return the seconds until a page is usable, its requests, and bytes of answers."""
    devtools = phone.context.new_cdp_session(phone.page)
    moments: list[float] = []

    def note(event: dict[str, Any]) -> None:
        if event["type"] == "Document" or event["request"]["url"].endswith("/events"):
            moments.append(event["timestamp"])

    devtools.on("Network.requestWillBeSent", note)
    devtools.send("Network.enable")
    devtools.send("Network.emulateNetworkConditions", SLOW)
    phone.open(path)
    # Until it would have polled.
    phone.page.wait_for_timeout(4000)
    close(phone)
    return moments[1] - moments[0], phone.cable.asked, phone.cable.passed


def new_phone(browser: Browser, server: Server) -> Phone:
    cable = Cable(f"http://{server.host}:{server.port}")
    return Phone(browser, cable, keeps_pages=False)


def close(phone: Phone) -> None:
    phone.context.close()
    phone.cable.close()
