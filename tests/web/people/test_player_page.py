import re

import pytest
from django.urls import reverse
from django.utils import timezone

from tests.club_factories import (
    EventFactory,
    PlayerFactory,
    RoundFactory,
    SeasonFactory,
    TableFactory,
)
from tests.deals import WHOLE_GAME
from tests.factories import EVENING
from tournaments import models
from tournaments.engine.variants import RULESETS
from tournaments.queries.player_pages import contracts_of
from tournaments.queries.players import Contracted, PlayerSums
from tournaments.queries.ratings import month_of
from tournaments.services.audit import NOBODY
from tournaments.services.people.changes import set_initials
from tournaments.services.ratings.computing import rate_club_again, sweep_ratings
from tournaments.texts.labels import contract_title

NAMES = ("Şule", "Burak", "Cem", "Deniz")


def path_of(player, *args):
    names = ("player", "player_opponents", "player_against")
    words = ["against"] if args == ("against",) else [one.public_id for one in args]
    name = names[1] if words == ["against"] else names[2] if words else names[0]
    rest = [] if words == ["against"] else words
    return reverse(name, args=[player.club.slug, player.public_id, *rest])


def played(club, number=1, entries=WHOLE_GAME, names=NAMES, closed=True, **event):
    event = EventFactory(club=club, **event)
    for _ in range(number):
        round_ = RoundFactory(event=event)
        TableFactory(round=round_, players=names, entries=entries)
        if closed:
            round_.closed_at = EVENING
            round_.save()


@pytest.fixture
def rated(club):
    club.rates_evenings = True
    club.save()
    played(club, 3, name="Cuma")
    rate_club_again(club.pk)
    sweep_ratings()
    return {player.name: player for player in club.players.all()}


def settle(club):
    pool = models.RatingPool.objects.get(club=club)
    pool.ratings.update(provisional=False, month=month_of(timezone.now()))


def test_everybody_sees_what_is_published_of_a_player_whose_name_is_public(client, club, rated):
    player = rated["Şule"]
    at = path_of(player)
    played(club, 2, name="Kapalı")
    club.events.update(published=True)
    assert client.get(at).status_code == 404
    club.published = club.in_server_ratings = True
    club.save()
    club.events.update(published=False)
    hidden = client.get(at).context
    assert (hidden["rating"]["games"], hidden["sums"].games, list(hidden["games"])) == (3, 0, [])
    nobody = PlayerFactory(club=club)
    assert client.get(path_of(nobody)).status_code == 404
    club.events.filter(name="Cuma").update(published=True)

    page = client.get(at)

    assert page.context["sums"].games == 3
    assert {line.row.table.round.event.name for line in page.context["games"]} == {"Cuma"}
    assert 'name="description" content="Rating: ' in page.text
    assert not re.search("/against/|/document/|<form[^>]*initials", page.text)

    set_initials(player.pk, True, NOBODY, at=timezone.now())
    assert client.get(at).status_code == 404


def test_page_shows_the_rating_its_rank_and_its_curve(member, rated):
    player = rated["Şule"]
    row = models.PlayerRating.objects.get(player=player, pool__club=player.club)

    page = member.get(path_of(player))

    now = page.context["rating"]["now"]
    assert now.points == row.points
    assert f"{row.points}<span" in page.text
    assert "after 3 games that count" in page.text
    assert ("Provisional" in page.text) == now.provisional
    assert page.text.count('class="curve-dot"') == 3
    assert "<polygon" in page.text
    assert "The curve as a table" in page.text
    tables = models.Table.objects.values_list("round__number", "number")
    named = re.findall(r"Round (\d+), table (\d+)", page.text[page.text.index("Games") :])
    assert {*tables} == {(int(number), int(table)) for number, table in named}


def test_rank_is_that_of_the_leaderboard_and_leads_there(member, rated, club):
    path = path_of(rated["Cem"])
    board = reverse("club_ratings", args=[club.slug]) + "?game=turkish-king"
    assert member.get(path).context["rating"]["rank"] is None
    assert board not in member.get(path).text

    settle(club)
    page = member.get(path)

    assert f'href="{board}">place 4 of 4 in the club</a>' in page.text
    [rank] = re.findall(
        r'rank">(\d+)</td>\s*<th scope="row">(?:<a[^>]*>)?Cem', member.get(board).text
    )
    assert rank == "4"


