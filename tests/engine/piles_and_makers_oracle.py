"""A naive scorer of right records of Krapet and Euchre, from `docs/rules.md` §3 and §4 alone.

It takes nothing for granted but that the record is right: it refuses nothing.
"""

from tests.engine.tally import Tally

SIDES = {
    # the side of each seat
    "krapet": [0, 1],
    "euchre": [0, 1, 0, 1],
    "euchre-two": [0, 1],
    "euchre-three": [0, 1, 2],
    "euchre-railroad": [0, 1, 0, 1],
}
PILES_AND_MAKERS = tuple(SIDES)


def score(record):
    """The `kingscore-result/1` document of a right record."""
    side_of = SIDES[record["ruleset"]]
    options = record.get("options", {})
    points_of = piles_points if record["ruleset"] == "krapet" else makers_points
    tally, hands, ended_by = Tally(side_of), 0, None
    for index, entry in enumerate(record["entries"]):
        if entry["type"] == "stopped":
            ended_by = "stopped"
        elif entry["type"] == "passed":
            hands += 1
        elif entry["type"] == "adjustment":
            tally.adjust(index, entry)
        elif entry["type"] == "deal":
            hands += 1
            points = points_of(record["ruleset"], options, entry)
            tally.add(index, points, sum(points))
        if ended_by is None and max(tally.totals) >= target_of(record):
            ended_by = "target"
    declarer = (record.get("first_declarer", 0) + hands) % len(side_of)
    return tally.result(ended_by, {"declarer": declarer, "contracts": [], "deal": hands + 1})


def target_of(record):
    """The score that ends a game."""
    options = record.get("options", {})
    usual = 10
    if record["ruleset"] == "krapet":
        usual = 300 if options.get("scoring") == "points" else 1
    return options.get("target", usual)


def piles_points(_ruleset, options, entry):
    """Points of both players of a game of Krapet."""
    winner, counted = entry["winner"], options.get("scoring") == "points"
    if not counted:
        return [int(seat == winner) for seat in (0, 1)]
    left = entry["left"]
    worth = [2 * left["reserve"][s] + left["stock"][s] + left["waste"][s] for s in (0, 1)]
    if winner is None:
        return [max(0, worth[1] - worth[0]), max(0, worth[0] - worth[1])]
    return [30 + worth[1 - seat] if seat == winner else 0 for seat in (0, 1)]


def makers_points(ruleset, options, entry):
    """Points of each side of a hand of Euchre."""
    side_of = SIDES[ruleset]
    makers = side_of[entry["maker"]]
    tricks, alone = entry["tricks"], entry.get("alone", False)
    against = entry.get("defender_alone") is not None
    made, lost = 0, 0
    if tricks == 5:
        made = 4 if alone else 2
        if ruleset == "euchre-three":
            made = options.get("march", 3)
    elif tricks >= 3:
        made = 1
    else:
        lost = max(
            2,
            4 if against and tricks == 0 else 0,
            options.get("euchred_alone", 2) if alone else 0,
            4 if ruleset == "euchre-railroad" and alone and against else 0,
        )
    return [made if side == makers else lost for side in range(max(side_of) + 1)]
