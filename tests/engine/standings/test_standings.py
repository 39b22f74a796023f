from fractions import Fraction
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.standings.tournament_drawing import standings_of, tournaments
from tournaments.engine.play.outcomes import rank
from tournaments.engine.standings.results import (
    Competitor,
    RoundResults,
    Ruling,
    TableResult,
    split_places,
)
from tournaments.engine.standings.standings import Standing, league, rank_entrants, team_standings
from tournaments.engine.standings.tournament_settings import TournamentSettings

FOUR = ("ali", "banu", "cem", "deniz")


def competitors(*names):
    return [Competitor(name, number) for number, name in enumerate(names)]


def table(*totals, names=FOUR, kings=(), out=None):
    above = tuple(side for side, total in enumerate(totals) if total > 0)
    return TableResult(tuple(names), totals, rank(totals), above if out is None else out, kings)


def rounds_of(*tables, byes=(), rulings=()):
    """One table in each round; byes and rulings are those of the last."""
    last = len(tables)
    return [
        RoundResults(n, (each,), byes if n == last else (), rulings if n == last else ())
        for n, each in enumerate(tables, start=1)
    ]


def rows(who, rounds, seed=0, **chosen):
    chosen.setdefault("tie_breaks", ())
    return rank_entrants(who, rounds, TournamentSettings(**chosen), seed)


def points(standings):
    return [(row.entrant, row.place, row.points) for row in standings]


@pytest.mark.parametrize(
    ("totals", "expected"),
    [
        ((40, 30, 20, 10), (4, 2, 1, 0)),
        ((40, 40, 20, 10), (3, 3, 1, 0)),
        ((40, 20, 20, 10), (4, Fraction(3, 2), Fraction(3, 2), 0)),
        ((40, 20, 20, 20), (4, 1, 1, 1)),
        ((20, 20, 20, 20), (Fraction(7, 4),) * 4),
        ((40, 10), (4, 0)),
        ((10, 10), (2, 2)),
    ],
)
def test_places_have_their_points_and_shared_ones_are_split(totals, expected):
    assert split_places(rank(totals), (4, 2, 1, 0)) == expected


LATE = [
    RoundResults(1, (table(40, 30, 20, 10),)),
    RoundResults(2, (table(40, 30, 20, 10),), byes=("ece",)),
    RoundResults(3, (table(8, 1, 2, 3, names=("ece", *FOUR[:3])),), byes=("deniz",)),
]
"""Ece comes in round 2 and sits out, then has 8; Deniz sits out in round 3 after 10 twice."""


@pytest.mark.parametrize(
    ("chosen", "ece", "deniz"),
    [
        ({}, (None, 0, 8), 10),
        ({"missed": 3}, (3, 3, 8), 10),
        ({"missed": Fraction(1, 2), "bye": 2}, (Fraction(1, 2), Fraction(1, 2), 8), 2),
        ({"missed": 50}, (50, 8, 8), 10),
        ({"missed": None}, (None, 8, 8), 10),
        ({"missed": None, "bye": 2}, (None, 2, 8), 2),
        ({"missed": 3, "line_up": 4}, (None, 8, 8), 10),
    ],
)
def test_missed_rounds_of_who_comes_late_and_a_bye_on_arrival_have_their_worth(chosen, ece, deniz):
    found = {row.entrant: row for row in rows(competitors(*FOUR, "ece"), LATE, **chosen)}

    assert found["ece"].by_round == ece
    assert found["ece"].points == sum(points for points in ece if points is not None)
    assert found["deniz"].by_round == (10, 10, deniz)


@pytest.mark.parametrize(
    ("missed", "ece"),
    [("nothing", (0, 0, 8)), ("half", (4, 4, 8)), ("average", (8, 8, 8))],
)
def test_a_director_says_what_one_entrant_has_missed(missed, ece):
    who = [*competitors(*FOUR), Competitor("ece", 4, missed=missed)]
    found = {row.entrant: row for row in rows(who, LATE, missed=3)}

    assert [points or 0 for points in found["ece"].by_round] == [*ece]
    assert found["deniz"].by_round == (10, 10, 10)
    # Already in the first round.
    (late, *_others) = (row for row in rows(who, LATE[1:]) if row.entrant == "ece")
    assert late.by_round == ece[1:]


def test_a_game_that_does_not_count_is_worth_a_bye_and_meets_nobody():
    who = [*competitors(*FOUR), Competitor("ece", 4, missed="nothing")]
    first = RoundResults(1, (table(40, 30, 20, 10),))
    void = RoundResults(
        2, (table(9, 1, 2, 3, names=("ece", *FOUR[:3])),), rulings=(Ruling("ece", "bye"),)
    )
    third = RoundResults(3, (table(8, 1, 2, 3, names=("ece", *FOUR[:3])),))
    found = {row.entrant: row for row in rows(who, [first, void, third], tie_breaks=("wins",))}
    assert (found["ece"].by_round, found["ece"].tie_breaks) == ((None, 8, 8), (1,))
    assert found["ali"].by_round == (40, 1, 1)


