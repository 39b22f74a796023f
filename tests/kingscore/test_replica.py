from types import SimpleNamespace

import pytest
from django.db import DatabaseError, OperationalError
from django.http import Http404, HttpResponse
from django.urls import resolve

from kingscore import replica
from kingscore.replica import COOKIE, PUBLIC, ReplicaMiddleware, Router
from tests.web.access_table import OK, PAGES
from tournaments.models import Game

FOLLOW, TABLE = "/follow/abc/def/", "/play/abc/def/"


@pytest.fixture
def ask(rf, settings, monkeypatch):
    """Ask for a page that shows which database it was read from.

    The primary is at position 20, and the replica at `ask.replica`.
    """
    settings.REPLICA_URL = "postgresql://king@db.lan/king"
    monkeypatch.setattr(replica, "primary_position", lambda: 20)

    def look(state):
        ask.looks += 1
        if ask.fault:
            state.fail(ask.fault)
        else:
            state.note(ask.replica, is_current=ask.is_current)

    def view(_request, *_args, **_more):
        alias = Router().db_for_read(Game)
        if alias == "replica" and ask.lacks:
            raise ask.lacks
        return HttpResponse(alias, headers={"Cache-Control": ask.caching})

    def answer(request):
        match = resolve(request.path)
        request.resolver_match = SimpleNamespace(url_name=match.url_name, args=(), kwargs={})
        request.resolver_match.func = view
        assert middleware.process_view(request, view, (), {}) is None
        try:
            return view(request)
        except Exception as error:
            found = middleware.process_exception(request, error)
            if found is None:
                raise
            return found

    middleware = ReplicaMiddleware(answer)

    def ask(path=FOLLOW, method="get", news=None, **cookies):
        headers = {} if news is None else {"Kingscore-News": news}
        request = getattr(rf, method)(path, headers=headers)
        request.COOKIES |= cookies
        return middleware(request)

    ask.replica, ask.is_current, ask.fault, ask.lacks, ask.looks = 10, True, None, None, 0
    ask.caching = "no-store"
    monkeypatch.setattr(replica.Replica, "look", look)
    return ask


def test_public_page_of_a_visitor_is_read_from_the_replica(ask):
    for _ in range(5):
        answer = ask()
        assert answer.content == b"replica"
        assert not answer.cookies
    assert ask.looks == 1
    assert Router().db_for_read(Game) == "default"


def test_everything_else_is_read_from_the_primary(ask):
    for asked in ({"sessionid": "x"}, {"path": TABLE}, {"method": "post"}):
        assert ask(**asked).content == b"default"


def test_nobody_reads_older_than_what_they_wrote(ask):
    cookies = {COOKIE: ask(TABLE, "post").cookies[COOKIE].value}

    behind = ask(**cookies)
    assert behind.content == b"default"
    # Nor older than what the primary showed.
    assert behind.cookies[COOKIE].value == "20"
    ask.replica = 20
    assert ask(**cookies).content == b"replica"


def test_who_heard_of_a_change_reads_nothing_older(ask):
    for news, database in (
        ("10", "replica"),
        ("11", "default"),
        ("1", "replica"),
        ("x", "default"),
    ):
        assert ask(news=news, **{COOKIE: "5"}).content == database.encode()


def test_forged_position_leads_to_the_primary(ask):
    for forged in ("-1", "9" * 40, "0/3000148", ""):
        assert ask(**{COOKIE: forged}).content == b"default"


@pytest.mark.parametrize("fault", [OperationalError, DatabaseError])
def test_replica_that_fails_is_left_alone_for_a_while(ask, fault, monkeypatch):
    monkeypatch.setattr(replica, "LOOK_SECONDS", 0)
    ask()
    ask.lacks, before = fault("gone"), ask.looks
    assert ask().content == b"default"
    ask.lacks = None
    assert ask().content == b"default"
    assert ask.looks == before + 1


def test_replica_that_cannot_be_reached_or_is_behind_is_not_read(ask, monkeypatch):
    monkeypatch.setattr(replica, "LOOK_SECONDS", 0)
    monkeypatch.setattr(replica, "DOWN_SECONDS", 0)
    ask.fault = OperationalError("no connection")
    assert ask().content == b"default"
    ask.fault = None
    assert ask().content == b"replica"
    ask.is_current = False
    # Perhaps the next look finds that it has caught up.
    assert ask().content == b"replica"
    assert ask().content == b"default"
    ask.is_current = True
    assert ask().content == b"replica"


def test_row_that_the_replica_lacks_is_looked_for_in_the_primary(ask):
    for missing in (Http404(), Game.DoesNotExist()):
        ask.lacks = missing
        assert ask().content == b"default"
    ask.lacks = None
    assert ask().content == b"replica"
    ask.lacks = ZeroDivisionError()
    with pytest.raises(ZeroDivisionError):
        ask()


def test_answer_that_is_cached_for_everybody_carries_no_cookie(ask):
    ask.caching = "public, max-age=300"
    assert not ask(**{COOKIE: "11"}).cookies


@pytest.mark.django_db
def test_transaction_reads_from_the_primary(ask):
    # This test is in one.
    assert ask().content == b"default"


def test_public_pages_are_shown_to_visitors():
    for name in PUBLIC:
        assert (PAGES[name].published or PAGES[name].get)["nobody"] == OK
