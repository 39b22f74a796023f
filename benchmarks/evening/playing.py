"""The evening itself: tables, followers and a clock."""

import asyncio
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks.evening.followers import EVERY, Follower
from benchmarks.evening.phones import until
from benchmarks.evening.tables import EVERY as LISTENS
from benchmarks.evening.tables import Table, plan
from benchmarks.evening.tally import Tally
from tests.evening_by_hand import draw_deals

AT_ONCE = 8
"""So many phones load their first page at a time."""

A_MOMENT = 2.0
"""After which the last deal must have come to whoever looks on, in seconds, beside their two."""


@dataclass(frozen=True)
class Plan:
    """The plan of an evening: deals at each table, spread evenly over a time in seconds."""

    deals: int = 20
    seconds: float = 300.0
    followers: int = 1000
    seed: int = 1
    # Of phones that were not answered; that of the script where it is None.
    longest_delay: float | None = None


@dataclass
class Evening:
    """Everybody who has come, and what they have waited for."""

    tally: Tally = field(default_factory=Tally)
    tables: list[Table] = field(default_factory=list)
    followers: list[Follower] = field(default_factory=list)
    seconds: float = 0.0
    # Of this process, in seconds: it shares the processors with the server.
    used: float = 0.0


def come(host: str, port: int, laid: Sequence[dict[str, Any]], chosen: Plan) -> Evening:
    """A phone at each table that was laid, and followers spread over them."""
    evening = Evening()
    for place in laid:
        table = Table(host, port, place["game"], place["write"], place["follow"], evening.tally)
        if chosen.longest_delay is not None:
            table.longest_delay = chosen.longest_delay
        evening.tables.append(table)
    for number in range(chosen.followers):
        path = laid[number % len(laid)]["follow"]
        evening.followers.append(Follower(host, port, path, evening.tally))
    return evening


async def play(
    evening: Evening,
    chosen: Plan,
    meanwhile: Callable[[], Any] = lambda: None,
    seated: Callable[[], Any] = lambda: None,
) -> Evening:
    """All sit down; then the deals come by the clock while the others look on.

    `seated` is called when all have their pages, and `meanwhile`, in a thread of its own, when the
    first deal is due.
    """
    await sit_down(evening)
    seated()
    evening.tally.waits.clear()
    chance, stop, loop = random.Random(chosen.seed), asyncio.Event(), asyncio.get_running_loop()
    first, used = loop.time() + 1, time.process_time()
    looking = [each.look_on(first + EVERY * chance.random(), stop) for each in evening.followers]
    looking += [each.listen(first + LISTENS * chance.random(), stop) for each in evening.tables]
    others = [asyncio.create_task(each) for each in looking]
    beside = loop.run_in_executor(None, meanwhile)
    await asyncio.gather(
        *(
            table.play(plan(deals_of(chance, chosen), first, chosen.seconds, chance))
            for table in evening.tables
        )
    )
    await beside
    await until(first + chosen.seconds)
    evening.seconds = loop.time() - first
    if chosen.deals:
        await asyncio.sleep(EVERY + A_MOMENT)
    stop.set()
    await asyncio.gather(*others)
    evening.used = time.process_time() - used
    return evening


async def sit_down(evening: Evening) -> None:
    """Load all first pages, a few at a time."""
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(phone: Table | Follower) -> None:
        async with gate:
            await phone.sit_down()

    await asyncio.gather(*(one(phone) for phone in [*evening.tables, *evening.followers]))


def deals_of(chance: random.Random, chosen: Plan) -> list[dict[str, Any]]:
    """The first deals of a game that can be."""
    deals: list[dict[str, Any]] = draw_deals(chance)
    return deals[: chosen.deals]
