"""Two directors at one seating at the same moment, on real connections.

What holds them apart are the locks of the tournament, the round and its games, and on SQLite the
immediate transaction.
"""

import pytest

from tests.club_factories import PlayerFactory
from tests.evening_builders import write
from tests.factories import EVENING
from tests.together import at_once, while_another_is_writing
from tests.tournament_builders import NINE, opened, published, running, seated
from tournaments.models import Entrant, Game, Round, Tournament
from tournaments.services.audit import NOBODY
from tournaments.services.events import events
from tournaments.services.games import tables
from tournaments.services.people.merging import merge_players
from tournaments.services.rounds import late_changes, rounds, seating, swapping
from tournaments.services.rounds.taking_back import take_back_round

pytestmark = pytest.mark.django_db(transaction=True)


def seat(row):
    return lambda: seating.seat_next_round(row.pk, NOBODY, at=EVENING).pk


def test_two_who_seat_the_next_round_get_the_same_one():
    row = running(*NINE)

    first, second = at_once(seat(row), seat(row))

    assert first == second
    assert Round.objects.count() == 1


def test_swap_sent_by_two_is_made_once():
    row = running(*NINE[:8])
    round_ = seated(row)
    seen = Tournament.objects.get(pk=row.pk).revision
    one, other = (table[0] for table in round_.seating["tables"])

    def swap():
        at = {"seen": seen, "at": EVENING}
        swapping.swap_seats(round_.pk, one, other, NOBODY, **at)
        return "swapped"

    done = at_once(swap, swap)

    assert sorted(done) == ["SeatingMoved", "swapped"]
    tables = Round.objects.get(pk=round_.pk).seating["tables"]
    assert [table[0] for table in tables] == [other, one]


def test_exchange_by_two_at_a_table_that_begins_is_made_once():
    round_ = opened(running(*NINE[:8]))
    table = round_.tables.get(number=1)
    seats = Entrant.objects.filter(sittings__table=table).order_by("sittings__side")
    keys = [entrant.key for entrant in seats]
    seen = Tournament.objects.get().revision

    def exchange():
        asked = swapping.Exchange(keys[:2])
        swapping.exchange_seats(round_.pk, asked, NOBODY, seen=seen, at=EVENING)
        return "exchanged"

    *exchanges, begun = at_once(exchange, exchange, write(table))

    assert sorted(exchanges) == ["SeatingMoved", "exchanged"]
    # The deal counts for the chairs, or was written for the people of before.
    assert begun in (1, "StaleRevision")
    assert [entrant.key for entrant in seats.all()] == [keys[1], keys[0], *keys[2:]]


def test_table_that_begins_while_somebody_is_taken_from_it_is_one_of_the_two():
    row = running(*NINE)
    round_ = opened(row)
    table = round_.tables.get(number=1)
    leaving = Entrant.objects.get(sittings__table=table, sittings__side=0)

    def leave():
        late_changes.change_late(round_.pk, NOBODY, at=EVENING, leaving=[leaving.pk])
        return "left"

    begun, left = at_once(write(table), leave)

    names = Game.objects.get(table=table).players
    assert (begun, left, leaving.player.name in names) in [
        (1, "TableBegun", True),
        ("StaleRevision", "left", False),
    ]


def take_back(round_):
    return lambda: take_back_round(round_.pk, NOBODY, at=EVENING).state


def close(round_):
    rounds.open_round(round_.pk, NOBODY, at=EVENING)
    return lambda: rounds.close_round(round_.pk, NOBODY, at=EVENING).state


def close_evening(round_):
    rounds.open_round(round_.pk, NOBODY, at=EVENING)
    return lambda: events.close_round(round_.pk, NOBODY, at=EVENING).state


def let_leave(round_):
    leaving = Entrant.objects.get(sittings__table__number=1, sittings__side=0)
    made = {"at": EVENING, "leaving": [leaving.pk]}
    return lambda: bool(late_changes.change_late(round_.pk, NOBODY, **made))


@pytest.mark.parametrize(
    ("lead", "gave"),
    [
        (take_back, "seated"),
        (close, "RoundNotReady"),
        (close_evening, "closed"),
        (let_leave, True),
    ],
)
def test_table_whose_address_is_replaced_meanwhile_blocks_nobody(lead, gave):
    round_ = published(running(*NINE))
    table = round_.tables.get(number=1)

    def replace():
        return tables.replace_address(table.pk, NOBODY, at=EVENING).generation

    first, second, waited = while_another_is_writing(replace, lead(round_), "UPDATE")

    assert (first, second, waited) == (2, gave, True)


def test_round_that_is_taken_back_waits_for_players_who_are_merged():
    round_ = published(running(*NINE))
    gone = Entrant.objects.get(sittings__table__number=1, sittings__side=0).player
    kept = PlayerFactory(club=gone.club)

    def merge():
        return merge_players(kept.pk, gone.pk, NOBODY, at=EVENING).kept_id

    first, second, waited = while_another_is_writing(merge, take_back(round_))

    assert (first, second, waited) == (kept.pk, "seated", True)
