"""Results kept beside their games: made again from the entries, also of games of years ago."""

import importlib

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader

from tests.deals import WHOLE_GAME
from tests.factories import EVENING, GameFactory, HeadFactory, HouseRulesetFactory
from tests.services.tournaments.test_tournaments import play, published, running
from tournaments.models import Game, RatingDue, Round, Write
from tournaments.queries.sheets import load_sheet, result_of
from tournaments.services.auditing import NOBODY
from tournaments.services.play.results import differing_results, rebuild_results
from tournaments.services.tournaments.rounds import close_round, open_round

pytestmark = pytest.mark.django_db

NAME = "0011_results_with_contracts_and_badges"
migration = importlib.import_module(f"tournaments.migrations.{NAME}")


def as_it_was():
    """What a migration is given: the models of its time, and the database."""
    state = MigrationLoader(connection).project_state(("tournaments", NAME))
    return state.apps, connection.schema_editor()


def finished(**head):
    return Game.objects.get(pk=GameFactory(entries=WHOLE_GAME, head=HeadFactory(**head)).pk)


def age(*games):
    """Leave of results what they were before contracts and badges were told."""
    for game in games:
        kept = {"totals", "ranks", "out", "sunk", "kings"}
        game.result = {name: value for name, value in game.result.items() if name in kept}
        game.save(update_fields=["result"])


def test_migration_tells_contracts_and_badges_of_games_finished_before():
    HouseRulesetFactory(slug="moda")
    games = [finished(), finished(options={"king": "off"}), finished(ruleset="moda")]
    going = GameFactory(entries=WHOLE_GAME[:3])
    right = [game.result for game in games]
    age(*games)

    migration.add(*as_it_was())

    rows = [Game.objects.get(pk=game.pk) for game in games]
    assert [row.result for row in rows] == right == [result_of(load_sheet(row)) for row in rows]
    assert Game.objects.get(pk=going.pk).result is None


def test_migration_counts_what_stands_after_a_correction():
    game = finished()
    wrong, right = WHOLE_GAME[16], {**WHOLE_GAME[16], "counts": {"tricks": [4, 6, 1, 2]}}
    Write.objects.create(
        game=game, revision=21, key="corrected-1", kind="correction", position=16, body=right,
        at=EVENING,
    )  # fmt: skip
    game.revision = 21
    game.result = result_of(load_sheet(game))
    game.save()
    expected, before = game.result, wrong["counts"]
    age(game)

    migration.add(*as_it_was())

    assert before != right["counts"]
    assert Game.objects.get(pk=game.pk).result == expected


def test_migration_can_be_taken_back():
    game = finished()

    migration.take_away(*as_it_was())

    assert set(Game.objects.get(pk=game.pk).result) == {"totals", "ranks", "out", "sunk", "kings"}


def test_results_are_made_right_and_only_those_that_are_wrong(capsys):
    games = [finished(), finished(), GameFactory(entries=WHOLE_GAME[:2])]
    right = games[0].result
    Game.objects.filter(pk=games[0].pk).update(result={**right, "totals": [0, 0, 0, 0]})
    Game.objects.filter(pk=games[2].pk).update(result=right)

    assert differing_results() == [games[0].public_id, games[2].public_id]
    with pytest.raises(CommandError, match="2 results differ"):
        call_command("rebuild_results", "--check")
    call_command("rebuild_results")

    assert "2 results made right" in capsys.readouterr().out
    assert [Game.objects.get(pk=game.pk).result for game in games] == [right, right, None]
    call_command("rebuild_results", "--check")
    assert rebuild_results() == 0


def test_game_whose_entries_do_not_fit_is_told_and_left_alone():
    game, other = finished(), finished()
    Write.objects.filter(game=game, position=1).update(body=WHOLE_GAME[3])
    Write.objects.filter(game=game, position=3).update(body=WHOLE_GAME[3])

    assert differing_results() == [game.public_id]
    assert rebuild_results() == 0
    assert Game.objects.get(pk=game.pk).result == game.result == other.result


def test_round_with_a_wrong_result_is_rated_again():
    row = running(*(f"Oyuncu {n}" for n in range(4)), rounds=1)
    place = published(row)
    open_round(place.pk, NOBODY, at=EVENING)
    play(place)
    close_round(place.pk, NOBODY, at=EVENING)
    RatingDue.objects.all().delete()
    game = Game.objects.get()
    Game.objects.update(result={**game.result, "totals": [0, 0, 0, 0]})

    rebuild_results()

    place = Round.objects.get()
    assert list(RatingDue.objects.values_list("club", "since")) == [
        (place.event.club_id, place.closed_at)
    ]
