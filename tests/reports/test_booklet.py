import json

import pikepdf
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import translation

from tests.deals import WHOLE_GAME
from tests.factories import EVENING, record_all
from tests.reports.asked import silent
from tests.tournament_builders import running
from tournaments.models import Game, Report
from tournaments.reports.documents import compose
from tournaments.services.audit import NOBODY
from tournaments.services.ratings.computing import sweep_ratings
from tournaments.services.rounds.running import close_round, open_round
from tournaments.services.rounds.seating import publish_round, seat_next_round

pytestmark = pytest.mark.django_db

NAMES = ("Ayşe", "Burak", "Cem", "Deniz", "Elif")


def play(row, *, open_it=True):
    """The next round: seated, published, played and closed, or published only."""
    round_ = seat_next_round(row.pk, NOBODY, at=EVENING)
    publish_round(round_.pk, NOBODY, at=EVENING)
    if open_it:
        open_round(round_.pk, NOBODY, at=EVENING)
        for game in Game.objects.filter(table__round=round_):
            record_all(game, WHOLE_GAME)
        close_round(round_.pk, NOBODY, at=EVENING)


def composed(row, audience="members"):
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


def data_of(volume, template, at=0):
    found = [chapter for chapter in volume.chapters if chapter.template == template]
    return json.loads(found[at].json)


def outline(items, pages):
    return [
        (item.title, pages.index(item.destination[0].objgen) + 1, outline(item.children, pages))
        for item in items
    ]


@pytest.fixture
def played():
    row = running(*NAMES, rounds=2)
    play(row)
    sweep_ratings()
    play(row)
    sweep_ratings()
    return row


def test_booklet_has_all_its_parts_on_the_pages_that_its_contents_say(played, tmp_path, pdf):
    path = tmp_path / "booklet.pdf"
    composed(played).write(path, silent)
    page = pdf(path.read_bytes())
    texts = [" ".join(each.extract_text().split()) for each in page.reader.pages]

    with pikepdf.open(path) as document:
        assert document.check_pdf_syntax() == []
        pages = [each.obj.objgen for each in document.pages]
        with document.open_outline() as whole:
            marks = outline(whole.root, pages)
        links = pikepdf.NameTree(document.Root.Names.Dests)
        led = [pages.index(links[str(link.A.D)][0].objgen) + 1 for link in document.pages[1].Annots]
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
    volume = composed(played)
    seats = data_of(volume, "booklet_table.typ")
    (game,) = Game.objects.filter(table__round__number=1)
    assert seats["rows"] == [["1", *game.players]]
    (out,) = set(NAMES) - set(game.players)
    assert seats["lines"] == ["Seating", f"Sits out: {out}"]

    ratings = data_of(volume, "booklet_table.typ", at=-1)
    assert [column["head"] for column in ratings["columns"]] == [
        *("Player", "Games", "Before", "After", "±")
    ]
    # Nobody had a rating before.
    assert {row[0] for row in ratings["rows"]} == set(NAMES)
    assert {(row[2], row[4]) for row in ratings["rows"]} == {("–", "new")}

    badges = {each["name"]: each["who"] for each in data_of(volume, "booklet_badges.typ")["badges"]}
    times = sum(int(who.partition(" ×")[2] or 1) for who in badges["Flower"])
    results = Game.objects.values_list("result", flat=True)
    assert times == sum(sum(result["badges"]["flower"]) for result in results)


def test_last_round_is_left_out_while_its_standings_are_hidden():
    row = running(*NAMES, rounds=2, hide_last=True)
    play(row)
    play(row)
    of_members, of_directors = composed(row), composed(row, "directors")
    assert (
        data_of(of_members, "sheets.typ")["sheets"]
        == (data_of(of_directors, "sheets.typ")["sheets"][:1])
    )
    assert "After round 1 of 2" in data_of(of_members, "standings.typ")["lines"]
    assert "After round 2 of 2" in data_of(of_directors, "standings.typ")["lines"]


def test_booklet_is_read_in_as_many_queries_however_many_tables():
    def queries(names):
        row = running(*names, rounds=2)
        play(row)
        row.refresh_from_db()
        with CaptureQueriesContext(connection) as captured:
            composed(row)
        return len(captured)

    assert queries(NAMES) == queries([f"Oyuncu {n}" for n in range(13)])
