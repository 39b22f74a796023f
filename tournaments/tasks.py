"""Celery tasks: thin, and safe to run twice; what waits is found in the database."""

from celery import shared_task
from django.conf import settings
from django.core.management import call_command
from django.utils import timezone
from django.utils.module_loading import import_string
from oauth2_provider.models import clear_expired

from tournaments.models import GamePhoto, IdempotencyRecord, Report
from tournaments.reports import documents
from tournaments.services import accounts, emails
from tournaments.services.base.writes import NOTIFY_TASK, WEBHOOKS_TASK
from tournaments.services.checks import nights
from tournaments.services.documents import reporting
from tournaments.services.games import photos
from tournaments.services.notifications import sending, subscriptions
from tournaments.services.ratings import computing
from tournaments.services.webhooks import calling

# Without it, tasks would be those of an app that knows no broker.
import_string(settings.TASK_QUEUE)

MOST_AT_ONCE = 200
"""A sweep leaves the rest to the next one rather than fill the broker."""


@shared_task(name=reporting.BUILD_TASK)
def build_report(pk: int) -> None:
    """Build a report, unless it is done or someone else is building it."""
    documents.build_report(pk)


@shared_task(name="tournaments.tasks.sweep_reports")
def sweep_reports() -> None:
    """Wake a worker for every report and photo that waits: its message was lost, or its worker."""
    now = timezone.now()
    waiting = Report.objects.awaiting_build(now).order_by("asked_at")
    for pk in waiting.values_list("pk", flat=True)[:MOST_AT_ONCE]:
        build_report.delay(pk)
    unread = GamePhoto.objects.awaiting_reading(now).order_by("pk")
    for pk in unread.values_list("pk", flat=True)[:MOST_AT_ONCE]:
        read_photo.delay(pk)


@shared_task(name=photos.READ_TASK)
def read_photo(pk: int) -> None:
    """Read the photo of a paper sheet, unless it is read or someone else reads it."""
    photos.read_photo(pk, timezone.now())


@shared_task(name="tournaments.tasks.expire_reports")
def expire_reports() -> None:
    """Throw away the documents and unconfirmed photos that have been kept long enough."""
    now = timezone.now()
    reporting.expire_reports(now)
    GamePhoto.objects.expired(now).delete()


@shared_task(name=computing.RATE_TASK)
def sweep_ratings() -> None:
    computing.sweep_ratings()


@shared_task(name="tournaments.tasks.sweep_checks")
def sweep_checks() -> None:
    """Compare stored caches with what they are computed from, and fit ratings, once a night."""
    if nights.sweep_checks(timezone.now()):
        # Imports numpy.
        from tournaments.services.ratings import fitting

        fitting.fit_pools(timezone.now())


@shared_task(name="tournaments.tasks.sweep_months")
def sweep_months() -> None:
    """Mail the month that is over to the directors of each club, once."""
    emails.sweep_months(timezone.now())


@shared_task(name=emails.SEND_TASK)
def sweep_emails() -> None:
    emails.sweep_emails(timezone.now())


@shared_task(name=WEBHOOKS_TASK)
def sweep_webhooks() -> None:
    calling.sweep_webhooks()


@shared_task(name=NOTIFY_TASK)
def sweep_notifications() -> None:
    """Tell players where they sit, that time runs out, and what was corrected."""
    sending.sweep_notifications()


@shared_task(name="tournaments.tasks.forget_deliveries")
def forget_deliveries() -> None:
    """Forget the calls of webhooks, and the phones at tournaments, that are long over."""
    calling.forget_deliveries(timezone.now())
    subscriptions.forget_subscriptions(timezone.now())


@shared_task(name="tournaments.tasks.sweep_sessions")
def sweep_sessions() -> None:
    call_command("clearsessions")


@shared_task(name="tournaments.tasks.sweep_answers")
def sweep_answers() -> None:
    """Forget what is no longer answered again, and the tokens whose time is over."""
    now = timezone.now()
    IdempotencyRecord.objects.expired(now).delete()
    accounts.expire_tokens(now)
    clear_expired()
