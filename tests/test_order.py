"""The tests of a module that shares something costly stay together, and none is lost."""

from types import SimpleNamespace

import pytest

from tests.order import ordered


def items_of(path, count, scope):
    fixtures = SimpleNamespace(name2fixturedefs={"made": [SimpleNamespace(scope=scope)]})
    return [SimpleNamespace(path=path, _fixtureinfo=fixtures, number=n) for n in range(count)]


@pytest.fixture
def tests():
    return [
        *items_of("cheap", 5, "function"),
        *items_of("a server", 3, "module"),
        *items_of("cheap, too", 4, "function"),
        *items_of("a world", 2, "module"),
    ]


def names(tests):
    return [f"{test.path} {test.number}" for test in tests]


@pytest.mark.parametrize("processes", [1, 2, 3, 5, 20])
def test_every_test_is_there_once(tests, processes):
    assert sorted(names(ordered(tests, processes))) == sorted(names(tests))


def test_what_is_costly_stands_together_at_the_beginning_of_a_share(tests):
    share = names(ordered(tests, 2))

    assert share[:3] == ["a server 0", "a server 1", "a server 2"]
    assert share[7:9] == ["a world 0", "a world 1"]
