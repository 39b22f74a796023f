"""Phones that write on the same tables while their signal dies and returns, and what became of it.

Each deal is another one, so that a line of a sheet tells which write it came from. The pages are
used by what people see: contract, numbers, Save, what waits, what was refused and why.
"""

import itertools
import random
import re
import time
from collections import Counter
from dataclasses import dataclass, field

from playwright.sync_api import Error

from tests.browser.phone import game_with
from tests.deals import NAMES
from tests.factories import reload
from tournaments.web.phone import address

DEALS = 40
"""Deals of a game: short enough for its page to stay small."""

RULES = {
    "format": "kingscore-ruleset/1",
    "id": "race",
    "name": "Race",
    "family": "turkish-king",
    "contracts": [
        {"id": "no-tricks", "kind": "penalty", "values": {"tricks": -50}},
        {"id": "no-hearts", "kind": "penalty", "values": {"hearts": -30}},
    ],
    "deals": DEALS,
    "settings": {"order": "free", "outcome": "highest-wins"},
}
UNITS = {"no-tricks": "tricks", "no-hearts": "hearts"}

GROUPS = ((0, 1, 2), (3,), (4,))
"""The phones that share a table; the first three overtake each other."""

CHANCES = {"pull": 0.06, "hang": 0.02, "lose_answer": 0.08, "reload": 0.04}
"""What happens to a phone with a signal before it does something."""

SETTLED = 180
"""Seconds in which everything is sent once there is a signal."""

LOOK = """
() => {
  const table = document.querySelector("#table");
  if (!table) return null;
  const form = table.querySelector("form.entry");
  const contract = form?.querySelector("[name=contract]:checked");
  const unit = contract?.className.match(/counts-(\\w+)/)[1];
  const counts = unit && [...form.querySelectorAll(`.unit-${unit} input`)].map(i => i.value);
  return {
    over: !form,
    busy: form?.getAttribute("aria-busy") === "true",
    typed: contract ? [contract.value, counts.map(Number)] : null,
    said: [...document.querySelectorAll("#outbox li")].map(line => [
      line.matches(".refused"), line.innerText.replaceAll(/\\s+/g, " "),
    ]),
  };
}
"""

WRITE = """
([contract, counts]) => {
  document.querySelector(`.pick:has([value=${contract}])`).click();
  const save = document.querySelector(".save button[value=deal]");
  for (const count of counts) {
    if (!save.disabled) break;
    document.querySelector(`.keys [data-number="${count}"]`).click();
  }
  save.click();
}
"""


def deals(chance):
    """All ways in which 13 can be shared out, but for Kings, of both contracts; none twice."""
    counts = [c for c in itertools.product(range(13), repeat=4) if sum(c) == 13]
    every = [(contract, shared) for contract in UNITS for shared in counts]
    chance.shuffle(every)
    return iter(every)


def read_line(text):
    """The deal that a line about a write is about."""
    contract = "no-hearts" if "No hearts" in text else "no-tricks"
    taken = {name: int(number) for name, number in re.findall(rf"({'|'.join(NAMES)}) (\d+)", text)}
    return contract, tuple(taken.get(name, 0) for name in NAMES)


def is_refused(seen):
    """Whether something came back: into the form, or to a line above the sheet."""
    return bool(seen["typed"]) or any(refused for refused, _text in seen["said"])


def is_waiting(seen):
    """Whether what is in the form is saved already, and waits."""
    if not seen["typed"]:
        return False
    contract, counts = seen["typed"]
    waits = [read_line(text) for refused, text in seen["said"] if not refused]
    return (contract, tuple(counts)) in waits


@dataclass
class Table:
    """A game on which some phones write, and what it has in store for them."""

    chance: random.Random
    game: object = field(default_factory=lambda: game_with(ruleset="race", document=RULES))

    def __post_init__(self):
        self.path, self.deals = address(self.game, "write"), deals(self.chance)
        self.written, self.dropped, self.pending = [], set(), set()

    def sheet(self):
        """How often each deal stands on the sheet."""
        bodies = reload(self.game).record["entries"]
        return Counter((b["contract"], tuple(b["counts"][UNITS[b["contract"]]])) for b in bodies)

    def outcome(self):
        """How many writes ended how; all but the last three are as it should be."""
        stood = self.sheet()
        saved = [deal for deal in self.written if deal not in self.dropped | self.pending]
        return Counter(
            {
                "writes": len(self.written),
                "on the sheet once": sum(stood[deal] == 1 for deal in saved),
                "refused and given up": len(self.dropped),
                "refused, still shown": len(self.pending),
                "lost": sum(stood[deal] == 0 for deal in saved),
                "twice": sum(number > 1 for number in stood.values()),
                "refused, but on the sheet": sum(stood[d] for d in self.dropped | self.pending),
            }
        )


