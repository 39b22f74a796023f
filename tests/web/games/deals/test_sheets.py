import re
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest
from django.utils import translation

from tests.deals import NAMES, WHOLE_GAME, deal
from tests.factories import GameFactory, HouseRulesetFactory, SetupFactory
from tests.sample_games import SAMPLE, load, load_result, sides
from tests.web.games.table import table_of, table_of_record
from tournaments.engine.documents.ruleset_records import write_ruleset
from tournaments.engine.variants import RULESETS
from tournaments.models import Game
from tournaments.queries.sheets import load_sheet
from tournaments.texts.labels import points_text
from tournaments.web.base.phone import address
from tournaments.web.games.deals.sheets import SheetPage


def page_of(game):
    with translation.override("en"):
        return SheetPage(load_sheet(game))


def texts(pattern, html):
    found = re.findall(pattern, html, re.DOTALL)
    return [" ".join(re.sub(r"<[^>]+>", " ", text).split()) for text in found]


def sheet_in(plain, game):
    page = plain.get(address(game, "follow")).content.decode()
    return page.partition('<table class="sheet"')[2].partition("</table>")[0]


def rows_in(table):
    """The lines of the sheet in which points move: the totals, and what they add up to."""
    rows = re.findall(r"<tr.*?</tr>", table.partition("<tbody>")[2], re.DOTALL)
    lines = []
    for row in rows:
        totals = texts(r'class="score[^>]*><b>(.*?)</b>', row)
        if totals:
            lines.append((totals, texts(r'<td class="of-sum">(.*?)</td>', row)))
    return lines


@pytest.mark.parametrize("deals", [2, 20])
def test_ends_of_the_lines_of_a_chart_have_whole_names_apart(plain, deals):
    names = ("Yasemin Keskin", "Murat Yıldız", "Oğuz Kaplan", "Ali")
    game = table_of("turkish-king", *WHOLE_GAME[:deals], players=names)

    chart = plain.get(address(game, "follow")).content.decode().partition('class="chart"')[2]

    assert texts(r'class="course-name.*?>(.*?)</text>', chart) == list(names)
    ends = sorted(float(y) for y in re.findall(r"translate\([\d.]+ ([\d.]+)\)", chart))
    assert all(below - above >= 13.9 for above, below in pairwise(ends)), ends


@pytest.mark.parametrize("name", SAMPLE)
def test_page_of_every_record_has_its_names_totals_sums_and_standings(plain, name):
    record, result = load(name), load_result(name)
    names = sides(record["players"], len(result["totals"]))
    game = table_of_record(record)

    table, page = sheet_in(plain, game), page_of(game)

    assert texts(r'class="of-player">(.*?)</th>', table) == names
    assert rows_in(table) == [
        (list(map(points_text, row["totals"])), [points_text(row["expected_sum"])])
        for row in result["entries"]
    ]
    total = points_text(result["expected_sum"])
    assert f"{total}, must be {total}" in table
    assert page.finished == result["finished"]
    assert sorted((s.rank, s.name, s.out, s.sunk) for s in page.standings) == sorted(
        (rank, names[side], side in result["out"], side in result["sunk"])
        for side, rank in enumerate(result["ranks"])
    )
    earned = Counter((badge["badge"], names[badge["seat"]]) for badge in result["badges"])
    assert earned == {
        (badge.badge, holder.name): len(holder.deals)
        for badge in page.badges
        for holder in badge.holders
    }


@pytest.mark.parametrize(
    ("name", "headline"),
    [
        ("turkish-king-whole", "Out: Ayşe"),
        ("stopped-at-once", "Nobody is out."),
        ("declared-king-failed", "Deniz declared King and failed: sunk alone."),
        ("partners-king", "King by Ayşe + Cem! Out: Ayşe + Cem"),
        ("italian-king-whole", "Won: Anna"),
        ("euchre-three-together", "Won: Ayşe, Burak"),
    ],
)
def test_headline_says_who_has_won_and_how(name, headline):
    assert page_of(table_of_record(load(name))).headline == headline


@pytest.mark.parametrize(
    ("name", "number", "marks"),
    [
        ("italian-king-choice-blind", 1, ["blind"]),
        ("italian-king-choice-sales", 2, ["sold to Carla for 5"]),
        (
            "italian-king-pairs-choice-whole",
            3,
            ["offered: D, D", "third choice", "out first: Bruno + Dino"],
        ),
        ("barbu-doubled", 4, ["B×A, A××C"]),
        ("euchre-sequence", 3, ["Deniz defends alone"]),
        ("krapet-points", 1, ["won: Ayşe", "krapet calls: Ayşe 2, Burak 1"]),
        ("sealed-over-quota", 2, ["sealed"]),
        ("declared-king-failed", 2, ["King declared: Deniz"]),
        ("turkish-king-whole", 1, []),
    ],
)
def test_line_says_what_else_was_said_of_a_deal(plain, name, number, marks):
    game = table_of_record(load(name))
    line = next(line for line in page_of(game).lines if line.number == number)
    assert list(line.marks) == marks
    shown = texts(r'<tr class="marks.*?colspan[^>]*>(.*?)</td>', sheet_in(plain, game))
    assert (" · ".join(marks) in shown) == bool(marks)


