import pytest

from tests.club_factories import ClubFactory, EventFactory, SeasonFactory, TableFactory
from tests.deals import NAMES, WHOLE_GAME
from tests.rating_factories import RatingPoolFactory
from tests.web.ratings.ratings_world import rated

PATH = "clubs/moda/records/"


@pytest.fixture
def club(program):
    """A club whose season has one game, and a leader by rating."""
    club = ClubFactory(slug="moda")
    event = EventFactory(club=club, season=SeasonFactory(club=club, name="2026/27"))
    TableFactory(round__event=event, players=NAMES, entries=WHOLE_GAME)
    rated(RatingPoolFactory(club=club), 1500, player=club.players.called("Ayşe").get())
    return club


def test_club_is_shown_in_numbers(program, club):
    numbers = program.role("member", club).get(PATH).json()

    game = club.events.get().rounds.get().tables.get().games.get()
    assert (numbers["games"], numbers["players"], numbers["evenings"]) == (1, 4, 1)
    best = numbers["highest"][0]
    assert (best["value"], best["game"]) == (max(game.result["totals"]), game.public_id)
    assert best["players"][0]["name"] in NAMES
    assert [row["games"] for row in numbers["most_active"]] == [1] * 4


def test_numbers_are_of_a_kind_of_game_and_a_season(program, club):
    member, season = program.role("member", club), club.seasons.get()
    empty = SeasonFactory(club=club, name="2024/25", starts_on="2024-09-01", ends_on="2025-06-30")
    for query, games in ((f"season={season.pk}", 1), (f"season={empty.pk}", 0)):
        assert member.get(f"{PATH}?{query}").json()["games"] == games

    club.published = club.in_server_ratings = True
    club.save()
    club.events.update(published=True)
    # Ids are for members.
    best = program.get(PATH).json()["highest"][0]
    assert [player["id"] for player in best["players"]] == [None]
