"""Keeping house rules: made from a document, changed, taken away.

Games that have begun hold a copy of their own, so that nothing here reaches them.
"""

from contextlib import suppress
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction

from tournaments.engine.problems import Code, InvalidEntry, Problem
from tournaments.engine.ruleset_records import LONGEST_ID, read_ruleset, write_ruleset
from tournaments.engine.variants import RULESETS
from tournaments.models import HouseRuleset, User
from tournaments.services.slugs import free_slugs


class StaleRules(Exception):
    """Someone else has changed the rules meanwhile; `row` is how they stand now."""

    def __init__(self, row: HouseRuleset) -> None:
        self.row = row
        super().__init__(f"{row.slug} is at revision {row.revision}")


def create_rules(document: Any, author: User, *, at: datetime) -> HouseRuleset:
    """Keep new house rules, under a slug made of their name.

    Raises:
        InvalidEntry: the document cannot be read, or has no name; nothing is written.
    """
    rules = _checked(document)
    taken = {*RULESETS, *HouseRuleset.objects.values_list("slug", flat=True)}
    for slug in free_slugs(rules["name"], "house", LONGEST_ID, taken):
        # Two who choose a name at once get a slug each.
        with suppress(IntegrityError), transaction.atomic():
            return HouseRuleset.objects.create(
                slug=slug,
                name=rules["name"],
                document=rules | {"id": slug},
                author=author,
                changed_at=at,
            )
    raise AssertionError("there is always another slug")


def change_rules(
    slug: str, document: Any, revision: int, author: User, *, at: datetime
) -> HouseRuleset:
    """Put `document` in the place of house rules seen at `revision`; their slug stays.

    Raises:
        InvalidEntry: as in `create_rules`.
        StaleRules: they have been changed meanwhile.
        HouseRuleset.DoesNotExist: they were taken away.
    In each case nothing is written.
    """
    rules = _checked(document)
    with transaction.atomic():
        # The lock makes two who save at once queue up; the second is told of the first.
        row = HouseRuleset.objects.select_for_update().get(slug=slug)
        if row.revision != revision:
            raise StaleRules(row)
        row.name, row.document = rules["name"], rules | {"id": slug}
        row.author, row.changed_at = author, at
        row.revision += 1
        row.save()
        return row


def remove_rules(slug: str) -> None:
    """Take house rules away; games that play them go on. Removing them twice is no error."""
    HouseRuleset.objects.filter(slug=slug).delete()


def _checked(document: Any) -> dict[str, Any]:
    """The document as it is kept.

    Raises:
        InvalidEntry: with every problem.
    """
    rules = write_ruleset(read_ruleset(document))
    if not rules.get("name"):
        raise InvalidEntry([Problem(Code.MISSING_FIELD, "name", {"field": "name"})])
    return rules
