"""From a tap on Save to the deal in the sheet, in Chromium: with a signal and without one.

The control is the time of one frame of the same page.
"""

import os
import tempfile
from collections.abc import Iterator

from playwright.sync_api import Browser, sync_playwright

from benchmarks.figures import Figure, answered
from tests.browser.cable import Cable
from tests.browser.phone import Phone
from tests.conftest import CHROMIUM
from tests.deals import WHOLE_GAME
from tests.phones import with_suit
from tests.servers import Server, prepared, serve

DATABASES = ("SQLite",)
SIZES = {"tiny": {"saves": 2}, "usual": {"saves": 38}, "full": {"saves": 76}}
GAME = tuple(map(with_suit, WHOLE_GAME[:19]))
"""After the last deal the sheet is another page."""

FRAME = "const frame = () => new Promise(done => requestAnimationFrame(() => setTimeout(done)));"
SAVE = f"""async () => {{
  {FRAME}
  const rows = () => document.querySelectorAll("#table .sheet tbody .score").length;
  const [before, start] = [rows(), performance.now()];
  const suit = document.querySelector(".save-suits:not([hidden]) button");
  (suit ?? document.querySelector(".save [value=deal]")).click();
  while (rows() === before) await frame();
  await frame();
  return performance.now() - start;
}}"""
EMPTY = f"""async () => {{
  {FRAME}
  const start = performance.now();
  await frame();
  return performance.now() - start;
}}"""


def measure(saves: int) -> Iterator[Figure]:
    with (
        tempfile.TemporaryDirectory(prefix="kingscore-saving-") as folder,
        serve(folder, os.environ.get("KINGSCORE_DATABASE_URL"), ready=prepared()) as server,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=CHROMIUM)
        yield from figures(browser, server, saves)
        browser.close()


def figures(browser: Browser, server: Server, saves: int) -> Iterator[Figure]:
    """Measure in a running browser, on a running server."""
    for name, signal in (("with a signal", True), ("without a signal", False)):
        taken, frames = save_deals(browser, server, saves, signal=signal)
        yield answered(f"a deal saved and visible, {name}", taken, "one frame", frames)


def save_deals(
    browser: Browser, server: Server, saves: int, *, signal: bool
) -> tuple[list[float], list[float]]:
    """Return the milliseconds of each save, and of a frame before it."""
    taken: list[float] = []
    frames: list[float] = []
    while len(taken) < saves:
        phone = Phone(browser, Cable(f"http://{server.host}:{server.port}"))
        phone.start_table()
        if not signal:
            phone.lose_signal()
        for body in GAME[: saves - len(taken)]:
            phone.enter(body)
            frames.append(phone.page.evaluate(EMPTY))
            taken.append(phone.page.evaluate(SAVE))
            if signal:
                phone.page.wait_for_selector("#table .sheet:not(:has(.waits))")
        phone.context.close()
        phone.cable.close()
    return taken, frames
