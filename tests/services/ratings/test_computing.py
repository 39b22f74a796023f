import json
from datetime import timedelta
from functools import partial
from importlib import import_module

import pytest
from django.apps import apps
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests import club_factories as make
from tests.deals import NAMES, WHOLE_GAME, deal
from tests.factories import EVENING, GameFactory, SetupFactory, record_all
from tests.match_builders import won_by
from tests.services.ratings.rating_world import (
    DAY,
    QUEENS,
    RIFKI,
    STOPPED,
    World,
    check_everything,
    correct,
    evening,
)
from tests.services.tournaments.whole_tournament import whole_tournament
from tests.tournament_builders import closed, plan, running
from tests.tournament_records import empty_server, exported, imported
from tournaments import models
from tournaments.engine.documents.ruleset_records import write_ruleset
from tournaments.engine.ratings.ratings import START_VARIANCE
from tournaments.engine.standings.tournament_settings import TournamentSettings
from tournaments.engine.variants import RULESETS
from tournaments.services.audit import NOBODY
from tournaments.services.checks.nights import look_at_all
from tournaments.services.checks.ratings import look_at_changes
from tournaments.services.events.events import close_round, plan_of, reopen_round
from tournaments.services.people.export import export_player
from tournaments.services.ratings import computing, fitting, pools
from tournaments.services.ratings.fitting import fit_pools
from tournaments.services.tournaments.lifecycle import (
    TournamentPlan,
    change_tournament,
    move_tournament,
)

pytestmark = pytest.mark.django_db

FINE = {"type": "adjustment", "seat": 2, "points": -100, "to": "none", "reason": "revoke"}


@pytest.fixture
def club():
    return make.ClubFactory(rates_evenings=True)


def rated(**of_pool):
    rows = models.PlayerRating.objects.filter(**of_pool).order_by("pk")
    return {row.player.name: row.games for row in rows.select_related("player")}


def test_hidden_round_is_rated_once_everybody_may_see_it():
    row = running(*NAMES, rounds=2, hide_last=True)
    closed(row, WHOLE_GAME)
    computing.sweep_ratings()
    first = points_by_name()
    round_ = closed(row, [deal("no-queens", 4, 0, 0, 0), STOPPED])

    def rated_after(change):
        change()
        computing.sweep_ratings()
        assert list(computing.differing_ratings()) == []
        return points_by_name()

    def move(state):
        return lambda: move_tournament(row.pk, state, NOBODY, at=EVENING)

    def hide(hidden):
        event = plan_of(models.Event.objects.get(pk=row.event_id))
        settings = TournamentSettings(rounds=2, hide_last=hidden)
        change = partial(change_tournament, row.pk, TournamentPlan(event, settings), NOBODY)
        return partial(change, at=EVENING)

    assert rated_after(lambda: computing.rate_round_again(round_)) == first
    shown = rated_after(move("finished"))
    assert shown != first
    assert rated_after(move("running")) == first
    assert rated_after(hide(False)) == shown
    assert rated_after(hide(True)) == first


def points_by_name():
    return dict(models.PlayerRating.objects.values_list("person", "mean"))


def test_game_of_a_closed_round_counts_for_who_sat_there_until_it_is_reopened(club):
    round_ = evening(club, QUEENS, STOPPED, players=NAMES)

    assert computing.sweep_ratings() == 1

    assert rated() == dict.fromkeys(NAMES, 1)
    means = dict(models.PlayerRating.objects.values_list("player__name", "mean"))
    # They had 1, 0, 2 and 1 queens.
    assert means["Burak"] > means["Ayşe"] == means["Deniz"] > means["Cem"]
    assert models.PlayerRating.objects.exclude(points=0).filter(provisional=True).count() == 4
    check_everything()
    reopen_round(round_.pk, NOBODY, at=EVENING)
    computing.sweep_ratings()
    assert rated() == {}


@pytest.mark.parametrize(
    "entries",
    [(), (QUEENS,), (STOPPED,), (FINE, STOPPED)],
    ids=["new", "going on", "empty", "fined"],
)
def test_game_without_a_deal_or_a_result_does_not_count(club, entries):
    evening(club, *entries)
    # Nor does one of an open round or of an open table.
    make.TableFactory(round__event__club=club, entries=(QUEENS, STOPPED))
    GameFactory(entries=(QUEENS, STOPPED))
    computing.sweep_ratings()
    assert rated() == {}
    assert not models.RatingPool.objects.exists()


