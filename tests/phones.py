"""A phone at a table, reduced to its requests: it keeps cookies and one connection open."""

import re
import secrets
from dataclasses import dataclass, field
from email.message import Message
from http.client import HTTPConnection, HTTPException
from http.cookies import SimpleCookie
from urllib.parse import urlencode

from tests.deals import NAMES
from tests.waiting import PATIENCE

TEMPLATES = re.compile(r"<template.*?</template>", re.DOTALL)
"""Data of a page for its scripts, which nobody sees."""

CSRF_FIELD = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')

# What a connection does when the server dies under it.
CUT_OFF = (OSError, HTTPException)


@dataclass(frozen=True)
class Answer:
    status: int
    location: str
    body: bytes
    headers: Message

    @property
    def text(self):
        return self.body.decode()


@dataclass
class Phone:
    """One phone and the table it writes for; `path` is the address of the sheet."""

    host: str
    port: int
    path: str = ""
    token: str = ""
    cookies: dict[str, str] = field(default_factory=dict)
    connection: HTTPConnection | None = None

    def open_table(self, key=None):
        self.token = CSRF_FIELD.search(self.ask("GET", "/new/").text)[1]
        names = {f"name{seat}": name for seat, name in enumerate(NAMES)}
        # The same names at each table, which no phone would have.
        start = {"ruleset": "turkish-king", "first_declarer": "0", "another": "yes"}
        start["key"] = key or new_key()
        answer = self.post("/new/", names | start)
        assert answer.status == 302, answer
        self.path = answer.location
        return self.path

    def join(self, other):
        """Come to the same table with the address that writes; a token is fetched first."""
        self.path = other.path
        self.token = CSRF_FIELD.search(self.ask("GET", self.path).text)[1]
        return self

    def write_deal(self, body, revision, key):
        return self.send_deal(deal_fields(body, revision, key))

    def send_deal(self, fields):
        return self.post(f"{self.path}entry/", fields, {"HX-Request": "true"})

    def correct_deal(self, position, body, revision, key):
        fields = {**deal_fields(body, revision, key), "action": "correct", "why": "wrong seat"}
        return self.post(f"{self.path}entries/{position}/", fields)

    def post(self, path, fields, headers=None):
        return self.ask("POST", path, {"csrfmiddlewaretoken": self.token, **fields}, headers)

    def ask(self, method, path, fields=None, headers=None):
        if self.connection is None:
            self.connection = self.connect()
        kept = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        headers = {"Cookie": kept, **(headers or {})}
        body = None
        if fields is not None:
            body = urlencode(fields)
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        try:
            self.send(method, path, body, headers)
            response = self.connection.getresponse()
            content = response.read()
        except CUT_OFF:
            self.hang_up()
            raise
        for line in response.headers.get_all("Set-Cookie", []):
            self.cookies |= {name: kept.value for name, kept in SimpleCookie(line).items()}
        location = response.headers.get("Location", "")
        return Answer(response.status, location, content, response.headers)

    def send(self, method, path, body, headers):
        """Send a request; a connection that the server closed while idle is opened once more."""
        try:
            self.connection.request(method, path, body, headers)
        except ConnectionError:
            self.hang_up()
            self.connection = self.connect()
            self.connection.request(method, path, body, headers)

    def connect(self):
        return HTTPConnection(self.host, self.port, timeout=PATIENCE)

    def hang_up(self):
        if self.connection is not None:
            self.connection.close()
            self.connection = None


def new_key():
    return secrets.token_urlsafe(18)


def with_suit(body):
    """A deal as the form wants it: records may leave out the suit of trumps."""
    return {**body, "trump": body.get("trump", "spades")} if body["contract"] == "trump" else body


def deal_fields(body, revision, key):
    fields = {"type": "deal", "revision": revision, "key": key, "holder": 0}
    # Every deal so far was one revision, so it says whose turn it is.
    fields["declarer"] = revision % len(NAMES)
    body = with_suit(body)
    fields |= {name: body[name] for name in ("contract", "trump") if name in body}
    for unit, counts in body["counts"].items():
        fields |= {f"count-{unit}-{seat}": count for seat, count in enumerate(counts)}
    return fields
