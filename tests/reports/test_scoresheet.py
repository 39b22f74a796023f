import io
import json
import re
from dataclasses import replace

import pytest
import typst
import zxingcpp
from django.utils import translation
from PIL import Image

from tests.deals import WHOLE_GAME, deal
from tests.sample_games import NAMES, SAMPLE, load, load_result, sides
from tournaments.engine.documents.games import read_game
from tournaments.engine.documents.ruleset_records import write_ruleset
from tournaments.engine.rules.rulesets import Stage
from tournaments.engine.variants import RULESETS
from tournaments.reports.sheets import compose_scoresheet, draw_sheet, written_date
from tournaments.reports.typesetting import typeset
from tournaments.texts.labels import points_text

FOLLOW_URL = "https://king.example/follow/abcdefghjk/0123456789abcdefghijklmn/"
KING = (*WHOLE_GAME[:5], deal("trump", 0, 0, 13, 0, trump="hearts"))


@pytest.fixture
def sheet(pdf):
    def build(record, language="tr"):
        with translation.override(language):
            return pdf(typeset("scoresheet.typ", compose_scoresheet(record, FOLLOW_URL)))

    return build


def compose(record, language="en"):
    with translation.override(language):
        return compose_scoresheet(record, FOLLOW_URL)


def rows(data):
    """The rows of the table: number, contract, and units and total of each seat."""
    return [
        [row["number"], row["symbol"], *((c["units"], c["total"]) for c in row["cells"])]
        for row in data["rows"]
        if row["kind"] == "deal"
    ]


def test_sheet_gives_places_and_who_is_out(record):
    assert compose(record())["places"] == [
        {"rank": "1", "state": "out", "best": True},
        {"rank": "3", "state": "sunk", "best": False},
        {"rank": "4", "state": "sunk", "best": False},
        {"rank": "2", "state": "sunk", "best": False},
    ]


def test_sheet_names_the_winner_where_nobody_is_out_or_sunk(record):
    places = compose(record(ruleset="rifki"))["places"]
    assert [place["state"] for place in places] == ["winner", "", "", ""]


def test_badges_stand_with_who_earned_them_and_in_which_deals(record):
    badges = compose(record())["badges"]
    assert [(badge["name"], badge["who"]) for badge in badges] == [
        ("Said it, ate it", [{"player": "Burak", "deals": "10"}, {"player": "Cem", "deals": "15"}]),
        ("Ox-eye", [{"player": "Ayşe", "deals": "16"}]),
        ("Flower", [{"player": "Burak", "deals": "20"}, {"player": "Deniz", "deals": "6"}]),
        ("Phone plug", [{"player": "Ayşe", "deals": "20"}]),
    ]


def test_sheet_of_a_king_game_says_who_made_it_and_ends_there(sheet, record):
    data = compose(record(KING))
    assert data["ending"] == "King by Cem in deal 6"
    assert len(data["rows"]) == 6
    assert [cell["king"] for cell in data["rows"][5]["cells"]] == [False, False, True, False]
    page = sheet(record(KING))
    assert "−220 −160 −150 −20" in page.text
    assert "Dış King" in page.text
    assert page.pages == 1


def test_sheet_of_an_unfinished_game_leaves_lines_for_the_rest(record):
    begun = record([*WHOLE_GAME[:7], {"type": "deal", "contract": "trump", "trump": "clubs"}])
    data = compose(begun)
    assert data["ending"] == "Not finished: 7 of 20 deals"
    assert [row["number"] for row in data["rows"]] == [str(n) for n in range(1, 21)]
    assert rows(data)[7] == ["8", "+♣", *[("", "")] * 4]
    assert {place["state"] for place in data["places"]} == {""}


def test_sheet_shows_what_is_no_deal_between_the_deals(record):
    entries = [
        WHOLE_GAME[0],
        {"type": "void", "contract": "no-queens", "declarer": 1, "reason": "one-each"},
        {"type": "redeal", "by": 1, "reason": "misdeal"},
        {"type": "adjustment", "seat": 2, "points": -100, "to": "others", "reason": "revoke"},
    ]
    shown = compose(record(entries))["rows"]
    assert [row["kind"] for row in shown[:5]] == ["deal", "slim", "slim", "adjustment", "deal"]
    assert shown[1]["text"] == "No queens · one queen each: played again"
    assert shown[2]["text"] == "Burak · misdeal: new cards"
    assert shown[3]["text"] == "Adjustment: revoke"
    assert [(cell["units"], cell["total"]) for cell in shown[3]["cells"]] == [
        ("+33⅓", "33⅓"),
        ("+33⅓", "33⅓"),
        ("−100", "−420"),
        ("+33⅓", "33⅓"),
    ]


