from dataclasses import replace
from itertools import product

import pytest

from tests.engine.pairing.evenings import Evening
from tournaments.engine.documents.pairings import read_pairing
from tournaments.engine.pairing.methods import seat_round, swap
from tournaments.engine.pairing.neighbours import apart_from_neighbours


def fourth(players=19, size=4, **more):
    evening = Evening(players, 5, 3, size)
    while len(evening.rounds) < 3:
        evening.draw()
    return read_pairing(evening.document() | more)


@pytest.mark.parametrize(("players", "size"), [(19, 4), (16, 4), (11, 2)])
def test_neighbours_who_sit_elsewhere_have_a_reason_and_the_price_of_the_best_exchange(
    players, size
):
    field = fourth(players, size)
    seating = seat_round(field, "swiss")
    home = {name: table for table in seating.tables for name in table}
    score = {each.id: each.score for each in field.entrants}
    codes = set()

    for name, apart in apart_from_neighbours(field, seating).items():
        # Nobody who sits elsewhere is nearer in the standings, unless there are enough above.
        above = sorted(s for other, s in score.items() if s >= score[name] and other != name)
        for each in apart:
            assert score[each.other] in above[: size - 1] or len(above) < size - 1
            codes.add(each.code)
            if each.code == "sits-out":
                assert each.other in seating.byes
                continue
            met = [n for n, r in enumerate(field.rounds, 1) if _share(r.tables, name, each.other)]
            assert each.round == (met[-1] if met else 0)
            assert (each.code == "met") == bool(met)
            here, there = home[name], home[each.other]
            assert here != there
            figures = []
            for one, other in product(here, there):
                if (one == name) != (other == each.other):
                    done = swap(field, seating, one, other)
                    now, before = done.seating.quality, done.before
                    spread = (now.score_spread - before.score_spread) * len(seating.tables)
                    figures.append((now.repeat_meetings - before.repeat_meetings, spread))
            assert (each.repeats, each.spread) in figures
            # Repeats come before scores.
            assert each.repeats == min(repeats for repeats, _ in figures)
    assert codes >= ({"met", "others"} if size == 4 else {"others"})
    assert ("sits-out" in codes) == bool(seating.byes)


def distinct(field):
    """The field with no two of the same score, one point apart."""
    ranked = sorted(field.entrants, key=lambda each: each.score)
    scores = {each.id: at for at, each in enumerate(ranked)}
    entrants = tuple(replace(each, score=scores[each.id]) for each in field.entrants)
    return replace(field, entrants=entrants)


def _share(tables, *names):
    return any({*names} <= {*table} for table in tables)


def test_the_leader_hears_of_those_who_come_next():
    field = distinct(fourth())
    seating = seat_round(field, "swiss")
    leader, *next_three = sorted(field.entrants, key=lambda each: -each.score)[:4]

    apart = apart_from_neighbours(field, seating)[leader.id]

    mates = next(table for table in seating.tables if leader.id in table)
    assert {each.other for each in apart} == {each.id for each in next_three} - {*mates}


def test_teammates_clubs_and_locked_tables_are_the_rule_before_the_price():
    field = replace(distinct(fourth(16)), rounds=(), rounds_left=1)
    first, _second, _third, last, *_others = sorted(field.entrants, key=lambda each: -each.score)

    def code(field, locked=frozenset()):
        apart = apart_from_neighbours(field, seat_round(field, "swiss"), locked)[first.id]
        return {each.other: each.code for each in apart}.get(last.id)

    assert code(field) is None
    assert code(replace(field, avoid=((first.id, last.id),))) == "avoided"
    assert code(replace(field, avoid=((first.id, last.id),)), {last.id}) == "locked"
    clubs = tuple(replace(e, club="Moda" * (e in (first, last))) for e in field.entrants)
    assert code(replace(field, entrants=clubs, separate_clubs=True)) == "same-club"


def test_equals_at_ones_table_are_neighbours_enough():
    field = fourth(16)
    level = replace(field, entrants=tuple(replace(e, score=3) for e in field.entrants))

    found = apart_from_neighbours(level, seat_round(level, "swiss"))

    assert set(found.values()) == {()}
