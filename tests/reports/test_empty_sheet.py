"""The sheet to fill in by hand."""

import pytest
from django.utils import translation

from tournaments import words
from tournaments.engine.variants import RULESETS
from tournaments.reports.empty_sheet import compose_empty_sheet
from tournaments.reports.typesetting import typeset


@pytest.mark.parametrize("language", ["tr", "it", "en"])
@pytest.mark.parametrize("ruleset", RULESETS)
def test_empty_sheet_is_one_page_with_every_deal_and_contract(pdf, ruleset, language):
    with translation.override(language):
        page = pdf(typeset("empty_sheet.typ", compose_empty_sheet(ruleset)))
        names = [words.contract_name(contract.id) for contract in RULESETS[ruleset].contracts]
    assert page.pages == 1
    numbers = [line for line in page.lines if line.isdigit()]
    assert numbers == [str(number) for number in range(1, RULESETS[ruleset].deals + 1)]
    for name in names:
        assert name in page.text
    assert page.fonts == {"DejaVuSans": True, "DejaVuSans-Bold": True}


def test_empty_sheet_gives_points_and_boxes_of_each_contract():
    contracts = compose_empty_sheet("turkish-king")["contracts"]
    assert [(contract["points"], contract["boxes"]) for contract in contracts] == [
        ("13 × −50 = −650", 2),
        ("13 × −30 = −390", 2),
        ("8 × −60 = −480", 2),
        ("4 × −100 = −400", 2),
        ("1 × −320 = −320", 2),
        ("2 × −180 = −360", 2),
        ("13 × 50 = 650", 0),
    ]


@pytest.mark.parametrize(
    ("ruleset", "boxes", "note"),
    [
        ("turkish-king", [3, 2], "Sum of all totals at the end: 0"),
        ("turkish-king-internet", [2, 1], "No queens taken 1-1-1-1 is played again"),
    ],
)
def test_empty_sheet_has_boxes_for_each_player_and_what_to_remember(ruleset, boxes, note):
    with translation.override("en"):
        data = compose_empty_sheet(ruleset)
    assert [quota["boxes"] for quota in data["quotas"]] == boxes
    assert data["notes"][-1] == note


def test_unknown_ruleset_has_no_sheet():
    with pytest.raises(ValueError, match="no ruleset whist"):
        compose_empty_sheet("whist")
