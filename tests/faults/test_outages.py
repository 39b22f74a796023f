import errno
import re
import sqlite3
import threading
from contextlib import suppress

import pytest
from django.db import connection, connections
from django.db.utils import OperationalError
from django.test import Client
from django.urls import reverse
from django.utils import timezone, translation

from tests.deals import NAMES, WHOLE_GAME
from tests.factories import ReportFactory
from tests.phones import deal_fields
from tournaments.models import Game, Report, Revision
from tournaments.models.reports import MOST_ATTEMPTS
from tournaments.queries.documents import reason_of
from tournaments.services.documents.reporting import retry_report

pytestmark = pytest.mark.django_db(transaction=True)

HEAD = {"ruleset": "turkish-king", "players": list(NAMES), "first_declarer": 0}

on_sqlite = pytest.mark.skipif(
    "connection.vendor != 'sqlite'", reason="fills and locks a database of SQLite"
)
on_postgresql = pytest.mark.skipif(
    "connection.vendor != 'postgresql'", reason="ends a connection of PostgreSQL"
)


@pytest.fixture
def person(settings):
    settings.DEBUG = False
    settings.ALLOWED_HOSTS = ["testserver"]
    return Client(raise_request_exception=False, headers={"accept-language": "tr"})


def start(person, key):
    names = {f"name{seat}": name for seat, name in enumerate(NAMES)}
    fields = {"ruleset": "turkish-king", "first_declarer": "0", "another": "yes", "key": key}
    return person.post(reverse("new"), names | fields)


def tell(statement):
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchone()


@pytest.fixture
def full_disk():
    """Say with `full(True)` that the database may not grow, and let it use up what it has."""

    def full(said):
        pages = tell("PRAGMA page_count")[0] if said else 1_073_741_823
        tell(f"PRAGMA max_page_count = {pages}")
        if said:
            fill_free_pages()

    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE filling (bytes BLOB)")
    yield full
    full(False)
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE filling")


def fill_free_pages():
    for size in (100_000, 3_000):
        with suppress(OperationalError), connection.cursor() as cursor:
            while True:
                cursor.execute(f"INSERT INTO filling VALUES (zeroblob({size}))")


def start_until_full(person):
    """Start tables until there is no room; the keys of those that were answered, and the answer."""
    for number in range(400):
        answer = start(person, key := f"key-{number:020}")
        if answer.status_code != 302:
            return number, key, answer
    raise AssertionError


@on_sqlite
def test_full_database_is_told_to_the_person_and_leaves_no_half_game(person, full_disk):
    full_disk(True)

    answered, key, answer = start_until_full(person)

    assert (answer.status_code, answer["Retry-After"]) == (507, "60")
    assert re.search(r"<html lang=\"tr\">", answer.text)
    assert Game.objects.count() == answered
    # A game by the API and one from the page need the same room.
    answers = [person.post("/api/v1/games/", HEAD, "application/json") for _ in range(20)]
    refused = [answer for answer in answers if answer.status_code != 201]
    assert_problem(refused[0], 507, "full", "60")
    answered += 20 - len(refused)
    full_disk(False)
    assert start(person, key).status_code == 302
    assert Game.objects.count() == answered + 1


@on_sqlite
def test_deal_refused_by_a_full_database_is_taken_with_the_same_key_later(person, full_disk):
    tables = [start(person, f"key-{number:020}").headers["Location"] for number in range(6)]
    deals = iter([(sheet, number) for sheet in tables for number in range(len(WHOLE_GAME))])
    full_disk(True)

    answered = 0
    for sheet, number in deals:
        refused = write(person, sheet, number)
        if refused.status_code != 200:
            break
        answered += 1

    # Without a revision: the phone's outbox takes it for no answer, keeps the deal and sends again.
    assert (refused.status_code, refused.headers.get("Kingscore-Revision")) == (507, None)
    assert Revision.objects.count() == sum(games_revisions()) == answered
    full_disk(False)
    assert [write(person, sheet, number).status_code for _ in range(2)] == [200, 200]
    assert Revision.objects.count() == sum(games_revisions()) == answered + 1


def write(person, sheet, number):
    fields = deal_fields(WHOLE_GAME[number], number, f"key-of-deal-{number:010}")
    return person.post(f"{sheet}entry/", fields, headers={"HX-Request": "true"})


def games_revisions():
    return Game.objects.values_list("revision", flat=True)


def assert_problem(answer, status, code, again_after):
    assert (answer.status_code, answer["Retry-After"]) == (status, again_after)
    assert answer["Content-Type"] == "application/problem+json"
    assert (answer.json()["status"], answer.json()["code"]) == (status, code)


@pytest.fixture
def locked():
    """Hold the database as a writer that does not end, and be impatient with it."""
    tell("PRAGMA busy_timeout = 50")
    other = sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    yield
    other.close()
    tell("PRAGMA busy_timeout = 20000")


@on_sqlite
def test_locked_database_has_the_same_asked_again_soon(person, locked):
    page = start(person, "key-of-the-table-0000")

    assert (page.status_code, page["Retry-After"]) == (503, "10")
    assert "<h1>" in page.text
    assert Game.objects.count() == 0
    problem = person.post("/api/v1/games/", HEAD, "application/json")
    assert_problem(problem, 503, "unavailable", "10")


@on_postgresql
def test_ended_connection_has_the_same_asked_again_soon(person):
    number = tell("SELECT pg_backend_pid()")[0]
    ender = threading.Thread(target=end_connection, args=[number])
    ender.start()
    ender.join()

    away = start(person, "key-of-the-table-0000")
    connections.close_all()
    back = start(person, "key-of-the-table-0000")

    assert (away.status_code, away["Retry-After"], back.status_code) == (503, "10", 302)
    assert Game.objects.count() == 1


def end_connection(number):
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(%s)", [number])
    finally:
        connection.close()


def test_document_that_finds_no_room_says_so_on_its_page(person):
    report = ReportFactory(state=Report.State.BUILDING, attempts=MOST_ATTEMPTS, builder="a")

    retry_report(report, OSError(errno.ENOSPC, "No space left on device"), timezone.now())

    report.refresh_from_db()
    assert (report.state, report.error) == ("failed", "full")
    with translation.override("en"):
        assert reason_of(report) == "there is no room on the disk of the server"
