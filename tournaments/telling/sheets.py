"""What a sheet tells, in words of the game: its lines, how a game stands or ended, who pays whom.

The pages, the PDF and the text for a terminal all take their words from here.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from django.utils.translation import gettext as _

from tournaments import words
from tournaments.engine.earnings import who_declared
from tournaments.engine.entries import (
    IMPORTED,
    Adjustment,
    Entry,
    Passed,
    Redeal,
    Stopped,
    Void,
)
from tournaments.engine.fields import ALL_TRICKS, PILES, TRICKS_OF_FIVE
from tournaments.engine.games import Game, PlayedDeal
from tournaments.engine.outcomes import Outcome
from tournaments.engine.rulesets import PerSide, Ruleset, Setting, number_of
from tournaments.engine.settlement import settle

MOST_IN_A_LINE = 3
"""More numbers than these of one deal are broken into two lines where a column is narrow."""


@dataclass(frozen=True, slots=True)
class DealLine:
    """A completed deal in words.

    `taken` says per side what was written down; `side` is the side of whoever declared (None:
    nobody did), `declarer` their name where the side is more than one player; `marks` is what
    else was said; `king` is the side that made King.
    """

    taken: tuple[str, ...]
    side: int | None
    declarer: str
    marks: tuple[str, ...]
    king: int | None


def deal_line(game: Game, played: PlayedDeal, players: Sequence[str]) -> DealLine:
    """A completed deal as a line of the sheet tells it; `players` are names in seat order."""
    ruleset, details = game.ruleset, played.deal.details
    seat = who_declared(played)
    king = played.king
    told = TAKEN.get(played.contract.scoring, _units_taken)
    return DealLine(
        taken=told(game, played),
        side=None if seat is None else ruleset.sides[seat],
        declarer=players[seat] if seat is not None and ruleset.seats_in_a_side > 1 else "",
        marks=tuple(marks_of(ruleset, players, details, ON_THE_SHEET)),
        king=ruleset.sides[king.seat] if king is not None and king.made else None,
    )


def marks_of(
    ruleset: Ruleset, players: Sequence[str], details: Mapping[str, Any], names: Iterable[str]
) -> Iterator[str]:
    """What the fields `names` of a deal say, each in a few words."""
    for name in names:
        if name in details:
            said = MARKS[name](ruleset, players, details[name])
            if said:
                yield said


def numbers_of(game: Game) -> dict[int, int]:
    """The number of each hand that was dealt, by the index of its entry: also of those passed."""
    played = {deal.entry for deal in game.deals}
    hands = [
        index
        for index, entry in enumerate(game.entries)
        if index in played or isinstance(entry, Passed)
    ]
    return {index: number for number, index in enumerate(hands, start=1)}


# What each side took.


def _units_taken(game: Game, played: PlayedDeal) -> tuple[str, ...]:
    """The units of the contract, also where the table has written down all of them."""
    counts = played.deal.counts or {}
    columns = [counts[unit] for unit in played.contract.values]
    return tuple(
        _numbers([column[side] for column in columns]) for side in range(game.ruleset.side_count)
    )


def _tricks_of_five(game: Game, played: PlayedDeal) -> tuple[str, ...]:
    """The makers' tricks; the others have the rest, but nobody writes down who of several."""
    tricks = played.deal.details["tricks"]
    makers = game.ruleset.sides[played.deal.details["maker"]]
    rest = str(TRICKS_OF_FIVE - tricks) if game.ruleset.side_count == 2 else ""
    return tuple(str(tricks) if side == makers else rest for side in range(game.ruleset.side_count))


def _cards_in_piles(game: Game, played: PlayedDeal) -> tuple[str, ...]:
    """The cards left in each pile of whoever has any, where the table has counted them."""
    left = played.deal.details.get("left")
    if left is None:
        return ("",) * game.ruleset.side_count
    piles = [[left[pile][seat] for pile in PILES] for seat in range(game.ruleset.seats)]
    return tuple(_numbers(cards) if any(cards) else "0" for cards in piles)


