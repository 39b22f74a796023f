"""A tournament in sections: drawn, ranked and changed within each of them."""

import json
from itertools import chain

import pytest

from tests.api.conftest import Program
from tests.club_factories import MemberFactory
from tests.counting import queries_of
from tests.factories import EVENING
from tests.rating_factories import PlayerRatingFactory, RatingPoolFactory
from tests.reports.asked import asked, file_of, report_of, silent
from tests.tournament_builders import (
    SHORT,
    change,
    opened,
    play,
    published,
    register,
    running,
    who_sits,
)
from tests.tournament_records import empty_server, exported, imported
from tests.web.rounds.going import of_all
from tournaments.engine.standings.tournament_settings import SECTIONS
from tournaments.models import AuditEntry, Entrant, Round, Tournament
from tournaments.queries.tournaments.state import load_state
from tournaments.reports.hall import compose_certificates
from tournaments.reports.standings import compose_standings, seen_in
from tournaments.services.audit import NOBODY
from tournaments.services.entrants.lists import Entry
from tournaments.services.rounds.rounds import changes_since_closing, close_round

pytestmark = pytest.mark.django_db


def sectioned(*sizes, **settings):
    """A running tournament with sections of so many entrants."""
    letters = [letter for letter, size in zip(SECTIONS, sizes, strict=False) for _ in range(size)]
    entries = [Entry(f"Oyuncu {n}", section=letter) for n, letter in enumerate(letters, 1)]
    return running(
        *entries, sections=len(sizes), **{"rounds": 2, "tie_breaks": ("lot",)} | settings
    )


def finish(round_):
    play(round_, SHORT)
    return close_round(round_.pk, NOBODY, at=EVENING)


def sections_at(round_):
    """The sections of those at each table, and of those who sit out."""
    of = dict(round_.event.tournament.entrants.values_list("number", "section"))
    tables = ["".join(sorted({of[n] for n in names})) for names in who_sits(round_).values()]
    out = round_.sittings.filter(table=None).values_list("entrant__section", flat=True)
    return tables, sorted(out)


def ranked(row):
    standings = load_state(Tournament.objects.get(pk=row.pk)).standings_before(99)
    return [(each.section, each.place) for each in standings]


def places_of(*sizes):
    return [
        (section, n + 1) for section, size in zip("ABC", sizes, strict=False) for n in range(size)
    ]


def page_of(name, row, *more):
    return of_all(name, Round(event=row.event), *more)


@pytest.fixture
def director(visitor):
    return lambda row: visitor.become("director", row.event.club)


SEATINGS = ["swiss", "random", "fixed", "rank-near", "rank-spread", "manual"]


@pytest.mark.parametrize("seating", SEATINGS)
def test_each_section_is_drawn_and_ranked_by_itself(director, seating):
    row = sectioned(8, 4, 6, seating=seating)
    leads = director(row)
    for number in (1, 2):
        leads.post(page_of("seat_round", row))
        page = leads.get(page_of("seating", row, number))
        assert len(page.context["seating"].praise) == 3
        leads.post(page_of("seat_again", row, number), {"locked": [2]})
        leads.post(page_of("publish_round", row, number))
        leads.post(page_of("open_tournament_round", row, number))
        place = Round.objects.get(number=number)
        assert sections_at(place) == (["A", "A", "B", "C"], ["C", "C"])
        finish(place)

    assert ranked(row) == places_of(8, 4, 6)
    alone = leads.get(page_of("standings", row), {"section": "B"}).text
    assert (alone.count('id="e'), leads.get(page_of("standings", row)).text.count('id="e')) == (
        4,
        18,
    )
    assert leads.get(page_of("why_place", row, 9)).context["of"] == 4
    walls = [leads.get(page_of("wall", row), {"screen": at}).context["screen"] for at in range(3)]
    assert ["".join({place.section for place in wall.rows}) for wall in walls] == ["A", "B", "C"]


def test_house_players_fill_each_section():
    row = sectioned(5, 6, odd="house")

    assert sections_at(published(row)) == (["A", "A", "B", "B"], [])
    assert list(row.entrants.filter(house=True).values_list("section", flat=True)) == [
        *("A", "A", "A", "B", "B")
    ]


