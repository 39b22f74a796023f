"""A second, naive scorer of right records of the Turkish forms and of two games beside them.

Written from `docs/rules.md` §1.4–1.9, §1.11 and `docs/records.md` §1 without the engine. It takes
nothing for granted but that the record is right: it refuses nothing.
"""

from dataclasses import dataclass
from fractions import Fraction

PENALTIES = {
    # in the order of the table: units and points each
    "no-tricks": {"tricks": (13, -50)},
    "no-hearts": {"hearts": (13, -30)},
    "no-men": {"men": (8, -60)},
    "no-queens": {"queens": (4, -100)},
    "heart-king": {"heart_king": (1, -320)},
    "last-two": {"last_two": (2, -180)},
}
TRUMP = {"trump": {"tricks": (13, 50)}}
ALL_UNITS = {unit: units for values in PENALTIES.values() for unit, units in values.items()}
PORTUGUESE = {
    "no-tricks": {"tricks": (13, -20)},
    "no-hearts": {"hearts": (13, -20)},
    "no-queens": {"queens": (4, -50)},
    "no-men": {"men": (8, -30)},
    "heart-king": {"heart_king": (1, -160)},
    "last-two": {"last_two": (2, -90)},
    "positive": {"tricks": (13, 25)},
}
BARBU = {
    "no-tricks": {"tricks": (13, -2)},
    "no-hearts": {"hearts": (13, -2), "heart_ace": (1, -4)},
    "no-queens": {"queens": (4, -6)},
    "heart-king": {"heart_king": (1, -20)},
    "last-two": {"twelfth_trick": (1, -10), "last_trick": (1, -20)},
    "trump": {"tricks": (13, 5)},
    "domino": {},
}
DOMINO = (45, 20, 5, -5)
"""Points of the first out of cards to the last."""

EYES = ("no-hearts", "no-tricks", "no-queens", "no-men")


@dataclass(frozen=True)
class Form:
    """How a game differs from the others, as far as a scorer must know."""

    contracts: dict
    length: int = 20
    side_of: tuple = (0, 1, 2, 3)
    quota: tuple = ()  # penalties and trumps that a side declares
    order: tuple = ()  # the contracts deal by deal, where that is fixed
    turn: int = 1  # deals that a declarer plays in a row
    kings: bool = True
    badges: tuple = ("king", "outside-king", "dys", "ox-eye", "flower")
    has_sunk: bool = True


FORMS = {
    "turkish-king-blind": Form(PENALTIES | TRUMP, quota=(3, 2)),
    "turkish-king-sealed": Form(PENALTIES | TRUMP, quota=(3, 2)),
    "turkish-king-double": Form(
        {"all-penalties": ALL_UNITS} | TRUMP,
        length=10,
        order=("all-penalties",) * 2 + ("trump",) * 8,
        badges=("king", "outside-king", "flower"),
    ),
    "turkish-king-partners": Form(PENALTIES | TRUMP, side_of=(0, 1, 0, 1), quota=(6, 4)),
    "honeymoon-king": Form(
        TRUMP, length=8, side_of=(0, 1), order=("trump",) * 1000, has_sunk=False
    ),
    "portuguese-king": Form(
        PORTUGUESE,
        length=10,
        order=(*PORTUGUESE, "positive", "positive", "positive"),
        kings=False,
        badges=(),
        has_sunk=False,
    ),
    "barbu": Form(BARBU, length=28, turn=7, kings=False, badges=(), has_sunk=False),
}


@dataclass(frozen=True)
class Played:
    """A deal with counts: who declared (a seat) and what each side took of its first unit."""

    contract: str
    declarer: int
    taken: list


def score(record):
    """The `kingscore-result/1` document of a right record."""
    form = FORMS[record["ruleset"]]
    options = record.get("options", {})
    length = options.get("deals", form.length)
    sides = max(form.side_of) + 1
    totals, expected, rows, badges, deals = [0] * sides, 0, [], [], []
    ended_by = ended_at = king = None
    for index, entry in enumerate(record["entries"]):
        if entry["type"] == "stopped":
            ended_by, ended_at = "stopped", index
        if entry["type"] == "adjustment":
            points = adjusted(form, entry)
            expected += sum(points)
        elif "counts" in entry:
            declarer = entry.get("declarer", whose_turn(form, record, len(deals)))
            points, deal_sum = score_deal(form, entry)
            expected += deal_sum
            deals.append(Played(entry["contract"], declarer, own_counts(form, entry)))
            made = find_king(form, entry, options)
            badges += [badge | {"entry": index} for badge in earned(form, entry, deals, made)]
            ended_by, king = how_it_ended(form, made, entry, length - len(deals))
            ended_at = index if ended_by else None
        else:
            continue
        totals = [total + point for total, point in zip(totals, points, strict=True)]
        rows.append(
            {
                "entry": index,
                "points": [plain(point) for point in points],
                "totals": [plain(total) for total in totals],
                "expected_sum": plain(expected),
            }
        )
    out, sunk = who_is_out(form, totals, ended_by, king, options)
    if (len(out), len(sunk)) == (1, 3):
        badges.append({"badge": "phone-plug", "seat": out[0], "entry": ended_at})
    if (len(out), len(sunk)) == (3, 1):
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
        "next": None if ended_by else what_next(form, record, deals),
        "ranks": rank(totals, ended_by, king),
        "out": out,
        "sunk": sunk,
        "badges": badges,
    }


def plain(points):
    """An integer, or a fraction in words."""
    points = Fraction(points)
    return points.numerator if points.denominator == 1 else str(points)


