"""The form of a deal: what the page shows of it, and how its fields are read as an entry.

Begin with `DealForm` for the page and with `parse_form` for what was sent.
"""

import json
import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import combinations, permutations
from types import MappingProxyType
from typing import Any, NamedTuple

from django.utils.formats import get_format
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from tournaments.engine.documents.entries import parse_entry
from tournaments.engine.play.games import OFFERED as NUMBER_OFFERED
from tournaments.engine.play.games import Choice, Game, owed_doubles
from tournaments.engine.rules import entries as kinds
from tournaments.engine.rules.entries import (
    PILES,
    REMARKS,
    SEAT,
    SIDE,
    Deal,
    Entry,
    Void,
    clean_line,
    write_all_points,
    write_points,
    wrong_type,
)
from tournaments.engine.rules.fields import FIELDS, Field, fields_anywhere, fields_of, trumps_of
from tournaments.engine.rules.rulesets import (
    TRUMP,
    UNITS,
    Code,
    Contract,
    InvalidEntry,
    Points,
    Problem,
    Ruleset,
    find_parts,
)
from tournaments.engine.rules.scoring import deal_sum, king_is_written
from tournaments.queries.rulesets import declared_by, describe, duties_of
from tournaments.queries.scoresheets import members_of
from tournaments.queries.sheets import Sheet
from tournaments.texts import labels, messages
from tournaments.web.base.forms import read_points
from tournaments.web.base.phone import new_write_key
from tournaments.web.games.deals.sheets import Symbol, symbol_of

Typed = Mapping[str, str]
"""The fields of the form by name, as they were sent."""

ALONE = "alone"
STALEMATE = "none"
OFFERED = ("offered1", "offered2")
ALL_UNITS = "all_units"
NAMED_BY = "named_by"
DOUBLED, REDOUBLED = "doubled", "redoubled"

BEGUN = "begun"
"""The field of a form that names the contract of a deal before it is counted."""

PLACES = {
    6: ("bottom", "right-low", "right-high", "top", "left-high", "left-low"),
    5: ("bottom", "right-low", "right-high", "left-high", "left-low"),
    4: ("bottom", "right", "top", "left"),
    3: ("bottom", "right", "left"),
    2: ("bottom", "top"),
}
"""Positions of the seats in counter-clockwise order of play, beginning with the phone."""

ENTRY_FIELDS = {
    "adjustment": ("seat", "points", "reason"),
    "stopped": ("reason",),
    "totals": ("totals",),
}
"""The fields of other entries that show their problems, by the type of the entry."""

ERRORS_AT = {
    "trump": "contract",
    "blind": "sale",
    "refused": "sale",
    "third": "offered",
    "winner": "maker",
    "alone": "tricks",
}
"""The fields whose problems stand below another one."""

UNTYPED = ("king", "tricks_played", "sealed", "salt")
"""Further fields that nobody types: King follows from the numbers, a seal from the naming."""

PLACED = (
    *UNTYPED,
    *("blind", "sale", "refused", "partner", "offered", "third", "closed_by", "doubles"),
)
"""Further fields that have a place of their own in the form; the others are its extras."""

UNIT_NUMBERS = {unit: number for number, unit in enumerate(UNITS)}
"""The numbers of units, by which the style sheet shows their rows."""

ONE_TAP = 2
"""Up to this number of units, a tap on a player gives one; no row of numbers is needed."""


def place_of(number: int, turn: int, *, clockwise: bool) -> str:
    """Return where the `turn`-th of `number` seats after the phone's holder is drawn."""
    return PLACES[number][-turn % number if clockwise else turn]


def group_errors(
    problems: Sequence[Problem],
    players: Sequence[str],
    fields: Collection[str],
    at: Mapping[str, str] = MappingProxyType({}),
) -> dict[str, list[str]]:
    """Return the sentences of problems by the field below which they stand, as `at` says.

    Those of none of `fields` are under "".
    """
    errors: dict[str, list[str]] = {}
    for problem in problems:
        where = problem.where
        field = where if where in fields else where.partition(".")[0]
        group = at.get(field, field) if field in fields else ""
        errors.setdefault(group, []).append(messages.explain(problem, players))
    return errors


