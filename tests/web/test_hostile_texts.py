import xml.etree.ElementTree as ET
from datetime import timedelta

import openpyxl
import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from icalendar import Calendar

from tests.check_factories import EmailFactory
from tests.club_factories import ClubFactory, MemberFactory
from tests.hostile_texts import CLEAN, STORED
from tests.reports.asked import file_of
from tests.services.notifications.push_service import push_service
from tests.tournament_builders import play, published, running, seated
from tests.web.statistics.played import games
from tournaments import models
from tournaments.engine.rules.entries import clean_line
from tournaments.reports.documents import build_report
from tournaments.services.audit import NOBODY, Change, note_change
from tournaments.services.emails import sweep_emails
from tournaments.services.notifications.sending import sweep_notifications
from tournaments.services.notifications.subscriptions import subscribe_phone
from tournaments.services.people.players import add_player
from tournaments.services.rounds.running import close_round, open_round
from tournaments.services.rounds.seating import publish_round
from tournaments.services.webhooks.calling import CallAnswer, create_webhook, sweep_webhooks
from tournaments.web.base import answers

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

ALL = {clean_line(text) for text in STORED}


def on(days):
    return timezone.localdate() + timedelta(days=days)


@pytest.fixture
def row():
    """A finished round of people, teams, a club and an evening with such names."""
    row = running(*(f"Oyuncu {n}" for n in range(len(STORED))), rounds=1)
    round_ = open_round(published(row).pk, NOBODY, at=timezone.now())
    play(round_)
    close_round(round_.pk, NOBODY, at=timezone.now())
    entrants = list(row.entrants.select_related("player").order_by("number"))
    for entrant, text in zip(entrants, STORED, strict=True):
        models.Player.objects.filter(pk=entrant.player_id).update(name=text)
        models.Entrant.objects.filter(pk=entrant.pk).update(team=text, represents=text)
    names = dict(models.Player.objects.values_list("pk", "name"))
    for game in models.Game.objects.all():
        seats = game.seats.order_by("number").values_list("player", flat=True)
        game.players = [names[each] for each in seats]
        game.title, game.place = game.players[0], game.players[1]
        game.save()
    models.Event.objects.update(name=STORED[1], venue=STORED[0], published=True, held_on=on(-1))
    models.Club.objects.update(name=STORED[0], published=True, in_server_ratings=True)
    row.refresh_from_db()
    return row


def test_pages_and_pictures_show_them_as_text(client, row, monkeypatch):
    monkeypatch.setattr(answers, "LONGEST_WAIT", 0)
    club, slug = row.event.club.slug, row.slug
    addresses = [
        *(reverse(name, args=[club, slug]) for name in ("standings", "entrants", "tournament")),
        *(f"/clubs/{club}/{path}" for path in ("", "games/", "events/", "records/")),
    ]
    pages = [client.get(address) for address in addresses]
    member = Client()
    member.force_login(MemberFactory(club=row.event.club).user)
    pages.append(member.get(f"/clubs/{club}/players/"))
    for text in STORED:
        models.Event.objects.update(name=text)
        pages.append(client.get(reverse("tournament", args=[club, slug])))
        assert 'property="og:title"' in pages[-1].text
    assert {page.status_code for page in pages} == {200}
    assert not [page for page in pages if "<script>alert" in page.text]

    drawn = [reverse(name, args=[club, slug]) for name in ("standings_picture",)]
    drawn += [
        reverse("follow_picture_wide", args=[game.public_id, game.secret("follow")])
        for game in models.Game.objects.all()
    ]
    for address in drawn:
        client.get(address)
    for report in models.Report.objects.all():
        build_report(report.pk)
    for address in drawn:
        answer = client.get(address)
        assert answer["Content-Type"] == "image/png"
        answer.close()


