"""A phone in Chromium, and the faults that every page is searched for."""

import re
from itertools import cycle
from pathlib import Path

from django.test import Client

from tests.deals import NAMES
from tests.factories import GameFactory, SetupFactory, reload
from tournaments.web.base.phone import address

# The page's own module: it has run once it is imported, however lately the page was loaded.
SHOWN = """async () => {
  const { href, src } = document.querySelector("[href*='/kept.'], [src*='/kept.']");
  return (await import(href ?? src)).shown();
}"""
# Whose phone it is concerns few tests; the others are not asked.
UNASKED = """{
  const { showModal } = HTMLDialogElement.prototype;
  HTMLDialogElement.prototype.showModal = function () {
    if (this.id !== "who") showModal.call(this);
  };
}"""
AXE = (Path(__file__).parent / "vendor" / "axe.min.js").read_text()
# Every page of a phone that was searched once has it from its beginning: Chromium compiles what a
# process of it has met before only once, and nothing of this size is sent for each page.
AXE_AT_HAND = f"window.loadAxe = () => {{ {AXE} }};"
PHONE = {
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "is_mobile": True,
    "locale": "en",
    # Colours that are still changing have no contrast of their own.
    "reduced_motion": "reduce",
}

VIOLATIONS = """
async () => (window.axe || loadAxe(),
  (await axe.run(document, { resultTypes: ["violations"] })).violations)
  .map(v => v.id + ": " + v.nodes.map(n => n.target.join(" ") + " " + n.any.map(a => a.message)))
"""

# Everything to tap, except links that are off the screen until the keyboard reaches them.
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
TOKENLESS = """
[...document.querySelectorAll("form[method=post]")]
  .filter(e => !e.elements.csrfmiddlewaretoken).map(e => e.action)
"""
FOREIGN = """
performance.getEntriesByType("resource").map(e => e.name)
  .filter(name => !name.startsWith(location.origin) && !name.startsWith("data:"))
"""
SIDEWAYS = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
# Each question to a page costs as much as its answer: all are one.
FAULTS = f"""async () => ({{
  violations: await ({VIOLATIONS})(),
  "inline scripts and styles": ({INLINE}),
  "forms without a token": ({TOKENLESS}),
  "from elsewhere": ({FOREIGN}),
}})"""
MISFITS = f"""() => ({{
  "small targets": ({SMALL_TARGETS})(),
  "wider than the screen": ({SIDEWAYS}),
}})"""

# Texts that run into each other in the same layer: what sticks or hovers is one of its own.
OVERLAPPING = """() => {
  const scrolls = (style) => style.overflowX !== "visible" || style.overflowY !== "visible";
  const shown = { visibilityProperty: true, opacityProperty: true };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  const found = [];
  while (texts.nextNode()) {
    const text = texts.currentNode;
    const parent = text.parentElement;
    if (!text.data.trim() || parent.matches("script, style, option, title, desc")) continue;
    if (!parent.checkVisibility(shown)) continue;
    range.selectNodeContents(text);
    const clips = [];
    let layer = null;
    for (let each = parent; each; each = each.parentElement) {
      const style = getComputedStyle(each);
      if (!layer && /fixed|sticky|absolute/.test(style.position)) layer = each;
      if (scrolls(style)) clips.push(each.getBoundingClientRect());
    }
    for (const box of range.getClientRects()) {
      const left = Math.max(box.left, ...clips.map(e => e.left));
      const right = Math.min(box.right, ...clips.map(e => e.right));
      const top = Math.max(box.top, ...clips.map(e => e.top));
      const bottom = Math.min(box.bottom, ...clips.map(e => e.bottom));
      const seen = right - left > 2 && bottom - top > 2;
      if (seen) found.push({ left, right, top, bottom, text, layer });
    }
  }
  found.sort((one, other) => one.top - other.top);
  return found.flatMap((one, at) => {
    const met = [];
    for (let next = at + 1; next < found.length && found[next].top < one.bottom; next += 1) {
      const other = found[next];
      const wide = Math.min(one.right, other.right) - Math.max(one.left, other.left);
      const high = (Math.min(one.bottom, other.bottom) - other.top)
        / Math.min(one.bottom - one.top, other.bottom - other.top);
      if (one.text !== other.text && one.layer === other.layer && wide > 1 && high > .4) {
        met.push(`${one.text.data.trim()} / ${other.text.data.trim()}`);
      }
    }
    return met;
  });
}"""
LETTERS = (16, 20, 24, 32)
"""In pixels; browsers begin with 16."""
SMALL_WIDTHS = (320, 390)

# What is tapped has to end above Save.
COVERED = """() => {
  const bar = document.querySelector(".save").getBoundingClientRect();
  const tapped = ".tile, .pick, .suit, .keys button, .chip, .key, [class$=tick], select, .change";
  return [...document.querySelectorAll("form.entry :is(" + tapped + ")")]
    .filter(e => e.checkVisibility({ visibilityProperty: true }) && !e.closest(".save"))
    .map(e => [e.outerHTML.slice(0, 90), e.getBoundingClientRect()])
    .filter(([, box]) => box.width > 2 && box.bottom > bar.top + 1)
    .map(([html]) => html);
}"""


