from dataclasses import replace
from fractions import Fraction

import pytest

from tournaments.engine.play.outcomes import rank
from tournaments.engine.standings.results import Competitor, RoundResults, Ruling, TableResult
from tournaments.engine.standings.standings import rank_entrants
from tournaments.engine.standings.tournament_settings import TournamentSettings


def table(kings=(), out=(), **totals):
    return TableResult(
        tuple(totals), tuple(totals.values()), rank(list(totals.values())), tuple(out), tuple(kings)
    )


def rounds(*tables, rulings=(), byes=()):
    """One round for each list of tables; rulings and byes belong to the first."""
    return [
        RoundResults(n, tuple(each), *((byes, rulings) if n == 1 else ()))
        for n, each in enumerate(tables, start=1)
    ]


def decided(tie_break, played, seed=0, **chosen):
    """Entrant, place and value of the tie-break, in order."""
    names = {name for each in played for t in each.tables for name in t.entrants}
    names |= {name for each in played for name in each.byes}
    who = [
        Competitor(name, number, house=name.startswith("house"))
        for number, name in enumerate(sorted(names))
    ]
    settings = TournamentSettings(tie_breaks=(tie_break,), **chosen)
    standings = rank_entrants(who, played, settings, seed)
    return [(row.entrant, row.place, row.tie_breaks[0]) for row in standings]


def values(tie_break, played, **chosen):
    return {name: value for name, _, value in decided(tie_break, played, **chosen)}


@pytest.mark.parametrize("kind", ["forfeit", "absent"])
def test_the_best_game_is_one_that_was_played(kind):
    played = rounds(
        [table(a=-50, b=-30)], [table(a=-10, b=-30)], rulings=[Ruling("b", kind, 99)], byes=("c",)
    )

    # Sitting out is no game, and none is behind the worst one.
    assert values("best-game", played) == {"a": -10, "b": -30, "c": None}
    equal = rounds([table(a=-5, b=-5)], byes=("c",))
    assert decided("best-game", equal, bye=-5)[2] == ("c", 3, None)


def test_opponents_count_with_all_they_have_before_penalties_once_for_each_meeting():
    played = rounds(
        [table(a=10, b=20), table(c=30, d=40)],
        [table(a=1, c=2), table(b=3, d=4)],
        [table(a=100, c=200), table(b=300, d=400)],
        rulings=[Ruling("c", "penalty", 7)],
    )

    # a 111, b 323, c 232, d 444.
    sums = {"a": 323 + 232 + 232, "b": 111 + 444 + 444, "c": 444 + 111 + 111, "d": 232 + 323 + 323}
    assert values("opponents", played) == {name: Fraction(sums[name], 3) for name in sums}
    assert values("opponents", played, tie_break_version=1) == sums


def test_neither_house_players_nor_byes_are_opponents():
    played = rounds([table(a=1, house1=50)], byes=("b",))

    assert values("opponents", played, bye=9) == {"a": None, "b": None}
    assert values("opponents", played, bye=9, tie_break_version=1) == {"a": 0, "b": 0}


@pytest.mark.parametrize("out", ["a", "b", "e"])
def test_who_sat_out_has_as_good_opponents_as_who_met_as_strong_ones(out):
    """Six players, two of whom sit out in each of three rounds: all opponents end equal."""
    pairs = [("abcd", "ef"), ("abef", "cd"), ("cdef", "ab"), ("abcdef".replace(out, ""), out)]
    played = [
        RoundResults(n, (table(**dict.fromkeys(names, 10)),), tuple(byes))
        for n, (names, byes) in enumerate(pairs, start=1)
    ]

    assert set(values("opponents", played, bye=10).values()) == {40}
    assert len(set(values("opponents", played, bye=10, tie_break_version=1).values())) == 2


@pytest.mark.parametrize("points", [{"points": "places"}, {"points": "out"}])
@pytest.mark.parametrize("lead", [10, 100])
def test_a_stopped_game_takes_no_points_from_its_table_between_equals(points, lead):
    """Two win their tables by the same lead; the clock stopped the game of one of them."""
    scored = {"a": -1000 + 3 * lead, "c": -1000 - lead, "d": -1000 - lead, "e": -1000 - lead}
    stopped = replace(table(**scored), unplayed=1000)
    whole = table(b=3 * lead - 3, f=1 - lead, g=1 - lead, h=1 - lead)
    played = rounds([stopped, whole])

    assert [name for name, *_ in decided("total-points", played, **points)[:2]] == ["a", "b"]
    first = decided("total-points", played, tie_break_version=1, **points)[0]
    assert first == ("b", 1, 3 * lead - 3)


