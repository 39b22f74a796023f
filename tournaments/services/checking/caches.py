"""What looking at a stored cache gives: its rows heap by heap, and where they differ."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Found:
    """A stored value that is not what it is computed from; both as JSON has them.

    `club` is the key of the club whose it is (None: the server's), `subject` the row. Where the
    values are names of people both are None.
    """

    club: int | None
    subject: str
    stored: Any = None
    computed: Any = None


@dataclass(frozen=True, slots=True)
class Looked:
    """A heap that was looked at: how many rows, what differed, and the last row.

    `last` is what the next heap begins after, as JSON has it; None where there is none.
    """

    rows: int
    found: tuple[Found, ...]
    last: Any


@dataclass(frozen=True, slots=True)
class Cache:
    """A stored cache by name; `look` looks at the heap after a row (None: at the first one).

    `repair` computes the rows again that some differences tell of.
    """

    name: str
    look: Callable[[Any], Looked]
    repair: Callable[[list[Found]], None]

    def heaps(self) -> Iterator[Looked]:
        """All its rows, heap by heap."""
        after = None
        while True:
            looked = self.look(after)
            yield looked
            after = looked.last
            if after is None:
                return
