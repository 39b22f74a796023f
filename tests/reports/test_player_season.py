from datetime import date

import pytest
from django.utils import translation

from tests.club_factories import ClubFactory, EventFactory, SeasonFactory, TableFactory
from tests.deals import NAMES, WHOLE_GAME
from tests.rating_factories import PlayerRatingFactory, RatingChangeFactory, RatingPoolFactory
from tests.reports.asked import silent, tournament
from tests.reports.conftest import PAPERS
from tournaments.models import Game, Player, Report
from tournaments.reports.players import player_season
from tournaments.reports.typesetting import typeset

pytestmark = pytest.mark.django_db

LONG = "Muhteşem Süleyman Efendizadeoğulları"


@pytest.fixture
def club():
    club = ClubFactory(name="Kadıköy King")
    season = SeasonFactory(club=club, name="2026–2027")
    within = play(club, date(2026, 11, 20), season=season)
    before = play(club, date(2026, 5, 8))
    rating = PlayerRatingFactory(pool=RatingPoolFactory(club=club), player=ayse(club))
    for number, game, points in ((1, before, 1520), (2, within, 1534)):
        RatingChangeFactory(
            rating=rating, game=game, number=number, mean=points, mean_before=points - 14
        )
    return club


def play(club, day, players=NAMES, **fields):
    event = EventFactory(club=club, held_on=day, **fields)
    table = TableFactory(round__event=event, players=players, entries=WHOLE_GAME)
    Game.objects.filter(table=table).update(played_at=f"{day}T18:00Z")
    return table.games.get()


def ayse(club):
    return Player.objects.filter(club=club).called("Ayşe").get()


def asked(club, **parameters):
    return Report(
        kind="player-season", club=club, player=ayse(club), format="csv", parameters=parameters
    )


def compose(club, **parameters):
    return player_season(asked(club, **parameters), silent)


def test_season_tells_of_its_own_games_alone(club):
    found = compose(club, season=club.seasons.get().pk)

    assert (found["title"], found["lines"], found["date"]) == (
        "Ayşe",
        ["2026–2027 · King"],
        "2026–2027",
    )
    assert [(one["name"], one["value"], one["note"]) for one in found["figures"]] == [
        ("Finished games", "1", ""),
        ("Won", "1", "100%"),
        ("Out", "1", "100%"),
        ("Points on average", "540.0", ""),
        ("Rating at the start", "1520", ""),
        ("Rating at the end", "1534", "+14 · ± 180"),
    ]


def test_all_the_time_tells_of_places_contracts_opponents_and_tournaments(club):
    tournament(club)

    found = compose(club)

    assert found["figures"][0]["value"] == "3"
    [places] = found["places"]
    assert [(row["place"], row["games"]) for row in places["rows"]] == [
        ("1", "3"),
        ("2", "0"),
        ("3", "0"),
        ("4", "0"),
    ]
    [won] = found["tournaments"]
    assert (won[0]["text"], won[2]) == ("Moda Açık", "1 of 4")
    assert [row[0]["text"] for row in found["opponents"]] == ["Burak", "Cem", "Deniz"]
    assert found["opponents"][0][1:] == ["3", "3 · 100%"]
    assert [row[0] for row in found["games"]] == ["20 Nov 2026", "20 Nov 2026", "8 May 2026"]
    assert found["games"][2][1:] == [
        {"text": "Cuma akşamı", "below": "Burak · Cem · Deniz"},
        "1",
        "540",
        "+14",
        "1520",
    ]


@pytest.mark.parametrize("parameters", [{"season": 10**9}, {"season": "x"}])
def test_season_that_is_not_there_is_refused(club, parameters):
    with pytest.raises(ValueError, match=r"season|number"):
        compose(club, **parameters)


@pytest.mark.parametrize(("language", "paper"), [("tr", "us-letter"), ("it", "a4")])
def test_season_is_set_on_pages_that_can_be_read_aloud(club, pdf, language, paper):
    club.paper = paper
    Player.objects.filter(name="Deniz").update(name=LONG)
    with translation.override(language):
        document = pdf(typeset("player_season.typ", compose(club)))

    assert document.pages <= 2
    assert (document.size, document.is_tagged) == (PAPERS[paper], True)
    assert all(document.fonts.values())
    assert {"tr": "Tüm zamanlar", "it": "Da sempre"}[language] in document.text
    assert "Muhteşem" in document.text
