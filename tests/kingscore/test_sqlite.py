import threading
import time
from pathlib import Path

import pytest
from django.core.cache import caches
from django.db import ConnectionHandler, OperationalError

from kingscore.environment import sqlite
from tests.together import at_once

pytestmark = pytest.mark.django_db


@pytest.fixture
def connect(tmp_path):
    """Open connections to one database, each with its patience in seconds."""
    opened = []

    def one(patience=20):
        settings = sqlite(tmp_path / "db.sqlite3")
        settings["OPTIONS"]["timeout"] = patience
        connection = ConnectionHandler({"default": settings})["default"]
        connection.inc_thread_sharing()
        opened.append(connection)
        return connection

    yield one
    for connection in opened:
        connection.close()


def begin(connection):
    connection.set_autocommit(False, force_begin_transaction_with_broken_autocommit=True)


def end(connection):
    connection.commit()
    connection.set_autocommit(True)


def test_writers_begin_in_the_order_they_came(connect):
    first, *others = (connect() for _ in range(6))
    begin(first)
    came = []

    def write(number, connection):
        begin(connection)
        came.append(number)
        end(connection)

    threads = [threading.Thread(target=write, args=each, daemon=True) for each in enumerate(others)]
    for thread in threads:
        thread.start()
        # So that it waits before the next one comes.
        time.sleep(0.2)
    end(first)
    for thread in threads:
        thread.join(20)

    assert came == [0, 1, 2, 3, 4]


def test_writer_that_waited_too_long_is_refused_and_nobody_waits_for_it(connect):
    first, impatient, last = connect(), connect(0.1), connect(5)
    begin(first)

    with pytest.raises(OperationalError, match="database is locked"):
        begin(impatient)

    end(first)
    # The turn that came too late is passed on.
    time.sleep(0.5)
    begin(last)
    end(last)
    begin(impatient)
    end(impatient)


@pytest.mark.parametrize("leave", ["rollback", "close"])
def test_writer_that_gives_up_lets_the_next_one_write(connect, leave):
    first, last = connect(), connect(5)
    begin(first)

    getattr(first, leave)()

    begin(last)
    end(last)


@pytest.mark.django_db(transaction=True)
def test_requests_are_counted_together_by_all_that_count():
    caches["throttles"].clear()
    # A thread has a connection of its own, as a process has.
    counted = at_once(*[lambda: [caches["throttles"].count("them", 60)[0] for _ in range(50)]] * 4)

    assert sorted(number for each in counted for number in each) == list(range(1, 201))
    assert caches["throttles"].count("others", 60) == (1, 60)


def test_file_of_counts_that_broke_begins_anew(settings):
    if settings.DATABASE_URL:
        pytest.skip("counted in the database")
    counts = caches["throttles"]
    counts.clear()
    counts.opened.close()
    counts.opened = None
    for end in ("-wal", "-shm"):
        Path(f"{counts.file}{end}").unlink(missing_ok=True)
    counts.file.write_bytes(b"broken" * 100)

    assert [counts.count("them", 60)[0] for _ in range(3)] == [1, 1, 2]
