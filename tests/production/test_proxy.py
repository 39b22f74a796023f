import json
import os
import shutil
import socket
import sys
import threading
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from time import monotonic

import pytest

from tests.deals import WHOLE_GAME
from tests.hearing import Listener
from tests.phones import CUT_OFF, Phone, new_key
from tests.production import laying
from tests.production.site import Part, Ports, is_ready, listens_at
from tests.production.visitors import SecurePhone
from tests.servers import READ_SHEETS, ROOT, environment_of, prepared, run_python
from tests.waiting import PATIENCE, wait_until

# Debian's nginx is where only root looks.
PATH = f"{os.environ['PATH']}:/usr/sbin"


def or_skip(name):
    there = shutil.which(name, path=PATH) or os.environ.get("KINGSCORE_TEST_REQUIRE_ALL") == "1"
    skip = pytest.mark.skipif(not there, reason=f"not on this machine: {name}")
    return pytest.param(name, marks=skip)


each_proxy = pytest.mark.parametrize("name", [or_skip("caddy"), or_skip("nginx")])


@pytest.fixture
def rude_servers():
    """Two web servers that are ready, and hang up on everybody: their ports, and who called."""
    called = []

    def hang_up(listener):
        while True:
            try:
                caller = listener.accept()[0]
            except OSError:
                return
            with caller, caller.makefile("rb") as said:
                line = said.readline().decode()
                if line.startswith("GET /readyz"):
                    caller.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
                else:
                    called.append(line.split()[0])

    with ExitStack() as open_ones:
        listeners = [
            open_ones.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(2)
        ]
        for each in listeners:
            threading.Thread(target=hang_up, args=(each,), daemon=True).start()
        yield [each.getsockname()[1] for each in listeners], called
        for each in listeners:
            each.shutdown(socket.SHUT_RDWR)


def words_of(name, folder, ports):
    if name == "caddy":
        return ["caddy", "run", "--adapter", "caddyfile", "--config", laying.DEPLOY / "Caddyfile"]
    return ["nginx", "-c", laying.lay_nginx(folder, ports)]


@contextmanager
def proxy_before(name, folder, ports):
    authority = laying.lay_proxy(folder)
    own = laying.environment_of_proxy(folder, ports) | {"PATH": PATH}
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
def test_fault_is_told_without_its_visitor_and_address(name, tmp_path, rude_servers):
    ports = Ports()
    ports.webs, _called = rude_servers
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
@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_write_reaches_one_web_server_at_most(name, method, tmp_path, rude_servers):
    ports = Ports()
    ports.webs, called = rude_servers
    with proxy_before(name, tmp_path, ports) as (phone, _proxy):
        assert phone.ask(method, "/api/v1/games/", {"title": "one"}).status == 502

    assert called == [method]


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
def test_files_for_browsers_come_compressed_and_may_be_kept(name, tmp_path, rude_servers):
    ports = Ports()
    ports.webs, _called = rude_servers
    laying.lay_static_files(tmp_path / "srv" / "static")
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


WRITERS, DEALS, SECONDS_DEAD = 8, 3, 3


