import pytest
from django.utils import translation

from tournaments.engine.variants import RULESETS
from tournaments.reports.sheets import compose_empty_sheet
from tournaments.reports.typesetting import typeset
from tournaments.texts import labels


@pytest.mark.parametrize(
    "language", ["tr", *(pytest.param(other, marks=pytest.mark.slow) for other in ("it", "en"))]
)
@pytest.mark.parametrize("ruleset", RULESETS)
def test_empty_sheet_is_one_page_with_every_deal_and_contract(pdf, ruleset, language):
    with translation.override(language):
        data = compose_empty_sheet(ruleset)
        page = pdf(typeset("empty_sheet.typ", data))
        named = [contract for contract in RULESETS[ruleset].contracts if contract.named]
        names = [labels.contract_title(contract) for contract in named]
    assert page.pages == 1
    deals = RULESETS[ruleset].deals or 20
    below = page.lines.index(data["words"]["totals"])
    numbers = [line.split()[0] for line in page.lines[below - deals : below]]
    assert numbers == [str(number) for number in range(1, deals + 1)]
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


def compose(ruleset):
    with translation.override("en"):
        return compose_empty_sheet(ruleset)


def test_empty_sheet_prints_a_fixed_order():
    rows = compose("italian-king")["rows"]
    assert [row["contract"] for row in rows] == [
        "No men",
        "No queens",
        "Eight of diamonds",
        "Rıfkı (king of hearts)",
        "No hearts",
        "Last two",
        "No tricks",
        "Domino",
        *["Declaration"] * 4,
        "No trump",
    ]
    assert {row["contract"] for row in compose("italian-king-choice")["rows"][:12]} == {""}


@pytest.mark.parametrize(
    ("ruleset", "sides", "turns"),
    [
        ("turkish-king", 4, [(0, ""), (1, ""), (2, ""), (3, ""), (0, "")]),
        ("turkish-king-partners", 2, [(0, "1"), (1, "2"), (0, "3"), (1, "4"), (0, "1")]),
        ("honeymoon-king", 2, [(0, ""), (1, ""), (0, ""), (1, ""), (0, "")]),
        ("turkish-king-double", 4, [(None, ""), (None, ""), (2, ""), (3, ""), (0, "")]),
        ("barbu", 4, [(0, "")] * 5),
        ("euchre", 2, [(None, "")] * 5),
        ("euchre-three", 3, [(None, "")] * 5),
        ("krapet", 2, [(None, "")] * 5),
    ],
)
def test_empty_sheet_has_a_column_for_each_side_and_says_whose_turn_it_is(ruleset, sides, turns):
    data = compose(ruleset)
    assert data["sides"] == sides
    assert [(row["side"], row["seat"]) for row in data["rows"][:5]] == turns


def test_empty_sheet_of_barbu_has_seven_boxes_for_each_player():
    data = compose("barbu")
    assert [each["boxes"] for each in data["each"]] == [1] * 7
    assert data["quotas"] == []
    assert data["words"]["left"] == "Tick off what is declared"
    assert compose("krapet")["words"]["left"] == ""
