"""The embedded broker, with real processes."""

import json
import subprocess
import sys
import time
from queue import Empty

import pytest
from kombu import Connection

import kingscore.celery  # noqa: F401 - gives the broker its address

PUBLISH = """
import json, sys
from kombu import Connection
import kingscore.celery
writer, count, options = sys.argv[1], int(sys.argv[2]), json.loads(sys.argv[3])
with Connection("folder://localhost", transport_options=options) as connection:
    queue = connection.SimpleQueue("wake")
    for number in range(count):
        # Long enough that a write in place would be seen half done.
        queue.put({"writer": writer, "number": number, "padding": "x" * 50_000})
"""


@pytest.fixture
def options(tmp_path):
    return {
        "data_folder_in": str(tmp_path / "messages"),
        "data_folder_out": str(tmp_path / "messages"),
        "control_folder": str(tmp_path / "control"),
        "polling_interval": 0.01,
    }


def take(queue, expected, seconds=60):
    taken, deadline = [], time.monotonic() + seconds
    while len(taken) < expected and time.monotonic() < deadline:
        try:
            message = queue.get(timeout=1)
        except Empty:
            continue
        message.ack()
        taken.append((message.payload["writer"], message.payload["number"]))
    return taken


def test_messages_of_two_processes_all_arrive_whole_and_in_order(options, settings):
    count = 300
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", PUBLISH, name, str(count), json.dumps(options)],
            cwd=settings.BASE_DIR,
        )
        for name in "ab"
    ]
    with Connection("folder://localhost", transport_options=options) as connection:
        taken = take(connection.SimpleQueue("wake"), 2 * count)

    assert [writer.wait(timeout=30) for writer in writers] == [0, 0]
    assert sorted(taken) == [(name, number) for name in "ab" for number in range(count)]
    for name in "ab":
        assert [number for writer, number in taken if writer == name] == list(range(count))


def test_bindings_made_at_once_are_all_kept(options, settings):
    bind = """
import json, sys
from kombu import Connection, Exchange, Queue
import kingscore.celery
name, options = sys.argv[1], json.loads(sys.argv[2])
with Connection("folder://localhost", transport_options=options) as connection:
    for number in range(50):
        Queue(f"{name}{number}", Exchange("all"), routing_key=name)(connection).declare()
"""
    binders = [
        subprocess.Popen(
            [sys.executable, "-c", bind, name, json.dumps(options)], cwd=settings.BASE_DIR
        )
        for name in "abc"
    ]

    assert [binder.wait(timeout=60) for binder in binders] == [0, 0, 0]
    with Connection("folder://localhost", transport_options=options) as connection:
        table = connection.default_channel.get_table("all")
    assert sorted(entry.queue for entry in table) == sorted(
        f"{name}{number}" for name in "abc" for number in range(50)
    )
