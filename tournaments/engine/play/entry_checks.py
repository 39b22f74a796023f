"""Check whether an entry can come next in a game, and yield every reason against it."""

import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from hmac import compare_digest
from types import MappingProxyType
from typing import Any

from tournaments.engine.play.games import Game
from tournaments.engine.play.totals import check_totals
from tournaments.engine.rules.entries import (
    STOP_REASONS,
    Adjustment,
    Deal,
    Entry,
    Passed,
    Redeal,
    Stopped,
    Totals,
    Void,
)
from tournaments.engine.rules.fields import check_seat, fields_anywhere
from tournaments.engine.rules.problems import Code, InvalidEntry, Problem
from tournaments.engine.rules.rulesets import TRUMP, Contract, Ruleset
from tournaments.engine.rules.scoring import check_deal
from tournaments.engine.rules.shapes import wrong_type

FINEST_PART = 1000
"""Adjustments and totals can have fractions of a point, down to a thousandth."""


def check(game: Game, entry: Entry) -> list[Problem]:
    """Return every reason why `entry` cannot come next."""
    if game.open_deal is not None:
        return [Problem(Code.OPEN_DEAL, "", {})]
    if game.ending is not None and not isinstance(entry, Adjustment):
        return [Problem(Code.GAME_OVER, "", {})]
    return list(CHECKS[type(entry)](game, entry))


def play(game: Game, entry: Entry, accepted: Container[Code] = ()) -> Game:
    """Return the game after `entry`.

    Raises:
        InvalidEntry: with every problem of `entry` but those of the `accepted` codes.
    """
    if problems := [each for each in check(game, entry) if each.code not in accepted]:
        raise InvalidEntry(problems)
    return game.after(entry)


def check_room(game: Game) -> Iterator[Problem]:
    """Yield a problem if a sheet is full.

    Not part of `check`: sheets stored before there was a limit are longer, and are still read.
    """
    most = game.ruleset.most_entries
    if len(game.entries) >= most:
        yield Problem(Code.TOO_MANY_ENTRIES, "", {"most": most})


def check_declarer(game: Game, declarer: int | None) -> Iterator[Problem]:
    """Yield the reasons why `declarer` cannot declare next."""
    if declarer is None:
        return
    sides, expected = game.ruleset.sides, game.declarer
    if declarer not in range(game.ruleset.seats):
        yield from check_seat(game.ruleset, "declarer", declarer)
    elif declarer != expected and not (
        game.ruleset.declares == "pair" and sides[declarer] == sides[expected]
    ):
        yield Problem(Code.WRONG_DECLARER, "declarer", {"expected": expected, "got": declarer})


def _check_deal(game: Game, deal: Deal) -> list[Problem]:
    ruleset = game.ruleset
    contract = ruleset.contract_named(deal.contract)
    problems = [*_check_who(game, contract, deal)]
    if "sealed" in ruleset.fields and (deal.contract is not None or deal.counts is None):
        problems += check_seal(deal.contract, deal.details)
    if contract is None:
        problems += _check_without_contract(ruleset, deal)
        return problems
    if contract.named:
        problems += game.check_choice(contract)
    elif deal.contract is not None:
        problems.append(_unexpected("contract"))
    problems += check_deal(ruleset, contract, game.with_declarer(deal))
    if "offered" in ruleset.fields and ("offered" in deal.details or deal.counts is not None):
        left = {c.id: game.times_left(c) or 0 for c in ruleset.contracts}
        problems += check_offer(left, contract.id, deal.details)
    return problems


def _check_who(game: Game, contract: Contract | None, deal: Deal) -> Iterable[Problem]:
    """Some games and contracts have no declarer; a pair must state which player declared."""
    if deal.declarer is None:
        if game.ruleset.declares == "pair" and deal.counts is not None:
            return (Problem(Code.MISSING_FIELD, "declarer", {"field": "declarer"}),)
        return ()
    if contract is not None and not (contract.declared and contract.named):
        return (_unexpected("declarer"),)
    # The usual case, so it must be fast.
    return () if deal.declarer == game.declarer else check_declarer(game, deal.declarer)


