"""How the database goes about what is asked: which indexes it uses, and what it reads whole."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.test.utils import CaptureQueriesContext

from benchmarks.figures import Work

QUERIES = ("SELECT", "INSERT", "UPDATE", "DELETE")
USED = re.compile(
    r"(?:SEARCH|SCAN) \S+.* USING (?:COVERING )?(?:INDEX (\S+)|(INTEGER PRIMARY KEY))"
)
WHOLE = re.compile(r"SCAN (\S+)")


@dataclass(frozen=True)
class Plan:
    """All queries of one thing that is asked."""

    statements: int
    indexes: tuple[str, ...]
    whole: tuple[str, ...]

    def __str__(self) -> str:
        told = f"{self.statements} statements; {', '.join(self.indexes)}"
        return f"{told}; reads whole: {', '.join(self.whole)}" if self.whole else told


def plan_of(work: Work) -> Plan:
    """Do it once, and have each of its queries explained."""
    with CaptureQueriesContext(connection) as asked:
        work()
    queries = [each["sql"] for each in asked if each["sql"].lstrip().startswith(QUERIES)]
    found = [part for query in queries for part in explained(query)]
    indexes = {name.removeprefix("tournaments_") for name, is_index in found if is_index}
    whole = {name.removeprefix("tournaments_") for name, is_index in found if not is_index}
    return Plan(len(queries), tuple(sorted(indexes)), tuple(sorted(whole)))


def explained(query: str) -> Iterator[tuple[str, bool]]:
    """Names of the indexes that a query uses (true), and of tables that it reads whole (false)."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET enable_seqscan = off")
            cursor.execute(f"EXPLAIN (FORMAT JSON) {query.replace('%', '%%')}", [])
            (told,) = cursor.fetchone()
            cursor.execute("RESET enable_seqscan")
            yield from nodes((told if isinstance(told, list) else json.loads(told))[0]["Plan"])
            return
        cursor.execute(f"EXPLAIN QUERY PLAN {query.replace('%', '%%')}", [])
        for *_numbers, told in cursor.fetchall():
            if used := USED.search(told):
                yield used[1] or "primary keys", True
            elif whole := WHOLE.search(told):
                yield whole[1], False


def nodes(plan: dict[str, Any]) -> Iterator[tuple[str, bool]]:
    """The same of a plan of PostgreSQL and all below it."""
    if name := plan.get("Index Name"):
        yield name, True
    elif plan["Node Type"] == "Seq Scan":
        yield plan["Relation Name"], False
    for below in plan.get("Plans", []):
        yield from nodes(below)
