from dataclasses import replace
from itertools import chain
from random import Random

import pytest

from tests.engine.pairing.evenings import everybody, field_of
from tournaments.engine.pairing import methods
from tournaments.engine.pairing.field import Entrant, PlayedRound
from tournaments.engine.pairing.judging import InvalidSeating, judge


def after_rounds(field, number):
    for _ in range(number):
        seating = methods.seat_round(field, "swiss")
        played = PlayedRound(seating.tables, seating.byes)
        field = replace(field, rounds=(*field.rounds, played))
    return field


def published(field, begun=()):
    seating = methods.seat_round(field, "swiss")
    return methods.Published(seating.tables, seating.byes, frozenset(begun))


@pytest.mark.parametrize("size", [2, 4])
def test_a_drawn_seating_is_judged_as_it_was_drawn(size):
    field = after_rounds(field_of(19, table_size=size, fixed=(("e1", "e9"),)), 2)
    drawn = methods.seat_round(field, "swiss")

    assert judge(field, drawn.tables, drawn.byes) == drawn


def test_what_is_no_seating_is_told_with_every_fault():
    tables = [("e1", "e2", "e3", "e4"), ("e5", "e6", "e7"), ("e1", "e9", "nobody", "e10")]

    with pytest.raises(InvalidSeating) as refused:
        judge(field_of(11), tables, ["e11"])

    assert [fault.code for fault in refused.value.faults] == [
        *("odd-table", "unknown", "seated-twice", "unseated")
    ]


def test_a_swap_shows_what_it_costs():
    field = field_of(
        8,
        rounds=(PlayedRound((("e1", "e2", "e3", "e5"), ("e4", "e6", "e7", "e8"))),),
        avoid=(("e4", "e5"),),
        fixed=(("e1", "e4"),),
    )
    seating = judge(field, [("e1", "e2", "e4", "e6"), ("e7", "e3", "e5", "e8")], [])

    swapped = methods.swap(field, seating, "e6", "e3")
    again = methods.swap(field, swapped.seating, "e1", "e5")

    assert swapped.seating.tables == (("e1", "e2", "e4", "e3"), ("e7", "e6", "e5", "e8"))
    assert [(c.name, c.before, c.after) for c in swapped.changes] == [
        ("repeat_meetings", 4, 6),
        ("score_spread", 5, 3),
    ]
    assert {c.name: (c.before, c.after) for c in again.changes}["fixed_parted"] == (0, 1)
    assert {c.name: (c.before, c.after) for c in again.changes}["avoided_met"] == (0, 1)
    assert methods.swap(field, swapped.seating, "e3", "e6").seating == seating


def test_a_bye_and_a_seat_are_swapped_and_two_at_one_table():
    field = field_of(9)
    seating = judge(field, [("e1", "e2", "e3", "e4"), ("e5", "e6", "e7", "e8")], ["e9"])

    out = methods.swap(field, seating, "e9", "e2")
    turned = methods.swap(field, seating, "e5", "e8")

    assert (out.seating.tables[0], out.seating.byes) == (("e1", "e9", "e3", "e4"), ("e2",))
    assert turned.seating.tables[1] == ("e8", "e6", "e7", "e5")
    assert turned.changes == ()


def test_who_is_not_there_is_not_swapped():
    field = field_of(8)
    seating = methods.seat_round(field, "swiss")

    with pytest.raises(InvalidSeating):
        methods.swap(field, seating, "e1", "nobody")


@pytest.mark.parametrize("method", methods.METHODS)
def test_locked_tables_stay_where_they_are_and_the_rest_is_seated_again(method):
    field = after_rounds(field_of(16, seed=5, avoid=(("e1", "e12"),)), 2)
    first = methods.seat_round(field, method)
    locked = {1: first.tables[1], 3: first.tables[3][::-1]}

    second = methods.seat_rest(replace(field, seed=6), method, locked)

    assert {number: second.tables[number] for number in locked} == locked
    assert everybody(second) == sorted(field.index)
    assert second.tables != first.tables


