"""Sealed contracts: published as a salted hash, proved when they are revealed."""

import re
from collections.abc import Iterator, Mapping
from hashlib import sha256
from hmac import compare_digest
from typing import Any

from tournaments.engine.problems import Code, Problem

_HASH = re.compile("[0-9a-fA-F]{64}")
_SALT = re.compile("[0-9a-fA-F]{32,1000}")


def seal(contract: str, salt: str) -> str:
    """The hash to publish for a contract: SHA-256 of `contract + ":" + salt`, in hex.

    `salt` is at least 128 random bits in hex.
    """
    return sha256(f"{contract}:{salt}".encode()).hexdigest()


def check_seal(contract: str | None, details: Mapping[str, Any]) -> Iterator[Problem]:
    """Check `sealed` and `salt`: before the reveal the hash alone, after it both."""
    sealed, salt = details.get("sealed"), details.get("salt")
    if sealed is not None and not _HASH.fullmatch(sealed):
        yield Problem(Code.BAD_SEAL, "sealed", {"why": "no-hash"})
    elif salt is not None and not _SALT.fullmatch(salt):
        yield Problem(Code.BAD_SEAL, "salt", {"why": "no-salt"})
    elif (salt is None) != (sealed is None or contract is None):
        # A salt before the reveal would give the contract away; a hash without one proves nothing.
        where = "sealed" if sealed is None else "salt"
        yield Problem(Code.BAD_SEAL, where, {"why": "incomplete"})
    elif (
        contract is not None
        and sealed is not None
        and salt is not None
        and not compare_digest(seal(contract, salt), sealed.lower())
    ):
        yield Problem(Code.BAD_SEAL, "sealed", {"why": "changed"})
