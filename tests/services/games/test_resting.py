import pytest

from tests.deals import NAMES
from tournaments.models import Game
from tournaments.services.games.seating import seated, who_rests

FIVE = [*NAMES, "Elif"]


def game(players, ranks=None):
    result = None if ranks is None else {"ranks": ranks}
    return Game(ruleset="turkish-king", players=players, options={}, result=result)


def test_last_of_the_last_game_rests_first_and_then_everyone_in_turn():
    games = [game(NAMES, [1, 2, 4, 3])]
    rested = []
    for _ in range(6):
        (name,) = who_rests(games, FIVE, 4)
        rested.append(name)
        games.append(game([each for each in FIVE if each != name], [4, 3, 2, 1]))

    assert rested[0] == "Cem"
    assert set(rested[:5]) == set(FIVE)
    assert rested[5] == rested[0]


@pytest.mark.parametrize(
    ("people", "seats", "resting"),
    [(NAMES, 4, ()), (NAMES[:3], 4, ()), (FIVE, 3, ("Cem", "Deniz")), (NAMES, 2, ("Cem", "Deniz"))],
)
def test_as_many_rest_as_the_game_has_no_seat_for(people, seats, resting):
    assert who_rests([game(NAMES, [1, 2, 3, 4])], people, seats) == resting


def test_game_that_is_not_over_has_no_last():
    assert who_rests([game(NAMES)], FIVE, 4) == ("Ayşe",)


def test_partners_share_the_place_of_their_pair():
    pairs = Game(ruleset="euchre", players=NAMES, options={}, result={"ranks": [2, 1]})

    assert who_rests([pairs], FIVE, 4) == ("Ayşe",)


@pytest.mark.parametrize(
    ("people", "seats", "players"),
    [
        (["Ayşe", "Cem", "Deniz", "Elif"], 4, ["Ayşe", "Elif", "Cem", "Deniz"]),
        (["Cem", "Deniz"], 2, ["Cem", "Deniz"]),
        (["Ayşe", "Deniz"], 4, ["Ayşe", "", "", "Deniz"]),
    ],
)
def test_whoever_comes_takes_the_seat_that_is_free(people, seats, players):
    assert seated(NAMES, people, seats) == players
