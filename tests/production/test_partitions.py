"""Partitions on a PostgreSQL of their own: begun while phones write, and one for an evening."""

import os
import re
import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from threading import Event

import pytest

from tests.deals import WHOLE_GAME
from tests.phones import Phone, new_key, with_suit
from tests.postgres import program, started
from tests.servers import MIGRATE, Server, environment_of, prepared, run_python

pytestmark = pytest.mark.skipif(
    program("initdb") is None and os.environ.get("KINGSCORE_TEST_REQUIRE_ALL") != "1",
    reason="There is no PostgreSQL here",
)

EVENING = """
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from tests.club_factories import (
    AccountFactory, ClubFactory, MemberFactory, RoundFactory, TableFactory
)
from tests.deals import WHOLE_GAME
from tournaments.models import Club
from tournaments.web.base.phone import address

club = Club.objects.first() or ClubFactory(slug="moda", published=True)
account = AccountFactory(username=f"director{club.members.count()}")
director = MemberFactory(club=club, user=account, role="director")
round_ = RoundFactory(event__club=club, event__published=True, opened_at=timezone.now())
finished = TableFactory(round=round_, entries=WHOLE_GAME).games.get()
game = TableFactory(round=round_).games.get()
session = Client()
session.force_login(director.user)
print(address(game, "write"), address(game, "follow"))
print(reverse("event", args=["moda", round_.event.public_id]))
print(session.cookies["sessionid"].value, finished.public_id)
"""
CALL = """
from django.core.management import call_command
call_command({})
"""
BEGIN, PACK = CALL.format('"partitions", "begin"'), CALL.format('"partitions", "pack"')
ARCHIVE = """
from django.core.management import call_command
call_command("partitions", "archive", "{}", "{}")
call_command("check_caches")
"""
LEAVE_GAPS = """
DO $$ BEGIN FOR time IN 1..500 LOOP UPDATE {} SET id = id; END LOOP; END $$
"""
RESTORE = """
from django.core.management import call_command
call_command("restore", "{}", stdout=open("/dev/null", "w"))
"""
LOOK = """
import json
from tournaments.models import AuditEntry, Game, Partition
from tournaments.queries.sheets import load_sheets

partition = Partition.objects.filter(archived_at=None)[{}]
keys = {{"pk__gte": partition.first_key, "pk__lt": partition.end_key}}
sheets = [sheet.record for sheet in load_sheets(Game.objects.filter(**keys).order_by("pk"))]
lines = list(AuditEntry.objects.filter(**keys).values("action", "after"))
print(json.dumps([sheets, lines], sort_keys=True))
"""
ROWS = """
SELECT count(*), md5(string_agg(line::text, ' ' ORDER BY id)) FROM {} line WHERE id <= %s
"""
TABLES = ("tournaments_revision", "tournaments_auditentry", "tournaments_auditline")
NEWEST_LINES = 'FROM "tournaments_auditline"'
PLAN = re.compile(r"plan:\n((?:\t.*\n)+)")
IN_PART = re.compile(r"\bon (tournaments_(?:revision|auditentry))_v(\d+)\b.*\(actual")


class Site(Server):
    def phone(self, path=""):
        """A phone that hangs up at the end of the test."""
        self.phones.append(Phone(self.host, self.port, path))
        return self.phones[-1]

    def begin(self, times=1):
        return self.run_python(BEGIN * times)

    def size_of_indexes(self, table):
        [(size,)] = self.postgres.ask("SELECT pg_indexes_size(%s::regclass)", table)
        return size

    def lay_evening(self):
        """A table's phone, two addresses and a session there, and a finished game."""
        write, *others = self.run_python(EVENING).split()
        return self.phone(write), *others


@pytest.fixture(scope="module")
def site():
    with ExitStack() as ending:
        folder, postgres = ending.enter_context(started())
        shutil.copytree(prepared(), folder / "site")
        site = ending.enter_context(closing(Site(folder / "site", postgres.url())))
        site.run_python(MIGRATE)
        site.postgres = postgres
        site.start()
        yield site


@pytest.fixture(autouse=True)
def hanging_up(site):
    site.phones = []
    yield
    for phone in site.phones:
        phone.hang_up()


def rows(postgres, until):
    """The number and a digest of the rows with keys up to one, by table."""
    return [postgres.ask(ROWS.format(table), until) for table in TABLES]


def write_on(phone, goes_on):
    """Play games to their ends until it is enough; return their addresses."""
    written = []
    while goes_on.is_set() or not written:
        written.append(phone.open_table())
        for revision, deal in enumerate(WHOLE_GAME):
            answer = phone.write_deal(deal, revision, new_key())
            assert answer.status == 200, answer
            time.sleep(0.02)
    return written


