"""A closed list of error codes, with the place of each problem in an entry."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from enum import StrEnum


class Code(StrEnum):
    """The codes of `docs/records.md` §1 and §2; their sentences are in `texts/messages.py`."""

    BAD_JSON = "bad-json"
    UNKNOWN_FORMAT = "unknown-format"
    UNKNOWN_RULESET = "unknown-ruleset"
    UNKNOWN_OPTION = "unknown-option"
    MISSING_FIELD = "missing-field"
    UNEXPECTED_FIELD = "unexpected-field"
    WRONG_TYPE = "wrong-type"
    WRONG_PLAYERS = "wrong-players"
    UNKNOWN_CONTRACT = "unknown-contract"
    WRONG_SEATS = "wrong-seats"
    BAD_SEAT = "bad-seat"
    NEGATIVE_COUNT = "negative-count"
    COUNT_TOO_LARGE = "count-too-large"
    WRONG_TOTAL = "wrong-total"
    INCONSISTENT_COUNTS = "inconsistent-counts"
    WRONG_DECLARER = "wrong-declarer"
    OUT_OF_ORDER = "out-of-order"
    CONTRACT_USED_UP = "contract-used-up"
    PLAYER_QUOTA_USED = "player-quota-used"
    MUST_BE_VOID = "must-be-void"
    VOID_NOT_ALLOWED = "void-not-allowed"
    REDEAL_NOT_ALLOWED = "redeal-not-allowed"
    BAD_KING = "bad-king"
    BAD_TRUMP = "bad-trump"
    BAD_SALE = "bad-sale"
    BAD_PARTNER = "bad-partner"
    BAD_OFFER = "bad-offer"
    BAD_DOMINO = "bad-domino"
    BAD_DOUBLE = "bad-double"
    BAD_EUCHRE = "bad-euchre"
    BAD_KRAPET = "bad-krapet"
    BAD_SEAL = "bad-seal"
    BAD_ADJUSTMENT = "bad-adjustment"
    BAD_SUM = "bad-sum"
    BELOW_TARGET = "below-target"
    OPEN_DEAL = "open-deal"
    GAME_OVER = "game-over"
    TOO_MANY_ENTRIES = "too-many-entries"
    TOO_MANY_REVISIONS = "too-many-revisions"
    BAD_RULESET = "bad-ruleset"
    ODD_TABLE = "odd-table"
    TOO_FEW_ENTRANTS = "too-few-entrants"
    DUPLICATE_ENTRANT = "duplicate-entrant"
    UNKNOWN_ENTRANT = "unknown-entrant"
    IMPOSSIBLE_FIXED = "impossible-fixed"
    TOO_LARGE = "too-large"


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem of an entry.

    `where` is the path of the invalid field inside the entry (`counts.tricks`, `declarer`), empty
    for the entry as a whole. `params` are plain JSON values for the sentence that explains the
    problem.
    """

    code: Code
    where: str = ""
    params: Mapping[str, object] = field(default_factory=dict)


class InvalidEntry(Exception):
    """An invalid entry or head of a game; `problems` holds every reason."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__(", ".join(f"{p.code} at {p.where or 'entry'}" for p in self.problems))


def refuse(problems: Iterable[Problem]) -> None:
    """Raise `InvalidEntry` if there is any problem."""
    if found := list(problems):
        raise InvalidEntry(found)


def check_repeated(where: str, names: Iterable[object]) -> Iterator[Problem]:
    """Yield a problem for each name that occurs more than once."""
    for name, times in Counter(names).items():
        if times > 1:
            yield Problem(Code.DUPLICATE_ENTRANT, where, {"entrant": name})


def check_known(where: str, names: Iterable[str], known: Iterable[str]) -> Iterator[Problem]:
    """Yield a problem for each unknown name."""
    there = known if isinstance(known, AbstractSet | Mapping) else set(known)
    for name in names:
        if name not in there:
            yield Problem(Code.UNKNOWN_ENTRANT, where, {"entrant": name})


def write_problem(problem: Problem, entry: int | None = None) -> dict[str, object]:
    """Return a problem of an entry (None: of the whole document) as JSON."""
    return {
        "entry": entry,
        "code": str(problem.code),
        "where": problem.where,
        "params": dict(problem.params),
    }
