"""The report of an evening."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from benchmarks.evening.comparing import Comparison
from benchmarks.evening.playing import Evening
from benchmarks.evening.tally import Tally, percentile
from benchmarks.figures import Figure


@dataclass(frozen=True)
class Part:
    """A part of the evening, and the seconds of processor that each program used for it."""

    evening: Evening
    used: Mapping[str, float]

    def each(self, name: str) -> float:
        """Milliseconds of processor that a program used for each answer."""
        answers = sum(len(times) for times in self.evening.tally.waits.values())
        return 1000 * self.used[name] / max(1, answers)


def lines_of_control(bare: Part, looking: Part) -> Iterator[str]:
    """Followers alone, beside a server that does nothing but answer them."""
    yield "Nothing is written, all look on:"
    yield from _waits_of(looking.evening.tally)
    yield from _errors_of(looking.evening.tally)
    told = ", ".join(f"{name} {looking.each(name):.2f}" for name in looking.used)
    yield f"  ms of processor each: {told}"
    yield "The same asked of an application that only answers 304:"
    yield from _waits_of(bare.evening.tally)
    yield f"  ms of processor each: web {bare.each('web'):.2f}"
    own, other = (each.evening.tally.waits["follower 304"] for each in (looking, bare))
    by_clock = percentile(own, 0.5) / (percentile(other, 0.5) or 1)
    used = sum(looking.used.values()) / (sum(bare.used.values()) or 1)
    yield f"  a follower waits {by_clock:.1f} times as long, and costs {used:.1f} times as much"


def lines_of(part: Part, looking: Part, found: Comparison) -> Iterator[str]:
    """Waits, errors, and what was computed where."""
    evening, tally = part.evening, part.evening.tally
    yield from _waits_of(tally)
    yield _waits("(the phones were late)", tally.late)
    polls = [len(tally.waits[f"follower {status}"]) for status in (200, 304)]
    share = 100 * polls[1] / max(1, sum(polls))
    yield f"  {share:.1f} % of {sum(polls):,} answers to followers were 304, {tally.skipped} late"
    yield from _errors_of(tally)
    told = ", ".join(f"{name} {seconds:.1f}" for name, seconds in part.used.items())
    yield f"  seconds of processor in {evening.seconds:.0f} s: {told}; phones {evening.used:.1f}"
    yield from _of_entries(part, looking)
    yield f"  {found}"
    yield from (f"  {problem}" for problem in found.problems[:20])


def _errors_of(tally: Tally) -> Iterator[str]:
    again = f"; {tally.again} asked again on a new connection" if tally.again else ""
    yield f"  errors: {dict(tally.errors) or 'none'}{again}"


def growth(empty: Part, filled: Part, stored: int) -> Iterator[Figure]:
    """How much longer is waited where so many games are stored."""
    before = empty.evening.tally.waits
    for kind, times in sorted(filled.evening.tally.waits.items()):
        for name, share in {"median": 0.5, "95 %": 0.95}.items():
            yield Figure(
                f"{kind} beside {stored:,} games stored: {name}", percentile(times, share), "ms",
                "on an empty database", percentile(before[kind], share),
            )  # fmt: skip


def _of_entries(part: Part, looking: Part) -> Iterator[str]:
    """The cost of an entry, its followers included."""
    waits = part.evening.tally.waits
    entries = len(waits["write"])
    unchanged = sum(len(times) for kind, times in waits.items() if kind.endswith("304"))
    rest = {
        name: part.used[name] - unchanged * looking.each(name) / 1000
        for name in ("web", "PostgreSQL")
    }
    told = ", ".join(f"{name} {1000 * used / max(1, entries):.1f}" for name, used in rest.items())
    yield f"  {entries / max(1, part.evening.seconds):.1f} entries a second; ms of processor for"
    yield f"    each, with showing it to all who look on: {told}"


def _waits_of(tally: Tally) -> Iterator[str]:
    for kind, times in sorted(tally.waits.items()):
        if times:
            yield _waits(kind, times)


def _waits(kind: str, times: list[float]) -> str:
    shares = {"median": 0.5, "95 %": 0.95, "99 %": 0.99}
    told = "   ".join(f"{name} {percentile(times, share):7.1f}" for name, share in shares.items())
    return f"  {kind:24} {told}   slowest {max(times, default=0):7.1f} ms   ({len(times):,})"
