import json
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from hashlib import sha256
from itertools import chain, combinations
from random import Random

import pytest

from tests.engine.pairing.evenings import Evening, everybody, field_of, play
from tournaments.engine.documents.pairings import seat_document
from tournaments.engine.documents.verify import redraw, write_draw
from tournaments.engine.pairing.field import (
    SEATING_VERSION,
    Entrant,
    ImpossibleFixed,
    PairingField,
    PlayedRound,
)
from tournaments.engine.pairing.judging import least_spread, measure
from tournaments.engine.pairing.methods import METHODS, NoRoundRobin, schedule, seat_round
from tournaments.engine.pairing.search import STARTERS, plan_for


def ranks(seating):
    return [sorted(int(name[1:]) for name in table) for table in seating.tables]


def met_twice(seatings):
    pairs = [pair for s in seatings for t in s.tables for pair in combinations(sorted(t), 2)]
    return sorted({pair for pair in pairs if pairs.count(pair) > 1})


@pytest.mark.parametrize(
    ("method", "count", "size", "tables"),
    [
        ("rank-near", 16, 4, [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [13, 14, 15, 16]]),
        ("rank-spread", 16, 4, [[1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15], [4, 8, 12, 16]]),
        ("rank-near", 7, 2, [[1, 2], [3, 4], [5, 6]]),
        ("rank-spread", 7, 2, [[1, 4], [2, 5], [3, 6]]),
    ],
)
def test_neighbours_or_one_of_each_part_of_the_standings_share_a_table(method, count, size, tables):
    seating = seat_round(field_of(count, table_size=size), method)

    assert ranks(seating) == tables
    assert seating.byes == tuple(f"e{n}" for n in range(1 + count - count % size, 1 + count))


@pytest.mark.parametrize("method", ["swiss", "random", "rank-near", "rank-spread"])
@pytest.mark.parametrize("teams", [4, 5, 6])
def test_teammates_are_parted_where_that_is_possible(method, teams):
    for seed in range(3):
        field = field_of(4 * teams)
        names = [entrant.id for entrant in field.entrants]
        avoid = [pair for at in range(teams) for pair in combinations(names[at::teams], 2)]
        seating = seat_round(replace(field, avoid=tuple(avoid), seed=seed), method)
        assert seating.quality.avoided_met == 0, seed


@pytest.mark.parametrize("method", ["swiss", "rank-near", "rank-spread", "random"])
def test_groups_share_a_table_and_pairs_are_kept_apart(method):
    field = field_of(
        24,
        fixed=(("e1", "e24"), ("e24", "e9"), ("e2", "e3", "e10", "e11")),
        avoid=(("e5", "e6"), ("e13", "e14"), ("e4", "e16"), ("e1", "e2")),
    )

    for seed in range(3):
        for seating in play(replace(field, seed=seed), 2, method):
            assert seating.quality.fixed_parted == 0
            assert seating.quality.avoided_met == 0
            assert everybody(seating) == sorted(field.index)


def test_reasons_say_how_many_of_a_table_one_has_met_and_how_often():
    earlier, found = [], 0
    for seating in play(field_of(8), 4, "swiss"):
        for name, table in ((name, each) for each in seating.tables for name in each):
            again = [other for each in earlier if name in each for other in {*table} & {*each}]
            met = [other for other in again if other != name]
            told = {reason.code: dict(reason.params) for reason in seating.why[name]}
            params = {"players": len({*met}), "times": len(met)} if met else None
            assert told.get("met-before") == params
            found += bool(met)
        earlier += seating.tables
    assert found > 8


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


@pytest.mark.parametrize(
    ("count", "rounds"), [(4, 1), (16, 5), pytest.param(28, 9, marks=pytest.mark.slow)]
)
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
    ("count", "rounds"), [(16, 5), (20, 5), (15, 5), pytest.param(40, 12, marks=pytest.mark.slow)]
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
        print(method, [s.tables + (s.byes,) for s in play(field, 2, method)])
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


def most_often(evening):
    return max(evening.meetings.values())


SLOW = pytest.mark.slow


@pytest.mark.parametrize(
    ("players", "rounds"),
    [
        (16, 5), (24, 5), (41, 5),
        *(pytest.param(*each, marks=SLOW) for each in ((28, 9), (36, 11), (40, 8), (400, 9))),
    ],
)  # fmt: skip
def test_nobody_meets_twice_and_seats_differ_by_two_at_most(players, rounds):
    evening = Evening(players, rounds, seed=1).play()

    assert most_often(evening) == 1
    assert [quality["repeat_meetings"] for quality in evening.qualities] == [0] * rounds
    assert max(evening.imbalance_after(number + 1) for number in range(rounds)) <= 2


