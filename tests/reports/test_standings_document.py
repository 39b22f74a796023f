import csv
import io
import json

import openpyxl
import pytest
from django.utils import translation

from tests.deals import WHOLE_GAME
from tests.factories import EVENING
from tests.reports.asked import FIVE, file_of, report_of
from tests.tournament_builders import closed, opened, play, running
from tournaments.engine.documents.games import letters_of
from tournaments.models import Entrant, Round, Ruling
from tournaments.reports import standings
from tournaments.reports.standings import compose_standings, seen_in
from tournaments.reports.typesetting import typeset
from tournaments.services.entrants.registration import Entry

pytestmark = pytest.mark.django_db


def composed(row, **asked):
    report = report_of(row, **asked)
    return compose_standings(report, seen_in(report))


@pytest.fixture
def row():
    row = running(*FIVE, rounds=2, tie_breaks=("wins", "best-game"))
    Entrant.objects.filter(number=1).update(team="Fener", represents="Moda")
    return row


@pytest.fixture
def played(row):
    """Two rounds, a penalty, and one who has withdrawn."""
    round_ = closed(row, WHOLE_GAME, tables=[[4, 3, 2, 5]], byes=[1])
    closed(row, WHOLE_GAME, tables=[[3, 4, 5, 1]], byes=[2])
    Entrant.objects.filter(number=2).update(withdrawn_at=EVENING)
    Ruling.objects.create(
        round=round_,
        entrant=Entrant.objects.get(number=3),
        kind="penalty",
        points=25,
        reason="late",
        at=EVENING,
    )
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
    said = ["King · the points of the game", "After round 2 of 2", f"Code: {code}"]
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


def test_hidden_last_round_is_shown_to_directors_only():
    row = running(*FIVE, rounds=2, hide_last=True)
    closed(row, WHOLE_GAME)
    play(opened(row))

    heads = [column["head"] for column in composed(row)["columns"]]
    assert "2" not in heads
    assert composed(row)["lines"][-3:] == [
        "After round 1 of 2",
        f"Code: {letters_of(Round.objects.get(number=1).digest)}",
        "The last round is on: until it is over, these are the standings before it.",
    ]
    assert "2" not in [column["head"] for column in composed(row, round=2)["columns"]]
    assert "2" in [column["head"] for column in composed(row, audience="directors")["columns"]]


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
    assert formulas[0] == [*heads, "Penalties", "Points", "Games out or won", "Best game"]
    cem = next(row for row in values if row[3] == "Cem")
    assert cem == [2, 2, 3, "Cem", None, None, None, -110, 540, 25, 405, 1, 540]
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
    assert data["lines"][1] == "After: Final"
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
    }
    assert document["teams"] == [
        {"place": 1, "shared": False, "team": "Fener", "players": "Ayşe", "points": -200}
    ]


@pytest.mark.parametrize(("paper", "language"), [("a4", "tr"), ("us-letter", "it")])
def test_pages_are_tagged_and_say_who_is_where(played, pdf, paper, language):
    played.event.club.paper = paper
    with translation.override(language):
        document = pdf(typeset("standings.typ", composed(played)))

    assert document.pages == 1
    assert document.reader.trailer["/Root"]["/MarkInfo"]["/Marked"]
    assert all(document.fonts.values())
    assert {"tr": "Puan durumu", "it": "Classifica"}[language] in document.text
    for name in ("Ayşe", "=Elif", "−660"):
        assert name in document.text


def test_pages_are_read_in_as_many_queries_however_many_there_are(django_assert_num_queries):
    for names in (FIVE[:4], [f"Oyuncu {n}" for n in range(12)]):
        report = report_of(running(*names, rounds=1))
        closed(report.event.tournament, WHOLE_GAME)
        report.event = type(report.event).objects.get(pk=report.event.pk)
        with django_assert_num_queries(7):
            compose_standings(report, seen_in(report))


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
