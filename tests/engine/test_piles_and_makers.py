"""The worked examples of `docs/rules.md` §3 and §4, as they stand there."""

import pytest

from tests.engine.piles_and_makers_oracle import SIDES
from tests.engine.test_records import load, score_document


def rows_of(name):
    return score_document(load(name))["entries"]


def play_hand(ruleset, options=None, **hand):
    """The points of one hand of Euchre."""
    result = score_document(
        {
            "format": "kingscore-game/1",
            "ruleset": ruleset,
            "options": options or {},
            "players": ["A", "B", "C", "D"][: len(SIDES[ruleset])],
            "entries": [{"type": "deal", "maker": 0, **hand}],
        }
    )
    assert result["problems"] == []
    return result["entries"][0]["points"]


def test_winner_of_krapet_scores_what_the_loser_has_left():
    rows = rows_of("krapet-points")
    assert rows[0]["points"] == [53, 0]


def test_stalemate_scores_the_difference():
    rows = rows_of("krapet-points")
    assert rows[1]["points"] == [8, 0]


def test_match_goes_on_to_its_target():
    result = score_document(load("krapet-match"))
    assert (result["totals"], result["ended_by"], result["ranks"]) == ([3, 1], "target", [1, 2])
    assert result["entries"][1]["points"] == [0, 0]


def test_one_game_of_krapet_is_a_match_by_default():
    result = score_document(load("krapet-won"))
    assert (result["totals"], result["ended_by"]) == ([0, 1], "target")


def test_sequence_of_hands_ends_as_in_the_rules():
    result = score_document(load("euchre-sequence"))
    totals = [row["totals"] for row in result["entries"]]
    assert totals == [[1, 0], [1, 4], [1, 6], [1, 7], [1, 9], [1, 11]]
    assert (result["finished"], result["ended_by"], result["ranks"]) == (True, "target", [2, 1])


def test_passed_hand_moves_the_deal_on():
    record = load("euchre-sequence")
    record["entries"] = record["entries"][:4]
    result = score_document(record)
    assert result["totals"] == [1, 6]
    assert result["next"] == {"declarer": 0, "contracts": [], "must": None, "deal": 5}


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


def test_two_pass_the_target_together():
    together = score_document(load("euchre-three-together"))
    assert (together["totals"], together["ranks"]) == ([11, 11, 1], [1, 1, 3])
    higher = score_document(load("euchre-three-higher"))
    assert (higher["totals"], higher["ranks"]) == ([11, 10, 0], [1, 2, 3])


def test_lone_maker_euchred_by_a_lone_defender_gives_four_on_the_railroad():
    rows = rows_of("euchre-railroad-whole")
    assert [row["points"] for row in rows[:2]] == [[0, 4], [2, 0]]


def test_adjustment_ends_a_game_and_another_reopens_nothing():
    result = score_document(load("euchre-adjusted-to-the-end"))
    assert (result["totals"], result["finished"], result["ended_by"]) == ([7, -2], True, "target")