def test_a_forfeit_of_a_stopped_game_counts_as_ruled():
    stopped = replace(table(a=-900, b=-1100), unplayed=1000)

    played = rounds([stopped], rulings=[Ruling("b", "forfeit", -1500)])

    assert values("total-points", played) == {"a": 100, "b": -1500}


def test_who_forfeits_has_not_won_though_their_points_were_enough_to_be_out():
    played = rounds([table(out=(0, 1), a=30, b=20, c=-50)], rulings=[Ruling("b", "forfeit", 0)])

    assert values("wins", played) == {"a": 1, "b": 0, "c": 0}


def test_of_two_that_are_tied_the_one_placed_better_at_their_table_is_first():
    played = rounds([table(a=10, b=20, c=0, d=0)], [table(a=20, c=5, d=-90), table(b=10, e=0)])

    assert decided("head-to-head", played)[:3] == [("b", 1, 1), ("a", 2, -1), ("c", 3, None)]


def test_head_to_head_counts_every_common_table_and_only_those_tied():
    played = rounds(
        [table(a=30, b=20, c=10, z=1000)], [table(a=0, b=20, c=10, z=0)], [table(a=0, b=0, c=20)]
    )

    # a 30, b 40, c 40, z 1000: b is before c twice, behind once.
    assert decided("head-to-head", played) == [
        ("z", 1, None),
        ("b", 2, 1),
        ("c", 3, -1),
        ("a", 4, None),
    ]


def test_head_to_head_says_nothing_where_two_have_never_met():
    played = rounds([table(a=10, b=5), table(c=10, d=0)], [table(a=0, d=0), table(b=5, c=0)])

    # a 10, b 10, c 10: a has met b and b has met c, but a has not met c.
    assert decided("head-to-head", played)[:3] == [("a", 1, None), ("b", 1, None), ("c", 1, None)]


def test_who_forfeits_is_behind_at_that_table_and_who_is_absent_has_not_met():
    games = [table(a=10, b=0, c=0)], [table(a=0, b=10, c=0)], [table(a=9, d=0), table(b=9, e=0)]

    # Both have 19, from the first table b has 10 as ruled.
    forfeited = rounds(*games[::2], rulings=[Ruling("b", "forfeit", 10)])
    absent = rounds(*games[::2], rulings=[Ruling("b", "absent", 10)])

    assert decided("head-to-head", forfeited)[:2] == [("a", 1, 1), ("b", 2, -1)]
    assert decided("head-to-head", absent)[:2] == [("a", 1, None), ("b", 1, None)]
    last = rounds([table(a=0, b=0)], [table(a=5, c=0), table(b=5, d=0)],
                  rulings=[Ruling("b", "forfeit", 0)])  # fmt: skip
    assert decided("head-to-head", last)[0] == ("a", 1, 1)
    lowest = rounds([table(b=9, a=0)], [table(a=5, c=0), table(b=5, d=0)],
                    rulings=[Ruling("b", "forfeit", 0)])  # fmt: skip
    assert decided("head-to-head", lowest)[:2] == [("a", 1, 1), ("b", 2, -1)]


def test_the_lot_is_the_same_on_every_machine_and_another_with_another_seed():
    played = rounds([table(a=5, b=5, c=5, d=5)])

    assert decided("lot", played, seed=1) == [
        ("d", 1, 4), ("b", 2, 3), ("a", 3, 2), ("c", 4, 1)
    ]  # fmt: skip
    assert [name for name, *_ in decided("lot", played, seed=2)] != list("dbac")


def test_the_lot_is_drawn_among_those_tied_alone():
    assert decided("lot", rounds([table(a=5, b=5, c=9)]))[0] == ("c", 1, None)


def test_the_next_tie_break_decides_among_those_still_equal():
    played = rounds([table(a=5, b=5, c=5, kings=(1, 2), out=(0, 1, 2))])
    settings = TournamentSettings(tie_breaks=("kings", "lot"))

    standings = rank_entrants([Competitor(name) for name in "abc"], played, settings)

    assert [row.tie_breaks[0] for row in standings] == [1, 1, 0]
    assert sorted(row.tie_breaks[1] for row in standings[:2]) == [1, 2]
    assert standings[2].tie_breaks == (0, None)
