"""Confirmations become entries of the audit themselves; their stored entries go.

A confirmation takes the key of its entry, so every entry keeps its place and its number. One that
has no entry, as after an import, gets a new key, from where all keys come now. An entry that says
anything else than its confirmation stays stored.
"""

from typing import Any

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

TAKE_ENTRIES = """
UPDATE tournaments_confirmation SET
    id = line.id, club_id = line.club_id, user_id = line.user_id, address = line.address,
    by_phone = (line."table" <> ''), player = {player}
FROM tournaments_auditentry line, tournaments_game game, tournaments_table at_table,
    tournaments_round round, tournaments_event event
WHERE game.id = tournaments_confirmation.game_id AND at_table.id = game.table_id
AND round.id = at_table.round_id AND event.id = round.event_id
AND line.club_id = event.club_id AND line.subject = 'game:' || game.public_id
AND line.kind = 'result' AND line.action = 'confirm' AND line.event_id = event.id
AND line."table" IN ('', at_table.public_id) AND line.at = tournaments_confirmation.at
AND line.before IS NULL AND line.reason = '' AND length({player}) <= 80
AND CAST({seat} AS integer) = tournaments_confirmation.seat
AND CAST({revision} AS integer) = tournaments_confirmation.revision
"""

PART = {"postgresql": "line.after ->> '{}'", "sqlite": "json_extract(line.after, '$.{}')"}

DROP_ENTRIES = """
DELETE FROM tournaments_auditentry
WHERE id IN (SELECT id FROM tournaments_confirmation WHERE club_id IS NOT NULL)
"""


def take_entries(apps: Any, schema_editor: Any) -> None:
    """Let confirmations be their entries (5 statements, and some for confirmations without)."""
    rows = apps.get_model("tournaments", "Confirmation").objects
    rows.filter(user__isnull=False).update(own=True)
    # Out of the way of the keys that others take.
    rows.filter(pk__gt=0).update(id=-models.F("id"))
    part = PART[schema_editor.connection.vendor]
    with schema_editor.connection.cursor() as cursor:
        names = ("player", "seat", "revision")
        cursor.execute(TAKE_ENTRIES.format(**{name: part.format(name) for name in names}))
        cursor.execute(DROP_ENTRIES)
    lines = apps.get_model("tournaments", "NewLine").objects
    while left := list(rows.filter(pk__lt=0).order_by("-pk").values_list("pk", flat=True)[:5000]):
        keys = lines.bulk_create(lines.model(told=False) for _ in left)
        for old, new in zip(left, keys, strict=True):
            rows.filter(pk=old).update(id=new.pk)


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0037_smaller_indexes'),
    ]

    operations = [
        migrations.AddField(
            model_name='confirmation',
            name='address',
            field=models.GenericIPAddressField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='confirmation',
            name='by_phone',
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name='confirmation',
            name='club',
            field=models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tournaments.club'),
        ),
        migrations.AddField(
            model_name='confirmation',
            name='own',
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name='confirmation',
            name='player',
            field=models.CharField(blank=True, max_length=80),
        ),
        migrations.AlterField(
            model_name='confirmation',
            name='user',
            field=models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='confirmations', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddIndex(
            model_name='confirmation',
            index=models.Index(condition=models.Q(('club__isnull', False)), fields=['club', 'id'], name='confirmation_of_club'),
        ),
        migrations.AddIndex(
            model_name='confirmation',
            index=models.Index(condition=models.Q(('user__isnull', False)), fields=['user'], name='confirmation_by_user'),
        ),
        # Last: PostgreSQL alters no table with rows that are yet to be checked.
        migrations.RunPython(take_entries),
    ]
