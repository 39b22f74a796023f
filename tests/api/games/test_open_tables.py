"""The evening of an open table and the next game at it, for programs."""

import pytest
from django.urls import reverse
from rest_framework.test import APIClient

from tests.api.conftest import HEAD, faults
from tests.deals import NAMES, WHOLE_GAME
from tests.factories import GameFactory, record_all
from tests.match_builders import rematch
from tournaments.api.access import token_of
from tournaments.models import Game

pytestmark = pytest.mark.django_db


@pytest.fixture
def three_games():
    first = GameFactory(entries=WHOLE_GAME)
    second, _ = rematch(first, players=("Ayşe", "Elif", "Cem", "Deniz"))
    record_all(second, WHOLE_GAME)
    third, _ = rematch(second)
    return first, second, third


def client_of(table):
    key = f"evening.{table.public_id}.{table.secret()}"
    return APIClient(headers={"authorization": f"Bearer {key}"})


def test_evening_has_its_games_and_the_tally_of_those_that_are_finished(three_games):
    table = three_games[0].open_table

    answer = client_of(table).get(reverse("api:evening", args=[table.public_id]))

    said = answer.json()
    assert [(game["number"], game["id"]) for game in said["games"]] == [
        (number, game.public_id) for number, game in enumerate(three_games, 1)
    ]
    assert [game["finished"] for game in said["games"]] == [True, True, False]
    assert said["games"][0]["follow"] == token_of(three_games[0], "follow")
    first, *_rest = said["tally"]
    assert first == {
        "name": "Ayşe", "games": 2, "won": 2, "points": 1080, "average": 540, "places": [2],
    }  # fmt: skip
    assert {each["name"] for each in said["tally"]} == {*NAMES, "Elif"}
    assert said["payments"] is None


def test_evening_asks_the_database_as_often_however_many_games(
    three_games, django_assert_num_queries
):
    table = three_games[0].open_table
    with django_assert_num_queries(4):
        client_of(table).get(reverse("api:evening", args=[table.public_id]))


def test_document_of_the_evening_is_requested_once(three_games):
    table = three_games[0].open_table
    path = reverse("api:evening-documents", args=[table.public_id])

    answers = [client_of(table).post(path, {"language": "tr"}, format="json") for _ in range(2)]

    assert [answer.status_code for answer in answers] == [202, 202]
    assert answers[0].json()["kind"] == "evening"
    assert answers[0].json() == answers[1].json()


def test_table_goes_on_with_changed_players_order_and_game(program):
    first = program.post("games/", HEAD).json()
    phone, game = program.with_token(first["keys"]["write"]), f"games/{first['id']}/"
    body = {"players": ["Elif", "Ayşe", "Cem", "Burak"], "resting": ["Deniz"]}
    body |= {"ruleset": "rifki", "first_declarer": 2}
    key = {"Idempotency_Key": "the-second-game"}

    opened = phone.post(f"{game}rematch/", body, **key)

    second = opened.json()
    assert (opened.status_code, opened["Location"]) == (201, f"/api/v1/games/{second['id']}/")
    assert {name: second[name] for name in ("players", "ruleset", "first_declarer")} == {
        name: body[name] for name in ("players", "ruleset", "first_declarer")
    }
    assert phone.post(f"{game}rematch/", body, **key).json() == second
    other = phone.post(f"{game}rematch/", {})
    assert (other.status_code, other.json()["id"]) == (200, second["id"])
    assert "keys" not in other.json()

    third = program.with_token(second["keys"]["write"]).post(
        f"games/{second['id']}/rematch/", {"ruleset": "turkish-king"}
    )
    # All have played once since they came, and Deniz comes back for one of them.
    assert third.status_code == 201
    played = [Game.objects.get(public_id=each["id"]) for each in (first, second, third.json())]
    assert [each.number for each in played] == [1, 2, 3]
    assert {*played[2].players, *played[2].resting} == {*NAMES, "Elif"}
    assert ("Deniz" in played[2].players, len(played[2].resting)) == (True, 1)


def test_next_game_with_somebody_who_plays_and_sits_out_is_refused(program):
    first = program.post("games/", HEAD).json()
    phone, game = program.with_token(first["keys"]["write"]), f"games/{first['id']}/"
    refused = phone.post(f"{game}rematch/", {"players": list(NAMES), "resting": [NAMES[0]]})
    assert (refused.status_code, Game.objects.count()) == (422, 1)
    assert faults(refused) == [("duplicate-entrant", "resting")]
    follower = program.with_token(first["keys"]["follow"])
    assert follower.post(f"{game}rematch/", {}).status_code == 404
