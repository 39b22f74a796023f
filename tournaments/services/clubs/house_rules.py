"""Keeping house rules: made from a document, changed, taken away.

Games that have begun hold a copy of their own, so that nothing here reaches them.
"""

from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction

from tournaments.engine.problems import Code, InvalidEntry, Problem
from tournaments.engine.ruleset_records import LONGEST_ID, read_ruleset, write_ruleset
from tournaments.engine.variants import RULESETS
from tournaments.models import AuditLine, Club, HouseRuleset
from tournaments.services.auditing import Actor, Change, note_change
from tournaments.services.slugs import free_slugs

Document = dict[str, Any]


class StaleRules(Exception):
    """Someone else has changed the rules meanwhile; `row` is how they stand now."""

    def __init__(self, row: HouseRuleset) -> None:
        self.row = row
        super().__init__(f"{row.slug} is at revision {row.revision}")


def create_rules(
    document: Any, by: Actor, *, at: datetime, club: Club | None = None
) -> HouseRuleset:
    """Keep new house rules of a club, or of the server, under a slug made of their name.

    Raises:
        InvalidEntry: the document cannot be read, or has no name; nothing is written.
    """
    rules = _checked(document)
    taken = {*RULESETS, *HouseRuleset.objects.values_list("slug", flat=True)}
    for slug in free_slugs(rules["name"], "house", LONGEST_ID, taken):
        try:
            with transaction.atomic():
                row = HouseRuleset.objects.create(
                    club=club,
                    slug=slug,
                    name=rules["name"],
                    document=rules | {"id": slug},
                    author=by.user,
                    changed_at=at,
                )
                _note(row, {}, row.document, by, at=at)
                return row
        except IntegrityError:
            # Two who choose a name at once get a slug each.
            if not HouseRuleset.objects.filter(slug=slug).exists():
                raise
    raise AssertionError("there is always another slug")


def change_rules(
    rules_pk: int, document: Any, revision: int, by: Actor, *, at: datetime
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
        row = HouseRuleset.objects.select_for_update().get(pk=rules_pk)
        if row.revision != revision:
            raise StaleRules(row)
        before, row.document = row.document, rules | {"id": row.slug}
        row.name, row.author, row.changed_at = rules["name"], by.user, at
        row.revision += 1
        row.save()
        _note(row, before, row.document, by, at=at)
        return row


def remove_rules(rules_pk: int, by: Actor, *, at: datetime) -> None:
    """Take house rules away; games that play them go on. Removing them twice is no error."""
    with transaction.atomic():
        row = HouseRuleset.objects.select_for_update().filter(pk=rules_pk).first()
        if row is not None:
            _note(row, row.document, {}, by, at=at)
            row.delete()


def _note(row: HouseRuleset, before: Document, after: Document, by: Actor, *, at: datetime) -> None:
    """Put a change into the audit of the club that keeps the rules; the server has none."""
    if row.club is None:
        return
    action = "change-rules" if before and after else "add-rules" if after else "remove-rules"
    # Of a long document only the parts that are others now.
    parts = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    old, new = ({name: side.get(name) for name in parts} for side in (before, after))
    change = Change(AuditLine.Kind.SETTINGS, action, f"rules:{row.slug}", old, new)
    note_change(row.club, change, by, at=at)


def _checked(document: Any) -> dict[str, Any]:
    """The document as it is kept.

    Raises:
        InvalidEntry: with every problem.
    """
    rules = write_ruleset(read_ruleset(document))
    if not rules.get("name"):
        raise InvalidEntry([Problem(Code.MISSING_FIELD, "name", {"field": "name"})])
    return rules
