import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tournaments.engine.play.outcomes import rank
from tournaments.engine.rules.rulesets import InvalidEntry
from tournaments.engine.standings.results import Competitor, RoundResults, Ruling, TableResult
from tournaments.engine.standings.standings import (
    next_stage,
    rank_entrants,
    rank_with_finals,
    stages,
)
from tournaments.engine.standings.tournament_settings import TournamentSettings


def field(count, gone=()):
    return [
        Competitor(str(number), number, withdrawn=str(number) in gone)
        for number in range(1, count + 1)
    ]


def played(number, *tables, rulings=(), finished=True):
    """A round of tables given as `{"1": points, …}` in seat order."""
    return RoundResults(
        number,
        tuple(
            TableResult(tuple(t), tuple(t.values()), rank(list(t.values())), finished=finished)
            for t in tables
        ),
        rulings=rulings,
    )


def qualifying(count, size=4):
    """A round after which the entrants stand in the order of their numbers, 10 points apart."""
    points = {str(number): 10 * (count - number) for number in range(1, count + 1)}
    names = list(points)
    return played(
        1, *({n: points[n] for n in names[at : at + size]} for at in range(0, count, size))
    )


def follow(who, so_far, size=4, **chosen):
    """The next stage after those `so_far`."""
    chosen = TournamentSettings(tie_breaks=(), **chosen)
    standings = rank_entrants(who, [qualifying(len(who), size)], chosen)
    return next_stage(standings, who, so_far, chosen, size)


def places(who, so_far, size=4, **chosen):
    chosen = TournamentSettings(tie_breaks=(), **chosen)
    return rank_with_finals(who, [qualifying(len(who), size)], so_far, chosen)


def order(standings):
    return [row.entrant for row in standings]


@pytest.mark.parametrize(
    ("cut", "size", "names"),
    [
        (0, 4, ()),
        (4, 4, ("final",)),
        (8, 4, ("semi-final", "final")),
        (16, 4, ("semi-final", "final")),
        (4, 2, ("semi-final", "final")),
        (8, 2, ("quarter-final", "semi-final", "final")),
        (16, 2, ("round-of-16", "quarter-final", "semi-final", "final")),
    ],
)
def test_the_stages_of_a_cut(cut, size, names):
    assert stages(cut, size) == names


@pytest.mark.parametrize(
    ("cut", "size", "tables"),
    [
        (4, 4, "1-2-3-4"),
        (8, 4, "1-4-5-8 2-3-6-7"),
        (16, 4, "1-8-9-16 2-7-10-15 3-6-11-14 4-5-12-13"),
        (4, 2, "1-4 2-3"),
        (8, 2, "1-8 4-5 2-7 3-6"),
        (16, 2, "1-16 8-9 4-13 5-12 2-15 7-10 3-14 6-11"),
    ],
)
def test_the_best_sit_apart_at_first(cut, size, tables):
    stage = follow(field(20), [], size, finals=cut)

    assert stage.name == stages(cut, size)[0]
    assert [list(table) for table in stage.tables] == [t.split("-") for t in tables.split()]


def test_the_first_two_of_each_semi_final_play_the_final():
    semi = played(2, {"1": 5, "4": 40, "5": 30, "8": 0}, {"2": 9, "3": 9, "6": 1, "7": 50})

    stage = follow(field(12), [semi], finals=8)

    # 2 and 3 are equal at their table: 2 stood before.
    assert (stage.name, stage.tables) == ("final", (("2", "4", "5", "7"),))
    assert follow(field(12), [semi, played(3, {"2": 1, "4": 2, "5": 3, "7": 4})], finals=8) is None


def test_of_sixteen_the_winners_play_the_final():
    first = follow(field(16), [], finals=16)
    semi = played(2, *({name: int(name) for name in table} for table in first.tables))

    assert follow(field(16), [semi], finals=16).tables == (("13", "14", "15", "16"),)


def test_winners_of_neighbouring_tables_meet_and_the_best_can_meet_last():
    quarter = played(2, {"1": 2, "8": 1}, {"4": 1, "5": 2}, {"2": 7, "7": 7}, {"3": 0, "6": 1})
    semi = played(3, {"1": 3, "5": 1}, {"2": 1, "6": 2})

    assert follow(field(8), [quarter], 2, finals=8).tables == (("1", "5"), ("2", "6"))
    assert follow(field(8), [quarter, semi], 2, finals=8).tables == (("1", "6"),)


def test_what_was_ruled_decides_who_goes_through():
    tables = ({"1": 50, "4": 40, "5": 30, "8": 0}, {"2": 4, "3": 3, "6": 2, "7": 1})
    fined = played(2, *tables, rulings=(Ruling("1", "penalty", 25),))
    forfeited = played(2, *tables, rulings=(Ruling("2", "forfeit", 100),))

    assert follow(field(8), [fined], finals=8).tables == (("2", "3", "4", "5"),)
    assert follow(field(8), [forfeited], finals=8).tables == (("1", "3", "4", "6"),)


