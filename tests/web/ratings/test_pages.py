import re
from datetime import timedelta

import pytest
from django.utils import timezone

from tests import club_factories as make
from tests.rating_factories import RatedRoundFactory, RatingChangeFactory, RatingPoolFactory
from tests.services.ratings.rating_world import QUEENS, STOPPED, evening
from tests.web.ratings.ratings_world import CLUB, MONTH, SERVER, lines, names, rated
from tournaments.engine.documents.verify import verify
from tournaments.models import Player, RatingChange, RatingPool
from tournaments.services.ratings.computing import sweep_ratings


@pytest.fixture
def pool(club):
    return RatingPoolFactory(club=club)


@pytest.fixture
def server():
    return RatingPoolFactory(club=None)


def changes(answer):
    return re.findall(r'change">([^<]*)<', answer.text)


def test_list_without_anybody_settled_shows_everybody(member, pool):
    rated(pool, 1800, "Newcomer", provisional=True, variance=100.0**2)
    rated(pool, 1700, "Seven months ago", month=MONTH - 7)

    page = member.get(CLUB)

    assert names(page) == ["Newcomer", "Seven months ago"]
    assert "All players · with provisional" in page.text


def test_most_played_game_stands_first_and_another_is_chosen(member, club, pool):
    rated(pool, 1500, "King")
    euchre = RatingPoolFactory(club=club, family="euchre")
    rated(euchre, 1500, "Euchre")
    RatingPoolFactory(club=club, family="krapet")
    RatedRoundFactory(pool=pool, spreads={"turkish-king": [2, 0.5]})
    RatedRoundFactory(pool=euchre, spreads={"euchre": [2, 0.5], "euchre-two": [1, 0.5]})

    first = member.get(CLUB)

    assert names(first) == ["Euchre"]
    tabs = re.findall(r'href="(\?[^"]*)"[^>]*>(?:King|Euchre|Krapet)</a>', first.text)
    assert tabs == ["?game=euchre", "?game=turkish-king"]
    assert names(member.get(CLUB, {"game": "turkish-king"})) == ["King"]
    assert names(member.get(CLUB, {"game": "whist"})) == ["Euchre"]


def test_change_is_counted_from_thirty_days_ago(member, pool):
    rows = [rated(pool, points, name) for name, points in (("Ada", 1530), ("Ece", 1490))]
    for row, means in zip(rows, ((1480, 1515, 1530), (1495, 1500, 1490)), strict=True):
        for number, (mean, days) in enumerate(zip(means, (60, 31, 29), strict=True), start=1):
            at = timezone.now() - timedelta(days=days)
            RatingChangeFactory(rating=row, number=number, mean=float(mean), at=at)
    new = rated(pool, 1480, "Cem")
    RatingChangeFactory(rating=new, mean=1480.0, at=timezone.now())
    idle = rated(pool, 1470, "Deniz")
    RatingChangeFactory(rating=idle, mean=1470.0, at=timezone.now() - timedelta(days=80))

    assert changes(member.get(CLUB)) == ["+15", "−10", "new", "0"]


@pytest.fixture
def season(club, pool):
    """A season in which Ada and Ece played, Ece twice; both went on after it, Zoe began then."""
    season = make.SeasonFactory(club=club, name="Güz")
    inside, outside = (
        [
            make.TableFactory(round__event=make.EventFactory(club=club, season=of)).games.get()
            for _ in range(2)
        ]
        for of in (season, None)
    )
    ada, ece, zoe = (
        rated(pool, points, name) for name, points in (("Ada", 1700), ("Ece", 1300), ("Zoe", 1900))
    )
    for row, game, number, before, after in (
        (ada, inside[0], 1, 1500.0, 1520.0),
        (ada, outside[0], 2, 1520.0, 1700.0),
        (ece, outside[0], 1, 1500.0, 1510.0),
        (ece, inside[0], 2, 1510.0, 1505.0),
        (ece, inside[1], 3, 1505.0, 1550.0),
        (ece, outside[1], 4, 1550.0, 1300.0),
        (zoe, outside[0], 1, 1500.0, 1900.0),
    ):
        RatingChangeFactory(
            rating=row, game=game, number=number, mean_before=before, mean=after, variance=40.0**2
        )
    return season


