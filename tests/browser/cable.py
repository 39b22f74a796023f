"""A cable between a phone and the server that can be pulled out.

Chromium's own offline switch does not hold for a service worker, and leaves a gap while a
page is loaded again; nothing gets through a cable that is pulled.
"""

import contextlib
import socket
import threading
from urllib.parse import urlsplit

FOREIGN = {
    "portal": b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 24\r\n"
    b"Connection: close\r\n\r\n<h1>Welcome to Wifi</h1>",
    "proxy": b"HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/html\r\nContent-Length: 24\r\n"
    b"Connection: close\r\n\r\n<h1>502 Bad Gateway</h1>",
}
"""What others answer in place of the server."""


class Cable:
    """Passes connections on to the server at `target`, as long as it is plugged in."""

    def __init__(self, target):
        parts = urlsplit(target)
        self.server = (parts.hostname, parts.port)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://localhost:{self.listener.getsockname()[1]}"
        self.plugged, self.hanging, self.ends = True, False, set()
        self.losing, self.doomed = False, set()
        self.curt = False
        self.foreign = b""
        self.streams, self.hearing = "pass", set()
        self.asked, self.passed = 0, 0  # requests, and bytes of answers with their headers
        threading.Thread(target=self.take_calls, daemon=True).start()

    def take_calls(self):
        with contextlib.suppress(OSError):
            while True:
                caller, _ = self.listener.accept()
                if self.foreign:
                    threading.Thread(target=self.answer, args=(caller,), daemon=True).start()
                elif self.plugged:
                    self.connect(caller)
                else:
                    caller.close()

    def answer(self, caller):
        with contextlib.suppress(OSError), caller:
            while caller.recv(65536):
                caller.sendall(self.foreign)

    def connect(self, caller):
        server = socket.create_connection(self.server)
        self.ends |= {caller, server}
        for one, other in ((caller, server), (server, caller)):
            threading.Thread(target=self.pass_on, args=(one, other), daemon=True).start()

    def pass_on(self, source, sink):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                is_request = data.startswith((b"GET ", b"HEAD ", b"POST "))
                self.asked += is_request
                self.passed += 0 if is_request else len(data)
                if self.losing and data.startswith(b"POST "):
                    self.losing = False
                    self.doomed.add(source)
                if self.curt and data.startswith(b"HTTP/"):
                    # The connection is lost after the first line of the answer.
                    sink.sendall(data.partition(b"\n")[0])
                    break
                if sink in self.doomed:
                    # Browsers send at once again what was cut off, if they can.
                    self.pull()
                    break
                if data.startswith(b"GET ") and b"/events HTTP" in data.partition(b"\r\n")[0]:
                    self.hearing.add(source)
                if sink in self.hearing and self.streams == "cut":
                    break
                if not self.hanging and not (sink in self.hearing and self.streams == "hold"):
                    sink.sendall(data)
        for end in (source, sink):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()
            self.ends.discard(end)
            self.doomed.discard(end)
            self.hearing.discard(end)

    def pull(self):
        """Cut every connection, and take no new one."""
        self.plugged = False
        self.cut()

    def hang(self):
        """Take connections, but pass nothing on, as a network that is connected and dead."""
        self.hanging = True

    def lead_astray(self, who):
        """Let a "portal" or a "proxy" answer in place of the server."""
        self.foreign = FOREIGN[who]
        self.cut()

    def treat_streams(self, how):
        """Pass streams of events on, "cut" them, or "hold" them back, as some proxies do."""
        self.streams = how
        for end in list(self.hearing):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def lose_answer(self):
        """Pull the cable at the next form that is sent, once the server has answered it."""
        self.losing = True

    def plug(self):
        """Take connections again; those that hung have lost something and are cut."""
        if self.hanging:
            self.cut()
        self.plugged, self.hanging, self.foreign = True, False, b""

    def cut(self):
        for end in list(self.ends):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def close(self):
        self.pull()
        self.listener.close()
