"""The rulesets of games: built-in ones, and house rules as rows."""

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from django.db import models

from tournaments.engine.documents.ruleset_records import read_ruleset, write_ruleset
from tournaments.engine.rules.rulesets import Ruleset
from tournaments.engine.variants import RULESETS
from tournaments.models import Club, HouseRuleset, Visitor


def offered_rulesets(user: Visitor = None) -> list[tuple[str, Ruleset]]:
    """Return the rulesets a visitor can play, by id (1 query).

    Built-in rulesets come first, then the house rules of the server and of the visitor's clubs.
    """
    return _after_the_program(HouseRuleset.objects.offered_to(user))


def rulesets_of_club(club: Club) -> list[tuple[str, Ruleset]]:
    """Return the rulesets of a club's evenings, in the order of `offered_rulesets` (1 query).

    They do not include those of its director's other clubs.
    """
    return _after_the_program(HouseRuleset.objects.played_in(club))


def find_ruleset(ruleset_id: str, user: Visitor = None) -> Ruleset | None:
    """Return a built-in ruleset or the current house rules; None if there are neither.

    House rules of a club are visible to its members only.
    """
    return _found(ruleset_id, HouseRuleset.objects.offered_to(user))


def find_ruleset_of_club(ruleset_id: str, club: Club) -> Ruleset | None:
    """Return one of `rulesets_of_club`, or None."""
    return _found(ruleset_id, HouseRuleset.objects.played_in(club))


def _after_the_program(rows: models.QuerySet[HouseRuleset]) -> list[tuple[str, Ruleset]]:
    documents = rows.order_by("slug").values_list("slug", "document")
    return [*RULESETS.items(), *((slug, parsed_ruleset(document)) for slug, document in documents)]


def _found(ruleset_id: str, rows: models.QuerySet[HouseRuleset]) -> Ruleset | None:
    if ruleset_id in RULESETS or "\0" in ruleset_id:
        return RULESETS.get(ruleset_id)
    row = rows.filter(slug=ruleset_id).first()
    return None if row is None else parsed_ruleset(row.document)


def house_document(ruleset: Ruleset | None) -> dict[str, Any] | None:
    """Return the house rules as the document that a game keeps; None for a built-in ruleset."""
    if ruleset is None or ruleset.id in RULESETS:
        return None
    return write_ruleset(ruleset)


def parsed_ruleset(document: Mapping[str, Any]) -> Ruleset:
    """Return the ruleset of a document that was checked when it was stored."""
    return _parsed(json.dumps(document, sort_keys=True))


@lru_cache(maxsize=256)
def _parsed(text: str) -> Ruleset:
    return read_ruleset(json.loads(text))
