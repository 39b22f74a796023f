"""What verifying a document found: a line for each kind of point of a round."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from tournaments.engine.documents.results import DIFFERS, Point, Verification
from tournaments.texts.documents import SENTENCES, WHAT

LONGEST_VALUE = 80


@dataclass(frozen=True, slots=True)
class VerifiedLine:
    """Points with the same outcome: `number` of them, in a round (0: in none).

    `where` is the path of a point that differs, and empty for others.
    """

    round: int
    what: str
    number: int
    outcome: str
    text: str
    where: str = ""


def verified_lines(verification: Verification) -> Iterator[VerifiedLine]:
    """Yield the points of a verification by round; each that differs has its own line."""
    order = list(WHAT)

    def key(point: Point) -> tuple[int, int, str, str, str]:
        own = point.where if point.outcome == DIFFERS else ""
        return _round_of(point), order.index(point.what), point.outcome, point.code, own

    for _key, points in groupby(sorted(verification.points, key=key), key):
        first, *others = points
        params = {name: _shown(value) for name, value in first.params.items()}
        yield VerifiedLine(
            _round_of(first),
            str(WHAT[first.what]),
            1 + len(others),
            first.outcome,
            str(SENTENCES[first.outcome, first.code]) % params,
            first.where if first.outcome == DIFFERS else "",
        )


def _round_of(point: Point) -> int:
    """Return the number of a point's round; 0 for what belongs to none."""
    found = re.match(r"rounds\[(\d+)\]", point.where)
    return int(found[1]) + 1 if found else 0


def _shown(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}…"