class DealForm(ABC):
    """The form for one deal of a game.

    `game` is the game before the deal, `holder` the seat of the phone's holder, `typed`
    the values by field name, `problems` their errors.
    """

    begins = ""

    def __init__(  # noqa: PLR0913 - the game, who holds the phone, and what was typed
        self,
        game: Game,
        players: Sequence[str],
        revision: int,
        holder: int = 0,
        *,
        typed: Typed | None = None,
        problems: Sequence[Problem] = (),
    ) -> None:
        self.game, self.players, self.revision, self.holder = game, players, revision, holder
        self.typed, self.problems = typed or {}, problems
        # For phones without scripts; the others make their own.
        self.key = new_write_key()
        # Passed hands have numbers if contracts are never named.
        hand = game.ruleset.unnamed
        self.deal = (len(game.deals) if hand is None else game.turns) + 1
        self.template = TEMPLATES[hand.scoring] if hand else ""
        self.to_replay = any(problem.code == Code.MUST_BE_VOID for problem in problems)

    @cached_property
    def fields(self) -> frozenset[str]:
        return fields_anywhere(self.game.ruleset)

    @cached_property
    def errors(self) -> Mapping[str, list[str]]:
        """The sentences of problems, by the fields below which they stand."""
        return group_errors(self.problems, self.players, self.fields, ERRORS_AT)

    # Who does what.

    @property
    @abstractmethod
    def possible(self) -> Sequence[Contract]:
        """The contracts of which this deal may be."""

    @cached_property
    def roles(self) -> list[tuple[str, list[str]]]:
        """What the player on turn does, and what the others do: each a name and verbs.

        While the contract is open, only what is the same in all that are possible.
        """
        ruleset, turn = self.game.ruleset, self.game.declarer
        first, *others = [duties_of(ruleset, contract, turn) for contract in self.possible]
        verbs: dict[int, list[str]] = {turn: []}
        for duty in first:
            if all(duty in duties for duties in others):
                verbs.setdefault(duty[1], []).append(duty[0])
        return [(self.players[seat], does) for seat, does in verbs.items()]

    @cached_property
    def turn_word(self) -> str:
        """What the player on turn does, in one word."""
        does = self.roles[0][1]
        named = [each for each in does if each in (labels.VERBS["names"], labels.VERBS["offers"])]
        return next(iter(named or does), "")

    @cached_property
    def tiles(self) -> list[dict[str, Any]]:
        """The players as they sit, the phone's holder first, then in order of play.

        `left` are the remaining declarations of each: kind, name and number. If each contract has
        its own number, one number is their sum.
        """
        game, ruleset = self.game, self.game.ruleset
        each = sum(contract.quota_each or 0 for contract in ruleset.contracts)
        tiles = []
        for turn in range(ruleset.seats):
            seat = (self.holder + turn) % ruleset.seats
            if each:
                number = each - sum(declared_by(game, seat).values())
                left = [("", pgettext("contracts to declare", "left"), number)]
            else:
                kinds = game.left_to_declare(seat).items()
                left = [(kind, labels.kind_name(kind), number) for kind, number in kinds]
            tile = {
                "seat": seat,
                "side": ruleset.sides[seat],
                "name": self.players[seat],
                "place": place_of(ruleset.seats, turn, clockwise=ruleset.clockwise),
                "total": game.totals[ruleset.sides[seat]],
                "declares": seat == game.declarer,
                "left": left,
            }
            tiles.append(tile)
        return tiles

    def suits(self, contract: Contract) -> tuple[tuple[str, str, str, bool], ...]:
        """Return the suits of a contract: id, name, symbol, and which is chosen."""
        chosen = self.typed.get("trump")
        return tuple(
            (suit, labels.suit_name(suit), labels.suit_symbol(suit), suit == chosen)
            for suit in trumps_of(self.game.ruleset, contract)
        )


class ContractField(NamedTuple):
    """A contract to choose: how often it is left, and whether it is forbidden.

    `units` are ids and numbers of units, `fields` its further fields, `signs` those of its first,
    second … deal, where they differ. `says_king` is how many units a side needs for a King that is
    ticked; empty if none is. Those that are equal are drawn once.
    """

    id: str
    name: str
    symbol: Symbol
    signs: str
    kind: str
    left: int | None
    barred: bool
    units: tuple[tuple[str, int], ...]
    values: str
    checked: bool
    advised: bool
    positive: bool
    replay: bool
    says_king: str
    fields: tuple[str, ...]
    suits: tuple[tuple[str, str, str, bool], ...]


