"""What the server keeps about itself: workers, checks, backups."""

from datetime import datetime, timedelta
from importlib import import_module

from django.core.management.sql import emit_post_migrate_signal
from django.db import DEFAULT_DB_ALIAS, connections, models, router, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.models import Q

from tournaments.models.clubs import Club

ALIVE_FOR = timedelta(minutes=2)
"""A worker without a heartbeat for longer, and without a task, counts as dead."""


class Backup(models.Model):
    """A completed backup, including those of the server that this one was restored from."""

    began_at = models.DateTimeField()
    ended_at = models.DateTimeField()
    rows = models.PositiveBigIntegerField()
    # Size of the written file, in bytes.
    size = models.PositiveBigIntegerField()

    class Meta:
        ordering = ["-pk"]


class WorkerQuerySet(models.QuerySet["Worker"]):
    def alive(self, at: datetime) -> "WorkerQuerySet":
        """Filter to workers heard of recently, without contacting them."""
        # A heartbeat in the future came before the clock was set back.
        return self.filter(seen_at__range=(at - ALIVE_FOR, at + ALIVE_FOR))


class Worker(models.Model):
    """A process that runs tasks, and the time of its last heartbeat."""

    # Host name and process id.
    name = models.CharField(max_length=200, unique=True)
    version = models.CharField(max_length=40)
    started_at = models.DateTimeField()
    seen_at = models.DateTimeField(db_index=True)
    # The current task and its start; both empty while it waits.
    task = models.CharField(max_length=200, blank=True)
    task_since = models.DateTimeField(null=True, blank=True)

    objects = WorkerQuerySet.as_manager()

    class Meta:
        ordering = ["name"]
        # No constraint compares times: a machine's clock may be set back.
        constraints = [
            models.CheckConstraint(
                condition=Q(task="", task_since=None) | Q(~Q(task=""), task_since__isnull=False),
                name="worker_at_a_task_since_a_moment",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Check(models.Model):
    """The check of one night: it compares each stored cache with the values it is computed from.

    A check that ended with an `error` did not compare everything.
    """

    # The local date of the morning it belongs to; one check per night.
    night = models.DateField(unique=True)
    # Games compared, rows of all caches compared, and rows that differed.
    games = models.PositiveIntegerField(default=0)
    rows = models.PositiveIntegerField(default=0)
    found = models.PositiveIntegerField(default=0)
    error = models.CharField(max_length=200, blank=True)
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-night"]


class DifferenceQuerySet(models.QuerySet["Difference"]):
    def open(self) -> "DifferenceQuerySet":
        """Filter to the differences that the last check found and nobody has repaired."""
        return self.filter(resolved_at=None)


class Difference(models.Model):
    """A stored value that differs from the computed one.

    `subject` identifies the row by its keys. The values contain no names of people, so that nothing
    of a removed person stays here.
    """

    # Null for the server's own values, such as an open table or a rating across clubs.
    club = models.ForeignKey(
        Club, null=True, blank=True, on_delete=models.CASCADE, related_name="differences"
    )
    cache = models.CharField(max_length=20)
    subject = models.CharField(max_length=120)
    stored = models.JSONField(null=True, blank=True)
    computed = models.JSONField(null=True, blank=True)
    first_at = models.DateTimeField()
    # When the e-mails about it were queued; it is mailed once.
    told_at = models.DateTimeField(null=True, blank=True)
    resolved_at = models.DateTimeField(null=True, blank=True)

    objects = DifferenceQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        indexes = [
            models.Index(
                fields=["club"], condition=Q(resolved_at=None), name="difference_open_of_club"
            )
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["cache", "subject"],
                condition=Q(resolved_at=None),
                name="difference_open_once",
            ),
            models.CheckConstraint(condition=~Q(subject=""), name="difference_of_something"),
        ]


# The key of an advisory lock; any number that no other lock has.
MAKING = 7_305_401


def is_new(using: str = DEFAULT_DB_ALIAS) -> bool:
    return not connections[using].introspection.table_names()


def make_database(using: str, verbosity: int, *, interactive: bool) -> bool:
    """Create and fill all tables of a new database, or none; return whether it was new."""
    if not is_new(using):
        return False
    # SQLite changes no table while it checks keys, nor the checks within a transaction.
    with connections[using].constraint_checks_disabled(), transaction.atomic(using):
        if connections[using].vendor == "postgresql":
            # Other processes wait; on SQLite every transaction makes them do so.
            with connections[using].cursor() as cursor:
                cursor.execute("SELECT pg_advisory_xact_lock(%s)", [MAKING])
        if not is_new(using):
            return False
        make_tables(using)
        emit_post_migrate_signal(verbosity, interactive, using)
    return True


def make_tables(using: str = DEFAULT_DB_ALIAS) -> None:
    """Create all tables, and record all migrations as applied.

    A migration that creates anything else in an empty database needs a line here.
    """
    executor = MigrationExecutor(connections[using])
    # From the migrations: in the models of some libraries the types of keys differ.
    apps = executor.loader.project_state().apps
    models = [
        model
        for model in apps.get_models()
        # A library that has no migrations here has no tables either.
        if model._meta.app_label in executor.loader.migrated_apps  # noqa: SLF001 - public in all but its name
        and model._meta.can_migrate(connections[using])  # noqa: SLF001 - as above
        and router.allow_migrate_model(using, model)
    ]
    with connections[using].schema_editor() as editor:
        for model in (executor.recorder.Migration, *models):
            editor.create_model(model)  # type: ignore[arg-type]
        first = import_module("tournaments.migrations.0001_squashed_0034_smaller_rows")
        first.find_names_fast(apps, editor)
        for migration in executor.loader.graph.nodes.values():
            executor.record_migration(migration)  # type: ignore[call-arg]  # django-stubs is wrong
        executor.check_replacements()
