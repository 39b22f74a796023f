"""Bodies that are buffered, and streams of events."""

import asyncio
import logging
import random
import re
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from math import inf
from tempfile import SpooledTemporaryFile
from time import monotonic
from typing import Any, Self
from urllib.parse import quote_from_bytes
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment
from wsgiref.util import FileWrapper

from a2wsgi import WSGIMiddleware
from django.conf import settings
from django.db import close_old_connections

from kingscore.middleware import ANY, CHANNEL, largest_body
from tournaments.queries.versions import GameVersion
from tournaments.queries.watching import Version, VersionWatcher
from tournaments.web.base.answers import NETWORK, TOPIC

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

SMALL_BODY = 64 * 1024
"""Bytes that every connection may have in memory; a deal has some hundred."""
LARGE_BODIES = 16
"""The number of larger bodies in memory at a time; others wait unread."""
ANSWER_IN_MEMORY = 256 * 1024
"""Longer answers, such as documents, are buffered in a file."""
CHUNK = 64 * 1024
PRINTABLE = bytes(range(0x21, 0x7F))


class Buffered:
    """An ASGI application around a WSGI one, with whole requests in and whole answers out."""

    def __init__(self, pages: WSGIApplication, threads: int) -> None:
        # Files in larger blocks than Django reads: each block costs a switch of threads.
        wrapper = {"wsgi.file_wrapper": lambda file, _size=0: FileWrapper(file, ANSWER_IN_MEMORY)}

        def application(request: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
            return pages({**request, **wrapper}, start_response)

        self.pages = WSGIMiddleware(application, workers=threads)  # type: ignore[arg-type]
        self.large_bodies = asyncio.Semaphore(LARGE_BODIES)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = dict(scope["headers"])
        # The server has refused values that are not numbers.
        length = int(headers.get(b"content-length", 0))
        is_announced = b"transfer-encoding" not in headers
        announced = length if is_announced else None
        async with self.whole_body(announced, largest_body(scope["path"]), receive) as body:
            if body is None:
                return
            # With a "_" a header would become one with a "-" for WSGI: X_Forwarded_For is not the
            # proxy's.
            pairs = [pair for pair in scope["headers"] if b"_" not in pair[0]]
            if not is_announced:
                pairs = [pair for pair in pairs if pair[0] != b"transfer-encoding"]
                pairs.append((b"content-length", str(len(body)).encode()))
            # a2wsgi requires ASCII.
            query = quote_from_bytes(scope["query_string"], safe=PRINTABLE).encode()
            await self.answer({**scope, "headers": pairs, "query_string": query}, body, send)

    @asynccontextmanager
    async def whole_body(
        self, length: int | None, largest: int, receive: Receive
    ) -> AsyncIterator[bytearray | None]:
        """Return the body, or None if the visitor has disconnected.

        Of a body that is too large, read no more than it takes to detect that.
        """
        body, holds_slot = bytearray(), False
        more = length is None or 0 < length <= largest
        try:
            while more and len(body) <= largest:
                if len(body) > SMALL_BODY and not holds_slot:
                    holds_slot = await self.large_bodies.acquire()
                message = await receive()
                if message["type"] == "http.disconnect":
                    yield None
                    return
                body += message.get("body", b"")
                more = message.get("more_body", False)
            yield body
        finally:
            if holds_slot:
                self.large_bodies.release()

    async def answer(self, scope: Scope, body: bytearray, send: Send) -> None:
        """Run the application, then send its answer as fast as the visitor takes it."""

        async def receive() -> Message:
            return {"type": "http.request", "body": body, "more_body": False}

        with BufferedAnswer() as answer:
            await self.pages(scope, receive, answer.take)  # type: ignore[arg-type]
            await answer.hand_over(send)


class BufferedAnswer:
    def __init__(self) -> None:
        self.start: Message = {}
        self.body = SpooledTemporaryFile(max_size=ANSWER_IN_MEMORY)  # noqa: SIM115 - see __exit__
        self.fault: OSError | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.body.close()

    async def take(self, message: Message) -> None:
        """Keep a message. Never raises: a2wsgi's thread would wait for ever."""
        if message["type"] == "http.response.start":
            self.start = message
        elif self.fault is None:
            try:
                self.body.write(message.get("body", b""))
            except OSError as fault:
                self.fault = fault

    async def hand_over(self, send: Send) -> None:
        if self.fault is not None:
            raise self.fault
        await send(self.start)
        self.body.seek(0)
        while chunk := self.body.read(CHUNK):
            await send({"type": "http.response.body", "body": chunk, "more_body": True})
        await send({"type": "http.response.body", "body": b""})


logger = logging.getLogger(__name__)

MOST_STREAMS = 5000
"""Per process. A page without a stream polls."""
MOST_OF_NETWORK = 1000
"""A whole hall may have one address."""
LOOK_SECONDS = 0.5
CALLED_SECONDS, LOOK_WHILE_CALLED_SECONDS = 0.1, 2.0
"""How often to look at the most, and at everything at least, while PostgreSQL tells of writes."""
BEAT_SECONDS = 15
"""Shorter than the patience of proxies, and of `static/stream.js`."""
CHECK_SECONDS = 25
SPREAD_MS = 30_000
"""After a restart, pages come back one by one."""

HEADERS = [
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-store"),
    # For nginx and its relatives; Caddy needs no word.
    (b"x-accel-buffering", b"no"),
]
REPLACED = {
    *(b"content-type", b"content-length", b"content-encoding", b"cache-control", b"expires"),
    *(TOPIC.lower().encode(), NETWORK.lower().encode()),
}
TOO_MANY = b"Too many streams are open. Poll the page instead.\n"
SESSION = re.compile(rb"(?:__Host-)?" + settings.SESSION_COOKIE_NAME.encode() + rb"=([^;]*)")


class Stream:
    __slots__ = ("is_over", "network", "saying", "scope", "send", "topic")

    def __init__(self, scope: Scope, send: Send, topic: str, network: str) -> None:
        self.scope, self.send, self.topic, self.network = scope, send, topic, network
        self.saying: asyncio.Task[None] | None = None
        self.is_over = False

    def say(self, event: str, data: str = "") -> None:
        """Send an event; no beat while the page has not taken the event before."""
        if self.is_over:
            return
        if event != "beat" or self.saying is None or self.saying.done():
            kind = self.topic.partition(" ")[0]
            body = f"event: {event}\ndata: {f'{kind} {data}'.rstrip()}\n\n".encode()
            self._send({"type": "http.response.body", "body": body, "more_body": True})

    def end(self) -> None:
        if self.is_over:
            return
        self.is_over = True
        self._send({"type": "http.response.body", "body": b""})

    def _send(self, message: Message) -> None:
        async def send() -> None:
            await self.send(message)

        self.saying = asyncio.create_task(send())

    @property
    def visitor(self) -> tuple[str, bytes]:
        """All who see the page by the same right."""
        cookies = dict(self.scope["headers"]).get(b"cookie", b"")
        session = SESSION.search(cookies)
        return self.scope["path"], session[1] if session else b""


class Streams:
    """An ASGI application around that of the pages, with the streams of this process."""

    def __init__(self, pages: Application) -> None:
        self.pages = pages
        self.of_topic: defaultdict[str, set[Stream]] = defaultdict(set)
        self.networks: Counter[str] = Counter()
        self.versions: dict[str, Version] = {}
        self.watch, self.thread = VersionWatcher(), ThreadPoolExecutor(1, "streams")
        self.called, self.hears_calls = asyncio.Event(), False
        self.written, self.looked = set[str](), -inf
        self.work: asyncio.Task[None] | None = None
        self.checks: set[asyncio.Task[None]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not scope["path"].endswith("/events"):
            await self.pages(scope, receive, send)
        elif (answer := await self.ask(scope, receive, send)) is not None:
            await self.serve(answer, scope, receive, send)

    async def ask(self, scope: Scope, receive: Receive, send: Send) -> Message | None:
        """Ask Django for a stream; return the head of its answer, or pass on a refusal."""
        allowed: Message | None = None

        async def take(message: Message) -> None:
            nonlocal allowed
            if message["type"] == "http.response.start" and header(message, TOPIC):
                allowed = message
            elif allowed is None:
                await send(message)

        await self.pages(scope, receive, take)
        return allowed

    async def serve(self, answer: Message, scope: Scope, receive: Receive, send: Send) -> None:
        """Hold a stream open until the visitor leaves, or may no longer see the page."""
        network = header(answer, NETWORK)
        others = [pair for pair in answer["headers"] if pair[0].lower() not in REPLACED]
        if self.networks.total() >= MOST_STREAMS or self.networks[network] >= MOST_OF_NETWORK:
            plain = (b"content-type", b"text/plain"), (b"retry-after", b"300")
            length = (b"content-length", str(len(TOO_MANY)).encode())
            await send({**answer, "status": 503, "headers": [*others, *plain, length]})
            await send({"type": "http.response.body", "body": TOO_MANY})
            return
        # For the web server, which ends streams before it stops.
        scope["kingscore.stream"] = True
        await send({**answer, "status": 200, "headers": [*others, *HEADERS]})
        retry = f"retry: {random.randint(1000, SPREAD_MS)}\n\n".encode()  # noqa: S311
        await send({"type": "http.response.body", "body": retry, "more_body": True})
        stream = Stream(scope, send, header(answer, TOPIC), network)
        self.add(stream)
        try:
            while (await receive())["type"] != "http.disconnect":
                pass
        finally:
            self.remove(stream)

    def add(self, stream: Stream) -> None:
        self.of_topic[stream.topic].add(stream)
        self.networks[stream.network] += 1
        if stream.topic in self.versions:
            # Whatever happens after the last look is a change.
            stream.say("hello", self.data(stream.topic))
        if self.work is None or self.work.done():
            self.work = asyncio.create_task(self.run())

    def remove(self, stream: Stream) -> None:
        self.networks[stream.network] -= 1
        if not self.networks[stream.network]:
            del self.networks[stream.network]
        others = self.of_topic[stream.topic]
        others.discard(stream)
        if not others:
            del self.of_topic[stream.topic]
            self.versions.pop(stream.topic, None)

    async def run(self) -> None:
        """Work as long as there are streams."""
        beside = [_every(BEAT_SECONDS, self.beat), _every(CHECK_SECONDS, self.check)]
        if settings.LISTEN_URL:
            beside.append(self.listen())
        tasks = [asyncio.create_task(work) for work in beside]
        try:
            while self.of_topic:
                try:
                    await self.look(self.due())
                except Exception:
                    # The next look finds the change.
                    logger.exception("Streams could not look at the database")
                await self.wait()
        finally:
            for task in tasks:
                task.cancel()

    async def wait(self) -> None:
        """Wait until it is time to look."""
        if not self.hears_calls:
            await asyncio.sleep(LOOK_SECONDS)
            return
        await asyncio.sleep(CALLED_SECONDS)
        with suppress(TimeoutError):
            await asyncio.wait_for(self.called.wait(), LOOK_WHILE_CALLED_SECONDS)
        self.called.clear()

    def due(self) -> list[str]:
        """Return the topics to look at: of games, those that were written since the last look."""
        written, self.written = self.written, set()
        now = monotonic()
        if ANY in written or not written or now - self.looked > LOOK_WHILE_CALLED_SECONDS:
            self.looked = now
            return list(self.of_topic)
        return [
            topic
            for topic in self.of_topic
            if topic not in self.versions
            or not topic.startswith("game ")
            or topic.removeprefix("game ") in written
        ]

    async def look(self, topics: list[str]) -> None:
        """Tell all pages of topics that have changed since the last look."""
        loop = asyncio.get_running_loop()
        found = await loop.run_in_executor(self.thread, self.versions_of, topics)
        touched: list[Stream] = []
        for topic, version in found.items():
            streams = self.of_topic.get(topic)
            if not streams:
                continue
            before = self.versions.get(topic)
            self.versions[topic] = version
            if version != before:
                data = self.data(topic)
                for stream in streams:
                    stream.say("news" if before else "hello", data)
            if before and version.rights != before.rights:
                touched += streams
        if touched:
            task = asyncio.create_task(self.check(touched))
            self.checks.add(task)
            task.add_done_callback(self.checks.discard)

    def data(self, topic: str) -> str:
        """Return what a page sends back with its question: the version of a game."""
        content = self.versions[topic].content
        return content.digest if isinstance(content, GameVersion) else ""

    def versions_of(self, topics: list[str]) -> dict[str, Version]:
        close_old_connections()
        try:
            return self.watch.look(topics)
        finally:
            close_old_connections()

    async def beat(self) -> None:
        for number, stream in enumerate(self.all()):
            stream.say("beat")
            if number % 50 == 0:
                # Others are answered in between.
                await asyncio.sleep(0.01)

    async def check(self, streams: Iterable[Stream] | None = None) -> None:
        """End the streams of visitors who may no longer see the page, of these or of all.

        The right to see a sheet or an evening is in the version of its topic.
        """
        alike: defaultdict[tuple[str, bytes], list[Stream]] = defaultdict(list)
        for stream in self.all() if streams is None else streams:
            if streams is not None or not stream.topic.startswith(("game ", "evening ")):
                alike[stream.visitor].append(stream)
        for visitors in alike.values():
            if await self.ask(visitors[0].scope, _nothing, _ignore) is None:
                for stream in visitors:
                    stream.end()

    async def listen(self) -> None:
        """Hear of writes from PostgreSQL, on a connection of its own; see `announce_writes`."""
        # On SQLite nobody needs it, and it takes 4 MB.
        import psycopg

        while True:
            try:
                url = settings.LISTEN_URL
                async with await psycopg.AsyncConnection.connect(
                    url, autocommit=True, keepalives_idle=30
                ) as line:
                    await line.execute(f"LISTEN {CHANNEL}")
                    self.hears_calls = True
                    async for call in line.notifies():
                        self.written.add(call.payload)
                        self.called.set()
            except psycopg.Error as fault:
                logger.warning("Streams hear of no writes: %s", type(fault).__name__)
            finally:
                self.hears_calls = False
            await asyncio.sleep(5)

    def all(self) -> list[Stream]:
        return [stream for streams in self.of_topic.values() for stream in streams]


async def _every(seconds: float, work: Callable[[], Awaitable[None]]) -> None:
    while True:
        await asyncio.sleep(seconds)
        try:
            await work()
        except Exception:
            logger.exception("Streams could not be looked after")


def header(message: Message, name: str) -> str:
    """Return a header of an answer; empty if there is none."""
    wanted = name.lower().encode()
    return next((v.decode() for n, v in message["headers"] if n.lower() == wanted), "")


async def _nothing() -> Message:
    return {"type": "http.disconnect"}


async def _ignore(_message: Message) -> None:
    pass
