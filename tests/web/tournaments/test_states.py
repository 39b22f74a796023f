import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from tests.deals import WHOLE_GAME
from tests.factories import EVENING, record_all
from tests.tournament_builders import closed, opened, play, published, running, seated
from tests.web.members import member_of
from tests.web.standings.shown import page
from tournaments import models
from tournaments.services.audit import NOBODY
from tournaments.services.tournaments.lifecycle import move_tournament

TWELVE = [f"Oyuncu {n:02}" for n in range(1, 13)]


def tables(round_, **at):
    """Three tables, the first of which plays deal 3 and the second deal 2; the third is over."""
    for number, entries in ((1, WHOLE_GAME[:2]), (2, WHOLE_GAME[:1]), (3, WHOLE_GAME)):
        record_all(models.Game.objects.get(table__round=round_, table__number=number), entries)
    models.Round.objects.filter(pk=round_.pk).update(**at)
    return round_


def ago(**time):
    return timezone.now() - timedelta(**time)


def draft(row):
    models.Tournament.objects.update(state="draft")
    models.Event.objects.update(starts_at="19:30")


def registration(row):
    models.Tournament.objects.update(state="registration")
    row.entrants.filter(number__gt=3).delete()


def called(row):
    round_ = tables(opened(row))
    for number, minutes in ((2, 1), (1, 5)):
        round_.tables.filter(number=number).update(called_at=ago(minutes=minutes))


def one_left(row):
    record_all(models.Game.objects.get(table__round=tables(opened(row)), table__number=1), OVER)


OVER = [{"type": "stopped", "reason": "time"}]


def unconfirmed(row):
    play(opened(row))
    models.Event.objects.update(confirmations="all")


def started(row):
    tables(opened(row), clock_seconds=3600, clock_started_at=ago(minutes=18), clock_used=True)


def time_over(row):
    tables(
        opened(row),
        clock_seconds=3600,
        clock_started_at=ago(minutes=64, seconds=30),
        clock_used=True,
    )


def final(row):
    closed(row)
    closed(row)
    opened(row)


def finished(row):
    for _round in range(3):
        closed(row)
    move_tournament(row.pk, "finished", NOBODY, at=EVENING)


UNSTARTED = "clock not started."

STATES = [
    (draft, "Draft: 12 entrants; starts at 19:30; only directors see it.", None),
    (
        registration,
        "Registration is open: 3 entrants; a table needs 4 entrants.",
        "Registration is open: 3 entrants.",
    ),
    (
        lambda _row: None,
        "Running: no round is seated yet; 12 entrants.",
        "Running: the round is being prepared; 12 entrants.",
    ),
    (
        seated,
        "Round 1 of 2: only directors see this seating until it is published.",
        "Round 1 of 2: the round is being prepared.",
    ),
    (
        published,
        "Round 1 of 2: 3 tables seated; clock not started.",
        "Round 1 of 2: 3 tables seated.",
    ),
    (opened, f"Round 1 of 2: 3 tables are playing; {UNSTARTED}", ...),
    (
        started,
        "Round 1 of 2: time left 42 min; 2 tables are playing, table 2 last (deal 2).",
        "Round 1 of 2: time left 42 min; 2 tables are playing.",
    ),
    (
        time_over,
        "Round 1 of 2: time was up 4 min ago; 2 tables are playing, table 2 last (deal 2).",
        "Round 1 of 2: time was up 4 min ago; 2 tables are playing.",
    ),
    (
        called,
        "Round 1 of 2: 2 tables are playing, table 2 last (deal 2); tables 1, 2 have called you; "
        + UNSTARTED,
        f"Round 1 of 2: 2 tables are playing; {UNSTARTED}",
    ),
    (
        one_left,
        f"Round 1 of 2: only table 2 is still playing (deal 2); {UNSTARTED}",
        f"Round 1 of 2: 1 table is playing; {UNSTARTED}",
    ),
    (
        unconfirmed,
        f"Round 1 of 2: all tables have finished; table 1 is not confirmed; {UNSTARTED}",
        f"Round 1 of 2: all tables have finished; {UNSTARTED}",
    ),
    (closed, "Round 1 of 2: closed.", ...),
    (final, f"Final: 1 table is playing; {UNSTARTED}", ...),
    (finished, "Finished: 12 entrants; the standings are final.", ...),
]
"""What leads there, and how the pages of a director and of a member begin (...: the same way)."""


@pytest.mark.parametrize(("lead", "to_director", "to_member"), STATES)
def test_tournament_opens_with_its_state_in_one_sentence(visitor, lead, to_director, to_member):
    row = running(*TWELVE, rounds=2, finals=4, minutes=60)
    lead(row)
    club = row.event.club

    hub = page(visitor.become("director", club), row, "tournament")
    seen = page(member_of(club), row, "tournament")

    strip = re.search(r'id="strip".*?<p>(.*?)(?:<button|</p>)', hub.text, re.DOTALL)[1]
    assert words(strip) == to_director
    state = re.search(r'tournament-state">(.*?)</p>', seen.text, re.DOTALL)
    found = words(state[1]) if seen.status_code == 200 else None
    assert found == (to_director if to_member is ... else to_member)


def out(row):
    seated_out = published(row).sittings.get(table=None).entrant
    return seated_out.number


def before(row):
    registration(row)
    models.Event.objects.update(starts_at="19:30")
    return 1


def at_table(row):
    closed(row, ENTRIES)
    opened(row)
    return best(row)


FINE = {"type": "adjustment", "to": "none", "reason": "revoke"}
ENTRIES = [FINE | {"seat": 0, "points": 50}, FINE | {"seat": 1, "points": -100}, *OVER]


def best(row):
    """The number of an entrant with 50 points from round 1."""
    return row.entrants.filter(sittings__side=0, sittings__round__number=1).first().number


def after_one(row):
    closed(row, ENTRIES)
    return row.entrants.filter(sittings__side=1).first().number


def game_over(row):
    play(opened(row), ENTRIES)
    return best(row)


def gone(row):
    number = after_one(row)
    row.entrants.filter(number=number).update(withdrawn_at=EVENING)
    return number


def in_final(row):
    closed(row, ENTRIES)
    closed(row)
    return published(row).sittings.exclude(table=None).first().entrant.number


def over(row):
    closed(row, ENTRIES)
    move_tournament(row.pk, "finished", NOBODY, at=EVENING)
    return best(row)


@pytest.mark.parametrize(
    ("lead", "sentence"),
    [
        (before, "Your number is 1; starts at 19:30."),
        (out, "You sit this round out."),
        (at_table, "You sit at table 1; 50 points inside the cut for the final."),
        (after_one, "You are in place 11 of 13 with −100 points; 100 points to the final."),
        (game_over, "Your game is over: place 1 at table 1 with 50 points."),
        (gone, "You are in place 11 of 13 with −100 points; you have withdrawn."),
        (in_final, "You sit at table 1; you play the final."),
        (over, "You finished in place 1 of 13 with 50 points."),
    ],
)
def test_card_opens_with_where_one_sits_or_stands(lead, sentence):
    row = running(*TWELVE, "On Üç", rounds=2, finals=4)
    looker, number = member_of(row.event.club), lead(row)
    choose = reverse("choose_entrant", args=[row.event.club.slug, row.slug])
    looker.post(choose, {"number": number})

    found = re.search(r'<p class="my-state">(.*?)</p>', page(looker, row, "tournament").text)[1]

    assert found == sentence


def words(html):
    return " ".join(re.sub("<.*?>", "", html).split())