def test_season_ranks_by_the_rating_after_its_last_game(member, season):
    page = member.get(CLUB, {"season": season.pk})

    assert lines(page) == [(1, "Ece", 1550), (2, "Ada", 1520)]
    assert changes(page) == ["+40", "new"]
    assert re.findall(r'num games">(\d+)<', page.text) == ["2", "1"]
    # Without a season, as they stand today.
    assert names(member.get(CLUB)) == ["Zoe", "Ada", "Ece"]


def test_season_leaves_out_who_was_provisional_in_it(member, season):
    RatingChange.objects.filter(rating__player__name="Ada").update(variance=100.0**2)

    assert names(member.get(CLUB, {"season": season.pk})) == ["Ece"]
    everybody = member.get(CLUB, {"season": season.pk, "provisional": "yes"})
    assert names(everybody) == ["Ece", "Ada"]


@pytest.mark.parametrize("asked", ["of another club", "x", "0"])
def test_season_that_is_none_of_the_club_is_no_filter(member, season, asked):
    other = make.SeasonFactory()

    page = member.get(CLUB, {"season": other.pk if " " in asked else asked})

    assert names(page) == ["Zoe", "Ada", "Ece"]


def test_players_are_found_with_their_ranks(member, pool):
    for name, points in (("Şule Ak", 1500), ("Burak Ak", 1600), ("Selin", 1700)):
        rated(pool, points, name)

    assert lines(member.get(CLUB, {"q": "ak şu"})) == [(3, "Şule Ak", 1500)]
    assert names(member.get(CLUB, {"q": "AK"})) == ["Burak Ak", "Şule Ak"]
    assert "Nobody on this list is called that." in member.get(CLUB, {"q": "x"}).text


def test_search_stops_when_it_has_found_enough(member, pool):
    for n in range(101):
        rated(pool, 1500 + n, f"Ali {n:03}")

    page = member.get(CLUB, {"q": "ali", "page": "9"})

    assert "More than 100: write more of the name." in page.text
    assert [rank for rank, _, _ in lines(page)] == list(range(51, 101))


def test_whoever_is_shown_by_initials_is_found_by_directors_only(visitor, club, pool, server):
    player = make.PlayerFactory(club=club, name="Şule Ak", initials=True)
    for each in (pool, server):
        rated(each, 1500, player=player)

    assert names(visitor.become("member", club).get(CLUB)) == ["Ş. A."]
    assert names(visitor.get(CLUB, {"q": "sule"})) == []
    visitor.become("director", club)
    assert names(visitor.get(CLUB, {"q": "sule"})) == ["Ş. A."]
    # Of the server nobody is director.
    assert names(visitor.get(SERVER, {"q": "sule"})) == []


def test_names_lead_to_players_of_ones_own_clubs_and_to_public_pages(member, club, server):
    own, other = make.PlayerFactory(club=club, name="Ada"), make.PlayerFactory(name="Ece")
    public = make.ClubFactory(published=True, in_server_ratings=True)
    shown = make.PlayerFactory(club=public)
    hidden = make.PlayerFactory(club=public, initials=True)
    for player in (own, other, shown, hidden):
        rated(server, 1500, player=player)

    page = member.get(SERVER).text

    linked = [each for each in (own, other, shown, hidden) if each.public_id in page]
    assert linked == [own, shown]


@pytest.mark.parametrize("published", [True, False])
def test_server_names_the_clubs_that_are_published(visitor, server, published):
    club = make.ClubFactory(name="Kadife", published=published)
    rated(server, 1500, player=make.PlayerFactory(club=club))

    assert ("Kadife" in visitor.get(SERVER).text) is published
    assert "Kadife" in visitor.become("member", club).get(SERVER).text


