"""How the server itself is doing: what waits, who works, and when it was last saved."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import models
from django.db.models import Count, Min

from tournaments.models import Backup, Check, Delivery, Letter, RatingDue, Report, Worker


@dataclass(frozen=True, slots=True)
class Queue:
    """What waits of one kind, and since when the first does, where that is known."""

    kind: str
    length: int
    oldest: datetime | None


@dataclass(frozen=True, slots=True)
class Running:
    """What the database knows of the running of the server."""

    queues: tuple[Queue, ...]
    workers: tuple[Worker, ...]
    backup: Backup | None
    check: Check | None


def load_queues(at: datetime) -> tuple[Queue, ...]:
    """Load what the worker would do now; one query for each kind."""
    return (
        _queue("documents", Report.objects.awaiting_build(at), "asked_at"),
        # Of a result that is to be rated it is not known when it changed.
        Queue("ratings", RatingDue.objects.count(), None),
        _queue("letters", Letter.objects.awaiting_sending(at), "written_at"),
        _queue("webhooks", Delivery.objects.due(at), "next_at"),
    )


def _queue(kind: str, waiting: models.QuerySet[Any], since: str) -> Queue:
    found = waiting.aggregate(length=Count("pk"), oldest=Min(since))
    return Queue(kind, found["length"], found["oldest"])


def load_running(at: datetime) -> Running:
    """Load what is told to whoever keeps the server, in seven queries."""
    return Running(
        queues=load_queues(at),
        workers=tuple(Worker.objects.order_by("-seen_at")),
        backup=Backup.objects.order_by("-ended_at").first(),
        check=Check.objects.exclude(finished_at=None).order_by("-night").first(),
    )
