import csv
import io
import json

import openpyxl
import pytest
from django.utils import translation

from tests.deals import WHOLE_GAME
from tests.factories import EVENING
from tests.reports.asked import FIVE, file_of, report_of
from tests.reports.conftest import PAPERS
from tests.tournament_builders import closed, running
from tournaments.engine.documents.games import letters_of
from tournaments.models import Entrant, Round, Ruling
from tournaments.reports import standings
from tournaments.reports.typesetting import typeset
from tournaments.services.entrants.registration import Entry

pytestmark = pytest.mark.django_db


def composed(row, kind="standings", **asked):
    return composed_of(report_of(row, kind=kind, **asked))


def composed_of(report):
    seen = standings.seen_in(report)
    if report.kind == "standings":
        return standings.compose_standings(report, seen)
    return standings.compose_cross_table(report, standings.Meetings(seen))


@pytest.fixture
def row():
    row = running(*FIVE, rounds=2, tie_breaks=("wins", "best-game"))
    Entrant.objects.filter(number=1).update(team="Fener", represents="Moda")
    return row


@pytest.fixture
def played(row):
    round_ = closed(row, WHOLE_GAME, tables=[[4, 3, 2, 5]], byes=[1])
    closed(row, WHOLE_GAME, tables=[[3, 4, 5, 1]], byes=[2])
    Entrant.objects.filter(number=2).update(withdrawn_at=EVENING)
    rule(round_, "Cem", "penalty", 25)
    return row


def row_of(data, name):
    return next(row["cells"] for row in data["rows"] if row["cells"][2]["text"] == name)


def test_pages_have_places_movements_rounds_penalties_and_tie_breaks(played):
    data = composed(played)

    assert [column["head"] for column in data["columns"]] == [
        *("Place", "±", "Name", "1", "2", "Penalty", "Points", "A", "B")
    ]
    assert row_of(data, "Cem") == [
        *("2", "▲ 2", {"text": "Cem", "below": "", "style": ""}),
        *("−110", "540", "−25", "405"),
        *({"text": text, "style": "faint"} for text in ("1", "540")),
    ]
    assert row_of(data, "Ayşe")[1:3] == [
        "▼ 1",
        {"text": "Ayşe", "below": "Fener · Moda", "style": ""},
    ]
    assert row_of(data, "Burak")[2] == {"text": "Burak", "below": "withdrawn", "style": "faint"}
    code = letters_of(Round.objects.get(number=2).digest)
    said = ["King · the points of the game", "After round 2 of 2 · 22:30", f"Code: {code}"]
    assert data["lines"] == said
    assert data["legend"] == [
        "Between equals, one after the other: A Games out or won · B Best game",
        "▲▼ places won and lost in this round",
    ]
    assert data["teams"]["rows"] == [["1", {"text": "Fener", "below": "Ayşe"}, "−200"]]


def test_pages_before_the_first_round_name_everybody(row):
    data = composed(row)

    assert data["lines"][1] == "Before the first round"
    assert [cells["cells"][0] for cells in data["rows"]] == ["1="] * 5
    assert data["legend"][1:] == ["= shares the place"]


def test_many_rounds_are_added_up_at_the_front(row, monkeypatch):
    monkeypatch.setattr(standings, "MOST_ROUNDS", 2)
    row = running(*FIVE[:4], rounds=3, bye=0)
    for _ in range(3):
        closed(row, WHOLE_GAME)

    data = composed(row)

    heads = [column["head"] for column in data["columns"]]
    first = heads.index("1–2")
    assert heads[first : first + 3] == ["1–2", "3", "Points"]
    for cells in (row["cells"] for row in data["rows"]):
        numbers = [int(cell.replace("−", "-")) for cell in cells[first : first + 3]]
        assert numbers[0] + numbers[1] == numbers[2]


