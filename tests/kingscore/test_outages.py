import errno

import psycopg
import pytest
from django.db.utils import OperationalError, ProgrammingError

from kingscore.middleware import Outage, outage_of


def raised(error, cause=None):
    try:
        raise error from cause
    except Exception as arrived:  # noqa: BLE001
        return arrived


@pytest.mark.parametrize(
    ("cause", "expected"),
    [
        (psycopg.errors.DiskFull("could not extend file"), Outage.FULL),
        (psycopg.errors.AdminShutdown(""), Outage.AWAY),
        (psycopg.errors.CannotConnectNow("the database system is starting up"), Outage.AWAY),
        (psycopg.errors.DeadlockDetected(""), Outage.AWAY),
        (psycopg.OperationalError("connection refused"), Outage.AWAY),
        (psycopg.errors.UndefinedTable(""), None),
        (psycopg.errors.UniqueViolation(""), None),
        (psycopg.DataError("PostgreSQL text fields cannot contain NUL"), None),
    ],
)
def test_outage_of_postgresql_is_told_from_a_fault_of_ours(cause, expected):
    assert outage_of(raised(OperationalError(), cause)) is expected


def test_outage_that_was_dealt_with_is_no_reason_of_a_later_fault():
    def break_later():
        try:
            raise OSError(errno.ENOSPC, "no room")
        except OSError:
            raise KeyError from None

    with pytest.raises(KeyError) as later:
        break_later()

    assert outage_of(later.value) is None


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
def test_file_that_finds_no_room_is_a_full_disk(number):
    assert outage_of(raised(OSError(number, "no room"))) is Outage.FULL


@pytest.mark.parametrize(
    "error", [OSError(errno.ENOENT, "gone"), ValueError(), ProgrammingError(), None]
)
def test_other_faults_are_no_outage(error):
    assert outage_of(error) is None
