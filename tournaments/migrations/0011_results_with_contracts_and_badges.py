"""Games finished before also say what each seat earned in each contract, and the badges."""

from django.db import migrations

from tournaments.engine.badges import award
from tournaments.engine.earnings import write_badges, write_earned
from tournaments.engine.games import Game
from tournaments.engine.problems import InvalidEntry
from tournaments.engine.records import play_record
from tournaments.engine.ruleset_records import read_ruleset
from tournaments.engine.variants import RULESETS

AT_ONCE = 500
ADDED = ("contracts", "badges")


def add(apps, schema_editor):
    """Add to the result of each finished game what its entries give."""
    writes = apps.get_model("tournaments", "Write").objects.using(schema_editor.connection.alias)
    for rows in _portions(apps, schema_editor):
        bodies = {row.pk: {} for row in rows}
        entries = writes.filter(game__in=list(bodies), position__isnull=False)
        order = entries.order_by("game_id", "revision")
        for game, position, body in order.values_list("game_id", "position", "body"):
            bodies[game][position] = body
        for row in rows:
            row.result = {**row.result, **_told(row, bodies[row.pk])}
        _games(apps, schema_editor).bulk_update(rows, ["result"])


def take_away(apps, schema_editor):
    """Leave what results had before."""
    for rows in _portions(apps, schema_editor):
        for row in rows:
            row.result = {name: value for name, value in row.result.items() if name not in ADDED}
        _games(apps, schema_editor).bulk_update(rows, ["result"])


def _games(apps, schema_editor):
    return apps.get_model("tournaments", "Game").objects.using(schema_editor.connection.alias)


def _portions(apps, schema_editor):
    """The finished games, some at a time: a club's of years need not fit into memory at once."""
    last = 0
    finished = _games(apps, schema_editor).filter(result__isnull=False).order_by("pk")
    while rows := list(finished.filter(pk__gt=last)[:AT_ONCE]):
        yield rows
        last = rows[-1].pk


def _told(row, bodies):
    """What the entries that stand give; nothing where they do not fit, as no service leaves them.

    `rebuild_results --check` names such a game.
    """
    rules = RULESETS[row.ruleset] if row.document is None else read_ruleset(row.document)
    try:
        game = Game(rules.with_options(row.options), row.first_declarer)
        for _, body in sorted(bodies.items()):
            if body is not None:
                game = play_record(game, body)
    except InvalidEntry:
        return {}
    badges = award(game)
    return {
        "contracts": write_earned(game),
        "badges": write_badges(badges, game.ruleset.side_count),
    }


class Migration(migrations.Migration):

    dependencies = [
        ("tournaments", "0010_ratings"),
    ]

    operations = [migrations.RunPython(add, take_away, elidable=True)]
