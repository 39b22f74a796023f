"""Values for the placeholders of each address of the API."""

import re

from django.urls import URLPattern, URLResolver, get_resolver

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
