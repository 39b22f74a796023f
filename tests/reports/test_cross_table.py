import json

import openpyxl
import pytest
from django.utils import translation

from tests.deals import WHOLE_GAME
from tests.factories import EVENING
from tests.reports.asked import FIVE, file_of, report_of
from tests.tournament_builders import closed, running
from tournaments.models import Entrant, Ruling
from tournaments.reports.standings import Meetings, compose_cross_table, seen_in, side_by_side
from tournaments.reports.typesetting import typeset

pytestmark = pytest.mark.django_db


def report(row, **asked):
    return report_of(row, kind="cross-table", **asked)


def composed(row, **asked):
    asked_for = report(row, **asked)
    return compose_cross_table(asked_for, Meetings(seen_in(asked_for)))


def rule(round_, name, kind, points=0):
    entrant = Entrant.objects.get(player__name=name, tournament__event=round_.event)
    Ruling.objects.create(
        round=round_, entrant=entrant, kind=kind, points=points, reason="late", at=EVENING
    )


@pytest.fixture
def played():
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


def test_each_round_has_table_points_and_who_sat_there(played):
    data = composed(played)

    names = [row["name"] for row in data["groups"][0]["rows"]]
    assert names == ["Deniz", "Cem", "Ayşe", "=Elif", "Burak"]
    assert [(row["place"], row["number"]) for row in data["groups"][0]["rows"]] == [
        *(("1", "4"), ("2", "3"), ("3", "1"), ("4", "5"), ("5", "2")),
    ]
    assert cells_of(data, "Deniz") == [("1", "540", "3 2 5"), ("1", "7*", "3 5")]
    assert cells_of(data, "Burak") == [("1", "−330", "4 3 5"), ("", "−330", "bye")]
    assert cells_of(data, "Ayşe") == [("", "0", "bye"), ("", "−300*", "absent")]
    assert data["legend"] == [
        "In each round: the table, the points, and below them who sat there, by number",
        "* as the director has ruled",
    ]


def test_house_players_have_no_number(played):
    Entrant.objects.filter(player__name="Cem").update(house=True)

    data = composed(played)

    assert cells_of(data, "Deniz")[0] == ("1", "540", "⌂ 2 5")
    assert "⌂ house player" in data["legend"]


def test_many_rounds_stand_in_several_tables():
    assert side_by_side([*range(1, 11)]) == [[*range(1, 11)]]
    assert side_by_side([*range(1, 31)]) == [[*range(1, 11)], [*range(11, 21)], [*range(21, 31)]]
    assert side_by_side([]) == [[]]


def test_two_at_a_table_make_a_matrix(duels):
    data = composed(duels)

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


def test_workbook_has_points_tables_and_who_sat_there(tmp_path, played):
    path = file_of(tmp_path, played, "xlsx", kind="cross-table")

    rows = [[c.value for c in r] for r in openpyxl.load_workbook(path).active.iter_rows()]
    assert rows[0][:7] == ["Place", "№", "Name", "Round 1", "Round 2", "Penalties", "Points"]
    assert rows[1] == [
        *(1, 4, "Deniz", 540, 7, 0, "=SUM(D2:E2)-F2", 1, 1, "3 2 5", "3 5"),
    ]
    assert rows[5] == [
        *(5, 2, "Burak", -330, -330, 0, "=SUM(D6:E6)-F6", 1, None, "4 3 5", "bye"),
    ]


def test_record_calls_entrants_by_the_numbers_they_keep(tmp_path, played):
    path = file_of(tmp_path, played, "json", kind="cross-table")
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
def test_pages_are_tagged_and_their_head_is_repeated(played, pdf, paper, language):
    played.event.club.paper = paper
    with translation.override(language):
        data = composed(played)
    data["groups"][0]["rows"] *= 12
    document = pdf(typeset("cross_table.typ", data))

    assert document.pages == 3
    assert document.reader.trailer["/Root"]["/MarkInfo"]["/Marked"]
    assert all(document.fonts.values())
    head = {"tr": "Sıra № Ad", "it": "Posto № Nome"}[language]
    assert document.lines.count(f"{head} 1 2 {data['words']['points']}") == 3


def test_pages_are_read_in_as_many_queries_however_many_there_are(django_assert_num_queries):
    for names in (FIVE[:4], [f"Oyuncu {n}" for n in range(12)]):
        row = running(*names, rounds=1)
        closed(row, WON)
        asked_for = report(row)
        asked_for.event = type(row.event).objects.get(pk=row.event_id)
        with django_assert_num_queries(7):
            compose_cross_table(asked_for, Meetings(seen_in(asked_for)))
