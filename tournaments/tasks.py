"""Celery tasks: thin, and safe to run twice; what waits is found in the database."""

from celery import shared_task
from django.core.management import call_command
from django.utils import timezone

from tournaments import building
from tournaments.models import KeptAnswer, Report
from tournaments.services.checking import nights
from tournaments.services.clubs import month_letters
from tournaments.services.documents import reporting
from tournaments.services.letters import sending
from tournaments.services.nudges import WEBHOOKS_TASK
from tournaments.services.people import tokens
from tournaments.services.ratings import computing, due
from tournaments.services.webhooks import keeping, sweeping

MOST_AT_ONCE = 200
"""A sweep leaves the rest to the next one rather than fill the broker."""


@shared_task(name=reporting.BUILD_TASK)
def build_report(pk: int) -> None:
    """Build a report, unless it is done or someone else is building it."""
    building.build_report(pk)


@shared_task(name="tournaments.tasks.sweep_reports")
def sweep_reports() -> None:
    """Wake a worker for every report that waits: its message was lost, or its worker."""
    waiting = Report.objects.awaiting_build(timezone.now()).order_by("asked_at")
    for pk in waiting.values_list("pk", flat=True)[:MOST_AT_ONCE]:
        build_report.delay(pk)


@shared_task(name="tournaments.tasks.expire_reports")
def expire_reports() -> None:
    """Throw away the documents that have been kept long enough."""
    reporting.expire_reports(timezone.now())


@shared_task(name=due.RATE_TASK)
def sweep_ratings() -> None:
    """Compute the ratings that results have changed."""
    computing.sweep_ratings()


@shared_task(name=nights.CHECK_TASK)
def sweep_checks() -> None:
    """Check the stored caches, once a night; a check that was left behind is gone on with."""
    nights.sweep_checks(timezone.now())


@shared_task(name="tournaments.tasks.sweep_months")
def sweep_months() -> None:
    """Mail the month that is over to the directors of each club, once."""
    month_letters.sweep_months(timezone.now())


@shared_task(name=sending.SEND_TASK)
def sweep_letters() -> None:
    """Send the letters that wait."""
    sending.sweep_letters(timezone.now())


@shared_task(name=WEBHOOKS_TASK)
def sweep_webhooks() -> None:
    """Call the programs that are to be told of what has happened."""
    sweeping.sweep_webhooks()


@shared_task(name="tournaments.tasks.forget_deliveries")
def forget_deliveries() -> None:
    """Forget the calls of webhooks that are long over."""
    keeping.forget_deliveries(timezone.now())


@shared_task(name="tournaments.tasks.sweep_sessions")
def sweep_sessions() -> None:
    """Forget the sessions that are over."""
    call_command("clearsessions")


@shared_task(name="tournaments.tasks.sweep_answers")
def sweep_answers() -> None:
    """Forget what is no longer answered again, and the tokens whose time is over."""
    now = timezone.now()
    KeptAnswer.objects.expired(now).delete()
    tokens.expire_tokens(now)
