import io
import json
import re
from pathlib import Path
from zipfile import ZipFile

import pikepdf
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import translation

from tests.club_factories import EventFactory, RoundFactory, TableFactory, TournamentFactory
from tests.deals import WHOLE_GAME
from tests.factories import EVENING, record, record_all
from tests.paper_totals import STOPPED, line
from tests.reports.asked import asked, outline, silent
from tests.tournament_builders import running
from tournaments.engine.standings.tournament_settings import TournamentSettings, write_settings
from tournaments.models import Game, Report
from tournaments.queries.documents import report_secret
from tournaments.reports import books, pages
from tournaments.reports.documents import build_report, compose
from tournaments.reports.pages import key_of
from tournaments.services.audit import NOBODY
from tournaments.services.ratings.computing import sweep_ratings
from tournaments.services.rounds.running import close_round, open_round
from tournaments.services.rounds.seating import publish_round, seat_next_round

pytestmark = pytest.mark.django_db


READING, SETTING = Report.Step.READING, Report.Step.SETTING


def report_of(event, form="pdf", audience="members", **parameters):
    return Report(
        kind="sheets",
        format=form,
        event=event,
        club=event.club,
        audience=audience,
        language="tr",
        parameters={"host": "https://king.example/", **parameters},
    )


@pytest.fixture
def evening():
    event = EventFactory()
    first, second = RoundFactory(event=event, number=1), RoundFactory(event=event, number=2)
    TableFactory(round=second, number=1, players=("Elif", "Fuat", "Gül", "Hakan"))
    TableFactory(round=first, number=2, players=("Işıl", "İrem", "Jale", "Şule"))
    TableFactory(round=first, number=1, entries=WHOLE_GAME)
    return event


def composed(report):
    with translation.override(report.language):
        return compose(report, silent)


def sheets_in(content):
    (volume,) = content.volumes.values()
    return json.loads(volume.json)


def written(report, path, told=silent):
    with translation.override(report.language):
        compose(report, told).write(path, told)
    return path


def test_evening_is_a_page_for_each_game_with_bookmarks_and_codes(evening, tmp_path, pdf):
    said = []
    path = written(report_of(evening), tmp_path / "sheets.pdf", lambda *told: said.append(told))
    assert {(READING, 0, 3), (READING, 3, 3), (SETTING,)} == {*said[:1], *said[-2:]}
    page = pdf(path.read_bytes())
    texts = [" ".join(p.extract_text().split()) for p in page.reader.pages]
    assert ["540 −110 −330 −100" in text for text in texts] == [True, False, False]
    assert [text.count("1. raunt · 1. masa") for text in texts] == [1, 0, 0]
    assert [f"{number} / 3" in text for number, text in enumerate(texts, 1)] == [True] * 3
    games = Game.objects.order_by("table__round__number", "table__number")
    assert page.links == [
        f"https://king.example/follow/{game.public_id}/{game.secret('follow')}/" for game in games
    ]
    assert set(page.fonts.values()) == {True}
    with pikepdf.open(path) as document:
        assert document.check_pdf_syntax() == []
        marks = outline(document)
    assert [(title, page) for title, page, _below in marks] == [("1. raunt", 1), ("2. raunt", 3)]
    assert marks[0][2] == [
        ("1. masa: Ayşe, Burak, Cem, Deniz", 1, []),
        ("2. masa: Işıl, İrem, Jale, Şule", 2, []),
    ]


def test_tables_known_by_their_totals_share_pages_and_have_no_empty_lines(tmp_path, pdf):
    round_ = RoundFactory()
    entry = {"type": "totals", "totals": [700, -300, -250, -150]}
    of_before = [line(seat, points) for seat, points in enumerate(entry["totals"])]
    tables = [[entry], [*of_before, STOPPED], WHOLE_GAME, [entry], [entry, line(1, -10, "revoke")]]
    for number, entries in enumerate(tables, 1):
        TableFactory(round=round_, number=number, entries=entries)

    page = pdf(written(report_of(round_.event), tmp_path / "sheets.pdf").read_bytes())

    texts = [" ".join(p.extract_text().split()) for p in page.reader.pages]
    sheets = [re.findall(r"(\d)\. masa", text) for text in texts]
    assert sheets == [["1", "2"], ["3"], ["4"], ["5"]]
    assert ["700 −300 −250 −150" in text for text in texts] == [True, False, True, True]
    empty = ["Kâğıda yazılmış", "Oyun", "söyleyen dağıtan", "Puan düzeltmesi"]
    found = [[words in text for words in empty] for text in texts]
    assert found == [
        *([False] * 4, [False, True, True, False], [False] * 4),
        [True, True, False, True],
    ]


