"""Handing the pen over, taking it, and deleting a game."""

import pytest
from django.core.files.storage import default_storage
from django.urls import reverse

from tests.deals import WHOLE_GAME
from tests.factories import EVENING, GameFactory
from tournaments.building import build_report
from tournaments.models import Game
from tournaments.services.documents import reporting
from tournaments.services.play.playing import PenTaken, hand_over
from tournaments.web.phone import address

pytestmark = pytest.mark.django_db

KEY = "key-of-the-phone-that-takes-it"


@pytest.fixture
def phone(client):
    """A browser in English."""
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = "en"
    return client


def under(name, game, kind="write"):
    return reverse(name, args=[game.public_id, game.secret(kind)])


def test_pen_page_shows_the_whole_addresses_as_qr_codes(phone):
    game = GameFactory()

    page = phone.get(under("pen", game))

    doors = [page.context[name]["address"] for name in ("follow", "take", "write")]
    assert doors == [
        "http://testserver" + path
        for path in (address(game, "follow"), under("take", game, "pen"), address(game, "write"))
    ]
    assert page.text.count("<svg xmlns") + page.text.count('stroke="#000"') >= 3
    assert "style=" not in page.text
    assert "no-store" in page["Cache-Control"]


@pytest.mark.parametrize(
    ("site", "warned"), [("http://127.0.0.1:8000", True), ("http://192.168.1.7:8000", False)]
)
def test_pen_page_warns_where_no_other_phone_can_reach_it(settings, phone, site, warned):
    settings.SITE_ADDRESS = site

    page = phone.get(under("pen", GameFactory()))

    assert page.context["out_of_reach"] is warned


def test_pen_is_not_shown_to_followers(phone):
    assert phone.get(under("pen", GameFactory(), "follow")).status_code == 404


def test_taking_the_pen_takes_it_from_the_phone_before(phone):
    game = GameFactory()
    old = under("pen", game)

    answer = phone.post(under("take", game, "pen"), {"key": KEY})

    taken = Game.objects.get()
    assert answer.url == address(taken, "write")
    assert taken.secret("write") != game.secret("write")
    assert phone.get(old).status_code == 404
    assert phone.get(under("pen", taken)).status_code == 200


def test_looking_at_the_take_page_takes_nothing(phone):
    game = GameFactory()

    page = phone.get(under("take", game, "pen"))

    assert page.status_code == 200
    assert Game.objects.get().write_generation == game.write_generation


def test_phone_that_took_the_pen_remembers_the_game(phone):
    phone.post(under("take", GameFactory(), "pen"), {"key": KEY})

    (line,) = phone.get("/").context["games"]
    assert line.game.kind == "write"


def test_pen_taken_twice_with_one_key_leads_to_the_same_sheet(phone):
    # The answer was lost in the café, and the phone sends the form again.
    take = under("take", GameFactory(), "pen")

    answers = [phone.post(take, {"key": KEY}) for _ in range(2)]

    assert answers[0].url == answers[1].url
    assert Game.objects.get().write_generation == 2


def test_used_address_gives_the_pen_to_nobody_else(phone):
    take = under("take", GameFactory(), "pen")
    phone.post(take, {"key": KEY})

    assert phone.get(take).status_code == 404
    assert phone.post(take, {"key": "key-of-the-phone-before-it"}).status_code == 404


def test_pen_taken_meanwhile_is_not_given_a_second_time():
    game = GameFactory()
    hand_over(game.pk, 1, KEY, at=EVENING)

    with pytest.raises(PenTaken):
        hand_over(game.pk, 1, "key-of-the-phone-before-it", at=EVENING)


def test_row_keeps_no_key_that_takes_the_pen(phone):
    phone.post(under("take", GameFactory(), "pen"), {"key": KEY})

    assert KEY not in Game.objects.get().taken_with


@pytest.mark.parametrize("kind", ["write", "follow"])
def test_only_the_take_address_takes_the_pen(phone, kind):
    assert phone.post(under("take", GameFactory(), kind), {"key": KEY}).status_code == 404


def test_deleting_asks_first(phone):
    game = GameFactory()

    assert phone.get(under("delete", game)).status_code == 200
    assert Game.objects.count() == 1


def test_deleted_game_is_gone_with_all_that_belongs_to_it(
    phone, django_capture_on_commit_callbacks
):
    game = GameFactory(entries=WHOLE_GAME[:2])
    game.refresh_from_db()
    report = reporting.request_scoresheet(game, language="tr", follow_url="x", at=EVENING)
    build_report(report.pk)
    report.refresh_from_db()

    with django_capture_on_commit_callbacks(execute=True):
        answer = phone.post(under("delete", game))

    assert answer.url == "/?deleted=1"
    assert not Game.objects.exists()
    assert not default_storage.exists(report.file.name)
    assert "The game is deleted." in phone.get(answer.url).text


def test_phone_that_deleted_a_game_does_not_look_for_it(phone, django_assert_num_queries):
    game = GameFactory()
    phone.post(under("take", game, "pen"), {"key": KEY})
    game.refresh_from_db()

    phone.post(under("delete", game))

    # Whether there is a leaderboard of all clubs is asked; no game is.
    with django_assert_num_queries(1) as asked:
        phone.get("/")
    assert "tournaments_game" not in asked.captured_queries[0]["sql"]


def test_deleting_is_for_whoever_writes(phone):
    game = GameFactory()

    assert phone.post(under("delete", game, "follow")).status_code == 404
    assert Game.objects.count() == 1
