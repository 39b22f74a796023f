"""A follower misses nothing while several processes write, on connections of their own.

What is written first may be committed last: on PostgreSQL the writers hold their transactions
open for a while, and pass each other. Numbers given at the insertion would be passed by then.
"""

import json
import os
import shutil
import subprocess
import sys
import time

import pytest

from tests.servers import ROOT, database_of_its_own, environment_of, prepared, run_python
from tests.waiting import PATIENCE

WRITERS, WRITES, CLUBS = 3, 60, 3

PREPARE = """
from tests.club_factories import ClubFactory, MemberFactory
from tournaments.models import PersonalToken, User
user = User.objects.create(username="follower")
for number in range({clubs}):
    MemberFactory(club=ClubFactory(slug=f"club-{{number}}"), user=user, role="director")
print(PersonalToken.objects.create(user, name="mirror", scopes=["read"])[1])
"""

WRITE = """
import random, time
from pathlib import Path
from django.db import transaction
from django.utils import timezone
from tournaments.models import AuditEntry, Club
from tournaments.services.audit import NOBODY, Change, note_change
chance = random.Random({seed})
clubs = list(Club.objects.order_by("pk"))
Path({folder!r}, "ready {seed}").touch()
while not Path({folder!r}, "go").exists():
    time.sleep(0.005)
number = 0
# On, until one that numbers has died in the middle of it.
while number < {writes} or not Path({folder!r}, "died").exists():
    number += 1
    club = chance.choice(clubs)
    with transaction.atomic():
        for part in range(chance.randint(1, 3)):
            subject = f"rules:w{seed}-{{number}}-{{part}}"
            change = Change(AuditEntry.Kind.SETTINGS, "change", subject)
            note_change(club, change, NOBODY, at=timezone.now())
        time.sleep(chance.choice([0, 0.002, 0.05]))
        if chance.random() < 0.1:
            transaction.set_rollback(True)
"""

NUMBER = """
import os, signal, time
from pathlib import Path
from django.db import connection
from tournaments.models import ChangeFeed
def die(execute, sql, params, many, context):
    done = execute(sql, params, many, context)
    if sql.lstrip().startswith("DELETE FROM tournaments_newline"):
        os.kill(os.getpid(), signal.SIGKILL)
    return done
# Each on a connection of its own, opened after it has parted; what is imported is so once for all.
while not Path({folder!r}, "over").exists():
    one = os.fork()
    if not one:
        with connection.execute_wrapper(die):
            ChangeFeed.number_new_lines()
        os._exit(0)
    _one, status = os.waitpid(one, 0)
    assert os.waitstatus_to_exitcode(status) in (0, -signal.SIGKILL), status
    if status:
        Path({folder!r}, "died").touch()
    time.sleep(0.2)
"""

FOLLOW = """
import json, time
from pathlib import Path
from django.test import Client
client, after, seen, over = Client(), 0, [], Path({over!r})
# One answer before the others begin, for the first takes long.
client.get("/api/v1/changes/", headers={{"Host": "localhost"}})
Path({seen!r} + " ready").touch()
while True:
    # Looked at before asking: what was written until then is in the answer.
    last_time = over.exists()
    answer = client.get(
        f"/api/v1/changes/?after={{after}}&limit={limit}",
        headers={{"Authorization": "Bearer {token}", "Host": "localhost"}},
    )
    feed = answer.json()
    seen += [[change["number"], change["subject"]] for change in feed["results"]]
    after = feed["last"]
    if last_time and not feed["more"]:
        break
    time.sleep(0.005)
Path({seen!r}).write_text(json.dumps(seen))
"""

STORED = """
import json
from tournaments.models import AuditEntry, ChangeFeed
ChangeFeed.number_new_lines()
print(json.dumps(list(AuditEntry.objects.order_by("number").values_list("number", "subject"))))
"""


@pytest.fixture
def place(tmp_path):
    for file in prepared().glob("db.sqlite3*"):
        shutil.copy(file, tmp_path)
    with database_of_its_own(os.environ.get("KINGSCORE_DATABASE_URL")) as url:
        more = {"KINGSCORE_DATABASE_URL": url} if url else {}
        more |= {"DJANGO_SETTINGS_MODULE": "kingscore.settings"}
        environment = environment_of(tmp_path, **more)
        token = run_python(PREPARE.format(clubs=CLUBS), environment).strip()
        yield environment, token, tmp_path


def start(code, environment):
    words = [sys.executable, "-W", "ignore", "-c", f"import django; django.setup()\n{code}"]
    return subprocess.Popen(words, cwd=ROOT, env=environment)


def test_follower_sees_every_line_of_many_processes_once_and_in_order(place):
    environment, token, folder = place
    over = folder / "over"
    seen = [folder / "seen one", folder / "seen other"]
    # One keeps up with the writers, where lines can pass each other; one falls behind.
    followers = [
        start(FOLLOW.format(token=token, over=str(over), seen=str(file), limit=limit), environment)
        for file, limit in zip(seen, (200, 7), strict=True)
    ]
    writers = [
        start(WRITE.format(seed=seed, writes=WRITES, folder=str(folder)), environment)
        for seed in range(WRITERS)
    ]
    # Whoever is up first waits for the others, so that all do write and follow at once.
    while len(list(folder.glob("ready *"))) < WRITERS or len(list(folder.glob("* ready"))) < 2:
        assert all(one.poll() is None for one in [*writers, *followers])
        time.sleep(0.01)
    (folder / "go").touch()
    # One that numbers dies in the middle of it, again and again; the writers wait for the first.
    numbering = start(NUMBER.format(folder=str(folder)), environment)
    assert [writer.wait(PATIENCE) for writer in writers] == [0] * WRITERS
    over.touch()

    assert numbering.wait(PATIENCE) == 0
    assert [follower.wait(PATIENCE) for follower in followers] == [0, 0]
    stored = json.loads(run_python(STORED, environment))
    assert [number for number, _subject in stored] == list(range(1, len(stored) + 1))
    assert len(stored) > WRITERS * WRITES
    assert [json.loads(file.read_text()) for file in seen] == [stored, stored]
