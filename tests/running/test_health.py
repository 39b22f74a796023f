"""What containers and balancers of load are told of the server."""

import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import closing
from http.client import HTTPConnection

import pytest
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from tests.servers import ROOT, environment_of
from tournaments.management.commands.up import open_door
from tournaments.management.programs import web_words


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


def settled(client):
    """The answer once no part is late any more: on a busy machine the first question may be."""
    deadline = time.monotonic() + 60
    while True:
        answer = client.get("/readyz", headers={"host": "10.0.0.7:8000"})
        if "no answer" not in answer.text or time.monotonic() > deadline:
            return answer


@pytest.mark.django_db(transaction=True)
def test_ready_is_said_of_each_part(client, far_from_visitors):
    answer = settled(client)

    assert answer.json() == {"ready": True, "database": "ok", "migrations": "ok", "broker": "ok"}
    assert answer.status_code == 200
    assert not answer.cookies


@pytest.mark.django_db(transaction=True)
def test_a_migration_that_was_not_applied_is_counted(client):
    recorder = MigrationRecorder(connection)
    recorder.record_unapplied("tournaments", "0001_initial")
    try:
        answer = settled(client)
    finally:
        recorder.record_applied("tournaments", "0001_initial")

    assert answer.status_code == 503
    assert answer.json()["migrations"] == "1 not applied"


@pytest.fixture
def server_of_deaf_services(tmp_path):
    """The port of a server whose database takes calls and never answers, and without a broker."""
    with (
        socket.create_server(("127.0.0.1", 0)) as deaf,
        socket.create_server(("127.0.0.1", 0)) as closed,
        open_door("127.0.0.1", 0) as door,
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
            [sys.executable, "-m", *web_words(f"fd://{door.fileno()}")],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=[door.fileno()],
            start_new_session=True,
        )
        try:
            yield door.getsockname()[1]
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def ask(port, path):
    """The status and words of an answer, and after how many seconds."""
    before = time.monotonic()
    with closing(HTTPConnection("127.0.0.1", port, timeout=30)) as visitor:
        visitor.request("GET", path)
        answer = visitor.getresponse()
        return answer.status, answer.read().decode(), time.monotonic() - before


def test_services_that_hang_make_the_server_unready_within_seconds(server_of_deaf_services):
    port = server_of_deaf_services
    assert ask(port, "/healthz")[:2] == (200, "ok\n")

    status, words, seconds = ask(port, "/readyz")

    assert status == 503
    assert '"database": "no answer in 3 seconds"' in words
    assert '"broker": "OperationalError"' in words
    assert "secret" not in words
    assert seconds < 8
    assert ask(port, "/healthz")[:2] == (200, "ok\n")
