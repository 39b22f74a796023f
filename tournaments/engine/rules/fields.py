"""The fields of an entry, and the steps in which it is typed."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from types import MappingProxyType
from typing import Any

from tournaments.engine.rules.entries import (
    CALLS,
    CARDS_OF_BOTH_PACKS,
    CONTRACT,
    COUNTS,
    DOUBLES,
    LEFT,
    NO_TRUMP,
    OFFER,
    PARTNER_OR_NULL,
    PILES,
    SALE,
    SEAT,
    SEAT_OR_NULL,
    SIDE,
    YES,
    YES_IN_PAIRS,
    Deal,
    Kind,
    TableShape,
    check_seat,
    hexadecimal,
    number_of_tricks,
    unexpected,
    within,
    word,
)
from tournaments.engine.rules.entries import gettext_noop as _
from tournaments.engine.rules.rulesets import (
    Code,
    Contract,
    PerSide,
    Points,
    Problem,
    Ruleset,
    Setting,
    whole,
)


def _tricks_of_hands(table: TableShape) -> int:
    return table.hand_tricks


def _nothing(_ruleset: Ruleset, _deal: Deal, _value: Any) -> Iterable[Problem]:
    return ()


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a deal: its kind, its texts, and what its kind does not check.

    `about` describes it in the published schemas. People read the others: its `label`, the `mark`
    of its value on the sheet, the sentence where it is `missing`, and the `question` that replaces
    the label in the form. A completed deal needs a field that is `required`. With a `switch` the
    field exists only if that setting is on. With `required_where` it is needed if that setting has
    that value.
    """

    kind: Kind
    about: str
    label: str = ""
    mark: str = ""
    missing: str = ""
    question: str = ""
    check: Callable[[Ruleset, Deal, Any], Iterable[Problem]] = _nothing
    required: bool = False
    switch: str | None = None
    required_where: tuple[str, Setting] | None = None


KING_FIELDS: Mapping[Setting, tuple[str, ...]] = MappingProxyType(
    {"off": (), "ends-game": ("king",), "declared": ("king", "king_declared_by")}
)


def fields_of(ruleset: Ruleset, contract: Contract) -> tuple[str, ...]:
    """Return the fields that a deal of `contract` may have.

    The contract, declarer, counts and trump are not among them.
    """
    king = KING_FIELDS[ruleset.settings.get("king", "off")]
    names = []
    for name in (*ruleset.fields, *contract.fields, *king):
        switch = FIELDS[name].switch
        if switch is None or ruleset.settings.get(switch):
            names.append(name)
    return tuple(names)


def fields_anywhere(ruleset: Ruleset) -> frozenset[str]:
    """Return the fields that a deal of some contract may have."""
    names = set(chain.from_iterable(fields_of(ruleset, c) for c in ruleset.contracts))
    has_suits = any(contract.named or contract.trumps for contract in ruleset.contracts)
    return frozenset(names | ({"trump"} if has_suits else set()))


def trumps_of(ruleset: Ruleset, contract: Contract) -> tuple[str, ...]:
    if ruleset.settings.get("no_trump_declaration", True):
        return contract.trumps
    return tuple(trump for trump in contract.trumps if trump != NO_TRUMP)


def ways_to_play(ruleset: Ruleset) -> list[Ruleset]:
    """Return the ruleset itself, and with every value of every option."""
    chosen = [{o.setting: value} for o in ruleset.options for value in o.values]
    return [ruleset, *map(ruleset.with_options, chosen)]


def allowed_fields(ways: Sequence[Ruleset], contract: Contract) -> set[str]:
    """Return the fields that a deal of a contract may have at some table."""
    names = {name for way in ways for name in fields_of(way, contract)}
    names |= {"trump"} if contract.trumps else set()
    names |= {"contract", "counts"} if contract.named else set()
    return names | ({"declarer"} if contract.named and contract.declared else set())


def needed_fields(ruleset: Ruleset, contract: Contract) -> list[str]:
    own = [name for name in fields_of(ruleset, contract) if is_required(ruleset, FIELDS[name])]
    return [*(("declarer",) if ruleset.declares == "pair" else ()), *own]


