"""The rulesets of games, and a game's state as JSON, with which a browser checks and adds up."""

import json
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from django.db import models

from tournaments.engine.documents.ruleset_records import read_ruleset, write_ruleset
from tournaments.engine.play.games import Choice, Game, find_roles
from tournaments.engine.rules.entries import write_points
from tournaments.engine.rules.fields import fields_of, trumps_of
from tournaments.engine.rules.rulesets import (
    UNITS,
    Code,
    Contract,
    Ruleset,
    cards_of,
    find_parts,
    share_cards,
)
from tournaments.engine.rules.scoring import deal_sum
from tournaments.engine.variants import RULESETS
from tournaments.models import Club, HouseRuleset, Visitor
from tournaments.texts import labels


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
    return _parsed(json.dumps(document, sort_keys=True))


@lru_cache(maxsize=256)
def _parsed(text: str) -> Ruleset:
    return read_ruleset(json.loads(text), stored=True)


HONOURS = cards_of(("hearts",), ("J", "Q", "K"))


def describe(ruleset: Ruleset) -> dict[str, Any]:
    """Return a ruleset, with the options of its table, as plain JSON values.

    The server decides which entries are valid; a browser can predict most of it from this. Points
    are integers, or `"p/q"` if they are not whole.
    """
    units = dict.fromkeys(unit for c in ruleset.contracts for unit in c.values)
    units |= dict.fromkeys(ruleset.all_units)
    shared = share_cards(ruleset.dealt, tuple(units))
    return {
        "format": "kingscore-description/1",
        "id": ruleset.id,
        "family": ruleset.family,
        "name": ruleset.name,
        "seats": ruleset.seats,
        "sides": list(ruleset.sides),
        "clockwise": ruleset.clockwise,
        "tricks": ruleset.hand_tricks,
        "deals": ruleset.length,
        "target": ruleset.target,
        "in_a_row": ruleset.in_a_row,
        "declares": ruleset.declares,
        "passes": ruleset.passes,
        "quotas": dict(ruleset.side_quotas),
        "stages": [{"deals": s.deals, "contracts": list(s.contracts)} for s in ruleset.stages],
        "all_units": list(ruleset.all_units),
        "steps": list(ruleset.steps),
        "settings": dict(ruleset.settings),
        "options": [
            {"setting": o.setting, "kind": o.kind, "values": list(o.values)}
            for o in ruleset.options
        ],
        "redeals": list(ruleset.redeals),
        "voids": list(ruleset.voids),
        # `total` is None if it is not fixed; `most` is the limit for one side.
        "units": {
            name: {
                "total": ruleset.units[name].total,
                "most": ruleset.units[name].most,
                "cards": bool(UNITS[name].cards),
            }
            for name in units
        },
        "contracts": [_contract(ruleset, contract) for contract in ruleset.contracts],
        "checks": {
            "within": {
                u: list(wholes) for u, wholes in find_parts(ruleset.tricks).items() if wholes
            },
            "cards_in_a_trick": ruleset.seats,
            "cards_left_over": ruleset.talon_cards,
            "honours_among_hearts": len(HONOURS & ruleset.dealt.cards) * ruleset.dealt.packs,
            "shared_cards": [list(units) for units, number in shared for _ in range(number)],
        },
    }


def next_deal(game: Game) -> dict[str, Any]:
    """Return the next declarer and the contracts left, as plain JSON values.

    `left` and `declared` have an object for each seat: how many contracts of each kind it still has
    to declare, and how often it has declared each contract.
    """
    seats = range(game.ruleset.seats)
    return {
        "deal": len(game.deals) + 1,
        "turns": game.turns,
        "declarer": game.declarer,
        "must": game.must,
        "stage": list(game.stage),
        "left": [game.left_to_declare(seat) for seat in seats],
        "declared": [declared_by(game, seat) for seat in seats],
    }


def declared_by(game: Game, seat: int) -> dict[str, int]:
    """Return how often a seat, with its partner, has declared each contract."""
    sides = game.ruleset.sides
    own = (played for played in game.deals if sides[played.declarer] == sides[seat])
    return dict(Counter(played.contract.id for played in own))


Duty = tuple[str, int]
"""What a player does in a deal, as a verb, and the seat."""


def duties_of(ruleset: Ruleset, contract: Contract, turn: int) -> list[Duty]:
    """Return who deals, cuts, names and leads in a deal in which it is the turn of this seat."""
    roles = find_roles(ruleset, contract, turn)
    names = [("names", roles.names)]
    if "offered" in ruleset.fields and roles.names is not None:
        partner = (roles.names + ruleset.side_count) % ruleset.seats
        names = [("offers", roles.names), ("chooses", partner)]
    duties = [("deals", roles.deals), ("cuts", roles.cuts), *names, ("leads", roles.leads)]
    found = [(str(labels.VERBS[does]), seat) for does, seat in duties if seat is not None]
    return found or [(str(labels.VERBS["starts"]), turn)]


