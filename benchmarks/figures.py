"""What a benchmark finds: figures, each beside its control of the same run."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median, quantiles
from typing import NamedTuple

from django.db import connection

Work = Callable[[], object]


@dataclass(frozen=True)
class Figure:
    """A figure and its control, both in `unit`; medians where there are several."""

    what: str
    value: float
    unit: str = ""
    control: str = ""
    control_value: float | None = None
    note: str = ""

    @property
    def times(self) -> float | None:
        """How many times the control it is."""
        return self.value / self.control_value if self.control_value else None

    @property
    def cells(self) -> tuple[str, str, str, str, str]:
        """What it is, the figure, what stands beside it, how many times that, and more to know."""
        beside = self.control
        if self.control_value is not None:
            beside += f": {with_unit(self.control_value, self.unit)}"
        times = "" if self.times is None else f"{readable(self.times)} ×"
        return self.what, with_unit(self.value, self.unit), beside, times, self.note


def readable(number: float) -> str:
    """A number with three digits that mean something."""
    if number == int(number) or abs(number) >= 100:
        return f"{number:,.0f}"
    return f"{number:.3g}" if abs(number) < 10 else f"{number:.1f}"


def with_unit(number: float, unit: str) -> str:
    return f"{readable(number)} {unit}".strip()


class Taken(NamedTuple):
    """Milliseconds that a piece of work took: by the clock, and computing in this process."""

    waited: float
    used: float


def take_time(work: Work) -> Taken:
    """Do it once."""
    start, used = time.perf_counter(), time.process_time()
    work()
    return Taken(1000 * (time.perf_counter() - start), 1000 * (time.process_time() - used))


def in_turn(works: Mapping[str, Work], times: int, warm_up: int = 2) -> dict[str, list[Taken]]:
    """Do each so many times, in turn with the others, so that all meet the same moments."""
    taken: dict[str, list[Taken]] = {name: [] for name in works}
    for number in range(warm_up + times):
        for name, work in works.items():
            one = take_time(work)
            if number >= warm_up:
                taken[name].append(one)
    return taken


def waited(what: str, own: Sequence[Taken], control: str, other: Sequence[Taken]) -> Figure:
    """Milliseconds by the clock, and how many of them are computing."""
    used = readable(median(one.used for one in own))
    return Figure(
        what, median(one.waited for one in own), "ms",
        control, median(one.waited for one in other), f"{used} ms of CPU here",
    )  # fmt: skip


def used(what: str, own: Sequence[Taken], control: str, other: Sequence[Taken]) -> Figure:
    """Milliseconds of computing in this process, whatever else the machine does."""
    return Figure(
        what, median(one.used for one in own), "ms of CPU",
        control, median(one.used for one in other), f"fastest {readable(min(o.used for o in own))}",
    )  # fmt: skip


def answered(what: str, own: Sequence[float], control: str, other: Sequence[float]) -> Figure:
    """Milliseconds until a server has answered, which knows nothing of its computing."""
    return Figure(what, median(own), "ms", control, median(other), late(own))


def late(times: Sequence[float]) -> str:
    """What the slowest take."""
    if len(times) < 2:
        return ""
    cuts = quantiles(times, n=100, method="inclusive")
    return f"95 %: {readable(cuts[94])}, 99 %: {readable(cuts[98])} ms of {len(times):,}"


def against(
    taken: Mapping[str, list[Taken]],
    control: str,
    told: Callable[..., Figure] = waited,
) -> Iterator[Figure]:
    """Each of what was done in turn, beside the one that is the control."""
    for name, times in taken.items():
        if name != control:
            yield told(name, times, control, taken[control])


def settle() -> None:
    """Have the database know its tables, as it does by itself after a while."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql" and not connection.in_atomic_block:
            cursor.execute("VACUUM ANALYZE")
        else:
            cursor.execute("ANALYZE")


def ask_nothing() -> None:
    """The least that a database can be asked."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        cursor.fetchone()
