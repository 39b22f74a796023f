import io
import re
import time
from html import unescape
from types import SimpleNamespace

import pytest
from PIL import Image

from tests.club_factories import ClubFactory, MemberFactory
from tests.deals import WHOLE_GAME, deal
from tests.factories import ContextFactory, GameFactory, record_all, reload
from tests.match_builders import rematch
from tests.reports.asked import tournament
from tests.waiting import PATIENCE
from tournaments.engine.documents.entries import parse_entry
from tournaments.models import Club, Event, Report
from tournaments.reports.documents import build_report
from tournaments.services.games.playing import correct_entry
from tournaments.web.base import answers
from tournaments.web.base.phone import address, evening_address, picture_address


@pytest.fixture
def game():
    return reload(GameFactory(entries=WHOLE_GAME)).row


@pytest.fixture
def worker(monkeypatch):
    """Build what waits while a request sleeps, as the worker does."""

    def sleep(_seconds):
        for report in Report.objects.filter(state="waiting"):
            build_report(report.pk)

    clock = SimpleNamespace(sleep=sleep, monotonic=time.monotonic)
    monkeypatch.setattr(answers, "time", clock)
    monkeypatch.setattr(answers, "LONGEST_WAIT", PATIENCE)


def drawn(answer):
    assert (answer.status_code, answer["Content-Type"]) == (200, "image/png")
    return Image.open(io.BytesIO(answer.getvalue()))


def tags(page):
    found = re.findall(r'<meta (?:property|name)="((?:og|twitter):[^"]+)" content="([^"]*)"', page)
    return {name: unescape(content) for name, content in found}


@pytest.mark.usefixtures("worker")
@pytest.mark.parametrize(("wide", "size"), [(False, (1080, 1350)), (True, (1200, 630))])
def test_picture_is_drawn_once_for_all_who_ask(client, game, wide, size):
    for _ in range(2):
        with drawn(client.get(picture_address(game, wide=wide))) as picture:
            assert picture.size == size

    (report,) = Report.objects.all()
    assert (report.kind, report.format, report.attempts) == ("picture", "png", 1)


@pytest.mark.usefixtures("worker")
def test_picture_that_is_kept_is_answered_without_writing(client, game, django_assert_num_queries):
    drawn(client.get(picture_address(game)))
    # The address, the game, its revisions, the report, and the game for the name of the file.
    with django_assert_num_queries(5) as asked:
        drawn(client.get(picture_address(game)))
    assert all(query["sql"].startswith("SELECT") for query in asked.captured_queries)


@pytest.mark.usefixtures("worker")
def test_picture_is_drawn_again_after_a_correction_and_in_each_language(client, game):
    first = client.get(picture_address(game)).getvalue()
    entry = parse_entry(deal("trump", 3, 3, 0, 7, trump="diamonds"))
    correct_entry(game.pk, 19, entry, "", ContextFactory(revision=game.revision))
    game.refresh_from_db()

    second = client.get(picture_address(game)).getvalue()
    turkish = client.get(picture_address(game).replace("language=en", "language=tr")).getvalue()

    assert len({first, second, turkish}) == 3
    assert sorted(Report.objects.values_list("language", flat=True)) == ["en", "en", "tr"]


def test_without_a_worker_the_visitor_is_asked_to_come_again(client, game, monkeypatch):
    monkeypatch.setattr(answers, "LONGEST_WAIT", 0.2)
    answer = client.get(picture_address(game))
    assert (answer.status_code, answer["Retry-After"]) == (503, "2")
    assert answer["Content-Type"].startswith("text/plain")
    # It goes on waiting for the worker.
    assert Report.objects.get().state == "waiting"


def test_few_requests_wait_for_pictures(client, game, monkeypatch):
    monkeypatch.setattr(answers, "LONGEST_WAIT", 60)
    with answers.WAITING, answers.WAITING:
        assert client.get(picture_address(game)).status_code == 503


def test_link_to_follow_shows_who_won_and_the_picture(client, game):
    page = client.get(address(game, "follow")).text
    shown = tags(page)
    assert shown["og:title"] == "Out: Ayşe"
    assert (
        shown["og:description"] == "King · 20 deals: Ayşe 540 · Deniz −100 · Burak −110 · Cem −330"
    )
    assert shown["og:url"] == "http://testserver" + address(game, "follow")
    assert shown["og:image"] == "http://testserver" + picture_address(game, wide=True)
    assert shown["twitter:card"] == "summary_large_image"
    assert shown["twitter:image"] == shown["og:image"]
    assert '<meta name="description" content="King' in page


def test_address_to_write_has_no_preview_and_no_picture_of_its_own(client, game):
    page = client.get(address(game, "write")).text
    assert tags(page) == {}
    assert picture_address(game) in page.replace("&amp;", "&")
    own = address(game, "write") + "picture.png"
    assert client.get(own).status_code == 404
    with_secret_to_write = picture_address(game).replace(
        game.secret("follow"), game.secret("write")
    )
    assert client.get(with_secret_to_write).status_code == 404


def test_evening_shows_who_leads_where_it_is_followed_and_nothing_to_whoever_writes(client, game):
    second, _ = rematch(game)
    record_all(second, WHOLE_GAME)
    at = evening_address(game.open_table)

    shown = tags(client.get(at).text)

    assert shown["og:title"] == "In the lead: Ayşe"
    assert shown["og:description"].startswith("2 games finished: Ayşe 1080 · Deniz −200")
    assert shown["og:image"] == "http://testserver/static/kingscore-wide.png"
    client.get(address(second, "write"))
    assert tags(client.get(at).text) == {}


@pytest.mark.usefixtures("worker")
def test_published_tournament_shows_its_standings_in_a_preview(client):
    row = tournament(ClubFactory(published=True))
    at = f"/clubs/{row.event.club.slug}/tournaments/{row.slug}/standings/"
    assert client.get(f"{at}picture-wide.png").status_code == 404
    Event.objects.filter(pk=row.event_id).update(published=True)

    shown = tags(client.get(at).text)

    assert shown["og:title"] == f"Standings · {row.event.name}"
    assert " · finished · 1. " in shown["og:description"]
    with drawn(client.get(shown["og:image"].removeprefix("http://testserver"))) as picture:
        assert picture.size == (1200, 630)
    assert Report.objects.get().state == "done"


def test_director_gets_no_preview(client):
    club = ClubFactory(published=True)
    row = tournament(club)
    Event.objects.filter(pk=row.event_id).update(published=True)
    client.force_login(MemberFactory(club=Club.objects.get(pk=club.pk), role="director").user)
    page = client.get(f"/clubs/{club.slug}/tournaments/{row.slug}/").text
    assert tags(page) == {}
