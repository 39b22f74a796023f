import socket
import subprocess
import sys
import threading
import time
from http.client import HTTPConnection

import pytest
import uvicorn
from django.conf import settings

from kingscore import web_worker
from tests.phones import CUT_OFF, Phone
from tests.servers import ROOT, environment_of, prepared, serve
from tests.slow_visitors import KINDS, crowd
from tests.waiting import PATIENCE, wait_until

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with serve(tmp_path_factory.mktemp("slow"), ready=prepared(), processes=1) as server:
        yield server


@pytest.mark.parametrize("kind", KINDS)
def test_page_is_answered_beside_two_hundred_slow_visitors(server, kind):
    with crowd((server.host, server.port), 200, KINDS[kind]):
        for path in ("/healthz", "/rules/"):
            visitor = HTTPConnection(server.host, server.port, timeout=PATIENCE)
            visitor.request("GET", path)
            assert visitor.getresponse().status == 200
            visitor.close()


LARGE = b"x" * 20_000_000
"""More than buffers on the way hold."""
WHOLE = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


async def application(scope, receive, send):
    """Read the request whole, and answer with a little or a lot."""
    while (message := await receive()).get("more_body"):
        pass
    if message["type"] == "http.disconnect":
        return
    body = LARGE if scope["path"] == "/large" else b"small"
    length = (b"content-length", str(len(body)).encode())
    await send({"type": "http.response.start", "status": 200, "headers": [length]})
    await send({"type": "http.response.body", "body": body, "more_body": True})
    await send({"type": "http.response.body", "body": b""})


@pytest.fixture
def come(monkeypatch):
    for name in ("HEAD_SECONDS", "BODY_SECONDS", "STALLED_SECONDS", "IDLE_SECONDS"):
        monkeypatch.setattr(web_worker, name, 0.5)
    own = {"http": web_worker.Protocol, "ws": "none", "lifespan": "off", "log_config": None}
    listener = socket.create_server(("127.0.0.1", 0))
    address = listener.getsockname()
    server = uvicorn.Server(uvicorn.Config(application, **own))
    serving = threading.Thread(target=server.run, args=([listener],))
    visitors = []

    def visit(sent):
        visitors.append(socket.create_connection(address, timeout=PATIENCE))
        visitors[-1].sendall(sent)
        return visitors[-1]

    serving.start()
    yield visit
    for visitor in visitors:
        visitor.close()
    server.should_exit = True
    serving.join()


def read_until(visitor, end):
    found = b""
    while not found.endswith(end):
        found += (more := visitor.recv(4096))
        assert more, found
    return found


def read_to_the_end(visitor):
    count = 0
    try:
        while more := visitor.recv(1 << 20):
            count += len(more)
    except ConnectionResetError:
        pass
    return count


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"\r\n",
        WHOLE[:20],
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab",
        b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n",
    ],
)
@pytest.mark.parametrize("before", [b"", WHOLE])
def test_visitor_who_does_not_go_on_is_sent_away(come, before, sent):
    visitor = come(before)
    if before:
        read_until(visitor, b"small")
    visitor.sendall(sent)

    assert read_to_the_end(visitor) == 0


def test_visitor_who_does_not_read_is_sent_away(come):
    visitor = come(WHOLE.replace(b"/", b"/large", 1))
    time.sleep(2)

    assert read_to_the_end(visitor) < len(LARGE)


def test_the_longest_waiting_goes_when_there_are_too_many(come, monkeypatch):
    monkeypatch.setattr(web_worker.Protocol, "most", 5)
    for name in ("HEAD_SECONDS", "IDLE_SECONDS"):
        monkeypatch.setattr(web_worker, name, 600)
    # Answered, so that the order in which they came is certain.
    slow = [come(WHOLE) for _ in range(5)]
    for visitor in slow:
        read_until(visitor, b"small")
        visitor.sendall(WHOLE[:20])

    read_until(come(WHOLE), b"small")

    assert read_to_the_end(slow[0]) == 0
    slow[-1].sendall(WHOLE[20:])
    read_until(slow[-1], b"small")


@pytest.mark.parametrize("end", [b"", b"\r\n\r\n"])
def test_head_that_is_too_large_is_refused(come, end):
    visitor = come(WHOLE[:-2] + b"X: " + b"x" * web_worker.HEAD_BYTES + end)

    assert visitor.recv(12, socket.MSG_WAITALL) == b"HTTP/1.1 400"


def test_large_bodies_and_many_requests_on_a_connection_are_answered(come):
    body = b"x" * 3 * web_worker.HEAD_BYTES
    post = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)
    visitor = come(b"")
    for sent in (post, WHOLE, post, WHOLE):
        visitor.sendall(sent)
        read_until(visitor, b"small")


HANGS = """
import time
import kingscore.wsgi


async def application(scope, receive, send):
    if scope["path"] == "/hangs":
        time.sleep(1000)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body"})
"""


def test_process_whose_loop_hangs_is_replaced_and_prints_where_it_was(tmp_path):
    (tmp_path / "hanging.py").write_text(HANGS)
    words = ["gunicorn", "hanging:application", "--worker-class", settings.WEB_WORKER]
    words += ["--timeout", "4", "--keep-alive", "60", "--pythonpath", str(tmp_path)]
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = subprocess.Popen(
            [sys.executable, "-m", *words, "--bind", f"fd://{listener.fileno()}"],
            cwd=ROOT,
            env=environment_of(tmp_path, DJANGO_SETTINGS_MODULE="kingscore.settings"),
            pass_fds=[listener.fileno()],
            stderr=subprocess.PIPE,
            text=True,
        )
        phone = Phone(*listener.getsockname())
        try:
            assert wait_until(lambda: phone.ask("GET", "/").status == 200)
            time.sleep(6)
            assert phone.ask("GET", "/").status == 200
            with pytest.raises(CUT_OFF):
                phone.ask("GET", "/hangs")
            assert wait_until(lambda: phone.ask("GET", "/").status == 200)
        finally:
            phone.hang_up()
            server.terminate()
            _, printed = server.communicate(timeout=PATIENCE)

    assert "in application" in printed
