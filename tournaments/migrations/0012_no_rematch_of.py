from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("tournaments", "0011_tables_of_open_games"),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="game",
            name="game_one_rematch",
        ),
        migrations.RemoveField(
            model_name="game",
            name="rematch_of",
        ),
    ]
