"""The programs of “Build on it”, run as the page shows them."""

import csv
import html
import io
import json
import os
import re
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import expect

from tests.club_factories import ClubFactory, EventFactory, RoundFactory, TableFactory
from tests.deals import NAMES, WHOLE_GAME
from tests.factories import EVENING, record_all
from tests.tournament_builders import closed, running
from tests.waiting import PATIENCE, wait_until
from tournaments.models import Club, Event
from tournaments.services.entrants.registration import Entry

pytestmark = pytest.mark.browser

SHOWN = re.compile(r'<code id="([\w.]+)">(.*?)</code>', re.DOTALL)


@pytest.fixture
def folder(client, live_server, tmp_path):
    """A folder with the programs, as somebody copied them from the page."""
    for name, text in SHOWN.findall(client.get("/api/").content.decode()):
        (tmp_path / name).write_text(html.unescape(text), encoding="utf-8")
    return tmp_path


@pytest.fixture
def game(transactional_db):
    club = ClubFactory(slug="moda", published=True)
    event = EventFactory(club=club, published=True)
    round_ = RoundFactory(event=event, published_at=EVENING)
    return TableFactory(round=round_, players=NAMES, entries=WHOLE_GAME[:3]).games.get()


@pytest.fixture
def chat():
    """What a chat was told, and its address."""
    told = []

    class Chat(BaseHTTPRequestHandler):
        def do_POST(self):
            told.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"ok")

        def log_message(self, *_args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Chat)
    threading.Thread(target=server.serve_forever).start()
    yield told, f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


def program(folder, name, **said):
    environment = {**os.environ, **said}
    return subprocess.Popen([sys.executable, name], cwd=folder, env=environment)


def test_bot_posts_a_result_once_it_is_in(folder, live_server, game, chat):
    told, address = chat
    bot = program(folder, "results_bot.py", SITE=live_server.url, CLUB="moda", CHAT=address)
    try:
        # What was there when it began is no news.
        with pytest.raises(subprocess.TimeoutExpired):
            bot.wait(2)
        record_all(game, WHOLE_GAME[3:])
        wait_until(lambda: told)
    finally:
        bot.kill()
        bot.wait()

    totals = game.result["totals"]
    assert told == [{"text": "\n".join(f"{n}: {p}" for n, p in zip(NAMES, totals, strict=True))}]


def test_spreadsheet_reads_standings(folder, live_server, transactional_db, client):
    row = running(*(Entry(f"Oyuncu {n}") for n in range(8)), rounds=2)
    closed(row)
    Event.objects.update(published=True)
    Club.objects.update(published=True)
    where = {"CLUB": row.event.club.slug, "TOURNAMENT": row.slug}
    done = program(folder, "standings_sheet.py", SITE=live_server.url, **where)
    assert done.wait(PATIENCE) == 0

    written = (folder / "standings.csv").read_text(encoding="utf-8-sig")
    lines = list(csv.reader(io.StringIO(written)))
    api = f"/api/v1/clubs/{row.event.club.slug}/tournaments/{row.slug}/standings/"
    standings = client.get(api).json()["results"]
    assert [line[1] for line in lines[1:]] == [each["name"] for each in standings]
    assert lines[0] == ["Rank", "Name", "Points", "Round 1"]


def test_board_follows_a_table_from_another_site(folder, live_server, game, page):
    asked = f"site={live_server.url}&game={game.public_id}"
    page.goto(f"{(folder / 'table_board.html').as_uri()}?{asked}")
    lines = page.locator("#board tr")
    expect(lines).to_have_count(4)
    assert lines.first.locator("td").first.inner_text() == NAMES[0]

    record_all(game, WHOLE_GAME[3:])
    total = str(game.result["totals"][0])
    expect(lines.first.locator("td").last).to_have_text(total, timeout=20_000)
