import io

import pytest
from django.utils import translation
from openpyxl import load_workbook

from tests.club_factories import TableFactory
from tests.deals import WHOLE_GAME
from tests.reports.asked import HOST, asked, silent
from tests.tournament_builders import NINE, closed, published, running
from tournaments.models import Report
from tournaments.models.clubs import Paper
from tournaments.reports.documents import compose

pytestmark = pytest.mark.django_db

Kind, Format = Report.Kind, Report.Format
SIZES = {Paper.A4: (595, 842), Paper.LETTER: (612, 792)}


@pytest.fixture
def made(tmp_path):
    def make(event, kind, form=Format.PDF, language="en", **parameters):
        report = asked(event, kind, **parameters)
        report.format = form
        with translation.override(language):
            compose(report, silent).write(tmp_path / "file", silent)
        return (tmp_path / "file").read_bytes()

    return make


@pytest.mark.parametrize("paper", SIZES)
def test_each_kind_is_set_as_tagged_pages_with_its_fonts(pdf, made, paper):
    row = running(*NINE)
    closed(row, WHOLE_GAME)
    event = row.event
    event.club.paper = paper
    pages = {Kind.TABLE_CARDS: 1, Kind.NAME_BADGES: 1, Kind.CERTIFICATES: 3}

    for kind in (*pages, Kind.SEATING_BY_NAME, Kind.SEATING_BY_TABLE):
        page = pdf(made(event, kind, round=1))
        size = tuple(round(float(side)) for side in page.reader.pages[0].mediabox[2:])
        assert (kind, page.pages) == (kind, pages.get(kind, 1))
        wanted = SIZES[paper][::-1] if kind == Kind.CERTIFICATES else SIZES[paper]
        assert size == wanted
        assert page.reader.trailer["/Root"]["/MarkInfo"]["/Marked"]
        assert set(page.fonts.values()) == {True}
        assert event.name in page.text


def test_card_has_its_code_as_a_picture_and_as_a_link(pdf, made):
    table = TableFactory()
    page = pdf(made(table.round.event, Kind.TABLE_CARDS, round=table.round.number))

    assert page.links == [f"{HOST}table/{table.public_id}/{table.secret}/"]


def test_long_list_goes_on_with_its_head_in_each_column(pdf, made):
    table = TableFactory(number=1, players=["Ayşe", "Burak", "Cem", "Deniz"])
    for number in range(2, 16):
        players = [f"Muhteşem Süleyman Efendizadeoğulları {number} {seat}" for seat in "abcd"]
        TableFactory(round=table.round, number=number, players=players)

    by_name = pdf(made(table.round.event, Kind.SEATING_BY_NAME, round=table.round.number))
    by_table = pdf(made(table.round.event, Kind.SEATING_BY_TABLE, round=table.round.number))

    assert (by_name.pages, by_table.pages) == (2, 1)
    assert (by_name.text.count("Player"), by_table.text.count("Player")) == (3, 2)


def rows_of(workbook):
    return [list(row) for row in load_workbook(io.BytesIO(workbook)).active.values]


def test_seating_is_a_table_to_work_with(made):
    row = running(*NINE)
    round_ = published(row)
    (bye,) = round_.sittings.filter(table=None)
    tables = {t.number: t.games.get().players for t in round_.tables.all()}
    out = bye.entrant.player.name

    by_table = rows_of(made(row.event, Kind.SEATING_BY_TABLE, Format.XLSX, round=1))
    by_name = rows_of(made(row.event, Kind.SEATING_BY_NAME, Format.XLSX, round=1))
    text = made(row.event, Kind.SEATING_BY_NAME, Format.CSV, "tr", round=1).decode("utf-8-sig")

    assert by_table == [
        ["Table", "Seat 1", "Seat 2", "Seat 3", "Seat 4"],
        [1, *tables[1]],
        [2, *tables[2]],
        ["bye", out, None, None, None],
    ]
    seats = {
        name: [name, number, seat]
        for number, names in tables.items()
        for seat, name in enumerate(names, 1)
    } | {out: [out, "bye", None]}
    assert by_name == [["Player", "Table", "Seat"], *(seats[name] for name in NINE)]
    texts = {None: '""', "bye": '"bay"', "Oyuncu 1": '"Oyuncu 1"'}
    found = [str(texts.get(cell, cell)) for cell in seats["Oyuncu 1"]]
    assert text.splitlines()[1] == ";".join(found)