def test_too_few_in_a_section_are_named(director):
    row = sectioned(4, 3)
    refused = director(row).post(page_of("seat_round", row), follow=True)

    assert not Round.objects.exists()
    assert "section B" in str(next(iter(refused.context["messages"])))


def test_somebody_moved_keeps_points_and_plays_there_from_the_next_round(director):
    row = sectioned(4, 5)
    leads = director(row)
    finish(opened(row))
    points = load_state(row).points_after(1)
    leads.post(page_of("seat_round", row))
    seated = Round.objects.get(number=2)
    mover = next(n for n in range(5, 10) if f"e{n}" not in seated.seating["byes"])

    leads.post(page_of("sections", row), {"entrant": [mover], "to": "A"})

    state = load_state(Tournament.objects.get())
    assert (state.points_after(1), changes_since_closing(state)) == (points, [])
    assert ranked(row) == places_of(5, 4)
    leads.post(page_of("publish_round", row, 2))
    seated.refresh_from_db()
    assert seated.published_at is None
    page = leads.get(page_of("seating", row, 2))
    assert [each.number for each in page.context["presence"].moved] == [mover]
    act = page.context["strip"]().act
    assert act.action == "move-section"
    leads.post(page_of("undo_act", row), {"entry": act.pk})
    assert Entrant.objects.get(number=mover).section == "B"
    leads.post(page_of("sections", row), {"entrant": [mover], "to": "A"})
    leads.post(page_of("seat_again", row, 2))
    leads.post(page_of("publish_round", row, 2))
    assert sections_at(Round.objects.get(number=2)) == (["A", "B"], ["A"])


def test_late_players_change_only_their_section():
    row = sectioned(9, 9, 8)
    round_ = opened(row)
    before = who_sits(round_)
    leaver = Entrant.objects.get(sittings__table__number=3, sittings__side=0)

    change(round_, arriving=register(row, "Geç Gelen"), leaving=[leaver])

    after = who_sits(round_)
    assert {n for n in before if before[n] != after[n]} == {3}
    assert sections_at(round_) == (["A", "A", "B", "B", "C", "C"], ["", "A"])


def test_house_players_come_and_go_in_the_section_of_who_is_late():
    row = sectioned(5, 6, odd="house")
    round_ = opened(row)
    before = who_sits(round_)

    change(round_, leaving=[Entrant.objects.get(number=1)])

    after = who_sits(round_)
    assert [n for n in before if before[n] == after.get(n)] == [3, 4]
    assert sections_at(round_) == (["A", "B", "B"], [])


@pytest.mark.parametrize("stage", ["proposal", "published"])
def test_chairs_are_exchanged_only_within_a_section(director, stage):
    row = sectioned(8, 8)
    leads = director(row)
    leads.post(page_of("seat_round", row))
    if stage == "published":
        leads.post(page_of("publish_round", row, 1))

    def swap(one, other):
        seen = Tournament.objects.get().revision
        leads.post(
            page_of("swap_seats", row, 1), {"one": f"e{one}", "other": f"e{other}", "seen": seen}
        )
        return [set(table.entrants) for table in load_state(row).seated_rounds[0].tables]

    tables = [set(table.entrants) for table in load_state(row).seated_rounds[0].tables]
    first, second, third = (next(int(k[1:]) for k in sorted(tables[at])) for at in range(3))
    assert swap(first, third) == tables
    assert f"e{second}" in swap(first, second)[0]


@pytest.mark.parametrize("carry", [True, False])
def test_each_section_has_finals_of_its_own(carry):
    row = sectioned(8, 9, rounds=1, finals=8, carry=carry)
    finish(opened(row))
    for tables in (["A", "A", "B", "B"], ["A", "B"]):
        round_ = opened(row)
        assert sections_at(round_) == (tables, [])
        finish(round_)

    assert ranked(row) == places_of(8, 9)
    finalists = set(chain(*who_sits(round_).values()))
    standings = load_state(row).standings_before(99)
    assert {int(each.entrant[1:]) for each in standings if each.place < 5} == finalists


