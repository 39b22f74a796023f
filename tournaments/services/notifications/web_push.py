"""Web Push: encrypt a message for a browser (RFC 8291), and say who sends it (RFC 8292).

`pywebpush` would bring requests and aiohttp with ten more packages, and would itself resolve the
host names that strangers give.
"""

import json
import os
from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import datetime, timedelta
from fnmatch import fnmatchcase
from functools import cache
from urllib.parse import urlsplit

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.conf import settings
from django.utils.crypto import salted_hmac

from tournaments.models.fields import server_keys

CURVE = ec.SECP256R1()
ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
"""The number of points of the curve P-256."""

SIGNED_FOR = timedelta(hours=12)
RECORD = 4096
"""Bytes of a record of the encryption; a message is one, since push services take no more."""


def application_key() -> str:
    """Return the public key of this installation, which browsers subscribe for."""
    return _text(_point(_private_key(server_keys()[-1]).public_key()))


def authorization(endpoint: str, at: datetime) -> str:
    """Return the header by which a push service knows this installation."""
    parts = urlsplit(endpoint)
    claims = {
        "aud": f"{parts.scheme}://{parts.netloc}",
        "exp": int((at + SIGNED_FOR).timestamp()),
        "sub": _contact(),
    }
    signed = ".".join(_text(json.dumps(each).encode()) for each in (JWT, claims))
    key = _private_key(server_keys()[-1])
    r, s = decode_dss_signature(key.sign(signed.encode(), ec.ECDSA(SHA256())))
    signature = _text(r.to_bytes(32, "big") + s.to_bytes(32, "big"))
    return f"vapid t={signed}.{signature}, k={application_key()}"


def encrypt(text: bytes, p256dh: str, auth: str) -> bytes:
    """Return a message that only the browser with these keys can read, in one record."""
    receiver, own = _bytes(p256dh), ec.generate_private_key(CURVE)
    sender = _point(own.public_key())
    shared = own.exchange(ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(CURVE, receiver))
    secret = _derive(shared, _bytes(auth), b"WebPush: info\0" + receiver + sender, 32)
    salt = os.urandom(16)
    key = _derive(secret, salt, b"Content-Encoding: aes128gcm\0", 16)
    nonce = _derive(secret, salt, b"Content-Encoding: nonce\0", 12)
    # 2 ends the last record.
    sealed = AESGCM(key).encrypt(nonce, text + b"\2", None)
    return salt + RECORD.to_bytes(4, "big") + bytes([len(sender)]) + sender + sealed


def is_push_service(endpoint: str) -> bool:
    """Return whether an address is of a known push service: others are never called."""
    try:
        parts = urlsplit(endpoint)
        origin = f"{parts.scheme}://{parts.hostname}"
    except ValueError:
        return False
    return any(fnmatchcase(origin, pattern) for pattern in settings.PUSH_SERVICES)


def are_keys(p256dh: str, auth: str) -> bool:
    """Return whether these are the keys of a browser: a point of the curve, and 16 bytes."""
    try:
        ec.EllipticCurvePublicKey.from_encoded_point(CURVE, _bytes(p256dh))
        return len(_bytes(auth)) == 16
    except ValueError:
        return False


JWT = {"typ": "JWT", "alg": "ES256"}


@cache
def _private_key(secret: str) -> ec.EllipticCurvePrivateKey:
    """Derive the key from the server's secret, so that it is kept and restored with that.

    As long as the site knows an old secret, its phones stay subscribed.
    """
    seed = salted_hmac("kingscore.push", "1", secret, algorithm="sha512").digest()
    return ec.derive_private_key(int.from_bytes(seed, "big") % (ORDER - 1) + 1, CURVE)


def _contact() -> str:
    """Return whom a push service may ask about this sender."""
    site = settings.SITE_ADDRESS or settings.FOUND_AT
    return site if site.startswith("https:") else f"mailto:{settings.DEFAULT_FROM_EMAIL}"


def _derive(secret: bytes, salt: bytes, info: bytes, length: int) -> bytes:
    return HKDF(SHA256(), length, salt, info).derive(secret)


def _point(key: ec.EllipticCurvePublicKey) -> bytes:
    return key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def _text(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def _bytes(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))
