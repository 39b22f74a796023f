"""The next game at an open table, by programs."""

import pytest

from tests.api.answers import faults
from tests.api.games.start import HEAD
from tests.deals import NAMES
from tournaments.models import Game

pytestmark = pytest.mark.django_db


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
