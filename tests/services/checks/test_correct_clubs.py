import pytest

from tests.club_factories import PlayerFactory, RoundFactory
from tests.factories import EVENING
from tests.kept_sums import keep_sums
from tests.services.ratings.rating_world import World
from tests.services.tournaments.whole_tournament import GAMES, whole_tournament
from tournaments.models import Game, Player, PlayerRating, RatingChange, Seat, Table
from tournaments.services.audit import NOBODY
from tournaments.services.checks import caches as game_checks
from tournaments.services.checks import ratings
from tournaments.services.checks.nights import look_at_all
from tournaments.services.people.changes import rename_player
from tournaments.services.ratings.computing import sweep_ratings

pytestmark = pytest.mark.django_db

GAMES_MET = 340


def differing():
    return [(cache.name, found) for cache, found in look_at_all()]


@pytest.mark.parametrize("ruleset", GAMES)
def test_whole_tournament_has_no_differences(ruleset):
    whole_tournament(ruleset)
    assert differing() == []
    sweep_ratings()
    assert differing() == []


def test_nothing_differs_whatever_happened_in_any_order(monkeypatch):
    # Many small heaps, so that rounds of one moment and followers of a change lie at their ends.
    monkeypatch.setattr(ratings, "ROUNDS_AT_ONCE", 2)
    for module in (game_checks, game_checks, ratings):
        monkeypatch.setattr(module, "AT_ONCE", 3)
    world = World(7)
    for number in range(60):
        world.happen()
        for player in Player.objects.order_by("pk")[number % 16 :: 16]:
            keep_sums(player)
        if number % 15 == 14:
            # What waits to be rated is not wrong, neither before nor after it was.
            assert differing() == []
    sweep_ratings()
    assert differing() == []

    # One wrong value is told where it is and where the next change begins, not in all after it.
    last, wrong = PlayerRating.objects.order_by("-games")[0].changes.order_by("-number")[:2]
    RatingChange.objects.filter(pk=wrong.pk).update(mean=wrong.mean + 1e-9)
    assert {found.subject.split(", ")[1] for _cache, found in differing()} == {
        f"game {wrong.game_id}",
        f"game {last.game_id}",
    }


def test_sheets_of_who_has_met_a_thousand_others_follow_the_name():
    round_ = RoundFactory()
    regular = PlayerFactory(club=round_.event.club, name="Işıl")
    others = Player.objects.bulk_create(
        Player(club=regular.club, name=f"o{n}", name_key=f"o{n}", created_at=EVENING)
        for n in range(3 * GAMES_MET)
    )
    tables = Table.objects.bulk_create(
        Table(round=round_, number=number) for number in range(1, GAMES_MET + 1)
    )
    sitting = [(regular, *others[3 * n : 3 * n + 3]) for n in range(GAMES_MET)]
    games = Game.objects.bulk_create(
        Game(
            table=table,
            ruleset="turkish-king",
            played_at=EVENING,
            players=[player.name for player in four],
        )
        for table, four in zip(tables, sitting, strict=True)
    )
    Seat.objects.bulk_create(
        Seat(game=game, number=number, player=player)
        for game, four in zip(games, sitting, strict=True)
        for number, player in enumerate(four)
    )

    assert [looked.found for looked in game_checks.look_at_names()] == [()]
    rename_player(regular.pk, "Işıl Yılmaz", NOBODY, at=EVENING)

    assert set(Game.objects.values_list("players__0", flat=True)) == {"Işıl Yılmaz"}
    assert [looked.found for looked in game_checks.look_at_names()] == [()]
