"""Faults of a line or the time of an import."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from django.utils.translation import gettext_lazy as _

from tournaments.services.base.refusals import Refused


class Wrong(StrEnum):
    """Reasons for refusing a line."""

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
class ImportFault:
    """A fault on a line (its number in the file, from 1), with its column if it has one."""

    code: Wrong
    line: int
    column: str = ""
    params: Mapping[str, Any] = field(default_factory=dict)


class PlanChanged(Refused):
    """The import differs from the preview; `plan` is the current one."""

    code = "plan-changed"
    sentence = _("Something has changed since you looked. Look once more before you import.")

    def __init__(self, plan: Any) -> None:
        self.plan = plan
        super().__init__(data={"seen": plan.mark})
