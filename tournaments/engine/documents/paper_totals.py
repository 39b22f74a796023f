"""Totals as records wrote them before they were an entry: read as one entry.

Then a result from paper was an adjustment for each side, and an entry that stopped the game.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tournaments.engine.rules.entries import IMPORTED, TOTALS
from tournaments.engine.rules.limits import LONGEST_REASON
from tournaments.engine.rules.ruleset_sums import Range
from tournaments.engine.rules.rulesets import PerSide, Points, Ruleset, number_of
from tournaments.engine.rules.shapes import write_points

Json = Mapping[str, Any]

PERSONAL = ("author", "note")
"""The fields of an entry that its digest leaves out."""

NUMBERED = re.compile(r"-[0-9]{3}")
STOPPED: Json = {"type": "stopped", "reason": "other"}


@dataclass(frozen=True, slots=True)
class OneEntry:
    """The history of a game with its totals as one entry.

    `first` is the revision of that entry, `fewer` the number of revisions that it replaces.
    """

    writes: Sequence[Json]
    first: int
    fewer: int

    def revision_now(self, revision: int) -> int:
        """Return the number that a revision has in the new history."""
        return revision if revision <= self.first else max(self.first, revision - self.fewer)


def written_out(totals: Sequence[Points], reason: str, rules: Ruleset) -> Iterator[Json]:
    """Yield the entries that stood for totals: an adjustment for each side, and the end."""
    for number, points in enumerate(totals):
        if points:
            yield {
                "type": "adjustment",
                "seat": number,
                "points": write_points(points),
                "to": "none",
                "reason": reason,
            }
    if rules.target is None or max(totals) < rules.target:
        yield STOPPED


def as_one_entry(writes: Sequence[Json], rules: Ruleset, whole: Range | None) -> OneEntry | None:
    """Return the history of a game with its totals as one entry; None if it cannot be told so.

    `writes` are as in a tournament document, `whole` is the sum of a whole game. A correction of a
    line becomes a version of the totals. What says anything else, such as a line that was given a
    reason of its own or the seat of another, stays as it was written.
    """
    begin = next((at for at, write in enumerate(writes) if _reason_of(write["body"])), len(writes))
    standing = {each["position"]: each["body"] for each in writes[:begin]}
    standing.pop(None, None)
    lines = _lines(writes[begin:])
    if any(standing.values()) or not lines:
        return None
    reason = _reason_of(lines[0]["body"])
    bodies = {line["position"]: line["body"] for line in lines}
    position, first = lines[0]["position"], writes[begin]["revision"]
    body = _body(bodies, reason, rules, {})
    if body is None:
        return None
    # A game ended early may have any sum.
    if not _can_end(rules, whole, _totals(bodies, rules)):
        body["early"] = True
    flags: Json = {name: True for name in ("early", "imported") if name in body}
    keys = [line["key"] for line in lines]
    key = keys[0]
    if reason == TOTALS and len({each[:-4] for each in keys}) == 1 and NUMBERED.match(key[-4:]):
        key = key[:-4]
    whole_entry = {"key": key, "revision": first, "position": position, "body": body}
    told: list[Json] = [*writes[:begin], {**lines[-1], **whole_entry}]
    fewer = len(lines) - 1
    for write in writes[begin + len(lines) :]:
        after = {**write, "revision": write["revision"] - fewer}
        if write["position"] in bodies:
            bodies[write["position"]] = write["body"]
            changed = _body(bodies, reason, rules, flags)
            if changed is None:
                return None
            if "early" not in flags and not _can_end(rules, whole, _totals(bodies, rules)):
                changed["unchecked"] = True
            after |= {"kind": "correction", "position": position, "body": changed}
        told.append(after)
    stands = [
        {name: value for name, value in body.items() if name not in PERSONAL}
        for _position, body in sorted(bodies.items())
        if body is not None
    ]
    # Then the digest of the record is the same, too.
    if stands != list(written_out(_totals(bodies, rules), reason, rules)):
        return None
    return OneEntry(told, first, fewer)


def _reason_of(body: Json | None) -> str:
    """Return the reason of an adjustment that stands for a total; empty for other entries."""
    if body is None or body.get("type") != "adjustment" or body.get("to") != "none":
        return ""
    return str(body["reason"]) if body["reason"] in (IMPORTED, TOTALS) else ""


def _lines(writes: Sequence[Json]) -> list[Json]:
    """Return the writes of one result: an adjustment for each side, and the end of the game."""
    lines: list[Json] = []
    for write in writes:
        body, same = write["body"], not lines or write["at"] == lines[0]["at"]
        if write["kind"] != "entry" or not same:
            break
        if body == STOPPED:
            return [*lines, write]
        if not _reason_of(body) or any(body["seat"] <= line["body"]["seat"] for line in lines):
            break
        lines.append(write)
    return lines


def _body(
    bodies: Mapping[int, Json | None], reason: str, rules: Ruleset, flags: Json
) -> dict[str, Any] | None:
    """Return the totals of lines as an entry; None if they say anything else."""
    lines = [body for body in bodies.values() if body is not None and body["type"] != "stopped"]
    ends = [body for body in bodies.values() if body is not None and body["type"] == "stopped"]
    plain = {"type", "seat", "points", "to", "reason", "note"}
    if any(_reason_of(line) != reason or line.keys() - plain for line in lines):
        return None
    if any(end != STOPPED for end in ends) or (rules.target is None and not ends):
        return None
    note = "; ".join(dict.fromkeys(line["note"] for line in lines if line.get("note")))
    if len(note) > LONGEST_REASON:
        return None
    totals = [write_points(points) for points in _totals(bodies, rules)]
    body: dict[str, Any] = {"type": "totals", "totals": totals}
    body |= {"imported": True} if reason == IMPORTED else {}
    return {**body, **flags, **({"note": note} if note else {})}


def _totals(bodies: Mapping[int, Json | None], rules: Ruleset) -> PerSide:
    totals: list[Points] = [0] * rules.side_count
    for body in bodies.values():
        if body is not None and body["type"] == "adjustment":
            totals[rules.sides[body["seat"]]] += number_of(body["points"]) or 0
    return tuple(totals)


def _can_end(rules: Ruleset, whole: Range | None, totals: PerSide) -> bool:
    in_range = whole is None or whole[0] <= sum(totals) <= whole[1]
    return in_range and (rules.target is None or max(totals) >= rules.target)
