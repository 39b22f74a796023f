"""HTTP/1.1 over one connection that is kept, for a thousand phones in one process.

As lean as it can be, since the server shares its processors with them.
"""

import asyncio
import zlib
from dataclasses import dataclass

PATIENCE = 10.0
"""As long as the script of the table page waits for an answer, in seconds."""

GZIP = 16 + zlib.MAX_WBITS
NO_BODY = (204, 304)


class CutOff(OSError):
    """The connection ended, or nothing came for too long: nobody knows what the server did."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer; `head` is everything before the body."""

    status: int
    head: bytes
    raw: bytes

    def header(self, name: str) -> str:
        """A header; empty where there is none."""
        _before, found, rest = self.head.partition(f"\r\n{name.lower()}: ".encode())
        return rest.partition(b"\r\n")[0].decode() if found else ""

    def cookies(self) -> dict[str, str]:
        """Those to be kept."""
        lines = self.head.split(b"\r\nset-cookie: ")[1:]
        pairs = (line.partition(b";")[0].decode().partition("=") for line in lines)
        return {name: value for name, _, value in pairs}

    @property
    def text(self) -> str:
        """The page."""
        packed = b"content-encoding: gzip" in self.head
        return (zlib.decompress(self.raw, GZIP) if packed else self.raw).decode()


class Line(asyncio.Protocol):
    """One connection, opened when it is needed and again when the server has closed it."""

    def __init__(self, host: str, port: int) -> None:
        self.host, self.port = host, port
        self.transport: asyncio.Transport | None = None
        self.waiting: asyncio.Future[Answer] | None = None
        self.received = bytearray()

    async def ask(self, request: bytes, patience: float = PATIENCE) -> Answer:
        """Send one request and wait for its answer.

        Raises:
            CutOff: there was none.
        """
        loop = asyncio.get_running_loop()
        try:
            if self.transport is None:
                async with asyncio.timeout(patience):
                    await loop.create_connection(lambda: self, self.host, self.port)
            assert self.transport is not None
            self.waiting = loop.create_future()
            late = loop.call_later(patience, self.give_up)
            try:
                self.received.clear()
                self.transport.write(request)
                return await self.waiting
            finally:
                late.cancel()
                self.waiting = None
        except OSError as error:
            self.hang_up()
            raise CutOff(str(error) or type(error).__name__) from error

    def give_up(self) -> None:
        """Wait no longer."""
        if self.waiting is not None and not self.waiting.done():
            self.waiting.set_exception(TimeoutError())

    def hang_up(self) -> None:
        """End the connection, whatever is under way on it."""
        if self.transport is not None:
            self.transport.abort()
        self.connection_lost(None)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Note where to write."""
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell whoever waits that nothing will come."""
        self.transport = None
        if self.waiting is not None and not self.waiting.done():
            self.waiting.set_exception(CutOff(str(exc or "cut off")))

    def data_received(self, data: bytes) -> None:
        """Take the answer when all of it is there."""
        self.received += data
        end = self.received.find(b"\r\n\r\n")
        if end < 0 or self.waiting is None or self.waiting.done():
            return
        head = bytes(self.received[: end + 2])
        status = int(head[9:12])
        _, found, rest = head.partition(b"\r\ncontent-length: ")
        length = int(rest.partition(b"\r\n")[0]) if found and status not in NO_BODY else 0
        if len(self.received) < end + 4 + length:
            return
        answer = Answer(status, head, bytes(self.received[end + 4 : end + 4 + length]))
        if b"\r\nconnection: close" in head and self.transport is not None:
            self.transport.close()
            self.transport = None
        self.waiting.set_result(answer)
