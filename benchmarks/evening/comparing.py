"""Compares the stored entries with those sent, with sums computed without the engine."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks.evening.followers import Follower
from benchmarks.evening.tables import Deal, Table
from tests.evening_by_hand import points_of


@dataclass(frozen=True)
class Sent:
    """A game, and what was sent of it in order."""

    game: str
    sent: Sequence[Deal]
    followed: str = ""


@dataclass
class Comparison:
    """How many deals were answered and are there; `problems` are all that should not be."""

    answered: int = 0
    lost: int = 0
    twice: int = 0
    unanswered: int = 0
    unanswered_stored: int = 0
    problems: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return (
            f"{self.answered} deals answered, {self.lost} lost, {self.twice} twice, "
            f"{self.unanswered_stored} of {self.unanswered} unanswered stored, "
            f"{len(self.problems)} differences"
        )


def compare(
    sheets: Mapping[str, Mapping[str, Any]],
    tables: Sequence[Table | Sent],
    followers: Iterable[Follower] = (),
) -> Comparison:
    """Compare sheets, by public id as `tests.servers.READ_SHEETS` has them, with what was sent."""
    found = Comparison()
    for table in tables:
        _compare_sheet(found, sheets.get(table.game), table)
    ends = {table.followed: len(table.sent) for table in tables}
    late = sum(each.revision != ends.get(each.path, each.revision) for each in followers)
    if late:
        found.problems.append(f"{late} followers did not see the last deal")
    return found


def _compare_sheet(found: Comparison, sheet: Mapping[str, Any] | None, table: Table | Sent) -> None:
    if sheet is None:
        found.lost += sum(deal.answered for deal in table.sent)
        found.problems.append(f"{table.game} is not there")
        return
    stored = {key: (revision, body) for revision, key, body in sheet["writes"]}
    keys = Counter(key for _revision, key, _body in sheet["writes"])
    found.twice += sum(number - 1 for number in keys.values())
    for revision, deal in enumerate(table.sent, start=1):
        there = stored.pop(deal.key, None)
        if deal.answered:
            found.answered += 1
            found.lost += there is None
        else:
            found.unanswered += 1
            found.unanswered_stored += there is not None
        if there != (revision, deal.body) and (there or deal.answered):
            found.problems.append(f"{table.game}, deal {revision}: {there}, sent {deal}")
    if stored:
        found.problems.append(f"{table.game} has writes that nobody sent: {stored}")
    _compare_sums(found, sheet, table)


def _compare_sums(found: Comparison, sheet: Mapping[str, Any], table: Table | Sent) -> None:
    kept = [body for _revision, _key, body in sheet["writes"]]
    revisions = [revision for revision, _key, _body in sheet["writes"]]
    if revisions != list(range(1, sheet["revision"] + 1)):
        found.problems.append(f"{table.game}: revisions {revisions} of {sheet['revision']}")
    if sheet["totals"] != points_of({"entries": kept}):
        found.problems.append(f"{table.game}: totals {sheet['totals']}")
