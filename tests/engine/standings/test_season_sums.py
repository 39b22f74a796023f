from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from tournaments.engine.standings.results import Competitor
from tournaments.engine.standings.standings import Standing, league, team_standings


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


def test_the_members_of_a_team_are_added_up():
    teams = team_standings(standings(a=9, b=8, c=-1, d=Fraction(1, 2), e=50, f=8), WHO)

    assert [(t.team, t.place, t.points, t.members, t.shared) for t in teams] == [
        ("Maça", 1, Fraction(17, 2), ("b", "d"), False),
        ("Karo", 2, 8, ("f",), True),
        ("Kupa", 2, 8, ("a", "c"), True),
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


def test_only_the_best_of_a_team_count_where_so_said():
    teams = team_standings(standings(a=9, b=8, c=-1, d=2, e=50, f=8), WHO, best=1)

    assert [(t.team, t.place, t.points, t.counted) for t in teams] == [
        ("Kupa", 1, 9, ("a",)),
        ("Karo", 2, 8, ("f",)),
        ("Maça", 2, 8, ("b",)),
    ]


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


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.dictionaries(st.sampled_from("abcd"), st.integers(-3, 3)), max_size=5),
    st.integers(1, 4),
)
def test_no_other_choice_of_evenings_is_better(evenings, best):
    season = league(evenings, best)

    for row in season:
        had = sorted((e[row.player] for e in evenings if row.player in e), reverse=True)
        assert row.points == sum(had[:best])
    assert [s.place for s in season] == [
        1 + sum(other.points > s.points for other in season) for s in season
    ]
