"""The pictures of the page for the table, `/guide/`, from a game that is played for them."""

import json
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Browser

from docs.looks.site import PHONE, ROOT, SITE, Visitor, visitor

RECORDS = ROOT / "tests" / "records"
TALL, MIDDLE, LOW = 576, 380, 312
"""Heights of the pictures, one for each line of the printed guide."""


@dataclass(frozen=True)
class Play:
    """A whole game of a record; `written` are its deals when the phone is looked at."""

    locale: str
    record: str
    names: tuple[str, ...]
    written: int

    @property
    def game(self) -> dict[str, Any]:
        """The record."""
        return json.loads((RECORDS / self.record).read_text())


PLAYS = {
    "en": Play("en-GB", "turkish-king-whole.json", ("Alice", "Ben", "Clara", "David"), 6),
    "tr": Play("tr-TR", "turkish-king-whole.json", ("Ayşe", "Burak", "Cem", "Deniz"), 6),
    "it": Play("it-IT", "italian-king-choice-whole.json", ("Anna", "Bruno", "Carla", "Dino"), 2),
}

Picture = tuple[str, bytes]


def pictures_of(browser: Browser, language: str, site: str = SITE) -> Iterator[Picture]:
    """Each step of the guide by its name, as PNG; the last one needs the worker."""
    play = PLAYS[language]
    phone = visitor(browser, play.locale, site)
    yield "start", start(phone, play)
    write, follow = begin(phone, play)
    phone.open(write)
    if language == "en":
        yield "table", phone.page.screenshot()
    yield "contract", form(phone)
    choose(phone, play.game["entries"][play.written])
    yield "count", form(phone)
    phone.open(f"{write}pen/")
    phone.page.locator("details summary").first.tap()
    yield "pen", clip(phone, "#hand-over", MIDDLE)
    yield "follow", follower(visitor(browser, play.locale, site), follow)
    phone.open(write)
    yield "no-signal", without_signal(phone, play)
    write, _follow = begin(phone, play, whole=True)
    phone.open(write)
    yield "correct", clip(phone, ".sheet-section", MIDDLE)
    yield "end", clip(phone, ".end", LOW)
    yield "pdf", scoresheet(phone)
    phone.page.context.close()


def clip(phone: Visitor, selector: str, height: int) -> bytes:
    """The area from an element down, across the phone."""
    phone.page.wait_for_load_state("networkidle")
    # On a screen as tall as the page what sticks to its lower edge is out of the way.
    phone.page.set_viewport_size({"width": 390, "height": 2400})
    box = phone.page.locator(selector).first.bounding_box()
    assert box is not None
    area = {"x": 0, "y": max(0, box["y"] - 8), "width": 390, "height": height}
    picture = phone.page.screenshot(clip=area)
    phone.page.set_viewport_size(PHONE["viewport"])
    return picture


def form(phone: Visitor) -> bytes:
    """The form of a deal as it fits a short phone, from its head to Save at the lower edge."""
    phone.page.wait_for_load_state("networkidle")
    phone.page.evaluate("scrollTo(0, 0)")
    box = phone.page.locator("header.deal").bounding_box()
    assert box is not None
    above = box["y"] - 8
    phone.page.set_viewport_size({"width": 390, "height": round(above + TALL)})
    picture = phone.page.screenshot(clip={"x": 0, "y": above, "width": 390, "height": TALL})
    phone.page.set_viewport_size(PHONE["viewport"])
    return picture


def start(phone: Visitor, play: Play) -> bytes:
    """A new table with its names typed in."""
    phone.open(f"/new/?ruleset={play.game['ruleset']}")
    for seat, name in enumerate(play.names):
        phone.page.fill(f"[name=name{seat}]", name)
    phone.page.evaluate("document.activeElement.blur()")
    phone.page.set_viewport_size({"width": 390, "height": TALL})
    phone.page.locator(".table").evaluate("e => scrollTo(0, e.offsetTop - 4)")
    picture = phone.page.screenshot()
    phone.page.set_viewport_size(PHONE["viewport"])
    return picture


def begin(phone: Visitor, play: Play, *, whole: bool = False) -> tuple[str, str]:
    """Start a game with its first deals; return its addresses to write and to follow."""
    phone.open("/")
    head = {"ruleset": play.game["ruleset"], "players": list(play.names)}
    keys = phone.send("games/", head)["keys"]
    _kind, id_, secret = keys["write"].split(".")
    for entry in play.game["entries"][: None if whole else play.written]:
        phone.send(f"games/{id_}/entries/", {"entry": entry}, keys["write"])
    return f"/play/{id_}/{secret}/", f"/follow/{id_}/{keys['follow'].split('.')[2]}/"


def choose(phone: Visitor, entry: dict[str, Any]) -> None:
    """Tap a deal's contract and counts, until the form fills in the rest."""
    phone.page.locator(f".pick:has([value={entry['contract']}])").tap()
    (counts,) = entry["counts"].values()
    save = phone.page.locator(".save button[value=deal]")
    for number in counts:
        if not save.is_enabled():
            phone.page.locator(f".keys [data-number='{number}']").tap()


def follower(other: Visitor, path: str) -> bytes:
    """The sheet on another phone."""
    other.open(path)
    picture = clip(other, "main", MIDDLE)
    other.page.context.close()
    return picture


def without_signal(phone: Visitor, play: Play) -> bytes:
    """A deal that waits on the phone."""
    phone.page.context.set_offline(True)
    choose(phone, play.game["entries"][play.written])
    phone.page.locator(".save button[value=deal]").tap()
    phone.page.wait_for_selector(".sheet .waits")
    box = phone.page.screenshot(clip={"x": 0, "y": 0, "width": 390, "height": LOW})
    phone.page.context.set_offline(False)
    phone.page.wait_for_selector(".sheet .waits", state="detached")
    return box


def scoresheet(phone: Visitor) -> bytes:
    """The top of the first page of the PDF."""
    phone.page.locator("form[action$='/scoresheet/'] button").first.tap()
    link = phone.page.locator("a[download]")
    link.wait_for()
    address = f"{phone.site}{link.get_attribute('href')}"
    text = phone.page.evaluate(
        "async a => Array.from(new Uint8Array(await (await fetch(a)).arrayBuffer()))", address
    )
    with tempfile.TemporaryDirectory() as folder:
        paper, page = Path(folder, "sheet.pdf"), Path(folder, "page.png")
        paper.write_bytes(bytes(text))
        words = ["pdftoppm", "-png", "-singlefile", "-r", "150", paper, page.with_suffix("")]
        subprocess.run(words, check=True)
        with Image.open(page) as whole:
            height = round(whole.width * LOW / 390)
            whole.crop((0, 0, whole.width, height)).resize((780, 2 * LOW)).save(page)
        return page.read_bytes()
