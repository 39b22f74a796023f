"""Those who look on: each asks every two seconds whether the sheet has grown, as its page does."""

import asyncio
from collections.abc import Mapping

from benchmarks.evening.phones import Phone, revision_in, seen_in, until
from benchmarks.evening.tally import Tally
from benchmarks.evening.wire import CutOff

EVERY = 2.0
"""`hx-trigger` of templates/tournaments/games/_follow.html, in seconds."""


class Follower:
    """A phone that shows the sheet of one table; `revision` is the last it was shown."""

    more: Mapping[str, str] = {}

    def __init__(self, host: str, port: int, path: str, tally: Tally) -> None:
        self.phone, self.path, self.tally = Phone(host, port, tally), path, tally
        self.heard, self.revision = "", -1

    async def sit_down(self) -> None:
        """Load the page, as by the QR code."""
        answer = await self.phone.open(self.path)
        self.heard, self.revision = seen_in(answer.text), revision_in(answer.text)
        if answer.status != 200 or not self.heard:
            self.tally.errors[f"page: {answer.status}"] += 1

    async def look_on(self, first: float, stop: asyncio.Event) -> None:
        """Ask from a moment on until told to stop."""
        due, loop = first, asyncio.get_running_loop()
        while not stop.is_set():
            self.tally.late.append(1000 * await until(due))
            swapped = await self._ask(due)
            now = loop.time()
            # A fragment that has come counts anew; where none came, the page goes on as it did.
            missed = int((now - due) / EVERY)
            self.tally.skipped += missed
            due = now + EVERY if swapped else due + EVERY * (missed + 1)

    async def _ask(self, due: float) -> bool:
        """Ask once; whether there was another sheet."""
        headers = {"HX-Request": "true", "HX-Trigger": "table", "HX-Target": "table"}
        try:
            more = headers | {"If-None-Match": self.heard, **self.more}
            answer = await self.phone.ask("GET", self.path, more)
        except CutOff:
            self.tally.errors["follower: cut off"] += 1
            return False
        self.tally.note(f"follower {answer.status}", due, asyncio.get_running_loop().time())
        if answer.status == 200:
            page = answer.text
            self.heard, self.revision = seen_in(page), revision_in(page)
            return True
        if answer.status != 304:
            self.tally.errors[f"follower: {answer.status}"] += 1
        return False
