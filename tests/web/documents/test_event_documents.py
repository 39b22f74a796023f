"""The page of an event's documents: what it offers to whom, and asking for one."""

import re

import pytest
from django.urls import reverse

from tests.club_factories import EventFactory, RoundFactory, TableFactory
from tests.deals import WHOLE_GAME
from tests.factories import EVENING, ReportFactory
from tests.services.tournaments.test_tournaments import NINE, play, running
from tournaments.models import Event, Report
from tournaments.services.auditing import NOBODY
from tournaments.services.documents.building import claim_report
from tournaments.services.tournaments.drawing import (
    publish_round,
    seat_next_round,
    take_back_round,
)
from tournaments.services.tournaments.rounds import close_round, open_round
from tournaments.telling.documents import report_secret

pytestmark = pytest.mark.django_db

Kind = Report.Kind

SEATING = ["seating-by-name-of-round", "seating-by-table-of-round"]
BUTTON = re.compile(r'<button[^>]* name="document" value="([^"]+)\.pdf"( disabled)?')


def of(event):
    return reverse("event_documents", args=[event.club.slug, event.public_id])


def offered(page):
    """The documents with a button that can be pressed, and those that wait."""
    found = BUTTON.findall(page.text)
    return [name for name, off in found if not off], [name for name, off in found if off]


def published(row):
    place = seat_next_round(row.pk, NOBODY, at=EVENING)
    publish_round(place.pk, NOBODY, at=EVENING)
    return place


def closed(row):
    place = published(row)
    open_round(place.pk, NOBODY, at=EVENING)
    play(place, WHOLE_GAME)
    close_round(place.pk, NOBODY, at=EVENING)
    return place


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


@pytest.mark.parametrize(
    ("role", "audience"),
    [("director", "directors"), ("member", "visitors"), ("stranger", "visitors")],
)
def test_seating_is_for_whoever_sees_the_event(someone, row, role, audience):
    published(row)
    fields = {"document": f"{SEATING[0]}.xlsx", "round": "1", "language": "it"}

    someone(role, row.event).post(of(row.event), fields)

    report = Report.objects.get()
    assert (report.kind, report.format, report.language) == ("seating-by-name", "xlsx", "it")
    assert (report.audience, report.parameters) == (
        audience,
        {"host": "http://testserver/", "round": 1},
    )


def test_stranger_who_asks_without_end_is_told_to_wait(someone, row):
    closed(row)
    asked = {"document": "standings.csv"}
    stranger = someone("stranger", row.event)
    codes = [stranger.post(of(row.event), asked).status_code for _ in range(21)]
    assert codes == [302] * 20 + [429]
    assert Report.objects.count() == 1
    assert someone("member", row.event).post(of(row.event), asked).status_code == 302


def test_certificates_wait_for_the_round_that_is_played(someone, row):
    closed(row)
    published(row)
    _, waiting = offered(someone("director", row.event).get(of(row.event)))
    assert waiting == ["certificates"]


def test_event_that_is_not_published_has_no_documents_for_strangers(visitor, row):
    published(row)
    fields = {"document": f"{SEATING[0]}.pdf", "round": "1"}

    assert visitor.get(of(row.event)).status_code == 404
    assert visitor.post(of(row.event), fields).status_code == 404
    assert not Report.objects.exists()


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"document": "seating-by-name.pdf", "round": "1"},
        {"document": "seating-by-name-of-round.json", "round": "1"},
        {"document": "seating-by-name-of-round.pdf"},
        {"document": "seating-by-name-of-round.pdf", "round": "2"},
        {"document": "scoresheet.pdf"},
        {"document": "name-badges.csv"},
    ],
)
def test_what_there_is_not_is_not_found(someone, row, fields):
    published(row)

    answer = someone("director", row.event).post(of(row.event), fields)

    assert (answer.status_code, Report.objects.count()) == (404, 0)


def test_seated_round_is_the_directors_own(someone, row):
    seat_next_round(row.pk, NOBODY, at=EVENING)

    there, waiting = offered(someone("director", row.event).get(of(row.event)))
    assert (there, "table-cards-of-round" in waiting) == ([*SEATING, "name-badges"], True)
    page = someone("member", row.event).get(of(row.event))
    assert (page.context["round"], offered(page)[0]) == (None, [])
    assert "Once a round is published." in page.text
    fields = {"document": f"{SEATING[0]}.pdf", "round": "1"}
    assert someone("member", row.event).post(of(row.event), fields).status_code == 404


def test_round_that_was_taken_back_meanwhile_is_told_of(someone, row):
    place = published(row)
    director = someone("director", row.event)
    take_back_round(place.pk, NOBODY, at=EVENING)

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


def test_evening_has_documents_of_its_tables(someone):
    event = EventFactory()
    director = someone("director", event)
    before = offered(director.get(of(event)))
    TableFactory(round=RoundFactory(event=event, number=1), number=1)

    after = offered(director.get(of(event)))

    kinds = [*SEATING, "table-cards-of-round", "sheets-of-round", "sheets"]
    assert (before, after) == (([], kinds), (kinds, []))


def test_seating_is_two_taps_from_the_tournament_and_one_from_its_file(someone, row):
    published(row)
    director = someone("director", row.event)
    page = director.get(reverse("tournament", args=[row.event.club.slug, row.slug]))
    assert f'href="{of(row.event)}"' in page.text

    buttons = director.get(of(row.event)).text
    assert 'value="seating-by-name-of-round.pdf"' in buttons
    assert '<option value="1" selected>' in buttons


@pytest.mark.parametrize(
    ("site", "warned"), [("http://localhost:8000", True), ("https://king.example", False)]
)
def test_directors_are_told_when_no_phone_can_follow_the_cards(
    settings, someone, row, site, warned
):
    settings.SITE_ADDRESS = site
    director = someone("director", row.event)

    page = director.get(of(row.event))

    assert ("Other phones cannot reach this address" in page.text) == warned


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

    with django_assert_num_queries({"director": 8, "stranger": 3}[role]):
        browser.get(of(row.event))