AWKWARD = [
    '#let x = "boom"',
    "*bold* _it_ `raw` $x^2$ @ref <label> // no",
    '"}]} \\u{41} \\',
    "Ğışİ\u202eevil\n\nline",
]


def test_names_that_look_like_commands_are_printed_as_they_are(sheet, record):
    page = sheet(record(players=AWKWARD, title="#panic()", place="[#image(none)]"))
    assert page.pages == 1
    assert "#panic()" in page.text
    assert "[#image(none)]" in page.text
    assert '#let x = "boom"' in page.text
    assert "Ğışİevil line" in page.text


LONG_NAMES = [
    "Niccolò Bianchi-Bartolomei",
    "Ugo Fantozzi della Ragioneria Centrale",
    "İbrahim Çağatay Büyükkılıçoğulları",
    "Muhteşem Süleyman Efendizadeoğulları-Kırıkkanatoğulları der Ältere",
]


@pytest.mark.parametrize(
    "name", ["italian-king-pairs-choice-whole", "adjusted", "barbu-doubled", "documented"]
)
def test_paper_cuts_no_name_and_no_reason(sheet, name):
    document = load(name)
    reason = " ".join(["Kozu yükseltmediği için masadaki herkesin isteğiyle"] * 4)[:200]
    document["players"] = LONG_NAMES[: len(document["players"])]
    document["entries"].append(
        {"type": "adjustment", "seat": 1, "points": -10, "to": "none", "reason": reason}
    )
    page = sheet(document)
    text = re.sub(r"[\s\u200b]", "", page.text)
    assert (page.pages, text.count("…")) == (1, 0)
    assert reason.replace(" ", "") in text
    assert [each for each in document["players"] if each.replace(" ", "") not in text] == []


def test_control_characters_are_left_out(pdf, record):
    broken = compose(record()) | {"title": "\x00a\ud800\x1bb\u2028c"}
    assert pdf(typeset("scoresheet.typ", broken)).reader.metadata.title == "ab c"


def test_worst_sheet_stays_on_one_page(sheet, record):
    entries = [dict(entry) for entry in WHOLE_GAME]
    entries[0]["rifki_holder"], entries[11]["rifki_holder"] = 0, 1
    for seat in range(4):
        entries.insert(3, {"type": "redeal", "by": seat, "reason": "misdeal"})
        adjustment = {"seat": seat, "points": -100_000_000 - seat, "to": "others"}
        entries.insert(9, {"type": "adjustment", "reason": "reason " * 40, **adjustment})
    names = [f"Muhteşem Süleyman Efendizade von Hohenstein {letter * 200}" for letter in "ABCD"]
    page = sheet(record(entries, players=names, title="Türkiye " * 60, place="Kadıköy " * 60))
    assert page.pages == 1
    assert "…" in page.text


def test_document_says_title_author_language_and_is_tagged(sheet, record):
    reader = sheet(record(title="Perşembe kingi"), "it").reader
    assert reader.metadata.title == "Perşembe kingi"
    assert reader.metadata.author == "Kingscore"
    root = reader.trailer["/Root"]
    assert root["/Lang"] == "it"
    assert root["/MarkInfo"]["/Marked"]
    assert b"pdfuaid" in root["/Metadata"].get_data()


def test_follow_address_is_a_drawn_code_and_a_link(sheet, record):
    page = sheet(record())
    assert page.links == [FOLLOW_URL]
    assert page.images == []
    without = compose_scoresheet(record(), "")
    assert without["follow"] is None


def test_code_as_large_as_it_is_printed_leads_to_the_game(record):
    drawn = json.dumps(compose(record())["follow"]["qr"])
    image = f"#set page(width: auto, height: auto)\n#image(bytes({drawn}), width: 24mm)"
    picture = typst.compile(image.encode(), format="png", ppi=150)
    (code,) = zxingcpp.read_barcodes(Image.open(io.BytesIO(picture)))
    assert code.text == FOLLOW_URL


