"""The standings: by hand, against another computation, and in any order of what is given."""

from fractions import Fraction
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.standings_oracle import standings_of
from tests.engine.tournament_drawing import tournaments
from tournaments.engine.outcomes import rank
from tournaments.engine.round_results import (
    Competitor,
    RoundResults,
    Ruling,
    TableResult,
    split_places,
)
from tournaments.engine.standings import rank_entrants
from tournaments.engine.tie_breaks import TIE_BREAKS
from tournaments.engine.tournament_settings import TIE_BREAKS as NAMES
from tournaments.engine.tournament_settings import TournamentSettings

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


def test_the_points_of_the_games_are_added_up():
    rounds = rounds_of(table(300, 100, -100, -300), table(-50, 50, 200, -200))

    assert points(rows(competitors(*FOUR), rounds)) == [
        ("ali", 1, 250),
        ("banu", 2, 150),
        ("cem", 3, 100),
        ("deniz", 4, -500),
    ]


def test_after_an_earlier_round_stands_what_stood_then():
    rounds = rounds_of(table(300, 100, -100, -300), table(-50, 50, 500, -500))

    assert [row.entrant for row in rows(competitors(*FOUR), rounds[:1])] == list(FOUR)
    assert rows(competitors(*FOUR), rounds)[0].by_round == (-100, 500)


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


@given(
    st.lists(st.integers(0, 3), min_size=2, max_size=4),
    st.lists(st.integers(-9, 9), min_size=4, max_size=4),
)
def test_no_place_point_is_lost_or_made(totals, worth):
    assert sum(split_places(rank(totals), tuple(worth))) == sum(
        [*worth[: len(totals) - 1], worth[-1]]
    )


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (table(30, 10, -10, -30), [1, 1, 0, 0]),
        (table(30, -10, -10, -10), [1, 0, 0, 0]),
        # No game of out and sunk: the best place, or a share of it.
        (table(30, 30, 10, 5, out=()), [Fraction(1, 2), Fraction(1, 2), 0, 0]),
        (table(7, 7, names=FOUR[:2], out=()), [Fraction(1, 2), Fraction(1, 2)]),
    ],
)
def test_out_is_a_point(result, expected):
    standings = rows(competitors(*result.entrants), rounds_of(result), points="out")

    assert sorted((row.points for row in standings), reverse=True) == expected


def test_a_difference_is_to_the_mean_of_the_others():
    two = rows(competitors("a", "b"), rounds_of(table(9, 4, names="ab")), points="pair-difference")
    four = rows(competitors(*FOUR), rounds_of(table(10, 4, 3, 2)), points="pair-difference")

    assert points(two) == [("a", 1, 5), ("b", 2, -5)]
    assert [row.points for row in four] == [7, -1, Fraction(-7, 3), Fraction(-11, 3)]


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


def test_a_fixed_bye_is_worth_what_is_said():
    who = competitors(*FOUR, "ece")
    rounds = rounds_of(table(30, 10, -10, -30), byes=("ece",))

    assert points(rows(who, rounds, bye=20))[1] == ("ece", 2, 20)


@pytest.mark.parametrize(
    ("ruling", "expected"),
    [
        (Ruling("ali", "penalty", 50), {"ali": 250, "banu": 100, "cem": -100, "deniz": -300}),
        (Ruling("ali", "adjusted", 7), {"ali": 7, "banu": 100, "cem": -100, "deniz": -300}),
        (Ruling("ali", "forfeit"), {"ali": 0, "banu": 100, "cem": -100, "deniz": -300}),
        (Ruling("ali", "absent", -500), {"ali": -500, "banu": 100, "cem": -100, "deniz": -300}),
    ],
)
def test_a_ruling_is_about_one_entrant_alone(ruling, expected):
    standings = rows(competitors(*FOUR), rounds_of(table(300, 100, -100, -300), rulings=(ruling,)))

    assert {row.entrant: row.points for row in standings} == expected


def test_who_forfeits_is_last_and_not_out_and_the_others_keep_their_places():
    rounds = rounds_of(table(300, 100, -100, -300), rulings=(Ruling("ali", "forfeit"),))

    places = rows(competitors(*FOUR), rounds, points="places", place_points=(4, 3, 2, 1))
    out = rows(competitors(*FOUR), rounds, points="out")

    assert {row.entrant: row.points for row in places} == {
        "ali": 1,
        "banu": 3,
        "cem": 2,
        "deniz": 1,
    }
    assert [row.entrant for row in out if row.points] == ["banu"]


def test_the_last_ruling_counts_and_every_penalty():
    rulings = (
        Ruling("ali", "forfeit"),
        Ruling("ali", "penalty", 5),
        Ruling("ali", "adjusted", 200),
        Ruling("ali", "penalty", 6),
    )

    standings = rows(competitors(*FOUR), rounds_of(table(3, 2, 1, 0), rulings=rulings))

    assert (standings[0].points, standings[0].penalties, standings[0].by_round) == (189, 11, (200,))


def test_a_ruling_needs_no_table():
    rulings = (Ruling("ece", "absent", -100), Ruling("fatma", "adjusted", 5))
    rounds = rounds_of(table(30, 10, -10, -30), rulings=rulings)

    standings = rows(competitors(*FOUR, "ece", "fatma"), rounds)

    assert [(r.entrant, r.points) for r in standings][-4:] == [
        ("fatma", 5), ("cem", -10), ("deniz", -30), ("ece", -100)
    ]  # fmt: skip


@pytest.mark.parametrize(("kind", "points"), [("scolded", 1), ("penalty", 0), ("penalty", -5)])
def test_a_ruling_that_makes_no_sense_is_none(kind, points):
    with pytest.raises(ValueError, match=r"A (ruling|penalty)"):
        Ruling("ali", kind, points)


def test_house_players_have_no_place_and_the_others_keep_theirs():
    who = [*competitors(*FOUR[:3]), Competitor("deniz", house=True)]

    standings = rows(who, rounds_of(table(10, 20, 0, 30)), points="places")

    assert points(standings) == [("banu", 1, 2), ("ali", 2, 1), ("cem", 3, 0)]


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


def test_strangers_are_refused():
    with pytest.raises(ValueError, match="Round 1 names"):
        rows(competitors(*FOUR[:3]), rounds_of(table(1, 2, 3, 4)))
    with pytest.raises(ValueError, match="Round 1 names strangers: "):
        rows(competitors(*FOUR), rounds_of(table(1, 2, 3, 4), byes=("zoe",)))


def test_every_tie_break_has_its_strategy():
    assert tuple(TIE_BREAKS) == NAMES


@settings(max_examples=100, deadline=None)
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


@settings(max_examples=40, deadline=None)
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


@settings(max_examples=40, deadline=None)
@given(tournaments())
def test_places_go_down_as_points_do_and_lots_leave_nobody_equal(tournament):
    who, rounds, chosen = tournament

    standings = rank_entrants(who, rounds, chosen)

    places = [row.place for row in standings]
    assert places == sorted(places)
    assert [places.count(row.place) > 1 for row in standings] == [r.shared for r in standings]
    if "lot" in chosen.tie_breaks:
        assert places == list(range(1, len(places) + 1))


def test_a_penalty_counts_before_anything_is_played():
    rounds = [RoundResults(1, (), rulings=(Ruling("ali", "penalty", 5),))]

    standings = rows(competitors(*FOUR), rounds)

    assert points(standings)[-1] == ("ali", 4, -5)
