"""Webhooks of a club: made, changed, paused, removed; their secret, and calls once more."""

import base64
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from django.db import transaction

from tournaments.models import AuditLine, ChangeFeed, Club, Delivery, Happening, Webhook
from tournaments.services.auditing import Actor, Change, note_change
from tournaments.services.nudges import wake_webhooks
from tournaments.services.webhooks.calling import check_url

MOST_WEBHOOKS = 20
TEST = "test"
"""What a call is about that was only asked for to see whether it arrives."""

KEPT_FOR = timedelta(days=30)
"""So long it can be looked up what became of a call."""


class TooManyWebhooks(Exception):
    """A club has as many as it may."""


@dataclass(frozen=True, slots=True)
class WebhookPlan:
    """What an owner says of a webhook: where to call, and what about (values of Happening)."""

    url: str
    happenings: Collection[str]


def create_webhook(club: Club, plan: WebhookPlan, by: Actor, *, at: datetime) -> Webhook:
    """Have an address called from now on: what has happened before is not told.

    Raises:
        BadAddress: it is no address that may be called.
        TooManyWebhooks: the club has as many as it may.
    """
    check_url(plan.url)
    with transaction.atomic():
        # Whoever adds another one meanwhile waits, and is counted.
        club = Club.objects.select_for_update().get(pk=club.pk)
        if club.webhooks.count() >= MOST_WEBHOOKS:
            raise TooManyWebhooks
        webhook = Webhook.objects.create(
            club=club,
            url=plan.url,
            happenings=_in_order(plan.happenings),
            after=_now_in_feed(),
            created_at=at,
        )
        _note(webhook, "add-webhook", by, at, after=_told(webhook))
    return webhook


def change_webhook(pk: int, plan: WebhookPlan, by: Actor, *, at: datetime) -> Webhook:
    """Call another address, or about something else; what is waiting goes to the new address.

    Raises:
        BadAddress: as in `create_webhook`.
        Webhook.DoesNotExist: it was removed.
    """
    check_url(plan.url)
    with transaction.atomic():
        webhook = _locked(pk)
        before = _told(webhook)
        webhook.url, webhook.happenings = plan.url, _in_order(plan.happenings)
        webhook.save(update_fields=["url", "happenings"])
        if _told(webhook) != before:
            _note(webhook, "change-webhook", by, at, before=before, after=_told(webhook))
    return webhook


def put_pause(pk: int, by: Actor, *, at: datetime, paused: bool) -> Webhook:
    """Make no calls until it goes on: what happens meanwhile is not told, what waited is.

    Raises:
        Webhook.DoesNotExist: it was removed.
    """
    with transaction.atomic():
        webhook = _locked(pk)
        if webhook.paused != paused:
            webhook.paused = paused
            if not paused:
                webhook.after = _now_in_feed()
            webhook.save(update_fields=["paused", "after"])
            _note(webhook, "pause-webhook" if paused else "go-on-webhook", by, at)
            wake_webhooks()
    return webhook


def renew_secret(pk: int, by: Actor, *, at: datetime) -> Webhook:
    """Sign by another secret from now on.

    Raises:
        Webhook.DoesNotExist: it was removed.
    """
    with transaction.atomic():
        webhook = _locked(pk)
        webhook.generation += 1
        webhook.save(update_fields=["generation"])
        _note(webhook, "webhook-secret", by, at)
    return webhook


def remove_webhook(pk: int, by: Actor, *, at: datetime) -> None:
    """Call an address no more, and forget what was called; removed twice, it is no error."""
    with transaction.atomic():
        webhook = Webhook.objects.select_for_update().filter(pk=pk).first()
        if webhook is not None:
            _note(webhook, "remove-webhook", by, at, before=_told(webhook))
            webhook.delete()


def send_test(pk: int, by: Actor, *, at: datetime) -> Delivery:
    """Have a call made that is about nothing, to see whether it arrives.

    Raises:
        Webhook.DoesNotExist: it was removed.
    """
    with transaction.atomic():
        webhook = _locked(pk)
        line = _note(webhook, "test-webhook", by, at)
        delivery = Delivery.objects.create(
            webhook=webhook,
            line=line,
            happening=TEST,
            body=body_of(TEST, at, {"club": webhook.club.slug}),
            next_at=at,
            at=at,
        )
        wake_webhooks()
    return delivery


def send_again(delivery_pk: int, *, at: datetime) -> Delivery:
    """Make a call once more, under its old name, by which a receiver knows it again.

    Raises:
        Delivery.DoesNotExist: it is forgotten.
    """
    with transaction.atomic():
        delivery = Delivery.objects.select_for_update().get(pk=delivery_pk)
        delivery.state, delivery.tries, delivery.next_at = Delivery.State.WAITING, 0, at
        delivery.save(update_fields=["state", "tries", "next_at"])
        wake_webhooks()
    return delivery


def forget_deliveries(at: datetime) -> None:
    """Forget the calls that were made, or given up, long ago."""
    over = Delivery.objects.exclude(state=Delivery.State.WAITING)
    over.filter(at__lt=at - KEPT_FOR, next_at__lt=at - KEPT_FOR).delete()


def shown_secret(webhook: Webhook) -> str:
    """The secret as receivers of Standard Webhooks are given it."""
    return "whsec_" + base64.b64encode(webhook.secret.encode()).decode()


def body_of(happening: str, at: datetime, data: dict[str, Any]) -> dict[str, Any]:
    """What is sent: what has happened, when, and to what."""
    return {"type": happening, "timestamp": at.isoformat(), "data": data}


def _now_in_feed() -> int:
    """The number of the last change that is there."""
    while ChangeFeed.number_new_lines():
        pass
    return ChangeFeed.last_number()


def _in_order(happenings: Collection[str]) -> list[str]:
    return [str(each) for each in Happening if each in happenings]


def _locked(pk: int) -> Webhook:
    return Webhook.objects.select_for_update(of=("self",)).select_related("club").get(pk=pk)


def _told(webhook: Webhook) -> dict[str, Any]:
    # What stands behind the host may be a secret of the receiver.
    return {"host": urlsplit(webhook.url).hostname, "happenings": webhook.happenings}


def _note(webhook: Webhook, action: str, by: Actor, at: datetime, **told: Any) -> AuditLine:
    subject = f"webhook:{webhook.public_id}"
    change = Change(AuditLine.Kind.SETTINGS, action, subject, **told)
    return note_change(webhook.club, change, by, at=at)