class EntryForm(DealForm):
    @property
    def prices(self) -> range:
        return range(1, self.game.ruleset.tricks + 1)

    @cached_property
    def errors(self) -> Mapping[str, list[str]]:
        """The sentences of problems, by the fields and units below which they stand."""
        fields = {"contract", "king", *self.fields}
        fields |= {f"counts.{unit['id']}" for unit in self.units}
        fields |= {"declarer"} if self.named_by else set()
        extras = dict.fromkeys(["king", *(name for name, *_ in self.extras)], "extras")
        return group_errors(self.problems, self.players, fields, {**ERRORS_AT, **extras})

    @property
    def possible(self) -> Sequence[Contract]:
        open_ = [choice.contract for choice in self.choices if not choice.problems]
        chosen = self.fixed or self.game.ruleset.by_id.get(self.typed.get("contract", ""))
        return [chosen] if chosen else open_ or self.game.ruleset.contracts

    @cached_property
    def must(self) -> str:
        """The kind that the declarer has to name, as text, if there is no choice left."""
        must = self.game.must
        return labels.must_sentence(must) if must else ""

    # Contracts.

    @cached_property
    def fixed(self) -> Contract | None:
        """The contract of this deal, if the ruleset leaves no choice."""
        ruleset = self.game.ruleset
        possible = self.game.stage or tuple(ruleset.by_id)
        if "offered" in self.fields and len(self.contracts_left) == 1:
            possible = tuple(contract.id for contract in self.game.legal_contracts())
        return ruleset.by_id[possible[0]] if len(possible) == 1 else None

    @cached_property
    def contracts_left(self) -> list[str]:
        """The contracts as often as each is left: of one there is no offer, of two no third."""
        contracts = self.game.ruleset.contracts
        return [c.id for c in contracts for _ in range(self.game.times_left(c) or 0)]

    @cached_property
    def choices(self) -> Sequence[Choice]:
        return self.game.choices

    @cached_property
    def contracts(self) -> tuple[ContractField, ...]:
        ruleset = self.game.ruleset
        is_advised = ruleset.settings.get("order") == "advised"
        dearest = self.game.dearest_left() if is_advised else None
        chosen = self.typed.get("contract") if self.fixed is None else self.fixed.id
        times = Counter(played.contract.id for played in self.game.deals)
        contracts = []
        for contract, left, problems in self.choices:
            king = str(ruleset.king_in_a_row) if "tricks" in contract.values else "all"
            values = {unit: write_points(points) for unit, points in contract.values.items()}
            numbers = range(1, len(labels.NUMBERED))
            signs = dict.fromkeys(
                labels.contract_symbol(ruleset, contract.id, None, number) for number in numbers
            )
            field = ContractField(
                id=contract.id,
                name=labels.contract_title(ruleset, contract.id),
                symbol=symbol_of(ruleset, contract.id, None, times[contract.id] + 1),
                signs="|".join(signs) if len(signs) > 1 else "",
                kind=contract.kind,
                left=left,
                barred=bool(problems),
                units=tuple((unit, UNIT_NUMBERS[unit]) for unit in contract.values),
                values=json.dumps(values),
                checked=contract.id == chosen,
                advised=contract is dearest,
                positive=(deal_sum(ruleset, contract) or 0) > 0,
                replay=contract.replay_one_each,
                says_king=king if king_is_written(ruleset, contract) else "",
                fields=fields_of(ruleset, contract),
                suits=self.suits(contract),
            )
            contracts.append(field)
        return tuple(contracts)

    @cached_property
    def reasons(self) -> list[str]:
        """One sentence for each reason why contracts cannot be named."""
        played, later, sentences = [], [], []
        for contract, _left, problems in self.choices:
            if not problems:
                continue
            quotas = (p for p in problems if p.code == Code.PLAYER_QUOTA_USED)
            problem = next(quotas, problems[0])
            title = labels.contract_title(self.game.ruleset, contract.id)
            own_quota = problem.code == Code.PLAYER_QUOTA_USED and (
                problem.params["kind"] == contract.id
            )
            if own_quota or problem.code == Code.CONTRACT_USED_UP:
                played.append(title)
            elif problem.code != Code.OUT_OF_ORDER:
                sentences.append(messages.explain(problem, self.players))
            elif self.game.stage:
                later.append(title)
            elif contract.kind == TRUMP:
                sentences.append(_("Trumps come after all penalties."))
            else:
                first = str(problem.params["first"])
                now = {"contract": labels.contract_title(self.game.ruleset, first)}
                sentences.append(_("Now: %(contract)s first.") % now)
        if later:
            sentences.append(_("Later: %(contracts)s.") % {"contracts": ", ".join(later)})
        if played:
            sentences.append(_("Played out: %(contracts)s.") % {"contracts": ", ".join(played)})
        return list(dict.fromkeys(sentences))

    # The numbers.

    @cached_property
    def units(self) -> list[dict[str, Any]]:
        """The units of the ruleset.

        `total` is None if it is not fixed, and not a sum if the numbers are an order; `most` is the
        maximum of one side.
        """
        ruleset = self.game.ruleset
        units = dict.fromkeys(unit for contract in ruleset.contracts for unit in contract.values)
        found = [ruleset.units[name] for name in units | dict.fromkeys(ruleset.all_units)]
        return [
            {
                "id": unit.id,
                "number": UNIT_NUMBERS[unit.id],
                "name": labels.unit_name(unit.id),
                "total": total_of(ruleset, unit.id),
                "has_sum": unit.total is not None,
                "most": unit.most,
                # One of an order, or of few.
                "one_tap": unit.id == "places" or (unit.total or ONE_TAP + 1) <= ONE_TAP,
            }
            for unit in found
        ]

    @cached_property
    def columns(self) -> list[dict[str, Any]]:
        """The sides in the order of the numbers of a unit, that of the phone's holder first."""
        game, ruleset = self.game, self.game.ruleset
        order = [
            ruleset.sides[(self.holder + turn) % ruleset.seats] for turn in range(ruleset.seats)
        ]
        names, members = ruleset.side_names(self.players), members_of(ruleset, self.players)
        return [
            {
                "side": side,
                "seats": [seat for seat, _name in members[side]],
                "name": names[side],
                "place": place_of(ruleset.side_count, turn, clockwise=ruleset.clockwise),
                "total": game.totals[side],
                "declares": ruleset.sides[game.declarer] == side,
                "members": members[side],
            }
            for turn, side in enumerate(dict.fromkeys(order))
        ]

    @cached_property
    def agreement(self) -> list[tuple[str, str]]:
        """How the units that are entered together must agree: the units, and a sentence."""
        together = [c.values for c in self.game.ruleset.contracts if len(c.values) > 1]
        units = dict.fromkeys(unit for values in together for unit in values)
        units |= dict.fromkeys(self.game.ruleset.all_units)
        sentences = [
            (
                f"{part} {whole}",
                _("“%(part)s” also counts as “%(whole)s”.")
                % {"part": labels.unit_name(part), "whole": labels.unit_name(whole)},
            )
            for part in units
            for whole in find_parts(self.game.ruleset.tricks)[part]
            if whole in units
        ]
        if "tricks" in units and any(UNITS[unit].cards for unit in units):
            cards = _("A trick holds four cards: without a trick nobody has a card.")
            sentences.append(("tricks", cards))
        return sentences

    # Further fields.

    @cached_property
    def extras(self) -> list[tuple[str, str, Sequence[str] | None]]:
        """The further fields without their own place: name, question, and who can be chosen."""
        names = {SIDE: self.game.ruleset.side_names(self.players), SEAT: self.players}
        return [
            (name, _(field.question or field.label), names.get(field.kind))
            for name, field in FIELDS.items()
            if name in self.fields and name not in PLACED
        ]

    @property
    def named_by(self) -> list[tuple[int, bool]]:
        """The partners, of whom one named the contract: the one on turn, or the other."""
        ruleset, turn = self.game.ruleset, self.game.declarer
        if ruleset.declares != "pair":
            return []
        seats = [s for s, side in enumerate(ruleset.sides) if side == ruleset.sides[turn]]
        typed = self.typed.get(NAMED_BY, "")
        chosen = typed if typed in map(str, seats) else str(turn)
        seats.sort(key=lambda seat: seat != turn)
        return [(seat, str(seat) == chosen) for seat in seats]

    @property
    def doubles(self) -> list[tuple[str, tuple[str, str], str]]:
        """Every two players who may have doubled each other: their field, names, and the choice."""
        pairs = combinations(enumerate(self.players), 2)
        fields = [(double_field(one, other), (a, b)) for (one, a), (other, b) in pairs]
        return [(field, names, self.typed.get(field, "")) for field, names in fields]

    @cached_property
    def doublers(self) -> list[tuple[int, list[tuple[int, str, str]]]]:
        """Each player, the declarer last, and whom they may double: seat, field, and the choice.

        Empty where it does not matter who of a pair has doubled.
        """
        if not _doublers_matter(self.game.ruleset):
            return []
        declarer, seats = self.game.declarer, self.game.ruleset.seats
        others = [(declarer + turn) % seats for turn in range(1, seats)]
        # Records need not say that it was the other one who doubled.
        plain = {double_field(s, declarer): double_field(declarer, s) for s in others}
        typed = {**self.typed, **{f: self.typed[p] for f, p in plain.items() if p in self.typed}}
        rows = [(by, [seat for seat in (declarer, *others) if seat != by]) for by in others]
        rows.append((declarer, others))
        return [
            (by, [(seat, f := double_field(by, seat), typed.get(f, "")) for seat in row])
            for by, row in rows
        ]

    @property
    def owed(self) -> str:
        """Who still has to double the declarer, and how often."""
        owed = owed_doubles(self.game, self.game.declarer).items()
        return ", ".join(f"{self.players[seat]} {number}" for seat, number in owed)

    @property
    def offers(self) -> list[tuple[str, str]]:
        """The fields of the two offered contracts, and the choice; if only two are left, these."""
        left = self.contracts_left
        known = left if len(left) == NUMBER_OFFERED else [""] * NUMBER_OFFERED
        return [(name, self.typed.get(name, k)) for name, k in zip(OFFERED, known, strict=True)]

    @property
    def rules(self) -> dict[str, Any]:
        """The ruleset, with which the phone validates entries before sending them."""
        return describe(self.game.ruleset)


