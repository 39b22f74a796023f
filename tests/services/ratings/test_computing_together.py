"""Several who compute ratings at the same moment, and one that is killed while it does.

What holds them apart is the lock of the ledger, and on SQLite the immediate transaction; what
leaves nothing half done is the transaction.
"""

import json
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial
from threading import Thread

import pytest
from django.core import serializers
from django.db import connection
from django.db.models import F

from tests.club_factories import ClubFactory
from tests.deals import NAMES, WHOLE_GAME
from tests.servers import ROOT
from tests.services.ratings.rating_world import STOPPED, check_everything, correct, evening
from tests.together import outcome, while_another_is_writing
from tests.waiting import PATIENCE
from tournaments.models import (
    Club,
    Game,
    PlayerRating,
    RatedRound,
    RatingChange,
    RatingDue,
    RatingPool,
)
from tournaments.services.base.writes import one_moment
from tournaments.services.ratings import games, pools
from tournaments.services.ratings.computing import rebuild_ratings, sweep_ratings

pytestmark = pytest.mark.django_db(transaction=True)

RIFKI, QUEENS = WHOLE_GAME[:2]


@pytest.fixture
def club():
    """A club of which all is rated, and one round waits."""
    club = ClubFactory(rates_evenings=True, in_server_ratings=True)
    evening(club, QUEENS, STOPPED, players=NAMES)
    sweep_ratings()
    evening(club, RIFKI, STOPPED, players=NAMES, day=1)
    return club


def test_of_two_workers_each_call_is_answered_by_one(club):
    first, second, _waited = while_another_is_writing(
        sweep_ratings, sweep_ratings, storing=("COPY", "INSERT", "UPDATE", "DELETE FROM")
    )

    # The round in the club, which the first is at, and what that calls for on the server: this is
    # for whichever comes to the lock after the club is done.
    assert first >= 1
    assert first + second == 2
    assert RatingChange.objects.count() == 16
    check_everything()


def test_correction_that_is_committed_while_ratings_are_computed_is_rated_afterwards(club):
    game = Game.objects.order_by("pk").first()

    def correct_it():
        correct(game, RIFKI)
        return 1

    # Its games are read, and it is about to write what it has made of them.
    _first, corrected, _waited = while_another_is_writing(
        sweep_ratings, correct_it, storing=("UPDATE tournaments_playerrating",)
    )
    sweep_ratings()

    assert corrected == 1
    assert not RatingDue.objects.exists()
    check_everything()


def test_who_reads_as_of_one_moment_sees_no_half_of_a_rebuild(club):
    with ThreadPoolExecutor(1) as thread:
        with one_moment():
            rounds = RatedRound.objects.count()
            rebuilding = thread.submit(outcome, rebuild_ratings)
            # PostgreSQL exchanges the table of changes once nobody reads any more.
            wait([rebuilding], timeout=PATIENCE if connection.vendor == "sqlite" else 3)
            assert (rounds, RatingChange.objects.count()) == (2, 8)
        assert rebuilding.result(PATIENCE) == 4
    assert RatingChange.objects.count() == 16
    check_everything()


WORKER = """
import json, os, signal, sys
import django
django.setup()
from django.db import connection
from tournaments.services.ratings import pools
from tournaments.tasks import sweep_ratings
def sweep_and_die(name, statement, left, games_of_slice):
    connection.settings_dict["NAME"] = name
    pools.GAMES_OF_SLICE = games_of_slice
    def die(execute, sql, params, many, context):
        nonlocal left
        left -= sql.startswith(statement)
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)
        return execute(sql, params, many, context)
    with connection.execute_wrapper(die):
        sweep_ratings()
for line in sys.stdin:
    if not (worker := os.fork()):
        sweep_and_die(*json.loads(line))
        os._exit(0)
    print(os.waitstatus_to_exitcode(os.waitpid(worker, 0)[1]), flush=True)
"""


@pytest.fixture(scope="module")
def killed_at():
    """Kill a worker just before a statement; return its exit code.

    Workers are forked from one program, which imports everything once.
    """
    words = [sys.executable, "-c", WORKER]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as program:

        def killed_at(statement, time, games_of_slice=300):
            said = [str(connection.settings_dict["NAME"]), statement, time, games_of_slice]
            print(json.dumps(said), file=program.stdin, flush=True)
            return int(program.stdout.readline())

        yield killed_at
        program.stdin.close()


def kept():
    kinds = (RatingPool, PlayerRating, RatingChange, RatedRound, RatingDue)
    return [serializers.serialize("json", each.objects.order_by("pk")) for each in kinds]


