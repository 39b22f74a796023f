"""The site as deploy/ describes it, played on and restarted part by part.

    .venv/bin/python -m pytest tests/production -n0 -s

prints what it does. It needs PostgreSQL, Redis and Caddy on the machine, as `.ci/run` installs
them.
"""

import os
import re
from collections import Counter
from contextlib import closing
from http.client import HTTPConnection
from io import BytesIO
from threading import Event, Thread
from time import monotonic, sleep

import pytest
from pypdf import PdfReader

from tests.deals import WHOLE_GAME
from tests.hearing import Listener
from tests.phones import CSRF_FIELD, CUT_OFF, new_key, with_suit
from tests.production.laying import SERVICES, missing_programs
from tests.production.site import Site
from tests.production.visitors import PatientPhone, SecurePhone, Writer
from tests.waiting import PATIENCE, wait_until

MISSING = missing_programs()
EVENING = re.compile(r"https://localhost(/evening/[^\"<\s]+)")
STYLE = re.compile(r'href="(/static/[^"]+\.css)"')
FILE = re.compile(r'href="(/reports/[^"]+/file/)"')
ATTEMPTS = """
from tournaments.models import Report
print(*Report.objects.values_list("attempts", flat=True))
"""
FOR_EVER = "max-age=315360000, public, immutable"

pytestmark = pytest.mark.skipif(
    bool(MISSING) and os.environ.get("KINGSCORE_TEST_REQUIRE_ALL") != "1",
    reason=f"not on this machine: {', '.join(MISSING)}",
)


@pytest.fixture(scope="module")
def site():
    assert not MISSING, f"KINGSCORE_TEST_REQUIRE_ALL=1 wants {', '.join(MISSING)}"
    begun = monotonic()
    site = Site()
    try:
        site.start()
        print(f"\nAll parts answer after {monotonic() - begun:.1f} s")
        yield site
    finally:
        site.close()


@pytest.fixture
def visit(site):
    came = []

    def come(kind=SecurePhone, source="127.0.0.1"):
        came.append(kind("localhost", site.ports.https, authority=site.authority, source=source))
        return came[-1]

    yield come
    for phone in came:
        phone.hang_up()


def follow_path(phone):
    evening = EVENING.search(phone.ask("GET", f"{phone.path}pen/").text)[1]
    return phone.ask("GET", evening).location


def order_sheet(phone, follow):
    asked = phone.post(f"{follow}scoresheet/", {})
    assert asked.status == 302, asked
    return asked.location


def take_sheet(phone, report):
    path = wait_until(lambda: FILE.search(phone.ask("GET", report).text))[1]
    return phone.ask("GET", path)


def test_game_is_played_followed_and_printed_through_the_proxy(site, visit):
    writer, follower = visit(), visit()
    writer.open_table()
    follow = follow_path(writer)
    follower.token = writer.token
    hearing = Listener(follower.connect(), follow)
    assert hearing.next() == "hello"
    waited = 0.0
    for revision, deal in enumerate(WHOLE_GAME):
        assert writer.write_deal(deal, revision, new_key()).status == 200
        begun = monotonic()
        assert hearing.next() == "news"
        waited += monotonic() - begun
        seen = follower.ask("GET", follow, headers={"HX-Request": "true"})
        assert f'data-revision="{revision + 1}"' in seen.text
        unchanged = {"HX-Request": "true", "If-None-Match": seen.headers["ETag"]}
        assert follower.ask("GET", follow, headers=unchanged).status == 304

    hearing.close()
    # PostgreSQL calls, and the proxy holds nothing back: a look by itself comes after two seconds.
    assert waited / len(WHOLE_GAME) < 1
    follower.token = writer.token
    follower.cookies |= {name: writer.cookies[name] for name in ["__Host-csrftoken"]}
    sheet = take_sheet(follower, order_sheet(follower, follow))

    assert sheet.headers["Content-Type"] == "application/pdf"
    pages = PdfReader(BytesIO(sheet.body)).pages
    assert "540 −110 −330 −100" in "\n".join(page.extract_text() for page in pages)
    stored = site.read_sheets()[writer.path.split("/")[2]]
    assert [body for _, _, body in stored["writes"]] == [*map(with_suit, WHOLE_GAME)]
    print(f"A game of {len(WHOLE_GAME)} deals written and followed, its sheet built and taken")


