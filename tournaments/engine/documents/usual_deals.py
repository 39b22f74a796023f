"""Usual deals of a record, accepted at one look; all other entries need the exact checks."""

from typing import Any, NamedTuple

from tournaments.engine.documents.entry_records import EVERYWHERE, FORMS
from tournaments.engine.play.games import Game
from tournaments.engine.rules.entries import Deal
from tournaments.engine.rules.fields import REQUIRED, trumps_of
from tournaments.engine.rules.rulesets import Contract, Ruleset
from tournaments.engine.rules.scoring import counts_units
from tournaments.engine.rules.shapes import Json

EVERY_DEAL = frozenset({"type", "contract", "declarer", "counts"})
NEEDED = REQUIRED | {"offered"}
"""Fields without which no deal that may have them is complete."""


class UsualContract(NamedTuple):
    """A contract whose deals are complete with the counts of one unit: `total` in every deal.

    No counts fit a unit without a total.
    """

    contract: Contract
    unit: str
    total: int | None
    trumps: tuple[str, ...]


def read_usual_deal(game: Game, raw: Json) -> tuple[Contract, Deal] | None:
    """Return a deal that can surely come next: in turn, counted, and without rare fields.

    None says nothing against the entry.
    """
    name, declarer, counts = raw.get("contract"), raw.get("declarer"), raw.get("counts")
    if type(name) is not str or type(declarer) is not int or type(counts) is not dict:
        return None
    kept: dict[str, UsualContract | None] = game.ruleset.usual_contracts
    usual = kept[name] if name in kept else _keep_usual(game.ruleset, name)
    if usual is None or raw.get("type") != "deal":
        return None
    contract, unit, total, trumps = usual
    numbers = _read_counts(counts, unit, total, game.ruleset.side_count)
    more = {} if len(raw) == len(EVERY_DEAL) else _read_more(raw, trumps)
    if numbers is None or more is None or game.open_deal is not None or game.ending is not None:
        return None
    if declarer != game.declarer or game.check_choice(contract, declarer):
        return None
    return contract, Deal(contract=name, declarer=declarer, counts={unit: numbers}, **more)


def _read_counts(counts: Json, unit: str, total: int | None, sides: int) -> tuple[int, ...] | None:
    numbers = counts.get(unit)
    if type(numbers) is not list or len(numbers) != sides or len(counts) > 1:
        return None
    for number in numbers:
        if type(number) is not int or number < 0:
            return None
    # None negative and the right sum means none too large. One each may have to be played again.
    return tuple(numbers) if sum(numbers) == total and numbers.count(1) < sides else None


def _read_more(raw: Json, trumps: tuple[str, ...]) -> dict[str, Any] | None:
    more: dict[str, Any] = {}
    for name, value in raw.items():
        if name in EVERY_DEAL:
            continue
        if name == "trump" and value in trumps:
            more["details"] = {"trump": value}
        elif name in EVERYWHERE and FORMS["deal"].shapes[name].fits(value):
            more[name] = value
        else:
            return None
    return more


def _keep_usual(ruleset: Ruleset, name: str) -> UsualContract | None:
    contract = ruleset.by_id.get(name)
    if contract is None:
        return None  # Not kept: there is no end of such names.
    usual = None
    complete = NEEDED.isdisjoint((*ruleset.fields, *contract.fields))
    if contract.named and contract.declared and complete and counts_units(contract):
        unit, *others = contract.units
        if not others:
            usual = UsualContract(contract, unit.id, unit.total, trumps_of(ruleset, contract))
    ruleset.usual_contracts[name] = usual
    return usual