@pytest.mark.parametrize(
    ("statement", "time", "calls_left"),
    [
        ("UPDATE tournaments_playerrating", 1, 1),
        ('DELETE FROM "tournaments_ratingdue"', 1, 1),
        # The club is done, and its call for the server's ratings is left.
        ("UPDATE tournaments_playerrating", 2, 1),
    ],
)
def test_killed_worker_leaves_nothing_half_done_and_loses_nothing(
    club, killed_at, statement, time, calls_left
):
    before = kept()

    assert killed_at(statement, time) == -signal.SIGKILL

    assert RatingDue.objects.count() == calls_left
    assert (kept() == before) == (time == 1)
    assert sweep_ratings() == (2 if time == 1 else 1)
    assert RatingChange.objects.count() == 16
    assert sweep_ratings() == 0
    check_everything()


def test_worker_killed_while_it_takes_back_what_a_correction_changes_loses_nothing(club, killed_at):
    sweep_ratings()
    correct(Game.objects.order_by("pk").first(), RIFKI)
    before = kept()

    assert killed_at('DELETE FROM "tournaments_ratedround"', 1) == -signal.SIGKILL

    assert kept() == before
    sweep_ratings()
    check_everything()


@pytest.mark.parametrize(
    ("statement", "time"),
    [
        ('DELETE FROM "tournaments_ratingdue"', 2),
        ('DELETE FROM "tournaments_ratedround"', 3),
        ("UPDATE tournaments_playerrating", 1),
        ('DELETE FROM "tournaments_ratingdue"', 6),
    ],
)
def test_worker_killed_between_slices_of_a_correction_loses_nothing(
    club, killed_at, statement, time
):
    for day in (2, 3):
        evening(club, QUEENS, STOPPED, players=NAMES, day=day)
    sweep_ratings()
    correct(Game.objects.order_by("pk").first(), RIFKI)
    before = kept()

    assert killed_at(statement, time, games_of_slice=1) == -signal.SIGKILL

    assert kept() != before
    assert RatingDue.objects.count() == 1
    assert sweep_ratings() == 2
    check_everything()


def test_worker_that_another_overtakes_between_two_slices_writes_no_more(club, monkeypatch):
    evening(club, QUEENS, STOPPED, players=NAMES, day=2)
    sweep_ratings()
    correct(Game.objects.order_by("pk").first(), RIFKI)
    monkeypatch.setattr(pools, "GAMES_OF_SLICE", 1)
    writes = []

    def overtake(execute, sql, params, many, context):
        if sql.startswith('DELETE FROM "tournaments_ratingdue"'):
            writes.append(sql)
            if len(writes) == 2:
                # Its own transaction is open: what the other does is the same as far as it sees.
                RatingDue.objects.update(id=F("id") + 1000)
        return execute(sql, params, many, context)

    with connection.execute_wrapper(overtake):
        assert sweep_ratings() == 0

    assert RatingDue.objects.count() == 1
    assert sweep_ratings() == 2
    check_everything()


def test_others_write_between_the_slices(club, monkeypatch):
    for day in (2, 3):
        evening(club, QUEENS, STOPPED, players=NAMES, day=day)
    sweep_ratings()
    first, *_others, last = Game.objects.order_by("pk")
    correct(first, RIFKI)
    for module, name in ((pools, "GAMES_OF_SLICE"), (games, "ROUNDS_AT_ONCE")):
        monkeypatch.setattr(module, name, 1)
    slices, meanwhile = pools.Pools.slices, []

    def interrupted(self):
        for write in slices(self):
            if len(meanwhile) < 6:
                change = partial(correct, last, (QUEENS, RIFKI)[len(meanwhile) % 2])
                with ThreadPoolExecutor(1) as thread:
                    meanwhile.append(thread.submit(outcome, change).result(PATIENCE))
            yield write

    monkeypatch.setattr(pools.Pools, "slices", interrupted)
    sweep_ratings()

    assert meanwhile == [None] * 6
    check_everything()


def test_who_writes_meanwhile_is_not_kept_waiting_and_not_seen():
    def write():
        ClubFactory()
        connection.close()

    # As in a process that has asked for nothing yet.
    connection.close()
    with one_moment():
        before = Club.objects.count()
        other = Thread(target=write)
        other.start()
        other.join(PATIENCE)
        assert not other.is_alive()
        seen = Club.objects.count()

    assert (before, seen, Club.objects.count()) == (0, 0, 1)
