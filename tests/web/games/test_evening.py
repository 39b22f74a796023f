"""The evening of an open table: phones go from game to game, and its address to what is played."""

from http import HTTPStatus

import pytest
from django.test import Client

from tests.club_factories import TableFactory
from tests.deals import WHOLE_GAME
from tests.factories import EVENING, GameFactory, record
from tests.match_builders import rematch
from tests.web.games.table import follow, url
from tournaments.models import Game
from tournaments.services.games import playing
from tournaments.web.base.phone import address, evening_address

pytestmark = pytest.mark.django_db


def played():
    return Game.objects.get(pk=GameFactory(entries=WHOLE_GAME).pk)


def leads(page):
    return page.context["goes_on"] and page.context["goes_on"].address


def test_follower_and_writer_are_led_to_the_next_game(phone):
    first = played()
    tags = {kind: phone.get(address(first, kind))["ETag"] for kind in ("follow", "write")}
    second, _ = rematch(first)

    for kind, etag in tags.items():
        page = phone.get(address(first, kind), headers={"if-none-match": etag})
        assert page.status_code == HTTPStatus.OK
        assert "The evening goes on: game 2" in page.text
        assert "Rematch" not in page.text
    # The client's cookie knows the first game as written.
    assert leads(phone.get(address(first, "follow"))) == address(second, "write")
    assert leads(Client().get(address(first, "follow"))) == address(second, "follow")
    assert "Game 2 has begun" in follow(Client(), second).text
    assert leads(phone.get(address(second, "write"))) is None


def test_old_sheet_leads_to_the_last_game(plain):
    first = played()
    third, _ = rematch(rematch(first)[0], key="pressed-after-the-second-game")

    assert "The evening goes on: game 3" in plain.get(address(first, "write")).text
    assert leads(plain.get(address(first, "write"))) == address(third, "write")


def test_phone_whose_scoring_was_taken_is_led_to_follow(plain):
    first = played()
    plain.get(address(first, "write"))
    second, _ = rematch(first)
    before = address(first, "write")
    playing.hand_over(second.pk, 1, "key-of-the-taker", at=EVENING)

    answer = plain.get(before, follow=True)

    first.refresh_from_db()
    assert answer.redirect_chain == [(f"{address(first, 'follow')}?handed-over=1", 302)]
    assert leads(answer) == address(second, "follow")


def test_evening_leads_to_the_running_game_and_else_shows_itself(plain, other):
    first = played()
    shared = evening_address(first.open_table)
    assert "1. " in other.get(shared).text

    second, _ = rematch(first)
    plain.get(address(first, "write"))

    assert other.get(shared).url == address(second, "follow")
    # Whoever wrote the last game writes the next.
    assert plain.get(shared).url == address(second, "write")
    assert address(first, "follow") in other.get(f"{shared}games/").text


def test_open_evening_hears_of_deals_and_goes_to_the_next_game(phone):
    first = GameFactory(entries=WHOLE_GAME[:19])
    games = evening_address(first.open_table) + "games/"
    page = phone.get(games)
    again = {"if-none-match": page["ETag"]}
    assert phone.get(f"{games}?from=1", headers=again).status_code == HTTPStatus.NOT_MODIFIED

    record(first, WHOLE_GAME[19])
    assert phone.get(f"{games}?from=1", headers=again).status_code == HTTPStatus.OK
    second, _ = rematch(first)

    answer = phone.get(f"{games}?from=1", headers=again)
    assert answer["HX-Redirect"] == address(second, "follow")
    assert phone.get(f"{games}?from=2").status_code == HTTPStatus.OK


def test_evening_of_a_wrong_address_is_not_found(plain):
    first, stranger = played(), played()
    shared = evening_address(first.open_table)
    wrong = shared.replace(first.open_table.secret(), stranger.open_table.secret())

    assert plain.get(shared).status_code == HTTPStatus.OK
    for path in (wrong, f"{wrong}games/", shared.replace("/evening/", "/follow/")):
        assert plain.get(path).status_code == HTTPStatus.NOT_FOUND


def test_sheet_of_a_clubs_game_has_no_evening(plain):
    game = TableFactory(entries=WHOLE_GAME).games.get()

    page = plain.get(address(game, "follow"))

    assert "/evening/" not in page.text
    assert "/evening/" not in plain.get(url(game, "pen")).text