def needed_always(ruleset: Ruleset) -> list[str]:
    """Return the fields that every completed deal requires."""
    first, *others = (needed_fields(ruleset, contract) for contract in ruleset.contracts)
    return [name for name in first if all(name in needed for needed in others)]


def allowed_anywhere(ways: Sequence[Ruleset]) -> set[str]:
    """Return the fields that a deal of some contract may have at some table."""
    return {name for contract in ways[0].contracts for name in allowed_fields(ways, contract)}


def trumps_anywhere(ways: Sequence[Ruleset]) -> set[str]:
    return {trump for way in ways for c in way.contracts for trump in trumps_of(way, c)}


def check_fields(ruleset: Ruleset, contract: Contract, deal: Deal) -> list[Problem]:
    problems: list[Problem] = []
    for name, value in deal.details.items():
        if name == "trump" and (contract.named or contract.trumps):
            allowed = trumps_of(ruleset, contract)
            if value not in allowed:
                params = {"trump": value, "allowed": list(allowed)}
                problems.append(Problem(Code.BAD_TRUMP, "trump", params))
        elif name not in fields_of(ruleset, contract):
            problems.append(unexpected(name))
        else:
            field, kind = FIELDS[name], FIELDS[name].kind
            if kind.of_pairs and ruleset.seats_in_a_side == 1:
                problems += () if value is None or value is False else (unexpected(name),)
            else:
                problems += within(name, kind.check(ruleset, value))
                problems += within(name, field.check(ruleset, deal, value))
    needs_some = not REQUIRED.isdisjoint((*ruleset.fields, *contract.fields))
    if needs_some and (deal.counts is not None or not contract.named):
        problems += [
            Problem(Code.MISSING_FIELD, name, {"field": name})
            for name in fields_of(ruleset, contract)
            if name not in deal.details and is_required(ruleset, FIELDS[name])
        ]
    return problems


def is_required(ruleset: Ruleset, field: Field) -> bool:
    """Return whether a completed deal needs a field."""
    if field.required_where is None:
        return field.required
    setting, value = field.required_where
    return ruleset.settings.get(setting) == value


def _check_partner(_ruleset: Ruleset, deal: Deal, partner: int) -> Iterator[Problem]:
    if partner == deal.declarer:
        yield Problem(Code.BAD_PARTNER, "", {"seat": partner})


def _check_sale(ruleset: Ruleset, deal: Deal, sale: Mapping[str, int]) -> Iterator[Problem]:
    """The dealer sells the declaration for a number of tricks (`docs/rules.md` §2.1)."""
    if deal.details.get("blind"):
        yield Problem(Code.BAD_SALE, "", {"why": "blind"})
    buyer, tricks = sale.get("buyer"), sale.get("tricks")
    if buyer is not None:
        yield from check_seat(ruleset, ".buyer", buyer)
        if buyer == deal.declarer:
            yield Problem(Code.BAD_SALE, ".buyer", {"why": "own"})
    if tricks is not None and tricks not in range(1, ruleset.tricks + 1):
        yield Problem(Code.BAD_SALE, ".tricks", {"why": "price", "most": ruleset.tricks})


def _check_refused(ruleset: Ruleset, deal: Deal, refused: bool) -> Iterator[Problem]:
    """Check a declined hand: the tricks are shared equally, and the dealer gets the rest."""
    if not refused:
        return
    if "sale" in deal.details or "trump" in deal.details:
        yield Problem(Code.BAD_SALE, "", {"why": "refused"})
    each, more = divmod(ruleset.tricks, ruleset.side_count)
    own = ruleset.sides[deal.declarer or 0]
    shares = tuple(each + more * (side == own) for side in range(ruleset.side_count))
    if deal.counts is not None and deal.counts.get("tricks") != shares:
        yield Problem(Code.BAD_SALE, "", {"why": "shares", "each": each, "dealer": each + more})