@pytest.mark.parametrize(
    ("at_most", "begins"),
    [(1, ["1. raunt", "1. raunt", "2. raunt"]), (2, ["1. raunt", "2. raunt"])],
)
def test_sheets_of_several_volumes_are_a_zip_of_the_same_bytes(
    evening, tmp_path, monkeypatch, at_most, begins
):
    monkeypatch.setattr(books, "AT_MOST", at_most)
    said = []
    paths = [
        written(report_of(evening), tmp_path / name, lambda *told: said.append(told))
        for name in ("a.zip", "b.zip")
    ]
    assert paths[0].read_bytes() == paths[1].read_bytes()
    with ZipFile(paths[0]) as volumes:
        opened = [pikepdf.open(io.BytesIO(volumes.read(name))) for name in volumes.namelist()]
        numbers = range(1, len(begins) + 1)
        assert volumes.namelist() == [f"Bütün skor kâğıtları {number}.pdf" for number in numbers]
    assert sum(len(each.pages) for each in opened) == 3
    assert [outline(each)[0][0] for each in opened] == begins
    assert (SETTING, 1, len(begins)) in said


@pytest.mark.parametrize(
    ("at_most", "kind"), [(3, "application/pdf"), (2, "application/zip")], ids=["one", "several"]
)
def test_download_says_whether_it_is_one_pdf_or_a_zip(evening, client, monkeypatch, at_most, kind):
    monkeypatch.setattr(books, "AT_MOST", at_most)
    report = asked(evening, "sheets", Report.Audience.ADDRESS)
    build_report(report.pk)
    for name in ("report_file", "api:document-file"):
        answer = client.get(reverse(name, args=[report.pk, report_secret(report.pk)]))
        assert answer.getvalue()
        assert answer["Content-Type"] == kind
        assert f".{kind.removeprefix('application/')}" in answer["Content-Disposition"]


def test_booklet_has_sheets_of_several_volumes_beside_it(played, monkeypatch):
    monkeypatch.setattr(books, "AT_MOST", 1)
    volumes = booklet_of(played).volumes
    names = ["Booklet of the tournament", "All scoresheets 1", "All scoresheets 2"]
    assert list(volumes) == names
    chapters = json.loads(volumes[names[0]].json)["chapters"]
    assert [each["title"] for each in chapters] == [
        *("Round 1", "Round 2", "Standings", "Rating changes", "Badges")
    ]


class Unwanted(Exception):
    """Somebody has cancelled the report."""


def test_what_is_being_set_ends_when_nobody_wants_it(evening, tmp_path, monkeypatch):
    def told(step, *_progress):
        if step == SETTING and (tmp_path / "sheets.json").exists():
            raise Unwanted

    # A large book is set in a process of its own.
    monkeypatch.setattr(pages, "SMALL", 0)
    with pytest.raises(Unwanted):
        written(report_of(evening), tmp_path / "sheets.pdf", told)
    tasks = Path("/proc/self/task").glob("*/children")
    assert [children for task in tasks if (children := task.read_text().split())] == []
    assert not (tmp_path / "sheets.pdf").exists()


def test_round_is_asked_for_alone(evening):
    data = sheets_in(composed(report_of(evening, round=2)))
    assert [sheet["sides"] for sheet in data["sheets"]] == [["Elif", "Fuat", "Gül", "Hakan"]]
    assert data["title"] == "Cuma akşamı: 2. raunt"
    with pytest.raises(ValueError, match="round 3 is gone"):
        composed(report_of(evening, round=3))


def test_records_are_one_list_in_the_order_of_the_pages(evening, tmp_path):
    report = report_of(evening, "json")
    records = json.loads(written(report, tmp_path / "sheets.json").read_text())
    assert {record["format"] for record in records} == {"kingscore-game/1"}
    assert [record["players"][0] for record in records] == ["Ayşe", "Işıl", "Elif"]
    assert len(records[0]["entries"]) == len(WHOLE_GAME)
    assert "https" not in json.dumps(records)


def test_same_games_are_the_same_content_until_one_is_written(evening):
    report, records = report_of(evening), report_of(evening, "json")
    before = [key_of(each, composed(each)) for each in (report, records)]
    assert [key_of(each, composed(each)) for each in (report, records)] == before
    record(Game.objects.get(table__number=2), WHOLE_GAME[0])
    assert not {key_of(each, composed(each)) for each in (report, records)} & set(before)


@pytest.mark.parametrize(
    ("state", "hides", "published", "pages"),
    [("running", False, 1, 1), ("running", True, 2, 1), ("finished", True, 2, 2)],
)
def test_sheets_of_a_round_that_is_not_published_or_hidden_are_for_directors(
    state, hides, published, pages
):
    settings = write_settings(TournamentSettings(rounds=2, hide_last=hides))
    tournament = TournamentFactory(state=state, settings=settings)
    for number in (1, 2):
        at = EVENING if number <= published else None
        times = {"published_at": at, "opened_at": at}
        round_ = RoundFactory(event=tournament.event, number=number, **times)
        TableFactory(round=round_, number=1)
    of_members = composed(report_of(tournament.event))
    of_directors = composed(report_of(tournament.event, audience="directors"))
    assert [len(sheets_in(each)["sheets"]) for each in (of_members, of_directors)] == [pages, 2]


