"""Metrics for Prometheus: counts of all processes that share the data folder, and the queues.

Each process counts in files of its own, as prometheus_client does with several processes. Their
names contain the machine's name, so that containers with one folder do not share a file.
"""

import os
import re
import shutil
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from hmac import compare_digest
from pathlib import Path

from django.conf import settings
from django.db import Error
from django.http import HttpRequest, HttpResponse, HttpResponseNotFound
from django.utils import timezone
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest, values
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector
from prometheus_client.values import MultiProcessValue

from tournaments.models import Difference, Email, Worker
from tournaments.queries.site import copied_at, last_backup, load_queues
from tournaments.services.games.writing import REFUSED_WRITES, WRITES

REQUESTS = Counter("kingscore_requests", "Requests answered", ["route", "method", "status"])
REQUEST_SECONDS = Histogram(
    "kingscore_request_seconds",
    "How long requests took to answer",
    ["route", "method"],
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10),
)
TASK_SECONDS = Histogram(
    "kingscore_task_seconds",
    "How long tasks took",
    ["task"],
    buckets=(0.01, 0.05, 0.25, 1, 5, 30, 120, 600),
)
TASK_FAILURES = Counter("kingscore_task_failures", "Tasks that broke", ["task"])

FORGOTTEN_AFTER = 30 * 24 * 60 * 60
"""Seconds."""

NAME = re.compile(r"[a-z]+_(?P<machine>.*)-(?P<group>\d+)-\d+\.db")

ROOM = 2 * 1024 * 1024
"""Size of each file in bytes: enough for every route."""


def begin_counting(group: int) -> None:
    """Count in files that all processes see; called once at the start of a process.

    `group` is the process whose end ends this one. The counts are removed with it, as Prometheus
    expects of any program that restarts. A process replaced while the group lives leaves its own.
    """
    folder = settings.METRICS_FOLDER
    if folder is None:
        return
    machine = socket.gethostname()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        forget_dead(folder, machine)
        # Allocated now: if the disk is full, a later allocation would end the process.
        for kind in ("counter", "histogram"):
            with (folder / f"{kind}_{machine}-{group}-{os.getpid()}.db").open("ab") as file:
                os.posix_fallocate(file.fileno(), 0, ROOM)
    except OSError:
        # It counts for itself alone.
        return
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(folder)
    values.ValueClass = MultiProcessValue(lambda: f"{machine}-{group}-{os.getpid()}")  # type: ignore[no-untyped-call]


def forget_dead(folder: Path, machine: str) -> None:
    """Remove the files of dead groups, and of machines not seen for long."""
    long_ago = time.time() - FORGOTTEN_AFTER
    for path in folder.glob("*.db"):
        name = NAME.fullmatch(path.name)
        if name is None:
            continue
        # Processes that start together look at the same files.
        with suppress(FileNotFoundError):
            is_dead = name["machine"] == machine and not is_alive(int(name["group"]))
            if is_dead or path.stat().st_mtime < long_ago:
                path.unlink()


def is_alive(pid: int) -> bool:
    """Return whether a process with this number exists."""
    try:
        os.kill(pid, 0)
    except OSError as fault:
        # It belongs to somebody else.
        return isinstance(fault, PermissionError)
    return True


class CurrentValues(Collector):
    """Values that are looked up when Prometheus asks."""

    def collect(self) -> Iterator[Metric]:
        """Yield the version and the queues; if the database is down, only that fact."""
        build = GaugeMetricFamily(
            "kingscore_build_info", "The version", labels=["version", "python"]
        )
        build.add_metric([settings.VERSION, ".".join(map(str, sys.version_info[:3]))], 1)
        yield build
        there = GaugeMetricFamily("kingscore_database_up", "Whether the database answers")
        free = shutil.disk_usage(settings.DATA).free
        yield GaugeMetricFamily("kingscore_disk_free_bytes", "Room in the data folder", value=free)
        if settings.COPY_TO:
            # Since 1970 if there was never one.
            age = time.time() - (at.timestamp() if (at := copied_at()) else 0)
            yield GaugeMetricFamily("kingscore_copy_age_seconds", "What a copy lacks", value=age)
        try:
            yield from waiting()
            yield from stored()
        except Error:
            there.add_metric([], 0)
        else:
            there.add_metric([], 1)
        yield there


def waiting() -> Iterator[Metric]:
    """Yield per kind how many rows wait and how long the first has, and how many workers live."""
    now = timezone.now()
    length = GaugeMetricFamily("kingscore_queue_length", "Queue", labels=["queue"])
    age = GaugeMetricFamily(
        "kingscore_queue_oldest_seconds", "How long the first has waited", labels=["queue"]
    )
    for kind, number, oldest in load_queues(now):
        length.add_metric([kind], number)
        if oldest is not None or not number:
            age.add_metric([kind], max(0.0, (now - (oldest or now)).total_seconds()))
    alive = Worker.objects.alive(now).count()
    yield from (length, age)
    yield GaugeMetricFamily("kingscore_workers", "Workers heard of lately", value=alive)


def stored() -> Iterator[Metric]:
    """Yield the age of the last backup, if there is one, and how many problems are open."""
    now = timezone.now()
    backup = last_backup()
    if backup is not None:
        yield GaugeMetricFamily(
            "kingscore_backup_age_seconds",
            "Time since the last backup",
            value=(now - backup.ended_at).total_seconds(),
        )
    yield GaugeMetricFamily(
        "kingscore_check_differences",
        "Differences that nightly checks found and nobody has repaired",
        value=Difference.objects.open().count(),
    )
    failing = Email.objects.failing(now).count()
    yield GaugeMetricFamily("kingscore_mails_failing", "Mails not accepted so far", value=failing)


def tell_metrics(request: HttpRequest) -> HttpResponse:
    """Answer Prometheus if it sends the token; answer all others 404."""
    if not settings.METRICS_TOKEN or not compare_digest(
        request.headers.get("Authorization", "").encode(),
        f"Bearer {settings.METRICS_TOKEN}".encode(),
    ):
        return HttpResponseNotFound()
    return HttpResponse(
        generate_latest(everything()),
        content_type="text/plain; version=0.0.4; charset=utf-8",
        headers={"Cache-Control": "no-store"},
    )


def everything() -> CollectorRegistry:
    """Return the registry with the counts of all processes, or of this one if none are shared."""
    registry = CollectorRegistry()
    registry.register(CurrentValues())
    if values.ValueClass is not values.MutexValue:
        MultiProcessCollector(registry, str(settings.METRICS_FOLDER))  # type: ignore[no-untyped-call]
    else:
        for counts in (
            REQUESTS,
            REQUEST_SECONDS,
            TASK_SECONDS,
            TASK_FAILURES,
            WRITES,
            REFUSED_WRITES,
        ):
            registry.register(counts)
    return registry
