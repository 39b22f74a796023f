"""The rulesets that games are played by: those of the program, and house rules as rows."""

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from django.db import models

from tournaments.engine.ruleset_records import read_ruleset, write_ruleset
from tournaments.engine.rulesets import Ruleset
from tournaments.engine.variants import RULESETS
from tournaments.models import Club, Game, HouseRuleset, Visitor


def ruleset_of(row: Game) -> Ruleset:
    """The ruleset a table plays, with its options."""
    return rules_of(row).with_options(row.options)


def rules_of(row: Game) -> Ruleset:
    """The ruleset a table plays, before its options: for house rules the one it began with."""
    return RULESETS[row.ruleset] if row.document is None else parsed_ruleset(row.document)


def offered_rulesets(user: Visitor = None) -> list[tuple[str, Ruleset]]:
    """What a visitor can play, by id (1 query).

    First the games of the program, then the house rules of the server and of the visitor's clubs.
    """
    return _after_the_program(HouseRuleset.objects.offered_to(user))


def rulesets_of_club(club: Club) -> list[tuple[str, Ruleset]]:
    """What is played at the evenings of a club, in the order of `offered_rulesets` (1 query).

    Not what other clubs of its director play.
    """
    return _after_the_program(HouseRuleset.objects.played_in(club))


def find_ruleset(ruleset_id: str, user: Visitor = None) -> Ruleset | None:
    """A ruleset of the program, or house rules as they stand now; None where there are neither.

    House rules of a club are there for its members only.
    """
    return _found(ruleset_id, HouseRuleset.objects.offered_to(user))


def find_ruleset_of_club(ruleset_id: str, club: Club) -> Ruleset | None:
    """One of `rulesets_of_club`; None where it is none of them."""
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
    """What a game keeps of house rules; None for a ruleset of the program."""
    if ruleset is None or ruleset.id in RULESETS:
        return None
    return write_ruleset(ruleset)


def parsed_ruleset(document: Mapping[str, Any]) -> Ruleset:
    """The ruleset of a document that was checked when it was stored."""
    return _parsed(json.dumps(document, sort_keys=True))


@lru_cache(maxsize=256)
def _parsed(text: str) -> Ruleset:
    return read_ruleset(json.loads(text))
