"""A line of the audit is added, and then it stays."""

import pytest
from django.db import transaction

from tests.club_factories import AccountFactory, AuditLineFactory
from tournaments.models import AuditLine

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "change",
    [
        lambda line: line.save(),
        lambda line: line.save(update_fields=["reason"]),
        lambda line: line.delete(),
        lambda line: AuditLine.objects.update(reason="another"),
        lambda line: AuditLine.objects.filter(pk=line.pk).delete(),
        lambda line: AuditLine.objects.bulk_update([line], ["reason"]),
        lambda line: AuditLine.objects.update_or_create(pk=line.pk, defaults={"reason": "another"}),
        lambda line: line.club.audit_lines.all().delete(),
        lambda line: line.club.audit_lines.update(reason="another"),
    ],
)
def test_line_is_neither_changed_nor_deleted(change):
    line = AuditLineFactory(reason="because")
    line.reason = "another"

    with pytest.raises(TypeError, match="never"), transaction.atomic():
        change(line)

    assert AuditLine.objects.get().reason == "because"


def test_line_added_under_the_number_of_another_takes_not_its_place():
    line = AuditLineFactory(reason="because")
    again = AuditLine(pk=line.pk, club=line.club, at=line.at, kind="settings", action="change")

    with pytest.raises(Exception, match=r"(?i)unique"):
        again.save()


def test_line_stays_when_its_account_goes():
    account = AccountFactory()
    AuditLineFactory(user=account)

    account.delete()

    assert AuditLine.objects.get().user is None
