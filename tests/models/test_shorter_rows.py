from importlib import import_module
from types import SimpleNamespace

import pytest
from django.apps import apps
from django.db import connection

from tests.club_factories import TableFactory
from tests.deals import WHOLE_GAME
from tests.factories import RevisionFactory
from tournaments.models import AuditEntry, Revision
from tournaments.models.games import digest

SHORTEN = ("0039_shorter_phones", "0043_shorter_rows")


def shorten(name):
    migration = import_module(f"tournaments.migrations.{name}")
    migration.shorten(apps, SimpleNamespace(connection=connection))


def stored():
    with connection.cursor() as cursor:
        cursor.execute("SELECT CAST(body AS text) FROM tournaments_revision ORDER BY revision")
        return [body for (body,) in cursor.fetchall()]


def store(body, revision):
    kind = "json" if connection.vendor == "postgresql" else "text"
    with connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE tournaments_revision SET body = CAST(%s AS {kind}) WHERE revision = %s",
            [body, revision],
        )


@pytest.mark.django_db
@pytest.mark.parametrize(("migration", "digits"), [(SHORTEN[0], 16), (SHORTEN[1], 10)])
def test_phones_of_before_are_known_by_their_first_digits(migration, digits):
    game = TableFactory(entries=WHOLE_GAME[:2]).games.get()
    phone, other = digest("a phone"), digest("another")
    seat = {"name": "Ayşe", "phone": phone, "asks": other, "since": 1.5}
    game.revisions.filter(revision=2).update(phone=phone)
    game.phones = [seat]
    game.save()

    shorten(migration)

    game.refresh_from_db()
    assert game.phones == [seat | {"phone": phone[:digits], "asks": other[:digits]}]
    assert list(Revision.objects.values_list("phone", flat=True)) == ["", phone[:digits]]


@pytest.mark.django_db
@pytest.mark.parametrize("space", ["", " "])
def test_deals_are_stored_without_their_type_and_read_with_it(space):
    stopped = {"type": "stopped", "reason": "time"}
    game = TableFactory(entries=[*WHOLE_GAME[:2], stopped]).games.get()
    setup = {"players": game.players, "first_declarer": 1}
    club = game.table.round.event.club
    for revision, (kind, position, body) in enumerate(
        [("correction", 0, WHOLE_GAME[2]), ("withdrawal", 1, None), ("head", None, setup)], 4
    ):
        RevisionFactory(
            game=game, revision=revision, kind=kind, position=position, body=body, club=club
        )
    now, bodies = stored(), list(game.revisions.values_list("body", flat=True))
    lines = list(AuditEntry.objects.order_by("pk").values("action", "before", "after"))
    assert bodies == [*WHOLE_GAME[:2], stopped, WHOLE_GAME[2], None, setup]
    assert [line["after"]["body"] for line in lines] == bodies
    assert [line["before"]["body"] for line in lines] == [None] * 3 + [*WHOLE_GAME[:2], None]
    for revision, body in enumerate(now[:2], 1):
        store(f'{{"type":{space}"deal",{space}' + body[1:], revision)

    shorten(SHORTEN[1])

    assert stored() == now
    assert not any("deal" in (body or "") for body in now)
    assert list(game.revisions.values_list("body", flat=True)) == bodies
    assert list(AuditEntry.objects.order_by("pk").values("action", "before", "after")) == lines
