import pytest
from django.db import connection, transaction

from tests.club_factories import AccountFactory, AuditEntryFactory, TableFactory
from tests.deals import WHOLE_GAME
from tournaments.models import AuditEntry, AuditRow, Revision

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


def test_line_added_under_the_number_of_another_takes_not_its_place():
    line = AuditEntryFactory(reason="because")
    again = AuditEntry(pk=line.pk, club=line.club, at=line.at, kind="settings", action="change")

    with pytest.raises(Exception, match=r"(?i)unique"):
        again.save()


def test_line_stays_when_its_account_goes():
    account = AccountFactory()
    AuditEntryFactory(user=account)

    account.delete()

    assert AuditEntry.objects.get().user is None


def lines():
    return list(AuditEntry.objects.order_by("pk").values())


def test_revision_is_not_stored_a_second_time():
    table = TableFactory(entries=WHOLE_GAME)

    assert AuditEntry.objects.filter(kind="result").count() == 20
    assert AuditEntry.objects.about([f"game:{table.games.get().public_id}"]).count() == 20
    assert not AuditRow.objects.exists()


def test_lines_stay_when_their_game_is_deleted():
    game = TableFactory(entries=WHOLE_GAME).games.get()
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


def test_page_is_read_in_order_of_both_tables():
    rows = AuditEntry.objects.filter(club=1).order_by("-pk")[:30]
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL enable_seqscan = off")
            cursor.execute("SET LOCAL enable_sort = off")

    plan = rows.explain()

    # Both would read and sort all lines of a club if the types of one column differed.
    assert "Merge Append" in plan or "MERGE (UNION ALL)" in plan
