"""Kills each program in turn while a big evening is played, and counts what came of it.

SIGKILL for every process of the program, which is started again at once, as systemd or Docker
does. What is measured is how long until it answers again: a page; a document built, for a worker; a
document whose message was lost, which only the clock finds; a document asked for, for Redis.
"""

import asyncio
import json
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.client import HTTPException
from typing import Any

import psycopg

from benchmarks.evening.comparing import Comparison, compare
from benchmarks.evening.playing import Evening, Plan, come, play
from benchmarks.faults.programs import Whole, answers, kill_group
from tests.phones import CSRF_FIELD, Phone
from tests.waiting import wait_until
from tournaments.engine.variants import RULESETS

INSIDE = "from benchmarks.faults import inside; inside."
READ = "from benchmarks.evening.laying import print_sheets; print_sheets({})"
EMAILS_EACH = 12
LONGEST_DELAY = 4.0
"""Between two tries of a phone, here; the page itself goes on to 60 s after a minute without."""

ORDERS = [(ruleset, language) for language in ("tr", "en", "it") for ruleset in RULESETS]
"""Documents that nobody has asked for yet."""


@dataclass
class Story:
    """Seconds until each program answered again, by its name."""

    back_after: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    problems: list[str] = field(default_factory=list)


@dataclass
class Kills:
    """Kills so many times each, in turn, while others play."""

    whole: Whole
    rounds: int
    asks_database: str
    story: Story = field(default_factory=Story)
    emails: int = 0
    orders: int = 0

    def __call__(self) -> None:
        """Do it; a program that does not come back is told, and the others go on."""
        for number in range(self.rounds):
            for name, fault in self.faults().items():
                self.prepare(f"{name}-{number}")
                try:
                    self.story.back_after[name].append(fault())
                except (OSError, HTTPException) as error:
                    self.story.problems.append(f"{name}: {type(error).__name__} {error}")
                print(name, self.story.back_after[name][-1:], file=sys.stderr)

    def faults(self) -> dict[str, Callable[[], float]]:
        """Kill a program, and time its return."""
        return {
            "web": self.kill_web,
            "worker": self.kill_worker,
            "beat": self.kill_beat,
            "Redis": self.kill_redis,
            "PostgreSQL": self.kill_postgres,
        }

    def prepare(self, about: str) -> None:
        """Give the worker something that it is at when it happens."""
        site = self.whole.site
        site.run_python(f"{INSIDE}write('{about}', {EMAILS_EACH}); inside.ask_for_sheets(6)")
        self.emails += EMAILS_EACH

    def kill_web(self) -> float:
        began = time.monotonic()
        site = self.whole.site
        site.kill()
        site.start()
        wait_until(lambda: answers(site))
        return time.monotonic() - began

    def kill_worker(self) -> float:
        began = time.monotonic()
        for worker in self.whole.workers:
            worker.kill()
            worker.start()
        self.wait_for(self.order())
        return time.monotonic() - began

    def kill_beat(self) -> float:
        row = self.order()
        self.wait_for(row)
        began = time.monotonic()
        for beat in self.whole.beats:
            beat.kill()
        # As if its message were lost: only the clock has a worker look.
        self.tell(
            "UPDATE tournaments_report SET state = 'waiting', attempts = 0 WHERE id = %s", row
        )
        for beat in self.whole.beats:
            beat.start()
        self.wait_for(row)
        return time.monotonic() - began

    def kill_redis(self) -> float:
        began = time.monotonic()
        kill_group(self.whole.broker.process)
        self.whole.broker.start()
        self.wait_for(self.order())
        return time.monotonic() - began

    def kill_postgres(self) -> float:
        began = time.monotonic()
        self.whole.kill_postgres()
        self.whole.postgres.start()
        # A page that asks the database.
        wait_until(lambda: answers(self.whole.site, self.asks_database))
        return time.monotonic() - began

    def order(self) -> int:
        """Ask for a document that nobody has asked for yet, by its page; the number of its row."""
        ruleset, language = ORDERS[self.orders]
        self.orders += 1
        person = Phone(self.whole.site.host, self.whole.site.port)
        speaks = {"Accept-Language": language}
        found = CSRF_FIELD.search(person.ask("GET", "/new/", headers=speaks).text)
        assert found is not None
        person.token = found[1]
        answer = person.post(f"/empty-sheet/{ruleset}/", {}, speaks)
        person.hang_up()
        return int(answer.location.split("/")[2])

    def wait_for(self, row: int) -> None:
        """Wait until a document is built."""
        question = "SELECT 1 FROM tournaments_report WHERE id = %s AND state = 'done'"
        wait_until(lambda: self.tell(question, row))

    def tell(self, statement: str, *values: object) -> int:
        """Say something to the database; how many rows it was about."""
        with psycopg.connect(self.whole.postgres.url(), autocommit=True) as connection:
            return connection.execute(statement, values).rowcount


