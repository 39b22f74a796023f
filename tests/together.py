"""Several callers at the same moment, each on a database connection of its own."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

from django.db import connection

from tests.factories import EVENING
from tests.waiting import PATIENCE
from tournaments.queries.sheets import Sheet


def outcome(work):
    try:
        done = work()
    except Exception as error:  # noqa: BLE001 - whatever it is must be seen
        return type(error).__name__
    finally:
        connection.close()
    return done.row.revision if isinstance(done, Sheet) else done


def at_once(*works):
    """Do all works at one moment; return their outcomes."""
    start = threading.Barrier(len(works))

    def one(work):
        start.wait(PATIENCE)
        return outcome(work)

    with ThreadPoolExecutor(len(works)) as pool:
        return list(pool.map(one, works))


def while_another_is_writing(write, other, storing=("INSERT", "DELETE FROM")):
    """Hold `write` just before it stores its row, and begin `other` meanwhile.

    Returns both outcomes, and whether `other` had to wait.
    """
    about_to_store, go_on = threading.Event(), threading.Event()

    def hold(execute, sql, params, many, context):
        if sql.startswith(storing) and not about_to_store.is_set():
            about_to_store.set()
            go_on.wait(PATIENCE)
        return execute(sql, params, many, context)

    def held():
        with connection.execute_wrapper(hold):
            return write()

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(outcome, held)
        assert about_to_store.wait(PATIENCE)
        second = pool.submit(outcome, other)
        # Long enough for the other to come as far as it can.
        time.sleep(0.5)
        waited = not second.done()
        go_on.set()
        return first.result(PATIENCE), second.result(PATIENCE), waited


def doing(service, *args):
    def do():
        service(*args, at=EVENING)
        return 1

    return do
