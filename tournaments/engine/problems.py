"""Ways to be wrong: a closed list of codes, and where in an entry each one stands."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Code(StrEnum):
    """The codes of `docs/records.md` §1 and §2; sentences for them live in `messages.py`."""

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
    OPEN_DEAL = "open-deal"
    GAME_OVER = "game-over"
    BAD_RULESET = "bad-ruleset"
    ODD_TABLE = "odd-table"
    TOO_FEW_ENTRANTS = "too-few-entrants"
    DUPLICATE_ENTRANT = "duplicate-entrant"
    UNKNOWN_ENTRANT = "unknown-entrant"
    IMPOSSIBLE_FIXED = "impossible-fixed"


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that cannot be right.

    `where` is the path of the field at fault inside the entry (`counts.tricks`,
    `declarer`), empty for the entry as a whole; `params` are plain JSON values
    for the sentence that explains it.
    """

    code: Code
    where: str = ""
    params: Mapping[str, object] = field(default_factory=dict)


class InvalidEntry(Exception):
    """An entry, or the head of a game, was refused; `problems` holds every reason."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__(", ".join(f"{p.code} at {p.where or 'entry'}" for p in self.problems))
