import sys
from itertools import islice

from tests.deals import NAMES
from tests.factories import EVENING, GameFactory, SetupFactory
from tournaments.engine.variants import RULESETS
from tournaments.models import Game, Revision
from tournaments.queries.sheets import load_sheet, put_computed


def fines(number, reason="bekletti"):
    """The bodies of adjustments, each of another seat or number of points."""
    return [
        {"type": "adjustment", "seat": n % 2, "points": 1 + n % 7, "reason": reason, "to": "none"}
        for n in range(number)
    ]


def record_with(entries, ruleset="turkish-king", **more):
    players = list(NAMES[: RULESETS[ruleset].seats])
    head = {"format": "kingscore-game/1", "ruleset": ruleset, "players": players}
    return {**head, "entries": entries, **more}


def stored_game(entries, revisions=None, **head):
    """A game whose revisions are put past the services, as an older version stored them."""
    row = GameFactory(head=SetupFactory(**head))
    put_entries(row, entries, revisions)
    return row


def put_entries(row, entries, revisions=None):
    """Put entries on an empty sheet, then new versions of them in turn up to `revisions`."""
    count = len(entries)
    bodies = [
        (
            n % count,
            {**entries[n % count], "note": f"version {n // count}"} if n >= count else entries[n],
        )
        for n in range(revisions or count)
    ]
    Revision.objects.bulk_create(
        Revision(
            game=row,
            revision=number,
            key=f"long-sheet-{number:05}",
            kind="entry" if number <= len(entries) else "correction",
            position=position,
            body=body,
            author=row.players[0],
            reason="" if number <= len(entries) else "as it was played",
            at=EVENING,
        )
        for number, (position, body) in enumerate(bodies, 1)
    )
    row.revision = len(bodies)
    put_computed(load_sheet(row))
    row.save()


def lines_run(act):
    """How many lines of Python `act` runs; a loop in a comprehension counts each time round."""
    count = 0

    def trace(_frame, _event, _arg):
        nonlocal count
        count += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        act()
    finally:
        sys.settrace(before)
    return count


def chunks(items, size):
    left = iter(items)
    while chunk := list(islice(left, size)):
        yield chunk


def revisions_of(game):
    return Game.objects.get(pk=game.pk).revision
