"""Every method that is compared seats everybody, evenly."""

import pytest

from benchmarks.seating_evidence import ahead, search
from benchmarks.seating_evidence.methods import METHODS
from benchmarks.seating_evidence.results import one_event

FIELD = (16, 3, 100)
WITHOUT_REPEATS = ("fixed schedule", "program: new-opponents", "no repeats")


@pytest.fixture(autouse=True)
def quickly(monkeypatch):
    """Search less: without numba it is a hundred times slower."""
    monkeypatch.setattr(search, "TRIES", 20)
    monkeypatch.setattr(ahead, "TRIES", 60)
    monkeypatch.setattr(ahead, "CANDIDATES", 2)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_seats_everybody_once_in_every_round(method):
    found = one_event(FIELD, method, 1)

    assert found["far_uneven"] == 0
    assert 1 <= found["leaders_tables"] <= 4
    assert found["repeats"] == 0 or method not in WITHOUT_REPEATS