def test_house_player_of_one_table_counts_where_they_stand_in_for_another(club):
    round_ = make.RoundFactory(event=make.TournamentFactory(event__club=club).event)
    make.TableFactory(round=round_, entries=(QUEENS, STOPPED))
    make.EntrantFactory(
        tournament=round_.event.tournament, player=models.Player.objects.get(name="Cem"), house=True
    )
    close_round(round_.pk, NOBODY, at=EVENING)
    computing.sweep_ratings()

    assert rated() == dict.fromkeys(NAMES, 1)


def test_running_tournament_is_rated_again_when_other_points_count():
    row = running(*NAMES, points="places", rated_by="points")
    closed(row, [QUEENS, RIFKI, STOPPED])
    computing.sweep_ratings()
    before = points_by_name()

    half = plan(points="places", rated_by="half-places")
    change_tournament(row.pk, half, NOBODY, at=EVENING)
    computing.sweep_ratings()

    assert points_by_name() != before
    check_everything()


def test_one_among_guests_is_not_rated(club):
    round_ = make.RoundFactory(event=make.EventFactory(club=club))
    make.TableFactory(round=round_, entries=(QUEENS, STOPPED))
    models.Seat.objects.exclude(number=0).delete()
    close_round(round_.pk, NOBODY, at=EVENING)
    computing.sweep_ratings()
    assert rated() == {}


def lay(round_, ruleset, names, *entries, document=None):
    table = round_.tables.create(number=round_.tables.count() + 1)
    head = SetupFactory(ruleset=ruleset, players=tuple(names), document=document)
    game = GameFactory(head=head)
    models.Game.objects.filter(pk=game.pk).update(table=table)
    for number, name in enumerate(names):
        player = models.Player.objects.filter(club=round_.event.club, name=name).first()
        player = player or make.PlayerFactory(club=round_.event.club, name=name)
        models.Seat.objects.create(game=game, number=number, player=player)
    record_all(game, entries)
    return game


def test_pairs_and_two_players_are_rated_each_in_their_kind_of_game(club):
    round_ = make.RoundFactory(event=make.EventFactory(club=club))
    lay(round_, "krapet", NAMES[:2], won_by(0))
    queens = {**deal("no-queens", 3, 1), "declarer": 0}
    lay(round_, "turkish-king-partners", NAMES, queens, STOPPED)
    close_round(round_.pk, NOBODY, at=EVENING)
    computing.sweep_ratings()

    families = {RULESETS[name].family for name in ("krapet", "turkish-king-partners")}
    assert len(families) == 2
    assert set(models.RatingPool.objects.values_list("family", flat=True)) == families
    assert rated(pool__family="krapet") == {"Ayşe": 1, "Burak": 1}
    pairs = models.PlayerRating.objects.exclude(pool__family="krapet").order_by("player__name")
    ayse, burak, cem, deniz = (row.mean for row in pairs)
    assert ayse == cem != burak == deniz
    check_everything()


def test_rules_of_a_club_count_there_and_on_the_server_only_in_known_kinds_of_games(club):
    club.in_server_ratings = True
    club.save()
    told = write_ruleset(RULESETS["turkish-king"])
    round_ = make.RoundFactory(event=make.EventFactory(club=club))
    for name, family in (("moda", "moda-game"), ("moda-king", "turkish-king")):
        document = told | {"id": name, "family": family}
        lay(round_, name, NAMES, QUEENS, STOPPED, document=document)
    close_round(round_.pk, NOBODY, at=EVENING)
    computing.sweep_ratings()

    pools = models.RatingPool.objects.order_by("pk").values_list("club", "family")
    assert set(pools) == {(club.pk, "moda-game"), (club.pk, "turkish-king"), (None, "turkish-king")}


