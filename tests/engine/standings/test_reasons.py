from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.standings.tournament_drawing import tournaments
from tournaments.engine.play.outcomes import rank
from tournaments.engine.standings import results
from tournaments.engine.standings.standings import (
    DECISIONS,
    METHOD_REASONS,
    REASONS,
    rank_entrants,
    why_place,
)
from tournaments.engine.standings.tournament_settings import TournamentSettings

FOUR = ("ali", "banu", "cem", "deniz")
WHO = [results.Competitor(name, number) for number, name in enumerate((*FOUR, "ece"))]


def table(*totals, out=None, names=FOUR):
    above = tuple(side for side, total in enumerate(totals) if total > 0)
    return results.TableResult(tuple(names), totals, rank(totals), above if out is None else out)


def why(entrant, *rounds, **chosen):
    chosen.setdefault("tie_breaks", ())
    return why_place(entrant, WHO, rounds, TournamentSettings(**chosen))


def reasons(entrant, *rounds, **chosen):
    return [
        [(reason.code, dict(reason.params)) for reason in each.reasons]
        for each in why(entrant, *rounds, **chosen).rounds
    ]


def one_round(*tables, byes=(), rulings=()):
    return results.RoundResults(1, tables, byes, rulings)


@pytest.mark.parametrize(
    ("method", "result", "code", "params"),
    [
        ("game", table(30, 10, 0, -40), "total", {"points": 30}),
        ("places", table(30, 10, 0, -40), "place", {"points": 4, "place": 1, "of": 4}),
        (
            "places",
            table(10, 10, 20, 10),
            "shared-place",
            {"points": 1, "place": 2, "of": 4, "last": 4, "sharing": 3},
        ),
        ("out", table(30, 10, 0, -40), "out", {"points": 1}),
        ("out", table(-30, 10, 0, 20), "sunk", {"points": 0}),
        ("out", table(9, 5, out=(), names=FOUR[:2]), "best", {"points": 1, "sharing": 1}),
        (
            "out",
            table(9, 9, out=(), names=FOUR[:2]),
            "shared-best",
            {"points": Fraction(1, 2), "sharing": 2},
        ),
        ("out", table(5, 9, out=(), names=FOUR[:2]), "not-best", {"points": 0}),
        (
            "pair-difference",
            table(9, 4, names=FOUR[:2]),
            "difference",
            {"points": 5, "own": 9, "others": 4},
        ),
    ],
)
def test_a_game_says_what_it_is_worth_and_why(method, result, code, params):
    assert reasons("ali", one_round(result), points=method) == [[(code, params)]]


def test_a_bye_says_how_many_rounds_its_average_is_of():
    played = [
        results.RoundResults(1, (table(30, 10, 0, -40),)),
        results.RoundResults(2, (table(15, 10, 0, -25),)),
        results.RoundResults(3, (), byes=("ali",)),
    ]

    assert reasons("ali", *played)[2] == [("bye-average", {"points": Fraction(45, 2), "rounds": 2})]
    assert reasons("ali", *played, bye=3)[2] == [("bye-fixed", {"points": 3})]
    # Who was let off a round is told so there, and not of another bye.
    let_off = results.RoundResults(4, (), (), (results.Ruling("ali", "bye"),))
    told = [[code for code, _params in each] for each in reasons("ali", *played, let_off, bye=3)]
    assert told[2:] == [["bye-fixed"], ["excused", "bye-fixed"]]


def test_rulings_stand_beside_what_was_played():
    rulings = [results.Ruling("ali", "adjusted", 20), results.Ruling("ali", "penalty", 5)]
    gone = [results.Ruling("banu", "forfeit", -7), results.Ruling("cem", "absent")]
    played = one_round(table(30, 10, 0, -40), rulings=tuple(rulings + gone))

    assert reasons("ali", played) == [
        [("total", {"points": 30}), ("adjusted", {"points": 20}), ("penalty", {"points": 5})]
    ]
    assert reasons("banu", played) == [[("forfeit", {"points": -7}), ("total", {"points": -7})]]
    assert reasons("cem", played, points="places") == [
        [("absent", {"points": 0}), ("place", {"points": 0, "place": 4, "of": 4})]
    ]


