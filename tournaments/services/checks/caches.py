"""Results of checking a stored cache, batch by batch."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A stored value that differs from its computation; both as JSON.

    `club` is the key of its club (None: the server's), `subject` the row. If the values are names
    of people, both are None.
    """

    club: int | None
    subject: str
    stored: Any = None
    computed: Any = None


@dataclass(frozen=True, slots=True)
class ScanResult:
    """A checked batch: its number of rows, and the differences."""

    rows: int
    found: tuple[Mismatch, ...]


@dataclass(frozen=True, slots=True)
class Cache:
    """A stored cache by name; `look` checks all its rows in batches.

    `repair` recomputes the rows of some differences.
    """

    name: str
    look: Callable[[], Iterator[ScanResult]]
    repair: Callable[[list[Mismatch]], None]


def batches_of(rows: QuerySet[Any], size: int) -> Iterator[list[int]]:
    """Yield the keys of rows in order, in batches of `size`; no query stays open in between."""
    last = 0
    while keys := list(rows.filter(pk__gt=last).order_by("pk").values_list("pk", flat=True)[:size]):
        yield keys
        last = keys[-1]