@pytest.mark.parametrize(
    ("language", "written"), [("tr", "2 Mayıs 2026"), ("it", "2 maggio 2026"), ("en", "2 May 2026")]
)
def test_date_is_written_as_the_language_does(language, written):
    with translation.override(language):
        # In İstanbul, where the tests keep their clock, it is past midnight by then.
        assert written_date("2026-05-01T22:30:00+00:00") == written


def test_record_that_cannot_be_is_no_sheet(record):
    with pytest.raises(ValueError, match="wrong-total"):
        compose(record([deal("heart-king", 1, 1, 0, 0)]))


def text_of(record, language="en"):
    with translation.override(language):
        return draw_sheet(read_game(record))


@pytest.mark.parametrize("name", SAMPLE)
def test_paper_of_every_record_has_its_names_totals_and_sums(pdf, name):
    record, result = load(name), load_result(name)
    totals = [points_text(total) for total in result["totals"]]

    data = compose(record)
    page = pdf(typeset("scoresheet.typ", data))

    moved = [row for row in data["rows"] if "cells" in row and row["expected"]]
    assert [([cell["total"] for cell in row["cells"]], row["expected"]) for row in moved] == [
        ([points_text(total) for total in row["totals"]], points_text(row["expected_sum"]))
        for row in result["entries"]
    ]
    assert data["sides"] == sides(record["players"], len(totals))
    assert (data["totals"], page.pages) == (totals, 1)
    assert [place["rank"] for place in data["places"]] == [str(r) for r in result["ranks"]]
    assert " ".join(totals) in page.text
    assert data["sum"] in page.text
    assert all(side in page.text for side in data["sides"])


ONE_OF_EACH = {load(name)["ruleset"]: name for name in NAMES}


@pytest.mark.parametrize("language", ["tr", pytest.param("it", marks=pytest.mark.slow)])
@pytest.mark.parametrize("ruleset", RULESETS)
def test_paper_of_every_game_is_one_page_in_every_language(pdf, ruleset, language):
    name = ONE_OF_EACH.get(ruleset, f"../rules_next/{ruleset}.game")
    data = compose(load(name), language)
    assert pdf(typeset("scoresheet.typ", data)).pages == 1


@pytest.mark.parametrize("name", SAMPLE)
def test_text_of_every_record_has_its_names_points_and_sums(name):
    record, result = load(name), load_result(name)

    lines = text_of(record).splitlines()

    head = next(line for line in lines if line.endswith("Σ"))
    found = [re.findall(r"(\S+) / (\S+)", line) for line in lines]
    assert head.split("  ")[-1].strip() == "Σ"
    assert re.sub(" {2,}", "  ", head).strip() == "  ".join(
        ["Contract", *sides(record["players"], len(result["totals"])), "Σ"]
    )
    assert [pairs for pairs in found if pairs] == [
        [
            (points_text(points), points_text(total))
            for points, total in zip(row["points"], row["totals"], strict=True)
        ]
        for row in result["entries"]
    ]
    sums = [line.split()[-1] for line, pairs in zip(lines, found, strict=True) if pairs]
    assert sums == [points_text(row["expected_sum"]) for row in result["entries"]]


@pytest.mark.parametrize(
    ("ruleset", "entry", "ending", "rows"),
    [
        ("euchre", {"maker": 0, "tricks": 3}, "Not finished: first to 10, after deal 1", 1),
        ("krapet", {"winner": None}, "Not finished: first to 1, after deal 1", 1),
        (
            "italian-king",
            {"contract": "no-men", "counts": {"men": [8, 0, 0, 0]}},
            "Not finished: 1 of 13 deals",
            13,
        ),
    ],
)
def test_paper_of_a_game_going_on_has_room_where_its_length_is_known(
    record, ruleset, entry, ending, rows
):
    names = ["Ayşe", "Burak", "Cem", "Deniz"][: RULESETS[ruleset].seats]
    begun = record([{"type": "deal", **entry}], ruleset=ruleset, players=names)
    data = compose(begun)
    assert (data["ending"], len(data["rows"])) == (ending, rows)


