"""Open deals, begun with a named or sealed contract, and the entries that may replace them."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tournaments.engine.documents.entries import parse_entry, write_entry
from tournaments.engine.play.games import is_open
from tournaments.engine.rules.entries import Deal, Entry, Stopped, Totals, Void
from tournaments.engine.rules.rulesets import Code, InvalidEntry, Problem, Ruleset

ENDS_A_DEAL = Deal | Void | Stopped
"""The entries that can replace an open deal."""

SAID_BEFORE = ("contract", "declarer", "trump", "sealed", "salt")
"""Fields recorded at the begin of a deal, which its end must keep."""

OF_A_VOID = ("contract", "declarer", "sealed", "salt")
PROOF = ("sealed", "salt")


def completed(begun: Mapping[str, Any], entry: Entry) -> Entry:
    """Return `entry` completed with the fields of the open deal `begun`.

    Raises:
        InvalidEntry: `open-deal`, if it contradicts `begun` or adds nothing.
    """
    if isinstance(entry, Stopped):
        return entry
    if isinstance(entry, Deal) and entry.counts is None:
        raise InvalidEntry([Problem(Code.OPEN_DEAL)])
    body = write_entry(entry)
    said = {name: value for name, value in begun.items() if name not in ("type", "author")}
    if isinstance(entry, Void):
        # Before the contract is known, its seal proves nothing.
        known = "contract" in said or "contract" in body
        kept = OF_A_VOID if known else ("declarer",)
        said = {name: value for name, value in said.items() if name in kept}
    stands = [name for name in SAID_BEFORE if name in said]
    changed = [name for name in stands if body.get(name, said[name]) != said[name]]
    if changed:
        raise InvalidEntry([Problem(Code.OPEN_DEAL, name) for name in changed])
    return parse_entry({**said, **body})


def corrected(ruleset: Ruleset, before: Mapping[str, Any], entry: Entry) -> Entry:
    """Return a correction of `before` that keeps the named contract, its proof, and a past result.

    Raises:
        InvalidEntry: the correction contradicts what was named.
    """
    stood = parse_entry(before)
    if isinstance(stood, Deal) and is_open(ruleset, stood):
        return completed(before, entry)
    if "salt" in before and isinstance(entry, Deal | Void):
        return parse_entry({**write_entry(entry), **{name: before[name] for name in PROOF}})
    if isinstance(stood, Totals) and isinstance(entry, Totals):
        # Whether they are rated is decided once.
        return replace(entry, imported=stood.imported)
    return entry
