"""Values for the placeholders of each address of the API."""

import re
from functools import cache

from django.urls import URLPattern, URLResolver, get_resolver, reverse

from tests.api.access_table import TABLE
from tournaments.api.components import PLACEHOLDER, renamed

PARAMETER = re.compile(r"<(?:\w+:)?(\w+)>")


def routes_of_all(resolver=None, before="/", *, within=False):
    for pattern in (resolver or get_resolver()).url_patterns:
        route = f"{before}{pattern.pattern}"
        if isinstance(pattern, URLResolver):
            yield from routes_of_all(pattern, route, within=within or pattern.namespace == "api")
        elif isinstance(pattern, URLPattern) and within and pattern.name:
            yield pattern.name, route


def places_of(world):
    """Return the values of each address: by its path as `/api/v1/clubs/{club}/`, by parameter."""
    found = {}
    for name, route in routes_of_all():
        place = world.right.get(TABLE[name].place, {}) if name in TABLE else {}
        wanted = PARAMETER.findall(route)
        if wanted and place.keys() >= set(wanted):
            path = renamed(PARAMETER.sub(r"{\1}", route))
            names = PLACEHOLDER.findall(path)
            found[path] = {name: place[key] for name, key in zip(names, wanted, strict=True)}
    return found


def patterns(resolver=None, above=(), *, within=False):
    for pattern in (resolver or get_resolver()).url_patterns:
        places = (*above, *pattern.pattern.converters)
        if isinstance(pattern, URLPattern):
            if within and pattern.name:
                yield pattern, places
        elif isinstance(pattern, URLResolver):
            yield from patterns(pattern, places, within=within or pattern.namespace == "api")


@cache
def places_of_all():
    """The names of the places of every address: found once, for there are many."""
    return {pattern.name: places for pattern, places in patterns()}


def path_of(name, place):
    """Where an address is; of what fills in a place it takes what it needs."""
    wanted = places_of_all()[name]
    lacking = set(wanted) - set(place)
    assert not lacking, f"api:{name} wants {lacking} of its place: see tests/api/access_world.py"
    return reverse(f"api:{name}", kwargs={key: place[key] for key in wanted})