def _check_without_contract(ruleset: Ruleset, deal: Deal) -> Iterator[Problem]:
    if deal.contract is not None:
        yield Problem(Code.UNKNOWN_CONTRACT, "contract", {"contract": deal.contract})
        return
    sealed = "sealed" in ruleset.fields and "sealed" in deal.details
    if not sealed or deal.counts is not None:
        yield Problem(Code.MISSING_FIELD, "contract", {"field": "contract"})
    known = fields_anywhere(ruleset)
    for name in deal.details:
        if name not in known:
            yield _unexpected(name)


def _unexpected(field: str) -> Problem:
    return Problem(Code.UNEXPECTED_FIELD, field, {"field": field})


def _check_passed(game: Game, _passed: Passed) -> Iterator[Problem]:
    if not game.ruleset.passes:
        yield Problem(Code.WRONG_TYPE, "type", {"expected": "deal"})


def _check_void(game: Game, void: Void) -> Iterator[Problem]:
    contract = game.ruleset.by_id.get(void.contract or "")
    barred: list[Problem] = []
    if void.contract is not None and game.ruleset.unnamed is not None:
        yield _unexpected("contract")
    elif void.contract is not None and contract is None:
        yield Problem(Code.UNKNOWN_CONTRACT, "contract", {"contract": void.contract})
    elif contract is not None:
        barred = list(game.check_choice(contract))
    if contract is not None and not contract.declared and void.declarer is not None:
        yield _unexpected("declarer")
    else:
        yield from check_declarer(game, void.declarer)
    yield from _check_seal_of(game.ruleset, void)
    if void.reason != "over-quota" or void.reason not in game.ruleset.voids:
        yield from barred
    yield from _check_void_reason(game, void, contract, barred)


def _check_seal_of(ruleset: Ruleset, void: Void) -> Iterator[Problem]:
    for name in void.details:
        if name not in ruleset.fields or void.contract is None:
            yield _unexpected(name)
    if "sealed" in ruleset.fields and void.contract is not None:
        yield from check_seal(void.contract, void.details)


def _check_void_reason(
    game: Game, void: Void, contract: Contract | None, barred: Sequence[Problem]
) -> Iterator[Problem]:
    """Check that a reason for a replay has its contract, and that it applies to the contract."""
    if void.reason not in game.ruleset.voids:
        yield Problem(Code.VOID_NOT_ALLOWED, "reason", {"reason": void.reason})
    elif void.reason == "misdeal":
        return
    elif void.contract is None:
        yield Problem(Code.MISSING_FIELD, "contract", {"field": "contract"})
    elif contract is not None and not (
        contract.replay_one_each if void.reason == "one-each" else barred
    ):
        yield Problem(
            Code.VOID_NOT_ALLOWED, "reason", {"reason": void.reason, "contract": contract.id}
        )


def _check_redeal(game: Game, redeal: Redeal) -> Iterator[Problem]:
    params = {"reason": redeal.reason}
    yield from check_seat(game.ruleset, "by", redeal.by)
    if redeal.reason not in redeals_of(game):
        yield Problem(Code.REDEAL_NOT_ALLOWED, "reason", params)
    elif redeal.reason == "no-high-card":
        # Only the declarer's hand matters for the contract, and only one who must name trump
        # suffers.
        if redeal.by in range(game.ruleset.seats) and redeal.by != game.declarer:
            yield Problem(Code.REDEAL_NOT_ALLOWED, "by", {**params, "declarer": game.declarer})
        if game.must != TRUMP:
            yield Problem(Code.REDEAL_NOT_ALLOWED, "reason", params)


REDEAL_SWITCHES: Mapping[str, str] = MappingProxyType({"four-extremes": "domino_redeal"})
"""The reasons for new cards that need a setting, and the setting for each."""


def redeals_of(game: Game) -> tuple[str, ...]:
    """Return the reasons for which a player may request new cards now."""
    of_contracts = [
        reason
        for contract in game.ruleset.contracts
        for reason in contract.redeals
        if game.ruleset.settings.get(REDEAL_SWITCHES[reason])
        and not any(game.check_choice(contract))
    ]
    return (*game.ruleset.redeals, *dict.fromkeys(of_contracts))