class HandForm(DealForm):
    """The form for one deal of a game without named contracts."""

    stalemate = STALEMATE
    piles = MappingProxyType({pile: labels.FIELDS[pile] for pile in PILES})

    @property
    def hand(self) -> Contract:
        hand = self.game.ruleset.unnamed
        assert hand is not None
        return hand

    @property
    def possible(self) -> Sequence[Contract]:
        return [self.hand]

    def fills(self, row: str) -> bool:
        return any(text for name, text in self.typed.items() if name.startswith(f"{row}-"))


TEMPLATES: Mapping[str, str] = MappingProxyType(
    {
        "makers-and-defenders": "tournaments/games/deals/_makers_form.html",
        "bid-tricks": "tournaments/games/deals/_makers_form.html",
        "piles-emptied": "tournaments/games/deals/_piles_form.html",
    }
)
"""The form of a deal, by its scoring strategy."""


class NamingForm(EntryForm):
    """The contract of the next deal, named before anyone has seen a card."""

    begins = "tournaments/games/deals/_naming_form.html"

    @property
    def is_sealed(self) -> bool:
        return self.game.ruleset.settings.get("naming") == "sealed"

    @cached_property
    def next_step(self) -> EntryForm | None:
        """The form to count a deal named without a signal; a sealed one needs the server."""
        if self.is_sealed:
            return None
        return NextCountingForm(self.game, self.players, self.revision, self.holder)

    @cached_property
    def over_quota(self) -> dict[str, Any] | None:
        """The proof of the contract just revealed that was no longer available, and why."""
        last = self.game.entries[-1] if self.game.entries else None
        if not isinstance(last, Void) or last.reason != "over-quota":
            return None
        proof = proof_of(self.game.ruleset, last)
        if proof is None:
            return None
        contract = self.game.ruleset.by_id.get(proof["contract"])
        problems = () if contract is None else self.game.check_choice(contract)
        return proof | {"reasons": [messages.explain(p, self.players) for p in problems]}


