"""Rows of deals and of the audit become shorter.

Deals are stored without their type, and the ids of phones in a game keep their first 10 digits.
"""

from typing import Any

from django.db import migrations
from django.db.models.functions import Substr

import tournaments.models.fields

DEALS = ('{"type":"deal",', '{"type": "deal", ')
"""The beginnings of stored deals."""

LEAVE_TYPE_OUT = """
UPDATE tournaments_revision SET body = CAST('{{' || substr(CAST(body AS text), %s) AS {0})
WHERE CAST(body AS text) LIKE %s
"""


def shorten(apps: Any, schema_editor: Any) -> None:
    kind = "json" if schema_editor.connection.vendor == "postgresql" else "text"
    with schema_editor.connection.cursor() as cursor:
        for deal in DEALS:
            cursor.execute(LEAVE_TYPE_OUT.format(kind), [len(deal) + 1, f"{deal}%"])
    revisions = apps.get_model("tournaments", "Revision").objects
    revisions.exclude(phone="").update(phone=Substr("phone", 1, 10))
    for game in apps.get_model("tournaments", "Game").objects.exclude(phones=[]).iterator():
        for seat in game.phones:
            seat |= {name: seat[name][:10] for name in ("phone", "asks") if name in seat}
        game.save(update_fields=["phones"])


class Migration(migrations.Migration):
    dependencies = [
        ("tournaments", "0042_smaller_audit_index"),
    ]

    operations = [
        migrations.AlterField(
            model_name="revision",
            name="body",
            field=tournaments.models.fields.EntryField(null=True),
        ),
        migrations.AlterField(
            model_name="auditrow",
            name="before",
            field=tournaments.models.fields.WrittenJSONField(null=True),
        ),
        migrations.AlterField(
            model_name="auditrow",
            name="after",
            field=tournaments.models.fields.WrittenJSONField(null=True),
        ),
        migrations.RunPython(shorten),
    ]
