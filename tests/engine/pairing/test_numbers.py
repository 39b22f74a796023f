from dataclasses import replace

import pytest

from tests.engine.pairing.evenings import field_of, play
from tournaments.engine.documents.verify import redraw, write_draw
from tournaments.engine.pairing.field import PlayedRound
from tournaments.engine.pairing.methods import METHODS, schedule, seat_rest, seat_round


def best(field, table):
    return sorted((field.entrants[field.index[name]].score for name in table), reverse=True)


def wishing(field, wishes):
    """The field with numbers of tables that entrants wish, by id."""
    entrants = (replace(each, table=wishes.get(each.id, 0)) for each in field.entrants)
    return replace(field, entrants=tuple(entrants))


@pytest.mark.parametrize("method", [name for name in METHODS if name != "round-robin"])
@pytest.mark.parametrize("size", [4, 2])
def test_the_leaders_sit_at_the_first_table_in_every_round(method, size):
    field = field_of(18, table_size=size, seed=5)

    for seating in play(field, 3, method):
        strength = [best(field, table) for table in seating.tables]
        assert strength == sorted(strength, reverse=True)
        assert "e1" in (*seating.tables[0], *seating.byes)


def test_a_wish_gives_the_table_its_number_and_the_others_stay_in_order():
    field = field_of(20, seed=2)
    plain = seat_round(field, "rank-near").tables

    # Beyond the last table there is none, and of two wishes for one the higher place counts.
    for wishes, order in (
        ({"e1": 5}, (1, 2, 3, 4, 0)),
        ({"e20": 1}, (4, 0, 1, 2, 3)),
        ({"e1": 4, "e5": 4, "e9": 1}, (2, 1, 3, 0, 4)),
        ({"e1": 6}, (0, 1, 2, 3, 4)),
        ({"e1": 3, "e2": 2}, None),
    ):
        seated = seat_round(wishing(field, wishes), "rank-near").tables
        assert {*seated} == {*plain}
        if order is not None:
            assert seated == tuple(plain[at] for at in order), wishes
        else:
            assert seated.index(plain[0]) in (1, 2)


def test_locked_tables_keep_their_numbers_before_any_wish():
    field = wishing(field_of(20, seed=2), {"e1": 2})
    locked = ("e17", "e18", "e19", "e20")

    tables = seat_rest(field, "rank-near", {1: locked}).tables

    assert tables[1] == locked
    assert [best(field, table)[0] for table in tables] == [19, 3, 15, 11, 7]
    # A place beyond the last table is the last one.
    assert seat_rest(field, "rank-near", {7: locked}).tables[4] == locked


@pytest.mark.parametrize("method", ["fixed", "swiss"])
def test_a_round_with_wishes_is_drawn_again_as_it_was(method):
    field = wishing(field_of(16, seed=3), {"e9": 1, "e2": 3})
    seatings = schedule(field, 5, method) if method == "fixed" else play(field, 3, method)
    rounds, left = [], len(seatings)

    for number, seating in enumerate(seatings):
        drawn = replace(field, rounds=tuple(rounds))
        if method == "fixed":
            drawn = replace(drawn, rounds_left=left - number)
        document = write_draw(method, 1, [(drawn, {})], seating)
        assert redraw(document, rounds)[0] == list(seating.tables)
        assert "e9" in seating.tables[0]
        rounds.append(PlayedRound(seating.tables, seating.byes))


def test_version_four_numbered_tables_as_they_were_found():
    field = wishing(field_of(20, seed=1), {"e20": 1})
    (before,) = play(replace(field, version=4), 1, "random")
    (now,) = play(field, 1, "random")

    assert {*before.tables} == {*now.tables}
    assert before.tables != now.tables
    assert "e20" in now.tables[0]
    document = write_draw("random", 1, [(field, {})], before) | {"version": 4}
    assert redraw(document, [])[0] == list(before.tables)