@dataclass
class NoteWriter:
    """Starts games and writes deals, each with a text of its own, as long as those of others.

    `games` are those acknowledged, with their title and the notes of their deals; `wrong` is what
    was refused, or answered with the text of another.
    """

    number: int
    phone: SecurePhone
    games: dict = field(default_factory=dict)
    wrong: list = field(default_factory=list)
    repeated: int = 0
    done: threading.Event = field(default_factory=threading.Event)

    def write_on(self):
        try:
            self.write_games()
        finally:
            self.phone.hang_up()

    def write_games(self):
        players = ["A", "B", "C", "D"]
        for number in count():
            title = f"writer {self.number} game {number:04}"
            body = {"ruleset": "turkish-king", "players": players, "title": title}
            if (game := self.write("/api/v1/games/", body)) is None:
                return
            if game["title"] != title:
                self.wrong.append((title, game["title"]))
            _, notes = self.games[game["id"]] = (title, [])
            for position, deal in enumerate(WHOLE_GAME[:DEALS]):
                note = f"{title} deal {position}"
                body = {"entry": {**deal, "note": note}}
                path = f"/api/v1/games/{game['id']}/entries/"
                if self.write(path, body, Authorization=f"Bearer {game['keys']['write']}") is None:
                    return
                notes.append(note)

    def write(self, path, body, **headers):
        """Send a write until it is answered; None where it is refused, or once all is over."""
        headers |= {"Content-Type": "application/json", "Idempotency-Key": new_key()}
        while not self.done.is_set():
            status, answer = self.send(path, json.dumps(body), headers)
            if status == 201:
                return json.loads(answer)
            if status < 500:
                self.wrong.append((path, body, status, answer))
                return None
            self.repeated += 1
            self.done.wait(0.05)
        return None

    def send(self, path, body, headers):
        phone = self.phone
        try:
            phone.connection = phone.connection or phone.connect()
            phone.send("POST", path, body, headers)
            answer = phone.connection.getresponse()
            return answer.status, answer.read()
        except CUT_OFF:
            phone.hang_up()
            return 503, b""


@pytest.fixture
def two_web_servers(tmp_path):
    """Two web servers on one database; a killed one refuses connections."""
    shutil.copytree(prepared(), tmp_path, dirs_exist_ok=True)
    settings = {"DJANGO_SETTINGS_MODULE": "kingscore.settings", "KINGSCORE_PROXIES": "1"}
    environment = environment_of(tmp_path, **settings, WEB_CONCURRENCY="1")
    ports = Ports()

    def web(port):
        words = [sys.executable, "manage.py", "web", "--host", "127.0.0.1", "--port", str(port)]
        place = {"cwd": ROOT, "env": environment}
        return Part(f"web {port}", words, tmp_path, lambda: is_ready(port), **place)

    servers = [web(port) for port in ports.webs]
    try:
        for each in servers:
            each.start()
        for each in servers:
            each.wait()
        yield ports, servers, lambda: json.loads(run_python(READ_SHEETS, environment))
    finally:
        for each in servers:
            each.end()


@each_proxy
def test_every_acknowledged_write_holds_its_own_body_while_a_web_server_dies_and_returns(
    name, tmp_path, two_web_servers
):
    ports, (mortal, _other), read_sheets = two_web_servers
    with proxy_before(name, tmp_path, ports) as (phone, _proxy):
        # Each from an address of its own: limits count them apart.
        phones = [replace(phone, source=f"127.0.0.{10 + each}") for each in range(WRITERS)]
        writers = [NoteWriter(number, each) for number, each in enumerate(phones)]
        threads = [threading.Thread(target=each.write_on, daemon=True) for each in writers]
        for each in threads:
            each.start()
        wait_for_games(writers, 1)
        mortal.end()
        died = monotonic()
        wait_for_games(writers, 1)
        wait_until(lambda: monotonic() > died + SECONDS_DEAD)
        mortal.start()
        mortal.wait()
        wait_for_games(writers, 1)
        for each in writers:
            each.done.set()
        for each in threads:
            each.join(PATIENCE)
    stored = {
        game: (sheet["title"], [body["note"] for _, _, body in sheet["writes"]])
        for game, sheet in read_sheets().items()
    }
    acknowledged = {game: texts for each in writers for game, texts in each.games.items()}
    print(f"{len(acknowledged)} games; sent again: {sum(each.repeated for each in writers)}")
    assert [each.wrong for each in writers] == [[]] * WRITERS
    # What was not acknowledged any more when the evening ended may be stored, too.
    for game, (title, notes) in acknowledged.items():
        assert (stored[game][0], stored[game][1][: len(notes)]) == (title, notes)
    for title, notes in stored.values():
        assert notes == [f"{title} deal {position}" for position in range(len(notes))]
    assert len({title for title, _ in stored.values()}) == len(stored)


def wait_for_games(writers, number):
    """Wait until each writer has started and written so many more games, or gone wrong."""
    begun = [len(each.games) + number + 1 for each in writers]

    def are_done():
        return all(
            each.wrong or len(each.games) >= n for each, n in zip(writers, begun, strict=True)
        )

    wait_until(are_done)