@pytest.mark.parametrize(
    ("name", "number", "taken"),
    [
        ("double-whole", 1, ["4·5·3 1·1·0", "3·2·1 2·0·1", "5·6·3 1·0·1", "1·0·1 0·0·0"]),
        (
            "../rules_next/barbu-french.game",
            6,
            ["3·4·2 1·1", "2·0·1 0·0", "2·4·1 0·0", "1·0·0 0·0"],
        ),
        ("barbu-doubled", 7, ["1", "2", "3", "4"]),
        ("partners-king", 6, ["13", "0"]),
        ("euchre-sequence", 1, ["4", "1"]),
        ("euchre-three-together", 2, ["", "5", ""]),
        ("krapet-points", 1, ["0", "4·9·6"]),
    ],
)
def test_line_says_what_each_side_took(name, number, taken):
    line = next(
        line for line in page_of(table_of_record(load(name))).lines if line.number == number
    )
    assert [cell.units for cell in line.cells] == taken


@pytest.mark.parametrize(
    ("name", "declarers"),
    [
        ("partners-king", ["Ayşe|", "|Deniz", "Cem|", "|Deniz", "Cem|", "|Deniz"]),
        ("euchre-sequence", ["Ayşe|", "|Burak", "Cem|", "|Deniz", "Ayşe|", "|Burak"]),
    ],
)
def test_declarer_is_named_in_the_column_of_the_pair(name, declarers):
    lines = [line for line in page_of(table_of_record(load(name))).lines if line.number]
    assert [
        "|".join(cell.by if cell.mark == "declares" else "" for cell in line.cells)
        for line in lines
    ] == declarers
    assert [cell.king for cell in lines[-1].cells] == [name == "partners-king", False]


@pytest.mark.parametrize(
    ("ruleset", "options", "left"),
    [
        ("turkish-king", {}, {"penalty": (3, 3, 3, 3), "trump": (2, 2, 2, 2)}),
        ("italian-king-choice", {}, {"choice": (2, 2, 2, 2), "declaration": (1, 1, 1, 1)}),
        ("barbu", {}, {}),
    ],
)
def test_what_is_left_to_declare_is_shown_where_there_are_quotas(ruleset, options, left):
    assert page_of(table_of(ruleset, **options)).left == left


@pytest.mark.parametrize(
    ("ruleset", "deals", "line"),
    [
        ("turkish-king", 0, ""),
        (
            *("turkish-king", 3),
            (
                "160 puan önde: Burak · "
                "Batmamak için en az: Ayşe 5 el, Burak 2 el, Cem 15 el, Deniz 5 el"
            ),
        ),
        (
            *("turkish-king", 19),
            "550 puan önde: Ayşe · Batmamak için: Burak 3 el, Cem 11 el, Deniz 10 el",
        ),
        ("turkish-king", 20, ""),
        ("rifki", 5, "140 puan önde: Deniz"),
    ],
)
@pytest.mark.parametrize("kind", ["write", "follow"])
def test_line_says_who_leads_and_what_the_others_need(client, kind, ruleset, deals, line):
    game = table_of(ruleset, *WHOLE_GAME[:deals])
    page = client.get(address(game, kind), headers={"accept-language": "tr"}).content.decode()
    assert texts(r'class="chances[^"]*">(.*?)</p>', page) == [line] * bool(line)


@pytest.mark.parametrize(
    ("ruleset", "deals", "language", "says"),
    [
        ("turkish-king", 0, "tr", ["Ayşe söyler, başlar", "Deniz dağıtır", "Burak keser"]),
        ("turkish-king-double", 0, "tr", ["Ayşe başlar", "Deniz dağıtır", "Burak keser"]),
        ("honeymoon-king", 0, "tr", ["Ayşe keser, söyler, başlar", "Burak dağıtır"]),
        ("king-three", 0, "en", ["Ayşe declares, leads", "Cem deals", "Burak cuts"]),
        ("italian-king", 1, "it", ["dà Burak", "taglia Ayşe", "apre Cem"]),
        ("italian-king", 7, "it", ["dà Deniz", "taglia Cem"]),
        ("italian-king", 8, "it", ["dà, dichiara Ayşe", "taglia, apre Deniz"]),
        # Who leads depends on what the dealer chooses.
        ("italian-king-choice", 0, "it", ["dà, dichiara Ayşe", "taglia Deniz"]),
        (
            *("italian-king-pairs-choice", 0, "it"),
            ["dà, propone Ayşe", "taglia Deniz", "sceglie Cem"],
        ),
        ("russian-king", 0, "en", ["Ayşe deals", "Burak cuts, leads"]),
        ("barbu-french-five", 0, "en", ["Ayşe declares, leads", "Emre deals", "Deniz cuts"]),
        ("euchre", 0, "en", ["Ayşe deals", "Deniz cuts", "Burak leads"]),
        ("krapet", 0, "tr", ["Ayşe başlar"]),
    ],
)
def test_head_says_who_deals_cuts_names_and_leads(client, ruleset, deals, language, says):
    entries = load("italian-king-whole")["entries"][:deals]
    players = (*NAMES, "Emre")[: RULESETS[ruleset].seats]
    game = table_of(ruleset, *entries, players=players)
    page = client.get(address(game, "write"), headers={"accept-language": language})
    assert texts(r"<span data-role>(.*?)(?=<span data-role|</p>)", page.content.decode()) == says


