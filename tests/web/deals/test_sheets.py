"""The sheet of every game on its page: names, totals and sums as the records say."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from django.utils import translation

from tests.factories import GameFactory, HeadFactory, HouseRulesetFactory
from tournaments.engine.ruleset_records import write_ruleset
from tournaments.engine.variants import RULESETS
from tournaments.queries.sheets import load_sheet
from tournaments.web.deals.sheet_view import sheet_page
from tournaments.web.phone import address
from tournaments.words import points_text

pytestmark = pytest.mark.django_db

RECORDS = Path(__file__).parents[2] / "records"
NAMES = sorted(path.name.removesuffix(".result.json") for path in RECORDS.glob("*.result.json"))


@pytest.fixture
def reader(client):
    """A browser in English."""
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = "en"
    return client


def load(name):
    return json.loads((RECORDS / f"{name}.json").read_text())


def result_of(name):
    return json.loads((RECORDS / f"{name}.result.json").read_text())


def game_of(record):
    head = HeadFactory(
        ruleset=record["ruleset"],
        players=record["players"],
        first_declarer=record.get("first_declarer", 0),
        options=record.get("options", {}),
    )
    return GameFactory(head=head, entries=record["entries"])


def game_with(ruleset, *entries, players=("Ayşe", "Burak", "Cem", "Deniz"), **options):
    head = HeadFactory(ruleset=ruleset, players=players, options=options)
    return GameFactory(head=head, entries=entries)


def page_of(game):
    """The sheet as the page has it, in English."""
    with translation.override("en"):
        return sheet_page(load_sheet(reload(game)))


def reload(game):
    return type(game).objects.get(pk=game.pk)


def texts(pattern, html):
    """What stands in each match of `pattern`, without its tags."""
    found = re.findall(pattern, html, re.DOTALL)
    return [" ".join(re.sub(r"<[^>]+>", " ", text).split()) for text in found]


def sheet_in(reader, game):
    """The sheet that a reader sees, as HTML."""
    page = reader.get(address(reload(game), "follow")).content.decode()
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


def sides(players, number):
    """The names above the columns: of players, or of pairs of those who sit opposite."""
    if number == len(players):
        return players
    return [" + ".join(players[side::number]) for side in range(number)]


@pytest.mark.parametrize("name", NAMES)
def test_page_of_every_record_has_its_names_totals_and_sums(reader, name):
    record, result = load(name), result_of(name)

    table = sheet_in(reader, game_of(record))

    assert texts(r'class="of-player">(.*?)</th>', table) == sides(
        record["players"], len(result["totals"])
    )
    assert rows_in(table) == [
        (list(map(points_text, row["totals"])), [points_text(row["expected_sum"])])
        for row in result["entries"]
    ]
    total = points_text(result["expected_sum"])
    assert f"{total}, must be {total}" in table


@pytest.mark.parametrize("name", NAMES)
def test_standings_of_every_record_are_those_of_its_result(reader, name):
    record, result = load(name), result_of(name)
    names = sides(record["players"], len(result["totals"]))

    page = page_of(game_of(record))

    assert page.finished == result["finished"]
    assert sorted((s.rank, s.name, s.out, s.sunk) for s in page.standings) == sorted(
        (rank, names[side], side in result["out"], side in result["sunk"])
        for side, rank in enumerate(result["ranks"])
    )
    assert [(award.badge, award.player) for award in page.awards] == [
        (badge["badge"], names[badge["seat"]]) for badge in result["badges"]
    ]


@pytest.mark.parametrize(
    ("name", "headline"),
    [
        ("turkish-king-whole", "Out: Ayşe"),
        ("turkish-king-king", "King! Cem alone is out."),
        ("declared-king-failed", "Deniz declared King and failed: sunk alone."),
        ("partners-king", "King by Ayşe + Cem! Out: Ayşe + Cem"),
        ("partners-drawn", "A draw."),
        ("honeymoon-king", "King by Ayşe! Won: Ayşe"),
        ("italian-king-whole", "Won: Anna"),
        ("euchre-sequence", "Won: Burak + Deniz"),
        ("euchre-three-together", "Won: Ayşe, Burak"),
        ("krapet-won", "Won: Burak"),
    ],
)
def test_headline_says_who_has_won_and_how(name, headline):
    assert page_of(game_of(load(name))).headline == headline


def test_page_of_a_game_going_on_has_no_headline():
    assert page_of(game_of(load("open"))).headline == ""


@pytest.mark.parametrize(
    ("name", "number", "marks"),
    [
        ("italian-king-choice-blind", 1, ["blind"]),
        ("italian-king-choice-sales", 2, ["sold to Carla for 5"]),
        ("italian-king-pirandello-whole", 1, ["with Carla"]),
        (
            "italian-king-pairs-choice-whole",
            3,
            ["third choice", "out first: Bruno + Dino", "offered: Decl., Decl."],
        ),
        ("barbu-doubled", 4, ["B×A, A××C"]),
        ("euchre-sequence", 2, ["alone"]),
        ("euchre-sequence", 3, ["Deniz defends alone"]),
        ("krapet-points", 1, ["won: Ayşe", "krapet calls: Ayşe 2, Burak 1"]),
        ("krapet-points", 2, ["no winner"]),
        ("sealed-over-quota", 2, ["sealed"]),
        ("declared-king-failed", 2, ["King declared: Deniz"]),
        ("turkish-king-whole", 1, []),
    ],
)
def test_line_says_what_else_was_said_of_a_deal(reader, name, number, marks):
    game = game_of(load(name))
    line = next(line for line in page_of(game).lines if line.number == number)
    assert list(line.marks) == marks
    shown = texts(r'<tr class="marks.*?colspan[^>]*>(.*?)</td>', sheet_in(reader, game))
    assert (" · ".join(marks) in shown) == bool(marks)


@pytest.mark.parametrize(
    ("name", "number", "taken"),
    [
        ("double-whole", 1, ["4·5·3 1·1·0", "3·2·1 2·0·1", "5·6·3 1·0·1", "1·0·1 0·0·0"]),
        ("sealed-no-men", 1, ["3", "1", "3", "1"]),
        ("barbu-doubled", 2, ["5·0", "2·0", "6·1", "0·0"]),
        ("barbu-doubled", 7, ["1", "2", "3", "4"]),
        ("italian-king-whole", 8, ["0", "4", "2", "5"]),
        ("partners-king", 6, ["13", "0"]),
        ("euchre-sequence", 1, ["4", "1"]),
        ("euchre-three-together", 2, ["", "5", ""]),
        ("krapet-points", 1, ["0", "4·9·6"]),
        ("krapet-won", 1, ["", ""]),
    ],
)
def test_line_says_what_each_side_took(name, number, taken):
    line = next(line for line in page_of(game_of(load(name))).lines if line.number == number)
    assert [cell.units for cell in line.cells] == taken


def test_declarer_of_a_pair_is_named_in_its_column():
    lines = page_of(game_of(load("partners-king"))).lines
    assert [[cell.declarer for cell in line.cells] for line in lines] == [
        ["Ayşe", ""],
        ["", "Deniz"],
        ["Cem", ""],
        ["", "Deniz"],
        ["Cem", ""],
        ["", "Deniz"],
    ]
    assert [cell.king for cell in lines[-1].cells] == [True, False]


def test_maker_is_named_in_the_column_of_the_pair():
    lines = [line for line in page_of(game_of(load("euchre-sequence"))).lines if line.number]
    makers = ["".join(cell.declarer for cell in line.cells) for line in lines]
    assert makers == ["Ayşe", "Burak", "Cem", "Deniz", "Ayşe", "Burak"]


def test_hand_that_everyone_passed_has_its_number(reader):
    game = game_of(load("euchre-sequence"))
    lines = page_of(game).lines
    assert [line.number or line.hand for line in lines] == [1, 2, 3, 4, 5, 6, 7]
    assert texts(r'<td class="hand">(.*?)</td>', sheet_in(reader, game)) == ["4"]


@pytest.mark.parametrize(
    ("name", "shorts"),
    [
        ("italian-king-whole", ["Anna", "Bruno", "Carla", "Dino"]),
        ("italian-king-pairs-whole", ["Anna+Carl", "Brun+Dino"]),
        ("partners-king", ["Ayşe+Cem", "Bura+Deni"]),
        ("euchre-two-whole", ["Ayşe", "Burak"]),
    ],
)
def test_chart_names_the_sides_at_the_ends_of_their_lines(name, shorts):
    assert [course.short for course in page_of(game_of(load(name))).chart.courses] == shorts


def test_chart_shares_its_room_between_the_names_of_a_pair():
    players = ["Muhteşem", "Süleyman", "Hürrem", "Mihrimah"]
    game = game_of(load("partners-king") | {"players": players})
    shorts = [course.short for course in page_of(game).chart.courses]
    assert shorts == ["Muht+Hürr", "Süle+Mihr"]


def test_nobody_is_marked_where_nobody_declares():
    double, krapet = (page_of(game_of(load(name))) for name in ("double-whole", "krapet-points"))
    assert [cell.declares for cell in double.lines[0].cells] == [False] * 4
    assert [cell.declares for cell in krapet.lines[0].cells] == [False] * 2


@pytest.mark.parametrize(
    ("ruleset", "options", "left"),
    [
        ("turkish-king", {}, {"penalty": (3, 3, 3, 3), "trump": (2, 2, 2, 2)}),
        ("turkish-king-partners", {}, {"penalty": (6, 6), "trump": (4, 4)}),
        ("italian-king-choice", {}, {"choice": (2, 2, 2, 2), "declaration": (1, 1, 1, 1)}),
        ("italian-king-choice", {"declarations": "free"}, {}),
        ("barbu", {}, {}),
        ("euchre", {}, {}),
    ],
)
def test_what_is_left_to_declare_is_shown_where_there_are_quotas(ruleset, options, left):
    assert page_of(game_with(ruleset, **options)).left == left


@pytest.mark.parametrize(("language", "first"), [("en", "0.90"), ("tr", "0,90"), ("it", "0,90")])
def test_money_is_settled_at_the_end_as_the_language_writes_it(client, language, first):
    game = game_of(load("italian-king-whole"))

    page = client.get(
        address(reload(game), "follow"), headers={"accept-language": language}
    ).content.decode()

    paid = texts(r"<li>(.*?)</li>", page.partition('class="payments"')[2].partition("</div>")[0])
    assert len(paid) == 3
    assert paid[0].endswith(first)
    assert page.count('class="payments"') == 1


def test_money_says_who_pays_whom_to_the_coin():
    page = page_of(game_of(load("italian-king-whole")))
    assert [str(payment) for payment in page.payments.paid] == [
        "Dino pays Anna: 0.90",
        "Bruno pays Anna: 0.40",
        "Bruno pays Carla: 0.30",
    ]


def test_money_so_far_stands_below_the_sheet(reader):
    whole = load("italian-king-whole")
    game = game_of(whole | {"entries": whole["entries"][:1]})
    page = reader.get(address(reload(game), "follow")).content.decode()
    assert "Who would pay whom now" in page
    assert "0.10 a point" in page


def test_table_without_a_stake_speaks_of_no_money(reader):
    game = game_of(load("italian-king-choice-whole"))
    page = reader.get(address(reload(game), "follow")).content.decode()
    assert 'class="payments"' not in page


def test_level_scores_owe_nothing(reader):
    level = {"type": "deal", "contract": "no-men", "counts": {"men": [2, 2, 2, 2]}}
    page = reader.get(
        address(reload(game_with("italian-king", level, stake=1)), "follow")
    ).content.decode()
    assert "Nobody owes anything." in page


@pytest.mark.parametrize("name", NAMES)
def test_history_of_every_record_can_be_read(reader, name):
    record = load(name)
    game = reload(game_of(record))

    page = reader.get(address(game, "write") + "log/")

    assert page.status_code == 200
    assert page.content.decode().count("<time") == len(record["entries"])


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("euchre-sequence", "♠ · maker: Burak · tricks: 5 · alone"),
        (
            "krapet-points",
            "won: Ayşe · left: Ayşe 0·0·0, Burak 4·9·6 · krapet calls: Ayşe 2, Burak 1",
        ),
        (
            "italian-king-pairs-choice-whole",
            "Domino · 5 1 · third choice · out first: Bruno + Dino",
        ),
        ("barbu-doubled", "No hearts · Hearts 5 2 6 0 · Ace of hearts 0 0 1 0"),
        ("partners-king", "No queens · 3 1 · Deniz"),
        ("sealed-over-quota", "No men · sealed · declared too often: played again"),
    ],
)
def test_history_says_what_was_written(reader, name, says):
    page = reader.get(address(reload(game_of(load(name))), "write") + "log/").content.decode()
    assert any(line.startswith(says) for line in texts(r"<p>(.*?)</p>", page))


def test_page_of_house_rules_calls_everything_as_the_house_does(reader):
    rules = RULESETS["rifki"]
    nothing = replace(rules.contracts[0], id="take-nothing", name="Hiç alma")
    house = replace(rules, id="moda", name="Moda", contracts=(nothing, *rules.contracts[1:]))
    HouseRulesetFactory(slug="moda", document=write_ruleset(house))
    played = {"type": "deal", "contract": "take-nothing", "counts": {"tricks": [4, 4, 4, 1]}}
    game = reload(game_with("moda", played))
    symbol = page_of(game).lines[0].symbol
    assert (symbol.glyphs, symbol.short, symbol.name) == ("Hi", "Hiç alma", "Hiç alma")
    page = reader.get(address(game, "write") + "log/").content.decode()
    assert "Hiç alma · 4 4 4 1" in texts(r"<p>(.*?)</p>", page)
