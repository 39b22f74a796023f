"""A site on two PostgreSQL servers: who reads what while the second one is behind, or down."""

import os
import re
import shutil
from contextlib import ExitStack, contextmanager

import pytest

from tests.deals import WHOLE_GAME
from tests.hearing import Listener
from tests.phones import Phone, new_key
from tests.postgres import Standby, program, started
from tests.servers import MIGRATE, Server, prepared
from tests.waiting import wait_until

pytestmark = pytest.mark.skipif(
    program("pg_basebackup") is None and os.environ.get("KINGSCORE_TEST_REQUIRE_ALL") != "1",
    reason="There is no PostgreSQL here",
)

ROWS = """
from tests.club_factories import ClubFactory, TournamentFactory
from tests.factories import GameFactory
from tournaments.web.base.phone import address

moda = ClubFactory(slug="moda", published=True)
TournamentFactory(event__club=moda, event__published=True, slug="acik", state="running")
game = GameFactory()
print(address(game, "write"), address(game, "follow"))
"""
PAGES = ("/ratings/", "/clubs/moda/", "/clubs/moda/tournaments/acik/", "/clubs/moda/results.rss")
EVENING = re.compile(r"/evening/[^\"<\s]+/")
REVISION = re.compile(r'data-revision="(\d+)"')


class ServerOfTwo(Server):
    """One process, so that it knows what it saw of the standby."""

    replica = None

    @property
    def environment(self):
        own = {"KINGSCORE_REPLICA_URL": self.replica} if self.replica else {}
        return super().environment | own | {"KINGSCORE_METRICS_TOKEN": "0123456789abcdef"}

    @property
    def reads(self):
        """How many public pages were read from the replica, and from the primary."""
        phone = Phone(self.host, self.port)
        said = phone.ask(
            "GET", "/metrics", headers={"Authorization": "Bearer 0123456789abcdef"}
        ).text
        phone.hang_up()
        found = dict(re.findall(r'kingscore_public_reads_total\{server="(\w+)"\} (\d+)', said))
        return [int(found.get(name, 0)) for name in ("replica", "primary")]


@pytest.fixture(scope="module")
def site():
    with ExitStack() as ending:
        folder, primary = ending.enter_context(started())
        shutil.copytree(prepared(), folder / "site")
        server = ServerOfTwo(folder / "site", primary.url(), processes=1)
        ending.callback(server.close)
        server.run_python(MIGRATE)
        server.write, server.follow = server.run_python(ROWS).split()
        server.primary, server.standby = primary, Standby(folder, primary)
        ending.callback(server.standby.stop, "immediate")
        server.standby.start()
        wait_until(server.standby.is_connected)
        server.replica = server.standby.url()
        server.start()
        yield server


@pytest.fixture
def visitor(site):
    phones = []

    def come(path=""):
        phones.append(Phone(site.host, site.port, path))
        return phones[-1]

    yield come
    for phone in phones:
        phone.hang_up()


@contextmanager
def behind(site):
    """Hold back all that comes after what was written so far."""
    standby = site.standby
    wait_until(lambda: standby.has_replayed(site.primary))
    standby.tell("SELECT pg_wal_replay_pause()")
    wait_until(standby.is_paused)
    yield
    standby.tell("SELECT pg_wal_replay_resume()")


def revision_seen(phone, path, **headers):
    answer = phone.ask("GET", path, headers=headers)
    assert answer.status == 200
    return int(REVISION.search(answer.text)[1])


def test_public_pages_come_from_the_replica(site, visitor):
    before, primary = site.reads

    for path in PAGES:
        answer = visitor().ask("GET", path)
        assert answer.status == 200, path
        assert "position" not in str(answer.headers)
    assert site.reads == [before + len(PAGES), primary]


def test_nobody_reads_older_than_what_they_wrote_or_heard_of(site, visitor):
    writer, follower, late = visitor(site.write), visitor(), visitor()
    writer.join(writer)
    stream = Listener(follower.connect(), site.follow)
    assert stream.next() == "hello"

    with behind(site):
        assert writer.write_deal(WHOLE_GAME[0], 0, new_key()).status == 200
        assert stream.next() == "news"
        heard = {"Kingscore-News": stream.data.removeprefix("game ")}

        assert revision_seen(writer, site.follow) == 1
        assert revision_seen(late, site.follow) == 0
        assert revision_seen(follower, site.follow, **heard) == 1
        # And nobody goes back.
        assert revision_seen(follower, site.follow) == 1
        # A table that the replica does not know yet.
        writer.open_table()
        shared = EVENING.search(writer.ask("GET", f"{writer.path}pen/").text)[0]
        assert late.ask("GET", shared).status == 302
    stream.close()
    before = site.reads[0]
    wait_until(lambda: revision_seen(late, site.follow) == 1)
    wait_until(lambda: revision_seen(writer, site.follow) == 1 and site.reads[0] > before + 1)


def test_primary_answers_while_the_replica_is_down(site, visitor):
    site.standby.stop("immediate")

    for path in (*PAGES, site.follow):
        assert visitor().ask("GET", path).status == 200
    assert visitor().ask("GET", "/readyz").status == 200
    assert "The replica failed" in site.said
    assert "Traceback" not in site.said