def _numbers(numbers: Sequence[int]) -> str:
    """Numbers in a row; many of them in two, parted by a space."""
    half = -(-len(numbers) // 2) if len(numbers) > MOST_IN_A_LINE else len(numbers)
    rows = (numbers[:half], numbers[half:])
    return " ".join("·".join(map(str, row)) for row in rows if row)


TAKEN: Mapping[str, Callable[[Game, PlayedDeal], tuple[str, ...]]] = MappingProxyType(
    {"makers-and-defenders": _tricks_of_five, "piles-emptied": _cards_in_piles}
)
"""What the sides took, by the strategy that scores it; elsewhere it is the units."""


# What else is said of a deal.


def _named(text: Callable[[str], str]) -> Callable[[Ruleset, Sequence[str], Any], str]:
    """A mark that names the player of a seat, if there is one."""
    return lambda _ruleset, players, seat: "" if seat is None else text(players[seat])


def _if_so(text: Callable[[], str]) -> Callable[[Ruleset, Sequence[str], Any], str]:
    """A mark for what is so or not."""
    return lambda _ruleset, _players, so: text() if so else ""


def _side_named(text: Callable[[str], str]) -> Callable[[Ruleset, Sequence[str], int], str]:
    """A mark that names the player of a seat, or the pair."""
    return lambda ruleset, players, seat: text(_side_name(ruleset, players, seat))


def _sale(_ruleset: Ruleset, players: Sequence[str], sale: Mapping[str, int]) -> str:
    bought = {"player": players[sale["buyer"]], "tricks": sale["tricks"]}
    return _("sold to %(player)s for %(tricks)s") % bought


def _offered(ruleset: Ruleset, _players: Sequence[str], offered: Sequence[str]) -> str:
    named = [words.contract_short(contract, title_of(ruleset, contract)) for contract in offered]
    return _("offered: %(contracts)s") % {"contracts": ", ".join(named)}


def _closed_by(ruleset: Ruleset, players: Sequence[str], side: int) -> str:
    return _("out first: %(player)s") % {"player": ruleset.side_names(players)[side]}


def _doubles(
    _ruleset: Ruleset, players: Sequence[str], doubles: Sequence[Mapping[str, Any]]
) -> str:
    """Each pair that doubled, by initials, with two signs where it was doubled back."""
    short = initials(players)
    return ", ".join(
        f"{short[one]}{'××' if double.get('redoubled') else '×'}{short[other]}"
        for double in doubles
        for one, other in [double["seats"]]
    )


def initials(players: Sequence[str]) -> list[str]:
    """The shortest beginnings by which the names can be told apart; else numbers of seats."""
    for letters in range(1, MOST_INITIALS + 1):
        short = [name[:letters] for name in players]
        if len(set(short)) == len(short):
            return short
    return [str(seat + 1) for seat in range(len(players))]


MOST_INITIALS = 3


def _winner(_ruleset: Ruleset, players: Sequence[str], seat: int | None) -> str:
    if seat is None:
        return _("no winner")
    return _("won: %(player)s") % {"player": players[seat]}


def _left(_ruleset: Ruleset, players: Sequence[str], left: Mapping[str, Sequence[int]]) -> str:
    piles = [
        f"{player} {'·'.join(str(left[pile][seat]) for pile in PILES)}"
        for seat, player in enumerate(players)
    ]
    return _("left: %(piles)s") % {"piles": ", ".join(piles)}


def _calls(_ruleset: Ruleset, players: Sequence[str], calls: Sequence[int]) -> str:
    called = [f"{players[seat]} {number}" for seat, number in enumerate(calls) if number]
    return _("krapet calls: %(calls)s") % {"calls": ", ".join(called)} if called else ""


def _tricks_played(_ruleset: Ruleset, _players: Sequence[str], tricks: int) -> str:
    return _("over after trick %(trick)s") % {"trick": tricks} if tricks < ALL_TRICKS else ""


MARKS: Mapping[str, Callable[[Ruleset, Sequence[str], Any], str]] = MappingProxyType(
    {
        "maker": _named(lambda name: _("maker: %(player)s") % {"player": name}),
        "tricks": lambda _ruleset, _players, tricks: _("tricks: %(tricks)s") % {"tricks": tricks},
        "winner": _winner,
        "blind": _if_so(lambda: _("blind")),
        "sale": _sale,
        "partner": _named(lambda name: _("with %(player)s") % {"player": name}),
        "third": _if_so(lambda: _("third choice")),
        "closed_by": _closed_by,
        "offered": _offered,
        "doubles": _doubles,
        "alone": _if_so(lambda: _("alone")),
        "defender_alone": _named(lambda name: _("%(player)s defends alone") % {"player": name}),
        "left": _left,
        "calls": _calls,
        "rifki_holder": _named(lambda name: _("♥K was dealt to %(player)s") % {"player": name}),
        "king_declared_by": _named(lambda name: _("King declared: %(player)s") % {"player": name}),
        "king": _side_named(lambda name: _("King: %(player)s") % {"player": name}),
        "tricks_played": _tricks_played,
        "sealed": _if_so(lambda: _("sealed")),
    }
)
"""What a further field of a deal says, in a few words; empty where it says nothing."""

ON_THE_SHEET = tuple(
    name for name in MARKS if name not in ("maker", "tricks", "left", "king", "tricks_played")
)
"""The marks of a line: what its columns do not show already."""


# Lines that are no deal.


def title_of(ruleset: Ruleset, contract: str) -> str:
    """What a contract is called at this table."""
    known = ruleset.by_id.get(contract)
    return words.contract_name(contract) if known is None else words.contract_title(known)


def remark(entry: Entry, players: Sequence[str]) -> str:
    """An entry that is neither a deal nor moves points, without its contract."""
    match entry:
        case Void(reason=reason):
            return words.reason_name("void", reason)
        case Redeal(by=seat, reason=reason):
            return f"{players[seat]} · {words.reason_name('redeal', reason)}"
        case Passed():
            return _("Everyone passed")
        case Stopped(reason=reason):
            return _("Stopped: %(reason)s") % {"reason": words.reason_name("stopped", reason)}
    return ""


# How a game stands or ended.


def state_of(game: Game, outcome: Outcome, players: Sequence[str]) -> str:
    """How far a game is, or how it ended, in a few words."""
    if game.finished:
        return outcome_of(game, outcome, players)
    return going_text(game.ruleset, len(game.deals), game.totals)


def going_text(ruleset: Ruleset, deals: int, totals: PerSide) -> str:
    """How far a game is after so many `deals`, where it goes on."""
    if ruleset.length is not None:
        return _("deal %(deal)s of %(deals)s") % {"deal": deals + 1, "deals": ruleset.length}
    told = " : ".join(map(words.points_text, totals))
    return _("%(totals)s, first to %(target)s") % {"totals": told, "target": ruleset.target}


def outcome_of(game: Game, outcome: Outcome, players: Sequence[str]) -> str:
    """How the game ended, in one sentence; empty while it goes on."""
    if game.ending is None:
        return ""
    if game.ending.seat is not None:
        return _king_sentence(game, outcome, players, game.ending.seat)
    return _verdict(game, outcome, players)


def _verdict(game: Game, outcome: Outcome, players: Sequence[str]) -> str:
    """Who is out, or who has won, by the scores."""
    names = game.ruleset.side_names(players)
    out = [names[side] for side in outcome.out]
    if out:
        return _("Out: %(players)s") % {"players": ", ".join(out)}
    if outcome.sunk:
        return _("Nobody is out.")
    best = [name for name, rank in zip(names, outcome.ranks, strict=True) if rank == 1]
    if len(best) == len(names) and game.ruleset.settings["outcome"] not in WON_JOINTLY:
        return _("A draw.")
    return _("Won: %(players)s") % {"players": ", ".join(best)}


WON_JOINTLY: frozenset[Setting] = frozenset({"highest-wins"})
"""The outcomes in which equal scores share the victory; in the others nobody wins a draw."""


def _king_sentence(game: Game, outcome: Outcome, players: Sequence[str], seat: int) -> str:
    """The King that ended a game, made or missed by a player or a pair."""
    king = {"player": _side_name(game.ruleset, players, seat)}
    made = game.ending is not None and game.ending.by == "king"
    if game.ruleset.seats_in_a_side > 1 or not (outcome.out or outcome.sunk):
        text = _("King by %(player)s!") if made else _("%(player)s declared King and failed.")
        return f"{text % king} {_verdict(game, outcome, players)}"
    if made:
        return _("King! %(player)s alone is out.") % king
    return _("%(player)s declared King and failed: sunk alone.") % king


def _side_name(ruleset: Ruleset, players: Sequence[str], seat: int) -> str:
    """The player of a seat, or the pair: all 13 tricks are a pair's together."""
    return ruleset.side_names(players)[ruleset.sides[seat]]


def ending_of(game: Game, players: Sequence[str]) -> str:
    """How the game came to its end, or how far it is; empty after its last deal."""
    ending, played = game.ending, game.turns
    if ending is None:
        return _not_finished(game)
    if ending.seat is not None:
        who = {"player": _side_name(game.ruleset, players, ending.seat), "deal": played}
        if ending.by == "king":
            return _("King by %(player)s in deal %(deal)s") % who
        return _("King declared and missed by %(player)s in deal %(deal)s") % who
    last = game.entries[ending.entry]
    if isinstance(last, Stopped):
        return _stopped(game, words.reason_name("stopped", last.reason))
    if ending.by == "target":
        reached = {"target": game.ruleset.target, "deal": played}
        return _("First to %(target)s: over with deal %(deal)s") % reached
    return ""


def _not_finished(game: Game) -> str:
    so_far = _so_far(game)
    if game.ruleset.length is None:
        return _("Not finished: first to %(target)s, after deal %(played)s") % so_far
    return _("Not finished: %(played)s of %(deals)s deals") % so_far


def _stopped(game: Game, reason: str) -> str:
    if _only_totals(game):
        return _("Only its totals are known")
    so_far = {**_so_far(game), "reason": reason}
    if game.ruleset.length is None:
        return _("Stopped early after deal %(played)s: %(reason)s") % so_far
    return _("Stopped early after %(played)s of %(deals)s deals: %(reason)s") % so_far


def _only_totals(game: Game) -> bool:
    given = [entry for entry in game.entries if isinstance(entry, Adjustment)]
    return not game.turns and any(entry.reason == IMPORTED for entry in given)


def _so_far(game: Game) -> dict[str, object]:
    ruleset = game.ruleset
    played = game.turns if ruleset.length is None else len(game.deals)
    return {"played": played, "deals": ruleset.length, "target": ruleset.target}


# Money.


@dataclass(frozen=True, slots=True)
class Paid:
    """One payment: who pays whom, and the money as the language writes it."""

    payer: str
    payee: str
    amount: str

    def __str__(self) -> str:
        """The payment as a sentence."""
        return _("%(payer)s pays %(payee)s: %(amount)s") % {
            "payer": self.payer,
            "payee": self.payee,
            "amount": self.amount,
        }


@dataclass(frozen=True, slots=True)
class Payments:
    """Who pays whom at a stake per point; nobody, where all scores are level."""

    stake: str
    paid: tuple[Paid, ...]


def payments_of(game: Game, players: Sequence[str]) -> Payments | None:
    """Who would pay whom as the scores stand; None where the table plays without money."""
    stake = number_of(game.ruleset.settings.get("stake"))
    if stake is None or not game.rows:
        return None
    names = game.ruleset.side_names(players)
    paid = tuple(
        Paid(names[payment.payer], names[payment.payee], words.money_text(payment.amount))
        for payment in settle(game.totals, stake).payments
    )
    return Payments(words.money_text(stake), paid)