def test_partitions_begin_while_phones_write_and_nothing_is_lost(site):
    site.lay_evening()
    [(last,)] = site.postgres.ask("SELECT last_value FROM tournaments_newline_id_seq")
    before = rows(site.postgres, last)
    goes_on = Event()
    goes_on.set()

    with ThreadPoolExecutor(2) as phones:
        played = [phones.submit(write_on, site.phone(), goes_on) for _ in range(2)]
        try:
            site.begin(2)
        finally:
            goes_on.clear()

    assert rows(site.postgres, last) == before
    sheets = site.read_sheets()
    for path in (path for each in played for path in each.result()):
        writes = sheets[path.split("/")[2]]["writes"]
        assert [body for _revision, _key, body in writes] == [*map(with_suit, WHOLE_GAME)]
    assert "deadlock" not in (site.postgres.data / "log").read_text()
    assert "Traceback" not in site.said


def test_queries_of_the_evening_touch_one_partition(site):
    site.begin()
    phone, follow, event, session, _finished = site.lay_evening()
    phone.join(phone)
    assert phone.write_deal(WHOLE_GAME[0], 0, new_key()).status == 200
    director = site.phone()
    director.cookies = {"sessionid": session}
    [(number,)] = site.postgres.ask("SELECT max(number) FROM tournaments_partition")
    requests = {
        "a deal": lambda: phone.write_deal(WHOLE_GAME[1], 1, new_key()),
        "the table's page": lambda: phone.ask("GET", phone.path),
        "a follower's page": lambda: phone.ask("GET", follow),
        "the director's page": lambda: director.ask("GET", event),
    }
    settings = {
        "session_preload_libraries": "auto_explain",
        "auto_explain.log_min_duration": "0",
        "auto_explain.log_analyze": "on",
    }
    for name, value in settings.items():
        site.postgres.tell(f"ALTER ROLE kingscore SET {name} = '{value}'")
    # Connections of its own, which begin with these settings.
    site.stop()
    site.start()

    touched = {name: touched_by(site, ask) for name, ask in requests.items()}

    assert touched["a deal"] >= {("tournaments_revision", number)}
    assert {each for parts in touched.values() for each in parts} <= {
        ("tournaments_revision", number),
        ("tournaments_auditentry", number),
    }


def test_indexes_of_a_season_that_is_over_are_packed(site):
    site.lay_evening()
    site.begin()
    site.lay_evening()
    *_, over, written = sorted(
        number for (number,) in site.postgres.ask("SELECT number FROM tournaments_partition")
    )
    parts = [f"tournaments_revision_v{number}" for number in (over, written)]
    for part in parts:
        site.postgres.tell(LEAVE_GAPS.format(part))
    # As a process that was killed leaves it.
    site.postgres.tell(f"CREATE INDEX half_ccnew ON {parts[0]} (game_id)")
    site.postgres.tell(
        "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'half_ccnew'::regclass"
    )
    before = [*rows(site.postgres, 10**12), *map(site.size_of_indexes, parts)]

    site.run_python(PACK)

    *kept, packed, not_packed = [*rows(site.postgres, 10**12), *map(site.size_of_indexes, parts)]
    assert [*kept, not_packed] == [*before[:-2], before[-1]]
    assert packed < before[-2] / 2
    assert not site.postgres.ask("SELECT 1 FROM pg_class WHERE relname = 'half_ccnew'")
    assert not site.postgres.ask("SELECT 1 FROM pg_class WHERE reloptions::text ~ 'fillfactor'")


def test_archived_season_is_one_file_that_can_be_looked_at_again(site, tmp_path):
    site.begin()
    *_, name = site.lay_evening()
    unfinished = site.phone()
    unfinished.open_table()
    assert unfinished.write_deal(WHOLE_GAME[0], 0, new_key()).status == 200
    [(number,)] = site.postgres.ask("SELECT max(number) FROM tournaments_partition")
    before = site.run_python(LOOK.format(number))
    site.begin()

    file = tmp_path / "season.zip"
    site.run_python(ARCHIVE.format(number, file))

    visitor = site.phone()
    for path in (f"/clubs/moda/games/{name}/", f"/api/v1/games/{name}/"):
        answer = visitor.ask("GET", path)
        assert (answer.status, "archive" in answer.text) == (410, True), path
    for path in ("/clubs/moda/games/", "/clubs/moda/", "/ratings/"):
        assert visitor.ask("GET", path).status == 200, path
    assert "archived" in visitor.ask("GET", "/clubs/moda/games/").text
    unfinished.hang_up()
    unfinished.join(unfinished)
    assert unfinished.write_deal(WHOLE_GAME[1], 1, new_key()).status == 200

    folder = tmp_path / "again"
    folder.mkdir()
    beside = environment_of(folder, DJANGO_SETTINGS_MODULE="kingscore.settings")
    # To whoever looks there, only this partition is not archived.
    assert run_python(RESTORE.format(file) + LOOK.format(0), beside) == before


def touched_by(site, ask):
    """The partitions that the database read or wrote for a request, by its own plans."""
    log = site.postgres.data / "log"
    before = len(log.read_text())
    assert ask().status == 200
    plans = PLAN.findall(log.read_text()[before:])
    # The newest lines of a club, as the director's page asks for, may be in any.
    games = [plan for plan in plans if NEWEST_LINES not in plan]
    return {(table, int(number)) for plan in games for table, number in IN_PART.findall(plan)}
