import os
import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import closing
from datetime import timedelta
from http.client import HTTPConnection

import pytest
from celery import shared_task
from django.conf import settings
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from kingscore.observing import health, workers
from kingscore.observing.logs import CURRENT
from kingscore.observing.metrics import TASK_FAILURES, TASK_SECONDS
from tests.servers import ROOT, environment_of
from tests.waiting import PATIENCE, wait_until
from tournaments.management.programs import open_listener, web_words
from tournaments.models import Worker


@pytest.fixture
def far_from_visitors(settings):
    """A site that speaks HTTPS only and answers to one name."""
    settings.SECURE_SSL_REDIRECT = True
    settings.ALLOWED_HOSTS = ["king.club.org"]


def test_alive_is_said_by_plain_http_to_whoever_asks_and_without_the_database(
    client, far_from_visitors
):
    answer = client.get("/healthz", headers={"host": "10.0.0.7:8000"})

    assert (answer.status_code, answer.content) == (200, b"ok\n")
    assert not answer.cookies
    assert answer["Cache-Control"] == "no-store"
    assert answer["Content-Type"] == "text/plain; charset=utf-8"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert "frame-ancestors 'none'" in answer["Content-Security-Policy"]


@pytest.fixture(autouse=True)
def nothing_kept(monkeypatch):
    monkeypatch.setattr(health, "KEPT_SECONDS", 0)


def settled(client):
    """The answer once no part is late any more: on a busy machine the first question may be."""
    deadline = time.monotonic() + PATIENCE
    while True:
        answer = client.get("/readyz", headers={"host": "10.0.0.7:8000"})
        if "no answer" not in answer.text or time.monotonic() > deadline:
            return answer


@pytest.mark.django_db(transaction=True)
def test_ready_is_said_of_each_part(client, far_from_visitors):
    answer = settled(client)

    parts = dict.fromkeys(("database", "writing", "migrations", "tables", "broker"), "ok")
    assert answer.json() == {"ready": True, **parts}
    assert answer.status_code == 200
    assert not answer.cookies


@pytest.mark.django_db(transaction=True)
def test_a_migration_that_was_not_applied_is_counted(client):
    recorder = MigrationRecorder(connection)
    recorder.record_unapplied("tournaments", "0001_squashed_0034_smaller_rows")
    try:
        answer = settled(client)
    finally:
        recorder.record_applied("tournaments", "0001_squashed_0034_smaller_rows")

    assert answer.status_code == 503
    assert answer.json()["migrations"] == "1 not applied"


@pytest.mark.django_db(transaction=True)
def test_column_that_a_changed_migration_left_out_is_named(client):
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE tournaments_worker RENAME COLUMN task_since TO since")
    try:
        answer = settled(client)
    finally:
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE tournaments_worker RENAME COLUMN since TO task_since")

    assert answer.status_code == 503
    said = "1 columns missing, task_since of tournaments_worker among them"
    assert answer.json() == {**answer.json(), "migrations": "ok", "tables": said}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("broken", ["broker", "writing"])
def test_proxy_goes_on_with_a_server_for_faults_that_all_servers_share(client, monkeypatch, broken):
    def fail():
        raise OSError

    monkeypatch.setitem(health.LOOKS, broken, health.Look(fail))
    ours = re.search(r"health_uri (\S+)", (ROOT / "deploy" / "Caddyfile").read_text())[1]
    settled(client)

    assert client.get("/readyz").status_code == 503
    answer = client.get(ours)
    assert (answer.status_code, broken in answer.json()) == (200, False)
    assert client.get("/readyz?parts=kitchen").status_code == 400


@pytest.fixture
def read_only(settings):
    """Let new connections read alone: a standby of PostgreSQL, a file of SQLite that is locked."""
    if connection.vendor == "sqlite":
        options = settings.DATABASES["default"]["OPTIONS"]
        before = options["init_command"]
        options["init_command"] += "PRAGMA query_only = ON;"
        yield
        options["init_command"] = before
    else:
        set_for_new_connections("SET default_transaction_read_only = on")
        yield
        set_for_new_connections("RESET default_transaction_read_only")


def set_for_new_connections(said):
    """Change a setting of a database of PostgreSQL, and leave none open that has the old one."""
    with connection.cursor() as cursor:
        cursor.execute("SET default_transaction_read_only = off")
        cursor.execute(f"ALTER DATABASE {connection.settings_dict['NAME']} {said}")
    connection.close()
    connection.close_pool()


@pytest.mark.django_db(transaction=True)
def test_database_that_cannot_be_written_is_not_ready(client, read_only):
    answer = settled(client)

    assert (answer.status_code, answer.json()["database"]) == (503, "ok")
    assert answer.json()["writing"] != "ok"


