import re
from functools import cache

import pytest
from django.urls import URLResolver, get_resolver, reverse

from tests.web.access_table import NOBODY
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


BODY = {
    "name": "Another",
    "names": "Another",
    "action": "save",
    "role": "owner",
    "source": "rifki",
    "document": "{}",
    "text": "{}",
    "revision": "1",
    "seat": "0",
    "position": "0",
    "key": "k" * 24,
    "code": "0000",
    "starts_on": "2026-09-01",
    "ends_on": "2027-06-30",
    "held_on": "2026-11-20",
    "ruleset": "turkish-king",
    "is_active": "",
    "post": "yes",
    "format": "pdf",
    "month": "2026-11",
}
"""The body sent to every address; at many of them it changes something."""


ANYTHING_ELSE = r"^api/(?P<where>[\s\S]*)"
"""Addresses for programs, which are no pages."""


def addresses(resolver=None, route="", names=()):
    """Every address of a page, by name; one without a name by its route.

    Those of the API are walked by `tests/api/test_access.py`.
    """
    for pattern in (resolver or get_resolver()).url_patterns:
        here = route + str(pattern.pattern)
        of_programs = here.startswith("api/v1/") and isinstance(pattern, URLResolver)
        if of_programs or here == ANYTHING_ELSE:
            continue
        if isinstance(pattern, URLResolver):
            space = [pattern.namespace] if pattern.namespace else []
            yield from addresses(pattern, here, (*names, *space))
        elif pattern.name:
            yield ":".join((*names, pattern.name)), pattern, here
        else:
            yield here, pattern, here


@cache
def named():
    return {name for name, pattern, _ in addresses() if pattern.name}


def path_of(name, kwargs):
    """Where a page is; one without a name is at its route."""
    if name in named():
        return reverse(name, kwargs=kwargs)
    plain = re.sub(r"<(?:\w+:)?(\w+)>", lambda found: str(kwargs[found[1]]), name)
    return "/" + re.sub(r"\(\?P.*\)\$?$", lambda _: str(next(iter(kwargs.values()))), plain)


def ways(world, page):
    """The links of a page: what fills it in, and what is written down for GET and for POST."""
    yield "", world.right[page.place], page.get, page.post
    if page.place in world.closed:
        yield "closed", world.closed[page.place], page.closed_get, page.closed_post
    if page.place in world.wrong:
        yield "wrong", world.wrong[page.place], None, None
    if page.place in ("open table", "match"):
        yield "of a club", world.right["write"], page.get and NOBODY, page.post and NOBODY
