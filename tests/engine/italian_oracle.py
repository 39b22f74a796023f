"""A naive scorer of right records of Italian King, written from `docs/rules.md` §2 alone.

It takes nothing for granted but that the record is right: it refuses nothing.
"""

from fractions import Fraction

from tests.engine.tally import Tally

TABLE = {
    # in the order of the table: unit, units, points each, how often in a game
    "no-men": ("men", 8, -2, 1),
    "no-queens": ("queens", 4, -3, 1),
    "diamond-eight": ("diamond_eight", 1, -8, 1),
    "heart-king": ("heart_king", 1, -8, 1),
    "no-hearts": ("hearts", 13, -1, 1),
    "last-two": ("last_two", 2, -4, 1),
    "no-tricks": ("tricks", 13, -1, 1),
    "domino": ("cards_left", None, None, 1),
    "declaration": ("tricks", 13, 1, 4),
    "no-trump": ("tricks", 13, 2, 1),
}
IN_ORDER = [name for name, (*_, times) in TABLE.items() for _ in range(times)]
FIXED = ("italian-king", "italian-king-pairs")
PAIRS = ("italian-king-pairs", "italian-king-pairs-choice")
ITALIAN = (
    "italian-king",
    "italian-king-choice",
    "italian-king-pirandello",
    "italian-king-pairs",
    "italian-king-pairs-choice",
)


def score(record):
    """The `kingscore-result/1` document of a right record."""
    pairs = record["ruleset"] in PAIRS
    tally = Tally([0, 1, 0, 1] if pairs else [0, 1, 2, 3])
    named, ended_by = [], None
    for index, entry in enumerate(record["entries"]):
        if entry["type"] == "stopped":
            ended_by = "stopped"
        elif entry["type"] == "adjustment":
            tally.adjust(index, entry)
        elif entry["type"] == "deal" and "counts" in entry:
            dealer = dealer_after(record, named)
            points_of = pair_points if pairs else seat_points
            tally.add(index, *points_of(record, entry, dealer))
            named.append((entry["contract"], dealer))
            ended_by = "length" if len(named) == 13 else None
    ahead = {
        "declarer": dealer_after(record, named),
        "contracts": [] if ended_by else what_is_left(record, named),
        "deal": len(named) + 1,
    }
    return tally.result(ended_by, ahead)


def dealer_after(record, named):
    """The seat that deals after the deals `named`."""
    return (record.get("first_declarer", 0) + len(named)) % 4


def what_is_left(record, named):
    """The contracts that the next dealer may name."""
    if record["ruleset"] in FIXED:
        return [IN_ORDER[len(named)]]
    left = list(IN_ORDER)
    for name, _dealer in named:
        left.remove(name)
    if record["ruleset"] == "italian-king-pairs-choice":
        return [name for name in TABLE if name in left]
    if len(named) == 12:
        return ["no-trump"]
    legal = set(left) - {"no-trump"}
    if record.get("options", {}).get("declarations", "one-each") == "one-each":
        dealer = dealer_after(record, named)
        own = [name == "declaration" for name, seat in named if seat == dealer]
        if own.count(True) == 1:
            legal -= {"declaration"}
        if own.count(False) == 2:
            legal &= {"declaration"}
    return [name for name in TABLE if name in legal]


def seat_points(record, entry, dealer):
    """Points of each seat, and their expected sum."""
    options = record.get("options", {})
    contract = entry["contract"]
    unit, units, each, _times = TABLE[contract]
    counts = entry["counts"][unit]
    cappotto = options.get("cappotto", "none")
    if contract == "domino":
        points, expected = domino(counts), 0
    elif contract in ("no-hearts", "no-tricks") and 13 in counts and cappotto != "none":
        taker, other, expected = {"plus14": (14, -9, -13), "plus13": (13, 0, 13)}[cappotto]
        points = [taker if count == 13 else other for count in counts]
    elif entry.get("blind"):
        points = [count * (2 if seat == dealer else 1) for seat, count in enumerate(counts)]
        expected = 13 + counts[dealer]
    elif "sale" in entry:
        points, expected = sold(counts, dealer, entry["sale"]), 13
    else:
        points, expected = [each * count for count in counts], each * units
    if record["ruleset"] == "italian-king-pirandello":
        points = halved(points, dealer, entry["partner"])
    return points, expected


def domino(left):
    """Who is out shares what the others hold; the others pay a point a card."""
    winners = left.count(0)
    return [Fraction(sum(left), winners) if count == 0 else -count for count in left]


def sold(counts, dealer, sale):
    """The points of a declaration that the dealer sold for so many tricks."""
    price, buyer = sale["tricks"], sale["buyer"]
    points = list(counts)
    if counts[buyer] >= price:
        points[buyer] = counts[buyer] - price
        points[dealer] = counts[dealer] + price
    else:
        missing = price - counts[buyer]
        points[buyer] = -2 * missing
        points[dealer] = counts[dealer] + counts[buyer] + 2 * missing
    return points


def halved(points, dealer, partner):
    """Half of the sum of a pair for each of it."""
    called = Fraction(points[dealer] + points[partner], 2)
    rest = Fraction(sum(points), 2) - called
    return [called if seat in (dealer, partner) else rest for seat in range(4)]


def pair_points(record, entry, dealer):
    """Points of each pair, and their expected sum."""
    unit, _units, each, _times = TABLE[entry["contract"]]
    chooser = dealer % 2
    own, other = entry["counts"][unit][chooser], entry["counts"][unit][1 - chooser]
    if entry["contract"] == "domino":
        difference = other - own
        bonus = 10 if entry["closed_by"] == chooser else -10
    else:
        difference, bonus = each * (own - other), 0
    won = difference + bonus
    if entry.get("third") and won < 0:
        won += min(difference, 0)
    return ([won, -won] if chooser == 0 else [-won, won]), 0
