"""Addresses that give access: derived from a server secret, never stored.

The row keeps only a generation; raising it revokes every address derived before.
"""

import base64

from django.utils.crypto import constant_time_compare, salted_hmac

BYTES = 18
"""144 bits of the digest: more than can be guessed, and no padding in base64."""


def derive(kind: str, public_id: str, generation: int) -> str:
    """The secret part of an address: 24 URL-safe characters."""
    message = f"{kind}:{public_id}:{generation}"
    digest = salted_hmac("kingscore.address", message, algorithm="sha256").digest()
    return base64.urlsafe_b64encode(digest[:BYTES]).decode()


def matches(secret: str, kind: str, public_id: str, generation: int) -> bool:
    """Whether `secret` is the one derived, compared in constant time."""
    return constant_time_compare(secret, derive(kind, public_id, generation))
