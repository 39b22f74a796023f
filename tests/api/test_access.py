"""Every address of the API, by each method: what each program gets, and what all have in common.

What is expected follows from what the views declare (`addresses.py`), so a new address is tested
without a line here. That a declaration is right, too, is said a second time, by kinds of addresses.
"""

import json
import logging
import re

import pytest
from django.conf import settings
from django.core.cache import caches
from django.db import connection, transaction
from django.test import Client, override_settings
from django.utils import timezone

from tests.api.access_world import KEYS, LIMITED, VISITORS, make_programs
from tests.api.addresses import (
    FORBIDDEN,
    METHODS,
    MISSING,
    NO_METHOD,
    OK,
    REFUSED,
    SAFE,
    TABLE,
    UNKNOWN,
    path_of,
)
from tests.api.conftest import described_parameters
from tests.web.access_world import CLUB, OTHER_CLUB, WHOLE_NAME
from tests.web.walking import noting, walkers
from tournaments.api.fields import StrictSerializer
from tournaments.models import Club, Event, Scope

FOR_ALL_ALIKE = ("openapi",)
"""The same for everybody, cacheable and slow: requested once."""

WORDS = {401: UNKNOWN, 403: FORBIDDEN, 404: MISSING, 405: NO_METHOD}


@pytest.fixture(scope="module")
def programs(django_db_setup, django_db_blocker, tmp_path_factory):
    """One world for all: whatever a request changes in it is taken back."""
    files = override_settings(MEDIA_ROOT=tmp_path_factory.mktemp("files"))
    with django_db_blocker.unblock(), transaction.atomic(), files:
        programs = make_programs()
        programs.world.files = settings.MEDIA_ROOT
        logging.disable(logging.WARNING)
        yield programs
        logging.disable(logging.NOTSET)
        transaction.set_rollback(True)


@pytest.fixture
def files(files_of_this_test_only, programs):
    """Those of the world, and not of one test."""
    settings.MEDIA_ROOT = programs.world.files


class Walk:
    """One program on its way through all addresses."""

    def __init__(self, who, programs, *, published=False):
        self.who, self.programs, self.published = who, programs, published
        self.role = LIMITED[who][0] if who in LIMITED else who
        self.client = Client(raise_request_exception=False)
        self.surprises = []

    def ask(self, method, path, body="{}", **headers):
        """Ask for something; what was done is taken back."""
        written = []
        with transaction.atomic(), connection.execute_wrapper(noting(written)):
            answer = self.send(method, path, body, **headers)
            transaction.set_rollback(True)
        return answer, written

    def send(self, method, path, body="{}", **headers):
        caches["throttles"].clear()
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        if token := self.programs.tokens[self.who]:
            headers["Authorization"] = f"Bearer {token}"
        answer = self.client.generic(
            method, path, body, content_type="application/json", headers=headers
        )
        answer.getvalue()
        return answer

    def visit(self, name, row, method):
        """Compare what this program gets with what is written down."""
        place = self.programs.place(row.place, self.who)
        answer, written = self.ask(method, path_of(name, place))
        got, where = WORDS.get(answer.status_code, OK), f"{self.who}: {method} {name}"
        wanted = self.wanted(row, method)
        if answer.status_code >= 500:
            self.surprises.append(f"{where}: {answer.exc_info and answer.exc_info[1]!r}")
            return
        if got != wanted:
            self.surprises.append(f"{where}: {answer.status_code}, not {wanted}")
        if got in REFUSED and written:
            self.surprises.append(f"{where}: refused, but it wrote {written}")
        text = answer.getvalue().decode()
        shown = [mark for mark in self.hidden(row) if mark in text]
        if shown:
            self.surprises.append(f"{where}: shows {shown}")
        secrets = [secret for secret in self.programs.world.secrets if secret in text]
        if secrets and answer.headers.get("Cache-Control") != "no-store":
            self.surprises.append(f"{where}: lets a cache keep {secrets}")
        if name not in FOR_ALL_ALIKE:
            self.surprises += [f"{where}: {fault}" for fault in faults_of(answer)]

    def wanted(self, row, method):
        if self.lacks_scope(row, method):
            return FORBIDDEN
        if method not in row.by:
            return NO_METHOD
        if method in SAFE and self.published and row.published:
            return row.published[self.role]
        return row.by[method][self.role]

    def lacks_scope(self, row, method):
        """Whether the token is not for this; only one without some scope lacks any."""
        needed = row.scopes.get(method)
        return self.who in LIMITED and needed and needed not in self.programs.scopes[self.who]

    def hidden(self, row):
        """Return the texts that no answer to this program may contain."""
        if self.programs.scopes.get(self.who) == [Scope.READ]:
            # Keys of sheets are for those who may score.
            return [OTHER_CLUB, *self.programs.world.secrets]
        if self.role in ("director", "owner"):
            return [OTHER_CLUB]
        marks = [WHOLE_NAME, *([] if self.role == "other" else [OTHER_CLUB])]
        if self.who in KEYS:
            return marks
        marks += self.programs.world.secrets
        return marks if self.role == "member" or self.published else [*marks, CLUB]


