"""The pictures of a club, its evening and its tournament, as a director sees them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.urls import resolve
from playwright.sync_api import Browser

from docs.looks.site import PHONE, Visitor, visitor
from tournaments.management.commands.seed_demo import PASSWORD
from tournaments.services.demo import SLUG

LOCALES = {"": "en-GB", "tr/": "tr-TR"}
"""The languages of the pictures, by the prefix of their names."""

DIRECTOR, MEMBER = "director@example.org", "member1@example.org"
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


WIDE = (
    "position: fixed; inset: 0; z-index: 9; inline-size: 1200px; block-size: 630px;"
    " max-block-size: none; padding: 15px; background: var(--paper);"
)

OPEN, COMING, EVENING = "Moda Açık", "Yeni Yıl Turnuvası", "Antrenman akşamı"
OVER = "Açılış Turnuvası"

SIZES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("", {}),
    ("-dark", {"color_scheme": "dark"}),
    ("-laptop", LAPTOP),
    ("-laptop-dark", {**LAPTOP, "color_scheme": "dark"}),
)
"""A phone and a laptop, light and dark."""


@dataclass(frozen=True)
class Front:
    """A page: its path, or the `link` to it and `then` one there; `below` is added to the path.

    It is seen by an `account`, or by the phone of the entrant who is found by a `card`'s name.
    """

    path: str
    link: str = ""
    below: str = ""
    account: str = ""
    then: str = ""
    card: str = ""


EVENTS = f"/clubs/{SLUG}/events/"
FRONTS = {
    "club": Front(f"/clubs/{SLUG}/", account=MEMBER),
    "evening-tables": Front(EVENTS, f"main a:has-text('{EVENING}')", account=DIRECTOR),
    "sheet": Front(EVENTS, f"main a:has-text('{EVENING}')", account=MEMBER, then=".event-links a"),
    "home": Front("/", account=MEMBER),
    "before": Front(EVENTS, f"main a:has-text('{COMING}')"),
    "during": Front(EVENTS, f"main a:has-text('{OPEN}')"),
    "live": Front(EVENTS, f"main a:has-text('{OPEN}')", "live/"),
    "card": Front(EVENTS, f"main a:has-text('{OPEN}')", card="Tolga"),
    "after": Front(EVENTS, f"main a:has-text('{OVER}')"),
    "card-after": Front(EVENTS, f"main a:has-text('{OVER}')", card="Tolga"),
    "player": Front(f"/clubs/{SLUG}/ratings/", ".leaderboard th a"),
    "round": Front(EVENTS, f"main a:has-text('{OPEN}')", "rounds/3/", DIRECTOR),
    "entrant": Front(EVENTS, f"main a:has-text('{OPEN}')", "entrants/7/", DIRECTOR),
    "places": Front(EVENTS, f"main a:has-text('{OPEN}')", "standings/"),
    "register-card": Front(
        EVENTS, f"main a:has-text('{COMING}')", "entrants/register-card/", DIRECTOR
    ),
    "new-tournament": Front(f"/clubs/{SLUG}/new-tournament/", account=DIRECTOR),
    "changes": Front(f"/clubs/{SLUG}/changes/", account=DIRECTOR),
    "members": Front(f"/clubs/{SLUG}/people/", account=DIRECTOR),
    "new-table": Front(EVENTS, f"main a:has-text('{EVENING}')", "rounds/1/new-table/", DIRECTOR),
    "guide": Front("/guide/"),
}
"""The pages that lead."""

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
    """The names of the pictures: leading pages in Turkish, the others in each language."""
    fronts = [f"tr/{name}{size}" for name in FRONTS for size, _screen in SIZES]
    return [*fronts, *(f"{folder}{look.name}" for folder in LOCALES for look in LOOKS)]


def pictures_of(browser: Browser, wanted: set[str]) -> Iterator[tuple[str, bytes]]:
    """Each wanted picture by its name, as PNG."""
    yield from _fronts(browser, wanted)
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


def _fronts(browser: Browser, wanted: set[str]) -> Iterator[tuple[str, bytes]]:
    shown = [(name, size) for name in FRONTS for size in SIZES if f"tr/{name}{size[0]}" in wanted]
    if not shown:
        return
    states: dict[str, Any] = {"": None}
    for account in (MEMBER, DIRECTOR):
        phone = visitor(browser, LOCALES["tr/"])
        phone.sign_in(account, PASSWORD)
        states[account] = phone.page.context.storage_state()
    for name, (size, screen) in shown:
        front = FRONTS[name]
        other = visitor(browser, LOCALES["tr/"], storage_state=states[front.account], **screen)
        open_front(other, front)
        other.page.wait_for_load_state("networkidle")
        yield f"tr/{name}{size}", other.page.screenshot()
        other.page.context.close()


def open_front(phone: Visitor, front: Front) -> None:
    """Open a page that leads as its reader does."""
    phone.open(front.path)
    for link in filter(None, (front.link, front.then)):
        phone.open(str(phone.page.locator(link).first.get_attribute("href")))
    if front.below:
        phone.open(phone.path + front.below)
    if front.card:
        phone.page.fill("#find", front.card)
        phone.page.press("#find", "Enter")
        with phone.page.expect_navigation():
            phone.page.locator(".line form button").first.click()
        phone.open(phone.path)


def wide_picture(browser: Browser) -> bytes:
    """The picture that chats show of a link to the start page: the drawn table, 1200 × 630."""
    other = visitor(
        browser, "en-GB", viewport={"width": 1200, "height": 630}, device_scale_factor=1
    )
    other.open("/")
    scene = other.page.locator(".scene")
    # The policy of the pages allows no style element.
    scene.evaluate("(drawn, style) => { drawn.style.cssText = style; }", WIDE)
    picture = scene.screenshot()
    other.page.context.close()
    return picture


def open_page(phone: Visitor, look: Look) -> None:
    """Open the event by links as a director does, and go to its page."""
    phone.open(f"/clubs/{SLUG}/events/")
    phone.page.locator("main a", has_text=look.event).first.click()
    phone.page.wait_for_url(lambda url: not url.endswith("/events/"))
    if look.below:
        phone.open(phone.path + look.below)
    if look.link:
        phone.open(str(phone.page.locator(look.link).first.get_attribute("href")))
