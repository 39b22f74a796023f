import subprocess
import sys
from dataclasses import replace
from itertools import chain, combinations

import pytest

from tests.engine.pairing.evenings import everybody, field_of, play
from tournaments.engine.pairing.field import Entrant, ImpossibleFixed, PairingField, PlayedRound
from tournaments.engine.pairing.methods import METHODS, NoRoundRobin, schedule, seat_round


def ranks(seating):
    return [sorted(int(name[1:]) for name in table) for table in seating.tables]


def met_twice(seatings):
    pairs = [pair for s in seatings for t in s.tables for pair in combinations(sorted(t), 2)]
    return sorted({pair for pair in pairs if pairs.count(pair) > 1})


def test_neighbours_in_the_standings_share_a_table():
    seating = seat_round(field_of(16), "rank-near")

    assert ranks(seating) == [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [13, 14, 15, 16]]


@pytest.mark.parametrize("method", ["swiss", "random", "rank-near", "rank-spread"])
@pytest.mark.parametrize("teams", [4, 5, 6])
def test_teammates_are_parted_where_that_is_possible(method, teams):
    for seed in range(10):
        field = field_of(4 * teams)
        names = [entrant.id for entrant in field.entrants]
        avoid = [pair for at in range(teams) for pair in combinations(names[at::teams], 2)]
        seating = seat_round(replace(field, avoid=tuple(avoid), seed=seed), method)
        assert seating.quality.avoided_met == 0, seed


def test_across_the_standings_each_table_has_one_of_each_quarter():
    seating = seat_round(field_of(16), "rank-spread")

    assert ranks(seating) == [[1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15], [4, 8, 12, 16]]


@pytest.mark.parametrize(
    ("method", "tables"),
    [("rank-near", [[1, 2], [3, 4], [5, 6]]), ("rank-spread", [[1, 4], [2, 5], [3, 6]])],
)
def test_rank_seats_two_at_a_table_and_the_last_sits_out(method, tables):
    seating = seat_round(field_of(7, table_size=2), method)

    assert ranks(seating) == tables
    assert seating.byes == ("e7",)


@pytest.mark.parametrize("method", ["rank-near", "rank-spread", "random"])
def test_groups_share_a_table_and_pairs_are_kept_apart(method):
    field = field_of(
        24,
        fixed=(("e1", "e24"), ("e24", "e9"), ("e2", "e3", "e10", "e11")),
        avoid=(("e5", "e6"), ("e13", "e14"), ("e4", "e16"), ("e1", "e2")),
    )

    for seed in range(5):
        seating = seat_round(replace(field, seed=seed), method)

        assert seating.quality.fixed_parted == 0
        assert seating.quality.avoided_met == 0
        assert everybody(seating) == sorted(field.index)


def test_a_pair_kept_apart_moves_no_further_than_it_must():
    near = seat_round(field_of(16, avoid=(("e1", "e2"),)), "rank-near")
    spread = seat_round(field_of(16, avoid=(("e1", "e5"),)), "rank-spread")

    assert ranks(near)[2:] == [[9, 10, 11, 12], [13, 14, 15, 16]]
    assert ranks(spread)[2:] == [[3, 7, 11, 15], [4, 8, 12, 16]]
    assert sorted(chain.from_iterable(ranks(spread)[:2])) == [1, 2, 5, 6, 9, 10, 13, 14]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("size", [2, 4])
def test_a_group_larger_than_a_table_is_refused_except_where_all_meet(method, size):
    field = field_of(16, table_size=size, fixed=(("e1", "e2", "e3"), ("e3", "e4", "e5")))

    if method == "round-robin" or (method == "fixed" and size == 2):
        assert everybody(seat_round(field, method)) == sorted(field.index)
    else:
        with pytest.raises(ImpossibleFixed):
            seat_round(field, method)


@pytest.mark.parametrize("method", ["random", "rank-near", "rank-spread", "fixed"])
@pytest.mark.parametrize("count", [14, 21])
def test_byes_are_shared_out_and_seats_stay_even(method, count):
    seatings = play(field_of(count, seed=3), 6, method)

    byes = [name for seating in seatings for name in seating.byes]
    times = [byes.count(f"e{n}") for n in range(1, count + 1)]
    assert max(times) - min(times) <= 1
    assert max(seating.quality.seat_imbalance for seating in seatings) <= 3
    assert all(everybody(seating) == sorted(field_of(count).index) for seating in seatings)


