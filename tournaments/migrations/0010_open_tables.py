from django.db import migrations, models
from django.db.models import Q

import tournaments.models.addresses


class Migration(migrations.Migration):
    dependencies = [
        ("tournaments", "0009_line_ups"),
    ]

    operations = [
        migrations.CreateModel(
            name="OpenTable",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "public_id",
                    models.CharField(
                        default=tournaments.models.addresses.new_public_id,
                        max_length=16,
                        unique=True,
                    ),
                ),
                ("generation", models.PositiveIntegerField(default=1)),
                ("created_at", models.DateTimeField()),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=Q(generation__gte=1), name="open_table_generation_from_one"
                    )
                ],
            },
        ),
        migrations.AddField(
            model_name="game",
            name="number",
            field=models.PositiveSmallIntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="game",
            name="open_table",
            field=models.ForeignKey(
                blank=True,
                db_index=False,
                null=True,
                on_delete=models.PROTECT,
                related_name="games",
                to="tournaments.opentable",
            ),
        ),
        migrations.AddConstraint(
            model_name="game",
            constraint=models.UniqueConstraint(
                fields=("open_table", "number"), name="game_one_per_number_at_table"
            ),
        ),
        migrations.AddConstraint(
            model_name="game",
            constraint=models.CheckConstraint(
                condition=Q(
                    Q(("number__isnull", True), ("open_table__isnull", True)),
                    Q(("number__gte", 1), ("number__isnull", False), ("open_table__isnull", False)),
                    _connector="OR",
                ),
                name="game_number_at_its_table",
            ),
        ),
    ]
