"""Run a WSGI application in a few threads, none of which ever waits for a visitor.

a2wsgi alone reads the body and writes the answer in the application's thread: as many slow
visitors as there are threads would block everybody.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, MutableMapping
from contextlib import asynccontextmanager
from tempfile import SpooledTemporaryFile
from typing import Any, BinaryIO, Self
from urllib.parse import quote_from_bytes
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment
from wsgiref.util import FileWrapper

from a2wsgi import WSGIMiddleware
from django.conf import settings

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
        self.pages = WSGIMiddleware(with_large_blocks(pages), workers=threads)  # type: ignore[arg-type]
        self.large_bodies = asyncio.Semaphore(LARGE_BODIES)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        length = announced_length(scope)
        async with self.whole_body(length, receive) as body:
            if body is not None:
                await self.answer(for_pages(scope, length, body), body, send)

    @asynccontextmanager
    async def whole_body(
        self, length: int | None, receive: Receive
    ) -> AsyncIterator[bytearray | None]:
        """Return the body, or None if the visitor has disconnected.

        Of a body that is too large, read no more than it takes to detect that.
        """
        body, holds_slot = bytearray(), False
        more = length is None or 0 < length <= settings.LARGEST_BODY
        try:
            while more and len(body) <= settings.LARGEST_BODY:
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
    """The answer of the application, buffered."""

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
        """Send the whole answer."""
        if self.fault is not None:
            raise self.fault
        await send(self.start)
        self.body.seek(0)
        while chunk := self.body.read(CHUNK):
            await send({"type": "http.response.body", "body": chunk, "more_body": True})
        await send({"type": "http.response.body", "body": b""})


def announced_length(scope: Scope) -> int | None:
    """Return the announced length of the body, or None if there is none."""
    headers = dict(scope["headers"])
    if b"transfer-encoding" in headers:
        return None
    # The server has refused values that are not numbers.
    return int(headers.get(b"content-length", 0))


def for_pages(scope: Scope, length: int | None, body: bytearray) -> Scope:
    """Return the ASGI scope for the application."""
    # With a "_" a header would become one with a "-" for WSGI: X_Forwarded_For is not the proxy's.
    headers = [each for each in scope["headers"] if b"_" not in each[0]]
    if length is None:
        headers = [each for each in headers if each[0] != b"transfer-encoding"]
        headers.append((b"content-length", str(len(body)).encode()))
    # a2wsgi requires ASCII.
    query = quote_from_bytes(scope["query_string"], safe=PRINTABLE).encode()
    return {**scope, "headers": headers, "query_string": query}


def with_large_blocks(pages: WSGIApplication) -> WSGIApplication:
    """Read files in larger blocks than Django does: each block costs a switch of threads."""

    def large_blocks(file: BinaryIO, _size: int = 0) -> FileWrapper:
        return FileWrapper(file, ANSWER_IN_MEMORY)

    def application(request: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        return pages({**request, "wsgi.file_wrapper": large_blocks}, start_response)

    return application