@pytest.mark.parametrize("count", [*STARTERS, 20])
def test_a_plan_seats_everybody_in_each_round_and_no_two_twice(count):
    met = [
        pair
        for blocks in plan_for(count)
        for block in blocks
        for pair in combinations(sorted(block), 2)
    ]

    assert all(
        sorted(point for block in blocks for point in block) == list(range(count))
        for blocks in plan_for(count)
    )
    assert len(met) == len(set(met))


def test_the_lowest_of_those_without_a_bye_sits_out():
    evening = Evening(9, 5, seed=1)
    evening.draw()
    had = evening.rounds[0]["byes"]
    lowest = min(score for name, score in evening.scores.items() if name not in had)

    (out,) = evening.draw()["byes"]

    # A bye brings no points here.
    assert out not in had
    assert evening.scores[out] == lowest


def test_players_of_a_club_are_kept_apart_where_that_is_wanted():
    clubs = [{"id": f"p{n}", "score": 0, "club": f"c{n % 4}"} for n in range(16)]
    document = {"format": "kingscore-pairing/1", "entrants": clubs, "rounds_left": 1}

    apart = seat_document(document | {"separate_clubs": True})

    assert apart["quality"]["same_club"] == 0


HARD_ROUNDS = (
    "sepo jqcd tlbf ughr wxav mnki",
    "pmul bvge fcrx kaqh nsjt doiw",
    "afog rdnp vklj ehxm iutc qwsb",
    "cpvh lneq risa mjwf gtdk obxu",
)
HARD_SCORES = (
    -105, -16, -210, -66, 82, 20, -43, 256, -124, 105, 183, 31, 74, -62, -16, -56, 48, -149,
    29, -100, 81, -14, 5, 44,
)  # fmt: skip
"""Four rounds of 24 players after which few seatings without a repeat are left."""


def hard_last_round():
    return {
        "format": "kingscore-pairing/1",
        "seed": 4,
        "entrants": [
            {"id": name, "score": 10 * score}
            for name, score in zip("abcdefghijklmnopqrstuvwx", HARD_SCORES, strict=True)
        ],
        "rounds": [{"tables": [[*table] for table in row.split()]} for row in HARD_ROUNDS],
        "rounds_left": 1,
    }


def test_a_last_round_without_a_repeat_is_found_where_there_is_one():
    assert seat_document(hard_last_round())["quality"]["repeat_meetings"] == 0


def before_the_last_round(players, rounds, seed=1):
    evening = Evening(players, rounds, seed)
    while len(evening.rounds) < rounds - 1:
        evening.draw()
    return evening


def quality_with(evening, **weights):
    return seat_document(evening.document() | {"weights": weights})["quality"]


def test_a_seat_used_unevenly_has_a_price():
    evening = before_the_last_round(40, 4)
    before = {name: [0] * 4 for name in evening.scores}
    for seat, name in sat(evening.rounds):
        before[name][seat] += 1

    def uneven(price):
        asked = evening.document() | {"weights": {"seat": price}}
        again = (before[name][seat] for seat, name in sat([seat_document(asked)]))
        return sum(map(bool, again))

    # In the fourth round each has one seat left in which they have not sat.
    assert uneven(1000) < uneven(2) < uneven(0)


def sat(rounds):
    tables = (table for played in rounds for table in played["tables"])
    return [each for table in tables for each in enumerate(table)]


def test_repeats_with_a_price_bring_scores_nearer():
    players = 24
    evening = before_the_last_round(players, 5)

    never, priced = quality_with(evening), quality_with(evening, last_repeat=10)

    assert never["repeat_meetings"] < priced["repeat_meetings"] <= players
    assert priced["score_spread"] < 0.6 * never["score_spread"]


def test_leaders_meet_in_the_last_round():
    evening = before_the_last_round(32, 5)
    leaders = sorted(evening.scores, key=evening.scores.get, reverse=True)[:4]

    asked = evening.document() | {"weights": {"last_repeat": 20, "last_leaders": 100}}
    seating = seat_document(asked)

    assert sum(not {*leaders}.isdisjoint(table) for table in seating["tables"]) <= 2
    assert seating["quality"]["seat_imbalance"] <= 2


def test_least_spread_is_that_of_neighbours_in_the_standings():
    """By brute force over all seatings of eight players."""
    scores = [9, 9, 7, 6, 6, 2, 1, 0]
    field = PairingField(tuple(Entrant(f"p{n}", score) for n, score in enumerate(scores)))

    spreads = [measure(field, split).score_spread for split in all_splits(range(8))]

    assert least_spread(field, field.index) == min(spreads)