def _check_doubles(
    ruleset: Ruleset, _deal: Deal, doubles: tuple[Mapping[str, Any], ...]
) -> Iterator[Problem]:
    """Pairs that have doubled each other: two different seats, each pair once."""
    pairs = [frozenset(double["seats"]) for double in doubles]
    for seat in sorted({seat for double in doubles for seat in double["seats"]}):
        yield from check_seat(ruleset, "", seat)
    if any(len(double["seats"]) != 2 for double in doubles) or any(len(p) != 2 for p in pairs):
        yield Problem(Code.BAD_DOUBLE, "", {"why": "pair"})
    elif len(set(pairs)) < len(pairs):
        yield Problem(Code.BAD_DOUBLE, "", {"why": "twice"})
    if any(double.get("by") not in (None, *double["seats"]) for double in doubles):
        yield Problem(Code.BAD_DOUBLE, "", {"why": "by"})


def _check_tricks(ruleset: Ruleset, _deal: Deal, tricks: int) -> Iterator[Problem]:
    if tricks < 0:
        yield Problem(Code.NEGATIVE_COUNT, "", {"got": tricks})
    elif tricks > ruleset.hand_tricks:
        yield Problem(Code.COUNT_TOO_LARGE, "", {"most": ruleset.hand_tricks, "got": tricks})


def _check_bid(ruleset: Ruleset, _deal: Deal, bid: int) -> Iterator[Problem]:
    if bid not in range(1, ruleset.hand_tricks + 1):
        yield Problem(Code.BAD_EUCHRE, "", {"why": "bid", "most": ruleset.hand_tricks})


def _check_defender_alone(ruleset: Ruleset, deal: Deal, seat: int | None) -> Iterator[Problem]:
    sides, maker = dict(enumerate(ruleset.sides)), deal.details.get("maker")
    if seat in sides and maker in sides and sides[seat] == sides[maker]:
        yield Problem(Code.BAD_EUCHRE, "", {"seat": seat})


def _check_left(ruleset: Ruleset, deal: Deal, left: Mapping[str, Any]) -> Iterator[Problem]:
    """Check the piles: the winner's are empty, all others have cards, both packs hold them."""
    if any(LEFT.check(ruleset, left)):
        return
    cards = [sum(left[pile][seat] for pile in PILES) for seat in range(ruleset.seats)]
    if sum(cards) > CARDS_OF_BOTH_PACKS:
        most = {"most": CARDS_OF_BOTH_PACKS, "got": sum(cards)}
        yield Problem(Code.COUNT_TOO_LARGE, "", most)
    winner = deal.details.get("winner", -1)
    empty = [seat for seat in range(ruleset.seats) if cards[seat] == 0]
    known = winner in (None, *range(ruleset.seats))
    if known and empty != ([] if winner is None else [winner]):
        yield Problem(Code.BAD_KRAPET, "", {"why": "empty", "winner": winner})


