"""Webhooks of a club or the server: create, change, pause, remove; secrets; repeated calls."""

import base64
import logging
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from tournaments.models import AuditEntry, ChangeFeed, Club, Delivery, EventType, Webhook
from tournaments.services.audit import Actor, Change, note_change
from tournaments.services.base.enqueue import wake_webhooks
from tournaments.services.base.refusals import Refused
from tournaments.services.webhooks.calling import check_url

MOST_WEBHOOKS = 20
TEST = "test"
"""The event of a test call."""

KEPT_FOR = timedelta(days=30)
"""How long calls and their results are stored."""


logger = logging.getLogger(__name__)


class TooManyWebhooks(Refused, code="too-many"):
    sentence = _("There are %(most)s already: remove one.")


@dataclass(frozen=True, slots=True)
class WebhookPlan:
    """The settings of a webhook: URL and events (values of EventType)."""

    url: str
    events: Collection[str]


def create_webhook(club: Club | None, plan: WebhookPlan, by: Actor, *, at: datetime) -> Webhook:
    """Create a webhook of a club, or of the server without one; earlier events are not sent.

    Raises:
        BadAddress: the address may not be called.
        TooManyWebhooks: the club has reached its limit.
    """
    check_url(plan.url)
    with transaction.atomic():
        if club is not None:
            # A second request waits for this lock, so that both are counted.
            club = Club.objects.select_for_update().get(pk=club.pk)
        if Webhook.objects.filter(club=club).count() >= MOST_WEBHOOKS:
            raise TooManyWebhooks({"most": MOST_WEBHOOKS})
        webhook = Webhook.objects.create(
            club=club,
            url=plan.url,
            events=_in_order(plan.events),
            after=_now_in_feed(),
            created_at=at,
        )
        _note(webhook, "add-webhook", by, at, after=_details(webhook))
    return webhook


def change_webhook(pk: int, plan: WebhookPlan, by: Actor, *, at: datetime) -> Webhook:
    """Change URL or events of a webhook; waiting calls go to the new address.

    Raises:
        BadAddress: as in `create_webhook`.
        Webhook.DoesNotExist: it was removed.
    """
    check_url(plan.url)
    with transaction.atomic():
        webhook = _locked(pk)
        before = _details(webhook)
        webhook.url, webhook.events = plan.url, _in_order(plan.events)
        webhook.save(update_fields=["url", "events"])
        if _details(webhook) != before:
            _note(webhook, "change-webhook", by, at, before=before, after=_details(webhook))
    return webhook


def put_pause(pk: int, by: Actor, *, at: datetime, paused: bool) -> Webhook:
    """Pause or resume a webhook. Events during the pause are not sent; waiting calls are.

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
    """Replace the signing secret.

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
    """Remove a webhook and its call history. Idempotent."""
    with transaction.atomic():
        webhook = Webhook.objects.select_for_update().filter(pk=pk).first()
        if webhook is not None:
            _note(webhook, "remove-webhook", by, at, before=_details(webhook))
            webhook.delete()


def send_test(pk: int, by: Actor, *, at: datetime) -> Delivery:
    """Enqueue a test call without an event.

    Raises:
        Webhook.DoesNotExist: it was removed.
    """
    with transaction.atomic():
        webhook = _locked(pk)
        line = _note(webhook, "test-webhook", by, at)
        delivery = Delivery.objects.create(
            webhook=webhook,
            line=line,
            type=TEST,
            body=body_of(TEST, at, {"club": webhook.club.slug if webhook.club else ""}),
            next_at=at,
            at=at,
        )
        wake_webhooks()
    return delivery


def send_again(delivery_pk: int, *, at: datetime) -> Delivery:
    """Repeat a call under its old id, by which receivers detect repeats.

    Raises:
        Delivery.DoesNotExist: the call is no longer stored.
    """
    with transaction.atomic():
        delivery = Delivery.objects.select_for_update().get(pk=delivery_pk)
        delivery.state, delivery.tries, delivery.next_at = Delivery.State.WAITING, 0, at
        delivery.save(update_fields=["state", "tries", "next_at"])
        wake_webhooks()
    return delivery


def note_ratings(club_pk: int, at: datetime) -> None:
    """Store the calls that the ratings of a club have changed; call it in that transaction.

    No audit entry says so, since ratings follow from games.
    """
    hooks = Webhook.objects.filter(Q(club=club_pk) | Q(club=None), paused=False)
    wanted = [hook for hook in hooks if EventType.RATINGS_CHANGED in hook.events]
    if not wanted:
        return
    slug = Club.objects.values_list("slug", flat=True).get(pk=club_pk)
    data = {"club": slug, "resources": [f"/api/v1/clubs/{slug}/ratings/"]}
    what = EventType.RATINGS_CHANGED
    body = body_of(what, at, data)
    Delivery.objects.bulk_create(
        Delivery(webhook=hook, type=what, body=body, next_at=at, at=at) for hook in wanted
    )
    wake_webhooks()


def forget_deliveries(at: datetime) -> None:
    """Delete old calls that were delivered or given up."""
    over = Delivery.objects.exclude(state=Delivery.State.WAITING)
    over.filter(at__lt=at - KEPT_FOR, next_at__lt=at - KEPT_FOR).delete()


def shown_secret(webhook: Webhook) -> str:
    """Return the secret in the format of Standard Webhooks."""
    return "whsec_" + base64.b64encode(webhook.secret.encode()).decode()


def body_of(event: str, at: datetime, data: dict[str, Any]) -> dict[str, Any]:
    """Return the body of a call: event type, time and data."""
    return {"type": event, "timestamp": at.isoformat(), "data": data}


def _now_in_feed() -> int:
    """Return the number of the latest change."""
    while ChangeFeed.number_new_lines():
        pass
    return ChangeFeed.last_number()


def _in_order(events: Collection[str]) -> list[str]:
    return [str(each) for each in EventType if each in events]


def _locked(pk: int) -> Webhook:
    return Webhook.objects.select_for_update(of=("self",)).select_related("club").get(pk=pk)


def _details(webhook: Webhook) -> dict[str, Any]:
    # The path of the URL may be a secret of the receiver. Older entries call the events so.
    return {"host": urlsplit(webhook.url).hostname, "happenings": webhook.events}


def _note(
    webhook: Webhook, action: str, by: Actor, at: datetime, **details: Any
) -> AuditEntry | None:
    """Add an audit entry to the club; the server has no audit, but a log."""
    subject = f"webhook:{webhook.public_id}"
    if webhook.club is None:
        logger.info("%s of the server: %s by account %s", subject, action, by.user and by.user.pk)
        return None
    change = Change(AuditEntry.Kind.SETTINGS, action, subject, **details)
    return note_change(webhook.club, change, by, at=at)
