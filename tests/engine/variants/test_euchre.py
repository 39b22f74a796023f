"""Hands of Euchre by the table of `docs/rules.md` §4."""

import pytest

from tests.engine.documents.score_documents import score_document
from tournaments.engine.variants import RULESETS


def play_hand(ruleset, options=None, **hand):
    """The points of one hand of Euchre."""
    result = score_document(
        {
            "format": "kingscore-game/1",
            "ruleset": ruleset,
            "options": options or {},
            "players": ["A", "B", "C", "D"][: RULESETS[ruleset].seats],
            "entries": [{"type": "deal", "maker": 0, **hand}],
        }
    )
    assert result["problems"] == []
    return result["entries"][0]["points"]


# Tricks of the makers, and points of makers and defenders.
TOGETHER = [(0, 0, 2), (2, 0, 2), (3, 1, 0), (4, 1, 0), (5, 2, 0)]
AGAINST_ONE = [(0, 0, 4), (1, 0, 2), (2, 0, 2), (3, 1, 0), (5, 2, 0)]
LONE = [(0, 0, 2), (2, 0, 2), (3, 1, 0), (4, 1, 0), (5, 4, 0)]
LONE_FOR_FOUR = [(0, 0, 4), (2, 0, 4), (3, 1, 0), (5, 4, 0)]
LONE_AGAINST_ONE = [(0, 0, 4), (1, 0, 2), (2, 0, 2), (3, 1, 0), (5, 4, 0)]
TABLE = [
    *(("euchre", {}, {}, row) for row in TOGETHER),
    *(("euchre-railroad", {}, {}, row) for row in TOGETHER),
    *(("euchre-two", {}, {}, row) for row in TOGETHER),
    *(("euchre", {}, {"defender_alone": 1}, row) for row in AGAINST_ONE),
    *(("euchre-railroad", {}, {"defender_alone": 3}, row) for row in AGAINST_ONE),
    *(("euchre", {}, {"alone": True}, row) for row in LONE),
    *(("euchre-railroad", {}, {"alone": True}, row) for row in LONE),
    *(("euchre", {"euchred_alone": 4}, {"alone": True}, row) for row in LONE_FOR_FOUR),
    *(("euchre", {}, {"alone": True, "defender_alone": 3}, row) for row in LONE_AGAINST_ONE),
    *(
        (ruleset, options, {"alone": True, "defender_alone": 1}, row)
        for ruleset, options in (("euchre", {"euchred_alone": 4}), ("euchre-railroad", {}))
        for row in LONE_FOR_FOUR
    ),
]


@pytest.mark.parametrize(("ruleset", "options", "fields", "row"), TABLE)
def test_hand_scores_as_in_the_table(ruleset, options, fields, row):
    tricks, makers, defenders = row
    assert play_hand(ruleset, options, tricks=tricks, **fields) == [makers, defenders]


@pytest.mark.parametrize("deck", [24, 25, 32])
def test_deck_makes_no_difference(deck):
    assert play_hand("euchre", {"deck": deck}, tricks=5) == [2, 0]


@pytest.mark.parametrize(
    ("options", "tricks", "points"),
    [
        ({}, 5, [3, 0, 0]),
        ({"march": 3}, 5, [3, 0, 0]),
        ({"march": 2}, 5, [2, 0, 0]),
        ({}, 4, [1, 0, 0]),
        ({}, 3, [1, 0, 0]),
        ({}, 2, [0, 2, 2]),
        ({}, 0, [0, 2, 2]),
    ],
)
def test_maker_plays_alone_against_two(options, tricks, points):
    assert play_hand("euchre-three", options, tricks=tricks) == points
