from importlib import import_module
from types import SimpleNamespace

import pytest
from django.apps import apps
from django.db import connection, transaction

from tests.club_factories import AccountFactory, AuditEntryFactory, TableFactory
from tests.deals import WHOLE_GAME
from tests.factories import EVENING
from tournaments.models import AuditEntry, AuditRow, Confirmation, Revision
from tournaments.services.audit import Actor
from tournaments.services.games.playing import confirm_result

MIGRATION = import_module("tournaments.migrations.0038_confirmations_as_entries")

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "change",
    [
        lambda line: line.save(),
        lambda line: line.save(update_fields=["reason"]),
        lambda line: line.delete(),
        lambda line: AuditEntry.objects.update(reason="another"),
        lambda line: AuditEntry.objects.filter(pk=line.pk).delete(),
        lambda line: AuditEntry.objects.bulk_update([line], ["reason"]),
        lambda line: AuditEntry.objects.update_or_create(
            pk=line.pk, defaults={"reason": "another"}
        ),
        lambda line: line.club.audit_lines.all().delete(),
        lambda line: line.club.audit_lines.update(reason="another"),
    ],
)
def test_line_is_neither_changed_nor_deleted(change):
    line = AuditEntryFactory(reason="because")
    line.reason = "another"

    with pytest.raises(TypeError, match="never"), transaction.atomic():
        change(line)

    assert AuditEntry.objects.get().reason == "because"


def test_line_stays_when_its_account_goes():
    account = AccountFactory()
    AuditEntryFactory(user=account)

    account.delete()

    assert AuditEntry.objects.get().user is None


def lines():
    return list(AuditEntry.objects.order_by("pk").values())


def confirmed_game(**by):
    game = TableFactory(entries=WHOLE_GAME).games.get()
    for seat in (0, 2):
        confirm_result(game.pk, seat, 20, Actor(**by), at=EVENING)
    return game


def test_revision_and_confirmation_are_not_stored_a_second_time():
    game = confirmed_game()

    assert AuditEntry.objects.filter(kind="result").count() == 22
    assert AuditEntry.objects.about([f"game:{game.public_id}"]).count() == 22
    assert not AuditRow.objects.exists()


def test_stored_entries_of_confirmations_are_given_up_and_read_as_before():
    phone, account = {"table": "t", "address": "192.0.2.7"}, {"user": AccountFactory()}
    for game in (confirmed_game(**phone), confirmed_game(**account)):
        AuditRow.keep_lines(game=game, revision=20)
        game.confirmations.update(user=None)
    # Such as an import leaves, and an entry of which nothing else tells.
    Confirmation.objects.create(game=game, seat=3, revision=20, at=EVENING)
    AuditEntryFactory(action="confirm", after={"seat": 0, "player": "Ayşe", "revision": 7})
    before = lines()

    MIGRATION.take_entries(apps, SimpleNamespace(connection=connection))

    told = [line for line in before if line["action"] == "confirm"]
    assert [line["stored"] for line in told] == [True] * 5
    assert lines() == [
        {**line, "stored": line["stored"] and line not in told[:4]} for line in before
    ]
    assert Confirmation.objects.filter(club=None).count() == 1


def test_lines_stay_when_their_game_is_deleted():
    game = confirmed_game()
    before = [{**line, "stored": True} for line in lines()]

    game.delete()

    assert lines() == before


def test_name_is_taken_out_of_a_line_and_not_off_the_sheet():
    TableFactory(entries=WHOLE_GAME[:2])
    first, second = lines()

    AuditEntry.objects.filter(pk=first["id"]).take_out_name(
        lambda value: "late" if value == "" else value
    )

    changed = {**first, "reason": "late", "stored": True}
    assert lines() == [changed, second]
    assert set(Revision.objects.values_list("reason", flat=True)) == {""}


def test_name_is_taken_out_of_a_confirmation():
    name = confirmed_game().players[2]

    AuditEntry.objects.filter(action="confirm").take_out_name(
        lambda value: {**value, "player": "late"} if value and value["player"] == name else value
    )

    said = (
        AuditEntry.objects.filter(action="confirm").order_by("pk").values_list("after", flat=True)
    )
    assert [each["player"] == "late" for each in said] == [False, True]
    assert not Confirmation.objects.filter(player=name).exists()
