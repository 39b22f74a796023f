"""Results from paper, and past results known by their totals, become one entry each.

They were an adjustment for each side and an entry that stopped the game; corrections of a line become
versions of the totals. Points, results and digests stay as they are. What says anything else stays as
it was written, and so do sheets in the file of an archived partition.
"""

import json
from functools import lru_cache
from typing import Any

from django.db import migrations

from tournaments.engine.documents.games import as_one_entry
from tournaments.engine.documents.ruleset_records import read_ruleset
from tournaments.engine.rules.rulesets import InvalidEntry
from tournaments.engine.rules.scoring import sums_of
from tournaments.engine.variants import RULESETS

BATCH = 500
WRITE = ("revision", "kind", "position", "body", "key", "at")


@lru_cache(maxsize=256)
def rules_and_sum(name: str, document: str, options: str) -> Any:
    """Return a ruleset with its options, and the sum of its whole games; None if it is unknown."""
    try:
        house = json.loads(document)
        rules = RULESETS.get(name) if house is None else read_ruleset(house)
        rules = rules and rules.with_options(json.loads(options))
    except InvalidEntry:
        return None
    return rules and (rules, sums_of(rules).game)


def convert(apps: Any, schema_editor: Any) -> None:
    """Convert the games without a deal, in batches (7 queries each)."""
    games = apps.get_model("tournaments", "Game").objects.filter(result__contracts={})
    last = 0
    while batch := list(games.filter(pk__gt=last).order_by("pk")[:BATCH]):
        last = batch[-1].pk
        convert_batch(apps, batch)


def convert_batch(apps: Any, batch: list[Any]) -> None:
    revisions = apps.get_model("tournaments", "Revision").objects
    confirmations = apps.get_model("tournaments", "Confirmation").objects
    stood: dict[int, list[Any]] = {row.pk: [] for row in batch}
    for row in revisions.filter(game__in=stood).order_by("revision"):
        stood[row.game_id].append(row)
    converted = {}
    for game in batch:
        known = rules_and_sum(game.ruleset, json.dumps(game.document), json.dumps(game.options))
        by_revision = {row.revision: row for row in stood[game.pk]}
        writes = [{name: getattr(row, name) for name in WRITE} for row in stood[game.pk]]
        one = known and as_one_entry(writes, *known)
        if one is None or game.revision != len(writes):
            continue
        converted[game.pk] = one
        game.revision -= one.fewer
        kept = []
        for write in one.writes:
            number = write["revision"]
            # The last of the lines ended the game, and is the one that the audit shows so.
            row = by_revision[number if number < one.first else number + one.fewer]
            for name in WRITE:
                setattr(row, name, write[name])
            kept.append(row)
        stood[game.pk] = kept
    if not converted:
        return
    confirmed = list(confirmations.filter(game__in=converted))
    for row in confirmed:
        row.revision = converted[row.game_id].revision_now(row.revision)
    # Renumbering them in place would meet numbers that are still taken.
    revisions.filter(game__in=converted).delete()
    revisions.bulk_create([row for pk in converted for row in stood[pk]], batch_size=BATCH)
    confirmations.filter(game__in=converted).delete()
    confirmations.bulk_create(confirmed, batch_size=BATCH)
    rows = [game for game in batch if game.pk in converted]
    type(rows[0]).objects.bulk_update(rows, ["revision"])


class Migration(migrations.Migration):
    dependencies = [
        ("tournaments", "0047_clean_lines"),
    ]

    operations = [
        migrations.RunPython(convert, migrations.RunPython.noop),
    ]
