"""Those who write: each table's phone sends its deals by a plan made beforehand.

A deal that comes late because the one before it was still on its way has waited, too: what is
measured begins when it should have been sent.
"""

import asyncio
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks.evening.phones import Phone, revision_in, until
from benchmarks.evening.tally import Tally
from benchmarks.evening.wire import Answer, CutOff
from tests.phones import deal_fields, new_key

EVERY = 4.0
"""How often the phone that writes asks whether another has written: `static/outbox.js`, seconds."""

DELAYS = (2.0, 4.0, 8.0, 16.0, 30.0, 60.0)
"""How long it waits before it sends again what was not answered, by the same script."""


@dataclass(frozen=True, slots=True)
class Deal:
    """A deal as it was sent; `answered` when the server has said that it is stored."""

    key: str
    body: Mapping[str, Any]
    answered: bool = False


@dataclass
class Table:
    """One table; `sent` are its deals in order, the first at revision 1."""

    host: str
    port: int
    game: str
    path: str
    # Where others look on.
    followed: str
    tally: Tally
    # Longer than this between two tries is no use to whoever wants to see a server come back.
    longest_delay: float = DELAYS[-1]
    sent: list[Deal] = field(default_factory=list)
    phone: Phone = field(init=False)
    busy: bool = False
    heard: str = ""

    def __post_init__(self) -> None:
        self.phone = Phone(self.host, self.port, self.tally)

    async def sit_down(self) -> None:
        """Load the page, as by the card of the table; soon after, it asks for the sheet once."""
        answer = await self.phone.open(self.path)
        if answer.status != 200 or revision_in(answer.text) != len(self.sent):
            self.tally.errors[f"page: {answer.status}"] += 1
        await self._listen(asyncio.get_running_loop().time())

    async def play(self, deals: Sequence[tuple[float, Mapping[str, Any]]]) -> None:
        """Send each deal at its moment, and each until it is answered."""
        for due, body in deals:
            self.tally.late.append(1000 * await until(due))
            if not await self._write(due, body):
                return

    async def listen(self, first: float, stop: asyncio.Event) -> None:
        """Ask between the deals whether another phone has written, until told to stop."""
        due = first
        while not stop.is_set():
            await until(due)
            if not self.busy:
                await self._listen(due)
            due = max(due + EVERY, asyncio.get_running_loop().time())

    async def _write(self, due: float, body: Mapping[str, Any]) -> bool:
        """Write a deal down, with one key however often it takes; whether it was stored."""
        revision, key = len(self.sent), new_key()
        self.sent.append(Deal(key, body))
        self.busy = True
        answer = await self._post(deal_fields(body, revision, key))
        self.busy = False
        if answer.status != 200:
            self.tally.errors[f"write: {answer.status}"] += 1
            return False
        self.tally.note("write", due, asyncio.get_running_loop().time())
        self.sent[-1] = Deal(key, body, answered=True)
        if answer.header("ETag"):
            self.heard = answer.header("ETag")
        if answer.header("Kingscore-Revision") != str(revision + 1):
            self.tally.errors["write: another revision"] += 1
        return True

    async def _post(self, fields: Mapping[str, Any]) -> Answer:
        """Send until there is an answer of the server's own."""
        tries = 0
        while True:
            headers = {"HX-Request": "true", "X-CSRFToken": self.phone.cookies["csrftoken"]}
            try:
                answer = await self.phone.ask("POST", f"{self.path}entry/", headers, fields)
                if answer.header("Kingscore-Revision") or 400 <= answer.status < 500:
                    return answer
                self.tally.errors[f"write: {answer.status}, sent again"] += 1
            except CutOff:
                self.tally.errors["write: cut off, sent again"] += 1
            await asyncio.sleep(min(DELAYS[min(tries, len(DELAYS) - 1)], self.longest_delay))
            tries += 1

    async def _listen(self, due: float, more: Mapping[str, str] | None = None) -> None:
        seen = {"If-None-Match": self.heard} if self.heard else {}
        try:
            asked = {"HX-Request": "true", **seen, **(more or {})}
            answer = await self.phone.ask("GET", self.path, asked)
        except CutOff:
            self.tally.errors["listening: cut off"] += 1
            return
        self.tally.note(f"listening {answer.status}", due, asyncio.get_running_loop().time())
        if answer.status == 200:
            self.heard = answer.header("ETag")
        elif answer.status != 304:
            self.tally.errors[f"listening: {answer.status}"] += 1


def plan(
    deals: Sequence[Mapping[str, Any]], first: float, seconds: float, chance: random.Random
) -> list[tuple[float, Mapping[str, Any]]]:
    """When each deal of a table is sent: one at any moment of each of as many equal stretches."""
    stretch = seconds / max(1, len(deals))
    return [
        (first + (number + chance.random()) * stretch, body) for number, body in enumerate(deals)
    ]