def test_everybody_sees_a_club_that_is_published_and_takes_part(visitor, club, pool):
    rated(pool, 1500)
    seen = []
    for published in (False, True):
        for takes_part in (False, True):
            club.published, club.in_server_ratings = published, takes_part
            club.save()
            seen.append((published, takes_part, visitor.get(CLUB).status_code))

    assert seen == [(False, False, 404), (False, True, 404), (True, False, 404), (True, True, 200)]


@pytest.mark.parametrize("number", [1, 3])
def test_leaderboards_take_the_same_queries_however_many_players(
    member, pool, server, number, django_assert_num_queries
):
    for _ in range(number):
        player = make.PlayerFactory(club=pool.club)
        for each in (pool, server):
            RatingChangeFactory(rating=rated(each, 1500, player=player))
    Player.objects.filter(pk=player.pk).update(account=member.user)
    member.get(CLUB)

    # Session, account, pools, their last rounds, clubs of the visitor, seasons, ranks, the own
    # rating, keys and rows of the page, the own place, the bar.
    with django_assert_num_queries(12):
        member.get(CLUB)
    # No seasons and no bar.
    with django_assert_num_queries(10):
        member.get(SERVER)
    member.logout()
    with django_assert_num_queries(5):
        member.get(SERVER)


def test_one_is_led_to_ones_own_line(member, pool):
    rows = [rated(pool, 1400 + n % 60) for n in range(130)]
    wanted = sorted(rows, key=lambda row: (-row.points, row.pk))[73]
    Player.objects.filter(pk=wanted.player_id).update(account=member.user)

    first = member.get(CLUB)

    mine = first.context["board"]["mine"]
    rank = mine["rank"]
    assert rank == 1 + sum(row.points > wanted.points for row in rows)
    assert f"My place: {rank}" in first.text
    assert f"you are {rank} of 130" in first.text
    address, _, mark = mine["address"].partition("#")
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
def test_one_is_shown_why_one_is_not_on_the_list(member, pool, more, why, address):
    row = rated(pool, 1500, player=make.PlayerFactory(club=pool.club, account=member.user), **more)
    rated(pool, 1600)

    page = member.get(CLUB)

    assert why in page.text
    assert page.context["board"]["mine"]["address"] == address
    assert row.player.name in names(member.get(CLUB + address))


def test_curious_find_how_well_ratings_predict(member, club, pool):
    rated(pool, 1500, "Ada")
    address = f"{CLUB}calibration/?game=turkish-king"
    assert f'href="{address}"' in member.get(CLUB).text
    assert "Nothing to compare yet" in member.get(address).text

    bins = [[200, 110.0, 104.0], [40, 23.0, 26.0], [5, 3.0, 5.0]]
    months = {"2026-09": [100, 66.0, 67.0], "2026-10": [145, 90.0, 95.0]}
    RatingPool.objects.filter(pk=pool.pk).update(
        calibration={"bins": bins, "months": months},
        start=200.0**2,
        version=3,
        fitted_at=timezone.now(),
        fitted_games=700,
        luck={"turkish-king": 412.0},
    )
    page = member.get(address)

    seen = page.context["seen"]
    assert [(part["pairs"], part["happened"]) for part in seen["parts"]] == [
        (200, 52.0),
        (40, 65.0),
    ]
    month = seen["months"][0]
    assert (month["label"], month["loss"]) == ("October 2026", 90 / 145)
    whole = seen["whole"]
    assert (whole["loss"], whole["by_places"]) == (156 / 245, 162 / 245)
    for told in ("1500 ± 200", "± 412", "Version 3"):
        assert told in page.text


def test_director_takes_the_ratings_from_the_page_once_they_are_computed(director, club):
    club.rates_evenings = True
    club.save()
    evening(club, QUEENS, STOPPED, players=["Ada", "Bora", "Cem", "Deniz"])
    assert director.get(f"{CLUB}record/").status_code == 302
    sweep_ratings()

    for page in (CLUB, f"{CLUB}calibration/"):
        assert f'href="{CLUB}record/"' in director.get(page).text
    document = director.get(f"{CLUB}record/").json()

    assert [len(pool["games"]) for pool in document["pools"]] == [1]
    assert verify(document).agrees
