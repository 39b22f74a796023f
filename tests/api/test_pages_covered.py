from django.urls import URLPattern, URLResolver, get_resolver

from tests.api.pages_covered import ADDRESSES, REASONS
from tests.api.places import routes_of_all


def pages(resolver=None):
    for pattern in (resolver or get_resolver()).url_patterns:
        if isinstance(pattern, URLResolver):
            yield from pages(pattern)
        elif isinstance(pattern, URLPattern) and is_ours(pattern):
            yield pattern.name


def is_ours(pattern):
    return pattern.callback.__module__.startswith("tournaments.web") and pattern.name


PAGES = sorted(set(pages()))
OF_API = {name for name, _route in routes_of_all()}


def test_each_page_has_an_address_of_the_api_or_a_reason():
    assert REASONS.keys() & ADDRESSES.keys() == set()
    others = [page for page in PAGES if page not in REASONS]
    assert [page for page in others if not {*ADDRESSES.get(page, [page])} <= OF_API] == []


def test_no_line_is_about_a_page_that_is_no_more():
    assert (ADDRESSES.keys() | REASONS.keys()) - set(PAGES) == set()
