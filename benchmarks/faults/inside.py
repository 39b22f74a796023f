"""Functions that `Site.run_python` calls in a process of the site."""

import json
import threading
from collections import Counter
from datetime import timedelta
from io import StringIO
from pathlib import Path

from django.conf import settings
from django.core.management import CommandError, call_command
from django.db.models import F
from django.utils import timezone

from benchmarks.evening.laying import lay_evening
from tournaments.models import (
    Club,
    Delivery,
    Email,
    Event,
    Game,
    RatingDue,
    Report,
    Round,
    User,
    Webhook,
)
from tournaments.services.audit import NOBODY, Actor
from tournaments.services.base.writes import THREAD, wake_worker
from tournaments.services.documents.reporting import request_scoresheet
from tournaments.services.emails import SEND_TASK, EmailText, write_emails
from tournaments.services.events.events import close_round
from tournaments.services.webhooks.calling import create_webhook, send_test

CHECKS = ("rebuild_results", "rebuild_ratings")
LONG_AGO = timedelta(hours=1)


def print_laid(tables: int, hook: str) -> None:
    """Lay an evening whose club has a webhook for each result."""
    laid = lay_evening(tables)
    club = Club.objects.order_by("-pk")[0]
    owner = Actor(club.members.get(role="owner").user)
    create_webhook(club, hook, ["result.entered"], owner, at=timezone.now())
    print(json.dumps(laid))


def write(about: str, number: int) -> None:
    """Write emails to so many accounts made for it."""
    users = [
        User(username=f"{about}-{one}", email=f"{about}-{one}@club.example")
        for one in range(number)
    ]
    User.objects.bulk_create(users)
    write_emails(users, about, EmailText(about, "…"), at=timezone.now())
    let_nudges_go()


def ask_for_sheets(number: int) -> None:
    """Ask for the scoresheets of so many games as they stand."""
    for game in Game.objects.order_by("pk")[:number]:
        url = f"http://127.0.0.1/follow/{game.public_id}/{game.secret('follow')}/"
        request_scoresheet(game, language="tr", follow_url=url, at=timezone.now())
    let_nudges_go()


def close_all() -> None:
    """Close every open round, so that its games are rated."""
    for place in Round.objects.filter(opened_at__isnull=False, closed_at=None):
        owner = place.event.club.members.get(role="owner").user
        close_round(place.pk, Actor(owner), at=timezone.now())


def send_emails_now() -> None:
    """Have the worker look for emails now, and not within five minutes."""
    wake_worker(SEND_TASK)
    let_nudges_go()


def let_nudges_go() -> None:
    """Wait for the threads that wake the worker: they would end with this process."""
    for thread in threading.enumerate():
        if thread.name == THREAD:
            thread.join(timeout=5)


def let_leases_end() -> None:
    """As if the minutes had passed after which what a dead worker had is taken by another."""
    Email.objects.filter(sent_at=None).update(tried_at=F("tried_at") - LONG_AGO)
    Delivery.objects.filter(state="waiting").update(
        next_at=F("next_at") - LONG_AGO, tried_at=F("tried_at") - LONG_AGO
    )
    send_emails_now()


def print_waiting() -> None:
    """How much is still to be done, by kind."""
    going = [Report.State.WAITING, Report.State.BUILDING]
    print(
        json.dumps(
            {
                "reports": Report.objects.filter(state__in=going).count(),
                "emails": Email.objects.filter(sent_at=None).count(),
                "calls": Delivery.objects.filter(state="waiting").count(),
                "ratings": RatingDue.objects.count(),
            }
        )
    )


def print_found() -> None:
    """Count the finished tasks, and check that derived data matches its source."""
    files = [path.name for path in (Path(settings.MEDIA_ROOT) / "reports").glob("*")]
    reports = Report.objects.all()
    kept = [Path(name).name for name in reports.values_list("file", flat=True) if name]
    print(
        json.dumps(
            {
                "reports": dict(Counter(reports.values_list("state", flat=True))),
                "attempts": dict(Counter(reports.values_list("attempts", flat=True))),
                "files_missing": len(set(kept) - set(files)),
                "files_of_two": len(kept) - len(set(kept)),
                "files_left": len(set(files) - set(kept)),
                "emails": Email.objects.count(),
                "emails_sent": Email.objects.exclude(sent_at=None).count(),
                "results": Game.objects.filter(result__isnull=False).count(),
                "calls": sorted(Delivery.objects.values_list("public_id", flat=True)),
                "calls_delivered": Delivery.objects.filter(state="delivered").count(),
                "events": Event.objects.count(),
                "differences": [said for name in CHECKS if (said := _checked(name))]
                + _caches_checked(),
            }
        )
    )


def _checked(command: str) -> str:
    """List the rows that a rebuild would change."""
    said = StringIO()
    try:
        call_command(command, "--check", stdout=said, stderr=said)
    except (CommandError, SystemExit) as error:
        return f"{command}: {error} {said.getvalue()}"
    return ""


def _caches_checked() -> list[str]:
    said = StringIO()
    try:
        call_command("check_caches", stdout=said, stderr=said)
    except (CommandError, SystemExit) as error:
        return [f"check_caches: {error} {said.getvalue()}"]
    return []


def send_test_call() -> None:
    """Have the last webhook called about nothing."""
    hook = Webhook.objects.latest("pk")
    send_test(hook.pk, NOBODY, at=timezone.now())
    let_nudges_go()
