import pytest

from tests.sample_games import DRAWN, NAMES, load
from tournaments.engine.documents.games import read_game
from tournaments.engine.play.outcomes import award, write_badges, write_earned
from tournaments.engine.rules.entries import write_points
from tournaments.engine.rules.rulesets import number_of

SUMMED = (
    "turkish-king",
    "turkish-king-bloody",
    "rifki",
    "italian-king",
    "italian-king-choice",
    "italian-king-pairs",
    "euchre",
    "euchre-three",
    "krapet",
)
SIDES = {"italian-king-pairs": (0, 1, 0, 1), "euchre": (0, 1, 0, 1)}
HAND = {"euchre": "euchre", "euchre-three": "euchre", "krapet": "krapet"}
NOT_CHOSEN = {"no-trump"}
"""The last deal of Italian King is the same in every game."""


def naive(record, result):
    """By contract, for each seat: deals declared, their points, other deals, their points."""
    ruleset, seats = record["ruleset"], len(record["players"])
    sides = SIDES.get(ruleset, tuple(range(seats)))
    moved = {row["entry"]: row["points"] for row in result["entries"]}
    earned, dealt = {}, 0
    for number, entry in enumerate(record["entries"]):
        if entry["type"] == "deal" and number in moved:
            contract = HAND.get(ruleset) or entry["contract"]
            chose = entry.get("maker") if ruleset in HAND else None
            fixed = ruleset in ("italian-king", "italian-king-pairs") and contract != "declaration"
            if ruleset not in HAND and not fixed and contract not in NOT_CHOSEN:
                chose = (record.get("first_declarer", 0) + dealt) % seats
            for seat, side in enumerate(sides):
                row = earned.setdefault(contract, [[0, 0, 0, 0] for _ in sides])[seat]
                at = 0 if seat == chose else 2
                row[at] += 1
                row[at + 1] += number_of(moved[number][side])
            dealt += 1
    for rows in earned.values():
        for row in rows:
            row[1], row[3] = write_points(row[1]), write_points(row[3])
    return earned


@pytest.mark.parametrize("ruleset", SUMMED)
def test_earnings_of_drawn_games_are_those_of_a_naive_sum(ruleset):
    games = [kept for kept in DRAWN if kept["record"]["ruleset"] == ruleset]
    sums = [naive(**kept) for kept in games]
    assert any(sums)
    assert [write_earned(read_game(kept["record"]).game) for kept in games] == sums


@pytest.mark.parametrize("name", NAMES)
def test_earnings_and_adjustments_add_up_to_the_totals(name):
    game = read_game(load(name)).game
    earned = write_earned(game)

    deals = {played.entry for played in game.deals}
    moved = [row.points for row in game.rows if row.entry not in deals]
    for seat, side in enumerate(game.ruleset.sides):
        rows = [seats[seat] for seats in earned.values()]
        points = sum(number_of(each) for row in rows for each in (row[1], row[3]))
        assert points + sum(row[side] for row in moved) == game.totals[side]
        assert sum(row[0] + row[2] for row in rows) == len(game.deals)


@pytest.mark.parametrize("name", NAMES)
def test_badges_are_counted_by_side(name):
    game = read_game(load(name)).game
    counts = write_badges(award(game), game.ruleset.side_count)

    earned = load(f"{name}.result")["badges"]
    told = [
        (badge, side)
        for badge, sides in counts.items()
        for side, n in enumerate(sides)
        for _ in range(n)
    ]
    assert sorted(told) == sorted((each["badge"], each["seat"]) for each in earned)
