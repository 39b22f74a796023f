"""How many queries something takes."""

from django.db import connection
from django.test.utils import CaptureQueriesContext


def queries_of(ask):
    """The number of queries that `ask` makes, but those that only the first time takes."""
    ask()
    with CaptureQueriesContext(connection) as made:
        ask()
    return len(made)
