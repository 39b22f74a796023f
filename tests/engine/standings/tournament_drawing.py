"""Tournaments drawn by chance: tables, byes, rulings and house players, for property tests."""

from dataclasses import replace
from fractions import Fraction

from hypothesis import strategies as st

from tournaments.engine.play.outcomes import rank
from tournaments.engine.standings.results import (
    TIE_BREAKS,
    Competitor,
    RoundResults,
    Ruling,
    TableResult,
)
from tournaments.engine.standings.tournament_settings import POINTS, TournamentSettings

# Few different totals, so that much is tied.
TOTALS = st.integers(-2, 2).map(lambda tens: tens * 10)

SETTINGS = st.builds(
    TournamentSettings,
    points=st.sampled_from(POINTS),
    place_points=st.sampled_from([(4, 2, 1, 0), (3, 1), (5, 3, -1), (2, 2, 2, 1)]),
    tie_breaks=st.lists(st.sampled_from(list(TIE_BREAKS)), unique=True, max_size=4).map(tuple),
    bye=st.sampled_from(["average", 0, 2]),
    tie_break_version=st.sampled_from([1, 2]),
)


@st.composite
def tables(draw, names):
    totals = tuple(draw(TOTALS) for _ in names)
    sides = range(len(names))
    return TableResult(
        tuple(names),
        totals,
        rank(totals),
        out=draw(st.sampled_from([(), tuple(side for side in sides if totals[side] > 0)])),
        kings=tuple(draw(st.lists(st.sampled_from(sides), max_size=1))),
        finished=draw(st.integers(0, 9)) > 0,
        unplayed=draw(st.sampled_from([0, 0, 10, Fraction(-5, 2)])),
    )


@st.composite
def played_rounds(draw, number, names, size):
    order = draw(st.permutations(names))
    seated = len(order) - len(order) % size
    sitting = [
        draw(tables(order[at : at + size])) for at in range(0, seated, size)
    ]  # fmt: skip
    rulings = []
    for name in draw(st.lists(st.sampled_from(order[:seated]), max_size=2)):
        kind = draw(st.sampled_from(["penalty", "adjusted", "forfeit", "absent"]))
        rulings.append(Ruling(name, kind, draw(st.integers(1, 30))))
    byes, table_of = tuple(order[seated:]), {n: t for t in sitting for n in t.entrants}
    # What is decided at a table that is still played is another story.
    rulings = [r for r in rulings if table_of[r.entrant].finished or r.kind == "penalty"]
    return RoundResults(number, tuple(sitting), byes, tuple(rulings))


@st.composite
def tournaments(draw):
    """Competitors, rounds and settings; the first of the competitors may be of the house."""
    size = draw(st.sampled_from([2, 4]))
    players = [f"p{at}" for at in range(draw(st.integers(size, 9)))]
    competitors = [Competitor(name, number) for number, name in enumerate(players)]
    if draw(st.booleans()):
        competitors[0] = replace(competitors[0], house=True)
    rounds = [
        draw(played_rounds(number, players, size)) for number in range(1, draw(st.integers(1, 4)))
    ]
    return competitors, rounds, draw(SETTINGS)
