import pytest

from tests.engine.documents.score_documents import score_document


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