def test_a_lot_ignores_scores_and_gives_the_bye_to_anybody():
    drawn = [seat_round(field_of(17, seed=seed), "random") for seed in range(8)]

    assert len({seating.byes for seating in drawn}) > 3
    assert min(seating.quality.score_spread for seating in drawn) > 5


@pytest.mark.parametrize("count", [2, 5, 8, 13, 20])
def test_each_meets_each_once_at_tables_of_two(count):
    rounds = count - 1 + count % 2
    seatings = schedule(field_of(count, table_size=2, seed=4), rounds, "round-robin")

    pairs = {tuple(sorted(table)) for seating in seatings for table in seating.tables}
    byes = [name for seating in seatings for name in seating.byes]
    assert len(pairs) == count * (count - 1) // 2
    assert met_twice(seatings) == []
    assert len(byes) == len(set(byes)) == (count if count % 2 else 0)
    assert max(seating.quality.seat_imbalance for seating in seatings) <= 2


def test_a_circle_broken_by_who_leaves_and_comes_brings_few_together_again():
    field = field_of(12, table_size=2, seed=1)
    first = schedule(field, 4, "round-robin")
    played = tuple(PlayedRound(seating.tables, seating.byes) for seating in first)
    entrants = (*field.entrants[2:], Entrant("late"))

    later = schedule(PairingField(entrants, played, table_size=2, seed=1), 4, "round-robin")

    assert [seating.quality.repeat_meetings for seating in later] == [0, 0, 0, 0]
    assert all(len(seating.byes) == 1 for seating in later)


@pytest.mark.parametrize(("count", "rounds"), [(4, 1), (16, 5), (28, 9)])
def test_each_meets_each_once_at_tables_of_four_where_that_can_be(count, rounds):
    seatings = schedule(field_of(count, seed=2), rounds, "round-robin")

    pairs = {p for s in seatings for t in s.tables for p in combinations(sorted(t), 2)}
    assert len(pairs) == count * (count - 1) // 2
    assert met_twice(seatings) == []


@pytest.mark.parametrize("count", [8, 12, 17, 40])
def test_elsewhere_there_is_no_round_robin_at_tables_of_four(count):
    with pytest.raises(NoRoundRobin) as refused:
        seat_round(field_of(count), "round-robin")

    assert (refused.value.count, refused.value.sizes) == (count, (4, 16, 28))


@pytest.mark.parametrize(
    ("count", "rounds"),
    [(16, 5), (20, 5), (36, 11), (40, 12), (44, 6), (23, 7), (15, 5)],
)
def test_a_fixed_evening_brings_nobody_together_twice(count, rounds):
    seatings = schedule(field_of(count, seed=6), rounds, "fixed")

    assert met_twice(seatings) == []
    assert [seating.quality.repeat_meetings for seating in seatings] == [0] * rounds
    assert max(seating.quality.seat_imbalance for seating in seatings[:5]) <= 2
    assert max(seating.quality.seat_imbalance for seating in seatings) <= 2


def test_what_needs_scores_cannot_be_drawn_ahead():
    with pytest.raises(KeyError):
        schedule(field_of(16), 3, "swiss")


ALL_METHODS = """
from tests.engine.pairing.evenings import field_of, play
from tournaments.engine.pairing.methods import METHODS
for method in METHODS:
    for size, count in ((2, 9), (2, 16), (4, 16)):
        field = field_of(count, table_size=size, fixed=(("e1", "e2"),), avoid=(("e3", "e4"),))
        print(method, [s.tables + (s.byes,) for s in play(field, 4, method)])
"""


def test_each_method_draws_the_same_in_every_process():
    def drawn(hashing):
        return subprocess.run(
            [sys.executable, "-c", ALL_METHODS],
            env={"PYTHONHASHSEED": hashing, "PYTHONPATH": "."},
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    assert drawn("1") == drawn("2")
