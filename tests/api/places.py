"""Values for the placeholders of each address of the API."""

import re
from functools import cache

from django.urls import URLPattern, URLResolver, get_resolver, reverse

from tests.api.access_table import TABLE
from tournaments.api.components import PLACEHOLDER, renamed

PARAMETER = re.compile(r"<(?:\w+:)?(\w+)>")


def patterns(resolver=None, before="/", *, within=False):
    """Each named address of the API with its route."""
    for pattern in (resolver or get_resolver()).url_patterns:
        route = f"{before}{pattern.pattern}"
        if isinstance(pattern, URLResolver):
            yield from patterns(pattern, route, within=within or pattern.namespace == "api")
        elif isinstance(pattern, URLPattern) and within and pattern.name:
            yield pattern, route


@cache
def parameters():
    """The names of the places of every address: found once, for there are many."""
    return {pattern.name: PARAMETER.findall(route) for pattern, route in patterns()}


def places_of(world):
    """Return the values of each address: by its path as `/api/v1/clubs/{club}/`, by parameter."""
    found = {}
    for pattern, route in patterns():
        place = world.right.get(TABLE[pattern.name].place, {})
        wanted = PARAMETER.findall(route)
        if wanted and place.keys() >= set(wanted):
            path = renamed(PARAMETER.sub(r"{\1}", route))
            names = PLACEHOLDER.findall(path)
            found[path] = {name: place[key] for name, key in zip(names, wanted, strict=True)}
    return found


def path_of(name, place):
    """Where an address is; of what fills in a place it takes what it needs."""
    wanted = parameters()[name]
    lacking = set(wanted) - set(place)
    assert not lacking, f"api:{name} wants {lacking} of its place: see tests/api/access_world.py"
    return reverse(f"api:{name}", kwargs={key: place[key] for key in wanted})