def waiting(whole: Whole, first: str = "") -> dict[str, int]:
    """The tasks that wait."""
    said = whole.site.run_python(f"{INSIDE}{first}print_waiting()")
    left: dict[str, int] = json.loads(said)
    return left


def finish(whole: Whole, story: Story, *, kill: bool = True) -> dict[str, Any]:
    """Close the evening, let everything be done that waits, and look at what there is."""
    whole.site.run_python(f"{INSIDE}close_all()")
    for worker in whole.workers if kill else ():
        worker.kill()
        worker.start()
    # Minutes pass after which what a dead worker had is taken by another; here they are skipped.
    first = "let_leases_end(); inside." if kill else "send_emails_now(); inside."
    try:
        wait_until(lambda: _nothing_waits(whole, first), 300, 2)
    except TimeoutError:
        story.problems.append(f"still waiting: {waiting(whole)}")
    found: dict[str, Any] = json.loads(whole.site.run_python(f"{INSIDE}print_found()"))
    return found


def _nothing_waits(whole: Whole, first: str) -> bool:
    left = waiting(whole, first)
    print(left, file=sys.stderr)
    return not any(left.values())


def lines_of(
    evening: Evening, compared: Comparison, kills: Kills, found: dict[str, Any]
) -> Iterator[str]:
    """The lines of the report."""
    yield "seconds until it answers again, after SIGKILL:"
    for name, times in kills.story.back_after.items():
        yield f"  {name:11} {'  '.join(f'{seconds:5.1f}' for seconds in times)}"
    yield f"phones: {dict(evening.tally.errors)}"
    yield f"deals: {compared}"
    yield f"documents: {found['reports']}, by tries {found['attempts']}; files: "
    yield f"  missing {found['files_missing']}, left by the dead {found['files_left']}"
    mails, calls = kills.whole.mails.got, Counter(kills.whole.receiver.ids)
    twice = sum(number - 1 for number in mails.values())
    yield f"emails: {found['emails']} written, {len(mails)} arrived, {twice} of them once more"
    again = sum(number - 1 for number in calls.values())
    yield f"calls: {len(found['calls'])} noted, {len(calls)} arrived, {again} of them once more"
    yield f"results: {found['results']}; differences of what is stored: {found['differences']}"
    yield from problems_of(compared, kills, found)


def problems_of(compared: Comparison, kills: Kills, found: dict[str, Any]) -> list[str]:
    """The failures found."""
    problems = kills.story.problems + compared.problems + found["differences"]
    if set(found["reports"]) - {"done"}:
        problems.append(f"documents: {found['reports']}")
    if found["files_missing"] or found["files_of_two"]:
        problems.append(f"files: {found}")
    if len(kills.whole.mails.got) != kills.emails:
        problems.append(f"{kills.emails} emails, {len(kills.whole.mails.got)} arrived")
    if set(found["calls"]) != set(kills.whole.receiver.ids):
        problems.append("calls differ from what the receiver got")
    if compared.lost or compared.twice:
        problems.append(str(compared))
    return problems


def run(whole: Whole, rounds: int, tables: int, seconds: float, followers: int) -> int:
    """Play and kill; whether anything was wrong."""
    whole.mails.slow = 0.2
    hook = whole.receiver.url("127.0.0.1")
    laid = json.loads(whole.site.run_python(f"{INSIDE}print_laid({tables}, '{hook}')"))
    chosen = Plan(seconds=seconds, followers=followers, longest_delay=LONGEST_DELAY)
    evening = come(whole.site.host, whole.site.port, laid, chosen)
    kills = Kills(whole, rounds, laid[0]["follow"])
    asyncio.run(play(evening, chosen, kills))
    whole.mails.slow = 0.0
    found = finish(whole, kills.story)
    sheets = json.loads(
        whole.site.run_python(READ.format([table.game for table in evening.tables]))
    )
    compared = compare(sheets, evening.tables, evening.followers)
    print("\n".join(lines_of(evening, compared, kills, found)))
    return 1 if problems_of(compared, kills, found) else 0
