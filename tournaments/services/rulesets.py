"""House rules: create from a document, change, remove.

Games hold a copy of their rules, so changes here do not affect them.
"""

from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.translation import gettext_lazy as _

from tournaments.engine.documents.ruleset_records import read_ruleset, write_ruleset
from tournaments.engine.rules.entries import clean_lines
from tournaments.engine.rules.rulesets import LONGEST_ID, Code, InvalidEntry, Problem
from tournaments.engine.variants import RULESETS
from tournaments.models import AuditEntry, Club, HouseRuleset
from tournaments.services.audit import Actor, Change, note_change
from tournaments.services.base.writes import ChangedMeanwhile, free_slugs

Document = dict[str, Any]


class StaleRules(ChangedMeanwhile):
    """The rules were changed meanwhile; `row` is the current state."""

    sentence = _("%(who)s has changed these rules meanwhile, so nothing is saved.")

    def __init__(self, row: HouseRuleset) -> None:
        self.row = row
        super().__init__(f'"{row.revision}"', {"who": row.author or _("Someone")})


def create_rules(
    document: Any, by: Actor, *, at: datetime, club: Club | None = None
) -> HouseRuleset:
    """Create house rules of a club, or of the server, with a slug made from their name.

    Raises: InvalidEntry: the document is invalid or has no name; nothing is written.
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
            # Two rules created at once with one name get a slug each.
            if not HouseRuleset.objects.filter(slug=slug).exists():
                raise
    raise AssertionError("there is always another slug")


def change_rules(
    rules_pk: int, document: Any, revision: int, by: Actor, *, at: datetime
) -> HouseRuleset:
    """Replace house rules seen at `revision` by `document`; their slug stays.

    Raises:
        InvalidEntry: as in `create_rules`.
        StaleRules: the rules were changed meanwhile.
        HouseRuleset.DoesNotExist: the rules were removed.
    """
    rules = _checked(document)
    with transaction.atomic():
        # The lock makes two saves at once queue up; the second sees the first.
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
    """Remove house rules; games that use them continue. Idempotent."""
    with transaction.atomic():
        row = HouseRuleset.objects.select_for_update().filter(pk=rules_pk).first()
        if row is not None:
            _note(row, row.document, {}, by, at=at)
            row.delete()


def _note(row: HouseRuleset, before: Document, after: Document, by: Actor, *, at: datetime) -> None:
    """Add an audit entry to the club of the rules; the server has no audit."""
    if row.club is None:
        return
    action = "change-rules" if before and after else "add-rules" if after else "remove-rules"
    # Of a long document, store only the parts that differ.
    parts = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    old, new = ({name: side.get(name) for name in parts} for side in (before, after))
    change = Change(AuditEntry.Kind.SETTINGS, action, f"rules:{row.slug}", old, new)
    note_change(row.club, change, by, at=at)


def _checked(document: Any) -> dict[str, Any]:
    """Return the document in its stored form.

    Raises: InvalidEntry: contains every problem.
    """
    rules: Document = clean_lines(write_ruleset(read_ruleset(document)))
    if not rules.get("name"):
        raise InvalidEntry([Problem(Code.MISSING_FIELD, "name", {"field": "name"})])
    return rules
