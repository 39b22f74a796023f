"""The settings about who sees a tournament, against the pages that each visitor gets."""

import re
from itertools import product

from django.test import Client
from django.urls import reverse

from tests.deals import NAMES
from tests.factories import EVENING
from tests.tournament_builders import PENALTY, SHORT, decide, opened, play, running, seated
from tests.web.members import member_of
from tournaments.models import Event, Tournament
from tournaments.services.audit import NOBODY
from tournaments.services.rounds.running import close_round

STAGES = {
    "draft": ((), (), ()),
    "registration": ((), (), ()),
    "proposal": ((), (), ()),
    "round open": ((1,), (1,), (1,)),
    "last round open": ((1, 2), (1, 2), (1,)),
    "last round closed": ((1, 2), (1, 2), (1, 2)),
    "final open": ((1, 2, 3), (1, 2, 3), (1, 2)),
    "final closed": ((1, 2, 3), (1, 2, 3), (1, 2)),
    "finished": ((1, 2, 3), (1, 2, 3), (1, 2, 3)),
}
"""For each stage: the rounds with tables to look at, those whose results everybody sees, and those
whose results they see if the standings are hidden during the last round."""

RUNNING = {"last round open": 2, "final open": 3}

SHEET = r'href="(/\S+?/games/\S+?)"'


def led_through(row):
    """Lead two rounds and a final from stage to stage, with a ruling in the first."""
    for state in ("draft", "registration", "running"):
        Tournament.objects.update(state=state)
        if state == "running":
            seated(row)
        yield "proposal" if state == "running" else state
    for stage in ("round", "last round", "final"):
        round_ = opened(row)
        if stage == "round":
            decide(round_, 1, PENALTY)
        play(round_, SHORT)
        yield f"{stage} open"
        close_round(round_.pk, NOBODY, at=EVENING)
        if stage != "round":
            yield f"{stage} closed"
    Tournament.objects.update(state="finished")
    yield "finished"


def seen(browser, row, last):
    """Rounds with tables, with totals, with a column, and in a sum; the reason of the ruling."""
    slugs = [row.event.club.slug, row.slug]
    names = ("standings", "rulings")
    standings, rulings = (browser.get(reverse(name, args=slugs)) for name in names)
    if (standings.status_code, rulings.status_code) == (404, 404):
        return None, ()
    rounds = {n: browser.get(reverse("running", args=[*slugs, n])) for n in range(1, last + 2)}
    tables = {n: page.text for n, page in rounds.items() if page.status_code == 200}
    totals = tuple(n for n, text in tables.items() if "<b>−520</b>" in text)
    sheets = {sheet for text in tables.values() for sheet in re.findall(SHEET, text)}
    why = browser.get(reverse("why_place", args=[*slugs, 1])).text
    columns = len(re.findall(r'<th [^>]*class="num round">', standings.text))
    reasons = [PENALTY.reason in page for page in (rulings.text, why)]
    rows = why.count('<th scope="row" class="num">')
    return (tuple(tables), totals, columns, rows, reasons), sheets


def promised(stage, visitor, *, published, hidden):
    if (visitor == "stranger" and not published) or (visitor != "director" and stage == "draft"):
        return None
    tables, *counted = STAGES[stage]
    results = counted[hidden and visitor != "director"]
    # The standings are those after the last closed round, if there is one.
    shown = len([n for n in results if n != RUNNING.get(stage)])
    return tables, results, shown, shown, [bool(tables)] * 2


def test_each_visitor_sees_at_each_stage_as_much_as_the_settings_promise(visitor):
    row = running(*NAMES, rounds=2, finals=4)
    club = row.event.club
    looks = {
        "stranger": Client(headers={"accept-language": "en"}),
        "member": member_of(club),
        "director": visitor.become("director", club),
    }
    found, expected, linked = {}, {}, set()

    for revision, stage in enumerate(led_through(row), 1):
        for published, hidden in product((False, True), repeat=2):
            # To members and directors it is all the same what is published; directors see all.
            whom = ("stranger",) if published else ("stranger", "member", "director")
            Event.objects.update(published=published)
            settings = Tournament.objects.get().settings | {"hide_last": hidden}
            # Another revision: pages are kept by it.
            Tournament.objects.update(settings=settings, revision=revision * 1000 + hidden)
            for who in whom[: 2 + hidden]:
                at = (stage, who, published, hidden)
                found[at], sheets = seen(looks[who], row, len(STAGES[stage][0]))
                linked |= {(who, sheet) for sheet in sheets}
                expected[at] = promised(stage, who, published=published, hidden=hidden)

    assert found == expected
    assert len(linked) == 6
    assert all(NAMES[0] in looks[who].get(sheet).text for who, sheet in linked)
