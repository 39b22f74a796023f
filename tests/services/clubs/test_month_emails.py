from datetime import UTC, date, datetime, timedelta

import pytest
from allauth.account.models import EmailAddress
from django.core import mail

from tests.club_factories import ClubFactory, EventFactory, MemberFactory, TableFactory
from tests.deals import WHOLE_GAME
from tournaments.models import Email, Report
from tournaments.reports import documents
from tournaments.services import emails
from tournaments.services.documents.reporting import remake_documents

pytestmark = pytest.mark.django_db

FIRST = datetime(2026, 11, 1, 3, 5, tzinfo=UTC)
"""Five past six in Istanbul, on the first."""

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)


def reader(club, name, role="owner", *, proved=True, language="tr", **fields):
    member = MemberFactory(club=club, role=role, user__username=name, **fields)
    EmailAddress.objects.create(user=member.user, email=member.user.email, verified=proved)
    emails.remember_language(member.user_id, language)
    return member


def club_with_games(day=date(2026, 10, 20), **fields):
    club = ClubFactory(**{"created_at": FIRST - 300 * DAY, **fields})
    TableFactory(round__event=EventFactory(club=club, held_on=day), entries=WHOLE_GAME)
    return club


def build():
    for report in Report.objects.filter(state="waiting").order_by("pk"):
        documents.build_report(report.pk)


def sent():
    return sorted((each.to[0], each.subject) for each in mail.outbox)


def test_month_is_over_at_six_on_the_first_by_the_clock_on_the_wall():
    moments = (FIRST - 6 * MINUTE, FIRST, FIRST + 29 * DAY, datetime(2026, 3, 1, 9, tzinfo=UTC))

    assert [emails.month_over(at) for at in moments] == [
        date(2026, 9, 1),
        date(2026, 10, 1),
        date(2026, 10, 1),
        date(2026, 2, 1),
    ]


def test_month_is_mailed_once_to_those_who_direct_and_want_it(settings):
    settings.SITE_ADDRESS = "https://king.example"
    club = club_with_games(name="Kadıköy King")
    reader(club, "owner")
    reader(club, "director", "director", language="it")
    reader(club, "second", "director", language="")
    reader(club, "member", "member")
    reader(club, "unproved", proved=False)
    reader(club, "off", month_by_mail=False)
    reader(club, "gone", user__is_active=False)
    reader(club_with_games(date(2026, 9, 30)), "elsewhere")

    for at in (FIRST, FIRST + HOUR, FIRST + 20 * DAY):
        emails.sweep_months(at)
    emails.sweep_emails(FIRST + HOUR)
    assert sent() == []
    build()
    for _sweep in range(3):
        emails.sweep_emails(FIRST + HOUR)
    emails.sweep_months(FIRST + 21 * DAY)
    assert Report.objects.count() == 3

    assert sent() == [
        ("director@example.org", "Kadıköy King: ottobre 2026"),
        ("owner@example.org", "Kadıköy King: Ekim 2026"),
        ("second@example.org", "Kadıköy King: October 2026 / Ekim 2026 / ottobre 2026"),
    ]
    for letter in mail.outbox:
        [(name, document, kind)] = letter.attachments
        assert (name, kind) == (f"{club.slug}-2026-10.pdf", "application/pdf")
        assert document.startswith(b"%PDF")
        assert "https://king.example/me/#mails" in letter.body


def test_machine_that_was_off_mails_at_its_next_start_but_no_months_before():
    late = club_with_games()
    reader(late, "late")
    # As all clubs are marked that were there before such mails.
    old = club_with_games(date(2026, 10, 5), month_mailed=date(2026, 10, 1))
    reader(old, "old")
    imported = club_with_games(date(2026, 10, 5), created_at=FIRST + 10 * DAY)
    reader(imported, "imported")

    emails.sweep_months(FIRST - 3 * DAY)
    assert not Email.objects.exists()
    emails.sweep_months(FIRST + 19 * DAY)

    assert [letter.user.username for letter in Email.objects.all()] == ["late"]


def test_who_switches_it_off_or_leaves_before_it_is_sent_gets_nothing():
    club = club_with_games()
    reader(club, "owner")
    off, gone = (reader(club, name, "director") for name in ("off", "gone"))
    emails.sweep_months(FIRST)
    build()

    emails.switch_month(off, wanted=False)
    gone.delete()
    emails.sweep_emails(FIRST + HOUR)

    assert [each.to for each in mail.outbox] == [["owner@example.org"]]
    emails.switch_month(off, wanted=True)
    emails.sweep_months(FIRST + DAY)
    assert Email.objects.count() == 1


def test_name_removed_before_the_mail_is_in_no_mail(django_capture_on_commit_callbacks):
    club = club_with_games()
    reader(club, "owner")
    emails.sweep_months(FIRST)
    build()
    before = Report.objects.get().file.name

    with django_capture_on_commit_callbacks(execute=True):
        remake_documents(club, FIRST)
    emails.sweep_emails(FIRST + HOUR)
    assert sent() == []
    assert not Report.file.field.storage.exists(before)
    build()
    emails.sweep_emails(FIRST + HOUR)

    assert len(mail.outbox) == 1


def test_switch_is_on_the_page_the_mail_leads_to(client):
    club = club_with_games()
    owner, member = reader(club, "owner"), reader(club, "member", "member")
    client.force_login(member.user)
    assert "The month comes by e-mail" not in client.get("/me/").text
    client.force_login(owner.user)
    assert "The month comes by e-mail" in client.get("/me/").text

    answer = client.post(f"/me/clubs/{club.slug}/month/", {"month": "no"})

    assert answer.url == "/me/#mails"
    assert "No e-mails" in client.get("/me/").text
    emails.sweep_months(FIRST)
    assert not Email.objects.exists()