def test_rows_to_come_name_the_contracts_of_a_fixed_order_and_whose_turn_it_is(record):
    data = compose(record([], ruleset="italian-king-pairs", first_declarer=1))
    assert [row["contract"] for row in data["rows"][7:]] == [
        "Domino",
        *["Declaration"] * 4,
        "No trump",
    ]
    dealers = [[cell["by"] for cell in row["cells"]] for row in data["rows"][:4]]
    assert dealers == [["", "Burak"], ["Cem", ""], ["", "Deniz"], ["Ayşe", ""]]
    assert data["meanings"] == {"declares": "dealer and declarer", "deals": "dealer"}


def test_rounds_of_barbu_are_seven_deals(record):
    data = compose(record([], ruleset="barbu"))
    assert [row["number"] for row in data["rows"] if row["round-end"]] == ["7", "14", "21", "28"]
    marks = [[cell["mark"] for cell in row["cells"]].index("declares") for row in data["rows"]]
    assert marks == [*[0] * 7, *[1] * 7, *[2] * 7, *[3] * 7]


@pytest.mark.parametrize(
    ("name", "number", "points"),
    [
        ("turkish-king-whole", 1, ["", "", "", ""]),
        # Sold, blind, halved, doubled; of a pair the difference counts.
        ("italian-king-choice-sales", 1, ["+6", "+2", "+3", "+2"]),
        ("italian-king-choice-blind", 1, ["+3", "+2", "+2", "+12"]),
        ("barbu-doubled", 1, ["−6", "−6", "−2", "−12"]),
        ("barbu-doubled", 2, ["", "", "", ""]),
    ],
)
def test_points_stand_beside_numbers_from_which_they_do_not_follow(name, number, points):
    row = next(row for row in compose(load(name))["rows"] if row["number"] == str(number))
    assert [cell["points"] for cell in row["cells"]] == points


def test_hand_that_everyone_passed_has_its_number():
    record = load("euchre-sequence")
    rows = compose(record)["rows"]
    assert [(row["kind"], row["number"]) for row in rows] == [
        ("deal", "1"),
        ("deal", "2"),
        ("deal", "3"),
        ("slim", "4"),
        ("deal", "5"),
        ("deal", "6"),
        ("deal", "7"),
    ]
    assert "4  Everyone passed" in text_of(record).splitlines()


@pytest.mark.parametrize(
    ("language", "amounts"), [("en", ["0.90", "0.40", "0.30"]), ("tr", ["0,90", "0,40", "0,30"])]
)
def test_paper_says_who_pays_whom(pdf, language, amounts):
    data = compose(load("italian-king-whole"), language)
    page = pdf(typeset("scoresheet.typ", data))
    assert [line.split()[-1] for line in data["payments"]["paid"]] == amounts
    assert all(line in page.text for line in data["payments"]["paid"])


def test_worst_barbu_with_six_doubles_a_deal_stays_on_one_page(pdf):
    record = load("barbu-doubled")
    pairs = [[0, 1], [2, 0], [3, 0], [1, 2], [3, 1], [2, 3]]
    for entry in record["entries"]:
        entry["doubles"] = [{"seats": pair, "redoubled": True} for pair in pairs]
    record["players"] = [f"Muhteşem Süleyman Efendizade {letter * 60}" for letter in "ABCD"]
    data = compose(record)
    assert data["rows"][0]["marks"] == "1××2, 3××1, 4××1, 2××3, 4××2, 3××4"
    assert pdf(typeset("scoresheet.typ", data)).pages == 1


def test_paper_of_house_rules_calls_everything_as_the_house_does(pdf, record):
    rules = RULESETS["italian-king"]
    first = replace(rules.contracts[0], id="no-court", name="Niente corte")
    house = replace(
        rules,
        id="circolo",
        name="King del circolo",
        contracts=(first, *rules.contracts[1:]),
        stages=(Stage(1, ("no-court",)), *rules.stages[1:]),
    )
    played = {"type": "deal", "contract": "no-court", "counts": {"men": [3, 2, 2, 1]}}
    data = compose(
        record([played], ruleset=write_ruleset(house), options={"stake": 1, "sale": True})
    )
    assert (data["title"], data["rows"][0]["contract"]) == ("King del circolo", "Niente corte")
    assert data["rows"][0]["symbol"] == "Ni"
    assert data["subtitles"][0] == "Stake: 1 · Sale: yes"
    page = pdf(typeset("scoresheet.typ", data))
    assert (page.pages, "Niente corte" in page.text) == (1, True)