def faults_of(answer):
    """Yield a message for each rule of every answer that this one breaks."""
    if answer.headers.get("Cache-Control") not in {"private, no-cache", "no-store"}:
        yield f"is kept: {answer.headers.get('Cache-Control')}"
    if answer.status_code < 400:
        return
    if answer["Content-Type"] != "application/problem+json":
        yield f"is no problem: {answer['Content-Type']}"
    elif json.loads(answer.content)["status"] != answer.status_code:
        yield "says another status than it has"


@pytest.mark.django_db
@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("who", [*walkers(VISITORS), *LIMITED])
def test_program_gets_what_the_table_says_and_nothing_refused_is_written(who, programs):
    walk = Walk(who, programs)
    for name, row in TABLE.items():
        if name in FOR_ALL_ALIKE and who != "nobody":
            continue
        # What is no method of an address is none for anybody: it is enough to ask once.
        for method in METHODS if who == "nobody" else row.by:
            # Within its scopes a token writes as the whole one of its account.
            if who not in LIMITED or method in SAFE or walk.lacks_scope(row, method):
                walk.visit(name, row, method)

    assert not walk.surprises, "\n".join(walk.surprises)


NOT_DIRECTING = {
    "anybody": {
        *("describe", "document-again", "document-cancel", "game-list", "pair"),
        *("ruleset-documents", "score", "verify"),
    },
    "account": {"claim-code", "club-list", "game-adopt", "token-list"},
    "member": {
        *("club-documents", "club-leave", "confirmations", "event-documents", "my-player-data"),
        *("my-player-detail", "my-player-release", "player-documents", "season-documents"),
        "token-detail",
    },
    "staff": {
        *("house-rules-detail", "house-rules-list", "server-delivery-again"),
        *(f"server-webhook-{each}" for each in ("detail", "list", "replay", "secret", "test")),
    },
    "key": {"enter-table", "evening-documents", "game-documents", "game-pen"},
}
"""Where anything is changed without directing a club or scoring a game, by whom: nowhere else."""

OWNERS_ONLY = {
    *("club-logo", "club-settings", "delivery-again", "member-detail", "tournament-records"),
    *(f"webhook-{each}" for each in ("detail", "list", "replay", "secret", "test")),
}
DIRECTORS_READ = {
    *("audit-list", "club-house-rules-detail", "club-house-rules-list", "club-settings"),
    *("correction", "delivery-detail", "delivery-list", "entry-detail", "game-keys", "game-table"),
    *("invitation-detail", "invitation-list", "log-list", "my-month", "player-card"),
    *("seating-preview-late", "seating-preview-swap", "table", "tournament-links"),
    *("tournament-record", "webhook-detail", "webhook-list", "webhook-secret"),
}
NEVER_PUBLISHED = re.compile(
    r"clubs/<\w+>/(players/<public_id>|members|invitations|settings|webhooks|audit|"
    r"house-rules|documents|exports/ratings)/|games/<public_id>/(log|keys|table)/"
)
SCOPES = {
    r"(score|pair|verify|describe|games)/$|rulesets/|(tournaments|evenings)/<": None,
    r"documents/|.*>/documents/$": "read",
    r"games/<public_id>/adopt/": "direct",
    r"(games|tables)/<": "score",
    r"house-rules/": "direct",
    r"(webhooks|tokens|me|claim|join)/|clubs/$": "manage",
    r"clubs/<slug>/(leave|logo|members|invitations|settings|tournament-records|webhooks)/": (
        "manage"
    ),
    r"clubs/": "direct",
}
"""The scope of what changes anything, by the first pattern that fits an address."""

