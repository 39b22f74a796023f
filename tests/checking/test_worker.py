"""The nightly check with real worker processes, the first of which is killed in the middle."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys

import pytest

from tests.servers import PATIENCE, ROOT, environment_of, prepared, run_python
from tests.waiting import wait_until

MANY_GAMES = """
from tests.club_factories import MemberFactory, TableFactory
from tests.deals import WHOLE_GAME
from tournaments.models import Game, Write
from tournaments.models.addresses import new_public_id
from tournaments.tasks import sweep_checks
table = TableFactory(entries=WHOLE_GAME)
MemberFactory(club=table.round.event.club, role="owner", user__email="owner@example.org")
game = table.games.get()
writes = list(game.writes.all())
for number in range(400):
    game.pk, game.table, game.public_id = None, None, new_public_id()
    game.save(force_insert=True)
    for write in writes:
        write.pk, write.game = None, game
    Write.objects.bulk_create(writes)
first = Game.objects.order_by("pk")[0]
Game.objects.filter(pk=first.pk).update(result={**first.result, "out": [0, 1]})
sweep_checks.delay()
"""

LATER = """
from datetime import timedelta
from django.utils import timezone
from tournaments.models import Check
from tournaments.tasks import sweep_checks
# As if the time after which a silent check counts as lost had passed.
Check.objects.update(touched_at=timezone.now() - timedelta(hours=1))
sweep_checks.delay()
"""


class Place:
    """A data folder with the workers that run on it."""

    def __init__(self, data):
        self.data, self.workers = data, []
        for file in prepared().glob("db.sqlite3*"):
            shutil.copy(file, data)
        self.environment = environment_of(data, DJANGO_SETTINGS_MODULE="kingscore.settings")

    def start_worker(self):
        words = "-m celery --app kingscore --quiet worker --pool solo --without-gossip"
        with (self.data / "worker.log").open("a") as log:
            worker = subprocess.Popen(
                [sys.executable, *words.split(), "--without-mingle"],
                cwd=ROOT,
                env=self.environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self.workers.append(worker)

    def kill(self):
        worker = self.workers[-1]
        if worker.poll() is None:
            os.killpg(worker.pid, signal.SIGKILL)
            worker.wait(10)

    @property
    def said(self):
        return (self.data / "worker.log").read_text()

    def ask(self, what):
        database = sqlite3.connect(self.data / "db.sqlite3", timeout=20)
        try:
            return database.execute(what).fetchall()
        finally:
            database.close()

    def wait_for(self, condition):
        def holds():
            assert self.workers[-1].poll() is None, f"the worker is gone: {self.said}"
            return condition()

        wait_until(holds, PATIENCE, every=0.002, said=lambda: self.said)


@pytest.fixture
def place(tmp_path):
    here = Place(tmp_path)
    yield here
    here.kill()


def test_check_of_a_killed_worker_is_ended_by_the_next_and_told_once(place):
    how_far = "select state, turn, games, found from tournaments_check"
    run_python(MANY_GAMES, place.environment)
    place.start_worker()
    place.wait_for(lambda: [each for each in place.ask(how_far) if each[2] >= 100])
    place.kill()
    ((state, turn, games, _found),) = place.ask(how_far)
    assert (state, turn) == ("looking", 1)
    assert 100 <= games < 401

    place.start_worker()
    run_python(LATER, place.environment)
    place.wait_for(lambda: place.ask("select 1 from tournaments_letter where sent_at is not null"))

    assert place.ask(how_far) == [("done", 2, 401, 1)]
    assert place.ask("select cache, resolved_at from tournaments_difference") == [("results", None)]
    assert place.said.count("Mail to owner@example.org") == 1
