"""The leaderboards: who is on them, in which order, and who sees them."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from tests.club_factories import (
    ClubFactory,
    EventFactory,
    PlayerFactory,
    SeasonFactory,
    TableFactory,
)
from tests.rating_factories import (
    RatedRoundFactory,
    RatingChangeFactory,
    RatingCountFactory,
    RatingPoolFactory,
)
from tests.web.ratings.ratings_world import (
    CLUB,
    HALF_A_YEAR,
    MONTH,
    SERVER,
    counted,
    lines,
    names,
    rated,
)
from tournaments.models import Player, RatingChange, RatingCount
from tournaments.queries.ratings import rating_at
from tournaments.services.auditing import NOBODY
from tournaments.services.people.changes import remove_player

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


def changes(answer):
    return re.findall(r'change">([^<]*)<', answer.text)


# --- ranks and pages


def test_equals_share_a_rank(member, pool):
    for name, points in (("Cem", 1510), ("Ece", 1490), ("Ada", 1533), ("Deniz", 1510)):
        rated(pool, points, name)
    counted()

    assert lines(member.get(CLUB)) == [
        (1, "Ada", 1533),
        (2, "Cem", 1510),
        (2, "Deniz", 1510),
        (4, "Ece", 1490),
    ]


def test_pages_of_fifty_put_together_are_the_whole_list(member, pool):
    wanted = [rated(pool, 1500 + n % 7, f"Oyuncu {n:03}") for n in range(120)]
    counted()
    wanted.sort(key=lambda row: (-row.points, row.pk))
    above = {row.pk: sum(other.points > row.points for other in wanted) for row in wanted}

    found = [line for page in (1, 2, 3) for line in lines(member.get(CLUB, {"page": page}))]

    assert found == [(above[row.pk] + 1, row.player.name, row.points) for row in wanted]
    assert len(lines(member.get(CLUB, {"page": "2"}))) == 50


@pytest.mark.parametrize(("language", "said"), [("en", "1,001"), ("tr", "1.001")])
def test_counts_of_thousands_are_grouped(member, pool, language, said):
    row = rated(pool, 1400, player=PlayerFactory(club=pool.club, account=member.user), games=1001)
    for points, ratings in ((1500, 1000), (1300, 61_000), (row.points, 1)):
        RatingCountFactory(
            pool=pool, points=points, month=MONTH, ratings=ratings, provisional=False
        )

    page = member.get(CLUB, {"page": "21"}, headers={"Accept-Language": language}).text

    text = " ".join(re.sub(r"<[^>]*>", " ", page).split())
    total = "62,001" if language == "en" else "62.001"
    assert total in text
    assert f'rank">{said}<' in page
    assert f'num games">{said}<' in page
    assert ("1,241" if language == "en" else "1.241") in text
    assert "62001" not in text


def test_pages_lead_to_the_first_the_next_and_the_last(member, pool):
    for n in range(170):
        rated(pool, 1400 + n)
    counted()

    page = member.get(CLUB, {"page": "2", "active": "all"}).text

    pages = page.partition('class="rating-pages"')[2].partition("</nav>")[0]
    assert re.findall(r'href="([^"]*)"', pages) == [
        "?active=all",
        "?page=1&amp;active=all",
        "?page=3&amp;active=all",
        "?page=4&amp;active=all",
    ]
    # Typed, it keeps what else was asked.
    assert '<input type="hidden" name="active" value="all">' in pages


@pytest.mark.parametrize("number", ["", "0", "-1", "999", "x", "1\0"])
def test_any_page_can_be_typed(member, pool, number):
    rated(pool, 1500, "Ada")
    counted()

    assert names(member.get(CLUB, {"page": number})) == ["Ada"]


def test_counts_that_are_just_computed_anew_break_no_page(member, pool):
    for n in range(3):
        rated(pool, 1500 + n)
    counted()
    RatingCount.objects.filter(points=1501).delete()

    assert [rank for rank, _, _ in lines(member.get(CLUB))] == [1, 2, 2]


# --- who is on the list


def test_list_is_of_those_active_now_unless_all_are_asked_for(member, pool):
    rated(pool, 1500, "Now")
    rated(pool, 1600, "Five months ago", month=MONTH - 5)
    rated(pool, 1700, "Six months ago", month=MONTH - 6)
    counted()

    assert lines(member.get(CLUB)) == [(1, "Five months ago", 1600), (2, "Now", 1500)]
    everybody = member.get(CLUB, {"active": "all"})
    assert names(everybody) == ["Six months ago", "Five months ago", "Now"]


def test_provisional_ratings_are_left_out_unless_asked_for_and_then_marked(member, pool):
    rated(pool, 1500, "Ada")
    rated(pool, 1600, "Newcomer", provisional=True, variance=100.0**2)
    counted()

    settled, with_all = member.get(CLUB), member.get(CLUB, {"provisional": "yes"})

    assert lines(settled) == [(1, "Ada", 1500)]
    assert ">?</abbr>" not in settled.text
    assert lines(with_all) == [(1, "Newcomer", 1600), (2, "Ada", 1500)]
    assert with_all.text.count(">?</abbr>") == 1


def test_uncertainty_grows_with_silence(member, pool):
    rated(pool, 1500, "Now")
    rated(pool, 1400, "Long ago", month=MONTH - 6, last_at=timezone.now() - HALF_A_YEAR)
    counted()

    page = member.get(CLUB, {"active": "all"}).text

    now, long_ago = (int(within) for within in re.findall(r"± (\d+)<", page))
    assert now == 80
    assert long_ago > now


def test_board_marks_as_provisional_who_is_so_today_as_the_players_own_page_does(member, pool):
    away = timezone.now() - timedelta(days=1500)
    row = rated(pool, 1400, "Long ago", month=MONTH - 50, last_at=away)
    counted()

    page = member.get(CLUB, {"active": "all"}).text

    assert not row.provisional
    assert rating_at(row, timezone.now()).provisional
    assert ">?</abbr>" in page


def test_most_played_game_stands_first_and_another_is_chosen(member, club, pool):
    rated(pool, 1500, "King")
    euchre = RatingPoolFactory(club=club, family="euchre")
    rated(euchre, 1500, "Euchre")
    RatingPoolFactory(club=club, family="krapet")
    RatedRoundFactory(pool=pool, spreads={"turkish-king": [2, 0.5]})
    RatedRoundFactory(pool=euchre, spreads={"euchre": [2, 0.5], "euchre-two": [1, 0.5]})
    counted()

    first = member.get(CLUB)

    assert names(first) == ["Euchre"]
    tabs = re.findall(r'href="(\?[^"]*)"[^>]*>(?:King|Euchre|Krapet)</a>', first.text)
    assert tabs == ["?game=euchre", "?game=turkish-king"]
    assert names(member.get(CLUB, {"game": "turkish-king"})) == ["King"]
    assert names(member.get(CLUB, {"game": "whist"})) == ["Euchre"]


# --- changes


def test_change_is_told_from_thirty_days_ago(member, pool):
    rows = [rated(pool, points, name) for name, points in (("Ada", 1530), ("Ece", 1490))]
    for row, means in zip(rows, ((1480, 1515, 1530), (1495, 1500, 1490)), strict=True):
        for number, (mean, days) in enumerate(zip(means, (60, 31, 29), strict=True), start=1):
            at = timezone.now() - timedelta(days=days)
            RatingChangeFactory(rating=row, number=number, mean=float(mean), at=at)
    new = rated(pool, 1480, "Cem")
    RatingChangeFactory(rating=new, mean=1480.0, at=timezone.now())
    idle = rated(pool, 1470, "Deniz")
    RatingChangeFactory(rating=idle, mean=1470.0, at=timezone.now() - timedelta(days=80))
    counted()

    assert changes(member.get(CLUB)) == ["+15", "−10", "new", "0"]


# --- seasons


@pytest.fixture
def season(club, pool):
    """A season in which Ada and Ece played, Ece twice; both went on after it, Zoe began then."""
    season = SeasonFactory(club=club, name="Güz")
    inside, outside = (
        [
            TableFactory(round__event=EventFactory(club=club, season=of)).games.get()
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
    counted()
    return season


def test_season_ranks_by_the_rating_after_its_last_game(member, season):
    page = member.get(CLUB, {"season": season.pk})

    assert lines(page) == [(1, "Ece", 1550), (2, "Ada", 1520)]
    assert changes(page) == ["+40", "new"]
    assert re.findall(r'num games">(\d+)<', page.text) == ["2", "1"]
    # Without a season, as they stand today.
    assert names(member.get(CLUB)) == ["Zoe", "Ada", "Ece"]


def test_season_is_searched_and_leads_to_oneself(member, season):
    Player.objects.filter(name="Ada").update(account=member.user)

    found = member.get(CLUB, {"season": season.pk, "q": "ada"})

    assert lines(found) == [(2, "Ada", 1520)]
    assert found.context["board"].mine.rank == 2
    assert 'id="me"' in found.text


def test_season_leaves_out_who_was_provisional_in_it(member, season):
    RatingChange.objects.filter(rating__player__name="Ada").update(variance=100.0**2)

    assert names(member.get(CLUB, {"season": season.pk})) == ["Ece"]
    everybody = member.get(CLUB, {"season": season.pk, "provisional": "yes"})
    assert names(everybody) == ["Ece", "Ada"]


@pytest.mark.parametrize("asked", ["of another club", "x", "0"])
def test_season_that_is_none_of_the_club_is_no_filter(member, season, asked):
    other = SeasonFactory()

    page = member.get(CLUB, {"season": other.pk if " " in asked else asked})

    assert names(page) == ["Zoe", "Ada", "Ece"]


# --- search


def test_players_are_found_with_their_ranks(member, pool):
    for name, points in (("Şule Ak", 1500), ("Burak Ak", 1600), ("Selin", 1700)):
        rated(pool, points, name)
    counted()

    assert lines(member.get(CLUB, {"q": "ak şu"})) == [(3, "Şule Ak", 1500)]
    assert names(member.get(CLUB, {"q": "AK"})) == ["Burak Ak", "Şule Ak"]
    assert "Nobody on this list is called that." in member.get(CLUB, {"q": "x"}).text


def test_search_stops_when_it_has_found_enough(member, pool):
    for n in range(101):
        rated(pool, 1500 + n, f"Ali {n:03}")
    counted()

    page = member.get(CLUB, {"q": "ali", "page": "9"})

    assert "More than 100: write more of the name." in page.text
    assert [rank for rank, _, _ in lines(page)] == list(range(51, 101))


def test_whoever_is_shown_by_initials_is_found_by_directors_only(visitor, club, pool, server):
    player = PlayerFactory(club=club, name="Şule Ak", initials=True)
    for each in (pool, server):
        rated(each, 1500, player=player)
    counted()

    assert names(visitor.become("member", club).get(CLUB)) == ["Ş. A."]
    assert names(visitor.get(CLUB, {"q": "sule"})) == []
    visitor.become("director", club)
    assert names(visitor.get(CLUB, {"q": "sule"})) == ["Ş. A."]
    # Of the server nobody is director.
    assert names(visitor.get(SERVER, {"q": "sule"})) == []


@pytest.mark.parametrize("asked", ["\0", "%", "x" * 500, "' OR 1", " "])
def test_anything_can_be_searched_for(member, pool, asked):
    rated(pool, 1500)
    counted()

    assert member.get(CLUB, {"q": asked}).status_code == 200


def test_live_search_is_answered_with_the_list_only(member, pool):
    rated(pool, 1500, "Şule")
    counted()

    answer = member.get(CLUB, {"q": "su"}, headers={"HX-Request": "true"})

    assert names(answer) == ["Şule"]
    assert answer.text.lstrip().startswith('<div id="board"')


# --- names


def test_removed_player_has_no_name_and_no_page(member, pool):
    player = PlayerFactory(club=pool.club, name="Zeki")
    rated(pool, 1500, player=player)
    counted()
    assert player.public_id in member.get(CLUB).text

    remove_player(player.pk, NOBODY, at=timezone.now())

    page = member.get(CLUB).text
    assert "removed player" in page
    assert player.public_id not in page
    assert "Zeki" not in page


def test_names_lead_to_players_of_ones_own_clubs_only(member, club, server):
    own, other = PlayerFactory(club=club, name="Ada"), PlayerFactory(name="Ece")
    for player in (own, other):
        rated(server, 1500, player=player)
    counted()

    page = member.get(SERVER).text

    assert f"/clubs/moda/players/{own.public_id}/" in page
    assert other.public_id not in page


@pytest.mark.parametrize("published", [True, False])
def test_server_names_the_clubs_that_are_published(visitor, server, published):
    club = ClubFactory(name="Kadife", published=published)
    rated(server, 1500, player=PlayerFactory(club=club))
    counted()

    assert ("Kadife" in visitor.get(SERVER).text) is published
    assert "Kadife" in visitor.become("member", club).get(SERVER).text
