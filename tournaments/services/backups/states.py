"""Models as of given migrations: a backup is written and restored at its own migration state.

So a backup of an older version is restored into the tables of its time and migrated from there.
It also allows a backup after an upgrade, before the new migrations have run.
"""

from collections.abc import Collection
from dataclasses import dataclass

from django.apps import apps as current_apps
from django.db import connection, models
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader

from tournaments.models.server import make_tables
from tournaments.services.backups.faults import BackupFault

Key = tuple[str, str]
"""A migration: its app and its name."""

Model = type[models.Model]

LEFT_OUT = {"sessions.session", "usersessions.usersession", "tournaments.worker"}
"""Sessions and workers: state of a server, not data to keep."""


@dataclass(frozen=True)
class ModelState:
    """The models after some migrations, by label; only those whose rows are kept."""

    migrations: frozenset[Key]
    kept: dict[str, Model]
    left_out: dict[str, Model]


def applied_migrations() -> frozenset[Key]:
    """Return the migrations applied to the database; empty if it has no tables."""
    loader = MigrationLoader(connection)
    return _without_replaced(loader, loader.applied_migrations)


def state_at(migrations: Collection[Key]) -> ModelState:
    """Return the models as they were after these migrations.

    Raises:
        BackupFault: some are unknown here, or they are inconsistent.
    """
    loader = MigrationLoader(connection)
    known = _without_replaced(loader, migrations)
    latest = _latest(loader, known)
    # To build models of another time takes longer than to write some 10,000 rows.
    apps = current_apps if _is_now(loader, latest) else loader.project_state(latest).apps
    stored = {
        model._meta.label_lower: model  # noqa: SLF001 - public in all but its name
        for model in apps.get_models(include_auto_created=True)
        if model._meta.managed and not model._meta.proxy  # noqa: SLF001 - as above
    }
    kept = {label: stored[label] for label in sorted(stored.keys() - LEFT_OUT)}
    left_out = {label: stored[label] for label in sorted(stored.keys() & LEFT_OUT)}
    return ModelState(known, kept, left_out)


def migrate_to(state: ModelState) -> None:
    """Migrate a database without tables to a state."""
    executor = MigrationExecutor(connection)
    latest = _latest(executor.loader, state.migrations)
    if _is_now(executor.loader, latest):
        make_tables()
    else:
        executor.migrate(latest)


def _is_now(loader: MigrationLoader, latest: list[Key]) -> bool:
    """Return whether no migration comes after these."""
    return latest == sorted(loader.graph.leaf_nodes())


def _without_replaced(loader: MigrationLoader, migrations: Collection[Key]) -> frozenset[Key]:
    """Return the migrations, with each squashed one in place of those that it replaces."""
    known = set(migrations)
    for key, squashed in loader.replacements.items():
        if known >= set(squashed.replaces):
            known.add(key)
        if key in known:
            known.difference_update(squashed.replaces)
    return frozenset(known)


def _latest(loader: MigrationLoader, migrations: Collection[Key]) -> list[Key]:
    """Return the last migrations of each app."""
    graph, wanted = loader.graph, set(migrations)
    if unknown := sorted(wanted - graph.nodes.keys()):
        names = ", ".join(".".join(key) for key in unknown)
        raise BackupFault(f"a newer or another version of Kingscore is needed: it has {names}")
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
