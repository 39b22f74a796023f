"""Helpers of the walks through all addresses of pages and API."""

import re

import pytest

from tests.web.access_world import WALK_QUICKLY

WRITES = re.compile(r'\s*(INSERT INTO|UPDATE|DELETE FROM) "(tournaments|account|mfa)_')


def noting(written):
    def note(execute, sql, *rest):
        if WRITES.match(sql):
            written.append(sql[:60])
        return execute(sql, *rest)

    return note


def walkers(visitors):
    """Visitors as parameters, marked slow but for those most pages refuse."""
    return [
        who if who in WALK_QUICKLY else pytest.param(who, marks=pytest.mark.slow)
        for who in visitors
    ]
