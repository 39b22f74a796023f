"""Switch notifications on and off: of a phone, and by e-mail to an account."""

from dataclasses import dataclass
from datetime import datetime

from allauth.account.models import EmailAddress
from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from tournaments.models import Entrant, Notification, Subscription, Tournament, User
from tournaments.models.fields import matches
from tournaments.models.notifications import CORRECTED_FOR, LONGEST_ENDPOINT
from tournaments.services.base.refusals import Refused
from tournaments.services.notifications.web_push import are_keys, is_push_service

MOST_OF_PHONE = 12
MOST_OF_ENTRANT = 6
"""Subscriptions of one phone, and phones of one entrant; a new one replaces the oldest."""


class NoPushAddress(Refused, code="no-push-address", status=422):
    sentence = _("This browser gave no address of a known push service.")


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

    Raises:
        NoPushAddress: the address or the keys are not those of a browser; nothing is written.
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

    Raises:
        NoPushAddress: the address or the keys are not those of a browser; nothing is written.
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
    """End a subscription. Idempotent."""
    Subscription.objects.filter(pk=pk).delete()


def forget_subscriptions(at: datetime) -> None:
    """Delete the phones and the notifications of tournaments that are long over."""
    over = Tournament.objects.filter(
        state=Tournament.State.FINISHED, event__held_on__lt=(at - CORRECTED_FOR).date()
    )
    Subscription.objects.filter(entrant__tournament__in=over).delete()
    Notification.objects.filter(round__event__tournament__in=over).delete()
