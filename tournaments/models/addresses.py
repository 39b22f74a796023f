"""Addresses that give access: derived from a server secret, never stored.

The row keeps only a generation; raising it revokes every address derived before.
"""

import base64
import secrets
from typing import Any, TypeVar

from django.db import models
from django.utils.crypto import constant_time_compare, salted_hmac

BYTES = 18
"""144 bits of the digest: more than can be guessed, and no padding in base64."""

ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"
"""Nothing that is misread from paper: no 0/o, no 1/l/i."""

Rows = TypeVar("Rows", bound=models.QuerySet[Any])


def new_public_id() -> str:
    """A short name for a row in its addresses; it is no secret."""
    return "".join(secrets.choice(ALPHABET) for _ in range(10))


def derive(kind: str, public_id: str, generation: int) -> str:
    """The secret part of an address: 24 URL-safe characters."""
    return base64.urlsafe_b64encode(_digest(kind, public_id, generation)[:BYTES]).decode()


def derive_code(kind: str, public_id: str, generation: int, letters: str, length: int) -> str:
    """A short secret to be typed; whoever asks for it must count the wrong ones."""
    number = int.from_bytes(_digest(kind, public_id, generation), "big")
    code = ""
    for _ in range(length):
        number, letter = divmod(number, len(letters))
        code += letters[letter]
    return code


def matches(secret: str, kind: str, public_id: str, generation: int) -> bool:
    """Whether `secret` is the one derived, compared in constant time."""
    return constant_time_compare(secret, derive(kind, public_id, generation))


def found_at(
    rows: Rows, kind: str, public_id: str, secret: str, generation: str = "generation"
) -> Rows:
    """The one of `rows` that has this address of a kind; `generation` names its field."""
    pk, now = named(rows, public_id).values_list("pk", generation).first() or (None, 0)
    if pk is None or not matches(secret, kind, public_id, now):
        return rows.none()
    # The generation is asked again, so that an address revoked meanwhile opens nothing.
    return rows.filter(pk=pk, **{generation: now})


def named(rows: Rows, public_id: str) -> Rows:
    """The one of `rows` with this name in its addresses."""
    # Anything can stand in an address, but PostgreSQL looks for no text with a NUL in it.
    return rows.none() if "\0" in public_id else rows.filter(public_id=public_id)


def _digest(kind: str, public_id: str, generation: int) -> bytes:
    message = f"{kind}:{public_id}:{generation}"
    return salted_hmac("kingscore.address", message, algorithm="sha256").digest()
