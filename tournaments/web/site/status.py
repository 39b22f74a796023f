"""The status of the server, for its operators."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from operator import attrgetter

from django.conf import settings
from django.contrib.auth.decorators import user_passes_test
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from tournaments.models.server import Check
from tournaments.queries.site import Running, load_running

BACKUP_EVERY = timedelta(days=2)
CHECK_EVERY = timedelta(days=2)
LONGEST_WAIT = timedelta(minutes=15)
LEAST_ROOM = 1024**3
"""Minimum free bytes: backups and documents need some, and a full disk stops all writes."""

QUEUES = {
    "documents": gettext_lazy("Documents"),
    "ratings": gettext_lazy("Ratings"),
    "letters": gettext_lazy("Mails"),
    "webhooks": gettext_lazy("Webhooks"),
}


@dataclass(frozen=True, slots=True)
class Room:
    """Free and total bytes on the disk of the data folder."""

    free: int
    total: int


@never_cache
@require_safe
@user_passes_test(attrgetter("is_staff"))
def show_status(request: HttpRequest) -> HttpResponse:
    """Show what runs, what waits and the last backup; warnings first."""
    now = timezone.now()
    running, room = load_running(now), room_left()
    return render(
        request,
        "tournaments/site/status.html",
        {
            "now": now,
            "running": running,
            "room": room,
            "worries": list(worries(running, room, now)),
            "queues": [(QUEUES[queue.kind], queue) for queue in running.queues],
            "version": settings.VERSION,
            "database": connection.display_name,
        },
    )


def room_left() -> Room:
    usage = shutil.disk_usage(settings.DATA)
    return Room(usage.free, usage.total)


def worries(running: Running, room: Room, now: datetime) -> Iterator[str]:
    """Yield warnings as sentences, the worst first."""
    if missing := running.migrations_missing:
        yield ngettext(
            "The database is older than the program: %(count)d migration is missing.",
            "The database is older than the program: %(count)d migrations are missing.",
            missing,
        ) % {"count": missing}
    if room.free < LEAST_ROOM:
        yield _("The disk is almost full.")
    if running.backup is None:
        yield _("There is no backup yet.")
    elif now - running.backup.ended_at > BACKUP_EVERY:
        yield _("The last backup is more than two days old.")
    if running.failed_starts:
        yield _(
            "The worker does not stay up: it has ended %(count)d times in a row. Documents, ratings"
            " and mails wait; the log of the server says why."
        ) % {"count": running.failed_starts}
    elif not running.alive:
        yield _("No worker is running: documents, ratings and mails wait.")
    elif any(queue.oldest and now - queue.oldest > LONGEST_WAIT for queue in running.queues):
        yield _("Something has been waiting for more than a quarter of an hour.")
    yield from worries_of_check(running.check, now)


def worries_of_check(check: Check | None, now: datetime) -> Iterator[str]:
    """Yield the faults of the last nightly check; a new server has had none yet."""
    if check is None:
        return
    if check.error:
        yield _("The last nightly check did not come to its end.")
    elif check.found:
        yield _("The last nightly check has found differences.")
    if check.finished_at and now - check.finished_at > CHECK_EVERY:
        yield _("The last nightly check is more than two days old.")