FIELDS: Mapping[str, Field] = MappingProxyType(
    {
        "king": Field(SEAT, "Who took all tricks.", _("King"), _("King: %(player)s")),
        "king_declared_by": Field(
            SEAT,
            "Who declared King before the first lead.",
            _("Declared King"),
            _("King declared: %(player)s"),
            question=_("King declared by"),
        ),
        "tricks_played": Field(
            number_of_tricks(1),
            "All when left out.",
            _("Tricks played"),
            _("over after trick %(number)s"),
        ),
        "rifki_holder": Field(
            SEAT,
            "Who was dealt the king of hearts.",
            _("Holder of the king of hearts"),
            _("♥K was dealt to %(player)s"),
            question=_("♥K was dealt to"),
        ),
        "sealed": Field(
            hexadecimal(64), "SHA-256 of contract, colon and salt, in hex.", _("Seal"), _("sealed")
        ),
        "salt": Field(
            hexadecimal(32, 1000),
            "Random bits in hex, at least 128, shown with the contract.",
            _("Proof of the seal"),
        ),
        "blind": Field(
            YES,
            "Declared before the cards were seen.",
            _("Blind"),
            _("blind"),
            switch="blind_declaration",
        ),
        "sale": Field(
            SALE,
            "To whom the dealer sold the declaration, and for how many tricks.",
            _("Sale"),
            _("sold to %(player)s for %(tricks)s"),
            check=_check_sale,
            switch="sale",
        ),
        "refused": Field(
            YES,
            "Nobody bid enough, and the dealer declined to play.",
            _("Not played"),
            _("not played"),
            check=_check_refused,
            switch="refusal",
        ),
        "partner": Field(
            SEAT,
            "Who held the card that the dealer called.",
            _("Partner"),
            _("with %(player)s"),
            _("Choose the partner."),
            check=_check_partner,
            required=True,
        ),
        "offered": Field(
            OFFER,
            "The two contracts the dealer offered.",
            _("Offered contracts"),
            _("offered: %(contracts)s"),
            _("Choose the two contracts that are offered."),
        ),
        "third": Field(
            YES, "The partner took neither of them.", _("Third choice"), _("third choice")
        ),
        "closed_by": Field(
            SIDE,
            "The side that went out first.",
            _("Who went out first"),
            _("out first: %(player)s"),
            _("Choose who went out first."),
            required=True,
        ),
        "doubles": Field(
            DOUBLES, "Pairs of seats that doubled each other.", _("Doubles"), check=_check_doubles
        ),
        "maker": Field(
            SEAT,
            "Who named or ordered up the trump.",
            _("Maker"),
            _("maker: %(player)s"),
            _("Choose who made trump."),
            required=True,
        ),
        "bid": Field(
            number_of_tricks(1, _tricks_of_hands),
            "How many tricks the maker bid.",
            _("Bid"),
            _("bid %(number)s"),
            _("Choose the bid."),
            check=_check_bid,
            required=True,
        ),
        "tricks": Field(
            number_of_tricks(0, _tricks_of_hands),
            "Tricks of the makers.",
            mark=_("tricks: %(number)s"),
            missing=_("Choose the number of tricks."),
            check=_check_tricks,
            required=True,
        ),
        "alone": Field(YES_IN_PAIRS, "The maker played without a partner.", _("Alone"), _("alone")),
        "defender_alone": Field(
            PARTNER_OR_NULL,
            "The defender who played without a partner.",
            _("Defender alone"),
            _("%(player)s defends alone"),
            check=_check_defender_alone,
        ),
        "winner": Field(
            SEAT_OR_NULL,
            "Null in a stalemate.",
            _("Winner"),
            _("won: %(player)s"),
            _("Choose who won."),
            required=True,
        ),
        "left": Field(
            LEFT,
            "Cards left in each pile, one number per seat.",
            _("Cards left"),
            _("left: %(piles)s"),
            _("Write the number of cards left."),
            check=_check_left,
            required_where=("scoring", "points"),
        ),
        "calls": Field(
            CALLS,
            "Calls of krapet, one number per seat.",
            _("Krapet calls"),
            _("krapet calls: %(calls)s"),
        ),
    }
)
"""The further fields of a deal by name, in the order in which they are written."""

NAMES = list(FIELDS)
NAMES.insert(NAMES.index("offered"), NAMES.pop(NAMES.index("closed_by")))
"""Their names in the order of the published JSON Schema of rulesets."""

DEAL: Mapping[str, Field] = MappingProxyType(
    {
        "contract": Field(
            CONTRACT,
            "Its id in the ruleset; none where a game has only one.",
            _("Contract"),
            missing=_("Choose the contract."),
        ),
        "declarer": Field(
            SEAT,
            "Whose turn it is; in Italian King the dealer, also of a sale.",
            _("Declarer"),
            missing=_("Choose who declares."),
        ),
        "trump": Field(
            word(lambda table: table.trumps),
            "The suit, or none for a declaration without trump.",
            _("Trump suit"),
            missing=_("Choose the trump suit."),
        ),
        **FIELDS,
        "counts": Field(
            COUNTS,
            "Without counts the deal is open, which only the last entry may be.",
            _("Numbers"),
        ),
    }
)
"""Every field of a deal."""

REQUIRED = frozenset(
    name for name, field in FIELDS.items() if field.required or field.required_where
)


Move = Callable[[Ruleset, Contract, Deal, PerSide], PerSide]


@dataclass(frozen=True, slots=True)
class Step:
    """A named step; one that `adds` changes the sum that the deal adds to all scores."""

    move: Move
    adds: bool = False


CAPPOTTO = ("plus14", "plus13")