def test_one_who_has_met_all_of_four_makes_a_repeat_in_every_seating_of_pairs():
    met = tuple(PlayedRound((("p0", f"p{other}"),)) for other in (1, 2, 3))
    field = PairingField(tuple(Entrant(f"p{n}", 0) for n in range(4)), met, table_size=2)

    found = [measure(field, ((0, a), (b, c))) for a, b, c in ((1, 2, 3), (2, 1, 3), (3, 1, 2))]

    assert {(each.repeat_meetings, each.repeat_bound) for each in found} == {(1, 1)}


def test_a_change_of_the_seatings_has_a_version_of_its_own():
    """Others draw again what was drawn here: raise `SEATING_VERSION` with a new digest."""
    drawn = [
        seat_document(before_the_last_round(count, 3).document() | weights)["tables"]
        for count, weights in ((20, {}), (23, {"weights": {"last_repeat": 10}}), (33, {}))
    ]
    drawn.append(seat_document(hard_last_round())["tables"])

    digest = sha256(json.dumps(drawn).encode()).hexdigest()[:12]

    assert (SEATING_VERSION, digest) == (5, "dc0bd27cea01")


def all_splits(names):
    first, *rest = names
    for others in combinations(rest, 3):
        yield [[first, *others], [name for name in rest if name not in others]]


@pytest.mark.parametrize("seed", range(8))
def test_eight_are_seated_with_the_fewest_repeats(seed):
    evening = Evening(8, 9, seed)
    for _ in range(seed % 4 + 1):
        evening.draw()
    met, scores = evening.meetings, dict(evening.scores)

    def cost(tables):
        pairs = [tuple(sorted(pair)) for table in tables for pair in combinations(table, 2)]
        return sum(3 ** (met[pair] - 1) for pair in pairs if met[pair])

    costs = {as_sets(split): cost(split) for split in all_splits(sorted(scores))}

    seating = evening.draw()

    assert costs[as_sets(seating["tables"])] == min(costs.values())


def as_sets(tables):
    return frozenset(map(frozenset, tables))


def all_pairings(names):
    if not names:
        yield []
        return
    first, *rest = names
    for other in rest:
        for pairs in all_pairings([name for name in rest if name != other]):
            yield [[first, other], *pairs]


@pytest.mark.parametrize("seed", range(10))
def test_tables_of_two_cost_the_least_of_all_pairings(seed):
    evening = Evening(8, 6, seed, size=2)
    for _ in range(seed % 5):
        evening.draw()
    met, scores = evening.meetings, dict(evening.scores)

    def cost(pairs):
        pairs = [tuple(sorted(pair)) for pair in pairs]
        repeats = sum(3 ** (met[pair] - 1) for pair in pairs if met[pair])
        return repeats, sum(abs(scores[one] - scores[other]) for one, other in pairs)

    seating = evening.draw()

    assert cost(seating["tables"]) == min(map(cost, all_pairings(sorted(scores))))


def test_quality_is_what_can_be_counted():
    evening = Evening(18, 4, seed=6).play()
    before = Evening(18, 4, seed=6)
    for _ in range(3):
        before.draw()
    scores, met = dict(before.scores), before.meetings

    seating = before.draw()

    tables = seating["tables"]
    spread = sum(max(map(scores.get, t)) - min(map(scores.get, t)) for t in tables) / len(tables)
    again = sum(met[pair] for t in tables for pair in combinations(sorted(t), 2))
    assert seating["quality"]["score_spread"] == round(spread, 2)
    assert seating["quality"]["repeat_meetings"] == again
    assert [quality["seat_imbalance"] for quality in evening.qualities] == [
        before.imbalance_after(number + 1) for number in range(4)
    ]
    assert evening.rounds == before.rounds


def test_everybody_is_told_why():
    evening = Evening(18, 3, seed=8)
    evening.draw()
    seating = evening.draw()

    assert sorted(seating["why"]) == sorted(evening.scores)
    for name in seating["byes"]:
        assert [reason["code"] for reason in seating["why"][name]] == [
            "fewest-byes",
            "lowest-score",
        ]
        assert seating["why"][name][0]["params"] == {"byes": 0, "rounds": 1}
    for table in seating["tables"]:
        for seat, name in enumerate(table):
            assert seating["why"][name][-1]["params"]["seat"] == seat


