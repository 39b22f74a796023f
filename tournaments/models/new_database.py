"""Create all tables of a new database at once, as they are after the last migration.

Going through the history of the tables instead takes four times as long: Django builds the models
anew for nearly every step of every library. A database that has tables is always migrated.
"""

from importlib import import_module

from django.core.management.sql import emit_post_migrate_signal
from django.db import DEFAULT_DB_ALIAS, connections, router, transaction
from django.db.migrations.executor import MigrationExecutor

# The key of an advisory lock; any number that no other lock has.
MAKING = 7_305_401


def is_new(using: str = DEFAULT_DB_ALIAS) -> bool:
    """Return whether a database has no table yet."""
    return not connections[using].introspection.table_names()


def make_database(using: str, verbosity: int, *, interactive: bool) -> bool:
    """Create and fill all tables of a new database, or none; return whether it was new."""
    if not is_new(using):
        return False
    # SQLite changes no table while it checks keys, nor the checks within a transaction.
    with connections[using].constraint_checks_disabled(), transaction.atomic(using):
        _let_others_wait(using)
        if not is_new(using):
            return False
        make_tables(using)
        emit_post_migrate_signal(verbosity, interactive, using)
    return True


def _let_others_wait(using: str) -> None:
    """Make other processes wait on PostgreSQL; on SQLite every transaction does so."""
    if connections[using].vendor == "postgresql":
        with connections[using].cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [MAKING])


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
