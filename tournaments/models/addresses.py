"""Addresses that give access: derived from a server secret, never stored.

The row keeps only a generation; raising it revokes every address derived before.
"""

import base64
import secrets
from typing import Any, TypeVar

from django.db import models
from django.utils.crypto import constant_time_compare, salted_hmac

BYTES = 18
"""144 bits of the digest: impossible to guess, and no padding in base64."""

ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"
"""No characters that are easily misread on paper: no 0/o, no 1/l/i."""

Rows = TypeVar("Rows", bound=models.QuerySet[Any])


def new_public_id() -> str:
    """Return a random public id for a row. It is not a secret."""
    return "".join(secrets.choice(ALPHABET) for _ in range(10))


def derive(kind: str, public_id: str, generation: int) -> str:
    """Return the secret part of an address: 24 URL-safe characters."""
    return base64.urlsafe_b64encode(_digest(kind, public_id, generation)[:BYTES]).decode()


def derive_code(kind: str, public_id: str, generation: int, letters: str, length: int) -> str:
    """Return a short secret to type in. The caller must count and limit wrong attempts."""
    number = int.from_bytes(_digest(kind, public_id, generation), "big")
    code = ""
    for _ in range(length):
        number, letter = divmod(number, len(letters))
        code += letters[letter]
    return code


def matches(secret: str, kind: str, public_id: str, generation: int) -> bool:
    """Return whether `secret` is the derived one, compared in constant time."""
    return constant_time_compare(secret, derive(kind, public_id, generation))


def found_at(
    rows: Rows, kind: str, public_id: str, secret: str, generation: str = "generation"
) -> Rows:
    """Filter `rows` to the one with this address; `generation` names its generation field."""
    pk, now = named(rows, public_id).values_list("pk", generation).first() or (None, 0)
    if pk is None or not matches(secret, kind, public_id, now):
        return rows.none()
    # Filter by the generation again, so that an address revoked meanwhile finds nothing.
    return rows.filter(pk=pk, **{generation: now})


def named(rows: Rows, public_id: str) -> Rows:
    """Filter `rows` to the one with this public id."""
    # An address can contain anything, but PostgreSQL rejects a query for text with a NUL.
    return rows.none() if "\0" in public_id else rows.filter(public_id=public_id)


def _digest(kind: str, public_id: str, generation: int) -> bytes:
    message = f"{kind}:{public_id}:{generation}"
    return salted_hmac("kingscore.address", message, algorithm="sha256").digest()
