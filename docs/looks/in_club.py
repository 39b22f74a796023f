"""The pictures of a club, its evening and its tournament, as a director sees them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.urls import resolve
from playwright.sync_api import Browser

from docs.looks.site import PHONE, Visitor, visitor
from tournaments.management.commands.seed_demo import PASSWORD
from tournaments.services.demo.cast import SLUG

LOCALES = {"": "en-GB", "tr/": "tr-TR"}
"""The languages of the pictures, by the prefix of their names."""

DIRECTOR = "director@example.org"
LAPTOP = {"viewport": {"width": 1280, "height": 720}, "device_scale_factor": 1}


@dataclass(frozen=True)
class Look:
    """A picture of a page of one event of the club.

    `below` is where the page is, seen from that of the event, or `link` is what leads there.
    """

    name: str
    page: str
    event: str
    below: str = ""
    link: str = ""
    screen: dict[str, Any] = field(default_factory=dict)


OPEN, COMING, EVENING = "Moda Açık", "Yeni Yıl Turnuvası", "Antrenman akşamı"

LOOKS = (
    Look("evening", "event", EVENING),
    Look("tournament-settings", "change_tournament", COMING, "change/"),
    Look("entrants", "entrants", COMING, "entrants/"),
    Look("seating", "seating", OPEN, "rounds/3/seating/"),
    Look("tables", "running", OPEN, "rounds/3/"),
    Look("called", "running_table", OPEN, "rounds/3/tables/3/"),
    Look("ruling", "new_ruling", OPEN, "rounds/3/rulings/"),
    Look("corrections", "round_changes", OPEN, "corrections/"),
    Look("wall", "wall", OPEN, "wall/", screen=LAPTOP),
    Look("standings", "standings", OPEN, "standings/"),
    Look("why", "why_place", OPEN, "standings/12/"),
    Look("documents", "event_documents", OPEN, link="a[href$='/documents/']"),
)
"""The pictures of the documentation."""


def names() -> list[str]:
    """The names of the pictures, in every language."""
    return [f"{folder}{look.name}" for folder in LOCALES for look in LOOKS]


def pictures_of(browser: Browser, wanted: set[str]) -> Iterator[tuple[str, bytes]]:
    """Each wanted picture by its name, as PNG."""
    for folder, locale in LOCALES.items():
        looks = [look for look in LOOKS if f"{folder}{look.name}" in wanted]
        if looks:
            for name, picture in _pictures_in(browser, locale, looks):
                yield f"{folder}{name}", picture


def _pictures_in(
    browser: Browser, locale: str, looks: Sequence[Look]
) -> Iterator[tuple[str, bytes]]:
    phone = visitor(browser, locale)
    phone.sign_in(DIRECTOR, PASSWORD)
    signed_in = phone.page.context.storage_state()
    for look in looks:
        other = visitor(browser, locale, storage_state=signed_in, **look.screen)
        open_page(other, look)
        assert resolve(other.path).url_name == look.page, (look.name, other.path)
        other.page.wait_for_load_state("networkidle")
        size = look.screen.get("viewport", PHONE["viewport"])
        yield look.name, other.page.screenshot(clip={"x": 0, "y": 0, **size})
        other.page.context.close()


def open_page(phone: Visitor, look: Look) -> None:
    """Open the event by links as a director does, and go to its page."""
    phone.open(f"/clubs/{SLUG}/events/")
    phone.page.locator("main a", has_text=look.event).first.click()
    phone.page.wait_for_url(lambda url: not url.endswith("/events/"))
    if look.below:
        phone.open(phone.path + look.below)
    if look.link:
        phone.open(str(phone.page.locator(look.link).first.get_attribute("href")))