def test_workbook_adds_up_the_rounds_less_the_penalties(tmp_path, played):
    path = file_of(tmp_path, played, "xlsx")

    sheets = openpyxl.load_workbook(path), openpyxl.load_workbook(path, data_only=True)
    formulas, values = [[[c.value for c in r] for r in book.worksheets[0]] for book in sheets]

    heads = ["Place", "±", "№", "Name", "Team", "Club", "Withdrawn", "Round 1", "Round 2"]
    last = ["Games out or won", "Best game", "Rounds sat out or missed"]
    assert formulas[0] == [*heads, "Penalties", "Points", *last]
    cem = next(row for row in values if row[3] == "Cem")
    assert cem == [2, 2, 3, "Cem", None, None, None, -110, 540, 25, 405, 1, 540, None]
    # The points of a bye are told from those of a game.
    assert {row[3]: row[-1] for row in values[1:] if row[-1]} == {"Ayşe": "1", "Burak": "2"}
    for number, (row, value) in enumerate(zip(formulas[1:], values[1:], strict=True), 2):
        assert row[10] == f"=SUM(H{number}:I{number})-J{number}"
        assert value[10] == value[7] + value[8] - value[9]
    assert sheets[0].sheetnames == ["Standings", "Teams"]


def test_finals_from_zero_are_no_sum_of_the_rounds(tmp_path):
    row = running(*FIVE, rounds=1, finals=4, carry=False)
    closed(row, WHOLE_GAME)
    through = [line["cells"][1] for line in composed(row)["rows"]]
    assert [name["below"] for name in through] == ["→ Final"] * 4 + [""]
    closed(row, WHOLE_GAME)

    data = composed(row)
    assert [column["head"] for column in data["columns"]][3:6] == ["1", "Final", "Points"]
    assert data["lines"][1] == "After: Final · 22:30"
    assert [line["cells"][2]["below"] for line in data["rows"]] == ["Final"] * 4 + [""]
    assert [line["rule"] for line in data["rows"]] == [False, False, False, True, False]
    head, first, *_others, last = openpyxl.load_workbook(
        file_of(tmp_path, row, "xlsx")
    ).active.iter_rows(values_only=True)
    final, points = head.index("Final"), head.index("Points")
    # Of the finals alone; who did not play in them has the sum of the rounds.
    assert first[points] == first[final] == 540
    assert last[points].startswith("=SUM(")
    document = json.loads(file_of(tmp_path, row, "json", language="tr").read_text())
    assert [line["stage"] for line in document["standings"]] == ["final"] * 4 + [None]
    # Who is not in the final does not sit it out.
    unplayed = [line["unplayed"] for line in document["standings"]]
    assert (sorted(unplayed), unplayed[-1]) == ([[], [], [], [], [1]], [])


def test_values_have_no_formula(tmp_path, played):
    file = file_of(tmp_path, played, "csv", language="it").read_text("utf-8-sig")

    rows = list(csv.reader(io.StringIO(file), delimiter=";"))
    assert [row[3] for row in rows[1:]] == ["Deniz", "Cem", "Ayşe", "'=Elif", "Burak"]
    assert [row[10] for row in rows[1:]] == ["430", "405", "-200", "-430", "-660"]


def test_record_has_the_same_keys_whatever_is_in_it(tmp_path, row, played):
    document = json.loads(file_of(tmp_path, played, "json").read_text())

    assert document["format"] == "kingscore-standings/1"
    assert (document["tournament"], document["after"]) == (played.slug, 2)
    assert document["rounds"] == [{"number": 1, "stage": None}, {"number": 2, "stage": None}]
    assert document["tie_breaks"] == ["wins", "best-game"]
    assert document["standings"][1] == {
        "place": 2,
        "shared": False,
        "moved": 2,
        "number": 3,
        "name": "Cem",
        "team": "",
        "represents": "",
        "section": "",
        "stage": None,
        "withdrawn": False,
        "rounds": [-110, 540],
        "penalties": 25,
        "points": 405,
        "tie_breaks": [1, 540],
        "unplayed": [],
    }
    assert document["teams"] == [
        {"place": 1, "shared": False, "team": "Fener", "players": "Ayşe", "points": -200}
    ]


