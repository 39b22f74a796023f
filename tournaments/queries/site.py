"""The state of the server: its queues, workers and last backup."""

from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

from django.apps import apps
from django.conf import settings
from django.db import connection, models
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import Count, Min

from tournaments.models import Backup, Check, Delivery, Email, RatingDue, Report, Worker


@dataclass(frozen=True, slots=True)
class Queue:
    """The waiting tasks of one kind, and since when the first one waits, if known."""

    kind: str
    length: int
    oldest: datetime | None


@dataclass(frozen=True, slots=True)
class Running:
    """The operating data of the server in the database; its size is in bytes.

    `alive` are the primary keys of the workers that are alive; `failed_starts` counts the last
    consecutive failed starts of the worker of `up`.
    """

    queues: tuple[Queue, ...]
    workers: tuple[Worker, ...]
    alive: frozenset[int]
    backup: Backup | None
    check: Check | None
    size: int
    migrations_missing: int
    failed_starts: int


def load_queues(at: datetime) -> tuple[Queue, ...]:
    """Load the tasks that the worker would do now; one query for each kind."""
    return (
        _queue("documents", Report.objects.awaiting_build(at), "asked_at"),
        # Results to be rated do not record when they changed.
        Queue("ratings", RatingDue.objects.count(), None),
        _queue("letters", Email.objects.awaiting_sending(at), "written_at"),
        _queue("webhooks", Delivery.objects.due(at), "next_at"),
    )


def _queue(kind: str, waiting: models.QuerySet[Any], since: str) -> Queue:
    found = waiting.aggregate(length=Count("pk"), oldest=Min(since))
    return Queue(kind, found["length"], found["oldest"])


def load_running(at: datetime) -> Running:
    """Load the operating data for the server's staff in a fixed number of queries."""
    return Running(
        queues=load_queues(at),
        workers=tuple(Worker.objects.order_by("-seen_at")),
        alive=frozenset(Worker.objects.alive(at).values_list("pk", flat=True)),
        backup=last_backup(),
        check=Check.objects.exclude(finished_at=None).order_by("-night").first(),
        size=database_size(),
        migrations_missing=len(missing_migrations()),
        failed_starts=failed_starts(),
    )


def last_backup() -> Backup | None:
    """Load the last backup, by its end."""
    return Backup.objects.order_by("-ended_at").first()


def failed_starts() -> int:
    """Return how many times in a row the worker of `up` failed to start, if noted."""
    try:
        return int(settings.WORKER_FAILURES.read_text())
    except (OSError, ValueError):
        return 0


def database_size() -> int:
    """Return the size of the database in bytes."""
    statement = (
        "SELECT pg_database_size(current_database())"
        if connection.vendor == "postgresql"
        else "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()"
    )
    with connection.cursor() as cursor:
        cursor.execute(statement)
        size: int = cursor.fetchone()[0]
    return size


def missing_migrations() -> set[tuple[str, str]]:
    """Return the migrations of this version that the database has not applied."""
    return set(known_migrations()) - set(MigrationRecorder(connection).applied_migrations())


def missing_columns() -> set[tuple[str, str]]:
    """Return the tables and columns of the models that the database does not have.

    There are some if a migration was changed after the database had applied it.
    """
    with connection.cursor() as cursor:
        cursor.execute(COLUMNS[connection.vendor])
        there = set(cursor.fetchall())
    return {
        (model._meta.db_table, str(field.column))  # noqa: SLF001
        for model in apps.get_models(include_auto_created=True)
        if model._meta.managed  # noqa: SLF001
        for field in model._meta.local_concrete_fields  # noqa: SLF001
    } - there


COLUMNS = {
    "postgresql": "SELECT relname, attname FROM pg_class JOIN pg_attribute"
    " ON attrelid = pg_class.oid WHERE relkind IN ('r', 'p')"
    " AND pg_table_is_visible(pg_class.oid) AND NOT attisdropped",
    "sqlite": "SELECT tables.name, columns.name FROM sqlite_master AS tables"
    " JOIN pragma_table_info(tables.name) AS columns WHERE tables.type = 'table'",
}


@cache
def known_migrations() -> frozenset[tuple[str, str]]:
    """Return the migrations of this version; they do not change while the process runs."""
    return frozenset(MigrationLoader(None).disk_migrations)
