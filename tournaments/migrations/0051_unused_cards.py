"""Each card of a deleted table has a row: an unknown address no longer reads all tournaments."""

from typing import Any

import django.db.models.deletion
from django.db import migrations, models


def copy_cards(apps: Any, _schema_editor: Any) -> None:
    """Make a row of each card in the documents of tournaments."""
    card = apps.get_model("tournaments", "UnusedCard")
    rows = apps.get_model("tournaments", "Tournament").objects.exclude(cards={})
    for pk, rounds in rows.values_list("pk", "cards").iterator():
        card.objects.bulk_create(
            [
                card(tournament_id=pk, round=int(number), number=int(table), **fields)
                for number, tables in rounds.items()
                for table, fields in tables.items()
            ],
            batch_size=500,
        )


class Migration(migrations.Migration):
    dependencies = [
        ("tournaments", "0050_folded_addresses"),
    ]

    operations = [
        migrations.CreateModel(
            name="UnusedCard",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("round", models.PositiveSmallIntegerField()),
                ("number", models.PositiveSmallIntegerField()),
                ("public_id", models.CharField(max_length=16)),
                ("generation", models.PositiveIntegerField(default=1)),
                ("wrong_codes", models.PositiveSmallIntegerField(default=0)),
                (
                    "tournament",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="unused_cards",
                        to="tournaments.tournament",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("public_id",), name="unused_card_one_per_public_id"
                    ),
                    models.UniqueConstraint(
                        fields=("tournament", "round", "number"), name="unused_card_one_per_place"
                    ),
                ],
            },
        ),
        migrations.RunPython(copy_cards, migrations.RunPython.noop),
    ]