def test_the_rest_keeps_the_byes_that_were_due_and_may_be_nobody():
    field = after_rounds(field_of(14), 1)
    drawn = methods.seat_round(field, "swiss")

    again = methods.seat_rest(field, "swiss", {0: drawn.tables[0]})
    whole = methods.seat_rest(field, "swiss", dict(enumerate(drawn.tables)))

    assert again.byes == drawn.byes
    assert whole == drawn


def test_a_locked_table_must_be_full():
    with pytest.raises(InvalidSeating):
        methods.seat_rest(field_of(12), "swiss", {0: ("e1", "e2", "e3")})


def test_a_table_is_given_up_only_where_nobody_waits_and_then_it_fills_the_others():
    field = field_of(16)
    before = published(field, begun={3})
    leaving = [before.tables[0][1], before.tables[2][0], before.tables[2][3]]

    after = methods.late_change(field, before, leaving=leaving)

    assert after.changed == {0, 2}
    assert after.tables[2] == ()
    assert len(after.seating.tables) == 3
    assert len(after.byes) == 1
    assert [after.tables[0][seat] for seat in (0, 2, 3)] == [
        before.tables[0][seat] for seat in (0, 2, 3)
    ]
    # The highest of the two who are left over plays.
    assert after.tables[0][1] == min(before.tables[2][1:3], key=lambda name: int(name[1:]))


def test_a_table_that_has_begun_is_never_left():
    field = field_of(13)
    before = published(field, begun={1})

    with pytest.raises(methods.ImpossibleChange) as refused:
        methods.late_change(field, before, leaving=[before.tables[1][0]])

    assert (refused.value.code, refused.value.table) == ("begun", 1)


def test_the_last_table_cannot_be_given_up():
    field = field_of(4)

    with pytest.raises(methods.ImpossibleChange, match="too-few"):
        methods.late_change(field, published(field), leaving=["e2"])


def test_who_is_unknown_or_already_seated_makes_no_late_change():
    field = field_of(8)
    before = published(field)

    for change in ({"leaving": ["x"]}, {"arriving": ["x"]}, {"arriving": ["e1"]}):
        with pytest.raises(InvalidSeating):
            methods.late_change(field, before, **change)


def test_who_takes_a_seat_has_met_nobody_there_where_that_can_be():
    played = PlayedRound((("e1", "e7", "gone", "away"), ("e4", "e8", "left", "off")))
    field = field_of(8, rounds=(played,))
    before = methods.Published([("e1", "x1", "e2", "e3"), ("e4", "e5", "x2", "e6")], ["e7", "e8"])
    there = replace(field, entrants=(*field.entrants, Entrant("x1"), Entrant("x2")))

    after = methods.late_change(there, before, leaving=["x1", "x2"])

    assert after.tables == (("e1", "e8", "e2", "e3"), ("e4", "e5", "e7", "e6"))


@pytest.mark.parametrize("seed", range(40))
def test_any_late_change_touches_only_the_tables_it_must(seed):
    random = Random(seed)
    size = random.choice([2, 4])
    field = after_rounds(field_of(random.randrange(12, 40), table_size=size), 1)
    before = published(field)
    begun = set(random.sample(range(len(before.tables)), 2))
    free = [n for at, t in enumerate(before.tables) if at not in begun for n in t]
    leaving = random.sample([*free, *before.byes], random.randrange(4))
    arriving = [f"late{n}" for n in range(random.randrange(4))]
    more = replace(field, entrants=(*field.entrants, *map(Entrant, arriving)))

    after = methods.late_change(
        more,
        methods.Published(before.tables, before.byes, begun),
        arriving=arriving,
        leaving=leaving,
    )

    left = {n for n, table in enumerate(before.tables) if {*table} & {*leaving}}
    new = set(range(len(before.tables), len(after.tables)))
    assert after.changed == left | new
    assert len(after.byes) == (len(more.entrants) - len(leaving)) % size
    seated = [*chain(*after.tables), *after.byes]
    assert sorted(seated) == sorted({*more.index} - {*leaving})
    for number, table in enumerate(after.tables[: len(before.tables)]):
        stayed = [(s, n) for s, n in enumerate(before.tables[number]) if n not in leaving]
        assert not table or all(table[seat] == name for seat, name in stayed)