def test_proxy_gives_files_to_browsers_itself_and_lets_them_keep_them(site, visit):
    phone = visit()
    style = STYLE.search(phone.ask("GET", "/").text)[1]
    only_there = site.folder / "srv" / "static" / "mark.0123456789ab.css"
    only_there.write_text("/* nobody else has this */")

    packed = phone.ask("GET", style, headers={"Accept-Encoding": "br"})
    mark = phone.ask("GET", f"/static/{only_there.name}")
    plain = phone.ask("GET", "/static/mark.css")

    assert (packed.status, packed.headers["Content-Encoding"]) == (200, "br")
    assert packed.headers["Vary"] == "Accept-Encoding"
    for answer in (packed, mark):
        assert answer.headers["Cache-Control"] == FOR_EVER
        assert answer.headers["Content-Type"] == "text/css; charset=utf-8"
        assert answer.headers["Strict-Transport-Security"] == "max-age=31536000"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Content-Security-Policy"] == "frame-ancestors 'none'"
    assert plain.status == 404
    for outside in ("/static/../Caddyfile", "/static/%2e%2e/%2e%2e/key.pem", "/static/"):
        assert phone.ask("GET", outside).status == 404


def test_old_file_comes_from_the_web_server_while_the_proxy_has_only_new_ones(site, visit):
    phone = visit()
    style = STYLE.search(phone.ask("GET", "/rules/").text)[1]
    (site.folder / "srv" / style.lstrip("/")).rename(site.folder / "aside.css")
    try:
        old = phone.ask("GET", style)
    finally:
        (site.folder / "aside.css").rename(site.folder / "srv" / style.lstrip("/"))

    assert (old.status, old.headers["Cache-Control"]) == (200, FOR_EVER)


def test_plain_http_leads_to_https_and_cookies_stay_there(site, visit):
    line = HTTPConnection("localhost", site.ports.http, timeout=5)
    line.request("GET", "/rules/")
    plain = line.getresponse()
    line.close()
    page = visit().ask("GET", "/new/")

    assert plain.status == 308
    # Without a port: what visitors see of the proxy are 80 and 443, wherever it listens.
    assert plain.headers["Location"] == "https://localhost/rules/"
    assert page.headers["Strict-Transport-Security"] == "max-age=31536000"
    cookies = page.headers.get_all("Set-Cookie")
    assert cookies
    assert all("; Secure" in cookie for cookie in cookies)
    assert all(cookie.startswith(("__Host-", "__Secure-")) for cookie in cookies)


def test_limits_count_visitors_and_believe_no_address_that_they_bring(visit):
    stubborn, other = visit(source="127.0.0.2"), visit(source="127.0.0.3")
    for phone in (stubborn, other):
        phone.token = CSRF_FIELD.search(phone.ask("GET", "/accounts/login/").text)[1]

    tries = [
        stubborn.post("/accounts/login/", {}, {"X-Forwarded-For": f"10.0.0.{number}"}).status
        for number in range(61)
    ]

    assert tries == [422] * 60 + [429]
    # Not even by pretending to be stubborn can another be shut out, nor is one for the other.
    said = {"X-Forwarded-For": "127.0.0.2", "X-Forwarded-Proto": "http", "Forwarded": "for=x"}
    assert other.post("/accounts/login/", {}, said).status == 422


