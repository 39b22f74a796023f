"""A big evening over HTTP: tables write steadily while others follow, and nothing is lost.

`benchmarks/evening/` plays it on PostgreSQL and Redis of its own, with gunicorn as production
starts it and a worker, all on this machine. Waits begin when something was due to be asked for,
whatever the answers before it took. As the control as many followers ask the same web server with
an application that answers 304 and nothing else. Where games are to be stored before, the same
evening is played on an empty database first and then beside them: the aim is within 1.5 times.
"""

from collections import Counter
from collections.abc import Iterator

from benchmarks.evening.course import Asked, Played, look_on_nothing, servers
from benchmarks.evening.playing import Plan
from benchmarks.evening.report import growth
from benchmarks.figures import Figure, answered, readable

SIZES = {
    "tiny": {"tables": 2, "deals": 2, "seconds": 4, "followers": 2, "stored": 0},
    "usual": {"tables": 250, "deals": 1, "seconds": 60, "followers": 1000, "stored": 0},
    "full": {"tables": 250, "deals": 20, "seconds": 300, "followers": 1000, "stored": 1_000_000},
}
BARE = "an application that answers 304 only"


def measure(tables: int, deals: int, seconds: int, followers: int, stored: int) -> Iterator[Figure]:
    asked = Asked(tables, Plan(deals, seconds, followers), min(seconds, 20))
    nothing = look_on_nothing(asked).evening.tally.waits["follower 304"]
    evenings = []
    with servers() as running:
        for games in sorted({0, stored}):
            with running.site(games) as site:
                evenings.append(running.play(site, asked))
            where = f"{tables} tables, a deal each in {seconds / deals:.0f} s"
            where += f", {games:,} games stored" if stored else ""
            yield from figures_of(evenings[-1], where, nothing, followers)
    if stored:
        yield from growth(evenings[0].part, evenings[-1].part, stored)


def figures_of(
    played: Played, where: str, nothing: list[float], followers: int
) -> Iterator[Figure]:
    """Waiting times, processor time and losses."""
    evening = played.part.evening
    for kind, times in sorted(evening.tally.waits.items()):
        yield answered(f"{where}: {kind}", times, f"{BARE}, {followers}", nothing)
    used = played.part.used
    told = ", ".join(f"{name} {readable(seconds)}" for name, seconds in used.items())
    yield Figure(
        f"{where}: computing of the server", sum(used.values()), "s of CPU",
        "of the phones", evening.used, f"in {evening.seconds:.0f} s: {told}",
    )  # fmt: skip
    yield from lost(played)


def lost(played: Played) -> Iterator[Figure]:
    """Compare the stored entries with those sent; include the errors of followers."""
    found, tallies = played.found, [part.evening.tally for part in (played.looking, played.part)]
    errors = sum((tally.errors for tally in tallies), Counter[str]())
    answers = sum(len(times) for tally in tallies for times in tally.waits.values())
    yield Figure("acknowledged deals lost", found.lost, "", "acknowledged in all", found.answered)
    yield Figure(
        "errors", errors.total(), "", "answers in all", answers,
        ", ".join(f"{kind}: {number}" for kind, number in errors.items()),
    )  # fmt: skip
    if played.wrong:
        raise AssertionError("; ".join([*found.problems[:5], f"{errors.total()} errors"]))
