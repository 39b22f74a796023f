import re
import xml.etree.ElementTree as ET
from datetime import date, timedelta
from html import unescape

import pytest
from django.urls import reverse
from django.utils import timezone
from django.utils.feedgenerator import rfc2822_date
from django.utils.formats import date_format
from icalendar import Calendar

from tests.club_factories import ClubFactory, EventFactory, MemberFactory, SeasonFactory
from tests.rating_factories import RatingPoolFactory
from tests.tournament_builders import plan
from tests.web.ratings.ratings_world import rated
from tests.web.standings.evenings import evening
from tests.web.statistics.played import FOUR, games
from tournaments.models import Club, Event, User
from tournaments.services.audit import NOBODY
from tournaments.services.tournaments.lifecycle import create_tournament, move_tournament

POINTS = dict(zip(FOUR, (10, 20, 30, -60), strict=True))


@pytest.fixture
def club():
    return ClubFactory(slug="moda", name="Moda King", published=True, in_server_ratings=True)


def on(days):
    return timezone.localdate() + timedelta(days=days)


def feed(client, name, *part, **query):
    return client.get(reverse(name, args=["moda", *part]), query)


def entries(answer):
    return Calendar.from_ical(answer.content).walk("VEVENT")


def test_calendar_of_a_club_has_its_published_events(client, club):
    tonight = {"starts_at": "19:30", "venue": "Moda, Café; 1", "held_on": date(2026, 12, 4)}
    timed = EventFactory(club=club, name="Yeni Yıl", published=True, **tonight)
    EventFactory(club=club, name="Whole day", published=True, held_on=date(2026, 12, 6))
    EventFactory(club=club, name="Members only", held_on=date(2026, 12, 5))
    EventFactory(club=club, name="Long past", published=True, held_on=on(-61))

    answer = feed(client, "club_calendar")

    assert answer["Content-Type"] == "text/calendar; charset=utf-8"
    first, second = entries(answer)
    assert first["uid"] == f"{timed.public_id}@kingscore"
    assert (first["summary"], first["location"]) == ("Yeni Yıl", "Moda, Café; 1")
    begins = first.decoded("dtstart")
    assert timezone.localtime(begins).strftime("%d %H:%M") == "04 19:30"
    assert first.decoded("dtend") - begins == timedelta(hours=4)
    assert first["url"].endswith(reverse("event", args=["moda", timed.public_id]))
    assert (second["summary"], second.decoded("dtstart")) == ("Whole day", date(2026, 12, 6))


def test_one_event_is_added_to_a_calendar_from_the_page_of_its_tournament(client, club):
    EventFactory(club=club, name="Another", published=True, held_on=on(2))
    row = create_tournament(club, plan(), NOBODY, at=timezone.now())
    Event.objects.filter(pk=row.event_id).update(published=True, held_on=on(3))
    move_tournament(row.pk, "registration", NOBODY, at=timezone.now())

    page = client.get(reverse("tournament", args=["moda", row.slug]))
    link = reverse("event_calendar", args=["moda", row.event.public_id])

    assert link in page.text
    (entry,) = entries(client.get(link))
    assert (entry["summary"], entry.decoded("dtstart")) == (row.event.name, on(3))


def test_own_calendar_has_the_events_of_ones_clubs_until_it_is_replaced(visitor, club):
    visitor.become("member", club)
    elsewhere = MemberFactory(user=visitor.user).club
    for number, of in enumerate((club, elsewhere, ClubFactory())):
        EventFactory(club=of, name=f"Evening {number}", held_on=on(1))
    address = visitor.get("/me/").context["calendar"]
    path = address[address.index("/calendar/") :]
    visitor.logout()

    assert [each["summary"] for each in entries(visitor.get(path))] == ["Evening 0", "Evening 1"]

    User.objects.filter(pk=visitor.user.pk).update(is_active=False)
    assert visitor.get(path).status_code == 404
    User.objects.filter(pk=visitor.user.pk).update(is_active=True)
    visitor.force_login(visitor.user)
    visitor.post(reverse("replace_calendar"))
    assert visitor.get(path).status_code == 404
    assert visitor.get("/me/").context["calendar"] != address


