import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tests.servers import environment_of, prepared
from tests.waiting import PATIENCE, wait_until
from tournaments.management.programs import worker_words

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parent.parent.parent

SET_UP = """
import json, os, sys, time
os.environ["DJANGO_SETTINGS_MODULE"] = "kingscore.settings"
import django
django.setup()
from datetime import timedelta
from django.utils import timezone
from tests.deals import WHOLE_GAME
from tests.factories import GameFactory, ReportFactory
from tournaments.models import Report, Worker
from tournaments.services.documents.reporting import request_scoresheet
from tournaments.tasks import expire_reports, sweep_reports
"""

ASK = """
game = GameFactory(entries=WHOLE_GAME)
game.refresh_from_db()
start = time.perf_counter()
for number in range(int(sys.argv[1])):
    url = f"https://king.example/{number}/{game.secret('follow')}/"
    request_scoresheet(game, language="tr", follow_url=url, at=timezone.now())
print(time.perf_counter() - start)
# A message may come too late for a process that ends.
if sys.argv[2] == "swept":
    sweep_reports()
"""

ASK_FOR_THE_IMPOSSIBLE = """
now = timezone.now()
ReportFactory(
    kind="empty-sheet", game=None, parameters={"ruleset": "whist"}, asked_at=now, touched_at=now
)
"""

SWEEP_LATER = """
# As if the time after which a silent report counts as lost had passed.
Report.objects.filter(state="building").update(touched_at=timezone.now() - timedelta(hours=1))
sweep_reports()
# And what failed meanwhile is swept again, as it is every few seconds.
deadline = time.monotonic() + float(sys.argv[1])
while Report.objects.filter(state__in=["waiting", "building"]).exists():
    assert time.monotonic() < deadline, list(Report.objects.values_list("state", "attempts"))
    time.sleep(0.5)
    sweep_reports()
expire_reports()
# A worker shows that it is alive.
assert Worker.objects.exists()
"""


class Place:
    def __init__(self, data):
        self.data = data
        for file in prepared().glob("db.sqlite3*"):
            shutil.copy(file, data)
        self.environment = environment_of(data)
        self.workers = []

    def lose_broker(self):
        shutil.rmtree(self.data / "broker" / "messages")

    def run(self, script, *words, **environment):
        return subprocess.run(
            [sys.executable, "-c", SET_UP + script, *map(str, words)],
            cwd=ROOT,
            env=self.environment | environment,
            check=True,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        ).stdout

    def start_worker(self):
        with (self.data / "worker.log").open("a") as log:
            worker = subprocess.Popen(
                [sys.executable, "-m", *worker_words(beat=False)],
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

    def wait_for(self, condition):
        log = self.data / "worker.log"

        def holds():
            assert self.workers[-1].poll() is None, f"the worker is gone: {log.read_text()}"
            return condition(self.states())

        wait_until(holds, every=0.005, said=lambda: f"{self.states()}\n{log.read_text()}")

    def documents(self):
        return sorted((self.data / "files" / "reports").glob("*"))


@pytest.fixture
def place(tmp_path):
    here = Place(tmp_path)
    yield here
    for worker in here.workers:
        if worker.poll() is None:
            os.killpg(worker.pid, signal.SIGKILL)
            worker.wait(PATIENCE)


def test_nothing_is_lost_when_worker_and_broker_are_killed(place, pdf):
    count, late = 6, 2
    place.run(ASK_FOR_THE_IMPOSSIBLE + ASK, count, "swept")
    worker = place.start_worker()
    place.wait_for(lambda states: states.count("done") >= 2 and "building" in states)
    os.killpg(worker.pid, signal.SIGKILL)
    worker.wait(PATIENCE)
    assert place.states().count("done") < count

    place.lose_broker()
    # Nobody waits for a broker that is away.
    assert json.loads(place.run(ASK, late, "not swept")) < 2
    place.start_worker()
    place.run(SWEEP_LATER, 120)

    assert sorted(place.states()) == ["done"] * (count + late) + ["failed"]
    assert len(place.documents()) == count + late
    assert list((place.data / "files" / "building").iterdir()) == []
    for document in place.documents():
        page = pdf(document.read_bytes())
        assert page.pages == 1
        assert "540 −110 −330 −100" in page.text


def test_broker_that_never_answers_keeps_nobody_waiting(place):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"redis://127.0.0.1:{silent.getsockname()[1]}/0"
        seconds = json.loads(place.run(ASK, 3, "not swept", KINGSCORE_BROKER_URL=address))
    assert seconds < 2
    assert place.states() == ["waiting"] * 3
