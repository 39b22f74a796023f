"""Who sees the leaderboards, where one is on them oneself, and what they cost."""

import re

import pytest

from tests.club_factories import ClubFactory, PlayerFactory
from tests.rating_factories import RatingChangeFactory, RatingPoolFactory
from tests.web.ratings.ratings_world import CLUB, MONTH, SERVER, counted, names, rated
from tournaments.models import Player

pytestmark = pytest.mark.django_db


@pytest.fixture
def pool(club):
    return RatingPoolFactory(club=club)


@pytest.fixture
def server():
    return RatingPoolFactory(club=None)


@pytest.fixture
def member(visitor, club):
    return visitor.become("member", club)


def test_club_is_seen_by_members_and_by_all_where_it_is_published_and_takes_part(
    visitor, club, pool
):
    rated(pool, 1500)
    counted()
    seen = []
    for published in (False, True):
        for takes_part in (False, True):
            club.published, club.in_server_ratings = published, takes_part
            club.save()
            seen.append((published, takes_part, visitor.get(CLUB).status_code))

    assert seen == [(False, False, 404), (False, True, 404), (True, False, 404), (True, True, 200)]
    assert (
        visitor.become("member", ClubFactory(slug="b")).get("/clubs/b/ratings/").status_code == 200
    )
    club.published = False
    club.save()
    assert visitor.get(CLUB).status_code == 404
    assert visitor.become("member", club).get(CLUB).status_code == 200


def test_club_without_ratings_is_there_for_its_members_only(visitor, club):
    club.published = club.in_server_ratings = True
    club.save()

    assert visitor.get(CLUB).status_code == 404
    assert "Nobody is rated yet." in visitor.become("member", club).get(CLUB).text


def test_leaderboards_are_led_to_where_they_are_seen(visitor, club, pool, server):
    club.published = club.in_server_ratings = True
    club.save()
    nobody_rated = [SERVER in visitor.get("/").text, CLUB in visitor.get("/clubs/moda/").text]
    for each in (pool, server):
        rated(each, 1500)
    counted()

    assert nobody_rated == [False, False]
    assert SERVER in visitor.get("/").text
    assert CLUB in visitor.get("/clubs/moda/").text
    club.in_server_ratings = False
    club.save()
    assert CLUB not in visitor.get("/clubs/moda/").text
    assert CLUB in visitor.become("member", club).get("/clubs/moda/").text


@pytest.mark.parametrize(("role", "led"), [("member", False), ("owner", True)])
def test_owner_of_a_club_without_ratings_is_led_to_the_settings(visitor, club, role, led):
    page = visitor.become(role, club).get(CLUB).text

    assert "Those of evenings do not count in this club." in page
    assert ("/clubs/moda/settings/" in page) is led


def test_server_without_ratings_says_who_stands_there(visitor):
    assert "the clubs whose owners say in the settings" in visitor.get(SERVER).text


def test_list_of_newcomers_leads_to_all(member, pool):
    rated(pool, 1500, "Newcomer", provisional=True)
    counted()

    page = member.get(CLUB)

    assert names(page) == []
    address = re.search(r'class="button-quiet" href="([^"]*)"', page.text)[1]
    assert names(member.get(CLUB + address.replace("&amp;", "&"))) == ["Newcomer"]


def test_number_found_is_said_where_a_live_search_swaps_only_words(member, pool):
    rated(pool, 1500, "Şule")
    counted()

    page = member.get(CLUB).text
    live = [
        member.get(CLUB, {"q": name}, headers={"HX-Request": "true"}).text for name in ("su", "x")
    ]

    before, board = page.split('<div id="board"')
    assert 'id="found" role="status"><p class="soft small">1 player' in before
    for answer, said in zip(live, ("1 player", "Nobody on this list is called that."), strict=True):
        found = answer.partition('<div id="found" hx-swap-oob="innerHTML">')[2]
        assert said in found
        assert said not in answer.replace(found, "")
    assert not any('role="status"' in text for text in (board.partition("</main>")[0], *live))


# --- queries


@pytest.mark.parametrize("number", [1, 3])
def test_leaderboards_take_the_same_queries_however_many_players(
    member, pool, server, number, django_assert_num_queries
):
    for _ in range(number):
        player = PlayerFactory(club=pool.club)
        for each in (pool, server):
            RatingChangeFactory(rating=rated(each, 1500, player=player))
    Player.objects.filter(pk=player.pk).update(account=member.user)
    counted()
    member.get(CLUB)

    # Session, account, pools, clubs of the visitor, seasons, ranks, the own rating, keys and
    # rows of the page, the own place.
    with django_assert_num_queries(10):
        member.get(CLUB)
    # No seasons.
    with django_assert_num_queries(9):
        member.get(SERVER)
    member.logout()
    with django_assert_num_queries(4):
        member.get(SERVER)


# --- oneself


def test_one_is_led_to_ones_own_line(member, pool):
    rows = [rated(pool, 1400 + n % 60) for n in range(130)]
    counted()
    wanted = sorted(rows, key=lambda row: (-row.points, row.pk))[73]
    Player.objects.filter(pk=wanted.player_id).update(account=member.user)

    first = member.get(CLUB)

    mine = first.context["board"].mine
    assert mine.rank == 1 + sum(row.points > wanted.points for row in rows)
    assert f"My place: {mine.rank}" in first.text
    assert f"you are {mine.rank} of 130" in first.text
    address, _, mark = mine.address.partition("#")
    page = member.get(CLUB + address)
    line = re.search(r'<tr id="me" class="mine">.*?</tr>', page.text, re.DOTALL)[0]
    assert (mark, wanted.player.name in line) == ("me", True)
    assert 'id="me"' not in first.text


@pytest.mark.parametrize(
    ("more", "why", "address"),
    [
        ({"provisional": True}, "your rating is still provisional", "?provisional=yes"),
        ({"month": MONTH - 6}, "you have not played for six months", "?active=all"),
    ],
)
def test_one_is_told_why_one_is_not_on_the_list(member, pool, more, why, address):
    row = rated(pool, 1500, player=PlayerFactory(club=pool.club, account=member.user), **more)
    rated(pool, 1600)
    counted()

    page = member.get(CLUB)

    assert why in page.text
    assert page.context["board"].mine.address == address
    assert row.player.name in names(member.get(CLUB + address))


def test_account_that_plays_in_several_clubs_has_one_line_on_the_server(visitor, club, server):
    visitor.become("member", club)
    rated(server, 1600)
    PlayerFactory(club=club, account=visitor.user)
    away = PlayerFactory(account=visitor.user)
    rated(server, 1500, player=away, person=f"a{visitor.user.pk}")
    counted()

    assert visitor.get(SERVER).context["board"].mine.rank == 2