def test_rules_that_cannot_be_read_keep_no_other_game_from_counting(club):
    place = evening(club, QUEENS, STOPPED, tables=3)
    first, second, _third = models.Game.objects.order_by("pk")
    models.Game.objects.filter(pk=first.pk).update(document={"format": "of tomorrow"})
    models.Game.objects.filter(pk=second.pk).update(ruleset="forgotten")
    computing.sweep_ratings()

    assert set(models.RatingChange.objects.values_list("game__table__number", flat=True)) == {3}
    assert models.RatedRound.objects.get().round == place


@pytest.mark.parametrize("late", [{0: 40, 1: 20}, {2: -300}])
def test_ratings_in_the_order_of_closing_are_made_anew_after_an_upgrade(club, late, monkeypatch):
    in_small_slices(monkeypatch)
    rounds = [evening(club, QUEENS, STOPPED, players=NAMES, day=day) for day in range(3)]
    computing.sweep_ratings()
    # As they were stored before: by when their rounds were closed.
    for number, days in late.items():
        was = rounds[number].played_at + days * DAY
        models.RatingChange.objects.filter(game__table__round=rounds[number]).update(at=was)
        models.RatedRound.objects.filter(round=rounds[number]).update(at=was)
        models.PlayerRating.objects.update(last_at=max(was, rounds[2].played_at))
        models.Round.objects.filter(pk=rounds[number].pk).update(closed_at=was)

    import_module("tournaments.migrations.0049_ratings_by_day").rate_all_again(apps, None)
    assert [found for _rows, found in look_at_changes()] == [[]]
    computing.sweep_ratings()

    check_everything()
    assert computing.differing_ratings() == []
    assert [found for _rows, found in look_at_changes()] == [[]]


def test_rounds_of_an_evening_are_rated_by_their_numbers(club):
    event = make.EventFactory(club=club)
    for number in (3, 1, 2):
        round_ = make.RoundFactory(event=event, number=number)
        make.TableFactory(
            round=round_, entries=(QUEENS, STOPPED), players=[*NAMES[:3], f"P{number}"]
        )
        close_round(round_.pk, NOBODY, at=EVENING)
        computing.sweep_ratings()

    rounds = models.RatingChange.objects.order_by("at").values_list("game__table__round__number")
    assert [number for (number,) in rounds.distinct()] == [1, 2, 3]
    check_everything()


def changes():
    fields = ("pk", "game", "rating", "number", "mean_before", "mean", "variance")
    return list(models.RatingChange.objects.order_by("at", "pk").values_list(*fields))


def test_correction_changes_everything_from_its_game_on_and_nothing_before(club):
    for day in range(3):
        evening(club, QUEENS, STOPPED, players=NAMES, day=day)
    computing.sweep_ratings()
    before = changes()

    correct(models.Game.objects.order_by("pk")[1], RIFKI)
    assert computing.sweep_ratings() == 1

    after = changes()
    assert after[:4] == before[:4]
    assert len(after) == len(before) == 12
    assert not set(after[4:]) & set(before)
    check_everything()
    assert computing.differing_ratings() == []


def test_first_sweep_and_one_of_another_model_make_everything_anew(club):
    evening(club, QUEENS, STOPPED)
    models.RatingDue.objects.all().delete()
    computing.sweep_ratings()
    was = changes()
    assert len(was) == 4
    models.PlayerRating.objects.update(mean=0, points=0)
    models.RatingLedger.objects.update(model="another-1")

    computing.sweep_ratings()

    assert [each[3:] for each in changes()] == [each[3:] for each in was]
    check_everything()


def queries_of_a_sweep():
    with CaptureQueriesContext(connection) as queries:
        computing.sweep_ratings()
    return len(queries)


def test_sweep_takes_as_many_queries_for_four_tables_as_for_one(club):
    evening(club, QUEENS, STOPPED, tables=4)
    computing.sweep_ratings()
    evening(club, QUEENS, STOPPED, tables=1, day=1)
    one = queries_of_a_sweep()
    evening(club, QUEENS, STOPPED, tables=4, day=2)

    assert queries_of_a_sweep() == one
    assert queries_of_a_sweep() == 2


def test_imported_tournament_is_rated_as_where_it_was_played():
    computing.sweep_ratings()
    whole_tournament()
    text = exported()
    computing.sweep_ratings()
    here = [each[4:] for each in changes()]
    assert here
    empty_server()

    imported(text)
    computing.sweep_ratings()

    assert [each[4:] for each in changes()] == here
    check_everything()


