"""The outcome of verifying a document: what was recomputed, and whether it is as published."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tournaments.engine.rules.problems import Problem, write_problem
from tournaments.engine.rules.shapes import Schema, head_schema, list_schema, object_schema

VERIFICATION_FORMAT = "kingscore-verification/1"

SAME, DIFFERS, UNKNOWN = "same", "differs", "unknown"

TOO_LARGE, TOO_MANY_DRAWS = "too-large", "too-many"
"""The codes of points that would take too much work, of any kind and of draws."""
TOO_MUCH = frozenset({TOO_LARGE, TOO_MANY_DRAWS})


@dataclass(frozen=True, slots=True)
class Point:
    """One point of a document that was recomputed, at its path.

    `outcome` is SAME, DIFFERS, or UNKNOWN if it cannot be recomputed. `code` says why, or what was
    changed openly; it may be empty where the outcome is SAME.
    """

    what: str
    where: str
    outcome: str = SAME
    code: str = ""
    params: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Verification:
    """All points of a document, or the problems that keep it from being read.

    `digest` is that of the whole document.
    """

    document_format: str
    points: Sequence[Point] = ()
    problems: Sequence[Problem] = ()
    digest: str = ""

    @property
    def agrees(self) -> bool:
        """Whether everything that can be recomputed is as published."""
        return not self.problems and all(each.outcome != DIFFERS for each in self.points)

    @property
    def is_whole(self) -> bool:
        """Whether nothing was left out because it would take too much work."""
        codes = [*(each.code for each in self.points), *(each.code for each in self.problems)]
        return not TOO_MUCH & {*codes}

    def count(self, outcome: str) -> int:
        return sum(each.outcome == outcome for each in self.points)


def write_verification(verification: Verification) -> dict[str, Any]:
    """Return a verification as a `kingscore-verification/1` document."""
    return {
        "format": VERIFICATION_FORMAT,
        "verified": verification.document_format,
        "agrees": verification.agrees,
        "digest": verification.digest,
        "problems": list(map(write_problem, verification.problems)),
        "points": [
            {
                "what": each.what,
                "where": each.where,
                "outcome": each.outcome,
                "code": each.code,
                "params": dict(each.params),
            }
            for each in verification.points
        ],
    }


def verification_schema() -> Schema:
    """Return the schema of a `kingscore-verification/1` document."""
    text: Schema = {"type": "string"}
    problem = {"entry": {"type": ["integer", "null"]}, "params": {"type": "object"}}
    point = {"outcome": {"enum": [SAME, DIFFERS, UNKNOWN]}, "params": {"type": "object"}}
    return {
        **head_schema("verification", VERIFICATION_FORMAT),
        "description": "A document that was recomputed: at each point whether it is as published.",
        **object_schema(
            {
                "format": {"const": VERIFICATION_FORMAT},
                "verified": {"description": "The format of the document.", **text},
                "agrees": {"type": "boolean"},
                "digest": {"description": "Of the whole document; empty with problems.", **text},
                "problems": list_schema(
                    object_schema(dict.fromkeys(("code", "where"), text) | problem)
                ),
                "points": list_schema(
                    object_schema(dict.fromkeys(("what", "where", "code"), text) | point)
                ),
            }
        ),
    }