def _roles(ruleset: Ruleset) -> dict[str, Any]:
    """Return the duties of each contract, in steps from the player on turn (`static/roles.js`).

    Most contracts of a game have the first.
    """
    duties = {contract.id: duties_of(ruleset, contract, 0) for contract in ruleset.contracts}
    different = [*{tuple(each): each for each in duties.values()}.values()]
    return {
        "duties": different,
        "of": {name: n for name, each in duties.items() if (n := different.index(each))},
        "deals": str(labels.VERBS["deals"]),
        "names": [str(labels.VERBS["names"]), str(labels.VERBS["offers"])],
        "buys": str(labels.VERBS["buys"]),
    }


def must_come_first(choice: Choice) -> str | None:
    """Return the contract that has to be played before this one, if any."""
    firsts = [p.params.get("first") for p in choice.problems if p.code == Code.OUT_OF_ORDER]
    return str(firsts[0]) if firsts else None


def _contract(ruleset: Ruleset, contract: Contract) -> dict[str, Any]:
    fixed = deal_sum(ruleset, contract)
    return {
        "id": contract.id,
        "name": contract.name,
        "kind": contract.kind,
        "named": contract.named,
        "declared": contract.declared,
        "scoring": contract.scoring,
        "values": {unit: write_points(points) for unit, points in contract.values.items()},
        "base": write_points(contract.base),
        "prizes": [write_points(prize) for prize in contract.prizes],
        "sum": None if fixed is None else write_points(fixed),
        "quota": contract.quota,
        "quota_each": contract.quota_each,
        "trumps": list(trumps_of(ruleset, contract)),
        "fields": list(fields_of(ruleset, contract)),
        "may_end_early": contract.may_end_early,
        "replay_one_each": contract.replay_one_each,
        "cappotto": contract.cappotto,
    }


def state_of(game: Game, players: list[str]) -> dict[str, Any]:
    """Return the game as far as a phone can continue it; the server decides later."""
    ruleset, seats = game.ruleset, range(game.ruleset.seats)
    return {
        # Passed hands have numbers if contracts are never named.
        "deal": (len(game.deals) if ruleset.unnamed is None else game.turns) + 1,
        "deals": ruleset.length,
        "target": ruleset.target,
        "turns": game.turns,
        "first": game.first_declarer,
        "inARow": ruleset.in_a_row,
        "declarer": game.declarer,
        "players": players,
        "sides": list(ruleset.sides),
        "left": [game.left_to_declare(seat) for seat in seats],
        "named": [declared_by(game, seat) for seat in seats],
        "totals": [write_points(total) for total in game.totals],
        "must": {kind: labels.must_sentence(kind) for kind in ruleset.side_quotas},
        "plan": [list(stage) for stage in ruleset.plan],
        "roles": _roles(ruleset),
        # A sealed deal is nobody's to see.
        "open": None
        if game.open_deal is None or game.open_deal.contract is None
        else {"contract": game.open_deal.contract, "trump": game.open_deal.details.get("trump")},
        "contracts": {
            choice.contract.id: {
                "kind": choice.contract.kind,
                "left": choice.left,
                "each": choice.contract.quota_each,
            }
            for choice in game.choices
        },
    }


FOLDED_SCORINGS = frozenset(
    {"per-unit", "places", "domino", "makers-and-defenders", "bid-tricks", "piles-emptied"}
)
FOLDED_STEPS = frozenset({"cappotto", "blind", "sale"})
"""The named strategies that `static/fold.js` knows."""


def folds_without_signal(ruleset: Ruleset) -> bool:
    """Return whether a phone can add up the deals of a built-in ruleset without the server."""
    return (
        ruleset.id in RULESETS
        # A seal is a secret that the server keeps.
        and ruleset.settings.get("naming") != "sealed"
        and FOLDED_STEPS.issuperset(ruleset.steps)
        and FOLDED_SCORINGS.issuperset(contract.scoring for contract in ruleset.contracts)
    )


NOT_WITHOUT_SIGNAL = ("last_two", "king_in_a_row")
"""Options for which phones have no form: other units, another tick."""


def plays_without_signal(ruleset: Ruleset) -> bool:
    """Return whether a phone can begin a game of a built-in ruleset without the server.

    With a target it only goes on with a match, whose options its page has.
    """
    return folds_without_signal(ruleset) and ruleset.target is None
