"""Documents with a real worker process, killed in the middle of its work."""

import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.servers import prepared

ROOT = Path(__file__).resolve().parent.parent.parent

SET_UP = """
import json, os, sys, time
os.environ["DJANGO_SETTINGS_MODULE"] = "kingscore.settings"
import django
django.setup()
from datetime import timedelta
from django.utils import timezone
from tests.factories import WHOLE_GAME, GameFactory
from tournaments.models import Report
from tournaments.services.reporting import request_scoresheet
from tournaments.tasks import sweep_reports
"""

ASK = """
game = GameFactory(entries=WHOLE_GAME)
game.refresh_from_db()
start = time.perf_counter()
for number in range(int(sys.argv[1])):
    url = f"https://king.example/{number}/{game.secret('follow')}/"
    request_scoresheet(game, language="tr", follow_url=url, at=timezone.now())
print(time.perf_counter() - start)
time.sleep(float(sys.argv[2]))
"""

SWEEP_LATER = """
# As if the time after which a silent report counts as lost had passed.
Report.objects.filter(state="building").update(touched_at=timezone.now() - timedelta(hours=1))
sweep_reports()
"""


class Place:
    """A data folder with the processes that work on it."""

    def __init__(self, data):
        self.data = data
        for file in prepared().glob("db.sqlite3*"):
            shutil.copy(file, data)
        names = ("KINGSCORE_DATABASE_URL", "KINGSCORE_BROKER_URL", "DJANGO_SETTINGS_MODULE")
        self.environment = {k: v for k, v in os.environ.items() if k not in names}
        self.environment["KINGSCORE_DATA"] = str(data)
        self.workers = []

    def run(self, script, *words, **environment):
        return subprocess.run(
            [sys.executable, "-c", SET_UP + script, *map(str, words)],
            cwd=ROOT,
            env=self.environment | environment,
            check=True,
            capture_output=True,
            text=True,
            timeout=60,
        ).stdout

    def start_worker(self):
        with (self.data / "worker.log").open("a") as log:
            worker = subprocess.Popen(
                [
                    *(sys.executable, "-m", "celery", "--app", "kingscore", "--quiet"),
                    *("worker", "--pool", "solo", "--without-gossip", "--without-mingle"),
                ],
                cwd=ROOT,
                env=self.environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self.workers.append(worker)
        return worker

    def states(self):
        database = sqlite3.connect(self.data / "db.sqlite3", timeout=20)
        try:
            return [row[0] for row in database.execute("select state from tournaments_report")]
        finally:
            database.close()

    def wait_for(self, condition, seconds=60):
        deadline = time.monotonic() + seconds
        while not condition(states := self.states()):
            log = (self.data / "worker.log").read_text()
            assert self.workers[-1].poll() is None, f"the worker is gone: {log}"
            assert time.monotonic() < deadline, f"{states}\n{log}"
            time.sleep(0.005)

    def documents(self):
        return sorted((self.data / "files" / "reports").glob("*"))


@pytest.fixture
def place(tmp_path):
    here = Place(tmp_path)
    yield here
    for worker in here.workers:
        if worker.poll() is None:
            os.killpg(worker.pid, signal.SIGKILL)
            worker.wait(10)


def test_worker_builds_what_is_asked_for(place, pdf):
    place.start_worker()
    place.run(ASK, 1, 1)
    place.wait_for(lambda states: states == ["done"])
    (document,) = place.documents()
    page = pdf(document.read_bytes())
    assert page.pages == 1
    assert "540 −110 −330 −100" in page.text


def test_killed_worker_loses_nothing(place, pdf):
    count = 30
    place.run(ASK, count, 2)
    worker = place.start_worker()
    place.wait_for(lambda states: states.count("done") >= 3 and "building" in states)
    os.killpg(worker.pid, signal.SIGKILL)
    worker.wait(10)
    assert place.states().count("done") < count
    place.start_worker()
    place.run(SWEEP_LATER)
    place.wait_for(lambda states: states == ["done"] * count)
    assert len(place.documents()) == count
    assert {pdf(document.read_bytes()).pages for document in place.documents()} == {1}


def test_broker_that_never_answers_keeps_nobody_waiting(place):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"redis://127.0.0.1:{silent.getsockname()[1]}/0"
        seconds = json.loads(place.run(ASK, 3, 0, KINGSCORE_BROKER_URL=address))
    assert seconds < 2
    assert place.states() == ["waiting"] * 3


def test_report_without_any_message_is_found_by_the_sweep(place):
    place.run(ASK, 2, 0, KINGSCORE_BROKER_URL="redis://127.0.0.1:1/0")
    place.start_worker()
    place.run(SWEEP_LATER)
    place.wait_for(lambda states: states == ["done"] * 2)