class Racer:
    """A phone, the tables it writes at one after the other, and its luck with the signal."""

    def __init__(self, phone, tables, chance):
        self.phone, self.tables, self.chance = phone, tables, chance
        self.number, self.bad_for, self.met = -1, 0, Counter()
        self.next_table()

    @property
    def table(self):
        return self.tables(self.number)

    def next_table(self):
        self.get_signal()
        self.number += 1
        self.phone.open(self.table.path)
        self.phone.stay_after_reload()

    def step(self):
        """Something happens to the signal, then the holder of the phone does something."""
        self.change_signal()
        seen = self.look()
        if seen is None:
            # Only the start page is left without a signal, if this table was not kept.
            self.met["not at the table"] += 1
            if not self.bad_for:
                self.phone.open(self.table.path)
            return
        if not seen["busy"]:
            self.act(seen)

    def change_signal(self):
        if self.bad_for:
            self.bad_for -= 1
            if not self.bad_for:
                self.get_signal()
        for what, chance in CHANCES.items():
            if self.chance.random() < chance:
                self.suffer(what)

    def suffer(self, what):
        if what == "reload":
            # A form that came back refused is only on the page: nobody reloads that.
            seen = self.look()
            if seen and (not seen["typed"] or seen["busy"]):
                self.met[what] += 1
                self.reload()
        elif not self.bad_for:
            self.met[what] += 1
            getattr(self.phone.cable, what)()
            if what != "lose_answer":
                self.bad_for = self.chance.randint(2, 8)

    def reload(self):
        try:
            self.phone.page.reload()
        except Error:
            self.met["page not kept"] += 1

    def get_signal(self):
        self.bad_for = 0
        self.phone.cable.plug()
        # Phones do not always notice.
        if self.chance.random() < 0.7:
            self.phone.page.evaluate("dispatchEvent(new Event('online'))")

    def look(self):
        return self.phone.page.evaluate(LOOK)

    def act(self, seen):
        refused = [read_line(text) for came_back, text in seen["said"] if came_back]
        if is_waiting(seen):
            self.met["saved, but left in the form"] += 1
        elif seen["typed"]:
            self.answer_refusal(seen["typed"])
        elif refused:
            edits = self.phone.page.locator("#outbox .refused").first.locator("button")
            if edits.count() > 1 and not seen["over"] and self.chance.random() < 0.5:
                edits.first.dispatch_event("click")
            else:
                self.table.dropped.add(refused[0])
                edits.last.dispatch_event("click")
        elif not seen["over"]:
            deal = next(self.table.deals)
            self.table.written.append(deal)
            self.phone.page.evaluate(WRITE, deal)
        elif not seen["said"]:
            self.next_table()

    def answer_refusal(self, typed):
        """Send what came back once more, or give it up."""
        leave = self.phone.page.locator("#table [data-leave]")
        if leave.count() and self.chance.random() < 0.5:
            contract, counts = typed
            self.table.dropped.add((contract, tuple(counts)))
            leave.dispatch_event("click")
        else:
            self.phone.page.evaluate("document.querySelector('.save button[value=deal]').click()")

    def settle(self):
        """With a signal: go on until nothing waits, and note what is still shown as refused."""
        self.get_signal()
        self.phone.page.evaluate("dispatchEvent(new Event('online'))")
        deadline = time.monotonic() + SETTLED
        while self.is_unsettled(seen := self.look()):
            assert time.monotonic() < deadline, seen
            if seen is None:
                self.phone.open(self.table.path)
            elif seen["busy"] or is_waiting(seen) or not is_refused(seen):
                self.phone.page.wait_for_timeout(200)
            else:
                self.act(seen)
        if seen["typed"]:
            contract, counts = seen["typed"]
            self.table.pending.add((contract, tuple(counts)))
        self.table.pending |= {read_line(text) for _, text in seen["said"]}

    def is_unsettled(self, seen):
        return seen is None or seen["busy"] or any(not refused for refused, _ in seen["said"])


def race(make_phone, writes, seed):
    """Have five phones write so often; how the writes ended, what was met, and the seconds."""
    began, chance = time.monotonic(), random.Random(seed)
    tables = {}

    def tables_of(group):
        return lambda number: tables.setdefault((group, number), Table(chance))

    racers = [Racer(make_phone(), tables_of(group), chance) for group in GROUPS for _phone in group]
    while sum(len(table.written) for table in tables.values()) < writes:
        for racer in chance.sample(racers, len(racers)):
            racer.step()
    for racer in racers:
        racer.settle()
    ended = sum((table.outcome() for table in tables.values()), Counter())
    met = sum((racer.met for racer in racers), Counter())
    return ended, met, round(time.monotonic() - began)
