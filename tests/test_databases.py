"""What the second database is not asked has no questions of its own."""

import ast
from pathlib import Path

import pytest

from tests.api import access_world as api
from tests.databases import (
    LEFT_OUT,
    PAGES_ASKED_BY_THE_WALK,
    PAGES_WITHOUT_QUERIES,
    TESTS,
    VISITORS_OF_BOTH,
    WALKS,
)
from tests.web import access_world as web

APP = TESTS.parent / "tournaments"
QUERY_WORDS = {
    *("order_by", "annotate", "alias", "aggregate", "distinct", "union", "extra", "raw"),
    *("select_for_update", "bulk_create", "bulk_update", "get_or_create", "update_or_create"),
    *("atomic", "cursor", "execute"),
}

MORE_THAN_ORDER = QUERY_WORDS - {"order_by", "atomic", "execute"}
TOPICS_OF_THE_WALK = sorted({"/".join(Path(path).parts[:2]) for path in PAGES_ASKED_BY_THE_WALK})


def questions(module):
    """What a module imports and calls to put a query together."""
    for node in ast.walk(ast.parse(module.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("django.db"):
            yield node.module
        elif isinstance(node, ast.Attribute) and node.attr in QUERY_WORDS:
            yield node.attr


@pytest.mark.parametrize("topic", PAGES_WITHOUT_QUERIES)
def test_pages_that_one_database_is_asked_for_put_no_query_together(topic):
    modules = sorted((APP / topic).rglob("*.py"))
    assert modules
    assert {str(module): found for module in modules if (found := list(questions(module)))} == {}


@pytest.mark.parametrize("topic", TOPICS_OF_THE_WALK)
def test_pages_that_the_walk_asks_at_most_put_rows_in_order(topic):
    modules = sorted((APP / topic).rglob("*.py"))
    assert modules
    found = {str(module): MORE_THAN_ORDER.intersection(questions(module)) for module in modules}
    assert {module: words for module, words in found.items() if words} == {}


def test_pages_with_queries_are_recognised():
    asked = set(questions(APP / "web/events/seasons.py"))
    assert asked & MORE_THAN_ORDER


def test_everything_left_out_is_there():
    assert [path for path in LEFT_OUT | WALKS if not path.exists()] == []


@pytest.mark.parametrize("visitors", [web.VISITORS, api.VISITORS])
def test_who_walks_on_both_databases_is_a_visitor(visitors):
    assert set(VISITORS_OF_BOTH) < set(visitors)
