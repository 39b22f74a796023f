"""The worked examples of `docs/rules.md` §2, as they stand there."""

import pytest

from tests.engine.test_records import load, score_document


def points_of(name):
    return [row["points"] for row in score_document(load(name))["entries"]]


def score_deals(ruleset, *deals, **options):
    """The rows of a game of these deals."""
    result = score_document(
        {
            "format": "kingscore-game/1",
            "ruleset": ruleset,
            "options": options,
            "players": ["Anna", "Bruno", "Carla", "Dino"],
            "entries": [{"type": "deal", **deal} for deal in deals],
        }
    )
    assert result["problems"] == []
    return result["entries"]


def test_whole_game_ends_as_in_the_rules():
    result = score_document(load("italian-king-whole"))
    assert result["entries"][7]["points"] == [11, -4, -2, -5]
    assert (result["totals"], result["expected_sum"]) == ([13, -7, 3, -9], 0)
    assert (result["ranks"], result["out"], result["sunk"]) == ([1, 3, 2, 4], [], [])


@pytest.mark.parametrize(
    ("cappotto", "points", "expected"),
    [
        ("none", [-13, 0, 0, 0], -13),
        ("plus14", [14, -9, -9, -9], -13),
        ("plus13", [13, 0, 0, 0], 13),
    ],
)
def test_all_hearts_or_all_tricks_score_as_the_option_says(cappotto, points, expected):
    rows = score_document(load(f"italian-king-cappotto-{cappotto}"))["entries"]
    assert rows[4]["points"] == points
    assert rows[4]["expected_sum"] - rows[3]["expected_sum"] == expected
    assert rows[6]["points"] == [points[1], points[2], points[0], points[3]]
    assert rows[6]["expected_sum"] - rows[5]["expected_sum"] == expected


@pytest.mark.parametrize(
    ("out", "points"),
    [
        ("two", ["7/2", "7/2", -3, -4]),
        ("three", ["5/3", "5/3", "5/3", -5]),
        ("all", [0, 0, 0, 0]),
    ],
)
def test_several_winners_of_domino_share_the_losses(out, points):
    assert points_of(f"italian-king-choice-domino-{out}-out") == [points]


def test_blind_declaration_counts_the_tricks_of_the_declarer_twice():
    rows = score_document(load("italian-king-choice-blind"))["entries"]
    assert [row["points"] for row in rows] == [[3, 2, 2, 12], [3, 2, 2, 6]]
    assert [row["expected_sum"] for row in rows] == [19, 32]


def test_sale_pays_by_whether_its_price_was_reached():
    assert points_of("italian-king-choice-sales") == [[6, 2, 3, 2], [2, 11, -4, 4]]


def test_called_partner_shares_half_and_half():
    whole = load("italian-king-pirandello-whole")["entries"]
    tricks = [entry["contract"] for entry in whole].index("no-tricks")
    assert points_of("italian-king-pirandello-whole")[tricks] == ["-9/2", -2, "-9/2", -2]


@pytest.mark.parametrize("cappotto", [[14, -9, -9, -9]])
def test_called_partner_shares_what_the_options_gave(cappotto):
    deal = {"contract": "no-tricks", "partner": 3, "counts": {"tricks": [13, 0, 0, 0]}}
    (row,) = score_deals("italian-king-pirandello", deal, cappotto="plus14")
    own = cappotto[0] + cappotto[3]
    assert row["points"] == ["5/2", -9, -9, "5/2"]
    assert row["points"][0] == f"{own}/2"


def test_pairs_score_the_difference():
    points = points_of("italian-king-pairs-whole")
    assert points[0] == [0, 0]  # no-men 4–4
    assert points[1] == [-6, 6]  # no-queens 3–1
    assert points[3] == [-8, 8]  # heart-king own
    assert points[5] == [0, 0]  # last-two 1–1
    assert points[7] == [14, -14]  # domino own 2, others 6, closed by side 0
    assert points[8] == [7, -7]  # declaration 10–3
    assert points[12] == [-2, 2]  # no-trump 6–7


def test_pair_that_goes_out_first_can_lose():
    assert points_of("italian-king-pairs-domino-lost")[7] == [-1, 1]


def test_third_choice_that_loses_is_doubled_for_the_side_of_the_dealer():
    points = points_of("italian-king-pairs-choice-whole")
    assert points[0] == [-6, 6]  # declaration 5–8, side 0 chose
    assert points[1] == [8, -8]  # no-men 5–3, side 1 chose
    assert points[2] == [-18, 18]  # domino own 5, others 1, others closed, side 0 chose


def test_third_choice_that_wins_is_not_doubled():
    points = points_of("italian-king-pairs-choice-whole")
    assert points[4] == [7, -7]


def test_domino_bonus_can_make_a_loss_of_a_third_choice_that_won_the_cards():
    # The pair holds fewer cards, D = 3, but the others closed, B = −10: D + B < 0 adds no loss.
    deal = {
        "contract": "domino",
        "offered": ["no-men", "no-trump"],
        "third": True,
        "closed_by": 1,
        "counts": {"cards_left": [2, 5]},
    }
    assert score_deals("italian-king-pairs-choice", deal)[0]["points"] == [-7, 7]


def test_third_choice_that_loses_cards_but_wins_by_the_bonus_is_not_doubled():
    deal = {
        "contract": "domino",
        "offered": ["no-men", "no-trump"],
        "third": True,
        "closed_by": 0,
        "counts": {"cards_left": [8, 3]},
    }
    assert score_deals("italian-king-pairs-choice", deal)[0]["points"] == [5, -5]


def test_third_choice_may_be_a_further_declaration():
    offered = {"offered": ["declaration", "declaration"], "third": True}
    deal = {"contract": "declaration", **offered, "counts": {"tricks": [6, 7]}}
    assert score_deals("italian-king-pairs-choice", deal)[0]["points"] == [-2, 2]


@pytest.mark.parametrize("ruleset", ["italian-king-choice", "italian-king-pirandello"])
def test_a_queen_each_is_scored(ruleset):
    partner = {"partner": 2} if ruleset == "italian-king-pirandello" else {}
    deal = {"contract": "no-queens", **partner, "counts": {"queens": [1, 1, 1, 1]}}
    assert score_deals(ruleset, deal)[0]["points"] == [-3, -3, -3, -3]


def test_fine_goes_to_the_others_in_equal_parts():
    rows = score_document(load("italian-king-redeal-and-fines"))["entries"]
    assert rows[7]["points"] == ["10/3", -10, "10/3", "10/3"]
    assert rows[9]["points"] == [0, 0, "-1/2", 0]