def test_rebuild_leaves_the_table_of_changes_as_it_was(club):
    evening(club, QUEENS, STOPPED, players=NAMES)
    computing.sweep_ratings()
    before = table_of_changes()

    computing.rebuild_ratings()

    assert table_of_changes() == before
    evening(club, QUEENS, STOPPED, players=NAMES, day=1)
    computing.sweep_ratings()
    assert models.RatingChange.objects.count() == 8


def table_of_changes():
    table = models.RatingChange._meta.db_table
    with connection.cursor() as cursor:
        read = connection.introspection
        columns = read.get_table_description(cursor, table)
        return columns, read.get_constraints(cursor, table), read.get_sequences(cursor, table)


def in_small_slices(monkeypatch):
    for name in ("GAMES_OF_SLICE", "STATES_OF_SLICE", "ROWS_AT_ONCE"):
        monkeypatch.setattr(pools, name, 2)
    monkeypatch.setattr(computing, "PAUSE", 0)


@pytest.mark.parametrize("seed", range(4))
def test_ratings_are_what_the_games_make_of_them_whatever_happened(seed, monkeypatch):
    if seed % 2:
        in_small_slices(monkeypatch)
    world = World(seed)
    computing.sweep_ratings()
    for _ in range(40):
        world.happen()

    computing.sweep_ratings()

    check_everything()
    assert computing.differing_ratings() == []


def test_data_of_a_player_have_their_ratings():
    club = make.ClubFactory(rates_evenings=True, in_server_ratings=True)
    for day in range(2):
        evening(club, QUEENS, STOPPED, players=NAMES, day=day)
    computing.sweep_ratings()
    player = models.Player.objects.get(name="Ayşe")

    with export_player(player.pk, NOBODY, at=EVENING) as document:
        here, server = json.load(document)["ratings"]

    assert (here["among"], server["among"]) == ("club", "server")
    row = models.PlayerRating.objects.get(player=player, pool__club=club)
    assert (here["games"], here["rating"]) == (2, row.mean)
    assert [each["after"]["rating"] for each in here["changes"]] == [
        change.mean for change in row.changes.all()
    ]


NIGHT = EVENING + timedelta(days=60)
CLEAR = deal("no-tricks", 0, 2, 4, 7)
CLOSE = deal("no-tricks", 2, 3, 4, 4)


@pytest.fixture
def pool(monkeypatch):
    """A pool of four whose games always end the same; it is fitted from its 24th game on."""
    monkeypatch.setattr(fitting, "FROM_GAMES", 24)
    club = make.ClubFactory(rates_evenings=True)
    for day in range(23):
        evening(club, CLEAR, STOPPED, players=NAMES, day=day)
    computing.sweep_ratings()
    return models.RatingPool.objects.get()


def test_pool_with_enough_games_gets_constants_and_new_ratings(pool):
    assert fit_pools(NIGHT) == 0
    evening(pool.club, CLOSE, STOPPED, players=NAMES, day=23)
    computing.sweep_ratings()

    assert fit_pools(NIGHT) == 1

    pool.refresh_from_db()
    assert (pool.version, pool.fitted_at, pool.fitted_games) == (1, NIGHT, 24)
    assert pool.start > 2 * START_VARIANCE
    assert sum(pairs for pairs, *_ in pool.calibration["bins"]) == 6 * 24
    assert list(look_at_all()) == []
    computing.sweep_ratings()
    assert not models.RatingDue.objects.exists()
    assert set(models.PlayerRating.objects.values_list("start", flat=True)) == {pool.start}
    check_everything()
    assert computing.differing_ratings() == []
    assert list(look_at_all()) == []


def test_constants_stay_without_new_games_and_when_new_ones_tell_the_same(pool, monkeypatch):
    monkeypatch.setattr(fitting, "FROM_GAMES", 20)
    fit_pools(NIGHT)
    computing.sweep_ratings()

    assert fit_pools(NIGHT) == 0
    evening(pool.club, CLEAR, STOPPED, players=NAMES, day=23)
    computing.sweep_ratings()
    assert fit_pools(NIGHT) == 0

    pool.refresh_from_db()
    assert (pool.version, pool.fitted_games) == (1, 24)
    check_everything()