@pytest.mark.parametrize(
    ("ruleset", "declared", "favourite"),
    [
        ("turkish-king", {"trump": 2, "no-men": 1, "no-queens": 0}, ["no-men"]),
        ("turkish-king", {"trump": 2, "no-men": 1, "no-queens": 1}, []),
        ("italian-king-choice", {"declaration": 2, "no-men": 1}, ["no-men"]),
        ("barbu", {"trump": 2, "domino": 1}, ["trump"]),
    ],
)
def test_favourite_is_no_contract_that_has_to_be_declared(ruleset, declared, favourite):
    contracts = {name: Contracted(declared=times) for name, times in declared.items()}
    rules = {ruleset: RULESETS[ruleset]}

    rows = contracts_of(PlayerSums(contracts=contracts), rules)

    titles = [contract_title(rules[ruleset], name) for name in favourite]
    assert [row["name"] for row in rows if row["favourite"]] == titles


def test_seasons_and_kinds_of_games_are_filters(member, rated, club):
    season = SeasonFactory(club=club, name="Güz")
    played(club, 1, season=season)
    table = TableFactory(round=RoundFactory(event=EventFactory(club=club)), players=NAMES)
    table.games.update(ruleset="euchre")
    rate_club_again(club.pk)
    sweep_ratings()
    player = rated["Şule"]

    everything = member.get(path_of(player))
    page = member.get(path_of(player), {"season": season.pk})

    assert [(one["key"], one["games"]) for one in everything.context["scope"].families] == [
        ("turkish-king", 4),
        ("euchre", 1),
    ]
    assert (everything.context["sums"].games, page.context["sums"].games) == (4, 1)
    assert [game.row.table.round.event.season for game in page.context["games"]] == [season]
    assert page.text.count('class="curve-dot"') == 1
    assert page.context["rating"]["now"] == everything.context["rating"]["now"]
    euchre = member.get(path_of(player), {"game": "euchre"}).context["games"]
    assert [game.row.ruleset for game in euchre] == ["euchre"]
    for words in ({"season": "0"}, {"season": "x"}, {"season": SeasonFactory().pk}, {"game": "x"}):
        assert member.get(path_of(player), words).context["sums"].games == 4


@pytest.mark.parametrize("number", [1, 3])
def test_page_takes_the_same_queries_however_many_games(
    member, club, number, django_assert_num_queries
):
    club.rates_evenings = True
    club.save()
    played(club, number, season=SeasonFactory(club=club))
    played(club, number, entries=WHOLE_GAME[:2], closed=False)
    rate_club_again(club.pk)
    sweep_ratings()
    settle(club)
    player = club.players.get(name="Şule")

    # The curve is drawn once.
    member.get(path_of(player))
    with django_assert_num_queries(19):
        member.get(path_of(player))


def test_all_opponents_are_listed_or_those_of_a_season(member, club):
    season = SeasonFactory(club=club)
    played(club, 2)
    played(club, 1, names=("Şule", "Burak", "Elif", "Fatma"), season=season)
    path = path_of(club.players.get(name="Şule"), "against")

    def met(**asked):
        found = member.get(path, asked).context["opponents"]
        return [(one["player"].name, one["meeting"].above) for one in found]

    assert met() == [("Burak", 3), ("Cem", 2), ("Deniz", 2), ("Elif", 1), ("Fatma", 1)]
    assert met(season=season.pk) == [("Burak", 1), ("Elif", 1), ("Fatma", 1)]


def test_anybody_of_the_club_is_found_to_be_compared_with(member, club):
    played(club, 1)
    player, stranger = club.players.get(name="Şule"), PlayerFactory(club=club, name="Yabancı")
    PlayerFactory(club=club, name="Gizli Kişi", initials=True)

    page = member.get(path_of(player, "against"), {"q": "yabanci"})

    assert path_of(player, stranger) in page.text
    assert (
        "Nobody is called like that." in member.get(path_of(player, "against"), {"q": "gizli"}).text
    )
    assert path_of(player, player) not in member.get(path_of(player, "against"), {"q": "sule"}).text
    assert "not finished a game at one table" in member.get(path_of(player, stranger)).text