def test_a_bye_is_worth_the_average_of_all_rounds_played_so_far():
    who = competitors(*FOUR, "ece")
    first = RoundResults(1, (table(10, 20, 30, 40),), byes=("ece",))
    second = RoundResults(2, (table(7, 1, 2, 3, names=("ece", *FOUR[:3])),), byes=("deniz",))
    third = RoundResults(3, (table(8, 1, 2, 3, names=("ece", *FOUR[:3])),), byes=("deniz",))

    def by_round(name, *rounds):
        return next(r.by_round for r in rows(who, rounds) if r.entrant == name)

    assert by_round("ece", first) == (0,)
    assert by_round("ece", first, second) == (7, 7)
    assert by_round("ece", first, second, third) == (Fraction(15, 2), 7, 8)
    assert by_round("deniz", first, second, third) == (40, 40, 40)


def test_a_round_of_absence_does_not_lower_the_average_but_a_forfeit_does():
    def bye_of_deniz(kind):
        return rows(
            competitors(*FOUR),
            [
                RoundResults(1, (table(1, 2, 3, 40),)),
                RoundResults(2, (table(1, 2, 3, 9),), rulings=(Ruling("deniz", kind),)),
                RoundResults(3, (), byes=("deniz",)),
            ],
        )[0].by_round

    assert bye_of_deniz("absent") == (40, 0, 40)
    assert bye_of_deniz("forfeit") == (40, 0, 20)


def test_who_sits_out_can_be_absent_too():
    rounds = rounds_of(table(3, 2, 1, 0), byes=("ece",), rulings=(Ruling("ece", "absent", -4),))

    assert points(rows(competitors(*FOUR, "ece"), rounds, bye=50))[-1] == ("ece", 5, -4)


def test_a_ruling_needs_no_table():
    rulings = (Ruling("ece", "absent", -100), Ruling("fatma", "adjusted", 5))
    rounds = rounds_of(table(30, 10, -10, -30), rulings=rulings)

    standings = rows(competitors(*FOUR, "ece", "fatma"), rounds)

    assert [(r.entrant, r.points) for r in standings][-4:] == [
        ("fatma", 5), ("cem", -10), ("deniz", -30), ("ece", -100)
    ]  # fmt: skip


def test_an_unfinished_table_does_not_count_yet_and_the_unplayed_stand_last():
    late = TableResult(("ece", "fatma"), (50, 10), (1, 2), finished=False)
    rounds = [RoundResults(1, (table(5, 0, 0, -5), late))]

    standings = rows(competitors("ece", "fatma", *FOUR), rounds)

    assert [(row.entrant, row.place) for row in standings] == [
        ("ali", 1), ("banu", 2), ("cem", 2), ("deniz", 4), ("ece", 5), ("fatma", 5)
    ]  # fmt: skip
    assert standings[-1].by_round == (None,)


def test_full_equals_share_a_place_in_the_order_of_their_numbers():
    standings = rows(competitors(*FOUR)[::-1], rounds_of(table(9, 5, 5, 1)))

    assert [(row.entrant, row.place, row.shared) for row in standings] == [
        ("ali", 1, False), ("banu", 2, True), ("cem", 2, True), ("deniz", 4, False)
    ]  # fmt: skip


@given(tournaments(), st.integers(0, 99))
def test_another_computation_gives_the_same_order(tournament, seed):
    who, rounds, chosen = tournament
    keys = standings_of(who, rounds, chosen, seed)

    standings = rank_entrants(who, rounds, chosen, seed)

    assert sorted(keys) == sorted(row.entrant for row in standings)
    assert [row.points for row in standings] == [keys[row.entrant][1] for row in standings]
    if not {"head-to-head", "lot"} & set(chosen.tie_breaks):
        ordered = [keys[row.entrant] for row in standings]
        assert ordered == sorted(keys.values(), reverse=True)
        assert [row.place for row in standings] == [ordered.index(key) + 1 for key in ordered]
        assert [row.shared for row in standings] == [ordered.count(key) > 1 for key in ordered]


@given(tournaments(), st.integers(0, 99))
def test_the_order_of_what_is_given_changes_nothing(tournament, seed):
    who, rounds, chosen = tournament
    chance = Random(seed)
    mixed = [
        RoundResults(r.number, tuple(chance.sample(r.tables, len(r.tables))), r.byes, r.rulings)
        for r in rounds
    ]

    assert rank_entrants(chance.sample(who, len(who)), mixed, chosen, seed) == rank_entrants(
        who, rounds, chosen, seed
    )


def test_a_penalty_counts_before_anything_is_played():
    rounds = [RoundResults(1, (), rulings=(Ruling("ali", "penalty", 5),))]

    standings = rows(competitors(*FOUR), rounds)

    assert points(standings)[-1] == ("ali", 4, -5)


