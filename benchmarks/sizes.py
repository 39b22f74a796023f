"""How large each table of the database is, and each of its indexes."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Self

from django.apps import apps
from django.db import connection

OF_POSTGRESQL = """
SELECT coalesce(whole.relname, t.relname), t.relname, i.relname,
    coalesce(pg_relation_size(i.oid), 0), pg_table_size(t.oid)
FROM pg_class t LEFT JOIN pg_index x ON x.indrelid = t.oid
    LEFT JOIN pg_class i ON i.oid = x.indexrelid
    LEFT JOIN pg_inherits h ON h.inhrelid = t.oid
    LEFT JOIN pg_class whole ON whole.oid = h.inhparent
WHERE t.relkind = 'r' AND t.relnamespace = 'public'::regnamespace
"""
OF_SQLITE = """
SELECT m.tbl_name, m.name, m.type, coalesce(sum(s.pgsize), 0)
FROM sqlite_master m JOIN dbstat s ON s.name = m.name GROUP BY m.tbl_name, m.name, m.type
"""


@dataclass(frozen=True)
class Size:
    """Rows, bytes of them, and bytes of each index."""

    rows: float = 0
    heap: float = 0
    indexes: dict[str, float] = field(default_factory=dict)

    @property
    def bytes(self) -> float:
        return self.heap + sum(self.indexes.values())

    def __sub__(self, other: Self) -> "Size":
        indexes = {name: size - other.indexes.get(name, 0) for name, size in self.indexes.items()}
        return Size(self.rows - other.rows, self.heap - other.heap, indexes)

    def by(self, number: int) -> "Size":
        """Its share of each of so many."""
        indexes = {name: size / number for name, size in self.indexes.items()}
        return Size(self.rows / number, self.heap / number, indexes)


def sizes() -> dict[str, Size]:
    """Each table by its name."""
    heaps: dict[str, dict[str, float]] = defaultdict(dict)
    indexes: dict[str, dict[str, float]] = defaultdict(dict)
    for table, part, index, of_index, heap in parts():
        heaps[table][part] = max(heap, heaps[table].get(part, 0))
        if index:
            indexes[table][index.removeprefix("tournaments_")] = of_index
    # Public in all but its name.
    rows = {model._meta.db_table: model for model in apps.get_models()}  # noqa: SLF001
    return {
        table: Size(rows[table].objects.count(), sum(heap.values()), indexes[table])  # type: ignore[attr-defined]
        for table, heap in heaps.items()
        if table in rows
    }


def parts() -> Iterator[tuple[str, str, str | None, float, float]]:
    """A table, a partition of it or itself, an index with its bytes, and the bytes of the rows."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(OF_POSTGRESQL)
            yield from cursor.fetchall()
            return
        cursor.execute(OF_SQLITE)
        for table, name, kind, size in cursor.fetchall():
            yield (
                (table, table, name, size, 0) if kind == "index" else (table, table, None, 0, size)
            )
