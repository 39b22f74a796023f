"""The page of an event's documents: what it offers to whom, and asking for one."""

import re

import pytest
from django.urls import reverse

from tests.factories import EVENING, ReportFactory
from tests.tournament_builders import NINE, closed, published, running
from tournaments.models import Event, Report
from tournaments.queries.documents import report_secret
from tournaments.services.audit import NOBODY
from tournaments.services.documents.reporting import claim_report
from tournaments.services.rounds.seating import seat_next_round, take_back_round

Kind = Report.Kind

SEATING = ["seating-by-name-of-round", "seating-by-table-of-round"]
BUTTON = re.compile(r'<button[^>]* name="document" value="([^"]+)\.pdf"( disabled)?')


def of(event):
    return reverse("event_documents", args=[event.club.slug, event.public_id])


def offered(page):
    """The documents with a button that can be pressed, and those that wait."""
    found = BUTTON.findall(page.text)
    return [name for name, off in found if not off], [name for name, off in found if off]


@pytest.fixture
def row():
    return running(*NINE, rounds=3)


@pytest.fixture
def someone(visitor):
    """A browser of somebody with a role in the club, or of a stranger, at its events."""

    def come(role, event):
        if role == "stranger":
            Event.objects.update(published=True)
            return visitor
        return visitor.become(role, event.club)

    return come


@pytest.mark.parametrize(
    ("role", "kinds"),
    [
        ("owner", {"table-cards-of-round", "sheets-of-round", "certificates", "name-badges"}),
        ("director", {"table-cards-of-round", "sheets-of-round", "certificates", "name-badges"}),
        ("member", {"sheets-of-round", "sheets"}),
        ("stranger", set()),
    ],
)
def test_everybody_is_offered_what_is_theirs(someone, row, role, kinds):
    closed(row)

    there, waiting = offered(someone(role, row.event).get(of(row.event)))

    assert set(there) >= {*SEATING, "standings", "cross-table", *kinds}
    ours = {"table-cards-of-round", "certificates", "name-badges"}
    assert (set(there) & ours, waiting) == (kinds & ours, [])
    assert ("sheets" in there) == (role != "stranger")


@pytest.mark.parametrize("kind", ["table-cards-of-round", "certificates", "name-badges"])
@pytest.mark.parametrize("role", ["director", "member", "stranger"])
def test_what_is_for_directors_is_given_to_them_alone(someone, row, role, kind):
    closed(row)
    browser = someone(role, row.event)

    answer = browser.post(of(row.event), {"document": f"{kind}.pdf", "round": "1"})

    if role != "director":
        assert (answer.status_code, Report.objects.count()) == (404, 0)
        return
    report = Report.objects.get()
    assert answer.url == reverse("report", args=[report.pk, report_secret(report.pk)])
    assert (report.kind, report.audience) == (kind.removesuffix("-of-round"), "directors")
    browser.logout()
    Event.objects.update(published=True)
    assert browser.get(answer.url).status_code == 404


def test_stranger_who_asks_without_end_has_to_wait(someone, row):
    closed(row)
    asked = {"document": "standings.csv"}
    stranger = someone("stranger", row.event)
    codes = [stranger.post(of(row.event), asked).status_code for _ in range(21)]
    assert codes == [302] * 20 + [429]
    assert Report.objects.count() == 1
    assert someone("member", row.event).post(of(row.event), asked).status_code == 302


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"document": "seating-by-name-of-round.json", "round": "1"},
        {"document": "seating-by-name-of-round.pdf", "round": "2"},
        {"document": "name-badges.csv"},
    ],
)
def test_what_there_is_not_is_not_found(someone, row, fields):
    published(row)

    answer = someone("director", row.event).post(of(row.event), fields)

    assert (answer.status_code, Report.objects.count()) == (404, 0)


def test_round_that_was_taken_back_meanwhile_has_no_table_cards(someone, row):
    round_ = published(row)
    director = someone("director", row.event)
    take_back_round(round_.pk, NOBODY, at=EVENING)

    fields = {"document": "table-cards-of-round.pdf", "round": "1"}
    page = director.post(of(row.event), fields, follow=True)

    assert "Table cards: Once this round is published." in page.text
    assert not Report.objects.exists()


def test_round_that_is_played_is_chosen_unless_another_one_is(someone, row):
    closed(row)
    published(row)
    director = someone("director", row.event)

    page = director.get(of(row.event))
    other = director.get(of(row.event), {"round": "1"})
    none = director.get(of(row.event), {"round": "9"})

    assert [p.context["round"].number for p in (page, other, none)] == [2, 1, 2]
    assert page.context["rounds"] == [
        (2, "Round 2 · published, not open yet"),
        (1, "Round 1 · closed"),
    ]


def test_what_was_asked_for_lately_is_listed_for_who_asked(someone, row):
    director = someone("director", row.event)
    shape = {"game": None, "event": row.event, "club": row.event.club, "audience": "directors"}
    mine = ReportFactory(
        kind=Kind.SEATING_BY_NAME, asked_by=director.user, parameters={"round": 1}, **shape
    )
    ReportFactory(kind=Kind.NAME_BADGES, **shape)
    ReportFactory(kind=Kind.NAME_BADGES, asked_by=director.user, game=None, club=row.event.club)
    claim_report(mine.pk, EVENING)

    (found,) = director.get(of(row.event)).context["recent"]

    assert (found["row"], found["title"]) == (mine, "Seating by name")
    assert found["words"].split(" · ")[0::2] == ["Round 1", "being made"]


@pytest.mark.parametrize("number", [1, 3])
@pytest.mark.parametrize("role", ["director", "stranger"])
def test_page_asks_the_same_whatever_the_rounds(
    someone, row, django_assert_num_queries, role, number
):
    browser = someone(role, row.event)
    for _round in range(number):
        closed(row)
        ReportFactory(
            kind=Kind.NAME_BADGES,
            game=None,
            event=row.event,
            club=row.event.club,
            asked_by=getattr(browser, "user", None),
        )

    with django_assert_num_queries({"director": 14, "stranger": 9}[role]):
        browser.get(of(row.event))


def test_seated_round_is_the_directors_own(someone, row):
    seat_next_round(row.pk, NOBODY, at=EVENING)

    there, waiting = offered(someone("director", row.event).get(of(row.event)))
    assert (there, "table-cards-of-round" in waiting) == ([*SEATING, "name-badges"], True)
    page = someone("member", row.event).get(of(row.event))
    assert (page.context["round"], offered(page)[0]) == (None, [])
    assert "Once a round is published." in page.text
    fields = {"document": f"{SEATING[0]}.pdf", "round": "1"}
    assert someone("member", row.event).post(of(row.event), fields).status_code == 404
