"""Every address of the API, as each program, by each method, against what is written down.

The table is `access_table.py`; whoever adds an address adds its line there.
"""

import json
import logging

import pytest
from django.conf import settings
from django.core.cache import caches
from django.db import connection, transaction
from django.test import Client, override_settings

from tests.api.access_table import FORBIDDEN, MISSING, NO_METHOD, OK, REFUSED, TABLE, UNKNOWN
from tests.api.access_world import KEYS, LIMITED, VISITORS, make_programs
from tests.api.places import parameters, path_of, patterns
from tests.web.access_world import CLUB, OTHER_CLUB, WHOLE_NAME
from tests.web.walking import noting, walkers
from tournaments.models import Club, Event

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
SAFE = ("GET",)
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

    def ask(self, method, path):
        """Ask for something; what was done is taken back."""
        caches["throttles"].clear()
        token, written = self.programs.tokens[self.who], []
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        with transaction.atomic(), connection.execute_wrapper(noting(written)):
            answer = self.client.generic(
                method, path, "{}", content_type="application/json", headers=headers
            )
            answer.getvalue()
            transaction.set_rollback(True)
        return answer, written

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
        needed = row.read if method in SAFE else row.scope
        return self.who in LIMITED and needed and needed not in self.programs.scopes[self.who]

    def hidden(self, row):
        """Return the texts that no answer to this program may contain."""
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


def test_every_address_is_in_the_table_and_the_table_names_no_other():
    lacking, gone = set(parameters()) - set(TABLE), set(TABLE) - set(parameters())
    assert not lacking, f"add a row to tests/api/access_table.py for: {', '.join(sorted(lacking))}"
    assert not gone, f"there is no such address: {', '.join(sorted(gone))}"


def test_every_address_says_which_scope_it_needs():
    views = {pattern.name: pattern.callback for pattern, _route in patterns()}
    scopes = {
        (name, action): view.cls.action_scopes.get(action, view.cls.scope)
        for name, view in views.items()
        if name in TABLE
        for method, action in (
            getattr(view, "actions", None) or dict.fromkeys(TABLE[name].by)
        ).items()
        if method.upper() not in {*SAFE, "HEAD"}
    }
    assert scopes == {(name, action): TABLE[name].scope for name, action in scopes}


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
            # Within its scopes a token is as the whole one of its account.
            if who not in LIMITED or walk.lacks_scope(row, method):
                walk.visit(name, row, method)

    assert not walk.surprises, "\n".join(walk.surprises)


@pytest.mark.django_db
@pytest.mark.usefixtures("files")
def test_unknown_parameter_is_refused_at_every_address(programs):
    walk = Walk("owner", programs)
    passed = []
    for name, row in TABLE.items():
        path = path_of(name, programs.place(row.place, "owner"))
        for method in set(row.by) if name not in FOR_ALL_ALIKE else ():
            answer, written = walk.ask(method, f"{path}?colour=red")
            refused = answer.status_code == 422 and b'"unexpected-field","where":"colour"' in (
                answer.content
            )
            if written or not (refused or row.by[method]["owner"] != OK):
                passed.append(f"{method} {name}: {answer.status_code}")
    assert passed == []


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
