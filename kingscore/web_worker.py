"""A process of the web server: uvicorn under gunicorn, with timeouts for slow visitors.

uvicorn itself waits for ever for the rest of a request, and for a visitor to take the answer.
"""

import asyncio
import faulthandler
import os
import resource
import signal
from asyncio import TimerHandle
from contextlib import suppress
from typing import Any, ClassVar

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn_worker import UvicornWorker

HEAD_BYTES = 32 * 1024
"""Maximum size of a request line with its headers."""
HEAD_SECONDS = 15
BODY_SECONDS = 60
"""The largest body needs 35 kB a second."""
STALLED_SECONDS = 30
IDLE_SECONDS = 60
"""Longer than --keep-alive, for an answer that is still being sent."""
MOST_CONNECTIONS = 7000
"""Most of them streams; see `MOST_STREAMS`."""
SPARE_FILES = 256


class Protocol(HttpToolsProtocol):
    """A connection with timeouts for slow visitors.

    If there are too many connections, the one that has been idle the longest is closed.
    """

    most = MOST_CONNECTIONS
    waiting: ClassVar[dict["Protocol", TimerHandle]] = {}
    """Connections that wait for the visitor, with their deadlines, the oldest first."""

    in_head = False
    head_bytes = 0

    def wait_for_visitor(self, seconds: float) -> None:
        self.stop_waiting()
        self.waiting[self] = self.loop.call_later(seconds, self.give_up)

    def stop_waiting(self) -> None:
        if timer := self.waiting.pop(self, None):
            timer.cancel()

    def give_up(self) -> None:
        self.stop_waiting()
        # Not `close`, which would wait until the visitor has taken all data.
        self.transport.abort()

    def go_on(self) -> None:
        """Wait for the visitor's next request, unless an answer to this one is due."""
        if self.cycle and not (self.cycle.more_body or self.cycle.response_complete):
            self.stop_waiting()
        else:
            self.wait_for_visitor(IDLE_SECONDS)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.wait_for_visitor(HEAD_SECONDS)
        if len(self.connections) > self.most:
            next(iter(self.waiting)).give_up()

    def connection_lost(self, exc: Exception | None) -> None:
        self.stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.in_head:
            self.head_bytes += len(data)
            if self.head_bytes > HEAD_BYTES and not self.transport.is_closing():
                self.send_400_response("Request head too large.")

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self.in_head, self.head_bytes = True, 0
        self.wait_for_visitor(HEAD_SECONDS)

    def on_headers_complete(self) -> None:
        if len(self.url) + sum(len(name) + len(value) for name, value in self.headers) > HEAD_BYTES:
            # The parser passes it on, and the visitor gets a 400.
            raise ValueError
        self.in_head = False
        self.wait_for_visitor(BODY_SECONDS)
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        super().on_message_complete()
        self.go_on()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self not in self.waiting:
            self.wait_for_visitor(IDLE_SECONDS)

    def pause_writing(self) -> None:
        super().pause_writing()
        self.wait_for_visitor(STALLED_SECONDS)

    def resume_writing(self) -> None:
        super().resume_writing()
        self.go_on()

    def shutdown(self) -> None:
        super().shutdown()
        if self.cycle and (self.cycle.more_body or "kingscore.stream" in self.scope):
            self.transport.close()


class WebWorker(UvicornWorker):  # type: ignore[misc]
    CONFIG_KWARGS: ClassVar[dict[str, Any]] = {
        "http": Protocol,
        "loop": "asyncio",
        "ws": "none",
        "lifespan": "off",
        # Django determines the client, since it knows how many proxies there are.
        "proxy_headers": False,
        "server_header": False,
        # The addresses of tables are secrets.
        "access_log": False,
        # Less than gunicorn's own timeout, which kills, and the patience of the supervisor.
        "timeout_graceful_shutdown": 8,
        # Gunicorn's own sign of life looks at a clock that may be set; see `show_life`.
        "callback_notify": None,
    }

    def load_wsgi(self) -> None:
        super().load_wsgi()
        # Needs Django, which is set up with the application.
        from kingscore.observing.metrics import begin_counting

        begin_counting(group=self.ppid)
        # Raise the limit of open files: each connection may have an answer in a file.
        wanted = 2 * MOST_CONNECTIONS + SPARE_FILES
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if 0 <= soft < wanted:
            more = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
            # systemd may have forbidden it, and gives enough itself.
            with suppress(OSError):
                resource.setrlimit(resource.RLIMIT_NOFILE, (more, hard))
                soft = more
        room = MOST_CONNECTIONS if soft < 0 else (soft - SPARE_FILES) // 2
        Protocol.most = min(MOST_CONNECTIONS, room)

    async def _serve(self) -> None:
        # Gunicorn aborts a process that hangs: print where each thread is.
        faulthandler.enable()
        life = asyncio.create_task(self.show_life())
        await super()._serve()
        life.cancel()

    async def show_life(self) -> None:
        """Tell gunicorn that this process is alive, and exit when gunicorn was killed."""
        while True:
            self.notify()
            if os.getppid() != self.ppid:
                os.kill(os.getpid(), signal.SIGTERM)
            await asyncio.sleep(1)