def whose_turn(form, record, deals):
    """The seat that declares (or leads, or speaks) after so many deals."""
    return (record.get("first_declarer", 0) + deals // form.turn) % len(form.side_of)


def own_counts(form, entry):
    """What each side took of the first unit of the contract; in domino the places."""
    units = list(form.contracts[entry["contract"]]) or ["places"]
    return entry["counts"][units[0]]


def score_deal(form, entry):
    """The points of each side, and what they must add up to."""
    counts = entry["counts"]
    if entry["contract"] == "domino":
        points, deal_sum = [DOMINO[place - 1] for place in counts["places"]], sum(DOMINO)
    else:
        values = form.contracts[entry["contract"]]
        sides = range(max(form.side_of) + 1)
        points = [
            sum(each * counts[unit][side] for unit, (_, each) in values.items()) for side in sides
        ]
        deal_sum = sum(units * each for units, each in values.values())
    return doubled(points, entry.get("doubles", [])), deal_sum


def doubled(points, doubles):
    """The difference of each doubled pair moves from the lower to the higher of them."""
    after = list(points)
    for double in doubles:
        one, other = double["seats"]
        moved = (points[one] - points[other]) * (2 if double.get("redoubled") else 1)
        after[one] += moved
        after[other] -= moved
    return after


def adjusted(form, entry):
    """Points per side of an adjustment."""
    given, sides = Fraction(entry["points"]), max(form.side_of) + 1
    rest = -given / (sides - 1) if entry.get("to") == "others" else 0
    return [given if side == form.side_of[entry["seat"]] else rest for side in range(sides)]


def find_king(form, entry, options):
    """The side that made King in a deal, or None."""
    if not form.kings or options.get("king") == "off":
        return None
    if options.get("king_deals") == "trump" and entry["contract"] != "trump":
        return None
    taker = None
    if "tricks" in entry["counts"]:
        tricks = entry["counts"]["tricks"]
        taker = tricks.index(13) if 13 in tricks else None
    elif "king" in entry:
        taker = form.side_of[entry["king"]]
    if options.get("king") == "declared":
        declared = "king_declared_by" in entry and form.side_of[entry["king_declared_by"]] == taker
        return taker if declared else None
    return taker


def how_it_ended(form, made, entry, deals_left):
    """How a deal ended the game, if it did, and which side made or failed a King."""
    if made is not None:
        return "king", made
    if "king_declared_by" in entry:
        return "failed-king", form.side_of[entry["king_declared_by"]]
    return ("length" if deals_left == 0 else None), None


def earned(form, entry, deals, king):
    """The badges of the last of `deals`, in the order of the table of §1.11."""
    badges = []
    deal = deals[-1]
    trump, declarer = deal.contract == "trump", form.side_of[deal.declarer]
    if king is not None:
        badges.append(("king", king))
    if king is not None and trump and king != declarer:
        badges.append(("outside-king", king))
    if not trump:
        units = sum(deal.taken)
        badges += [("dys", declarer)] if 2 * deal.taken[declarer] > units else []
    both = [other.taken for other in deals if other.contract == deal.contract]
    if deal.contract in EYES and len(both) == 2:
        badges += [
            ("ox-eye", side) for side, taken in enumerate(zip(*both, strict=True)) if not any(taken)
        ]
    if trump:
        badges += [("flower", side) for side, taken in enumerate(deal.taken) if taken == 0]
    badges = [badge for badge in badges if badge[0] in form.badges]
    if "rifki_holder" in entry:
        side = form.side_of[entry["rifki_holder"]]
        badges.append(("own-rifki" if deal.taken[side] else "sold-rifki", side))
    return [{"badge": badge, "seat": side} for badge, side in badges]


def rank(totals, ended_by, king):
    """Ranks by the override of a King first, then by total."""
    override = {"king": 1, "failed-king": -1}.get(ended_by, 0)
    keys = [(override if side == king else 0, total) for side, total in enumerate(totals)]
    return [1 + sum(other > key for other in keys) for key in keys]


def who_is_out(form, totals, ended_by, king, options):
    """Who is out and who is sunk when the game is over."""
    sides = range(len(totals))
    if ended_by is None or not form.has_sunk:
        return [], []
    if king is not None:
        out = [side for side in sides if (side == king) == (ended_by == "king")]
    elif len(totals) == 2 and totals == [0, 0]:
        return [], []
    else:
        bar = Fraction(sum(totals)) / len(totals) if options.get("out") == "mean" else 0
        out = [side for side in sides if totals[side] > bar]
    return out, [side for side in sides if side not in out]


def what_next(form, record, deals):
    """Whose turn it is, what may be named, and what must be."""
    declarer = whose_turn(form, record, len(deals))
    must = None
    if form.order:
        legal = [form.order[len(deals)]]
    elif form.quota:
        legal, must = left_by_quota(form, declarer, deals)
    else:
        used = [deal.contract for deal in deals if deal.declarer == declarer]
        legal = [name for name in form.contracts if name not in used]
    return {"declarer": declarer, "contracts": legal, "must": must, "deal": len(deals) + 1}


def left_by_quota(form, declarer, deals):
    """What the side of the declarer may name, and what it must."""
    side = form.side_of[declarer]
    own = [deal.contract for deal in deals if form.side_of[deal.declarer] == side]
    played = [deal.contract for deal in deals]
    trumps = own.count("trump")
    legal = []
    if len(own) - trumps < form.quota[0]:
        legal = [name for name in PENALTIES if played.count(name) < 2]
    if trumps < form.quota[1]:
        legal.append("trump")
    if legal == ["trump"]:
        return legal, "trump"
    return legal, (None if "trump" in legal else "penalty")
