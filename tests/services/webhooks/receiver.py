"""Somebody who is called: a real web server on this machine, which answers as it is told to."""

import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Receiver:
    """Keeps the calls it got, as headers and body; `answer` is status, headers and body."""

    def __init__(self):
        self.calls, self.answer, self.slow = [], (204, {}, b""), 0.0
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.calls.append((self.path, dict(self.headers), body))
                status, headers, said = receiver.answer
                if receiver.slow:
                    self._dribble()
                    return
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(said)

            def _dribble(self):
                """A byte now and then: never silent, and never done."""
                until = time.monotonic() + receiver.slow
                try:
                    while time.monotonic() < until:
                        self.wfile.write(b"H")
                        time.sleep(0.05)
                except OSError:
                    pass

            def log_message(self, *args):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True

    @property
    def port(self):
        return self.server.server_address[1]

    def url(self, host="receiver.example", path="/hook"):
        return f"http://{host}:{self.port}{path}"

    @property
    def ids(self):
        return [headers["webhook-id"] for _path, headers, _body in self.calls]


@contextmanager
def receiving():
    receiver = Receiver()
    thread = threading.Thread(target=receiver.server.serve_forever, args=[0.02])
    thread.start()
    try:
        yield receiver
    finally:
        receiver.server.shutdown()
        receiver.server.server_close()
        thread.join()
