"""What the games of players add up to, and two players beside each other, through the API."""

import pytest

from tests.club_factories import (
    ClubFactory,
    EventFactory,
    PlayerFactory,
    RoundFactory,
    SeasonFactory,
    TableFactory,
)
from tests.counting import queries_of
from tests.deals import WHOLE_GAME
from tests.factories import EVENING
from tournaments.models import Player
from tournaments.queries.players import games_of
from tournaments.services.ratings.computing import sweep_ratings
from tournaments.services.ratings.due import rate_club_again

pytestmark = pytest.mark.django_db

NAMES = ("Şule", "Burak", "Cem", "Deniz")


@pytest.fixture
def club():
    return ClubFactory(slug="moda", rates_evenings=True)


@pytest.fixture
def member(program, club):
    return program.role("member", club)


def play(club, number=1, names=NAMES, **event):
    """So many rated games of a club."""
    event = EventFactory(club=club, **event)
    for _ in range(number):
        place = RoundFactory(event=event)
        TableFactory(round=place, players=names, entries=WHOLE_GAME)
        place.closed_at = EVENING
        place.save()
    rate_club_again(club.pk)
    sweep_ratings()


def of(name, then=""):
    return f"clubs/moda/players/{Player.objects.get(name=name).public_id}/{then}"


def test_numbers_are_those_of_the_finished_games(program, member, club):
    season = SeasonFactory(club=club)
    play(club, 2, season=season)
    play(club)
    game = games_of(Player.objects.get(name="Şule"))[0]

    told = member.get(of("Şule", "numbers/")).json()
    assert told["limited_to"] == {
        "family": "turkish-king",
        "season": None,
        "families": [{"family": "turkish-king", "games": 3}],
        "seasons": [{"id": season.pk, "name": season.name, "games": 2}],
    }
    assert (told["games"], told["points"]) == (3, 3 * game.points)
    assert told["ranks"] == [
        {"sides": 4, "rank": rank, "games": 3 if rank == game.place else 0}
        for rank in sorted({row["rank"] for row in told["ranks"]})
    ]
    assert told["best"]["points"] == told["worst"]["points"] == game.points
    assert sum(row["declared"] for row in told["contracts"]) == 3 * 5
    assert told["rating"]["games"] == 3
    limited = member.get(of("Şule", f"numbers/?season={season.pk}")).json()
    assert (limited["limited_to"]["season"], limited["games"]) == (season.pk, 2)
    assert program.get(of("Şule", "numbers/")).status_code == 404


def test_numbers_of_whoever_has_played_nothing_are_none(member, club):
    PlayerFactory(club=club, name="Yeni")
    told = member.get(of("Yeni", "numbers/")).json()
    assert (told["games"], told["rating"], told["best"]) == (0, None, None)
    assert told["limited_to"]["family"] == ""


def test_numbers_take_as_many_queries_for_three_games_as_for_one(member, club):
    play(club)
    one = queries_of(lambda: member.get(of("Şule", "numbers/")))
    play(club, 2)
    assert queries_of(lambda: member.get(of("Şule", "numbers/"))) == one


def test_games_are_listed_with_what_they_came_to(member, club):
    play(club, 2)
    TableFactory(round=RoundFactory(event=EventFactory(club=club)), players=NAMES)
    game = games_of(Player.objects.get(name="Cem"))[-1]

    shown = member.get(of("Cem", "games/?finished=true")).json()["results"]
    assert [(g["seat"], g["rank"], g["points"]) for g in shown] == [
        (2, game.place, game.points)
    ] * 2
    assert all(g["rating"]["points"] for g in shown)
    assert shown[0]["at"]["event_name"] == "Cuma akşamı"
    (going,) = member.get(of("Cem", "games/?finished=false")).json()["results"]
    assert (going["rank"], going["points"], going["rating"]) == (None, None, None)
    assert len(member.get(of("Cem", "games/?family=turkish-king")).json()["results"]) == 3
    assert member.get(of("Cem", "games/?family=krapet")).json()["results"] == []


def test_games_are_those_with_another_one(member, club):
    play(club)
    play(club, names=("Şule", "Burak", "Cem", "Ece"))
    ece = Player.objects.get(name="Ece")
    assert len(member.get(of("Cem", "games/")).json()["results"]) == 2
    assert len(member.get(of("Cem", f"games/?beside={ece.public_id}")).json()["results"]) == 1


def test_games_take_as_many_queries_for_three_as_for_one(member, club):
    play(club)
    one = queries_of(lambda: member.get(of("Cem", "games/")))
    play(club, 2)
    assert queries_of(lambda: member.get(of("Cem", "games/"))) == one


def test_opponents_are_told_as_they_are_shown(program, member, club):
    play(club, 2)
    Player.objects.filter(name="Deniz").update(initials=True)
    told = member.get(of("Şule", "against/")).json()["results"]
    assert sorted((one["name"], one["meeting"]["games"]) for one in told) == [
        ("Burak", 2),
        ("Cem", 2),
        ("D.", 2),
    ]
    found = member.get(of("Şule", "against/?q=den")).json()["results"]
    assert found == []
    director = program.role("director", club)
    (found,) = director.get(of("Şule", "against/?q=den")).json()["results"]
    assert found["name"] == "Deniz"


def test_two_players_stand_beside_each_other(member, club):
    play(club, 2)
    burak = Player.objects.get(name="Burak")
    told = member.get(of("Şule", f"against/{burak.public_id}/")).json()
    games = {name: games_of(Player.objects.get(name=name))[0] for name in ("Şule", "Burak")}
    assert (told["name"], told["other_name"]) == ("Şule", "Burak")
    assert told["meeting"]["games"] == told["compared"]["games"] == 2
    assert told["compared"]["points"] == 2 * games["Şule"].points
    assert told["compared"]["other_ranks"] == 2 * games["Burak"].place
    assert (told["chance"]["above"] > 50) == (games["Şule"].place < games["Burak"].place)
    assert (
        member.get(of("Şule", f"against/{Player.objects.get(name='Şule').public_id}/")).status_code
        == 404
    )
