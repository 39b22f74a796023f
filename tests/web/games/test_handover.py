import pytest
from django.urls import reverse

from tests.club_factories import TableFactory
from tests.deals import WHOLE_GAME
from tests.factories import EVENING, GameFactory
from tournaments.models import Game
from tournaments.web.base.phone import address, evening_address

KEY = "key-of-the-phone-that-takes-it"


def under(name, game, kind="write"):
    return reverse(name, args=[game.public_id, game.secret(kind)])


@pytest.mark.parametrize("of_club", [False, True])
def test_handover_page_shows_the_whole_addresses_as_qr_codes(plain, of_club):
    game = TableFactory().games.get() if of_club else GameFactory()
    # One code for all games of the evening.
    to_follow = address(game, "follow") if of_club else evening_address(game.open_table)

    page = plain.get(under("pen", game))

    links = [page.context[name]["address"] for name in ("follow", "take", "write")]
    assert links == [
        "http://testserver" + path
        for path in (to_follow, under("take", game, "pen"), address(game, "write"))
    ]
    assert page.text.count("<svg xmlns") + page.text.count('stroke="#000"') >= 3
    assert "style=" not in page.text
    assert "no-store" in page["Cache-Control"]


@pytest.mark.parametrize(
    ("site", "warned"), [("http://127.0.0.1:8000", True), ("http://192.168.1.7:8000", False)]
)
def test_handover_page_warns_where_no_other_phone_can_reach_it(settings, plain, site, warned):
    settings.SITE_ADDRESS = site

    page = plain.get(under("pen", GameFactory()))

    assert page.context["out_of_reach"] is warned


def test_scoring_is_not_taken_over_once_the_round_is_closed(plain):
    game = TableFactory(round__closed_at=EVENING).games.get()

    answer = plain.post(under("take", game, "pen"), {"key": KEY})

    assert answer.status_code == 404
    assert Game.objects.get().write_generation == game.write_generation


def test_scoring_that_is_taken_over_is_taken_from_the_phone_before(plain):
    game = GameFactory()
    old = under("pen", game)

    # The answer was lost in the café, and the phone sends the form again.
    answers = [plain.post(under("take", game, "pen"), {"key": KEY}) for _ in range(2)]

    taken = Game.objects.get()
    assert [answer.url for answer in answers] == [address(taken, "write")] * 2
    assert taken.secret("write") != game.secret("write")
    other = plain.post(under("take", game, "pen"), {"key": "key-of-the-phone-before-it"})
    assert (plain.get(old).status_code, other.status_code) == (404, 404)
    assert plain.get(under("pen", taken)).status_code == 200
    plain.get(address(taken, "write"))
    (line,) = plain.get("/").context["games"]
    assert line.game.kind == "write"


def test_deleted_game_is_gone(plain):
    answer = plain.post(under("delete", GameFactory(entries=WHOLE_GAME[:2])))

    assert answer.url == "/?deleted=1"
    assert not Game.objects.exists()
    assert "The game is deleted." in plain.get(answer.url).text


def test_phone_that_deleted_a_game_does_not_look_for_it(plain, django_assert_num_queries):
    game = GameFactory()
    plain.post(under("take", game, "pen"), {"key": KEY})
    game.refresh_from_db()

    plain.post(under("delete", game))

    # Whether there is a leaderboard of all clubs is asked, and what is played; no game is.
    with django_assert_num_queries(3) as asked:
        plain.get("/")
    assert not any('FROM "tournaments_game"' in query["sql"] for query in asked.captured_queries)
