"""Tournaments that have not begun take the tie-breaks of new ones; others keep those they have."""

from django.db import migrations


def take_new_tie_breaks(apps, schema_editor):
    rows = apps.get_model("tournaments", "Tournament").objects.all()
    waiting = rows.exclude(state__in=["running", "finished"])
    for row in waiting.only("settings").iterator():
        row.settings = {**row.settings, "tie_break_version": 2}
        row.save(update_fields=["settings"])


class Migration(migrations.Migration):
    dependencies = [
        ("tournaments", "0053_drawn_from"),
    ]

    operations = [
        migrations.RunPython(take_new_tie_breaks, migrations.RunPython.noop),
    ]