class SealedForm(EntryForm):
    """A deal with a sealed contract, which can only be revealed."""

    begins = "tournaments/games/deals/_sealed_form.html"


class CountingForm(EntryForm):
    """The counts of a deal whose contract was named at its start."""

    begins = "tournaments/games/deals/_counting_form.html"

    @property
    def open_deal(self) -> Deal:
        assert self.game.open_deal is not None
        return self.game.open_deal

    @cached_property
    def fixed(self) -> Contract | None:
        return self.game.ruleset.contract_named(self.open_deal.contract)

    def suits(self, contract: Contract) -> tuple[tuple[str, str, str, bool], ...]:
        """Return only the suit with which the contract was named, if one was."""
        named, suits = self.open_deal.details.get("trump"), super().suits(contract)
        return suits if named is None else tuple((*s[:3], True) for s in suits if s[0] == named)

    @cached_property
    def next_step(self) -> EntryForm:
        """The form to name the next deal after counting this one without a signal."""
        before = self.game.without_open_deal()
        return NextNamingForm(before, self.players, self.revision, self.holder)

    @property
    def proof(self) -> dict[str, Any] | None:
        return proof_of(self.game.ruleset, self.open_deal)


class NextCountingForm(EntryForm):
    """The counts of the next named deal; the phone fills in its contract."""

    begins = "tournaments/games/deals/_counting_form.html"


