"""A phone in Chromium, and what every page is looked at for."""

import re
from pathlib import Path

from tests.deals import NAMES, WHOLE_GAME
from tests.factories import GameFactory, HeadFactory, reload

AXE = Path(__file__).parent / "vendor" / "axe.min.js"
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}

LIGHT_AND_DARK = {"color_scheme": "light and dark", "reduced_motion": "reduce"}

LOOKS = [("tr", "light and dark"), ("it", "dark"), ("en", "light")]
"""Languages and schemes in which pages are looked at: each of both, Turkish in both."""

VIOLATIONS = """
async options => (await axe.run(document, options)).violations
  .map(v => v.id + ": " + v.nodes.map(n => n.target.join(" ") + " " + n.any.map(a => a.message)))
"""

# What can be tapped, except what is far off the screen until the keyboard reaches it.
SMALL_TARGETS = """
() => [...document.querySelectorAll("a, button, input, select, summary")]
  .map(e => e.matches("input") && e.closest("label") || e)
  .filter(e => e.checkVisibility() && e.getBoundingClientRect().bottom > 0)
  .map(e => [e.outerHTML.slice(0, 80), e.getBoundingClientRect()])
  .filter(([, box]) => box.width < 43.9 || box.height < 43.9)
  .map(([html, box]) => `${html} ${box.width}x${box.height}`)
"""

# Data for scripts is no script.
INLINE = """
[...document.querySelectorAll("[style], style, script:not([src]), [onclick]")]
  .filter(e => e.type !== "application/json").map(e => e.outerHTML)
"""
SIDEWAYS = "document.documentElement.scrollWidth > document.documentElement.clientWidth"


def game_with(deals=0, **head):
    """A table with the first deals of the whole game."""
    return reload(GameFactory(head=HeadFactory(**head), entries=WHOLE_GAME[:deals])).row


ALL_RULES = {"resultTypes": ["violations"]}
RULES_OF_COLOURS = {"runOnly": ["color-contrast", "link-in-text-block"]}
"""In the style sheet nothing but colours is another in the dark."""


class Phone:
    """A phone of its own, with cookies of its own.

    What is light and dark is looked at in both on the same page, rather than opened twice.
    """

    def __init__(self, browser, base, color_scheme="light", **settings):
        self.also_dark = color_scheme == "light and dark"
        scheme = "light" if self.also_dark else color_scheme
        chosen = {"locale": "en", "color_scheme": scheme, **settings}
        self.context = browser.new_context(**PHONE | chosen)
        self.page = self.context.new_page()
        self.base, self.taps, self.foreign = base, 0, []
        self.page.on("request", self.note)

    def note(self, request):
        if not request.url.startswith((self.base, "data:")):
            self.foreign.append(request.url)

    def open(self, path):
        self.page.goto(path if path.startswith("http") else self.base + path)

    def tap(self, target):
        target.tap()
        self.taps += 1

    def start_table(self, names=NAMES):
        self.open("/new/")
        for seat, name in enumerate(names):
            self.page.fill(f"[name=name{seat}]", name)
        self.page.locator(".actions button").tap()
        self.page.wait_for_url(re.compile("/play/"))
        return self.page.url

    def faults(self):
        """What is wrong with the page as it stands, by what was looked for; {} where nothing is."""
        if not self.page.evaluate("'axe' in window"):
            self.page.evaluate(AXE.read_text())
        found = {
            "violations": self.page.evaluate(VIOLATIONS, ALL_RULES),
            "in the dark": self.also_dark and self.violations_in_the_dark(),
            "small targets": self.page.evaluate(SMALL_TARGETS),
            "inline scripts and styles": self.page.evaluate(INLINE),
            "wider than the phone": self.page.evaluate(SIDEWAYS),
            "from elsewhere": self.foreign,
        }
        return {what: which for what, which in found.items() if which}

    def violations_in_the_dark(self):
        self.page.emulate_media(color_scheme="dark")
        found = self.page.evaluate(VIOLATIONS, RULES_OF_COLOURS)
        self.page.emulate_media(color_scheme="light")
        return found