def _check_adjustment(game: Game, adjustment: Adjustment) -> Iterator[Problem]:
    yield from check_seat(game.ruleset, "seat", adjustment.seat)
    # Limit the totals so that they can be written down, whatever fractions are added.
    if adjustment.points == 0 or adjustment.points.denominator > FINEST_PART:
        yield Problem(Code.BAD_ADJUSTMENT, "points", {})
    if adjustment.to not in ("none", "others"):
        yield Problem(Code.BAD_ADJUSTMENT, "to", {"to": adjustment.to})
    if not adjustment.reason.strip():
        yield Problem(Code.BAD_ADJUSTMENT, "reason", {})


def _check_stopped(_game: Game, stopped: Stopped) -> Iterator[Problem]:
    if stopped.reason not in STOP_REASONS:
        yield Problem(Code.WRONG_TYPE, "reason", {"expected": " | ".join(STOP_REASONS)})


def _check_totals(game: Game, entry: Totals) -> Iterator[Problem]:
    if any(points.denominator > FINEST_PART for points in entry.totals):
        yield wrong_type("totals", "list of points")
    # The sum of totals that were never checked is shown as wrong on the sheet.
    yield from check_totals(game.ruleset, entry.totals, early=entry.early or entry.unchecked)


CHECKS: Mapping[type, Callable[[Game, Any], Iterable[Problem]]] = MappingProxyType(
    {
        Deal: _check_deal,
        Void: _check_void,
        Redeal: _check_redeal,
        Passed: _check_passed,
        Adjustment: _check_adjustment,
        Stopped: _check_stopped,
        Totals: _check_totals,
    }
)
"""The checks of each kind of entry."""


_HASH = re.compile("[0-9a-fA-F]{64}")
_SALT = re.compile("[0-9a-fA-F]{32,1000}")


def seal(contract: str, salt: str) -> str:
    """Return the hash to publish for a contract: SHA-256 of `contract + ":" + salt`, in hex.

    `salt` is at least 128 random bits in hex.
    """
    return sha256(f"{contract}:{salt}".encode()).hexdigest()


def check_seal(contract: str | None, details: Mapping[str, Any]) -> Iterator[Problem]:
    """Check `sealed` and `salt`: only the hash before the reveal, both after it."""
    sealed, salt = details.get("sealed"), details.get("salt")
    if sealed is not None and not _HASH.fullmatch(sealed):
        yield Problem(Code.BAD_SEAL, "sealed", {"why": "no-hash"})
    elif salt is not None and not _SALT.fullmatch(salt):
        yield Problem(Code.BAD_SEAL, "salt", {"why": "no-salt"})
    elif (salt is None) != (sealed is None or contract is None):
        # A salt before the reveal would give the contract away; a hash without a salt proves
        # nothing.
        where = "sealed" if sealed is None else "salt"
        yield Problem(Code.BAD_SEAL, where, {"why": "incomplete"})
    elif (
        contract is not None
        and sealed is not None
        and salt is not None
        and not compare_digest(seal(contract, salt), sealed.lower())
    ):
        yield Problem(Code.BAD_SEAL, "sealed", {"why": "changed"})


OFFERED = 2


def check_offer(
    left: Mapping[str, int], contract: str, details: Mapping[str, Any]
) -> Iterator[Problem]:
    """Check `offered` and `third` of a completed deal (`docs/rules.md` §2.5).

    `left` holds the number of times that each contract was left before the deal. Another check
    covers whether `contract` itself is left.
    """
    number_left = sum(left.values())
    offered = details.get("offered")
    if number_left < OFFERED:
        if offered is not None:
            yield _bad("offered", "last-one")
        if details.get("third"):
            yield _bad("third", "last-one")
    elif offered is None:
        yield Problem(Code.MISSING_FIELD, "offered", {"field": "offered"})
    elif len(offered) != OFFERED or any(n > left.get(c, 0) for c, n in Counter(offered).items()):
        yield _bad("offered", "not-two-left")
    elif details.get("third"):
        if number_left == OFFERED or offered.count(contract) >= left.get(contract, 0) > 0:
            yield _bad("third", "no-third" if number_left == OFFERED else "was-offered")
    elif contract not in offered and left.get(contract, 0) > 0:
        yield _bad("offered", "not-offered")


def _bad(where: str, why: str) -> Problem:
    return Problem(Code.BAD_OFFER, where, {"why": why})
