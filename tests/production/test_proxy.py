"""The proxy's log of errors names neither the visitor nor the address."""

import os
import shutil
import socket
import threading
from contextlib import contextmanager

import pytest

from tests.production.laying import DEPLOY, environment_of_proxy, lay_proxy
from tests.production.parts import Part, listens_at
from tests.production.site import Ports
from tests.production.visitors import SecurePhone
from tests.waiting import wait_until

pytestmark = pytest.mark.skipif(
    not shutil.which("caddy") and os.environ.get("KINGSCORE_TEST_REQUIRE_ALL") != "1",
    reason="not on this machine: caddy",
)


@pytest.fixture
def rude_server():
    """A web server that hangs up on everybody; the port it listens at."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def hang_up():
            while True:
                try:
                    listener.accept()[0].close()
                except OSError:
                    return

        threading.Thread(target=hang_up, daemon=True).start()
        yield listener.getsockname()[1]
        listener.shutdown(socket.SHUT_RDWR)


@contextmanager
def proxy_before(tmp_path, ports):
    authority = lay_proxy(tmp_path)
    words = ["caddy", "run", "--adapter", "caddyfile", "--config", DEPLOY / "Caddyfile"]
    own = environment_of_proxy(tmp_path, ports)
    proxy = Part("proxy", words, tmp_path, lambda: listens_at(ports.https), env=own)
    phone = SecurePhone("localhost", ports.https, authority=authority, source="127.0.0.2")
    proxy.start()
    try:
        proxy.wait()
        yield phone, proxy
    finally:
        phone.hang_up()
        proxy.end()


def test_fault_is_told_without_its_visitor_and_address(tmp_path, rude_server):
    ports = Ports()
    ports.webs = [rude_server]
    with proxy_before(tmp_path, ports) as (phone, proxy):
        answer = phone.ask("POST", "/table/secret-of-it/", {"deal": "1"})
        wait_until(lambda: "http.log.error" in proxy.said, said=proxy.last_words)

    assert answer.status == 502
    fault = next(line for line in proxy.said.splitlines() if "http.log.error" in line)
    assert '"method": "POST"' in fault
    told = ("127.0.0.2", "secret-of-it", "remote_port", "client_ip", "Cookie", "User-Agent")
    assert [each for each in told if each in proxy.said] == []


def test_body_in_chunks_is_never_taken_for_an_empty_one(tmp_path, server):
    ports = Ports()
    ports.webs = [server.port]
    with proxy_before(tmp_path, ports) as (phone, _proxy):
        body = iter([b'{"ruleset": "turkish-king", ', b'"players": ["A", "B", "C", "D"]}'])
        headers = {"Content-Type": "application/json", "Transfer-Encoding": "chunked"}
        line = phone.connect()
        line.request("POST", "/api/v1/games/", body, headers, encode_chunked=True)
        assert line.getresponse().status in {201, 411}
        line.close()
