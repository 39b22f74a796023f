"""What is counted while it happens, for whoever watches the server; shown at `/metrics`."""

import re

from prometheus_client import Counter

from tournaments.engine.problems import InvalidEntry
from tournaments.engine.variants import RULESETS

WRITES = Counter(
    "kingscore_writes", "Writes stored on sheets, by ruleset and kind", ["ruleset", "kind"]
)
REFUSALS = Counter("kingscore_refusals", "Writes on sheets that were refused, by code", ["code"])

HOUSE = "house"
"""All rules of clubs count as one: how many there are is up to the clubs."""


def count_write(ruleset: str, kind: str) -> None:
    """Count a write that was stored."""
    WRITES.labels(ruleset if ruleset in RULESETS else HOUSE, kind).inc()


def count_refusal(reason: Exception) -> None:
    """Count why a write was refused: each code of the engine once, or what the service said."""
    for code in codes_of(reason):
        REFUSALS.labels(code).inc()


def codes_of(reason: Exception) -> set[str]:
    """Return the codes of the engine, or the name of the exception as a code."""
    if isinstance(reason, InvalidEntry):
        return {problem.code.value for problem in reason.problems}
    return {re.sub(r"(?<!^)(?=[A-Z])", "-", type(reason).__name__).lower()}
