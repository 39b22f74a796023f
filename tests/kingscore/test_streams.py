import socket
import threading
import time
from http.client import HTTPConnection

import pytest
import uvicorn
from django.conf import settings
from django.db import connections
from django.test import Client
from django.urls import reverse

from kingscore import streams
from kingscore.streams import Buffered, Streams
from kingscore.web_worker import Protocol
from kingscore.wsgi import application
from tests.club_factories import MemberFactory, TournamentFactory
from tests.deals import WHOLE_GAME
from tests.factories import GameFactory, record
from tests.hearing import Listener
from tests.waiting import PATIENCE, wait_until
from tournaments.queries.versions import mark_named
from tournaments.web.base.phone import address

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def site():
    listener = socket.create_server(("127.0.0.1", 0))
    own = {"http": Protocol, "ws": "none", "lifespan": "off", "log_config": None}
    served = Streams(Buffered(application, threads=2))
    server = uvicorn.Server(uvicorn.Config(served, **own))
    serving = threading.Thread(target=server.run, args=([listener],))
    pages = []

    def visit(path, cookies=""):
        line = HTTPConnection(*listener.getsockname(), timeout=PATIENCE)
        pages.append(Listener(line, path, Cookie=cookies))
        return pages[-1]

    visit.server, visit.served, visit.serving = server, served, serving
    serving.start()
    yield visit
    for page in pages:
        page.close()
    server.should_exit = True
    serving.join()
    # Of its threads, which nobody uses any more.
    for pool in (served.thread, served.pages.pages.executor):
        pool.submit(connections.close_all).result()
        pool.shutdown()


def test_page_hears_of_each_deal_until_its_address_is_replaced(site):
    game = GameFactory()
    page = site(address(game, "follow"))
    assert page.answer.status == 200
    assert page.answer.headers["Content-Type"] == "text/event-stream"
    assert page.answer.headers["Cache-Control"] == "no-store"
    assert page.answer.headers["X-Accel-Buffering"] == "no"
    assert streams.TOPIC not in page.answer.headers
    assert page.next() == "hello"
    for deal in WHOLE_GAME[:2]:
        record(game, deal)
        assert page.next() == "news"
        # With the version, another process need not ask the database for it again.
        assert page.data == f"game {mark_named(game.public_id).digest}"
    # A second page of the same sheet needs no look, and nothing to ask if it shows that.
    second = site(address(game, "follow"))
    assert (second.next(), second.data) == ("hello", page.data)

    path = address(game, "follow")
    game.refresh_from_db()
    game.follow_generation += 1
    game.save()

    assert page.next() == "news"
    assert page.next() is None
    assert site(path).answer.status == 404
    assert site.served.all() == []


def test_page_of_a_club_ends_with_the_right_to_see_it(site, monkeypatch):
    monkeypatch.setattr(streams, "CHECK_SECONDS", 0.2)
    monkeypatch.setattr(streams, "BEAT_SECONDS", 0.2)
    row = TournamentFactory(state="running")
    paths = [reverse(name, args=[row.event.club.slug, row.slug]) for name in ("wall", "standings")]
    members = [MemberFactory(club=row.event.club) for _ in range(2)]
    pages = []
    for member in members:
        visitor = Client()
        visitor.force_login(member.user)
        cookies = f"theme=dark; sessionid={visitor.cookies[settings.SESSION_COOKIE_NAME].value}"
        pages += [site(path, cookies) for path in paths]
    for page in pages:
        assert "hello" in [page.next() for _ in range(10)]

    members[0].delete()

    for page in pages[:2]:
        assert None in (page.next() for _ in range(100))
    assert [page.next() for page in pages[2:]] == ["beat", "beat"]


def test_too_many_streams_are_refused(site, monkeypatch):
    monkeypatch.setattr(streams, "MOST_OF_NETWORK", 2)
    path = address(GameFactory(), "follow")
    first, second = site(path), site(path)

    assert (first.next(), second.next()) == ("hello", "hello")
    refused = site(path)
    assert refused.answer.status == 503
    assert refused.answer.read() == streams.TOO_MANY
    first.close()
    wait_until(lambda: len(site.served.all()) == 1)
    assert site(path).next() == "hello"
    monkeypatch.setattr(streams, "MOST_OF_NETWORK", 9)
    monkeypatch.setattr(streams, "MOST_STREAMS", 2)
    assert site(path).answer.status == 503


def test_server_that_stops_ends_streams_at_once(site):
    page = site(address(GameFactory(), "follow"))
    assert page.next() == "hello"
    begun = time.monotonic()
    site.server.should_exit = True
    assert page.next() is None
    site.serving.join()
    assert time.monotonic() - begun < 5
