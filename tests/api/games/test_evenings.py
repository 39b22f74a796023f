"""The evening of an open table for programs that have its address."""

import pytest
from django.urls import reverse
from rest_framework.test import APIClient

from tests.deals import NAMES, WHOLE_GAME
from tests.factories import GameFactory, record_all
from tests.match_builders import rematch
from tournaments.api.access import token_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def games():
    first = GameFactory(entries=WHOLE_GAME)
    second, _ = rematch(first, players=("Ayşe", "Elif", "Cem", "Deniz"))
    record_all(second, WHOLE_GAME)
    third, _ = rematch(second)
    return first, second, third


def client_of(table):
    key = f"evening.{table.public_id}.{table.secret()}"
    return APIClient(headers={"authorization": f"Bearer {key}"})


def test_evening_has_its_games_and_the_tally_of_those_that_are_finished(games):
    table = games[0].open_table

    answer = client_of(table).get(reverse("api:evening", args=[table.public_id]))

    said = answer.json()
    assert [(game["number"], game["id"]) for game in said["games"]] == [
        (number, game.public_id) for number, game in enumerate(games, 1)
    ]
    assert [game["finished"] for game in said["games"]] == [True, True, False]
    assert said["games"][0]["follow"] == token_of(games[0], "follow")
    first, *_rest = said["tally"]
    assert first == {
        "name": "Ayşe", "games": 2, "won": 2, "points": 1080, "average": 540, "places": [2],
    }  # fmt: skip
    assert {each["name"] for each in said["tally"]} == {*NAMES, "Elif"}
    assert said["payments"] is None


def test_evening_asks_the_database_as_often_however_many_games(games, django_assert_num_queries):
    table = games[0].open_table
    with django_assert_num_queries(4):
        client_of(table).get(reverse("api:evening", args=[table.public_id]))


def test_document_of_the_evening_is_requested_once(games):
    table = games[0].open_table
    path = reverse("api:evening_documents", args=[table.public_id])

    answers = [client_of(table).post(path, {"language": "tr"}, format="json") for _ in range(2)]

    assert [answer.status_code for answer in answers] == [202, 202]
    assert answers[0].json()["kind"] == "evening"
    assert answers[0].json() == answers[1].json()
