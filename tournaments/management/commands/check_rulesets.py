"""List what other rules of a new version change."""

from typing import Any

from django.core.management.base import BaseCommand

from tournaments.engine.documents.ruleset_records import read_ruleset
from tournaments.engine.rules.rulesets import InvalidEntry
from tournaments.models import HouseRuleset
from tournaments.services.games.tables import UNFIT, differing_results


class Command(BaseCommand):
    """`manage.py check_rulesets`: house rules and finished games that are not what they were."""

    help = (
        "List the house rules that this version refuses, and the finished games whose points it"
        " changes. It changes nothing; rebuild_results takes the new points over."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        refused = changed = 0
        for rules in HouseRuleset.objects.order_by("slug"):
            try:
                read_ruleset(rules.document)
            except InvalidEntry as error:
                refused += 1
                self.stdout.write(f"house rules {rules.slug}: {error}")
        for row, result in differing_results():
            if row.result is None or result in (None, UNFIT):
                continue
            before, after = ("/".join(map(str, each["totals"])) for each in (row.result, result))
            if before != after:
                changed += 1
                place = f"game {row.public_id}, {row.ruleset}, {row.played_at:%Y-%m-%d}"
                self.stdout.write(f"{place}: {before} becomes {after}")
        self.stdout.write(f"{refused} house rules refused, {changed} finished games changed")
