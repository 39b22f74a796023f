"""A second, naive scorer of right records, written from `docs/rules.md` §1 without the engine.

It takes nothing for granted but that the record is right: it refuses nothing.
"""

from fractions import Fraction

SCORED = ("turkish-king", "turkish-king-internet", "turkish-king-bloody", "rifki")
"""The rulesets this scorer knows."""

CONTRACTS = {
    # in the order of the table: unit, units, points each
    "no-tricks": ("tricks", 13, -50),
    "no-hearts": ("hearts", 13, -30),
    "no-men": ("men", 8, -60),
    "no-queens": ("queens", 4, -100),
    "heart-king": ("heart_king", 1, -320),
    "last-two": ("last_two", 2, -180),
    "trump": ("tricks", 13, 50),
}
DEAREST_FIRST = ["no-tricks", "no-men", "no-queens", "no-hearts", "last-two", "heart-king"]
EYES = ("no-hearts", "no-tricks", "no-queens", "no-men")


def score(record):
    """The `kingscore-result/1` document of a right record."""
    options = record.get("options", {})
    kingless = record["ruleset"] == "rifki" or options.get("king") == "off"
    length, penalties, trumps = (
        (12, 2, 1) if record["ruleset"] == "turkish-king-internet" else (20, 3, 2)
    )
    totals, expected, rows, badges, deals = [0] * 4, 0, [], [], []
    ended_by = ended_at = king = None
    for index, entry in enumerate(record["entries"]):
        if entry["type"] == "stopped":
            ended_by, ended_at = "stopped", index
        elif entry["type"] == "adjustment":
            points = adjusted(entry)
            expected += sum(points)
        elif entry["type"] == "deal" and "counts" in entry:
            contract = entry["contract"]
            unit, all_units, each = CONTRACTS[contract]
            declarer = (record.get("first_declarer", 0) + len(deals)) % 4
            counts = entry["counts"][unit]
            points = [each * count for count in counts]
            expected += each * all_units
            deals.append((contract, declarer, counts))
            made = None if kingless else find_king(entry, options)
            badges += deal_badges(entry, deals, made, index)
            ended_by, king = how_it_ended(made, entry, length - len(deals))
            ended_at = index if ended_by else None
        if entry["type"] == "adjustment" or "counts" in entry:
            totals = [total + point for total, point in zip(totals, points, strict=True)]
            rows.append(
                {
                    "entry": index,
                    "points": [plain(point) for point in points],
                    "totals": [plain(total) for total in totals],
                    "expected_sum": plain(expected),
                }
            )
    ranks, out, sunk = outcome(totals, ended_by, king, options)
    if record["ruleset"] == "rifki":
        out = sunk = []
    if len(out) == 1:
        badges.append({"badge": "phone-plug", "seat": out[0], "entry": ended_at})
    if len(out) == 3:
        badges.append({"badge": "triple-socket", "seat": sunk[0], "entry": ended_at})
    return {
        "format": "kingscore-result/1",
        "valid": True,
        "problems": [],
        "entries": rows,
        "totals": [plain(total) for total in totals],
        "expected_sum": plain(expected),
        "finished": ended_by is not None,
        "ended_by": ended_by,
        "next": None if ended_by else what_next(record, deals, penalties, trumps),
        "ranks": ranks,
        "out": out,
        "sunk": sunk,
        "badges": badges,
    }


def how_it_ended(made, entry, deals_left):
    """How a deal ended the game, if it did, and who made or failed a King."""
    if made is not None:
        return "king", made
    if "king_declared_by" in entry:
        return "failed-king", entry["king_declared_by"]
    return ("length" if deals_left == 0 else None), None


def plain(points):
    """An integer, or a fraction in words."""
    points = Fraction(points)
    return points.numerator if points.denominator == 1 else str(points)


def find_king(entry, options):
    """The seat that made King in a deal, or None."""
    trump = entry["contract"] == "trump"
    if options.get("king_deals") == "trump" and not trump:
        return None
    if trump or entry["contract"] == "no-tricks":
        tricks = entry["counts"]["tricks"]
        taker = tricks.index(13) if 13 in tricks else None
    else:
        taker = entry.get("king")
    if options.get("king") == "declared" and (
        taker is None or taker != entry.get("king_declared_by")
    ):
        return None
    return taker


def deal_badges(entry, deals, king, index):
    """The badges of the last of `deals`, in the order of the table of §1.11."""
    contract, declarer, counts = deals[-1]
    earned = []
    if king is not None:
        earned.append(("king", king))
        if contract == "trump" and king != declarer:
            earned.append(("outside-king", king))
    if contract != "trump" and 2 * counts[declarer] > CONTRACTS[contract][1]:
        earned.append(("dys", declarer))
    both = [taken for name, _, taken in deals if name == contract]
    if contract in EYES and len(both) == 2:
        earned += [("ox-eye", seat) for seat in range(4) if both[0][seat] == both[1][seat] == 0]
    if contract == "trump":
        earned += [("flower", seat) for seat in range(4) if counts[seat] == 0]
    holder = entry.get("rifki_holder")
    if holder is not None:
        earned.append(("own-rifki" if counts[holder] else "sold-rifki", holder))
    return [{"badge": badge, "seat": seat, "entry": index} for badge, seat in earned]


def adjusted(entry):
    """Points per seat of an adjustment."""
    given = Fraction(entry["points"])
    rest = -given / 3 if entry.get("to") == "others" else 0
    return [given if seat == entry["seat"] else rest for seat in range(4)]


def outcome(totals, ended_by, king, options):
    """Ranks by the override first; who is out and who is sunk when the game is over."""
    override = {"king": 1, "failed-king": -1}.get(ended_by, 0)
    keys = [(override if seat == king else 0, total) for seat, total in enumerate(totals)]
    ranks = [1 + sum(other > key for other in keys) for key in keys]
    bar = Fraction(sum(totals)) / 4 if options.get("out") == "mean" else 0
    out = [seat for seat in range(4) if totals[seat] > bar]
    if king is not None:
        out = [seat for seat in range(4) if (seat == king) == (ended_by == "king")]
    if ended_by is None:
        return ranks, [], []
    return ranks, out, [seat for seat in range(4) if seat not in out]


def what_next(record, deals, penalties, trumps):
    """Whose turn it is, what may be named, and what must be."""
    declarer = (record.get("first_declarer", 0) + len(deals)) % 4
    own = [name == "trump" for name, seat, _ in deals if seat == declarer]
    played = [name for name, _, _ in deals]
    left = [name for name in DEAREST_FIRST if played.count(name) < 2]
    penalties_left, trumps_left = penalties - own.count(False), trumps - own.count(True)
    order = record.get("options", {}).get("order")
    legal = set(left if order not in ("ordered", "strict") else left[:1])
    if penalties_left == 0:
        legal = set()
    if trumps_left and not (order == "strict" and len(played) - played.count("trump") < 12):
        legal.add("trump")
    must = None
    if penalties_left == 0:
        must = "trump"
    if trumps_left == 0:
        must = "penalty"
    return {
        "declarer": declarer,
        "contracts": [name for name in CONTRACTS if name in legal],
        "must": must,
        "deal": len(deals) + 1,
    }