def test_document_carries_sections():
    finish(opened(sectioned(8, 4, 5)))
    before = exported()
    empty_server()
    row = imported(before)

    assert exported() == before
    assert list(row.entrants.values_list("section", flat=True)) == [*"A" * 8, *"B" * 4, *"C" * 5]


def test_all_are_divided_by_rating(director):
    row = running(*(f"Oyuncu {n}" for n in range(1, 19)), sections=3)
    pool = RatingPoolFactory(club=row.event.club)
    best = [12, 3, 7, 5, 1, 2, 4, 6, 8]
    for at, number in enumerate(best):
        player = row.entrants.get(number=number).player
        PlayerRatingFactory(pool=pool, player=player, mean=1900 - at, points=1900 - at)
    leads = director(row)

    leads.post(page_of("sections", row), {"divide": "1"})
    leads.post(page_of("sections", row), {"divide": "1"})

    groups = dict(leads.get(page_of("sections", row)).context["groups"])
    found = {name: {line.entrant.number for line in lines} for name, lines in groups.items()}
    assert found == {"A": {*best[:8]}, "B": {8, 9, 10, 11}, "C": {13, 14, 15, 16, 17, 18}}
    assert AuditEntry.objects.filter(action="move-section").count() == 1


def test_program_moves_divides_and_reads_sections():
    row = sectioned(4, 4)
    program = Program().as_(MemberFactory(club=row.event.club, role="director").user)
    base = f"clubs/{row.event.club.slug}/tournaments/{row.slug}"

    assert program.ask("PATCH", f"{base}/entrants/1/", {"section": "C"}).status_code == 422
    assert program.ask("PATCH", f"{base}/entrants/1/", {"section": "B"}).json()["section"] == "B"
    added = {"entrants": [{"name": "Ali", "section": "A"}, {"name": "Ece"}]}
    found = program.ask("POST", f"{base}/entrants/", added).json()["results"]
    assert [each["section"] for each in found] == ["A", "B"]
    wrong = {"entrants": [{"name": "Can", "section": "D"}]}
    assert program.ask("POST", f"{base}/entrants/", wrong).status_code == 422
    rows = program.ask("GET", f"{base}/standings/?section=B").json()["results"]
    assert {each["section"] for each in rows} == {"B"}
    assert {each["entrant"] for each in rows} == {1, 5, 6, 7, 8, 10}
    program.ask("POST", f"{base}/entrants/divide/")
    found = program.ask("GET", f"{base}/entrants/").json()["results"]
    assert "".join(each["section"] for each in found) == "AAAABBBBBB"


def test_documents_and_prizes_are_of_each_section(director, tmp_path):
    row = sectioned(4, 4, fee="10", prizes=("50%",))
    finish(opened(row))
    Entrant.objects.filter(number__in=(1, 5, 6)).update(paid=True)

    report = report_of(row)
    data = compose_standings(report, seen_in(report))
    assert [line["cells"][0] for line in data["rows"]] == [
        *("A 1", "A 2", "A 3", "A 4", "B 1", "B 2", "B 3", "B 4")
    ]
    assert [line["rule"] for line in data["rows"]].index(True) == 3
    found = compose_certificates(asked(row.event, "certificates"), silent)["items"]
    assert [each["place"] for each in found][::3] == [f"Section {s}: First place" for s in "AB"]
    document = json.loads(file_of(tmp_path, row, "json").read_text())
    assert [each["section"] for each in document["standings"]] == [*"AAAABBBB"]
    prizes = director(row).get(page_of("fees", row)).context["prizes"]
    assert [(each[0], each[2], each[3]) for each in prizes] == [(1, "5", "A"), (1, "10", "B")]


@pytest.mark.parametrize("name", ["standings", "sections", "wall"])
def test_more_sections_take_no_more_queries(director, name):
    row = sectioned(8, 8)
    finish(opened(row))
    leads = director(row)

    def taken(sections):
        settings = {**row.settings, "sections": sections}
        Tournament.objects.update(settings=settings, revision=row.revision + sections)
        return queries_of(lambda: leads.get(page_of(name, row)))

    assert taken(2) == taken(8)
