import pytest

from tests.api.conftest import faults
from tests.club_factories import (
    ClubFactory,
    EventFactory,
    PlayerFactory,
    RoundFactory,
    TableFactory,
    TournamentFactory,
)
from tests.deals import WHOLE_GAME
from tests.factories import EVENING
from tests.rating_factories import RatingPoolFactory
from tests.web.ratings.ratings_world import counted, rated
from tournaments.models import Round
from tournaments.services.ratings.computing import rate_club_again, sweep_ratings


@pytest.fixture
def club(program):
    return ClubFactory(slug="moda", in_server_ratings=True)


def names(answer):
    return [line["name"] for line in answer.json()["results"]]


def test_leaderboard_of_a_club_is_shown_in_order_and_filtered(program, club):
    pool = RatingPoolFactory(club=club)
    for points, name, more in (
        (1500, "Ayşe", {}),
        (1700, "Burak", {}),
        (1600, "Cem", {"provisional": True}),
        (1400, "Deniz", {"month": 1}),
    ):
        rated(pool, points, name, **more)
    counted()
    member = program.role("member", club)

    answer = member.get("clubs/moda/ratings/")

    assert names(answer) == ["Burak", "Ayşe"]
    first = answer.json()["results"][0]
    assert (first["rank"], first["rating"]["points"], first["club"]) == (1, 1700, "moda")
    assert first["rating"]["provisional"] is False
    assert names(member.get("clubs/moda/ratings/?provisional=true")) == ["Burak", "Cem", "Ayşe"]
    everybody = member.get("clubs/moda/ratings/?active=false&provisional=true")
    assert (everybody.json()["total"], names(everybody)[-1]) == (4, "Deniz")
    assert names(member.get("clubs/moda/ratings/?name=ays")) == ["Ayşe"]
    assert member.get("clubs/moda/ratings/?family=chess").status_code == 404
    assert member.get("clubs/moda/ratings/?page=2").json()["results"] == []


@pytest.mark.parametrize(
    "wrong", ["page=0", "page=x", "season=99999999999", "active=perhaps", "name=" + "a" * 81]
)
def test_question_that_cannot_be_is_refused_with_its_place(program, club, wrong):
    refused = program.role("member", club).get(f"clubs/moda/ratings/?{wrong}")

    assert [where for _code, where in faults(refused)] == [wrong.partition("=")[0]]


def test_part_with_a_player_is_found(program, club):
    pool = RatingPoolFactory(club=club)
    rows = [rated(pool, 2000 - number) for number in range(55)]
    counted()
    member, last = program.role("member", club), rows[-1].player

    answer = member.get(f"clubs/moda/ratings/?player={last.public_id}").json()

    assert (answer["page"], answer["pages"], answer["total"]) == (2, 2, 55)
    assert last.public_id in [line["player"] for line in answer["results"]]
    assert member.get("clubs/moda/ratings/?player=nobody").status_code == 404


def test_server_ratings_tell_everybody_no_more_than_the_page(program, club):
    player = PlayerFactory(club=club, name="Zümrüt Gizlioğlu", initials=True)
    rated(RatingPoolFactory(club=None), 1500, player=player)
    counted()

    line = program.get("ratings/").json()["results"][0]

    assert (line["name"], line["player"], line["club"]) == (player.shown_name, None, None)
    assert names(program.get("ratings/?name=Gizli")) == []
    assert program.get(f"ratings/?player={player.public_id}").status_code == 404
    known = program.role("member", club).get("ratings/").json()["results"][0]
    assert (known["player"], known["club"]) == (player.public_id, "moda")


@pytest.fixture
def tournament(club):
    players = [PlayerFactory(club=club, name=name).name for name in ("A", "B", "C", "D")]
    row = TournamentFactory(event=EventFactory(club=club), state="finished", slug="acik")
    round_ = RoundFactory(event=row.event, number=1)
    row.table = TableFactory(round=round_, number=1, players=players, entries=WHOLE_GAME)
    Round.objects.filter(pk=round_.pk).update(closed_at=EVENING)
    rate_club_again(club.pk)
    sweep_ratings()
    return row


def test_game_tells_what_it_changed_and_its_players_how_they_came_there(program, club, tournament):
    member, game = program.role("member", club), tournament.table.games.get()

    seats = member.get(f"games/{game.public_id}/ratings/").json()

    assert (seats["due"], len(seats["seats"])) == (False, 4)
    player = game.seats.get(number=0).player
    curve = member.get(f"clubs/moda/players/{player.public_id}/ratings/").json()["results"][0]
    assert [step["game"] for step in curve["steps"]] == [game.public_id]
    step = curve["steps"][0]
    seat = seats["seats"][0]
    assert seat["name"] == player.name
    assert [each["rank"] for each in seats["seats"]] == game.result["ranks"]
    assert seat["change"] == step["after"]["points"] - step["before"]["points"]
    assert program.get(f"games/{game.public_id}/ratings/").status_code == 404


def test_tournament_shows_how_well_its_places_were_predicted(program, club, tournament):
    path = "clubs/moda/tournaments/acik/accuracy/"

    told = program.role("member", club).get(path).json()

    # Nobody had played before: the ratings said nothing, as a coin does.
    assert (told["pairs"], told["share"]) == (6, 0.5)
    assert told["log_loss"] == pytest.approx(told["log_loss_of_a_coin"])
    tournament.state = "running"
    tournament.save()
    assert program.role("member", club).get(path).json()["pairs"] == 0
    assert program.role("director", club).get(path).json()["pairs"] == 6