def cappotto_points(ruleset: Ruleset, contract: Contract) -> tuple[Points, Points] | None:
    """Return the points of a side with every unit of a contract, and those of each other side.

    None if the table scores that like any other deal.
    """
    rule = ruleset.settings.get("cappotto")
    if rule not in CAPPOTTO or not contract.cappotto:
        return None
    [(unit, value)] = contract.values.items()
    total = ruleset.units[unit].total or 0
    if rule == "plus13":
        return -value * total, 0
    one_more = -value * (total + 1)
    return one_more, whole(Fraction(value * total - one_more) / (ruleset.side_count - 1))


STEPS: dict[str, Step] = {}
"""The named steps; a ruleset lists those it uses, in order."""


def step(name: str, *, adds: bool = False) -> Callable[[Move], Move]:
    def add(move: Move) -> Move:
        STEPS[name] = Step(move, adds)
        return move

    return add


@step("cappotto", adds=True)
def _cappotto(ruleset: Ruleset, contract: Contract, deal: Deal, points: PerSide) -> PerSide:
    """All units by one side (`docs/rules.md` §2.1)."""
    if (scores := cappotto_points(ruleset, contract)) is None:
        return points
    [unit] = contract.values
    taken, total = (deal.counts or {})[unit], ruleset.units[unit].total
    if total not in taken:
        return points
    return tuple(scores[0] if count == total else scores[1] for count in taken)


@step("blind", adds=True)
def _blind(ruleset: Ruleset, _contract: Contract, deal: Deal, points: PerSide) -> PerSide:
    if not deal.details.get("blind"):
        return points
    own = ruleset.sides[deal.declarer or 0]
    return tuple(2 * p if side == own else p for side, p in enumerate(points))


@step("sale")
def _sale(ruleset: Ruleset, contract: Contract, deal: Deal, points: PerSide) -> PerSide:
    """The dealer sold the declaration for a number of tricks (`docs/rules.md` §2.1)."""
    sale = deal.details.get("sale")
    if sale is None or deal.declarer is None:
        return points
    buyer, seller = sale["buyer"], deal.declarer
    each = contract.values["tricks"] if tuple(contract.values) == ("tricks",) else 1
    price = abs(each) * sale["tricks"]
    own = points[buyer] - contract.base
    missing = price - own
    moved = list(points)
    if missing > 0 and each > 0 and ruleset.settings.get("sale_debt", "double") == "double":
        # The buyer pays what the tricks are worth, and owes twice what is missing.
        price = own + 2 * missing
    moved[buyer] -= price
    moved[seller] += price
    return tuple(moved)


@step("secret-pair")
def _secret_pair(ruleset: Ruleset, _contract: Contract, deal: Deal, points: PerSide) -> PerSide:
    """Each player gets half of their pair's sum; the dealer's partner holds the named card."""
    pair = (deal.declarer, deal.details["partner"])
    own = [points[side] for side in range(ruleset.side_count) if side in pair]
    others = [points[side] for side in range(ruleset.side_count) if side not in pair]
    half_own, half_others = whole(Fraction(sum(own)) / 2), whole(Fraction(sum(others)) / 2)
    return tuple(half_own if side in pair else half_others for side in range(ruleset.side_count))


@step("third")
def _third(ruleset: Ruleset, contract: Contract, deal: Deal, points: PerSide) -> PerSide:
    """Double a third choice below 0 for the side that chose, except for its bonus (§2.5)."""
    own = ruleset.sides[deal.declarer or 0]
    if not deal.details.get("third") or points[own] >= 0:
        return points
    bonus: Points = 0
    if contract.prizes:
        bonus = contract.prizes[0] if deal.details["closed_by"] == own else -contract.prizes[0]
    more = min(points[own] - bonus, 0)
    return tuple(p + more if side == own else p - more for side, p in enumerate(points))


@step("doubles")
def _doubles(_ruleset: Ruleset, _contract: Contract, deal: Deal, points: PerSide) -> PerSide:
    moved = list(points)
    for double in deal.details.get("doubles", ()):
        one, other = double["seats"]
        difference = (points[one] - points[other]) * (2 if double.get("redoubled") else 1)
        moved[one] += difference
        moved[other] -= difference
    return tuple(moved)
