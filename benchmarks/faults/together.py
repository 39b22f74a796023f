"""Two web servers, two workers and two clocks on one database: each thing is done once."""

import asyncio
import json
import time
from collections import Counter
from dataclasses import dataclass

from benchmarks.evening.comparing import compare
from benchmarks.evening.phones import Phone
from benchmarks.evening.playing import Plan, come, play
from benchmarks.faults.kills import INSIDE, READ, Story, finish
from benchmarks.faults.programs import Whole

ROUNDS = 6
EMAILS_EACH = 20


@dataclass
class Orders:
    """Emails and documents, now and then, while others play."""

    whole: Whole
    seconds: float
    emails: int = 0

    def __call__(self) -> None:
        """Have them done."""
        for number in range(ROUNDS):
            site = self.whole.sites[number % len(self.whole.sites)]
            site.run_python(
                f"{INSIDE}write('together-{number}', {EMAILS_EACH}); inside.ask_for_sheets(20)"
            )
            self.emails += EMAILS_EACH
            time.sleep(self.seconds / ROUNDS / 2)


def run(whole: Whole, tables: int, seconds: float, followers: int) -> int:
    """Play at both; whether anything was done twice or not at all."""
    # Long enough that the other worker looks for emails meanwhile.
    whole.mails.slow = 0.05
    hook = whole.receiver.url("127.0.0.1")
    laid = json.loads(whole.site.run_python(f"{INSIDE}print_laid({tables}, '{hook}')"))
    chosen = Plan(seconds=seconds, followers=followers)
    evening, other = come(whole.site.host, whole.site.port, laid, chosen), whole.sites[1]
    for each in [*evening.tables[1::2], *evening.followers[1::2]]:
        each.phone = Phone(other.host, other.port, evening.tally)
    orders, story = Orders(whole, seconds), Story()
    asyncio.run(play(evening, chosen, orders))
    found = finish(whole, story, kill=False)
    games = [table.game for table in evening.tables]
    compared = compare(
        json.loads(whole.site.run_python(READ.format(games))), evening.tables, evening.followers
    )
    mails, calls = whole.mails.got, Counter(whole.receiver.ids)
    print(f"phones: {dict(evening.tally.errors) or 'no error'}; deals: {compared}")
    print(f"documents: {found['reports']}, by tries {found['attempts']}")
    print(f"emails: {found['emails']} written, arrived so often: {Counter(mails.values())}")
    print(f"calls: {len(found['calls'])} noted, arrived so often: {Counter(calls.values())}")
    print(f"results: {found['results']}; differences of what is stored: {found['differences']}")
    wrong = [*story.problems, *compared.problems, *found["differences"]]
    if [set(found["attempts"]), set(mails.values()), set(calls.values())] != [{"1"}, {1}, {1}]:
        wrong.append("something was done twice")
    if len(mails) != orders.emails or set(calls) != set(found["calls"]):
        wrong.append("something was not done")
    for line in wrong:
        print("WRONG:", line)
    return 1 if wrong else 0
