"""Visitors who keep a web server waiting: for the rest of a request, or until they read."""

import socket
import threading
from contextlib import contextmanager, suppress

HEAD = b"GET / HTTP/1.1\r\nHost: localhost\r\n"
POST = (
    b"POST /new/ HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n"
)

# Some 300 kB each, more together than buffers on the way hold.
FILE = b"GET /static/admin/js/vendor/xregexp/xregexp.js HTTP/1.1\r\nHost: localhost\r\n\r\n"

KINDS = {
    "nothing at all": b"",
    "half a head": HEAD,
    "half a body": POST + b"Content-Length: 1000\r\n\r\nruleset=",
    "half a chunked body": POST + b"Transfer-Encoding: chunked\r\n\r\n8\r\nruleset=\r\n",
    "an answer not read": FILE * 20,
}


class Crowd:
    """So many slow visitors at once; one who is sent away comes back."""

    def __init__(self, address, number, sent):
        self.address, self.sent = address, sent
        self.came = 0
        self.sockets = [self.come() for _ in range(number)]

    def come(self):
        visitor = socket.socket()
        # Of an answer nobody reads, little is to fit into the buffers between.
        visitor.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        visitor.settimeout(10)
        # One who finds no place in the queue tries again later.
        with suppress(OSError):
            visitor.connect(self.address)
            visitor.sendall(self.sent)
        visitor.setblocking(False)
        self.came += 1
        return visitor

    def come_back(self):
        """Replace all who were sent away; returns how many."""
        gone = [number for number, visitor in enumerate(self.sockets) if was_sent_away(visitor)]
        for number in gone:
            self.sockets[number].close()
            self.sockets[number] = self.come()
        return len(gone)

    def close(self):
        for visitor in self.sockets:
            visitor.close()


def was_sent_away(visitor):
    try:
        # Looks without taking: who reads slowly has an answer waiting there.
        return not visitor.recv(1, socket.MSG_PEEK)
    except BlockingIOError:
        return False
    except OSError:
        return True


@contextmanager
def crowd(address, number, sent):
    """A crowd that stays as large as it is."""
    over = threading.Event()
    visitors = Crowd(address, number, sent)

    def stay():
        while not over.wait(0.2):
            visitors.come_back()

    staying = threading.Thread(target=stay, daemon=True)
    staying.start()
    try:
        yield visitors
    finally:
        over.set()
        staying.join()
        visitors.close()