class NextNamingForm(NamingForm):
    """The naming after a deal in play, which comes first; the phone fills in the rest."""

    over_quota = None


def form_of(
    sheet: Sheet, holder: int, typed: Typed | None = None, problems: Sequence[Problem] = ()
) -> EntryForm | HandForm:
    """Return the form for the current state of a table's game."""
    game, form = sheet.game, EntryForm if sheet.game.ruleset.unnamed is None else HandForm
    if game.open_deal is not None:
        form = SealedForm if game.open_deal.contract is None else CountingForm
    elif "naming" in game.ruleset.settings:
        form = NamingForm
    row = sheet.row
    return form(game, row.players, row.revision, holder, typed=typed, problems=problems)


def proof_of(ruleset: Ruleset, entry: Deal | Void) -> dict[str, Any] | None:
    """Return the proof of a contract; None if it was not sealed, or is not revealed."""
    salt = entry.details.get("salt")
    if entry.contract is None or salt is None:
        return None
    name = labels.contract_title(ruleset, entry.contract)
    sealed = entry.details["sealed"]
    return {"contract": entry.contract, "name": name, "sealed": sealed, "salt": salt}


# What was sent.


def parse_form(ruleset: Ruleset, typed: Typed) -> Entry:
    """Return the entry of a form.

    Raises: InvalidEntry: the fields that cannot be read.
    """
    problems: list[Problem] = []
    kind = typed.get("type", "")
    raw: dict[str, Any] = {"type": kind}
    match kind:
        case "deal":
            raw.update(_read_deal(ruleset, typed, problems))
        case "void":
            contract = ruleset.by_id.get(typed.get("contract", ""))
            one_each = contract is not None and contract.replay_one_each
            raw["reason"] = typed.get("reason") or ("one-each" if one_each else "misdeal")
            raw.update(_given(typed, "contract"))
        case "redeal":
            raw["by"] = read_number(typed.get("by", ""), "by", problems)
            raw["reason"] = typed.get("reason", "")
        case "adjustment":
            raw["seat"] = read_number(typed.get("seat", ""), "seat", problems)
            points = "".join(typed.get("points", "").split()).replace(labels.MINUS, "-")
            if POINTS.fullmatch(points):
                raw["points"] = write_points(Fraction(points.replace(",", ".")))
            else:
                problems.append(wrong_type("points", 'integer or "p/q"'))
            raw["reason"] = clean_line(typed.get("reason", ""))
            # Whatever the table's default is, an empty box is an answer.
            raw["to"] = typed.get("to") or "none"
        case "stopped":
            raw["reason"] = typed.get("reason", "")
        case "totals":
            texts = _row(typed, "total", ruleset.side_count)
            totals = read_totals(texts)
            if totals is None:
                params = {"expected": len(texts), "got": len(list(filter(None, texts)))}
                problems.append(Problem(Code.WRONG_SEATS, "totals", params))
            else:
                raw["totals"] = write_all_points(totals)
                raw.update({"early": True} if typed.get("early") else {})
    raw.update(_given(typed, *REMARKS))
    if problems:
        raise InvalidEntry(problems)
    return parse_entry(raw)


def _given(typed: Typed, *names: str) -> dict[str, str]:
    return {name: typed[name] for name in names if typed.get(name)}