def game_with(entries=(), **head):
    return reload(GameFactory(head=SetupFactory(**head), entries=entries)).row


def only_found(found):
    return {looked_for: which for looked_for, which in found.items() if which}


class Phone:
    """A phone with cookies and a cable of its own; it counts taps, and notes complaints."""

    def __init__(self, browser, cable, *, asked=False, keeps_pages=True, **settings):
        worker = {"service_workers": "allow" if keeps_pages else "block"}
        self.context = browser.new_context(**PHONE | worker | settings)
        self.keeps_pages = keeps_pages
        self.page = self.context.new_page()
        self.cable, self.base = cable, cable.url
        self.taps, self.complaints = 0, []
        self.schemes, self.has_axe = cycle(("light", "dark")), False
        if not asked:
            self.context.add_init_script(UNASKED)
        self.context.on("console", self.note_message)
        self.context.on("weberror", self.note_error)

    def note_message(self, message):
        if "Content Security Policy" in message.text:
            self.complaints.append(f"{message.page.url}: {message.text}")

    def note_error(self, error):
        self.complaints.append(f"{error.page.url}: {error.error} {error.error.stack}")

    @property
    def path(self):
        return self.page.url.removeprefix(self.base).partition("?")[0]

    def open(self, path):
        self.page.goto(path if path.startswith("http") else self.base + path)

    def sign_in(self, user):
        client = Client()
        client.force_login(user)
        (session,) = client.cookies.values()
        cookie = {"name": session.key, "value": session.value, "url": self.base}
        self.context.add_cookies([cookie])

    def tap(self, target):
        target.tap()
        self.taps += 1

    def tap_and_go(self, target, path):
        self.tap(self.page.locator(target) if isinstance(target, str) else target)
        self.page.wait_for_url(re.compile(path))

    def start_table(self, names=NAMES):
        self.open("/new/")
        self.name_seats(names)
        self.page.locator(".actions button").tap()
        self.page.wait_for_url(re.compile("/play/"))
        return self.page.url

    def name_seats(self, names):
        for seat, name in enumerate(names):
            self.page.fill(f"[name=name{seat}]", name)

    def sit_down(self, *entries, **head):
        self.game = game_with(entries, **head)
        self.open(address(self.game, "write"))

    # Faults of a page.

    def faults(self):
        """Search the page as it is, one in light and the next in dark; {} where nothing is wrong.

        In the style sheet nothing but colours is another in the dark, and few are of one page.
        """
        if not self.has_axe:
            self.context.add_init_script(AXE_AT_HAND)
            self.page.evaluate(AXE_AT_HAND)
            self.has_axe = True
        scheme = next(self.schemes)
        self.page.emulate_media(color_scheme=scheme)
        found = self.page.evaluate(FAULTS)
        found[f"violations in {scheme}"] = found.pop("violations")
        return only_found(found) | self.misfits()

    def misfits(self, *widths):
        """Search the page as it is, or on screens of these widths."""
        found, usual = {}, self.page.viewport_size
        for width in widths or [usual["width"]]:
            if width != self.page.viewport_size["width"]:
                self.page.set_viewport_size(usual | {"width": width})
            misfits = self.page.evaluate(MISFITS)
            found |= {f"{what} at {width}": which for what, which in misfits.items()}
        if widths:
            self.page.set_viewport_size(usual)
        return only_found(found)

    def crowded(self):
        """Search the page in larger letters, as set in the browser, on small screens."""
        found, usual = {}, self.page.viewport_size
        session = self.context.new_cdp_session(self.page)
        for width in SMALL_WIDTHS:
            self.page.set_viewport_size(usual | {"width": width})
            for size in LETTERS:
                letters = {"standard": size, "fixed": size}
                session.send("Page.setFontSizes", {"fontSizes": letters})
                at = f"at {width} in letters of {size}"
                overlapping, sideways = self.page.evaluate(f"[({OVERLAPPING})(), {SIDEWAYS}]")
                found |= {f"overlapping {at}": overlapping, f"wider than the screen {at}": sideways}
        session.send("Page.setFontSizes", {"fontSizes": {"standard": 16, "fixed": 13}})
        session.detach()
        self.page.set_viewport_size(usual)
        return only_found(found)

    def covered(self):
        """Return what Save, at the lower edge of the screen, hides of the form."""
        return self.page.evaluate(COVERED)

    # The signal.

    def lose_signal(self):
        """Without a signal, once the browser keeps the page of the table, where one is open."""
        of_table = self.page.locator("[href*='/kept.'], [src*='/kept.']")
        if self.keeps_pages and self.cable.plugged and of_table.count():
            self.wait_for_kept(lambda kept: self.path in kept)
        self.cable.pull()
        self.page.evaluate("dispatchEvent(new Event('offline'))")

    def find_signal(self):
        self.cable.plug()
        self.page.evaluate("dispatchEvent(new Event('online'))")

    def wake(self):
        """Look at the phone again: its page asks at once for news."""
        self.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")

    # The page of a table.

    def choose(self, body):
        """Tap the contract, unless it is the only one; a trump suit names trump as well."""
        if self.page.locator(f"form.entry [name=contract][value={body['contract']}]").is_checked():
            return
        suit = body.get("trump", "spades" if body["contract"] == "trump" else None)
        if suit:
            self.tap(self.page.locator(f".suit-{suit}:has(input)"))
        else:
            self.tap(self.page.locator(f".pick:has([value={body['contract']}])"))

    def count(self, body):
        """Tap the numbers, until the form knows the rest."""
        for unit, counts in body["counts"].items():
            fieldset = self.page.locator(f".unit-{unit}")
            if fieldset.get_attribute("data-one-tap") is not None:
                for side, number in enumerate(counts):
                    for _ in range(number):
                        self.tap(fieldset.locator(".tile").nth(side))
                continue
            for number in counts:
                if self.can_save() or self.suits.first.is_visible():
                    return
                self.tap(self.key(number))

    def key(self, number):
        return self.page.locator(f".keys [data-number='{number}']")

    def tiles(self, unit):
        return self.page.locator(f".unit-{unit} .tile")

    def numbers(self, unit):
        return [tile.input_value() for tile in self.page.locator(f".unit-{unit} input").all()]

    @property
    def save(self):
        return self.page.locator(".save button[value=deal]")

    @property
    def suits(self):
        """The suits in the place of Save, where only the suit is missing."""
        return self.page.locator(".save-suits button")

    def can_save(self):
        return self.save.is_enabled()

    def enter(self, body):
        self.choose(body)
        self.count(body)

    def send(self, body):
        """Enter a deal and save it, without waiting for the answer."""
        self.enter(body)
        self.tap_save(body)

    def tap_save(self, body):
        suit = f".suit-{body.get('trump', 'spades')}"
        missing = self.suits.first.is_visible()
        self.tap(self.suits.and_(self.page.locator(suit)) if missing else self.save)

    def write_deal(self, body):
        """Write a deal; return the taps it took."""
        before = self.taps
        self.enter(body)
        self.save_and_wait(body)
        return self.taps - before

    def save_and_wait(self, body=None):
        revision = self.revision + 1
        self.tap_save(body or {})
        if self.page.locator("#ask").is_visible():
            self.go_on()
        self.wait_for(revision)

    def undo(self):
        self.tap(self.page.locator(".undo:not(.redo)"))
        self.go_on()

    def go_on(self):
        """Answer the question what is to be done, once it takes an answer."""
        self.page.wait_for_timeout(400)
        self.tap(self.page.locator("#ask button").last)

    def wait_for(self, revision):
        self.page.wait_for_selector(f"#table[data-revision='{revision}']")

    @property
    def revision(self):
        return int(self.page.get_attribute("#table", "data-revision"))

    def sheet(self):
        return reload(self.game)

    def stored(self):
        sheet = self.sheet()
        return [sheet.body(position) for position in sheet.positions]

    def totals(self):
        written = self.page.locator(".sheet tr[data-position]:has(.score)").last
        cells = written.locator(".score b").all_inner_texts()
        return [int(text.replace("−", "-").replace("♚", "")) for text in cells]

    def badges(self):
        """Return each badge with its holder and its deal, by deal."""
        found = self.page.locator("[data-badge] .holder").evaluate_all(
            """holders => holders.flatMap(holder =>
                 holder.querySelector(".deals").textContent.match(/[0-9]+/g).map(deal => [
                   holder.closest("[data-badge]").dataset.badge,
                   holder.querySelector(".player").textContent.trim(), Number(deal)]))"""
        )
        return sorted(found, key=lambda badge: badge[2])

    def waiting(self):
        """The deals not sent yet or refused, a line for each: row of the sheet and mark."""
        return self.page.locator("#table").evaluate(
            """table => [...table.querySelectorAll(".sheet .marks.waits")].map(mark => {
              const before = mark.previousElementSibling;
              const row = before?.matches(".waits:not(.marks)") ? before.innerText + " " : "";
              return (row + mark.innerText).replace(/\\s+/g, " ").trim();
            })"""
        )

    # Pages kept by the browser.

    def stay_after_reload(self):
        """Wait until the browser has kept this page for a reload without signal."""
        shown = self.page.evaluate(SHOWN)
        self.wait_for_kept(lambda kept: shown in kept.get(self.path, ""))

    def wait_for_kept(self, holds):
        """Wait until `holds` of the pages that the browser keeps, and its worker is at work."""
        controlled = "Boolean(navigator.serviceWorker.controller)"
        # Not wait_for_function, to which a promise is as good as its value.
        for _ in range(400):
            if self.page.evaluate(controlled) and holds(self.kept()):
                return
            self.page.wait_for_timeout(50)
        raise AssertionError(f"the browser keeps only {[*self.kept()]}")

    def kept(self):
        return self.page.evaluate("""async () => {
          const cache = await caches.open("kingscore-pages-1");
          const kept = (await cache.keys()).map(async ({ url }) =>
            [new URL(url).pathname, await (await cache.match(url)).text()]);
          return Object.fromEntries(await Promise.all(kept));
        }""")
