"""Figures of benchmarks, each beside its control of the same run."""

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
        """The ratio to the control."""
        return self.value / self.control_value if self.control_value else None

    @property
    def cells(self) -> tuple[str, str, str, str, str]:
        """A row of the report: name, figure, control, ratio, remark."""
        beside = self.control
        if self.control_value is not None:
            beside += f": {with_unit(self.control_value, self.unit)}"
        times = "" if self.times is None else f"{readable(self.times)} ×"
        return self.what, with_unit(self.value, self.unit), beside, times, self.note


def readable(number: float) -> str:
    """A number with three significant digits."""
    if number == int(number) or abs(number) >= 100:
        return f"{number:,.0f}"
    return f"{number:.3g}" if abs(number) < 10 else f"{number:.1f}"


def with_unit(number: float, unit: str) -> str:
    return f"{readable(number)} {unit}".strip()


class Taken(NamedTuple):
    """Milliseconds of one run: by the clock, and of processor time in this process."""

    waited: float
    used: float


def take_time(work: Work) -> Taken:
    """Measure one call."""
    start, used = time.perf_counter(), time.process_time()
    work()
    return Taken(1000 * (time.perf_counter() - start), 1000 * (time.process_time() - used))


def in_turn(works: Mapping[str, Work], times: int, warm_up: int = 2) -> dict[str, list[Taken]]:
    """Call each this many times in turn, so that all meet the same load of the machine."""
    taken: dict[str, list[Taken]] = {name: [] for name in works}
    for number in range(warm_up + times):
        for name, work in works.items():
            one = take_time(work)
            if number >= warm_up:
                taken[name].append(one)
    return taken


def waited(what: str, own: Sequence[Taken], control: str, other: Sequence[Taken]) -> Figure:
    """Figures by the clock, with the processor time as the remark."""
    used = readable(median(one.used for one in own))
    return Figure(
        what, median(one.waited for one in own), "ms",
        control, median(one.waited for one in other), f"{used} ms of CPU here",
    )  # fmt: skip


def used(what: str, own: Sequence[Taken], control: str, other: Sequence[Taken]) -> Figure:
    """Figures of processor time in this process."""
    return Figure(
        what, median(one.used for one in own), "ms of CPU",
        control, median(one.used for one in other), f"fastest {readable(min(o.used for o in own))}",
    )  # fmt: skip


def answered(what: str, own: Sequence[float], control: str, other: Sequence[float]) -> Figure:
    """Figures by the clock for requests to a server."""
    return Figure(what, median(own), "ms", control, median(other), late(own))


def late(times: Sequence[float]) -> str:
    """The slowest percentiles."""
    if len(times) < 2:
        return ""
    cuts = quantiles(times, n=100, method="inclusive")
    return f"95 %: {readable(cuts[94])}, 99 %: {readable(cuts[98])} ms of {len(times):,}"


def against(
    taken: Mapping[str, list[Taken]],
    control: str,
    told: Callable[..., Figure] = waited,
) -> Iterator[Figure]:
    """Return a figure for each measured call, beside the control."""
    for name, times in taken.items():
        if name != control:
            yield told(name, times, control, taken[control])


def settle() -> None:
    """Update the statistics of the query planner, as autovacuum does."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql" and not connection.in_atomic_block:
            cursor.execute("VACUUM ANALYZE")
        else:
            cursor.execute("ANALYZE")


def ask_nothing() -> None:
    """The cheapest query."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        cursor.fetchone()