def standings(**points):
    """Rows in order of points."""
    ordered = sorted(points, key=points.__getitem__, reverse=True)
    return [
        Standing(name, place, points[name], (points[name],), (), shared=False)
        for place, name in enumerate(ordered, start=1)
    ]


WHO = [
    Competitor("a", team="Kupa"),
    Competitor("b", team="Maça"),
    Competitor("c", team="Kupa"),
    Competitor("d", team="Maça"),
    Competitor("e"),
    Competitor("f", team="Karo"),
    Competitor("h", house=True, team="Karo"),
]


def test_the_members_of_a_team_are_added_up_or_the_best_of_them_where_so_said():
    teams = team_standings(standings(a=9, b=8, c=-1, d=Fraction(1, 2), e=50, f=8), WHO)

    assert [(t.team, t.place, t.points, t.members, t.shared) for t in teams] == [
        ("Maça", 1, Fraction(17, 2), ("b", "d"), False),
        ("Karo", 2, 8, ("f",), True),
        ("Kupa", 2, 8, ("a", "c"), True),
    ]
    best = team_standings(standings(a=9, b=8, c=-1, d=2, e=50, f=8), WHO, best=1)
    assert [(t.team, t.place, t.points, t.counted) for t in best] == [
        ("Kupa", 1, 9, ("a",)),
        ("Karo", 2, 8, ("f",)),
        ("Maça", 2, 8, ("b",)),
    ]


def test_equal_teams_of_line_ups_are_parted_by_rounds_won_then_by_the_best_round():
    made = {
        "a": (9, 0, None),
        "b": (1, 8, 0),
        "c": (None, 0, None),
        "d": (None, None, 0),
        "f": (0, 7, 2),
    }
    rows = [
        Standing(name, 1, sum(filter(None, rounds)), rounds, (), shared=False)
        for name, rounds in made.items()
    ]
    teams = team_standings(rows, WHO, by_rounds=True)

    assert [(t.team, t.place, t.by_round, t.rounds_won) for t in teams] == [
        ("Kupa", 1, (9, 0, None), 1),
        ("Maça", 2, (1, 8, 0), 1),
        ("Karo", 3, (0, 7, 2), 1),
    ]
    assert {t.place for t in team_standings(rows, WHO)} == {1}


EVENINGS = [{"a": 4, "b": 2}, {"a": -1, "b": 2, "c": 9}, {"a": 4, "b": 2}]


def test_all_evenings_of_a_season_count():
    season = league(EVENINGS)

    assert [(s.player, s.place, s.points, s.by_evening, s.shared) for s in season] == [
        ("c", 1, 9, (None, 9, None), False),
        ("a", 2, 7, (4, -1, 4), False),
        ("b", 3, 6, (2, 2, 2), False),
    ]


def test_the_best_evenings_of_a_season_count_and_of_equal_ones_the_earlier():
    season = league(EVENINGS, best=2)

    assert [(s.player, s.points, s.counted) for s in season] == [
        ("c", 9, (1,)),
        ("a", 8, (0, 2)),
        ("b", 4, (0, 1)),
    ]


@given(
    st.lists(st.dictionaries(st.sampled_from("abcd"), st.integers(-3, 3)), max_size=5),
    st.integers(1, 4),
)
def test_no_other_choice_of_evenings_is_better(evenings, best):
    season = league(evenings, best)

    for row in season:
        had = sorted((e[row.player] for e in evenings if row.player in e), reverse=True)
        assert row.points == sum(had[:best])
    assert [s.points for s in season] == sorted((s.points for s in season), reverse=True)
    for first, second in pairwise(season):
        same = first.by_evening == second.by_evening
        assert (first.place == second.place) == (first.shared and same)


@pytest.mark.parametrize(
    ("evenings", "best", "places"),
    [
        # The better best evening, then the next best; only what counts.
        ([{"a": 13, "b": 20}, {"a": 13, "b": 6}], None, "b1 a2"),
        ([{"a": 9, "b": 9, "c": 9}, {"a": 1, "b": 4, "c": 0}, {"a": 4, "b": 1}], 1, "a1 b2 c3"),
        ([{"a": 9, "b": 4}, {"a": 0, "b": 9}, {"a": 4, "b": 0}], None, "a1 b2"),
        # Who came once more, then the last evening.
        ([{"a": 9, "b": 9}, {"b": 0}], None, "b1 a2"),
        ([{"a": 9, "b": 4}, {"a": 4, "b": 9}], None, "b1 a2"),
        ([{"a": 5, "b": 5, "c": 4}], None, "a1 b1 c3"),
    ],
)
def test_equal_sums_of_a_season_are_decided_by_the_best_evenings_then_the_last(
    evenings, best, places
):
    assert " ".join(f"{s.player}{s.place}" for s in league(evenings, best)) == places