@pytest.mark.parametrize(("paper", "language"), [("a4", "tr"), ("us-letter", "it")])
def test_pages_are_tagged_and_say_who_is_where(played, pdf, paper, language):
    played.event.club.paper = paper
    with translation.override(language):
        document = pdf(typeset("standings.typ", composed(played)))

    assert (document.pages, document.size) == (1, PAPERS[paper])
    assert document.is_tagged
    assert all(document.fonts.values())
    assert {"tr": "Puan durumu", "it": "Classifica"}[language] in document.text
    for name in ("Ayşe", "=Elif", "−660"):
        assert name in document.text


def test_teams_of_line_ups_have_a_column_for_each_round(tmp_path):
    row = running(*(Entry(f"{team}{n}", team=team) for n in (1, 2) for team in "KLMN"), line_up=1)
    closed(row, WHOLE_GAME)
    closed(row, WHOLE_GAME)

    data = composed(row)
    teams = data["teams"]
    assert [column["head"] for column in teams["columns"]] == ["Place", "Team", "1", "2", "Points"]
    assert [len(cells) for cells in teams["rows"]] == [5] * 4
    assert "rounds won" in data["legend"][-1]
    told = json.loads(file_of(tmp_path, row, "json").read_text())["teams"]
    assert [team["points"] for team in told] == [sum(team["rounds"]) for team in told]


def rule(round_, name, kind, points=0):
    entrant = Entrant.objects.get(player__name=name, tournament__event=round_.event)
    Ruling.objects.create(
        round=round_, entrant=entrant, kind=kind, points=points, reason="late", at=EVENING
    )


@pytest.fixture
def ruled():
    """Five at one table and out; two rounds, of which the second has rulings."""
    row = running(*FIVE, rounds=2)
    closed(row, WHOLE_GAME, tables=[[4, 3, 2, 5]], byes=[1])
    round_ = closed(row, WHOLE_GAME, tables=[[3, 4, 5, 1]], byes=[2])
    rule(round_, "Ayşe", "absent", -300)
    rule(round_, "Deniz", "adjusted", 7)
    return row


@pytest.fixture
def duels():
    """Four, two at a table, everybody against everybody; whoever sits first wins by 10."""
    row = running(*FIVE[:4], ruleset="euchre-two", seating="round-robin", rounds=3)
    for _ in range(3):
        # To ten: the first point ends it.
        closed(row, WON[:1])
    return row


WON = (
    {"type": "adjustment", "seat": 0, "points": 10, "to": "none", "reason": "revoke"},
    {"type": "stopped", "reason": "time"},
)


def cells_of(data, name):
    (row,) = [row for row in data["groups"][0]["rows"] if row["name"] == name]
    return [(cell["table"], cell["points"], cell["met"]) for cell in row["cells"]]


def test_each_round_has_table_points_and_who_sat_there(ruled):
    data = composed(ruled, "cross-table")

    names = [row["name"] for row in data["groups"][0]["rows"]]
    assert names == ["Deniz", "Cem", "Ayşe", "=Elif", "Burak"]
    assert [(row["place"], row["number"]) for row in data["groups"][0]["rows"]] == [
        *(("1", "4"), ("2", "3"), ("3", "1"), ("4", "5"), ("5", "2"))
    ]
    assert cells_of(data, "Deniz") == [("1", "540", "3 2 5"), ("1", "7*", "3 5")]
    assert cells_of(data, "Burak") == [("1", "−330", "4 3 5"), ("", "−330", "bye")]
    assert cells_of(data, "Ayşe") == [("", "0", "bye"), ("", "−300*", "absent")]
    assert data["legend"] == [
        "In each round: the table, the points, and below them who sat there, by number",
        "* as the director has ruled",
    ]


def test_house_players_have_no_number(ruled):
    Entrant.objects.filter(player__name="Cem").update(house=True)

    data = composed(ruled, "cross-table")

    assert cells_of(data, "Deniz")[0] == ("1", "540", "⌂ 2 5")
    assert "⌂ house player" in data["legend"]


