"""What is told of an evening when it is over."""

from collections.abc import Iterator, Mapping

from benchmarks.evening.comparing import Comparison
from benchmarks.evening.playing import Evening
from benchmarks.evening.tally import percentile


def lines_of(evening: Evening, found: Comparison, used: Mapping[str, float]) -> Iterator[str]:
    """Waits, errors, and what was computed where; `used` are seconds of processors by program."""
    tally = evening.tally
    for kind, times in sorted(tally.waits.items()):
        yield _waits(kind, times)
    yield _waits("(this program was late)", tally.late)
    polls = [len(tally.waits[f"follower {status}"]) for status in (200, 304)]
    share = 100 * polls[1] / max(1, sum(polls))
    yield f"  {share:.1f} % of {sum(polls):,} answers to followers were 304, {tally.skipped} late"
    yield f"  errors: {dict(tally.errors) or 'none'}"
    told = ", ".join(f"{name} {seconds:.1f}" for name, seconds in used.items())
    yield f"  seconds of processor in {evening.seconds:.0f} s: {told}; phones {evening.used:.1f}"
    yield f"  {found}"
    yield from (f"  {problem}" for problem in found.problems[:20])


def _waits(kind: str, times: list[float]) -> str:
    shares = {"median": 0.5, "95 %": 0.95, "99 %": 0.99}
    told = "   ".join(f"{name} {percentile(times, share):7.1f}" for name, share in shares.items())
    return f"  {kind:24} {told}   slowest {max(times, default=0):7.1f} ms   ({len(times):,})"
