from datetime import UTC, datetime

from django.db import connection
from django.test.utils import CaptureQueriesContext

LONG_AFTER = datetime(2100, 1, 1, tzinfo=UTC)
"""When a token is said to have been used, so that no minute that begins takes a query to note."""


def queries_of(ask):
    """The number of queries that `ask` makes, but those that only the first time takes."""
    ask()
    with CaptureQueriesContext(connection) as made:
        ask()
    return len(made)
