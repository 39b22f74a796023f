"""A phone as the page's own scripts make it behave, reduced to its requests."""

import asyncio
import html
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from benchmarks.evening.tally import Tally
from benchmarks.evening.wire import Answer, CutOff, Line

REVISION = re.compile(r'data-revision="(\d+)"')
SEEN = re.compile(r'If-None-Match[\\": ]+((?:W/)?[^\\"}]+)')
FORM = ("Content-Type", "application/x-www-form-urlencoded;charset=UTF-8")


class Phone:
    """One browser: its cookies and one connection."""

    def __init__(self, host: str, port: int, tally: Tally) -> None:
        self.line, self.tally = Line(host, port), tally
        self.always = (
            f"Host: {host}:{port}\r\nUser-Agent: Mozilla/5.0 (Linux; Android 15) Chrome/140.0\r\n"
            "Accept: */*\r\nAccept-Language: tr-TR,tr;q=0.9\r\nAccept-Encoding: gzip, deflate\r\n"
        )
        self.cookies: dict[str, str] = {}
        self.free = asyncio.Lock()

    async def ask(
        self, method: str, path: str, more: Mapping[str, str], fields: Mapping[str, Any] = {}
    ) -> Answer:
        """Send a request and keep the cookies of its answer.

        What is only read is asked again, once, where the server has ended a connection that was
        kept, as browsers do.

        Raises:
            CutOff: there was none.
        """
        request = self._written(method, path, more, fields)
        async with self.free:
            kept = self.line.transport is not None
            try:
                answer = await self.line.ask(request)
            except CutOff as cut:
                late = isinstance(cut.__cause__, TimeoutError)
                if method != "GET" or not kept or late or self.line.received:
                    raise
                self.tally.again += 1
                answer = await self.line.ask(request)
        if b"set-cookie" in answer.head:
            self.cookies |= answer.cookies()
        return answer

    def _written(
        self, method: str, path: str, more: Mapping[str, str], fields: Mapping[str, Any]
    ) -> bytes:
        body = urlencode(fields)
        kept = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        headers = dict(more) | ({"Cookie": kept} if kept else {})
        if fields:
            headers |= {FORM[0]: FORM[1], "Content-Length": str(len(body))}
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        return f"{method} {path} HTTP/1.1\r\n{self.always}{lines}\r\n{body}".encode()

    async def open(self, path: str) -> Answer:
        """Load a page; tried again while the server is away."""
        while True:
            try:
                return await self.ask("GET", path, {})
            except CutOff:
                self.tally.errors["page: cut off"] += 1
                await asyncio.sleep(1)


def revision_in(page: str) -> int:
    """The revision of the sheet that a page shows; −1 where it shows none."""
    found = REVISION.search(page)
    return int(found[1]) if found else -1


def seen_in(page: str) -> str:
    """The poll of a follower's page."""
    found = SEEN.search(html.unescape(page))
    return f'"{found[1]}"' if found else ""


async def until(moment: float) -> float:
    """Wait for a moment of the loop's clock; returns how late it is by then, in seconds."""
    loop = asyncio.get_running_loop()
    rest = moment - loop.time()
    if rest > 0:
        await asyncio.sleep(rest)
    return max(0.0, loop.time() - moment)
