"""Each of the proxies that deploy/ has a file for, with that very file."""

import os
import shutil
import socket
import threading
from contextlib import contextmanager

import pytest

from tests.deals import WHOLE_GAME
from tests.hearing import Listener
from tests.phones import Phone, new_key
from tests.production.laying import (
    DEPLOY,
    environment_of_proxy,
    lay_nginx,
    lay_proxy,
    lay_static_files,
)
from tests.production.parts import Part, listens_at
from tests.production.site import Ports
from tests.production.visitors import SecurePhone
from tests.waiting import wait_until

# Debian's nginx is where only root looks.
PATH = f"{os.environ['PATH']}:/usr/sbin"


def or_skip(name):
    there = shutil.which(name, path=PATH) or os.environ.get("KINGSCORE_TEST_REQUIRE_ALL") == "1"
    skip = pytest.mark.skipif(not there, reason=f"not on this machine: {name}")
    return pytest.param(name, marks=skip)


each_proxy = pytest.mark.parametrize("name", [or_skip("caddy"), or_skip("nginx")])


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


def words_of(name, folder, ports):
    if name == "caddy":
        return ["caddy", "run", "--adapter", "caddyfile", "--config", DEPLOY / "Caddyfile"]
    return ["nginx", "-c", lay_nginx(folder, ports)]


@contextmanager
def proxy_before(name, folder, ports):
    authority = lay_proxy(folder)
    own = environment_of_proxy(folder, ports) | {"PATH": PATH}
    words = words_of(name, folder, ports)
    proxy = Part("proxy", words, folder, lambda: listens_at(ports.https), env=own)
    phone = SecurePhone("localhost", ports.https, authority=authority, source="127.0.0.2")
    proxy.start()
    try:
        proxy.wait()
        yield phone, proxy
    finally:
        phone.hang_up()
        proxy.end()


@each_proxy
def test_fault_is_told_without_its_visitor_and_address(name, tmp_path, rude_server):
    ports = Ports()
    ports.webs = [rude_server]
    with proxy_before(name, tmp_path, ports) as (phone, proxy):
        answer = phone.ask("POST", "/table/secret-of-it/", {"deal": "1"})
        if name == "caddy":
            wait_until(lambda: "http.log.error" in proxy.said, said=proxy.last_words)

    assert answer.status == 502
    # nginx cannot leave out parts of what it says: it is told to say nothing of requests.
    if name == "caddy":
        fault = next(line for line in proxy.said.splitlines() if "http.log.error" in line)
        assert '"method": "POST"' in fault
    told = ("127.0.0.2", "secret-of-it", "remote_port", "client_ip", "Cookie", "User-Agent")
    assert [each for each in told if each in proxy.said] == []


@each_proxy
def test_body_in_chunks_is_never_taken_for_an_empty_one(name, tmp_path, server):
    ports = Ports()
    ports.webs = [server.port]
    with proxy_before(name, tmp_path, ports) as (phone, _proxy):
        body = iter([b'{"ruleset": "turkish-king", ', b'"players": ["A", "B", "C", "D"]}'])
        headers = {"Content-Type": "application/json", "Transfer-Encoding": "chunked"}
        line = phone.connect()
        line.request("POST", "/api/v1/games/", body, headers, encode_chunked=True)
        assert line.getresponse().status in {201, 411}
        line.close()


@each_proxy
def test_open_page_hears_of_a_deal_at_once(name, tmp_path, server):
    ports = Ports()
    ports.webs = [server.port]
    table = Phone(server.host, server.port)
    table.open_table()
    with proxy_before(name, tmp_path, ports) as (phone, _proxy):
        hearing = Listener(phone.connect(), table.path)
        assert hearing.next() == "hello"

        assert table.write_deal(WHOLE_GAME[0], 0, new_key()).status == 200

        assert hearing.next() == "news"
        hearing.close()
    table.hang_up()


@each_proxy
def test_files_for_browsers_come_compressed_and_may_be_kept(name, tmp_path, rude_server):
    ports = Ports()
    ports.webs = [rude_server]
    lay_static_files(tmp_path / "srv" / "static")
    style = next((tmp_path / "srv" / "static").glob("kingscore.*.css"))
    with proxy_before(name, tmp_path, ports) as (phone, _proxy):
        answer = phone.ask("GET", f"/static/{style.name}", headers={"Accept-Encoding": "gzip"})
        missing = phone.ask("GET", "/static/nothing.0123456789ab.css")

    assert answer.status == 200
    assert answer.headers["Content-Type"].startswith("text/css")
    assert answer.headers["Content-Encoding"] == "gzip"
    assert answer.body == style.with_name(f"{style.name}.gz").read_bytes()
    assert answer.headers["Cache-Control"] == "max-age=315360000, public, immutable"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    # A web server may have it, during an upgrade.
    assert missing.status == 502