FIVE_NAMES = ("Ayşe", "Burak", "Cem", "Deniz", "Elif")


def play(row, *, open_it=True):
    round_ = seat_next_round(row.pk, NOBODY, at=EVENING)
    publish_round(round_.pk, NOBODY, at=EVENING)
    if open_it:
        open_round(round_.pk, NOBODY, at=EVENING)
        for game in Game.objects.filter(table__round=round_):
            record_all(game, WHOLE_GAME)
        close_round(round_.pk, NOBODY, at=EVENING)


def booklet_of(row, audience="members"):
    report = Report(
        kind="booklet",
        event=row.event,
        club=row.event.club,
        audience=audience,
        language="en",
        parameters={"host": "https://king.example/"},
    )
    with translation.override("en"):
        return compose(report, silent)


def chapters_of(content):
    """The chapters of a booklet by title; all sheets are under that of their document."""
    return {chapter["title"]: chapter for chapter in sheets_in(content)["chapters"]}


@pytest.fixture
def played():
    row = running(*FIVE_NAMES, rounds=2)
    play(row)
    sweep_ratings()
    play(row)
    sweep_ratings()
    return row


def test_booklet_has_all_its_parts_on_the_pages_that_its_contents_say(played, tmp_path, pdf):
    path = tmp_path / "booklet.pdf"
    booklet_of(played).write(path, silent)
    page = pdf(path.read_bytes())
    texts = [" ".join(each.extract_text().split()) for each in page.reader.pages]

    with pikepdf.open(path) as document:
        assert document.check_pdf_syntax() == []
        pages = [each.obj.objgen for each in document.pages]
        marks = outline(document)
        targets = [link.A.D if "/A" in link else link.Dest for link in document.pages[1].Annots]
        led = [pages.index(target[0].objgen) + 1 for target in targets]
    sat = {title: page for title, page, _below in marks[3][2]}
    assert [(title, page) for title, page, _below in marks] == [
        (played.event.name, 1),
        ("Contents", 2),
        ("Seating", 3),
        ("All scoresheets", 5),
        ("Standings", 7),
        ("Rating changes", 8),
        ("Badges", 9),
    ]
    assert [(title, page) for title, page, _below in marks[2][2]] == [
        ("Round 1", 3),
        ("Round 2", 4),
    ]
    assert sat == {"Round 1": 5, "Round 2": 6}
    assert marks[3][2][1][2][0][0].startswith("Table 1: ")
    # Each line of the contents is a link to its page, which says its own number.
    assert sorted(set(led)) == [3, 4, 5, 6, 7, 8, 9]
    assert [f"{number} / 9" in text for number, text in enumerate(texts, 1)] == [False] + [True] * 8
    contents = " ".join(texts[1].replace("·", " ").split())
    assert "All scoresheets 5 Round 1 5 Round 2 6 Standings 7" in contents
    assert set(page.fonts.values()) == {True}


def test_booklet_says_who_sat_where_who_gained_and_who_earned_what(played):
    chapters = chapters_of(booklet_of(played))
    seats = chapters["Round 1"]
    (game,) = Game.objects.filter(table__round__number=1)
    assert seats["rows"] == [["1", *game.players]]
    (out,) = set(FIVE_NAMES) - set(game.players)
    assert seats["lines"] == ["Seating · 22:30", f"Sits out: {out}"]

    ratings = chapters["Rating changes"]
    assert [column["head"] for column in ratings["columns"]] == [
        *("Player", "Games", "Before", "After", "±")
    ]
    # Nobody had a rating before.
    assert {row[0] for row in ratings["rows"]} == set(FIVE_NAMES)
    assert {(row[2], row[4]) for row in ratings["rows"]} == {("–", "new")}

    badges = {each["name"]: each["who"] for each in chapters["Badges"]["badges"]}
    times = sum(int(who.partition(" ×")[2] or 1) for who in badges["Flower"])
    results = Game.objects.values_list("result", flat=True)
    assert times == sum(sum(result["badges"]["flower"]) for result in results)


def test_booklet_is_read_in_as_many_queries_however_many_tables():
    def queries(names):
        row = running(*names, rounds=2)
        play(row)
        row.refresh_from_db()
        with CaptureQueriesContext(connection) as captured:
            booklet_of(row)
        return len(captured)

    assert queries(FIVE_NAMES) == queries([f"Oyuncu {n}" for n in range(13)])