def test_results_name_the_winners_of_published_evenings(client, club):
    at = timezone.now() - timedelta(days=2)
    shown = games(club, (9, 5, -5, -9), name="Cuma", published=True, held_on=on(-2), at=at)
    games(club, (9, 5, -5, -9), name="Members only", held_on=on(-3), at=at)

    answer = feed(client, "club_results", language="tr")

    assert answer["Content-Type"].startswith("application/rss+xml")
    channel = ET.fromstring(answer.content).find("channel")
    assert channel.findtext("language") == "tr"
    (item,) = channel.findall("item")
    assert item.findtext("title") == "Cuma: Ayşe, 9"
    assert item.findtext("link").endswith(reverse("event", args=["moda", shown.public_id]))


def rows(client, part, **query):
    """The rows of a part: what stands before the name, the name, and what follows."""
    cells = re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", feed(client, "embed", part, **query).text)
    texts = [unescape(re.sub(r"<[^>]+>", "", cell)) for cell in cells]
    return [tuple(texts[n : n + 3]) for n in range(0, len(texts), 3)]


def test_parts_show_what_is_published(client, club):
    season = SeasonFactory(club=club, starts_on=on(-60), ends_on=on(60))
    row = evening(season, [POINTS], published=True)
    evening(season, [POINTS])
    nearest = EventFactory(club=club, name="<b>", published=True, held_on=on(2), starts_at="20:00")
    EventFactory(club=club, held_on=on(1))
    pool = RatingPoolFactory(club=club)
    rated(pool, 1610, player=row.entrants.get(number=1).player)

    first = ("1", "Cem", "30")
    assert rows(client, "standings")[0] == first
    assert rows(client, "standings", tournament=row.slug)[0] == first
    assert feed(client, "embed", "standings", tournament="none").status_code == 404
    # The evening that only members see does not count.
    assert rows(client, "league")[0] == first
    assert rows(client, "ratings") == [("1", "Ayşe", "1610")]
    assert rows(client, "events") == [(date_format(on(2), "j M"), "<b>", "20:00")]
    address = reverse("event", args=["moda", nearest.public_id])
    assert f'{address}" target="_blank"' in feed(client, "embed", "events").text
    assert feed(client, "embed", "players").status_code == 404

    Club.objects.update(in_server_ratings=False)
    assert feed(client, "embed", "ratings").status_code == 404


def test_page_for_a_frame_may_be_framed_and_takes_colours_that_are_colours(client, club):
    EventFactory(club=club, name="Cuma", published=True, held_on=on(2))
    colours = {"paper": "FFffff", "ink": "red;}", "accent": "12345"}

    answer = feed(client, "embed", "events", **colours, language="it")

    assert "frame-ancestors *" in answer["Content-Security-Policy"]
    assert "default-src 'self'" in answer["Content-Security-Policy"]
    assert "X-Frame-Options" not in answer
    assert "frame-ancestors 'none'" in client.get("/clubs/moda/")["Content-Security-Policy"]
    assert ("Prossime serate" in answer.text, "Cuma" in answer.text) == (True, True)
    assert 'href="/embed/colours.css?paper=FFffff"' in answer.text
    styles = client.get("/embed/colours.css", colours).text
    assert styles == ":root{--paper:#FFffff;}"


@pytest.mark.parametrize("name", ["club_calendar", "club_results", "embed"])
def test_what_has_not_changed_is_answered_without_a_body(client, club, name):
    part = ("events",) if name.startswith("embed") else ()
    event = EventFactory(club=club, published=True, held_on=on(2))
    before = feed(client, name, *part)
    kept = {"HTTP_IF_NONE_MATCH": before["ETag"]}
    path = reverse(name, args=["moda", *part])

    assert "public" in before["Cache-Control"]
    assert before["Access-Control-Allow-Origin"] == "*"
    assert client.get(path, **kept).status_code == 304
    if name == "club_results":
        assert rfc2822_date(club.created_at) in before.text
    else:
        type(event).objects.update(name="Another")
        assert client.get(path, **kept).status_code == 200
    Club.objects.update(published=False)
    assert client.get(path, **kept).status_code == 404


def test_page_to_copy_from_has_a_line_for_each_part(client, club):
    text = client.get(reverse("share_club", args=["moda"])).text

    for part in ("events", "league", "standings", "ratings"):
        assert f"{reverse('embed', args=['moda', part])}?language=" in text
    assert "webcal://" in text