MORE_TO_READ = {
    "direct": {"player-card", "tournament-links", "tournament-record"},
    "score": {"game-keys"},
    "manage": {"invitation-detail", "token-detail", "token-list", "webhook-secret"},
    None: {"openapi"},
}


def kind_of(who):
    """Whom a method is for, besides directors and those who score."""
    kinds = {"anybody": "nobody", "account": "other", "member": "member", "staff": "staff"}
    found = next((kind for kind, visitor in kinds.items() if who[visitor] == OK), None)
    keys = {each for each in KEYS if who[each] == OK} - {"write", "closed"}
    return found or ("key" if keys else None)


def test_declarations_let_nobody_change_or_read_what_is_not_theirs():
    """What each kind of address is for, said without looking at any permission."""
    changed, owned, read, public = {}, set(), set(), set()
    for name, row in TABLE.items():
        for method, who in row.by.items():
            if method not in SAFE and (kind := kind_of(who)):
                changed.setdefault(kind, set()).add(name)
            if method not in SAFE and who["owner"] == OK != who["director"]:
                owned.add(name)
            if method in SAFE and who["owner"] == OK != who["member"]:
                read.add(name)
        if row.published and NEVER_PUBLISHED.match(row.route):
            public.add(name)
    assert changed == NOT_DIRECTING
    # What is new may be for fewer than this asks.
    assert OWNERS_ONLY - owned == DIRECTORS_READ - read == public == set()


def test_every_address_needs_the_scope_of_its_kind():
    for name, row in TABLE.items():
        wanted = next((SCOPES[each] for each in SCOPES if re.match(each, row.route)), "direct")
        found = {str(row.scopes[method]) for method in row.by if method not in SAFE}
        assert found <= {str(wanted)}, name
        more = next((scope for scope, names in MORE_TO_READ.items() if name in names), "read")
        if "webhook" in name or "delivery" in name:
            more = "manage"
        assert row.scopes.get("GET", more) == more, name


def everywhere(programs, methods):
    """Each address by each method that somebody may use, and the walk of one who may."""
    walks = {}
    for name, row in TABLE.items():
        for method in row.by if name not in FOR_ALL_ALIKE else ():
            who = row.let_in(method)
            if method in methods and who is not None:
                walk = walks.setdefault(who, Walk(who, programs))
                yield walk, row, method, path_of(name, programs.place(row.place, who))


def codes_of(answer):
    """The status, and the code and place of each problem."""
    if answer.status_code < 400:
        return answer.status_code, set()
    problems = json.loads(answer.content)["problems"]
    return answer.status_code, {(each["code"], each.get("where")) for each in problems}


@pytest.mark.django_db
@pytest.mark.usefixtures("files")
def test_unknown_parameters_and_fields_are_refused_at_every_address(programs):
    for walk, row, method, path in everywhere(programs, METHODS):
        tried = [(f"{path}?colour=red", "{}")]
        form = row.bodies.get(method)
        # Documents and pictures are described by hand.
        if isinstance(form, type) and issubclass(form, StrictSerializer):
            tried.append((path, '{"colour": "red"}'))
        for place, body in tried:
            answer, written = walk.ask(method, place, body)
            status, faults = codes_of(answer)
            assert (status, written) == (422, []), (method, row.name, body)
            assert ("unexpected-field", "colour") in faults, (method, row.name, body)


