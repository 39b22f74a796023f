"""Phones that write on the same tables while their signal dies and returns, and the outcome.

Each deal is another one, so that a line of a sheet tells which write it came from. The pages are
used by their visible parts: contract, numbers, Save, waiting and refused deals.
"""

import itertools
import random
import time
from collections import Counter
from dataclasses import dataclass, field

from playwright.sync_api import Error

from tests.browser.phone import game_with
from tests.factories import reload
from tournaments.web.base.phone import address

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
SHORT = {"Tricks": "no-tricks", "Hearts": "no-hearts"}
"""The contracts by the words that the sheet has for them."""

GROUPS = ((0, 1, 2), (3,), (4,))
"""The phones that share a table; the first three overtake each other."""

CHANCES = {"pull": 0.06, "hang": 0.02, "lose_answer": 0.08, "reload": 0.04}
"""The chances of each mishap before a phone with a signal does something."""

EDITS = 0.1
"""The chance that a deal that waits is taken back into the form, once its turn comes."""

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
  const textOf = (row, part) => [...row.querySelectorAll(part)].map(e => e.firstChild.data);
  return {
    over: !form?.querySelector(".contracts").checkVisibility(),
    typed: contract ? [contract.value, counts.map(Number)] : null,
    waits: [...table.querySelectorAll(".sheet .marks.waits")].map(mark => ({
      refused: mark.matches(".refused"),
      contract: textOf(mark.previousElementSibling, ".short")[0],
      counts: textOf(mark.previousElementSibling, ".took").map(Number),
    })),
  };
}
"""

WRITE = """
([contract, counts]) => {
  const form = document.querySelector("form.entry");
  const pick = form?.querySelector(`.pick:has([value=${contract}])`);
  // The sheet of others may have come since it was looked at.
  if (!pick?.checkVisibility() || form.querySelector("[name=contract]:checked")) return false;
  pick.click();
  const save = form.querySelector(".save button[value=deal]");
  for (const count of counts) {
    if (!save.disabled) break;
    form.querySelector(`.keys [data-number="${count}"]`).click();
  }
  save.click();
  return true;
}
"""

TAP = """
([part, text]) => {
  const found = [...document.querySelectorAll(`${part} :is(a, button)`)];
  const button = found.find(each => each.textContent.trim() === text);
  button?.click();
  return Boolean(button);
}
"""

SAVE_AGAIN = "document.querySelector('.save button[value=deal]')?.click()"


def deals(chance):
    """All ways in which 13 can be shared out, but for Kings, of both contracts; none twice."""
    counts = [c for c in itertools.product(range(13), repeat=4) if sum(c) == 13]
    every = [(contract, shared) for contract in UNITS for shared in counts]
    chance.shuffle(every)
    return iter(every)


def written_in(row):
    return SHORT[row["contract"]], tuple(row["counts"])


def typed_in(seen):
    contract, counts = seen["typed"]
    return contract, tuple(counts)


def refused_in(seen):
    return [written_in(row) for row in seen["waits"] if row["refused"]]


def waiting_in(seen):
    return [written_in(row) for row in seen["waits"] if not row["refused"]]


@dataclass
class Table:
    """A game on which some phones write, and the deals they will write."""

    chance: random.Random
    game: object = field(default_factory=lambda: game_with(ruleset="race", document=RULES))

    def __post_init__(self):
        self.path, self.deals = address(self.game, "write"), deals(self.chance)
        self.written, self.dropped = [], set()

    def sheet(self):
        bodies = reload(self.game).record["entries"]
        return Counter((b["contract"], tuple(b["counts"][UNITS[b["contract"]]])) for b in bodies)

    def outcome(self):
        """How many writes ended how; all but the last three are as it should be."""
        stood = self.sheet()
        saved = [deal for deal in self.written if deal not in self.dropped]
        return Counter(
            {
                "writes": len(self.written),
                "on the sheet once": sum(stood[deal] == 1 for deal in saved),
                "refused and given up": len(self.dropped),
                "lost": sum(stood[deal] == 0 for deal in saved),
                "twice": sum(number > 1 for number in stood.values()),
                "given up, but on the sheet": sum(stood[deal] for deal in self.dropped),
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
        self.change_signal()
        seen = self.look()
        if seen is not None:
            self.act(seen)
            return
        # Only the start page is left without a signal, if this table was not kept.
        self.met["not at the table"] += 1
        if not self.bad_for:
            self.phone.open(self.table.path)

    def change_signal(self):
        if not self.phone.cable.plugged and not self.bad_for:
            self.met["answer lost"] += 1
            self.bad_for = self.chance.randint(2, 8)
        if self.bad_for:
            self.bad_for -= 1
            if not self.bad_for:
                self.get_signal()
        for what, chance in CHANCES.items():
            if self.chance.random() < chance:
                self.suffer(what)

    def suffer(self, what):
        if what == "reload":
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
        """Answer a refused deal, or change a waiting one, or write the next."""
        if seen["typed"] and typed_in(seen) in waiting_in(seen):
            self.met["saved, but left in the form"] += 1
        if seen["typed"]:
            self.answer_form(typed_in(seen))
        elif refused := refused_in(seen):
            self.answer_row(refused[0], seen["over"])
        elif waiting_in(seen) and self.chance.random() < EDITS:
            self.met["edited while it waited"] += self.tap("#table .marks.waits", "Edit")
        elif not seen["over"]:
            deal = next(self.table.deals)
            if self.phone.page.evaluate(WRITE, deal):
                self.table.written.append(deal)
        elif not seen["waits"]:
            self.next_table()

    def answer_form(self, deal):
        if self.chance.random() < 0.5 and self.tap("#table .save", "Discard what I typed"):
            self.table.dropped.add(deal)
        else:
            self.phone.page.evaluate(SAVE_AGAIN)

    def answer_row(self, deal, over):
        if not over and self.chance.random() < 0.5 and self.tap("#table .marks.refused", "Edit"):
            return
        if self.tap("#table .marks.refused", "Discard"):
            self.table.dropped.add(deal)

    def tap(self, part, text):
        return self.phone.page.evaluate(TAP, [part, text])

    def settle(self):
        """With a signal: go on until nothing waits and every refused deal is answered."""
        self.get_signal()
        self.phone.page.evaluate("dispatchEvent(new Event('online'))")
        deadline = time.monotonic() + SETTLED
        while (seen := self.look()) is None or seen["typed"] or seen["waits"]:
            assert time.monotonic() < deadline, seen
            # An answer that was still to be lost pulls the cable once more.
            if not self.phone.cable.plugged:
                self.get_signal()
            if seen is None:
                self.phone.open(self.table.path)
            elif seen["typed"] or refused_in(seen):
                self.act(seen)
            self.phone.page.wait_for_timeout(200)


def race(make_phone, writes, seed):
    """Have five phones write so often; return outcomes, mishaps and seconds."""
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