@pytest.fixture
def server_of_deaf_services(tmp_path):
    """The port of a server whose database takes calls and never answers, and without a broker."""
    with (
        socket.create_server(("127.0.0.1", 0)) as deaf,
        socket.create_server(("127.0.0.1", 0)) as closed,
        open_listener("127.0.0.1", 0) as listener,
    ):
        broker = closed.getsockname()[1]
        closed.close()
        environment = environment_of(
            tmp_path,
            KINGSCORE_DATABASE_URL=f"postgresql://king:secret@127.0.0.1:{deaf.getsockname()[1]}/x",
            KINGSCORE_BROKER_URL=f"redis://:secret@127.0.0.1:{broker}/0",
            # Without one it would ask the database whether it may make one.
            KINGSCORE_SECRET_KEY="k" * 50,
        )
        process = subprocess.Popen(
            [sys.executable, "-m", *web_words(f"fd://{listener.fileno()}")],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=[listener.fileno()],
            start_new_session=True,
        )
        try:
            yield listener.getsockname()[1]
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def ask(port, path):
    before = time.monotonic()
    with closing(HTTPConnection("127.0.0.1", port, timeout=PATIENCE)) as visitor:
        visitor.request("GET", path)
        answer = visitor.getresponse()
        return answer.status, answer.read().decode(), time.monotonic() - before


@pytest.mark.slow
def test_services_that_hang_make_the_server_unready_within_seconds(server_of_deaf_services):
    port = server_of_deaf_services
    assert ask(port, "/healthz")[:2] == (200, "ok\n")

    status, words, seconds = ask(port, "/readyz")

    assert status == 503
    assert '"database": "no answer in 3 seconds"' in words
    # On a busy machine the broker may be as late as the database the first time.
    wait_until(lambda: '"broker": "OperationalError"' in ask(port, "/readyz")[1])
    assert "secret" not in words
    assert seconds < PATIENCE / 10
    assert ask(port, "/healthz")[:2] == (200, "ok\n")


SEEN = []


@shared_task(name="tests.look_around")
def look_around(*, breaks=False):
    SEEN.append((CURRENT.get(), [heart.busy for heart in workers.HEART]))
    if breaks:
        raise ValueError


def counted(metric, ending):
    samples = [sample for family in metric.collect() for sample in family.samples]
    mine = [each for each in samples if each.labels.get("task") == look_around.name]
    return next((each.value for each in mine if each.name.endswith(ending)), 0)


def run(**headers):
    return look_around.apply(headers=headers, throw=False)


def test_a_task_works_for_the_request_that_asked_for_it():
    run(request_id="of-a-request")

    work, _busy = SEEN.pop()
    assert (work.id, work.name) == ("of-a-request", "tests.look_around")
    assert CURRENT.get() is None


def test_a_request_sends_its_id_along():
    headers = {}
    token = CURRENT.set(workers.Work("of-a-request", "a page"))
    try:
        workers.before_task_publish.send(sender="task", headers=headers, body=None)
    finally:
        CURRENT.reset(token)

    assert headers == {"request_id": "of-a-request"}


def test_tasks_are_timed_and_those_that_break_counted():
    timed, broken = counted(TASK_SECONDS, "_count"), counted(TASK_FAILURES, "_total")

    run()
    look_around.apply(kwargs={"breaks": True}, throw=False)

    assert counted(TASK_SECONDS, "_count") == timed + 2
    assert counted(TASK_FAILURES, "_total") == broken + 1


@pytest.fixture
def often(monkeypatch):
    monkeypatch.setattr(workers, "EVERY", 0.05)


@pytest.mark.django_db(transaction=True)
def test_a_worker_is_there_busy_and_gone(often):
    now = timezone.now()
    long_ago = now - timedelta(days=2)
    Worker.objects.create(name="dead", version="1", started_at=long_ago, seen_at=long_ago)
    # Of a container that was killed: processes get the same numbers in the next one.
    name = workers.Heartbeat().name
    Worker.objects.create(name=name, version="1", started_at=long_ago, seen_at=now)
    workers.worker_ready.send(sender=None)
    try:
        row = wait_until(lambda: Worker.objects.filter(seen_at__gt=now).first())
        assert (row.name, row.version, row.started_at >= now) == (name, settings.VERSION, True)
        wait_until(lambda: not Worker.objects.filter(name="dead").exists())

        workers.HEART[0].busy = ("tournaments.tasks.build_report", now)
        wait_until(lambda: Worker.objects.filter(task="tournaments.tasks.build_report").first())
        run()
        assert SEEN.pop()[1][0][0] == "tests.look_around"
        wait_until(lambda: Worker.objects.filter(task="", task_since=None).first())
    finally:
        workers.worker_shutdown.send(sender=None)

    wait_until(lambda: not Worker.objects.exists())