def coming_and_going(method, size, random, rounds):
    """Yield each round of a field that changes, with who had come for it.

    Points are by chance. Between rounds some come, leave, or return.
    """
    here, away = [f"p{number}" for number in range(random.randint(size + 1, 17))], []
    scores, played, known = {}, [], set()
    for number in range(rounds):
        for _ in range(random.randint(0, 2) if number else 0):
            what = random.randrange(4)
            if what == 0 and len(here) > size + 1:
                away.append(here.pop(random.randrange(len(here))))
            elif what == 1 and away:
                here.append(away.pop())
            elif what > 1:
                here.append(f"late{number}-{len(here)}")
        field = PairingField(
            tuple(Entrant(name, scores.get(name, 0)) for name in here),
            tuple(each.among({*here}) for each in played),
            table_size=size,
            seed=random.randrange(1000),
        )
        seating = seat_round(field, method)
        assert everybody(seating) == sorted(here)
        for name in chain(*seating.tables):
            scores[name] = scores.get(name, 0) + random.randrange(5)
        played.append(PlayedRound(seating.tables, seating.byes))
        yield played[-1], {*here} - known
        known.update(here)


@pytest.mark.parametrize("size", [2, 4])
@pytest.mark.parametrize("method", ["random", "rank-near", "rank-spread", "swiss", "fixed"])
def test_nobody_sits_out_twice_more_than_their_part_than_another(method, size):
    """The part is an equal one of the byes of each round that they were there."""
    arrivals = 0
    for seed in range(3 if method in ("swiss", "fixed") else 12):
        balance = {}
        for number, (played, new) in enumerate(coming_and_going(method, size, Random(seed), 9)):
            part = Fraction(len(played.byes), len(played.names))
            for name in played.names:
                balance[name] = balance.get(name, 0) + (name in played.byes) - part
            spread = [balance[name] for name in played.names]
            assert max(spread) - min(spread) < 2
            if number:
                arrivals += len(new)
                assert new.isdisjoint(played.byes)
    assert arrivals > 3


@pytest.mark.parametrize(
    ("players", "coming", "before", "rounds"),
    [(6, 1, 3, 6), (9, 1, 3, 7), (10, 3, 2, 6), (5, 2, 4, 9)],
)
def test_who_comes_late_plays_and_sits_out_no_more_often_than_others(
    players, coming, before, rounds
):
    evening = Evening(players, rounds, seed=1)
    for _ in range(before):
        evening.draw()
    late = {f"late{number}" for number in range(coming)}
    evening.scores |= dict.fromkeys(late, 0)
    arrival = evening.draw()
    evening.play()

    assert late.isdisjoint(arrival["byes"])
    out = [name for played in evening.rounds[before:] for name in played["byes"]]
    others = [out.count(name) for name in evening.scores if name not in late]
    assert max(out.count(name) for name in late) <= max(others)
    assert max(others) - min(out.count(name) for name in late) <= 2


@pytest.mark.parametrize("method", ["rank-near", "swiss"])
def test_where_nobody_sat_out_the_bye_is_for_who_was_there_longest_with_fewest_points(method):
    first, later = ("a", "b", "c", "d"), ("e", "f", "g", "h")
    played = (PlayedRound((first,)), PlayedRound((first, later)))
    scores = {"a": 4, "b": 6, "c": 5, "d": 8, **dict.fromkeys(later, 1), "late": 0}
    field = PairingField(tuple(Entrant(*each) for each in scores.items()), played, rounds_left=2)

    assert seat_round(field, method).byes == ("a",)


def test_a_draw_of_version_3_is_drawn_again_by_its_own_rule():
    """Version 3 gave the bye to whoever came late; this one was drawn by it."""
    rounds = (
        PlayedRound((("e5", "e2", "e1", "e3"),), ("e4", "e6")),
        PlayedRound((("e1", "e4", "e2", "e6"),), ("e3", "e5")),
        PlayedRound((("e3", "e5", "e6", "e4"),), ("e1", "e2")),
    )
    scores = {"e1": 4, "e2": 3, "e3": 6, "e4": 2, "e5": 4, "e6": 2, "e7": 0}
    entrants = tuple(Entrant(name, score) for name, score in scores.items())
    drawn = {}
    for version in (3, SEATING_VERSION):
        field = PairingField(entrants, rounds, rounds_left=3, version=version)
        seating = seat_round(field, "swiss")
        document = write_draw("swiss", 4, [(field, {})], seating) | {"version": version}
        drawn[version] = redraw(document, rounds)
        assert drawn[version] == (list(seating.tables), list(seating.byes))
    assert drawn[3] == ([("e2", "e1", "e3", "e5")], ["e4", "e6", "e7"])
    assert "e7" not in drawn[SEATING_VERSION][1]