def test_each_part_is_restarted_while_a_phone_writes_and_nothing_is_lost(site, visit):
    writer, guest = Writer(visit(PatientPhone)), visit(PatientPhone)
    reports, sheets = [], []
    # Two machines may think that theirs is the one clock.
    second = site.program("second beat", SERVICES["beat"]["command"])
    second.start()
    writer.start()
    try:
        for name in ("proxy", "web 1", "web 2", "worker", "beat", "redis", "postgres"):
            restart(site.parts[name], writer, lambda down=name: order_while(down, guest, reports))
            # Built before the next part stops, which would end the attempt.
            sheets += [take_sheet(guest, report) for report in reports[len(sheets) :]]
    finally:
        writer.stop()
        second.end()

    assert writer.refused == []
    stored = {game: sheet["writes"] for game, sheet in site.read_sheets().items()}
    assert {game: stored[game] for game in writer.games} == writer.games
    assert [sheet.body[:4] for sheet in sheets] == [b"%PDF"] * 3
    # Each was built once, though two clocks asked for it.
    attempts = site.run_python(ATTEMPTS).split()
    assert set(attempts) == {"1"}
    assert len(list((site.folder / "data" / "files" / "reports").iterdir())) == len(attempts)
    secrets = {address.split("/")[3] for address in (writer.phone.path, guest.path, *reports)}
    said = [part.said for part in (*site.parts.values(), second)]
    assert [secret for secret in secrets if any(secret in log for log in said)] == []
    print(
        f"{writer.deals} deals in {len(writer.games)} games: nothing lost, nothing twice;"
        f" {len(sheets)} documents asked for while nobody could build them"
    )


class OpenPage(Thread):
    """An open page of a game: it listens again where its stream ends, as browsers do."""

    def __init__(self, follower, path):
        super().__init__(daemon=True)
        self.follower, self.path, self.cuts, self.heard = follower, path, 0, []
        self.listening = Event()
        self.start()

    def run(self):
        while not getattr(self, "closed", False):
            try:
                with closing(self.follower.connect()) as line:
                    stream = Listener(line, self.path)
                    while event := stream.next():
                        self.heard.append((event, monotonic()))
                        self.listening.set()
            except CUT_OFF:
                pass
            self.cuts += 1
            sleep(0.2)


def test_killed_web_server_loses_no_acknowledged_deal_and_streams_are_back(site, visit):
    tables = [visit(PatientPhone, f"127.0.0.{40 + number}") for number in range(6)]
    written = {}
    for table in tables:
        table.open_table()
        written[table.path.split("/")[2]] = []
    paths = [follow_path(table) for table in tables]
    # One after the other, since the proxy deals requests out in turn: each server gets three.
    pages = []
    for table, path in zip(tables, paths, strict=True):
        pages.append(OpenPage(visit(SecurePhone, table.source), path))
        assert pages[-1].listening.wait(PATIENCE)

    def write(revision):
        for table, deals in zip(tables, written.values(), strict=True):
            body, key = with_suit(WHOLE_GAME[revision]), new_key()
            assert table.write_deal(body, revision, key).status == 200
            deals.append([revision + 1, key, body])

    write(0)
    killed = monotonic()
    site.parts["web 1"].end()
    write(1)
    write(2)
    wait_until(lambda: all(page.heard[-1][1] > killed for page in pages))
    back = max(min(at for _event, at in page.heard if at > killed) for page in pages) - killed
    cut = sum(page.cuts > 0 for page in pages)
    site.parts["web 1"].start()
    site.parts["web 1"].wait()
    write(3)
    for page in pages:
        page.closed = True

    assert cut == 3
    assert back < 35
    stored = {game: sheet["writes"] for game, sheet in site.read_sheets().items()}
    assert {game: stored[game] for game in written} == written
    again = sum((table.faults for table in tables), Counter())
    print(
        f"A web server killed: {cut} of {len(pages)} streams cut, back after {back:.1f} s;"
        f" {4 * len(tables)} deals written, sent again: {dict(again) or 'none'}"
    )


def order_while(down, guest, reports):
    if down in {"worker", "beat", "redis"}:
        guest.open_table()
        reports.append(order_sheet(guest, follow_path(guest)))


def restart(part, writer, meanwhile):
    """Stop a part, let something happen, start it, and wait until deals are written again."""
    phone = writer.phone
    deals, phone.longest, phone.faults = writer.deals, 0, Counter()
    begun = monotonic()
    part.stop()
    stopped = monotonic() - begun
    meanwhile()
    part.start()
    part.wait()
    away = monotonic() - begun
    enough = writer.deals + 5
    wait_until(lambda: writer.deals >= enough, said=part.last_words)
    print(
        f"{part.name}: stopped in {stopped:.1f} s, answers after {away:.1f} s;"
        f" {writer.deals - deals} deals meanwhile, the slowest {phone.longest:.1f} s;"
        f" sent again: {dict(phone.faults) or 'none'}"
    )
