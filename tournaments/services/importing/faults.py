"""What can be wrong with a line of a file that is to be imported, and with the moment of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Wrong(StrEnum):
    """Why a line is refused."""

    EMPTY = "empty"
    NO_NAME = "no-name"
    TWICE = "twice"
    AMBIGUOUS = "ambiguous"
    NO_DAY = "no-day"
    DAY_TO_COME = "day-to-come"
    NO_NUMBER = "no-number"
    NO_POINTS = "no-points"
    NO_YES = "no-yes"
    FORMULA = "formula"
    WRONG_SIZE = "wrong-size"
    WRONG_SUM = "wrong-sum"
    PARTNERS_DIFFER = "partners-differ"
    SITS_TWICE = "sits-twice"
    SITS_ELSEWHERE = "sits-elsewhere"
    ROUND_OPEN = "round-open"
    TABLE_TAKEN = "table-taken"
    NO_MOMENT = "no-moment"
    TOO_LONG = "too-long"
    SAME_AS = "same-as"
    OTHER_SHEET = "other-sheet"


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong on a line (its number in the file, from 1) in a column, if in one."""

    code: Wrong
    line: int
    column: str = ""
    params: Mapping[str, Any] = field(default_factory=dict)


class PlanChanged(Exception):
    """What would be imported is not what somebody has looked at; `plan` is how it is now."""

    def __init__(self, plan: Any) -> None:
        self.plan = plan
        super().__init__("the plan is another one")