def read_number(text: str, where: str, problems: list[Problem]) -> int:
    """Return a whole number; a typographic minus sign is accepted."""
    try:
        return int(text.strip().replace(labels.MINUS, "-"))
    except ValueError:
        expected = {"expected": _("a whole number")}
        problems.append(Problem(Code.WRONG_TYPE, where, expected))
        return 0


def _read_deal(ruleset: Ruleset, typed: Typed, problems: list[Problem]) -> dict[str, Any]:
    raw: dict[str, Any] = {**_given(typed, "contract")}
    contract = ruleset.unnamed or ruleset.by_id.get(typed.get("contract", ""))
    if contract is None:
        return raw
    named_by = typed.get(NAMED_BY) or typed.get("declarer")
    if ruleset.declares == "pair" and named_by:
        raw["declarer"] = read_number(named_by, "declarer", problems)
    if contract.trumps:
        raw.update(_given(typed, "trump"))
    if typed.get(BEGUN):
        return raw
    # A lone maker's four tricks come as one: `4-alone`.
    tricks, dash, alone = typed.get("tricks", "").partition("-")
    typed = {**typed, "tricks": tricks, "alone": alone} if dash else typed
    for name in dict.fromkeys(("king_declared_by", *fields_of(ruleset, contract))):
        if name not in UNTYPED:
            raw.update(_read_field(ruleset, typed, name, problems))
    if not contract.named:
        return raw
    counts = {}
    all_units = typed.get(ALL_UNITS) and ruleset.all_units
    for unit in ruleset.all_units if all_units else contract.values:
        fields = _row(typed, f"count-{unit}", ruleset.side_count)
        numbers = [read_number(t, f"counts.{unit}", problems) if t else None for t in fields]
        given = [number for number in numbers if number is not None]
        # A blank is filled in if only one number fits.
        rest = (total_of(ruleset, unit) or 0) - sum(given)
        if len(given) != len(numbers) - 1 or rest < 0:
            rest = 0
        counts[unit] = [rest if number is None else number for number in numbers]
    if typed.get("king") and king_is_written(ruleset, contract):
        # One tick is enough: only the side that holds the most of everything is possible.
        sides = range(ruleset.side_count)
        side = max(sides, key=lambda side: sum(c[side] for c in counts.values()))
        raw["king"] = ruleset.sides.index(side)
    return raw | {"counts": counts}


def _row(typed: Typed, name: str, number: int) -> list[str]:
    return [typed.get(f"{name}-{at}", "").strip() for at in range(number)]


def total_of(ruleset: Ruleset, unit: str) -> int | None:
    """Return the sum of a unit's numbers in every deal; None if it is not fixed."""
    sides = range(1, ruleset.side_count + 1)
    return sum(sides) if unit == "places" else ruleset.units[unit].total


def _read_field(
    ruleset: Ruleset, typed: Typed, name: str, problems: list[Problem]
) -> dict[str, Any]:
    """Return a further field of a deal with its value; nothing if it is not filled in."""
    text = typed.get(name, "")
    value: Any = None
    match FIELDS[name].kind:
        case kinds.YES | kinds.YES_IN_PAIRS:
            value = bool(text) or None
        case kinds.SEAT_OR_NULL if text == STALEMATE:
            return {name: None}
        case kinds.SALE:
            parts = ((part, typed.get(f"{name}_{part}")) for part in ("buyer", "tricks"))
            value = {p: read_number(t, f"{name}.{p}", problems) for p, t in parts if t}
        case kinds.OFFER:
            value = list(_given(typed, *OFFERED).values())
        case kinds.DOUBLES:
            in_order = permutations if _doublers_matter(ruleset) else combinations
            value = [
                {"seats": list(pair)}
                | ({"by": pair[0]} if in_order is permutations else {})
                | ({"redoubled": True} if chosen == REDOUBLED else {})
                for pair in in_order(range(ruleset.seats), 2)
                if (chosen := typed.get(double_field(*pair)))
            ]
        case kinds.LEFT:
            rows = {pile: _row(typed, f"{name}-{pile}", ruleset.seats) for pile in PILES}
            # The winner's piles are not counted: ignore numbers typed for them before.
            for row in rows.values():
                row[:] = ["" if typed.get("winner") == str(at) else t for at, t in enumerate(row)]
            if any(map(any, rows.values())):
                value = {p: _numbers(row, f"{name}.{p}", problems) for p, row in rows.items()}
        case kinds.CALLS:
            row = _row(typed, name, ruleset.seats)
            value = _numbers(row, name, problems) if any(row) else None
        case _:
            value = read_number(text, name, problems) if text else None
    return {} if value in (None, {}, []) else {name: value}


