"""Many programs at one real server, and one that dies between what it does and its answer.

With KINGSCORE_DATABASE_URL the server works on PostgreSQL, in a database of its own.
"""

import json
from collections import Counter
from http.client import HTTPConnection

import pytest

from tests.api.conftest import HEAD
from tests.deals import WHOLE_GAME
from tests.together import at_once
from tests.waiting import PATIENCE

RIFKI = WHOLE_GAME[0]
PROGRAMS = 8

KILLED_BEFORE_THE_ANSWER_IS_KEPT = """
import json, os
from django.db import connection
from django.test import Client
from tournaments.models import IdempotencyRecord, Revision

def count():
    found = IdempotencyRecord.objects.count(), Revision.objects.count()
    # The one that is killed opens a connection of its own, and on PostgreSQL a pool.
    connection.close()
    getattr(connection, "close_pool", connection.close)()
    return found

def die(execute, sql, params, many, context):
    if sql.startswith('UPDATE "tournaments_idempotencyrecord"'):
        os._exit(9)
    return execute(sql, params, many, context)

before = count()
one = os.fork()
if not one:
    headers = {{"Authorization": "Bearer {token}", "Idempotency-Key": "{key}"}}
    with connection.execute_wrapper(die):
        Client().post(
            "{path}", json.dumps({body}), content_type="application/json", headers=headers
        )
    os._exit(0)
print(os.waitstatus_to_exitcode(os.waitpid(one, 0)[1]), count() == before)
"""


@pytest.fixture
def started(server):
    return post(server, "/api/v1/games/", HEAD)[1]


def post(server, path, body, token="", **headers):
    return ask(server, "POST", path, body, token, **headers)


def ask(server, method, path, body, token="", **headers):
    """Ask the server; the status and what it answers."""
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    sent |= {"Content-Type": "application/json"}
    if token:
        sent["Authorization"] = f"Bearer {token}"
    program = HTTPConnection(server.host, server.port, timeout=PATIENCE)
    try:
        program.request(method, path, json.dumps(body) if body else None, sent)
        answer = program.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        program.close()


def entries_of(game):
    return f"/api/v1/games/{game['id']}/entries/"


def writes(server, game):
    log = f"/api/v1/games/{game['id']}/log/"
    lines = ask(server, "GET", log, None, game["keys"]["write"])[1]["results"]
    return [line["entry"] for line in lines]


def test_start_sent_by_many_with_one_key_opens_one_game_and_all_are_answered_alike(server):
    there = len(server.read_sheets())
    key = {"Idempotency_Key": "one-key-for-all"}

    answers = at_once(*[lambda: post(server, "/api/v1/games/", HEAD, **key)] * PROGRAMS)

    assert Counter(status for status, _answer in answers) == {201: PROGRAMS}
    assert len({json.dumps(answer, sort_keys=True) for _status, answer in answers}) == 1
    assert len(server.read_sheets()) == there + 1


def test_program_killed_before_its_answer_was_kept_leaves_neither_key_nor_entry(server, started):
    asked = {
        "token": started["keys"]["write"],
        "key": "killed-half-way",
        "path": entries_of(started),
        "body": {"entry": RIFKI},
    }

    told = server.run_python(KILLED_BEFORE_THE_ANSWER_IS_KEPT.format(**asked))

    assert told.split() == ["9", "True"]
    again = {"Idempotency_Key": asked["key"]}
    for _time in range(2):
        status, answer = post(server, asked["path"], asked["body"], asked["token"], **again)
        assert (status, answer["revision"]) == (201, 1)
    assert writes(server, started) == [RIFKI]
