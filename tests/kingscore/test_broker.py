import json
import os
import shutil
import subprocess
import sys
import time
from queue import Empty

import pytest
from kombu import Connection, Exchange, Queue

import kingscore.celery  # noqa: F401 - gives the broker its address
from kingscore.broker import KEPT_ASIDE
from tests.servers import ROOT
from tests.waiting import PATIENCE

pytestmark = pytest.mark.slow

HEAD = """
import json, sys
from kombu import Connection, Exchange, Queue
import kingscore.celery
name, options = sys.argv[1], json.loads(sys.argv[2])
with Connection("folder://localhost", transport_options=options) as connection:
"""
PUBLISH = f"""{HEAD}
    queue = connection.SimpleQueue("wake")
    for number in range(300):
        # Long enough that a write in place would be seen half done.
        queue.put({{"writer": name, "number": number, "padding": "x" * 50_000}})
"""
BIND = f"""{HEAD}
    for number in range(50):
        Queue(f"{{name}}{{number}}", Exchange("all"), routing_key=name)(connection).declare()
"""


def started(code, names, options):
    words = [sys.executable, "-c", code]
    return [subprocess.Popen([*words, name, json.dumps(options)], cwd=ROOT) for name in names]


@pytest.fixture
def options(tmp_path):
    return {
        "data_folder_in": str(tmp_path / "messages"),
        "data_folder_out": str(tmp_path / "messages"),
        "control_folder": str(tmp_path / "control"),
        "polling_interval": 0.01,
    }


def take(queue, expected, seconds=PATIENCE):
    taken, deadline = [], time.monotonic() + seconds
    while len(taken) < expected and time.monotonic() < deadline:
        try:
            message = queue.get(timeout=1)
        except Empty:
            continue
        message.ack()
        taken.append((message.payload["writer"], message.payload["number"]))
    return taken


def test_messages_of_two_processes_all_arrive_whole_and_in_order(options):
    writers = started(PUBLISH, "ab", options)
    with Connection("folder://localhost", transport_options=options) as connection:
        taken = take(connection.SimpleQueue("wake"), 600)

    assert [writer.wait(timeout=PATIENCE) for writer in writers] == [0, 0]
    for name in "ab":
        assert [number for writer, number in taken if writer == name] == list(range(300))
    assert len(taken) == 600


def test_bindings_made_at_once_are_all_kept(options):
    binders = started(BIND, "abc", options)

    assert [binder.wait(timeout=PATIENCE) for binder in binders] == [0, 0, 0]
    with Connection("folder://localhost", transport_options=options) as connection:
        table = connection.default_channel.get_table("all")
    assert sorted(entry.queue for entry in table) == sorted(
        f"{name}{number}" for name in "abc" for number in range(50)
    )


def write(content):
    def damage(path):
        path.write_bytes(content(path.read_bytes()))

    return damage


def in_its_place(make):
    def damage(path):
        path.unlink()
        make(path)

    return damage


DAMAGES = {
    "empty": write(lambda _: b""),
    "cut short": write(lambda content: content[: len(content) // 2]),
    "zeros": write(lambda content: b"\0" * len(content)),
    "garbage": write(lambda _: b"\xff\xfe\x00garbage"),
    "one letter": write(lambda content: content.replace(b"e", b"f", 1)),
    "other JSON": write(lambda _: b'{"queue": 1}'),
    "list of others": write(lambda _: b"[[1, 2, 3], []]"),
    "folder": in_its_place(lambda path: path.mkdir()),
    "pipe": in_its_place(os.mkfifo),
    # What root may read, too, cannot be opened like this, as by others what root has written.
    "unreadable": in_its_place(lambda path: path.symlink_to(path)),
}

damaged_in_every_way = pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)


def numbers(queue, expected):
    return [number for _writer, number in take(queue, expected)]


def put(queue, *numbers):
    for number in numbers:
        queue.put({"writer": "a", "number": number})


@damaged_in_every_way
def test_damaged_message_is_set_aside_and_the_others_are_taken(options, tmp_path, caplog, damage):
    messages = tmp_path / "messages"
    with Connection("folder://localhost", transport_options=options) as connection:
        queue = connection.SimpleQueue("wake")
        put(queue, 0, 1, 2)
        second = sorted(messages.iterdir())[1]
        damage(second)

        assert numbers(queue, 2) == [0, 2]
        put(queue, 3)
        assert numbers(queue, 1) == [3]

    assert [path.name for path in messages.iterdir()] == ["unreadable"]
    assert [path.name.partition("_")[2] for path in (messages / "unreadable").iterdir()] == [
        second.name
    ]
    assert [second.name in record.message for record in caplog.records] == [True]


@damaged_in_every_way
@pytest.mark.parametrize("name", ["wake.exchange", "lock"])
def test_damaged_file_of_control_is_made_anew(options, tmp_path, name, damage):
    path = tmp_path / "control" / name
    with Connection("folder://localhost", transport_options=options) as running:
        queue = running.SimpleQueue("wake")
        # The lock is empty, and so as good as anything.
        path.write_bytes(path.read_bytes() or b"of somebody else")
        damage(path)

        with Connection("folder://localhost", transport_options=options) as started:
            put(started.SimpleQueue("wake"), 1)
            Queue("more", Exchange("wake"), routing_key="more")(started).declare()
            tables = started.default_channel.get_table("wake")

        assert path.is_file()
        assert {entry.queue for entry in tables} == {"wake", "more"}
        put(queue, 2)
        assert numbers(queue, 2) == [1, 2]


@pytest.mark.parametrize("name", ["messages", "control"])
@pytest.mark.parametrize("replaced", [False, True])
def test_missing_folder_is_made_anew(options, tmp_path, name, replaced):
    with Connection("folder://localhost", transport_options=options) as connection:
        queue = connection.SimpleQueue("wake")
        shutil.rmtree(tmp_path / name)
        if replaced:
            (tmp_path / name).write_text("no folder")
        with pytest.raises(Empty):
            queue.get(timeout=0.05)

        with Connection("folder://localhost", transport_options=options) as started:
            put(started.SimpleQueue("wake"), 1)
        assert numbers(queue, 1) == [1]


def test_of_damaged_files_only_so_many_are_kept(options, tmp_path):
    messages = tmp_path / "messages"
    with Connection("folder://localhost", transport_options=options) as connection:
        queue = connection.SimpleQueue("wake")
        for number in range(KEPT_ASIDE + 5):
            path = messages / f"{number:020}_x.wake.msg"
            path.mkdir() if number % 2 else path.touch()
        with pytest.raises(Empty):
            queue.get(timeout=0.05)

    kept = sorted(path.name.partition("_")[2] for path in (messages / "unreadable").iterdir())
    assert kept == [f"{number:020}_x.wake.msg" for number in range(5, KEPT_ASIDE + 5)]
