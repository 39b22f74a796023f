"""Who is notified: phones, of an entrant or of an account, and accounts by e-mail.

Begin at `subscribe_phone` and `switch_mail`. Below are the keys of Web Push: browsers subscribe
for `application_key`, and `encrypt` makes a message that only one of them can read.
"""

from base64 import urlsafe_b64decode
from dataclasses import dataclass
from datetime import datetime, timedelta
from fnmatch import fnmatchcase
from functools import cache
from urllib.parse import urlsplit

import http_ece
from allauth.account.models import EmailAddress
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_lazy
from py_vapid import Vapid02
from py_vapid.utils import b64urlencode

from tournaments.models import Entrant, Notification, Subscription, Tournament, User
from tournaments.models.fields import matches, server_keys
from tournaments.models.notifications import CORRECTED_FOR, LONGEST_ENDPOINT
from tournaments.services.base.writes import Refused

MOST_OF_PHONE = 12
MOST_OF_ENTRANT = 6
"""Subscriptions of one phone, and phones of one entrant; a new one replaces the oldest."""


class NoPushAddress(Refused, code="no-push-address", status=422):
    sentence = gettext_lazy("This browser gave no address of a known push service.")


@dataclass(frozen=True, slots=True)
class PushAddress:
    """A phone, by the digest of its id, with its address at a push service and its keys."""

    phone: str
    endpoint: str
    p256dh: str
    auth: str

    @property
    def is_usable(self) -> bool:
        short = len(self.endpoint) <= LONGEST_ENDPOINT
        return short and is_push_service(self.endpoint) and are_keys(self.p256dh, self.auth)


def subscribe_phone(
    about: Entrant | User, push: PushAddress, language: str, *, at: datetime
) -> Subscription:
    """Notify a phone of an entrant, or of the players of an account. Idempotent.

    Raises: NoPushAddress: the address or the keys are not those of a browser; nothing is written.
    """
    if not push.is_usable:
        raise NoPushAddress
    keys = {"endpoint": push.endpoint, "p256dh": push.p256dh, "auth": push.auth}
    whom = {"user": about} if isinstance(about, User) else {"entrant": about}
    with transaction.atomic():
        row, _new = Subscription.objects.update_or_create(
            phone=push.phone,
            **whom,
            defaults={**keys, "language": language, "created_at": at},
        )
        # The same browser, which has lost its cookies meanwhile.
        same = Subscription.objects.filter(endpoint=push.endpoint, **whom)
        same.exclude(pk=row.pk).delete()
        _keep_latest(Q(phone=push.phone), MOST_OF_PHONE)
        _keep_latest(Q(**whom) & ~Q(phone=""), MOST_OF_ENTRANT)
    return row


def renew_phone(push: PushAddress) -> None:
    """Store the new address that a browser got for a phone, wherever it is notified. Idempotent.

    Raises: NoPushAddress: the address or the keys are not those of a browser; nothing is written.
    """
    if not push.is_usable:
        raise NoPushAddress
    rows = Subscription.objects.filter(phone=push.phone).exclude(phone="")
    rows.update(endpoint=push.endpoint, p256dh=push.p256dh, auth=push.auth)


def _keep_latest(which: Q, most: int) -> None:
    rows = Subscription.objects.filter(which).order_by("-created_at", "-pk")
    Subscription.objects.filter(pk__in=list(rows.values_list("pk", flat=True)[most:])).delete()


def unsubscribe_phone(phone: str, of: User | None = None) -> None:
    """Notify a phone no more, of anybody or of an account."""
    rows = Subscription.objects.filter(phone=phone).exclude(phone="")
    (rows if of is None else rows.filter(user=of)).delete()


def can_be_mailed(user: User) -> bool:
    """Return whether an account has a verified address (1 query)."""
    rows = EmailAddress.objects.filter(user=user, email__iexact=user.email, verified=True)
    return bool(rows.exists())


def switch_mail(user: User, language: str, *, wanted: bool, at: datetime) -> None:
    """Notify an account by e-mail of its players, or no more. Idempotent."""
    if not wanted:
        Subscription.objects.filter(user=user, phone="").delete()
    elif can_be_mailed(user):
        new = {"language": language, "created_at": at}
        Subscription.objects.update_or_create(user=user, phone="", defaults=new)


def is_mailed_at(pk: int, secret: str) -> bool | None:
    """Return whether an e-mail's subscription, by the address that ends it, still stands.

    None if the address is wrong; of one that has ended, it is no longer known.
    """
    row = Subscription.objects.filter(pk=pk).first()
    if row is None:
        return False
    return matches(secret, "subscription", str(pk), 1) or None


def end_mails(pk: int) -> None:
    Subscription.objects.filter(pk=pk).delete()


def forget_subscriptions(at: datetime) -> None:
    """Delete the phones and the notifications of tournaments that are long over."""
    over = Tournament.objects.filter(
        state=Tournament.State.FINISHED, event__held_on__lt=(at - CORRECTED_FOR).date()
    )
    Subscription.objects.filter(entrant__tournament__in=over).delete()
    Notification.objects.filter(round__event__tournament__in=over).delete()


CURVE = ec.SECP256R1()
ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
"""The number of points of the curve P-256."""

SIGNED_FOR = timedelta(hours=12)


def application_key() -> str:
    """Return the public key of this installation, which browsers subscribe for."""
    key = _private_key(server_keys()[-1]).public_key()
    return str(b64urlencode(key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)))


def authorization(endpoint: str, at: datetime) -> str:
    """Return the header by which a push service knows this installation."""
    parts = urlsplit(endpoint)
    site = settings.SITE_ADDRESS or settings.FOUND_AT
    contact = site if site.startswith("https:") else f"mailto:{settings.DEFAULT_FROM_EMAIL}"
    claims = {
        "aud": f"{parts.scheme}://{parts.netloc}",
        "exp": int((at + SIGNED_FOR).timestamp()),
        "sub": contact,
    }
    # It refuses senders without a top-level domain, which push services do not look at.
    signer = Vapid02(_private_key(server_keys()[-1]), conf={"no-strict": True})
    return str(signer.sign(claims)["Authorization"])


def encrypt(text: bytes, p256dh: str, auth: str) -> bytes:
    """Return a message that only the browser with these keys can read, in one record."""
    key = ec.generate_private_key(CURVE)
    sealed: bytes = http_ece.encrypt(
        text, private_key=key, dh=_bytes(p256dh), auth_secret=_bytes(auth), version="aes128gcm"
    )
    return sealed


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


@cache
def _private_key(secret: str) -> ec.EllipticCurvePrivateKey:
    """Derive the key from the server's secret, so that it is kept and restored with that.

    As long as the site knows an old secret, its phones stay subscribed.
    """
    seed = salted_hmac("kingscore.push", "1", secret, algorithm="sha512").digest()
    return ec.derive_private_key(int.from_bytes(seed, "big") % (ORDER - 1) + 1, CURVE)


def _bytes(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))
