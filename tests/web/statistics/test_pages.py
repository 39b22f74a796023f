import re
from datetime import date, timedelta

import pytest
from django.core.cache import caches
from django.urls import reverse

from tests import club_factories as make
from tests.factories import EVENING
from tests.web.members import member_of
from tests.web.standings.evenings import evening
from tests.web.statistics.played import FOUR, games
from tournaments.models import Club, Game, Player, RatingChange
from tournaments.services.audit import NOBODY
from tournaments.services.people.changes import remove_player
from tournaments.services.ratings.computing import sweep_ratings


@pytest.fixture
def club():
    return make.ClubFactory(slug="moda", name="Moda King", rates_evenings=True)


def page(browser, club, **query):
    return browser.get(reverse("club_records", args=[club.slug]), query)


def text(html):
    return " ".join(re.sub(r"<[^>]*>", " ", html).split())


def section(html, name):
    start = html.index(f'aria-labelledby="{name}"')
    return text(html[start:].split("</section>")[0].split(">", 1)[1])


def records(html):
    found = {}
    for part in re.findall(r'<section aria-labelledby="record-\d">.*?</section>', html, re.DOTALL):
        title = re.search(r"<h3[^>]*>(.*?)</h3>", part)[1]
        lines = re.findall(r"<li>(.*?)<a class=\"link small\"", part, re.DOTALL)
        found[title] = [text(line) for line in lines]
    return found


def figures(html):
    return re.findall(r"<dd>(\d+)</dd>", html)


def test_records_are_read_from_the_games(club):
    games(club, (540, -110, -330, -100), (100, -50, -30, -20), kings=[2])
    games(club, (-400, 700, -200, -100), at=EVENING + timedelta(days=7))

    html = page(member_of(club), club).text

    assert records(html) == {
        "Highest game": ["700 Burak", "540 Ayşe", "100 Ayşe"],
        "Lowest game": ["−400 Ayşe", "−330 Cem", "−200 Cem"],
        "Most Kings": ["2 Cem"],
        "Longest run out": ["2 games Ayşe"],
    }
    assert figures(html) == ["3", "4", "2"]
    game = Game.objects.order_by("played_at").last()
    assert reverse("club_game", args=[club.slug, game.public_id]) in html


def test_season_limits_what_is_added_up(club):
    winter = make.SeasonFactory(club=club, name="Kış")
    games(club, (540, -110, -330, -100), season=winter)
    games(club, (700, -300, -300, -100))
    browser = member_of(club)

    assert figures(page(browser, club).text)[0] == "2"
    assert figures(page(browser, club, season=winter.pk).text)[0] == "1"
    assert figures(page(browser, club, season="7x").text)[0] == "2"


def test_champion_leads_the_league_where_there_is_one(club):
    season = make.SeasonFactory(club=club, name="Kış", league_best=2)
    evening(season, [dict(zip(FOUR, (10, 20, 30, -60), strict=True))])
    games(club, (540, -110, -330, -100), season=season)

    told = section(page(member_of(club), club).text, "champion")

    assert told == "In the lead: Kış Cem 30 points in the league"


def test_champions_of_a_season_without_a_league_have_the_highest_rating(club):
    season = make.SeasonFactory(club=club, name="Kış", ends_on=date(2026, 10, 1))
    make.SeasonFactory(
        club=club, name="Bahar", starts_on=date(2099, 1, 1), ends_on=date(2099, 2, 1)
    )
    games(club, (300, -20, -80, -200), season=season)
    sweep_ratings()
    # Provisional, it makes no champion.
    RatingChange.objects.filter(rating__player__name="Deniz").update(mean=1700, variance=100.0**2)

    for means, names, rating in (
        ((1540.4, 1500, 1500), "Ayşe", "1540 ± 80"),
        ((1540.4, 1539.6, 1539.4), "Ayşe · Burak", "1540"),
    ):
        for name, mean in zip(FOUR, means, strict=False):
            changes = RatingChange.objects.filter(rating__player__name=name)
            changes.update(mean=mean, variance=40.0**2)
        caches["pages"].clear()
        told = section(page(member_of(club), club).text, "champion")
        assert told == f"Champion: Kış {names} the highest rating after its games {rating}"


def test_house_players_hold_no_records(club):
    held = games(club, (540, -110, -330, -100))
    player = Player.objects.get(name="Ayşe")
    make.EntrantFactory(
        tournament=make.TournamentFactory(event=held, state="running"), player=player, house=True
    )

    html = page(member_of(club), club).text

    assert records(html)["Highest game"] == ["−100 Deniz", "−110 Burak", "−330 Cem"]
    assert figures(html)[1] == "3"


def test_only_members_see_it_unless_the_club_takes_part_on_the_server(club, client):
    games(club, (540, -110, -330, -100), published=True)
    games(club, (700, -300, -300, -100))
    Club.objects.update(published=True)
    assert page(client, club).status_code == 404

    Club.objects.update(in_server_ratings=True)

    # Of games that they may not look at, others are told nothing.
    assert figures(page(client, club).text)[0] == "1"
    assert figures(page(member_of(club), club).text)[0] == "2"
    # Names of this club are public, and so is the page of a player.
    at = reverse("player", args=[club.slug, Player.objects.first().public_id])
    assert at in page(client, club).text


def test_name_that_was_removed_stands_there_no_more(club):
    games(club, (540, -110, -330, -100))
    browser = member_of(club)
    assert "Ayşe" in page(browser, club).text

    remove_player(Player.objects.get(name="Ayşe").pk, NOBODY, at=EVENING)

    html = page(browser, club).text
    assert "Ayşe" not in html
    assert records(html)["Highest game"][0] == "540 removed player"


def test_changed_game_changes_what_is_kept(club):
    games(club, (540, -110, -330, -100))
    browser = member_of(club)
    assert records(page(browser, club).text)["Highest game"][0] == "540 Ayşe"

    row = Game.objects.get()
    row.result["totals"] = [-440, 870, -330, -100]
    row.revision += 1
    row.save()

    assert records(page(browser, club).text)["Highest game"][0] == "870 Burak"
