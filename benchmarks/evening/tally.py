"""Counts the waiting times and errors of all phones of an evening."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass
class Tally:
    """Milliseconds by kind of answer, from when it should have been asked for; errors by kind."""

    waits: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    errors: Counter[str] = field(default_factory=Counter)
    # How late this program itself was to send, which is in the waits: it shares the processors.
    late: list[float] = field(default_factory=list)
    # Asked once more, since a connection that was kept had ended.
    again: int = 0
    # A page asks no second time while it waits for an answer.
    skipped: int = 0

    def note(self, kind: str, due: float, now: float) -> None:
        """An answer that was due to be asked for at a moment, in seconds."""
        self.waits[kind].append(1000 * (now - due))


def percentile(times: Sequence[float], share: float) -> float:
    """The time that a share of all did not exceed; 0 of none."""
    if not times:
        return 0.0
    return sorted(times)[min(len(times) - 1, int(share * len(times)))]
