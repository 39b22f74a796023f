"""Contracts sealed before a deal and revealed after it.

A sealed contract is not stored: the sheet contains only its hash. The salt is derived from the
server secret and the key of the write, as access links are, so the server finds the contract by
trying each; a stolen database reveals none.
"""

from dataclasses import replace

from django.conf import settings
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_lazy as _

from tournaments.engine.documents.entries import parse_entry, write_entry
from tournaments.engine.play.games import seal
from tournaments.engine.rules.entries import Deal, Entry, Void
from tournaments.engine.rules.rulesets import Code, Contract, InvalidEntry, Problem
from tournaments.models import Game, Revision, fields
from tournaments.queries.games.sheets import Sheet
from tournaments.services.base.refusals import Refused
from tournaments.services.games.writing import NoSuchEntry, WriteContext, store_write


class SealNotOurs(Refused, code="seal-not-ours"):
    sentence = _("This seal was not made here: whoever made it has to prove it.")


def seal_contract(game_pk: int, contract: str, context: WriteContext) -> Sheet:
    """Begin a deal with a contract only the declarer knows; the sheet gets its hash.

    A used-up contract can be sealed too; the reveal shows it. A repeat of the key changes nothing,
    whatever contract it contains.

    Raises:
        InvalidEntry: unknown contract, or the ruleset has no sealed contracts.
        StaleRevision, KeyReused, BadKey, Game.DoesNotExist: as in `playing.record_entry`.
    """
    public_id = Game.objects.values_list("public_id", flat=True).get(pk=game_pk)
    sealed = Deal(
        details={"sealed": seal(contract, _salt(public_id, context.key, settings.SECRET_KEY))}
    )

    def add(sheet: Sheet) -> Sheet:
        named = sheet.game.ruleset.by_id.get(contract)
        if not contract:
            raise InvalidEntry([Problem(Code.MISSING_FIELD, "contract", {"field": "contract"})])
        if named is None or not named.named:
            raise InvalidEntry([Problem(Code.UNKNOWN_CONTRACT, "contract", {"contract": ""})])
        return sheet.after_entry(sealed)

    return store_write(game_pk, context, _is_a_seal, add)


def reveal_contract(game_pk: int, position: int, context: WriteContext) -> Sheet:
    """Reveal the contract sealed at `position` with its salt; over quota, the deal is void.

    Raises:
        NoSuchEntry: there is no sealed contract, or it is revealed already.
        SealNotOurs: the server cannot determine the contract of this seal.
        StaleRevision, KeyReused, BadKey, Game.DoesNotExist: as in `playing.record_entry`.
    """

    def reveal(sheet: Sheet) -> Sheet:
        sealed = sealed_at(sheet, position)
        if sealed is None:
            raise NoSuchEntry
        begun = parse_entry(sealed.body)
        assert isinstance(begun, Deal)
        contract, salt = _open_seal(sheet, sealed)
        proof = {"sealed": begun.details["sealed"], "salt": salt}
        entry: Entry = replace(begun, contract=contract.id, details={**begun.details, **proof})
        if any(sheet.game.without_open_deal().check_choice(contract)):
            entry = Void("over-quota", contract.id, begun.declarer, proof)
        return sheet.after_change(
            Revision(kind=Revision.Kind.REVEAL, position=position, body=write_entry(entry))
        )

    def is_same(_sheet: Sheet, stored: Revision) -> bool:
        return (stored.kind, stored.position) == (Revision.Kind.REVEAL, position)

    return store_write(game_pk, context, is_same, reveal)


def sealed_at(sheet: Sheet, position: int) -> Revision | None:
    """Return the revision with the sealed, not yet revealed contract at a position."""
    versions = sheet.versions(position)
    last = versions[-1] if versions else None
    if last is None or not last.body or "sealed" not in last.body or "contract" in last.body:
        return None
    return last


def _is_a_seal(_sheet: Sheet, stored: Revision) -> bool:
    # Comparing the hash would tell anybody who knows the key which contract was sealed.
    return stored.kind == Revision.Kind.ENTRY and "sealed" in (stored.body or {})


def _open_seal(sheet: Sheet, sealed: Revision) -> tuple[Contract, str]:
    for secret in fields.server_keys():
        salt = _salt(sheet.row.public_id, sealed.key, secret)
        for contract in sheet.game.ruleset.contracts:
            if seal(contract.id, salt) == (sealed.body or {}).get("sealed"):
                return contract, salt
    raise SealNotOurs


def _salt(public_id: str, key: str, secret: str) -> str:
    """Return a salt of 256 bits, different for each write and secret with the server."""
    return salted_hmac(
        "kingscore.seal", f"{public_id}:{key}", secret, algorithm="sha256"
    ).hexdigest()
