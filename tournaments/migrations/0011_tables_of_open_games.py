"""Give each open game a table: one for a chain of rematches with the games of its matches."""

from collections import Counter

from django.db import migrations

BATCH = 500


def give_tables(apps, schema_editor):
    Game = apps.get_model("tournaments", "Game")
    OpenTable = apps.get_model("tournaments", "OpenTable")
    tables, of_match, numbers, batch = {}, {}, Counter(), []
    # A rematch is always younger than the game before it.
    games = Game.objects.filter(table=None).only("rematch_of", "match", "played_at").order_by("pk")
    for game in list(games):
        table = tables.get(game.rematch_of_id) or of_match.get(game.match_id)
        if table is None:
            table = OpenTable.objects.create(created_at=game.played_at).pk
        tables[game.pk] = table
        if game.match_id is not None:
            of_match[game.match_id] = table
        numbers[table] += 1
        game.open_table_id, game.number = table, numbers[table]
        batch.append(game)
        if len(batch) == BATCH:
            Game.objects.bulk_update(batch, ["open_table", "number"])
            batch.clear()
    Game.objects.bulk_update(batch, ["open_table", "number"])


class Migration(migrations.Migration):
    dependencies = [
        ("tournaments", "0010_open_tables"),
    ]

    operations = [migrations.RunPython(give_tables, migrations.RunPython.noop)]
