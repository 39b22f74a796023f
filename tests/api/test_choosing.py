"""Answers of chosen fields, and with more about what they name."""

import pytest

from tests.api.answers import faults
from tests.api.test_queries import rating, table, tournament
from tests.club_factories import AccountFactory, EntrantFactory, PlayerFactory
from tests.counting import queries_of
from tournaments.models import Game, RatingPool


def entrant(club):
    EntrantFactory(tournament=tournament(club), player__club=club)


def game(club):
    table(tournament(club).event)


def player(club):
    rating(club)
    PlayerFactory(club=club, account=AccountFactory())


WORLDS = {
    "games/": (game, {"id", "players", "totals"}, "event"),
    "clubs/moda/players/": (player, {"id", "shown_name"}, "ratings"),
    "clubs/moda/tournaments/acik/standings/": (entrant, {"rank", "name"}, "entrant"),
}


@pytest.mark.parametrize("path", WORLDS)
def test_list_has_the_fields_that_were_chosen_and_more_where_it_is_expanded(club, director, path):
    make, names, more = WORLDS[path]
    make(club)
    whole = director.get(path).json()["results"]
    ask = f"{path}?fields={','.join(names)}"

    chosen = director.get(ask).json()["results"]
    expanded = director.get(f"{ask}&expand={more}").json()["results"]

    assert chosen == [{name: row[name] for name in names} for row in whole]
    assert {frozenset(row) for row in expanded} == {frozenset({*names, "expanded"})}
    assert {frozenset(row["expanded"]) for row in expanded} <= {frozenset({more}), frozenset()}
    first = queries_of(lambda: director.get(f"{path}?expand={more}"))
    make(club)
    assert queries_of(lambda: director.get(f"{path}?expand={more}")) == first


@pytest.mark.parametrize("path", [*WORLDS, "games/{game}/", "clubs/moda/players/{player}/"])
@pytest.mark.parametrize("parameter", ["fields", "expand"])
def test_names_that_there_are_not_are_told(club, director, path, parameter):
    for make, _names, _more in WORLDS.values():
        make(club)
    path = path.format(game=Game.objects.first().public_id, player=club.players.first().public_id)

    assert faults(director.get(f"{path}?{parameter}=id,colour"))[-1] == ("unknown-name", parameter)
    assert ("missing-field", parameter) in faults(director.get(f"{path}?{parameter}="))


def test_one_game_player_and_standing_tell_more(club, director):
    for make, _names, _more in WORLDS.values():
        make(club)
    row = Game.objects.get(table__round__event__tournament=tournament(club))
    event = row.table.round.event
    told = director.get(f"games/{row.public_id}/?fields=id&expand=club,event")
    assert told.json() == {
        "id": row.public_id,
        "expanded": {
            "club": {"slug": "moda", "name": club.name},
            "event": {
                "id": event.public_id,
                "name": event.name,
                "held_on": str(event.held_on),
                "tournament": "acik",
            },
        },
    }
    # What is told of the evening may change without the game.
    assert told["ETag"] != f'"{row.revision}"'

    rated = RatingPool.objects.get(club=club).ratings.get().player
    path = f"clubs/moda/players/{rated.public_id}/?fields=id&expand=ratings"
    ratings = director.get(path).json()["expanded"]["ratings"]
    assert [(each["family"], each["rating"]["points"]) for each in ratings] == [
        ("turkish-king", 1500)
    ]

    standings = "clubs/moda/tournaments/acik/standings/?fields=entrant&expand=entrant"
    for standing in director.get(standings).json()["results"]:
        number = standing["entrant"]
        one = director.get(f"clubs/moda/tournaments/acik/entrants/{number}/").json()
        assert standing["expanded"]["entrant"].items() <= one.items()
