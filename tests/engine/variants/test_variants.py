import pytest

from tests.engine.documents.schemas import score_document
from tournaments.engine.variants import RULESETS


def results_of(ruleset, *deals, **options):
    return score_document(
        {
            "format": "kingscore-game/1",
            "ruleset": ruleset,
            "options": options,
            "players": ["Anna", "Bruno", "Carla", "Dino"],
            "entries": [{"type": "deal", **deal} for deal in deals],
        }
    )


def score_deals(ruleset, *deals, **options):
    result = results_of(ruleset, *deals, **options)
    assert result["problems"] == []
    return result["entries"]


@pytest.mark.parametrize("cappotto", [[14, -9, -9, -9]])
def test_called_partner_shares_what_the_options_gave(cappotto):
    deal = {"contract": "no-tricks", "partner": 3, "counts": {"tricks": [13, 0, 0, 0]}}
    (row,) = score_deals("italian-king-pirandello", deal, cappotto="plus14")
    own = cappotto[0] + cappotto[3]
    assert row["points"] == ["5/2", -9, -9, "5/2"]
    assert row["points"][0] == f"{own}/2"


@pytest.mark.parametrize(
    ("closed_by", "left", "points"),
    [
        # The pair holds fewer cards, D = 3, but the others closed, B = −10: D + B < 0 adds no loss.
        (1, [2, 5], [-7, 7]),
        # It loses cards but wins by the bonus: not doubled.
        (0, [8, 3], [5, -5]),
    ],
)
def test_domino_of_a_third_choice_is_doubled_only_where_cards_and_bonus_agree(
    closed_by, left, points
):
    deal = {
        "contract": "domino",
        "offered": ["no-men", "no-trump"],
        "third": True,
        "closed_by": closed_by,
        "counts": {"cards_left": left},
    }
    assert score_deals("italian-king-pairs-choice", deal)[0]["points"] == points


@pytest.mark.parametrize(("left", "why"), [(0, "others"), (1, "others"), (2, None)])
def test_each_of_the_pair_that_did_not_close_the_domino_holds_a_card(left, why):
    counts = {"cards_left": [3, left]}
    deal = {"contract": "domino", "offered": ["no-men", "domino"], "closed_by": 0, "counts": counts}
    problems = results_of("italian-king-pairs-choice", deal)["problems"]
    assert [problem["params"]["why"] for problem in problems] == ([why] if why else [])


def test_third_choice_may_be_a_further_declaration():
    offered = {"offered": ["declaration", "declaration"], "third": True}
    deal = {"contract": "declaration", **offered, "counts": {"tricks": [6, 7]}}
    assert score_deals("italian-king-pairs-choice", deal)[0]["points"] == [-2, 2]


@pytest.mark.parametrize("ruleset", ["italian-king-choice", "italian-king-pirandello"])
def test_a_queen_each_is_scored(ruleset):
    partner = {"partner": 2} if ruleset == "italian-king-pirandello" else {}
    deal = {"contract": "no-queens", **partner, "counts": {"queens": [1, 1, 1, 1]}}
    assert score_deals(ruleset, deal)[0]["points"] == [-3, -3, -3, -3]


def play_hand(ruleset, options=None, **hand):
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


@pytest.mark.parametrize(
    ("places", "codes"),
    [
        ([4, 1, 3, 2], []),
        ([1, 1, 2, 3], ["bad-domino"]),
        ([0, 1, 2, 3], ["bad-domino"]),
        ([2, 3, 4, 5], ["bad-domino"]),
    ],
)
def test_each_goes_out_at_a_place_of_their_own(places, codes):
    result = score_document(
        {
            "format": "kingscore-game/1",
            "ruleset": "barbu",
            "players": ["Anne", "Benoît", "Claire", "Denis"],
            "entries": [{"type": "deal", "contract": "domino", "counts": {"places": places}}],
        }
    )
    assert [problem["code"] for problem in result["problems"]] == codes
