"""The evening of an open table and the next game at it, for programs."""

import pytest

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


def test_evening_has_its_games_tally_and_document(program, three_games, django_assert_num_queries):
    table = three_games[0].open_table
    keeper = program.with_token(f"evening.{table.public_id}.{table.secret()}")
    path = f"evenings/{table.public_id}/"

    with django_assert_num_queries(4):
        said = keeper.get(path).json()

    assert [(game["number"], game["id"], game["finished"]) for game in said["games"]] == [
        (number, game.public_id, number < 3) for number, game in enumerate(three_games, 1)
    ]
    assert said["games"][0]["follow"] == token_of(three_games[0], "follow")
    first, *_rest = said["tally"]
    assert first == {
        "name": "Ayşe", "games": 2, "won": 2, "points": 1080, "average": 540, "places": [2],
        "sunk": 0, "kings": 0,
    }  # fmt: skip
    assert {each["name"] for each in said["tally"]} == {*NAMES, "Elif"}
    assert said["payments"] is None


def test_table_goes_on_with_changed_players_order_and_game(program):
    first = program.post("games/", HEAD).json()
    phone, path = program.with_token(first["keys"]["write"]), f"games/{first['id']}/rematch/"
    twice = phone.post(path, {"players": list(NAMES), "resting": [NAMES[0]]})
    assert faults(twice) == [("duplicate-entrant", "resting")]
    changed = {"players": ["Elif", "Ayşe", "Cem", "Burak"], "ruleset": "rifki", "first_declarer": 2}

    opened = phone.post(path, changed | {"resting": ["Deniz"]})

    second = opened.json()
    assert (opened.status_code, opened["Location"]) == (201, f"/api/v1/games/{second['id']}/")
    assert {name: second[name] for name in changed} == changed
    assert Game.objects.get(public_id=second["id"]).resting == ["Deniz"]
    other = phone.post(path, {})
    assert (other.status_code, other.json()["id"]) == (200, second["id"])
    assert "keys" not in other.json()
