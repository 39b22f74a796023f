"""A change of a rating has its game and its rating as its key, and no number of its own."""

from typing import Any

from django.db import migrations, models


def make_anew(apps: Any, schema_editor: Any) -> None:
    """Make the table again: Django cannot change a key to one of two columns.

    PostgreSQL would also keep the place of a dropped column in each row. The indexes of the new
    table are made at the end of the migration.
    """
    model = apps.get_model("tournaments", "RatingChange")
    table = model._meta.db_table
    columns = ", ".join(field.column for field in model._meta.local_concrete_fields)
    schema_editor.execute(f"CREATE TEMPORARY TABLE kept AS SELECT * FROM {table}")
    schema_editor.execute(f"DROP TABLE {table}")
    schema_editor.create_model(model)
    schema_editor.execute(f"INSERT INTO {table} ({columns}) SELECT {columns} FROM kept ORDER BY id")
    schema_editor.execute("DROP TABLE kept")


class Migration(migrations.Migration):
    dependencies = [
        ("tournaments", "0043_shorter_rows"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RemoveConstraint("ratingchange", "rating_change_one_per_game"),
                migrations.RemoveField("ratingchange", "id"),
                migrations.AddField(
                    "ratingchange",
                    "pk",
                    models.CompositePrimaryKey(
                        "game", "rating", blank=True, editable=False, primary_key=True,
                        serialize=False,
                    ),
                ),
            ]
        ),
        migrations.RunPython(make_anew),
    ]
