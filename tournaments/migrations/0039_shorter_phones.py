"""The ids of phones in a game, stored with each of its revisions, keep their first 16 digits."""

from typing import Any

from django.db import migrations
from django.db.models.functions import Substr


def shorten(apps: Any, _schema_editor: Any) -> None:
    revisions = apps.get_model("tournaments", "Revision").objects
    revisions.exclude(phone="").update(phone=Substr("phone", 1, 16))
    for game in apps.get_model("tournaments", "Game").objects.exclude(phones=[]).iterator():
        for seat in game.phones:
            seat |= {name: seat[name][:16] for name in ("phone", "asks") if name in seat}
        game.save(update_fields=["phones"])


class Migration(migrations.Migration):
    dependencies = [
        ("tournaments", "0038_confirmations_as_entries"),
    ]

    operations = [migrations.RunPython(shorten, migrations.RunPython.noop)]
