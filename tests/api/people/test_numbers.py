import pytest

from tests.club_factories import (
    ClubFactory,
    EventFactory,
    RoundFactory,
    SeasonFactory,
    TableFactory,
)
from tests.counting import queries_of
from tests.deals import WHOLE_GAME
from tests.factories import EVENING
from tournaments.models import Player
from tournaments.queries.players import games_of
from tournaments.services.ratings.computing import rate_club_again, sweep_ratings

pytestmark = pytest.mark.django_db

NAMES = ("Şule", "Burak", "Cem", "Deniz")


@pytest.fixture
def club():
    return ClubFactory(slug="moda", rates_evenings=True)


def play(club, number=1, names=NAMES, **event):
    event = EventFactory(club=club, **event)
    for _ in range(number):
        round_ = RoundFactory(event=event)
        TableFactory(round=round_, players=names, entries=WHOLE_GAME)
        round_.closed_at = EVENING
        round_.save()
    rate_club_again(club.pk)
    sweep_ratings()


def of(name, then=""):
    return f"clubs/moda/players/{Player.objects.get(name=name).public_id}/{then}"


def test_numbers_are_those_of_the_finished_games(member, club):
    season = SeasonFactory(club=club)
    play(club, 2, season=season)
    play(club)
    game = games_of(Player.objects.get(name="Şule"), None)[0]

    told = member.get(of("Şule", "numbers/")).json()
    assert told["limited_to"] == {
        "family": "turkish-king",
        "season": None,
        "families": [{"family": "turkish-king", "games": 3}],
        "seasons": [{"id": season.pk, "name": season.name, "games": 2}],
    }
    assert (told["games"], told["points"]) == (3, 3 * game.points)
    assert told["ranks"] == [
        {"sides": 4, "rank": rank, "games": 3 if rank == game.place else 0}
        for rank in sorted({row["rank"] for row in told["ranks"]})
    ]
    assert told["best"]["points"] == told["worst"]["points"] == game.points
    assert sum(row["declared"] for row in told["contracts"]) == 3 * 5
    assert told["rating"]["games"] == 3
    limited = member.get(of("Şule", f"numbers/?season={season.pk}")).json()
    assert (limited["limited_to"]["season"], limited["games"]) == (season.pk, 2)


@pytest.mark.parametrize(
    ("limit", "code"),
    [
        ("season=abc", "wrong-type"),
        ("season=", "wrong-type"),
        ("season=-1", "min-value"),
        ("season=1.5", "wrong-type"),
        ("season=99999", "unknown-season"),
        ("season={elsewhere}", "unknown-season"),
        ("family=", "missing-field"),
        ("family=nonsense", "unknown-family"),
        ("family=Turkish-King", "unknown-family"),
    ],
)
def test_limit_that_is_none_is_refused_and_answers_no_other_numbers(member, club, limit, code):
    play(club)
    query = "?" + limit.format(elsewhere=SeasonFactory().pk)
    beside = Player.objects.get(name="Deniz").public_id

    for path in (
        of("Şule", "numbers/"),
        of("Şule", "against/"),
        of("Şule", f"against/{beside}/"),
        "clubs/moda/records/",
    ):
        answer = member.get(path + query)
        assert answer.status_code == 422, path
        [fault] = answer.json()["problems"]
        assert (fault["code"], fault["where"]) == (code, limit.partition("=")[0]), path


def test_season_in_which_somebody_did_not_play_has_no_games(member, club):
    play(club)
    empty = SeasonFactory(club=club, name="2024/25", starts_on="2024-09-01", ends_on="2025-06-30")

    for limit in (f"season={empty.pk}", "family=krapet"):
        numbers = member.get(of("Şule", f"numbers/?{limit}")).json()
        assert (numbers["games"], numbers["points"]) == (0, 0)
        name = limit.partition("=")[0]
        assert f"{name}={numbers['limited_to'][name]}" == limit


@pytest.mark.parametrize("then", ["numbers/", "games/"])
def test_page_takes_as_many_queries_for_three_games_as_for_one(member, club, then):
    play(club)
    one = queries_of(lambda: member.get(of("Şule", then)))
    play(club, 2)
    assert queries_of(lambda: member.get(of("Şule", then))) == one


def test_games_are_listed_with_what_they_came_to(member, club):
    play(club, 2)
    TableFactory(round=RoundFactory(event=EventFactory(club=club)), players=NAMES)
    game = games_of(Player.objects.get(name="Cem"), None)[-1]

    shown = member.get(of("Cem", "games/?finished=true")).json()["results"]
    assert [(g["seat"], g["rank"], g["points"]) for g in shown] == [
        (2, game.place, game.points)
    ] * 2
    assert all(g["rating"]["points"] for g in shown)
    assert shown[0]["at"]["event_name"] == "Cuma akşamı"
    (going,) = member.get(of("Cem", "games/?finished=false")).json()["results"]
    assert (going["rank"], going["points"], going["rating"]) == (None, None, None)
    assert len(member.get(of("Cem", "games/?family=turkish-king")).json()["results"]) == 3
    assert member.get(of("Cem", "games/?family=krapet")).json()["results"] == []


def test_two_players_stand_beside_each_other(member, club):
    play(club, 2)
    burak = Player.objects.get(name="Burak")
    told = member.get(of("Şule", f"against/{burak.public_id}/")).json()
    games = {name: games_of(Player.objects.get(name=name), None)[0] for name in ("Şule", "Burak")}
    assert (told["name"], told["other_name"]) == ("Şule", "Burak")
    assert told["meeting"]["games"] == told["compared"]["games"] == 2
    assert told["compared"]["points"] == 2 * games["Şule"].points
    assert told["compared"]["other_ranks"] == 2 * games["Burak"].place
    assert (told["chance"]["above"] > 50) == (games["Şule"].place < games["Burak"].place)
    assert (
        member.get(of("Şule", f"against/{Player.objects.get(name='Şule').public_id}/")).status_code
        == 404
    )