@pytest.mark.django_db
@pytest.mark.usefixtures("files")
def test_what_has_been_read_is_not_sent_again_and_lists_come_in_pages(programs, monkeypatch):
    # How long a table has been silent changes by the second.
    now = timezone.now()
    monkeypatch.setattr(timezone, "now", lambda: now)
    pages = {path for path, names in described_parameters() if {"cursor", "page_size"} <= names}
    for walk, row, method, path in everywhere(programs, SAFE):
        answer, _written = walk.ask(method, path)
        if answer.status_code == 200 and not answer.streaming:
            again, _written = walk.ask(method, path, If_None_Match=answer["ETag"])
            assert (again.status_code, again.getvalue()) == (304, b""), row.name
            assert again["ETag"] == answer["ETag"], row.name
            # Nothing is lost by reading.
            unread, _written = walk.ask(method, path, If_Match='"stale"')
            assert unread.status_code == 200, row.name
            is_json = answer["Content-Type"] == "application/json"
            assert (is_json and "results" in answer.json()) == (row.path in pages), row.name
        if row.path in pages:
            wrong = [walk.ask(method, f"{path}?{each}")[0] for each in ("page_size=0", "cursor=x")]
            assert [each.status_code for each in wrong] == [422, 404], row.name
            assert {where for _code, where in codes_of(wrong[0])[1]} == {"page_size"}, row.name
            assert_comes_in_pages(walk, row, path)


def assert_comes_in_pages(walk, row, path):
    """Read a list in pages of two, and back again; a page size over the limit is cut."""

    def read(address):
        return json.loads(walk.ask("GET", address.removeprefix("http://testserver"))[0].content)

    whole, pages = read(f"{path}?page_size=100000")["results"], [read(f"{path}?page_size=2")]
    while pages[-1]["next"]:
        pages.append(read(pages[-1]["next"]))
    assert [each for page in pages for each in page["results"]] == whole, row.name
    assert max(len(page["results"]) for page in pages) <= 2, row.name
    if len(pages) > 1 and row.name != "changes":
        # What follows a feed never goes back.
        assert read(pages[-1]["previous"])["results"] == pages[-2]["results"], row.name


# A sheet is compared with its revision when the change is written, and a logo is no JSON.
WITHOUT_TAG = {("game-detail", "PATCH"), ("entry-detail", "PUT"), ("club-logo", "PUT")}


@pytest.mark.django_db
@pytest.mark.usefixtures("files")
def test_change_of_what_has_changed_meanwhile_is_refused_before_its_body_is_read(programs):
    for walk, row, method, path in everywhere(programs, ("PUT", "PATCH", "DELETE")):
        if (row.name, method) in WITHOUT_TAG:
            continue
        answer, written = walk.ask(method, path, '{"colour": "red"}', If_Match='"stale"')
        assert (answer.status_code, written) == (412, []), (method, row.name)
        now = answer["ETag"]
        unchanged, _written = walk.ask(method, path, If_Match=now)
        assert unchanged.status_code != 412, (method, row.name)
        # The tag of an entry is that of its game.
        if "GET" in row.by and row.name != "entry-detail":
            assert walk.ask("GET", path)[0]["ETag"] == now, row.name


@pytest.mark.django_db
@pytest.mark.usefixtures("files")
def test_every_post_is_done_once_for_a_key(programs):
    replayed = 0
    for walk, row, method, path in everywhere(programs, ("POST",)):
        answer, written = walk.ask(method, path, Idempotency_Key="?")
        assert (answer.status_code, written) == (422, []), row.name
        assert json.loads(answer.content)["code"] == "bad-key", row.name
        with transaction.atomic():
            first, again = (walk.send(method, path, Idempotency_Key="k" * 16) for _ in range(2))
            other = walk.send(method, path, '{"colour": "red"}', Idempotency_Key="k" * 16)
            transaction.set_rollback(True)
        if first.status_code < 400:
            replayed += 1
            assert (again.status_code, again.content) == (first.status_code, first.content)
            assert again["Idempotency-Replayed"] == "true", row.name
            assert other.status_code >= 400, row.name
            assert json.loads(other.content)["code"] == "key-reused", row.name
        else:
            # A refusal uses up no key.
            assert "Idempotency-Replayed" not in again, row.name
    assert replayed > 30


@pytest.mark.slow
@pytest.mark.django_db
@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("who", ["nobody", "other", "staff"])
def test_what_is_published_is_seen_by_everybody_and_nothing_more(who, programs):
    Club.objects.filter(name=CLUB).update(published=True)
    Event.objects.filter(club__name=CLUB).update(published=True)
    walk = Walk(who, programs, published=True)
    for name, row in TABLE.items():
        if "GET" in row.by and name not in FOR_ALL_ALIKE:
            walk.visit(name, row, "GET")

    assert not walk.surprises, "\n".join(walk.surprises)