@pytest.mark.parametrize(
    ("name", "marks"),
    [
        ("turkish-king-whole", ["declares", "", "", "deals"]),
        ("italian-king-whole", ["deals", "", "", ""]),
        # The dealer has sold it.
        ("italian-king-choice-sales", ["deals", "declares", "", ""]),
        ("barbu-doubled", ["", "declares", "", ""]),
        ("euchre-sequence", ["declares", ""]),
        ("krapet-points", ["", ""]),
    ],
)
def test_row_marks_who_declared_or_bought_and_who_dealt(name, marks):
    page = page_of(table_of_record(load(name)))
    assert [cell.mark for cell in page.lines[0].cells] == marks
    assert {cell.mark for line in page.lines for cell in line.cells} - {""} == {*page.meanings}


@pytest.mark.parametrize(
    ("options", "last"), [({}, "Only a King saves: Cem"), ({"king": "off"}, "Sinks: Cem")]
)
def test_whom_no_trick_saves_is_named(options, last):
    fine = {"type": "adjustment", "seat": 2, "points": -200, "reason": "revoke"}
    page = page_of(table_of("turkish-king", *WHOLE_GAME[:19], fine, **options))
    assert page.chances.split(" · ")[1:] == ["To be out: Burak 3 tricks, Deniz 10 tricks", last]


@pytest.mark.parametrize(("language", "first"), [("en", "0.90"), ("tr", "0,90"), ("it", "0,90")])
def test_money_is_settled_at_the_end_as_the_language_writes_it(client, language, first):
    game = table_of_record(load("italian-king-whole"))

    page = client.get(
        address(game, "follow"), headers={"accept-language": language}
    ).content.decode()

    paid = texts(r"<li>(.*?)</li>", page.partition('class="payments"')[2].partition("</div>")[0])
    assert len(paid) == 3
    assert paid[0].endswith(first)
    assert page.count('class="payments"') == 1


def test_page_of_house_rules_calls_everything_as_the_house_does(plain):
    rules = RULESETS["rifki"]
    nothing = replace(rules.contracts[0], id="take-nothing", name="Hiç alma")
    house = replace(rules, id="moda", name="Moda", contracts=(nothing, *rules.contracts[1:]))
    HouseRulesetFactory(slug="moda", document=write_ruleset(house))
    played = {"type": "deal", "contract": "take-nothing", "counts": {"tricks": [4, 4, 4, 1]}}
    game = table_of("moda", played)
    symbol = page_of(game).lines[0].symbol
    assert (symbol.glyphs, symbol.short, symbol.name) == ("Hi", "Hiç alma", "Hiç alma")
    page = plain.get(address(game, "write") + "log/").content.decode()
    assert "Hiç alma · Ayşe 4, Burak 4, Cem 4, Deniz 1" in texts(r"<p>(.*?)</p>", page)


# Crowns, symbols and corrections.


def lines(game):
    return SheetPage(load_sheet(Game.objects.get(pk=game.pk))).lines


def test_king_failed_is_not_crowned():
    failed = deal("no-queens", 1, 1, 1, 1, king_declared_by=1)
    game = GameFactory(head=SetupFactory(options={"king": "declared"}), entries=[failed])
    assert [cell.king for cell in lines(game)[-1].cells] == [False] * 4


def test_hearts_as_trump_look_different_from_no_hearts():
    game = GameFactory(entries=[deal("no-hearts", 13, 0, 0, 0), deal("trump", 1, 4, 4, 4)])
    suited = GameFactory(entries=[deal("trump", 1, 4, 4, 4, trump="hearts")])
    glyphs = [line.symbol.glyphs for line in (*lines(game), *lines(suited))]
    assert glyphs == ["♥", "+", "+♥"]


def test_deal_that_was_begun_and_then_counted_is_not_corrected():
    head = SetupFactory(ruleset="turkish-king-blind")
    begun = {"type": "deal", "contract": "no-men", "declarer": 0}
    counted = deal("no-men", 2, 3, 1, 2)
    game = GameFactory(head=head, entries=[begun, counted])
    (line,) = lines(game)
    assert (line.number, line.note, line.corrected_by) == (1, "", None)