def _numbers(texts: Sequence[str], where: str, problems: list[Problem]) -> list[int]:
    return [read_number(text, where, problems) if text else 0 for text in texts]


def double_field(one: int, other: int) -> str:
    """Return the name of the field for two seats, of which the first one has doubled."""
    return f"double-{one}-{other}"


def _doublers_matter(ruleset: Ruleset) -> bool:
    return ruleset.settings.get("doubles_rule") == "declarer"


POINTS = re.compile(r"[+-]?[0-9]{1,9}(/0*[1-9][0-9]{0,8}|[.,][0-9]{1,6})?")
"""Points as people write them: 100, 1/2, 0.5 or 0,5."""

TOTAL = re.compile(r"[+\-−–]?[0-9][0-9.,]*(?:/[0-9]+)?")


def read_totals(texts: Sequence[str]) -> tuple[Points, ...] | None:
    """Return the totals typed in the fields of the sides; None if they cannot be read.

    All of them may stand in one field: “−220-160 -150 530”.
    """
    for parts in (texts, TOTAL.findall(" ".join(texts))):
        totals: list[Points | None] = []
        for text in parts:
            plain = "".join(text.split()).replace(labels.MINUS, "-")
            if "/" not in plain:
                totals.append(read_points(text, get_format("DECIMAL_SEPARATOR")))
            else:
                totals.append(Fraction(plain) if POINTS.fullmatch(plain) else None)
        read = tuple(points for points in totals if points is not None)
        if len(read) == len(totals) == len(texts):
            return read
    return None


# What an entry on the sheet would have been typed as.


def typed_entry(ruleset: Ruleset, body: Mapping[str, Any]) -> dict[str, str]:
    if body.get("type") == "totals":
        return type_totals(body)
    typed = {name: str(body[name]) for name in ("contract", "trump") if name in body}
    for name, field in FIELDS.items():
        if name in body and name not in UNTYPED:
            typed |= _type_field(ruleset, name, field, body[name])
    if typed.pop("alone", ""):
        typed["tricks"] += f"-{ALONE}"
    if "king" in body:
        typed["king"] = "yes"
    if "declarer" in body:
        typed[NAMED_BY] = str(body["declarer"])
    counts = body.get("counts", {})
    typed |= _type_rows({f"count-{unit}": numbers for unit, numbers in counts.items()})
    contract = ruleset.contract_named(body.get("contract"))
    if contract is not None and counts.keys() - contract.values.keys():
        typed[ALL_UNITS] = "yes"
    return typed


def type_totals(body: Mapping[str, Any]) -> dict[str, str]:
    typed = {f"total-{side}": str(points) for side, points in enumerate(body["totals"])}
    return typed | ({"early": "1"} if body.get("early") else {})


def _type_field(ruleset: Ruleset, name: str, field: Field, value: Any) -> dict[str, str]:
    typed = {name: str(value)}
    match field.kind:
        case kinds.YES | kinds.YES_IN_PAIRS:
            typed = {name: "yes"} if value else {}
        case kinds.SEAT_OR_NULL | kinds.PARTNER_OR_NULL if value is None:
            typed = {name: STALEMATE} if field.kind is kinds.SEAT_OR_NULL else {}
        case kinds.SALE:
            typed = {f"{name}_{part}": str(number) for part, number in value.items()}
        case kinds.OFFER:
            typed = dict(zip(OFFERED, value, strict=False))
        case kinds.DOUBLES:
            chosen = {True: REDOUBLED, False: DOUBLED}
            typed = {}
            for double in value:
                one, other = sorted(double["seats"])
                if _doublers_matter(ruleset) and double.get("by") == other:
                    one, other = other, one
                typed[double_field(one, other)] = chosen[double.get("redoubled", False)]
        case kinds.LEFT:
            typed = _type_rows({f"{name}-{pile}": numbers for pile, numbers in value.items()})
        case kinds.CALLS:
            typed = _type_rows({name: value})
    return typed


def _type_rows(rows: Mapping[str, Sequence[int]]) -> dict[str, str]:
    return {f"{row}-{at}": str(n) for row, numbers in rows.items() for at, n in enumerate(numbers)}
