import pytest
from django.test import Client
from django.urls import reverse

from tests.club_factories import ClubFactory, EventFactory, MemberFactory, TournamentFactory
from tests.factories import GameFactory, UserFactory
from tests.rating_factories import RatingPoolFactory
from tournaments.web.base.answers import TOPIC
from tournaments.web.base.phone import address


@pytest.fixture
def club(db):
    return ClubFactory(slug="moda")


def topic(visitor, path):
    answer = visitor.get(f"{path}events")
    return answer.get(TOPIC, answer.status_code)


def visitor_of(club, role):
    visitor = Client()
    visitor.force_login(MemberFactory(club=club, role=role).user)
    return visitor


def test_pages_of_a_club_tell_those_who_may_see_them(club):
    tournament = TournamentFactory(event__club=club, state="running")
    RatingPoolFactory(club=club)
    member, director = visitor_of(club, "member"), visitor_of(club, "director")
    stranger = Client()
    stranger.force_login(UserFactory())
    at = ["moda", tournament.slug]
    of_club, of_round = f"club {club.pk}", f"round {club.pk}"
    for page, *wanted in (
        (reverse("tournament", args=at), of_club, of_round),
        (reverse("running", args=[*at, 1]), of_round, of_round),
        (reverse("wall", args=at), of_club, of_round),
        (reverse("standings", args=at), f"standings {tournament.pk}", of_round),
        (reverse("event", args=["moda", EventFactory(club=club).public_id]), of_club, of_club),
        (reverse("club_ratings", args=["moda"]), *[f"ratings {club.pk}"] * 2),
    ):
        assert [topic(each, page) for each in (member, director, stranger)] == [*wanted, 404]
    assert topic(Client(), reverse("server_ratings")) == "ratings 0"
    assert topic(member, reverse("club", args=["moda"])) == 404


def test_sheet_tells_those_who_have_its_address(db):
    game, visitor = GameFactory(), Client()
    evening = game.open_table
    path = reverse("evening", args=[evening.public_id, evening.secret()])
    assert topic(visitor, path) == f"evening {evening.public_id}"
    for kind in ("follow", "write"):
        assert topic(visitor, address(game, kind)) == f"game {game.public_id}"
        assert topic(visitor, address(game, kind)[:-3] + "xx/") == 404
