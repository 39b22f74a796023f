"""The tables as migrations left them: a backup is written and restored as of its own migrations.

So a backup of an older version is restored into the tables that it had, and migrated from there;
and one can be made when a new version is there already, before its migrations have run.
"""

from collections.abc import Collection
from dataclasses import dataclass

from django.db import connection, models
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader

from tournaments.services.backups.faults import BackupFault

Key = tuple[str, str]
"""A migration: its app and its name."""

Model = type[models.Model]

LEFT_OUT = {"sessions.session", "usersessions.usersession", "tournaments.worker"}
"""Who is signed in and which workers live: true of a server, not of what it keeps."""


@dataclass(frozen=True)
class State:
    """The models after some migrations, those whose rows are kept by their labels."""

    migrations: frozenset[Key]
    kept: dict[str, Model]
    left_out: dict[str, Model]


def applied_migrations() -> frozenset[Key]:
    """What the database has been through; nothing where it has no tables."""
    return frozenset(MigrationLoader(connection).applied_migrations)


def state_at(migrations: Collection[Key]) -> State:
    """The models as they were after these migrations.

    Raises:
        BackupFault: they are not all known here, or they do not belong together.
    """
    loader = MigrationLoader(connection)
    latest = _latest(loader, migrations)
    apps = loader.project_state(latest).apps
    stored = {
        model._meta.label_lower: model  # noqa: SLF001 - public in all but its name
        for model in apps.get_models(include_auto_created=True)
        if model._meta.managed and not model._meta.proxy  # noqa: SLF001 - as above
    }
    kept = {label: stored[label] for label in sorted(stored.keys() - LEFT_OUT)}
    left_out = {label: stored[label] for label in sorted(stored.keys() & LEFT_OUT)}
    return State(frozenset(migrations), kept, left_out)


def migrate_to(state: State) -> None:
    """Bring a database without tables to where the state is."""
    executor = MigrationExecutor(connection)
    executor.migrate(_latest(executor.loader, state.migrations))


def _latest(loader: MigrationLoader, migrations: Collection[Key]) -> list[Key]:
    """Of each app the last ones."""
    graph, wanted = loader.graph, set(migrations)
    if unknown := sorted(wanted - graph.nodes.keys()):
        told = ", ".join(".".join(key) for key in unknown)
        raise BackupFault(f"a newer or another version of Kingscore is needed: it has {told}")
    latest = [
        key
        for key in sorted(wanted)
        if not any(
            child.key in wanted and child.key[0] == key[0] for child in graph.node_map[key].children
        )
    ]
    if {key for last in latest for key in graph.forwards_plan(last)} != wanted:
        raise BackupFault("its migrations do not belong together")
    return latest