class TablePhone(Phone):
    """A phone with which a table writes its deals, tap by tap."""

    def __init__(self, browser, cable, **settings):
        super().__init__(browser, cable.url, **settings)
        self.cable = cable

    def lose_signal(self):
        self.cable.pull()
        self.page.evaluate("dispatchEvent(new Event('offline'))")

    def find_signal(self):
        self.cable.plug()
        self.page.evaluate("dispatchEvent(new Event('online'))")

    def choose(self, body):
        """Tap the contract; a trump suit names trump as well."""
        suit = body.get("trump")
        if suit:
            self.tap(self.page.locator(f".suit-{suit}:has(input)"))
        else:
            self.tap(self.page.locator(f".pick:has([value={body['contract']}])"))

    def count(self, body):
        """Tap the numbers, until the form knows the rest."""
        ((unit, counts),) = body["counts"].items()
        tiles = self.page.locator(f".unit-{unit} .tile")
        if unit in ("heart_king", "last_two"):
            for seat, number in enumerate(counts):
                for _ in range(number):
                    self.tap(tiles.nth(seat))
            return
        for number in counts:
            if self.can_save():
                return
            self.tap(self.key(number))

    def key(self, number):
        return self.page.locator(f".keys [data-number='{number}']")

    def numbers(self, unit):
        """The numbers that stand in the tiles, the phone's holder first."""
        return [tile.input_value() for tile in self.page.locator(f".unit-{unit} input").all()]

    @property
    def save(self):
        return self.page.locator(".save button[value=deal]")

    def can_save(self):
        return self.save.is_enabled()

    def enter(self, body):
        self.choose(body)
        self.count(body)

    def write_deal(self, body):
        """Write down a deal; the taps it took."""
        before, revision = self.taps, self.revision
        self.enter(body)
        self.tap(self.save)
        self.page.wait_for_selector(f"#table[data-revision='{revision + 1}']")
        return self.taps - before

    @property
    def revision(self):
        return int(self.page.get_attribute("#table", "data-revision"))

    def totals(self):
        """The totals in the last line of the sheet that was written."""
        written = self.page.locator(".sheet tr[data-position]:has(.score)").last
        cells = written.locator(".score b").all_inner_texts()
        return [int(text.replace("−", "-").replace("♚", "")) for text in cells]

    def badges(self):
        """The badges on the page, each with the player and the number of the deal."""
        return self.page.locator("[data-badge]").evaluate_all(
            """lines => lines.map(line => [line.dataset.badge,
                 line.querySelector(".player").textContent,
                 Number(line.querySelector(".soft.small").textContent.match(/[0-9]+/))])"""
        )

    def waiting(self):
        """What stands in the sheet as not sent yet or refused, a line for each: row and mark."""
        return self.page.locator("#table").evaluate(
            """table => [...table.querySelectorAll(".sheet .marks.waits")].map(mark => {
              const before = mark.previousElementSibling;
              const row = before?.matches(".waits:not(.marks)") ? before.innerText + " " : "";
              return (row + mark.innerText).replace(/\\s+/g, " ").trim();
            })"""
        )

    def stay_after_reload(self):
        """Wait until the browser has kept what is shown for a reload without signal."""
        here = self.page.url.removeprefix(self.base).partition("?")[0]
        shown = self.page.evaluate("Kept.table()")
        self.wait_for_kept(lambda kept: shown in kept.get(here, ""))

    def wait_for_kept(self, holds):
        """Wait until `holds` of the pages that the browser keeps, and its worker is at work."""
        controlled = "Boolean(navigator.serviceWorker.controller)"
        # Not wait_for_function, to which a promise is as good as what it promises.
        for _ in range(100):
            if self.page.evaluate(controlled) and holds(self.kept()):
                return
            self.page.wait_for_timeout(100)
        raise AssertionError(f"the browser keeps only {[*self.kept()]}")

    def kept(self):
        """The pages that the browser keeps, by their paths."""
        return self.page.evaluate("""async () => {
          const cache = await caches.open("kingscore-pages-1");
          const kept = (await cache.keys()).map(async ({ url }) =>
            [new URL(url).pathname, await (await cache.match(url)).text()]);
          return Object.fromEntries(await Promise.all(kept));
        }""")
