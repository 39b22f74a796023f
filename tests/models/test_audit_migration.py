"""Audit entries of older sites: those that say the same as a revision are read from it."""

from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.test import Client

from tests.club_factories import AccountFactory
from tests.deals import deal
from tests.factories import EVENING
from tournaments.models import AuditEntry, AuditRow, ChangeFeed, Club, Delivery, Member, User
from tournaments.models.audit_view import create_view, drop_view
from tournaments.web.audit.view import read_lines

BEFORE = ("tournaments", "0029_doubled_indexes")

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

FIELDS = (
    *("id", "number", "club_id", "event_id", "at", "kind", "action", "subject", "user_id"),
    *("table", "address", "before", "after", "reason"),
)
FIRST = deal("no-hearts", 0, 6, 4, 3)
OTHER = deal("no-hearts", 6, 0, 4, 3)


@pytest.fixture
def older_site():
    """The tables of the database as they were before, and at the end as they are now."""
    drop_view()
    MigrationExecutor(connection).migrate([BEFORE])
    yield MigrationExecutor(connection).loader.project_state([BEFORE]).apps
    migrate_to_now()


def migrate_to_now():
    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())
    create_view()


class OlderClub:
    """A club whose games are written as the version before did."""

    def __init__(self, apps):
        get = {name: apps.get_model("tournaments", name) for name in NAMES}
        self.models, self.at = SimpleNamespace(**get), EVENING
        self.club = get["Club"].objects.create(name="Moda", slug="moda", created_at=EVENING)
        self.event = get["Event"].objects.create(
            club=self.club, name="Cuma", held_on=EVENING.date(), ruleset="turkish-king",
            created_at=EVENING, public_id="evening",
        )  # fmt: skip
        round_ = get["Round"].objects.create(event=self.event, number=1, opened_at=EVENING)
        self.table = get["Table"].objects.create(round=round_, number=1, public_id="table1")
        self.user = get["User"].objects.create(username="ada", first_name="Ada")
        self.number = 0

    def game(self, name, **fields):
        players = ["Ayşe", "Burak", "Cem", "Deniz"]
        return self.models.Game.objects.create(
            public_id=name, ruleset="turkish-king", players=players, played_at=EVENING, **fields
        )

    def write(self, game, kind, position, body, **more):
        """A revision, as it stands now."""
        self.at += timedelta(minutes=1)
        game.revision += 1
        game.save()
        return self.models.Revision.objects.create(
            game=game, revision=game.revision, key=f"key-{game.revision:05}", kind=kind,
            position=position, body=body, at=self.at, **more,
        )  # fmt: skip

    def note(self, write, stood, result="", numbered=True, **more):
        """The entry of a revision, with its place in the feed."""
        self.number += numbered
        after = {"position": write.position, "body": write.body}
        said = {
            "action": write.kind, "subject": f"game:{write.game.public_id}", "at": write.at,
            "reason": write.reason, "user": write.user, "event": self.event, "kind": "result",
            "before": {"position": write.position, "body": stood},
            "after": after | ({"result": result} if result else {}),
        }  # fmt: skip
        number = self.number if numbered else None
        return self.models.AuditEntry.objects.create(club=self.club, number=number, **said | more)


NAMES = (
    *("AuditEntry", "ChangeFeed", "Club", "Delivery", "Event", "Game", "Revision", "Round"),
    *("Table", "User", "Webhook"),
)


def write_older_lines(older):
    """Every kind of entry; the number of those that a revision says."""
    game = older.game("game1", table=older.table)
    # One key was given and rolled back.
    older.models.AuditEntry.objects.create(
        club=older.club, at=EVENING, kind="settings", action="change"
    ).delete()
    older.note(older.write(game, "entry", 0, FIRST), None, table="table1", address="192.0.2.7")
    other_way = older.write(game, "correction", 0, OTHER, user=older.user, reason="a slip")
    line = older.note(other_way, FIRST, result="corrected")
    webhook = older.models.Webhook.objects.create(
        club=older.club, url="https://example.org/", happenings=["result.entered"],
        created_at=EVENING,
    )  # fmt: skip
    older.models.Delivery.objects.create(
        webhook=webhook, line=line, happening="result.entered", body={}, next_at=EVENING,
        at=EVENING,
    )  # fmt: skip
    older.note(older.write(game, "withdrawal", 0, None), OTHER, address="2001:db8::1")
    older.note(older.write(game, "entry", 1, FIRST), None, result="entered", table="table1")
    # A setup: its names follow the players, those in the audit do not.
    setup = {"players": ["Ayşe", "Burak", "Cem", "Deniz"], "title": "Final"}
    older.note(older.write(game, "head", None, setup, before=setup), setup, table="table1")
    # Of another table, with another text than the sheet, of a game that is no more.
    older.note(older.write(game, "entry", 2, FIRST), None, table="table9")
    older.note(older.write(game, "correction", 2, OTHER, reason="…"), FIRST, reason="Ayşe")
    older.note(gone := older.write(older.game("gone"), "entry", 0, FIRST), None)
    gone.game.delete()
    older.models.AuditEntry.objects.create(
        club=older.club, at=EVENING, kind="player", action="rename", subject="player:1",
        number=older.number + 1, before={"name": "A"}, after={"name": "B"}, user=older.user,
    )  # fmt: skip
    older.models.ChangeFeed.objects.create(pk=1, last=older.number + 1)
    # Without a line, and one that is not numbered yet.
    older.write(older.game("open"), "entry", 0, FIRST)
    older.note(older.write(game, "entry", 3, OTHER), None, numbered=False, table="table1")
    return 5


def page_of(lines):
    club = Club.objects.get()
    return [
        (line.row.pk, line.kind, line.what, line.subject, line.who, line.changes)
        for line in read_lines(club, lines)
    ]


def test_audit_of_older_site_has_the_same_lines(older_site):
    older = OlderClub(older_site)
    said_twice = write_older_lines(older)
    old = list(older.models.AuditEntry.objects.order_by("-pk").values(*FIELDS))

    migrate_to_now()

    lines = AuditEntry.objects.order_by("-pk")
    assert list(lines.values(*FIELDS)) == old
    assert AuditRow.objects.count() == len(old) - said_twice
    people = {user.pk: user for user in User.objects.all()}
    rows = [
        SimpleNamespace(pk=each["id"], user=people.get(each["user_id"]), **each) for each in old
    ]
    assert page_of(list(lines)) == page_of(rows)
    assert Delivery.objects.get().line.after["result"] == "corrected"
    # The same by the page, which reads both tables, and the feed, which goes on.
    account = AccountFactory()
    Member.objects.create(club=Club.objects.get(), user=account, role="owner", joined_at=EVENING)
    client = Client()
    client.force_login(account)
    shown = client.get("/clubs/moda/changes/").context["lines"]
    assert [line.row.pk for line in shown] == [each["id"] for each in old]
    assert not ChangeFeed.number_new_lines()
    numbers = {each["id"]: each["number"] or len(old) for each in old}
    feed = AuditEntry.objects.followed_by(account).numbered(0, ChangeFeed.last_number())
    assert [line.pk for line in feed] == sorted(numbers, key=numbers.get)
    assert [line.number for line in feed] == sorted(numbers.values())