def test_a_round_without_anything_has_no_reasons():
    opened = why("ece", one_round(table(30, 10, 0, -40)))

    assert [(each.number, each.points, each.reasons) for each in opened.rounds] == [(1, None, ())]


def test_what_decided_against_the_neighbours():
    first = results.RoundResults(4, (table(30, 10, 10, 10, out=(0, 1)),))
    opened = why("banu", first, tie_breaks=("kings", "wins"))

    assert (opened.ahead.other, opened.ahead.code, opened.ahead.own, opened.ahead.theirs) == (
        "ali",
        "points",
        10,
        30,
    )
    assert (opened.behind.other, opened.behind.code, opened.behind.tie_break) == (
        "cem",
        "tie-break",
        "wins",
    )
    assert (opened.behind.own, opened.behind.theirs) == (1, 0)


def test_a_shared_place_the_unplayed_and_the_ends():
    first = one_round(table(30, 10, 10, -40))

    assert why("banu", first).behind.code == "shared"
    assert why("deniz", first).behind.code == "played"
    assert why("ali", first).ahead is None
    assert why("ece", first).behind is None


def test_house_players_have_no_place_to_ask_about():
    with pytest.raises(KeyError):
        why_place("h", [results.Competitor("h", house=True)], [], TournamentSettings())


def test_every_method_has_its_reason():
    assert set(METHOD_REASONS) == set(results.METHODS)


@settings(max_examples=30)
@given(tournaments(), st.integers(0, 9))
def test_what_is_opened_adds_up_to_what_stands(tournament, seed):
    who, rounds, chosen = tournament
    standings = rank_entrants(who, rounds, chosen, seed)

    for at, row in enumerate(standings):
        opened = why_place(row.entrant, who, rounds, chosen, seed)
        codes = [reason.code for each in opened.rounds for reason in each.reasons]
        fines = [
            r.params["points"] for e in opened.rounds for r in e.reasons if r.code == "penalty"
        ]

        assert opened.standing == row
        assert sum(each.points or 0 for each in opened.rounds) - sum(fines) == row.points
        assert set(codes) <= set(REASONS)
        assert all(each.reasons for each in opened.rounds if each.points is not None)
        if at:
            assert opened.ahead.other == standings[at - 1].entrant
            assert opened.ahead.code in DECISIONS
            assert (opened.ahead.code == "shared") == (row.place == standings[at - 1].place)
            check_by_round(opened.ahead)


def check_by_round(decision):
    """What decided is what its rounds make, of both."""
    made = sum
    match decision.tie_break:
        case "" | "lot":
            assert decision.rounds == ()
            return
        case "best-game":
            made = max
        case "opponents":
            # A mean over meetings, of which a round may have any number.
            numbers = [number for number, *_ in decision.rounds]
            assert numbers == sorted(set(numbers))
            return
    for value, of in ((decision.own, 1), (decision.theirs, 2)):
        parts = [each[of] for each in decision.rounds if each[of] is not None]
        assert value == (made(parts) if parts or made is sum else None)


def test_buchholz_is_the_mean_of_what_was_met_in_each_round():
    pair = ("ali", "cem"), ("banu", "deniz")
    rounds = [
        results.RoundResults(1, (table(40, 20, 10, -70),)),
        results.RoundResults(2, (table(-20, 10, names=pair[0]), table(0, 0, names=pair[1]))),
    ]

    decision = why("banu", *rounds, tie_breaks=("opponents",)).ahead

    # Each with 20 points: met were 20, 20, -70, and then -70 by banu, 20 by ali and cem.
    assert (decision.other, decision.tie_break) == ("cem", "opponents")
    assert decision.rounds == ((1, -10, -10), (2, -70, 20))
    assert (decision.own, decision.theirs) == (-25, Fraction(-5, 2))


def test_penalties_decide_in_the_round_in_which_they_were_given():
    fine = results.Ruling("ali", results.PENALTY, 20)
    rounds = [
        results.RoundResults(1, (table(30, 10, 0, -40),), (), (fine,)),
        results.RoundResults(2, (table(0, 0, 0, 0),)),
    ]

    decision = why("ali", *rounds, tie_breaks=("fewest-penalties",)).ahead

    assert (decision.other, decision.own, decision.theirs) == ("banu", -1, 0)
    assert decision.rounds == ((1, -1, 0), (2, 0, 0))