def test_feeds_and_calendars_have_an_item_for_each(client, row):
    club = row.event.club
    for text in STORED:
        event = games(club, (9, 5, -5, -9), name="x", published=True, held_on=on(-2))
        models.Event.objects.filter(pk=event.pk).update(name=text, venue=text)
    feed = client.get(reverse("club_results", args=[club.slug]))
    titles = [item.findtext("title") for item in ET.fromstring(feed.content).iter("item")]
    assert len(titles) >= 19
    assert all(title == clean_line(title) for title in titles)

    for address in [reverse("club_calendar", args=[club.slug])]:
        entries = Calendar.from_ical(client.get(address).content).walk("VEVENT")
        assert {str(entry["summary"]) for entry in entries} >= ALL
        assert {str(entry["location"]) for entry in entries} >= ALL
    for event in models.Event.objects.all()[:3]:
        address = reverse("event_calendar", args=[club.slug, event.public_id])
        assert client.get(address).status_code == 200


def test_tables_for_spreadsheets_keep_text_as_text(client, row, tmp_path):
    book = openpyxl.load_workbook(file_of(tmp_path, row, "xlsx"))
    cells = [cell for sheet in book.worksheets for line in sheet.iter_rows() for cell in line]
    assert {"1/0", "1/2", "=1+1"} <= {cell.value for cell in cells if cell.data_type == "s"}
    assert not [cell for cell in cells if cell.data_type == "f" and "cmd" in str(cell.value)]
    text = file_of(tmp_path, row, "csv").read_text(encoding="utf-8-sig")
    assert ("1/0" in text, "\n=" in text, "\x01" in text) == (True, False, False)


def test_documents_are_set(row, tmp_path):
    for kind in ("standings", "cross-table"):
        assert file_of(tmp_path, row, "pdf", kind=kind).read_bytes().startswith(b"%PDF")


def test_letters_go_with_one_line_for_a_subject_and_one_that_cannot_is_given_up(caplog):
    at = timezone.now()
    bad = EmailFactory(written_at=at, user__email="a@x.example\nBcc: b@x.example")
    for text in STORED:
        EmailFactory(written_at=at, subject=f"x {text}", body=text)

    sweep_emails(at)
    sweep_emails(at + timedelta(hours=1))

    assert [letter.subject for letter in mail.outbox] == [f"x {text}".strip() for text in CLEAN]
    assert [each.pk for each in models.Email.objects.filter(sent_at=None)] == [bad.pk]
    lines = [line.getMessage() for line in caplog.records if "given up" in line.getMessage()]
    assert lines == [f"letter {bad.pk} is given up: BadHeaderError"]
    assert not models.Email.objects.awaiting_sending(at + timedelta(hours=2)).exists()


def test_phone_is_notified_of_each(settings):
    row = running("Ayşe", "Burak", "Cem", "Deniz", rounds=2)
    with push_service(settings) as service:
        browser, before = service.browser(), timezone.now() - timedelta(minutes=1)
        subscribe_phone(row.entrants.get(number=1), browser.address(), "tr", at=before)
        publish_round(seated(row).pk, NOBODY, at=timezone.now())
        for text in STORED:
            models.Event.objects.update(name=text)
            sweep_notifications(service.send)
            models.Notification.objects.update(next_at=timezone.now())
        found = [message["body"] for message, _headers in service.messages(browser)]
    assert found == CLEAN


def test_webhook_is_called_for_each_and_for_those_behind_one_that_cannot_be_made(caplog):
    club = ClubFactory()
    events, url = ["player.added", "entrant.added"], "https://receiver.example/hook"
    create_webhook(club, url, events, NOBODY, at=timezone.now())
    calls = []
    for text in STORED:
        add_player(club, text, NOBODY, at=timezone.now())
        broken = Change(
            models.AuditEntry.Kind.EVENT, "add-entrants", "", after={"entrants": [text]}
        )
        note_change(club, broken, NOBODY, at=timezone.now())

    sweep_webhooks(lambda message, at: calls.append(message) or CallAnswer(200))

    assert len(calls) == len(STORED)
    assert {each.state for each in models.Delivery.objects.all()} == {"delivered"}
    assert len([line for line in caplog.records if "becomes no call" in line.msg]) == len(STORED)
