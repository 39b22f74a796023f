"""A club in another time zone than its server: its pages, calendar, documents and e-mails."""

from datetime import UTC, date, datetime, timedelta

import pytest
from django.urls import reverse
from django.utils import timezone
from icalendar import Calendar
from pypdf import PdfReader

from tests.club_factories import ClubFactory, EventFactory, MemberFactory, TableFactory
from tests.deals import WHOLE_GAME
from tournaments import tasks
from tournaments.models import Club, Email, Game, Report
from tournaments.services import emails

NIGHT = datetime(2026, 11, 20, 21, 30, tzinfo=UTC)
"""Half past ten in Rome, after midnight in Istanbul, where the server of the tests is."""


@pytest.fixture
def club():
    return ClubFactory(slug="roma", published=True, time_zone="Europe/Rome")


@pytest.fixture
def game(club):
    table = TableFactory(round__event=EventFactory(club=club, published=True), entries=WHOLE_GAME)
    table.games.update(played_at=NIGHT)
    return Game.objects.get()


def test_calendar_has_the_hour_of_the_club(client, club):
    EventFactory(club=club, published=True, held_on=date(2026, 12, 4), starts_at="22:30")

    answer = client.get(reverse("club_calendar", args=["roma"]))

    (entry,) = Calendar.from_ical(answer.content).walk("VEVENT")
    assert entry.decoded("dtstart") == datetime(2026, 12, 4, 21, 30, tzinfo=UTC)


def test_pages_of_a_club_have_its_days_and_others_those_of_the_server(client, club, game):
    client.force_login(MemberFactory(club=club).user)

    assert "20 November 2026" in client.get(reverse("club_games", args=["roma"])).text
    client.get(reverse("home"))
    assert timezone.get_current_timezone_name() == "Europe/Istanbul"
    client.get(reverse("follow", args=[game.public_id, game.secret("follow")]))
    assert timezone.get_current_timezone_name() == "Europe/Rome"


def test_tables_of_a_phone_and_what_comes_have_the_days_of_their_club(client, game):
    client.get(reverse("follow", args=[game.public_id, game.secret("follow")]))
    assert "20 November 2026" in client.get(reverse("tables")).text

    # At any hour one of them has another day than the server.
    for zone in ("Pacific/Kiritimati", "Pacific/Pago_Pago"):
        away = ClubFactory(published=True, time_zone=zone)
        today = timezone.localdate(timezone=away.zone)
        EventFactory(club=away, published=True, name=f"Today in {zone}", held_on=today)
        over = today - timedelta(days=1)
        EventFactory(club=away, published=True, name=f"Yesterday in {zone}", held_on=over)
        for page in (client.get(reverse(name)).text for name in ("home", "clubs")):
            assert f"Today in {zone}" in page
            assert f"Yesterday in {zone}" not in page


def test_documents_of_a_club_have_its_days(client, game):
    client.post(reverse("follow_scoresheet", args=[game.public_id, game.secret("follow")]))
    report = Report.objects.get()
    tasks.build_report(report.pk)
    report.refresh_from_db()
    with report.file.open() as file:
        assert "20 November 2026" in PdfReader(file).pages[0].extract_text()


def test_month_is_mailed_when_it_is_over_where_the_club_is(club, game):
    owner = MemberFactory(club=club, role="owner").user
    owner.emailaddress_set.create(email=owner.email, verified=True)
    Club.objects.update(time_zone="America/New_York", created_at=NIGHT)
    game.table.round.event.__class__.objects.update(held_on=date(2026, 11, 20))
    # The first of December in Istanbul, and still the last of November in New York.
    for hour, mailed in ((3, 0), (12, 1)):
        emails.sweep_months(datetime(2026, 12, 1, hour, 5, tzinfo=UTC))
        assert Email.objects.count() == mailed