def test_the_next_one_steps_in_for_who_has_withdrawn():
    semi = played(2, {"2": 50, "5": 40, "6": 30, "9": 0}, {"3": 4, "4": 3, "7": 2, "8": 1})

    assert follow(field(12, gone={"1"}), [], finals=8).tables[0] == ("2", "5", "6", "9")
    assert follow(field(12, gone={"1", "3"}), [semi], finals=8).tables == (("2", "4", "5", "7"),)


def test_no_final_without_enough_to_play_it():
    with pytest.raises(InvalidEntry) as refused:
        follow(field(8, gone={"8"}), [], finals=8)

    (problem,) = refused.value.problems
    assert (problem.code.value, dict(problem.params)) == (
        "too-few-entrants",
        {"expected": 8, "got": 7},
    )


def test_without_finals_nobody_plays_on():
    assert follow(field(8), []) is None
    assert order(places(field(8), [])) == list("12345678")


FINAL = played(2, {"1": 0, "2": 5, "3": 21, "4": 40})


def test_carried_points_are_added_to_those_of_the_final():
    standings = places(field(8), [FINAL], finals=4)

    # They had 70, 60, 50, 40: 3 has 71, 1 has 70, 2 has 65, 4 has 80.
    assert order(standings) == list("43125678")
    assert [row.points for row in standings][:4] == [80, 71, 70, 65]
    assert standings[0].by_round == (40, 40)
    assert standings[-1].by_round == (0, None)


def test_from_zero_only_the_finals_count():
    standings = places(field(8), [FINAL], finals=4, carry=False)

    assert [(row.entrant, row.points) for row in standings] == [
        ("4", 40), ("3", 21), ("2", 5), ("1", 0), ("5", 30), ("6", 20), ("7", 10), ("8", 0)
    ]  # fmt: skip


SEMI = played(2, {"1": 5, "4": 40, "5": 30, "8": 0}, {"2": 9, "3": 9, "6": 1, "7": 50})


def test_finalists_stand_before_who_went_out_and_these_before_the_rest():
    final = played(3, {"2": -90, "4": 1, "5": 0, "7": 2})

    standings = places(field(12), [SEMI, final], finals=8, carry=False)

    # 7: 52, 4: 41, 5: 30, 2: -81; out with 9, 5, 1 and 0.
    assert order(standings) == ["7", "4", "5", "2", "3", "1", "6", "8", "9", "10", "11", "12"]
    assert [row.place for row in standings] == list(range(1, 13))


def test_who_is_still_in_stands_first_while_the_final_is_played():
    final = played(3, {"2": 0, "4": 0, "5": 0, "7": 0}, finished=False)

    assert order(places(field(8), [SEMI, final], finals=8, carry=False)) == list("74523168")


def test_two_at_a_table_are_placed_by_their_last_game():
    finals = [played(2, {"1": 9, "4": 0}, {"2": 0, "3": 1}), played(3, {"1": 3, "3": 4})]

    standings = places(field(6), finals, 2, finals=4)

    assert order(standings) == ["3", "1", "2", "4", "5", "6"]


def test_equals_in_the_final_are_placed_by_their_table_then_as_they_stood():
    level = played(2, {"1": 10, "2": 20, "3": 30, "4": 0})
    standings = places(field(4), [level], finals=4)

    # 40, 40, 40 and 0: the final was won by 3.
    assert order(standings) == list("3214")
    assert not any(row.shared for row in standings)
    equal = played(2, {"1": 0, "2": 0, "3": 0, "4": 0})
    assert order(places(field(4), [equal], finals=4, carry=False)) == list("1234")


def test_equals_of_two_tables_are_placed_by_rank_not_by_position():
    # Equal in points at the end: 5 and 8 were second at their table, 6 was third.
    semi = played(2, {"1": 50, "4": 10, "5": 10, "8": 10}, {"2": 50, "3": 20, "6": 10, "7": 0})
    final = played(3, {"1": 4, "2": 3, "3": 2, "4": 1})

    standings = places(field(8), [semi, final], finals=8, carry=False)

    assert order(standings)[4:] == ["5", "8", "6", "7"]


@settings(max_examples=30)
@given(st.sampled_from([4, 8, 16]), st.sampled_from([2, 4]), st.randoms(use_true_random=False))
def test_everybody_is_placed_once_and_the_winner_won_the_last_game(cut, size, chance):
    who, finals = field(20), []
    while (stage := follow(who, finals, size, finals=cut, carry=False)) is not None:
        tables = [
            dict(zip(t, chance.sample(range(100), len(t)), strict=True)) for t in stage.tables
        ]
        finals.append(played(len(finals) + 2, *tables))

    standings = places(who, finals, size, finals=cut, carry=False)

    (last,) = finals[-1].tables
    assert len(finals) == len(stages(cut, size))
    assert sorted(order(standings), key=int) == [each.id for each in who]
    assert set(order(standings)[:size]) == set(last.entrants)
    assert order(standings)[cut:] == [str(number) for number in range(cut + 1, 21)]
    if size == 2:
        assert order(standings)[0] == last.entrants[last.ranks.index(1)]
