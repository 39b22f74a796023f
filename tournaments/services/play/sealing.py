"""Contracts sealed before a deal and revealed after it.

A sealed contract is stored nowhere: the sheet holds its hash alone. The salt is derived from
the server secret and the key of the write, as addresses are, so that the contract is found
again by trying each; a stolen database reveals none.
"""

from django.utils.crypto import salted_hmac

from tournaments.engine.problems import Code, InvalidEntry, Problem
from tournaments.engine.records import play_record
from tournaments.engine.rulesets import Contract
from tournaments.engine.seals import seal
from tournaments.models import Game, Write
from tournaments.queries.sheets import Sheet
from tournaments.services.play.open_deals import OF_A_VOID, before_open_deal
from tournaments.services.play.playing import canonical, next_position
from tournaments.services.play.writing import NoSuchEntry, Pen, store_write


class SealNotOurs(Exception):
    """The seal was not made with this server's secret: only whoever made it can prove it."""


def seal_contract(game_pk: int, contract: str, pen: Pen) -> Sheet:
    """Begin a deal whose contract only the declarer knows; the sheet gets its hash.

    A contract that is used up can be sealed too: it turns out at the reveal. A repeat of the key
    changes nothing, whatever contract it carries.

    Raises:
        InvalidEntry: there is no such contract, or contracts are not sealed here.
        StaleRevision, KeyReused, BadKey, Game.DoesNotExist: as in `playing.record_entry`.
    """
    public_id = Game.objects.values_list("public_id", flat=True).get(pk=game_pk)
    body = {"type": "deal", "sealed": seal(contract, _salt(public_id, pen.key))}

    def add(sheet: Sheet) -> Write:
        named = sheet.game.ruleset.by_id.get(contract)
        if not contract:
            raise InvalidEntry([Problem(Code.MISSING_FIELD, "contract", {"field": "contract"})])
        if named is None or not named.named:
            raise InvalidEntry([Problem(Code.UNKNOWN_CONTRACT, "contract", {"contract": ""})])
        play_record(sheet.game, body)
        return Write(kind=Write.Kind.ENTRY, position=next_position(sheet), body=canonical(body))

    return store_write(game_pk, pen, _is_a_seal, add)


def reveal_contract(game_pk: int, position: int, pen: Pen) -> Sheet:
    """Show the contract sealed at `position` with its salt; over quota, the deal is void.

    Raises:
        NoSuchEntry: nothing sealed stands there, or it is revealed already.
        SealNotOurs: the server does not know the contract.
        StaleRevision, KeyReused, BadKey, Game.DoesNotExist: as in `playing.record_entry`.
    """

    def reveal(sheet: Sheet) -> Write:
        sealed = sealed_at(sheet, position)
        if sealed is None:
            raise NoSuchEntry
        begun = sealed.body or {}
        contract, salt = _open_seal(sheet, sealed)
        body = {**begun, "contract": contract.id, "salt": salt}
        if any(before_open_deal(sheet.game).check_choice(contract)):
            kept = {name: body[name] for name in OF_A_VOID if name in body}
            body = {"type": "void", "reason": "over-quota", **kept}
        return Write(kind=Write.Kind.REVEAL, position=position, body=canonical(body))

    def is_same(_sheet: Sheet, stored: Write) -> bool:
        return (stored.kind, stored.position) == (Write.Kind.REVEAL, position)

    return store_write(game_pk, pen, is_same, reveal)


def sealed_at(sheet: Sheet, position: int) -> Write | None:
    """The write of the contract that is sealed at a position and not revealed yet."""
    versions = sheet.versions(position)
    last = versions[-1] if versions else None
    if last is None or not last.body or "sealed" not in last.body or "contract" in last.body:
        return None
    return last


def _is_a_seal(_sheet: Sheet, stored: Write) -> bool:
    # Comparing the hash would tell whoever knows the key which contract was sealed.
    return stored.kind == Write.Kind.ENTRY and "sealed" in (stored.body or {})


def _open_seal(sheet: Sheet, sealed: Write) -> tuple[Contract, str]:
    salt = _salt(sheet.row.public_id, sealed.key)
    for contract in sheet.game.ruleset.contracts:
        if seal(contract.id, salt) == (sealed.body or {}).get("sealed"):
            return contract, salt
    raise SealNotOurs


def _salt(public_id: str, key: str) -> str:
    """256 bits that nobody knows without the server secret, other ones for each write."""
    return salted_hmac("kingscore.seal", f"{public_id}:{key}", algorithm="sha256").hexdigest()
