"""A follower misses nothing while several processes write, on connections of their own.

What is written first may be committed last: on PostgreSQL the writers hold their transactions
open for a while, and pass each other. Numbers given at the insertion would be passed by then.
"""

import json
import os
import shutil

import pytest

from tests.servers import database_of_its_own, environment_of, prepared, run_python

EVENING = """
import json, os, random, signal, time
from pathlib import Path
from django.db import connection, transaction
from django.test import Client
from django.utils import timezone
from tests.club_factories import ClubFactory, MemberFactory
from tournaments.models import AuditEntry, ChangeFeed, Club, PersonalToken, User
from tournaments.services.audit import NOBODY, Change, note_change

CLUBS, WRITERS, WRITES = 3, 3, 60
folder = Path({folder!r})
died, over, failed = (folder / name for name in ("died", "over", "failed"))

def part(work, *words):
    "Do something in a process of its own, on a connection opened after it has parted."
    one = os.fork()
    if not one:
        # Whatever happens, it goes no further than its work.
        try:
            work(*words)
        except BaseException as error:
            print(repr(error), file=failed.open("a"), flush=True)
            os._exit(1)
        os._exit(0)
    return one

def write(seed):
    chance = random.Random(seed)
    clubs = list(Club.objects.order_by("pk"))
    number = 0
    # On, until one that numbers has died in the middle of it.
    while number < WRITES or not (died.exists() or failed.exists()):
        number += 1
        club = chance.choice(clubs)
        with transaction.atomic():
            for each in range(chance.randint(1, 3)):
                subject = f"rules:w{{seed}}-{{number}}-{{each}}"
                change = Change(AuditEntry.Kind.SETTINGS, "change", subject)
                note_change(club, change, NOBODY, at=timezone.now())
            time.sleep(chance.choice([0, 0.002, 0.05]))
            if chance.random() < 0.1:
                transaction.set_rollback(True)

def number_and_die():
    def die(execute, sql, params, many, context):
        done = execute(sql, params, many, context)
        if sql.lstrip().startswith("DELETE FROM tournaments_newline"):
            os.kill(os.getpid(), signal.SIGKILL)
        return done
    with connection.execute_wrapper(die):
        ChangeFeed.number_new_lines()

def number():
    while not over.exists():
        status = os.waitstatus_to_exitcode(os.waitpid(part(number_and_die), 0)[1])
        assert status in (0, -signal.SIGKILL), status
        if status:
            died.touch()
        time.sleep(0.2)

def follow(limit):
    client, after, seen = Client(), 0, []
    headers = {{"Authorization": f"Bearer {{token}}", "Host": "localhost"}}
    while True:
        # Checked before asking: what was written until then is in the answer.
        last_time = over.exists()
        path = f"/api/v1/changes/?after={{after}}&limit={{limit}}"
        feed = client.get(path, headers=headers).json()
        seen += [[change["number"], change["subject"]] for change in feed["results"]]
        after = feed["last"]
        if last_time and not feed["more"]:
            break
        time.sleep(0.005)
    (folder / f"seen {{limit}}").write_text(json.dumps(seen))

user = User.objects.create(username="follower")
for each in range(CLUBS):
    MemberFactory(club=ClubFactory(slug=f"club-{{each}}"), user=user, role="director")
token = PersonalToken.objects.create(user, name="mirror", scopes=["read"])[1]
# One answer before the others begin, for the first takes long.
Client().get("/api/v1/changes/", headers={{"Host": "localhost"}})
connection.close()
# On PostgreSQL connections stay in a pool, whose threads do not part with the process.
getattr(connection, "close_pool", connection.close)()

# One keeps up with the writers, where lines can pass each other; one falls behind.
followers = [part(follow, limit) for limit in (200, 7)]
writers = [part(write, seed) for seed in range(WRITERS)]
# One that numbers dies in the middle of it, again and again; the writers wait for the first.
numbering = part(number)
ended = [os.waitpid(each, 0)[1] for each in writers]
over.touch()
ended += [os.waitpid(each, 0)[1] for each in (numbering, *followers)]
assert set(ended) == {{0}}, failed.read_text()
ChangeFeed.number_new_lines()
stored = list(AuditEntry.objects.order_by("number").values_list("number", "subject"))
seen = [json.loads((folder / f"seen {{limit}}").read_text()) for limit in (200, 7)]
print(json.dumps([WRITERS * WRITES, stored, seen]))
"""
"""All in one program, which imports everything once and forks."""


@pytest.fixture
def environment(tmp_path):
    for file in prepared().glob("db.sqlite3*"):
        shutil.copy(file, tmp_path)
    with database_of_its_own(os.environ.get("KINGSCORE_DATABASE_URL")) as url:
        more = {"KINGSCORE_DATABASE_URL": url} if url else {}
        yield environment_of(tmp_path, DJANGO_SETTINGS_MODULE="kingscore.settings", **more)


def test_follower_sees_every_line_of_many_processes_once_and_in_order(environment, tmp_path):
    told = run_python(EVENING.format(folder=str(tmp_path)), environment)

    written, stored, seen = json.loads(told.splitlines()[-1])
    assert [number for number, _subject in stored] == list(range(1, len(stored) + 1))
    assert len(stored) > written
    assert seen == [stored, stored]
