"""Those who look on by a stream of events, as `static/stream.js` and `follow.js` make pages do."""

import asyncio
import random
import re
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from benchmarks.evening.followers import EVERY, Follower
from benchmarks.evening.phones import until
from benchmarks.evening.tables import Table
from benchmarks.evening.tally import Tally

SPREAD = 30.0
"""Within so many seconds a page opens its stream again, at random."""
EVENT = re.compile(rb"event: (?:hello|news)\ndata: \w+ ?(.*)\n")


class Ear(asyncio.Protocol):
    """The connection of one stream; `news` are the events since the server began to look."""

    __slots__ = ("data", "heard", "is_open", "lost", "news", "path", "refused", "transport")

    def __init__(self, path: str) -> None:
        self.path, self.news, self.is_open, self.refused = path, 0, False, False
        self.data = ""
        self.heard, self.lost = asyncio.Event(), asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        transport.write(f"GET {self.path}events HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())

    def data_received(self, data: bytes) -> None:
        if data.startswith(b"HTTP/1.1") and not data.startswith(b"HTTP/1.1 200"):
            self.refused = True
            self.transport.close()
        # Each event is one small write of the server.
        self.is_open = self.is_open or b"event: hello" in data
        self.news += data.count(b"event: news")
        if heard := EVENT.findall(data):
            self.data = heard[-1].decode()
            self.heard.set()

    @property
    def news_header(self) -> dict[str, str]:
        return {"Kingscore-News": self.data}

    def connection_lost(self, _exc: Exception | None) -> None:
        self.is_open = False
        self.lost.set()
        self.heard.set()


async def open_ear(host: str, port: int, path: str, source: str = "127.0.0.1") -> Ear:
    """Open a stream; several sources, since a server allows one address only so many."""
    ear = Ear(path)
    loop = asyncio.get_running_loop()
    await loop.create_connection(lambda: ear, host, port, local_addr=(source, 0))
    return ear


@dataclass
class TimedTable(Table):
    """A table that knows when each revision was answered; with `ear` it hears of others."""

    written: dict[int, float] = field(default_factory=dict)

    async def _write(self, due: float, body: Any) -> bool:
        stored = await super()._write(due, body)
        self.written[len(self.sent)] = asyncio.get_running_loop().time()
        return stored

    async def hear(self, stop: asyncio.Event) -> None:
        """Ask when a stream tells of a change."""
        ear = await open_ear(self.host, self.port, self.path)
        while not stop.is_set():
            await ear.heard.wait()
            ear.heard.clear()
            if not self.busy and not stop.is_set():
                await self._listen(asyncio.get_running_loop().time(), ear.news_header)
        ear.transport.close()


class TimedFollower(Follower):
    """A phone that polls; `seen` are the seconds until it showed each revision."""

    def __init__(self, table: TimedTable, tally: Tally) -> None:
        super().__init__(table.host, table.port, table.followed, tally)
        self.table, self.seen = table, list[float]()

    async def _ask(self, due: float) -> bool:
        before = self.revision
        swapped = await super()._ask(due)
        if self.revision > max(0, before):
            now = asyncio.get_running_loop().time()
            self.seen.append(max(0.0, now - self.table.written.get(self.revision, now)))
        return swapped


class Hearer(TimedFollower):
    """A phone that hears of changes, and polls without a stream; `back` is when it had one."""

    back = 0.0

    async def look_on(self, first: float, stop: asyncio.Event) -> None:
        await until(first)
        loop, table, asked = asyncio.get_running_loop(), self.table, 0.0
        while not stop.is_set():
            try:
                ear = await open_ear(table.host, table.port, self.path)
            except OSError:
                ear = Ear(self.path)
                ear.lost.set()
            self.ear = ear
            while not (ear.lost.is_set() or stop.is_set()):
                await ear.heard.wait()
                if ear.lost.is_set():
                    break
                self.back = self.back or loop.time()
                # Not sooner than it would poll.
                await asyncio.sleep(max(0.0, asked + EVERY - loop.time(), random.random() * 0.1))
                ear.heard.clear()
                if ear.is_open and not stop.is_set():
                    asked, self.more = loop.time(), ear.news_header
                    await self._ask(asked)
            again = loop.time() + random.random() * SPREAD
            self.back, self.more = 0.0, {}
            while loop.time() < again and not stop.is_set():
                with suppress(TimeoutError):
                    await asyncio.wait_for(stop.wait(), min(EVERY, max(0.01, again - loop.time())))
                if not stop.is_set():
                    await self._ask(loop.time())
        if not ear.lost.is_set():
            ear.transport.close()
