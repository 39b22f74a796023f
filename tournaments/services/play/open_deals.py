"""Deals that were begun, with their contract named or sealed, and what may take their place."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tournaments.engine.entries import Deal
from tournaments.engine.entry_records import read_entry
from tournaments.engine.games import Game, is_open
from tournaments.engine.problems import Code, InvalidEntry, Problem
from tournaments.engine.rulesets import Ruleset

ENDS_A_DEAL = ("deal", "void", "stopped")
"""The entries that can take the place of an open deal."""

SAID_BEFORE = ("contract", "declarer", "trump", "sealed", "salt")
"""What was said when a deal was begun, and stands."""

OF_A_VOID = ("contract", "declarer", "sealed", "salt")
PROOF = ("sealed", "salt")


def completed(begun: Mapping[str, Any], body: Mapping[str, Any]) -> dict[str, Any]:
    """`body` with what the open deal `begun` has said already.

    Raises:
        InvalidEntry: `open-deal`, where it says something else, or nothing new.
    """
    kind = body.get("type")
    if kind == "stopped":
        return dict(body)
    if kind == "deal" and "counts" not in body:
        raise InvalidEntry([Problem(Code.OPEN_DEAL)])
    said = {name: value for name, value in begun.items() if name not in ("type", "author")}
    if kind == "void":
        # Before the contract is known its seal proves nothing.
        known = "contract" in said or "contract" in body
        kept = OF_A_VOID if known else ("declarer",)
        said = {name: value for name, value in said.items() if name in kept}
    stands = [name for name in SAID_BEFORE if name in said]
    changed = [name for name in stands if body.get(name, said[name]) != said[name]]
    if changed:
        raise InvalidEntry([Problem(Code.OPEN_DEAL, name) for name in changed])
    return {**said, **body}


def corrected(
    ruleset: Ruleset, before: Mapping[str, Any], body: Mapping[str, Any]
) -> dict[str, Any]:
    """A correction of `before`, which takes neither what was named nor its proof away.

    Raises:
        InvalidEntry: an open deal is completed with something else than was named.
    """
    entry = read_entry(before)[0]
    if isinstance(entry, Deal) and is_open(ruleset, entry):
        return completed(before, body)
    if "salt" in before and body.get("type") in ("deal", "void"):
        return {**body, **{name: before[name] for name in PROOF}}
    return dict(body)


def before_open_deal(game: Game) -> Game:
    """The game without the deal that is being played."""
    return replace(game, entries=game.entries[:-1], open_deal=None)
