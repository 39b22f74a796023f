"""Tournaments are simulated by the rules, and the search for tables finds what it should."""

import json

import numpy as np
import pytest

from benchmarks.seating_evidence import ahead, search
from benchmarks.seating_evidence.luck import fitted, points_of
from benchmarks.seating_evidence.methods import METHODS
from benchmarks.seating_evidence.results import one_event, read, simulate, table, tidy

FIELD = (16, 3, 100)
WITHOUT_REPEATS = ("fixed schedule", "program: new-opponents", "no repeats")


@pytest.fixture(autouse=True)
def quickly(monkeypatch):
    """Search less: without numba it is a hundred times slower."""
    monkeypatch.setattr(search, "TRIES", 20)
    monkeypatch.setattr(ahead, "TRIES", 60)
    monkeypatch.setattr(ahead, "CANDIDATES", 2)


def test_games_show_strength_luck_and_seats_apart():
    games = fitted()

    assert np.abs(games.rest.sum(axis=1)).max() < 1e-6
    assert np.abs(games.seats).max() < 2 * games.errors.max()
    assert games.luck == pytest.approx(534.6, abs=3), "as in twenty thousand other games"
    assert points_of(np.array([[403.0, 0, 0, 0]])).tolist() == [[300, -100, -100, -100]]


@pytest.mark.parametrize("method", METHODS)
def test_every_method_seats_everybody_once_in_every_round(method):
    found = one_event(FIELD, method, 1)

    assert found["far_uneven"] == 0
    assert 1 <= found["leaders_tables"] <= 4
    assert found["repeats"] == 0 or method not in WITHOUT_REPEATS


def test_stopped_run_continues_and_the_table_has_its_means(tmp_path):
    kept = tmp_path / "kept.jsonl"

    simulate(FIELD, "by lot", 2, kept)
    simulate(FIELD, "by lot", 5, kept)
    tidy(kept)

    (line,) = map(json.loads, kept.read_text().splitlines())
    assert line["count"] == 5
    expected = np.mean([one_event(FIELD, "by lot", number)["tau"] for number in range(5)])
    assert read(kept)[*FIELD, "by lot"].mean("tau") == pytest.approx(expected, abs=1e-4)
    assert "| by lot | 5 |" in table(kept)