def test_many_rounds_stand_in_several_tables():
    assert standings.side_by_side([*range(1, 11)]) == [[*range(1, 11)]]
    assert standings.side_by_side([*range(1, 31)]) == [
        [*range(1, 11)],
        [*range(11, 21)],
        [*range(21, 31)],
    ]
    assert standings.side_by_side([]) == [[]]


def test_two_at_a_table_make_a_matrix(duels):
    data = composed(duels, "cross-table")

    assert data["groups"] == []
    table = [
        [cell["text"] if isinstance(cell, dict) else cell for cell in row]
        for row in data["matrix"]["rows"]
    ]
    numbers = [row[1] for row in table]
    assert sorted(numbers) == ["1", "2", "3", "4"] != numbers
    assert [column["head"] for column in data["matrix"]["columns"]] == [
        *("Place", "№", "Name", *numbers, "Points")
    ]
    for number, row in enumerate(table):
        assert row[3 + number] == "×"
        others = [cell for cell in row[3:7] if cell != "×"]
        assert sum(map(int, others)) == int(row[-1])
    # Who wins a meeting has 10 of it, the other nothing.
    for one in range(4):
        for other in range(one):
            assert {table[one][3 + other], table[other][3 + one]} == {"0", "10"}


def test_workbook_of_a_matrix_adds_up(tmp_path, duels):
    path = file_of(tmp_path, duels, "xlsx", kind="cross-table")

    formulas = openpyxl.load_workbook(path)
    matrix = [[c.value for c in row] for row in formulas["Cross-table"].iter_rows()]
    values = openpyxl.load_workbook(path, data_only=True)["Cross-table"]
    assert matrix[0][3:] == [*(str(row[1]) for row in matrix[1:]), "Penalties", "Points"]
    for number, row in enumerate(values.iter_rows(min_row=2, values_only=True), 2):
        assert matrix[number - 1][8] == f"=SUM(D{number}:G{number})-H{number}"
        assert row[8] == sum(cell or 0 for cell in row[3:7])
    assert formulas.sheetnames == ["Cross-table", "Rounds"]


def test_workbook_has_points_tables_and_who_sat_there(tmp_path, ruled):
    path = file_of(tmp_path, ruled, "xlsx", kind="cross-table")

    rows = [[c.value for c in r] for r in openpyxl.load_workbook(path).active.iter_rows()]
    assert rows[0][:7] == ["Place", "№", "Name", "Round 1", "Round 2", "Penalties", "Points"]
    assert rows[1] == [*(1, 4, "Deniz", 540, 7, 0, "=SUM(D2:E2)-F2", 1, 1, "3 2 5", "3 5")]
    assert rows[5] == [*(5, 2, "Burak", -330, -330, 0, "=SUM(D6:E6)-F6", 1, None, "4 3 5", "bye")]


def test_record_calls_entrants_by_the_numbers_they_keep(tmp_path, ruled):
    path = file_of(tmp_path, ruled, "json", kind="cross-table")
    document = json.loads(path.read_text())

    assert document["format"] == "kingscore-cross-table/1"
    assert document["standings"][0] == {
        "place": 1,
        "number": 4,
        "name": "Deniz",
        "rounds": [540, 7],
        "penalties": 0,
        "points": 547,
        "tables": [1, 1],
        "opponents": [[3, 2, 5], [3, 5]],
    }


@pytest.mark.parametrize(("paper", "language"), [("a4", "tr"), ("us-letter", "it")])
def test_pages_are_tagged_and_their_head_is_repeated(ruled, pdf, paper, language):
    ruled.event.club.paper = paper
    with translation.override(language):
        data = composed(ruled, "cross-table")
    data["groups"][0]["rows"] *= 12
    document = pdf(typeset("cross_table.typ", data))

    assert (document.pages, document.size) == (3, PAPERS[paper])
    assert document.is_tagged
    assert all(document.fonts.values())
    head = {"tr": "Sıra № Ad", "it": "Posto № Nome"}[language]
    assert document.lines.count(f"{head} 1 2 {data['words']['points']}") == 3
