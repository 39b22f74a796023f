import pytest

from tests import club_factories as make
from tests.api.conftest import names
from tests.deals import WHOLE_GAME
from tests.factories import EVENING
from tests.rating_factories import RatingPoolFactory
from tests.web.ratings.ratings_world import rated
from tournaments.models import Round
from tournaments.services.ratings.computing import rate_club_again, sweep_ratings


@pytest.fixture
def club(program):
    return make.ClubFactory(slug="moda", in_server_ratings=True)


def test_leaderboard_of_a_club_is_shown_in_order_and_filtered(member, club):
    pool = RatingPoolFactory(club=club)
    for points, name, more in (
        *((1500, "Ayşe", {}), (1700, "Burak", {})),
        *((1600, "Cem", {"provisional": True}), (1400, "Deniz", {"month": 1})),
    ):
        rated(pool, points, name, **more)

    answer = member.get("clubs/moda/ratings/")

    assert names(answer) == ["Burak", "Ayşe"]
    first = answer.json()["results"][0]
    assert (first["rank"], first["rating"]["points"], first["club"]) == (1, 1700, "moda")
    assert first["rating"]["provisional"] is False
    assert names(member.get("clubs/moda/ratings/?provisional=true")) == ["Burak", "Cem", "Ayşe"]
    everybody = member.get("clubs/moda/ratings/?active=false&provisional=true")
    assert (everybody.json()["total"], names(everybody)[-1]) == (4, "Deniz")
    assert names(member.get("clubs/moda/ratings/?name=ays")) == ["Ayşe"]


def test_server_ratings_tell_everybody_no_more_than_the_page(program, member, club):
    player = make.PlayerFactory(club=club, name="Zümrüt Gizlioğlu", initials=True)
    rated(RatingPoolFactory(club=None), 1500, player=player)
    for who, told in ((program, (None, None)), (member, (player.public_id, "moda"))):
        [line] = who.get("ratings/").json()["results"]
        assert (line["name"], line["player"], line["club"]) == (player.shown_name, *told)
    assert names(program.get("ratings/?name=Gizli")) == []


@pytest.fixture
def tournament(club):
    players = [make.PlayerFactory(club=club, name=name).name for name in ("A", "B", "C", "D")]
    row = make.TournamentFactory(event=make.EventFactory(club=club), state="finished", slug="acik")
    round_ = make.RoundFactory(event=row.event, number=1)
    row.table = make.TableFactory(round=round_, number=1, players=players, entries=WHOLE_GAME)
    Round.objects.filter(pk=round_.pk).update(closed_at=EVENING)
    rate_club_again(club.pk)
    sweep_ratings()
    return row


def test_game_tells_what_it_changed_and_its_players_how_they_came_there(member, tournament):
    game = tournament.table.games.get()
    player = game.seats.get(number=0).player

    seats = member.get(f"games/{game.public_id}/ratings/").json()
    curve = member.get(f"clubs/moda/players/{player.public_id}/ratings/").json()["results"][0]

    assert (seats["due"], len(seats["seats"])) == (False, 4)
    [step] = curve["steps"]
    assert step["game"] == game.public_id
    seat = seats["seats"][0]
    assert seat["name"] == player.name
    assert [each["rank"] for each in seats["seats"]] == game.result["ranks"]
    assert seat["change"] == step["after"]["points"] - step["before"]["points"]


def test_tournament_shows_how_well_its_places_were_predicted(member, tournament):
    told = member.get("clubs/moda/tournaments/acik/accuracy/").json()

    # Nobody had played before: the ratings said nothing, as a coin does.
    assert (told["pairs"], told["share"]) == (6, 0.5)
    assert told["log_loss"] == pytest.approx(told["log_loss_of_a_coin"])
