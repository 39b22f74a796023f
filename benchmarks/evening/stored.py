"""Games that are stored before an evening begins: true ones, copied within PostgreSQL.

A hundred tables of a club are played to the end, closed and rated by the services. Every row of
that evening is then copied, in PostgreSQL itself, with new keys: other clubs, other players, other
weeks, until there are as many games as were asked for. So every table and every index has the size
that as many games would have given it.
"""

import os
import random
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta

from django.db import connection, models, transaction
from django.utils import timezone

from benchmarks.evening.laying import lay_evening
from tests.evening_by_hand import draw_deals
from tests.phones import new_key
from tournaments.engine.documents.entries import parse_entry
from tournaments.models import (
    AuditEntry,
    AuditRow,
    ChangeFeed,
    Check,
    Club,
    Event,
    Game,
    Player,
    PlayerRating,
    RatingChange,
    RatingPool,
    Revision,
    Round,
    Seat,
    Table,
)
from tournaments.services.audit import Actor
from tournaments.services.events.events import close_round
from tournaments.services.games.playing import record_entries
from tournaments.services.games.writing import WriteContext
from tournaments.services.ratings.computing import sweep_ratings

Model = type[models.Model]
Spans = Mapping[Model, tuple[int, int]]

TABLES = 100
EVENINGS_OF_A_CLUB = 20
AT_ONCE = 20
"""Evenings that are copied by one statement."""

OF_A_CLUB: tuple[Model, ...] = (Club, Player, RatingPool, PlayerRating)
OF_AN_EVENING: tuple[Model, ...] = (
    Event, Round, Table, Game, Seat, Revision, AuditRow, RatingChange,
)  # fmt: skip
HASHED = "left(md5({} || c.n), 16)"
"""A public id as long as it may be: copies of one are never the same."""

NAMED = "split_part(t.subject, ':', 2)"
OWN = {
    "slug": "t.slug || '-' || c.n",
    "public_id": HASHED.format("t.public_id"),
    "subject": "split_part(t.subject, ':', 1) || ':' || " + HASHED.format(NAMED),
}
"""Columns that differ in a copy, beside keys and times."""


def fill(games: int) -> None:
    """Have so many games stored; those that are there from an earlier fill are counted."""
    play_one()
    evenings = games // TABLES
    clubs = max(1, evenings // EVENINGS_OF_A_CLUB)
    spans = {model: span(model) for model in (*OF_A_CLUB, *OF_AN_EVENING)}
    # Their keys are given together.
    spans[Revision] = spans[AuditRow] = span(AuditEntry)
    for model in OF_A_CLUB:
        copy(model, spans, 0, clubs, clubs)

    def copy_some(first: int) -> int:
        for model in OF_AN_EVENING:
            copy(model, spans, first, min(first + AT_ONCE, evenings), clubs)
        return first

    begun = time.monotonic()
    with without_indexes(), ThreadPoolExecutor(os.cpu_count()) as threads:
        for first in threads.map(copy_some, range(0, evenings, AT_ONCE)):
            if first % (25 * AT_ONCE) == 0:
                told = f"{first * TABLES:,} games stored, {time.monotonic() - begun:.0f} s"
                print(told, file=sys.stderr, flush=True)
    settle()


@contextmanager
def without_indexes() -> Iterator[None]:
    """Make the indexes of the copied rows at the end, which takes a fraction of the time."""
    names = [table_of(model) for model in OF_AN_EVENING]
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint"
            " WHERE contype = 'u' AND conrelid = ANY(%s::regclass[])",
            [names],
        )
        constraints = cursor.fetchall()
        for table, name, _definition in constraints:
            cursor.execute(f"ALTER TABLE {table} DROP CONSTRAINT {name}")
        # Primary keys stay: the rows that are copied are found by them.
        cursor.execute(
            "SELECT indexrelid::regclass::text, pg_get_indexdef(indexrelid) FROM pg_index"
            " WHERE NOT indisprimary AND indrelid = ANY(%s::regclass[])",
            [names],
        )
        indexes = cursor.fetchall()
        for name, _definition in indexes:
            cursor.execute(f"DROP INDEX {name}")
    yield
    with connection.cursor() as cursor:
        cursor.execute("SET maintenance_work_mem = '1GB'")
        for _name, definition in indexes:
            cursor.execute(definition)
        for table, name, definition in constraints:
            cursor.execute(f"ALTER TABLE {table} ADD CONSTRAINT {name} {definition}")
        cursor.execute("RESET maintenance_work_mem")


def play_one() -> None:
    """The evening that is copied: the deals of every game drawn with a seed."""
    chance, at = random.Random(4), timezone.now() - timedelta(days=7)
    lay_evening(TABLES)
    Club.objects.update(rates_evenings=True)
    for game in Game.objects.all():
        actor = Actor(table=game.table.public_id if game.table else "", address="192.0.2.7")
        context = WriteContext(new_key(), 0, at, game.players[0], actor)
        record_entries(game.pk, map(parse_entry, list(draw_deals(chance))), context)
    close_round(Round.objects.get().pk, Actor(), at=timezone.now())
    sweep_ratings()
    while ChangeFeed.number_new_lines():
        pass


def span(model: Model) -> tuple[int, int]:
    """The first key of the rows that are copied, and how many keys they take."""
    rows = model.objects.order_by("pk").values_list(key_of(model), flat=True)
    first, last = rows.first(), rows.last()
    return first, last - first + 1


def key_of(model: Model) -> str:
    """The column of the key, or its first one."""
    return model._meta.pk_fields[0].attname  # noqa: SLF001 - public in all but its name


def table_of(model: Model) -> str:
    return model._meta.db_table  # noqa: SLF001 - public in all but its name


def copy(model: Model, spans: Spans, first: int, last: int, clubs: int) -> None:
    """Insert the copies with numbers from `first` until before `last`."""
    table = table_of(model)
    fields = model._meta.concrete_fields  # noqa: SLF001 - public in all but its name
    columns = ", ".join(f'"{field.column}"' for field in fields)
    values = ", ".join(value_of(field, spans) for field in fields)
    low, number = spans[model]
    key = f"t.{key_of(model)}"
    # One after the other, as they would have come.
    sql = f"""
        INSERT INTO {table} ({columns})
        SELECT {values} FROM (
            SELECT n, n %% %s AS club, n / %s AS week FROM generate_series(%s, %s - 1) AS n
        ) AS c CROSS JOIN {table} AS t WHERE {key} >= %s AND {key} < %s ORDER BY c.n, {key}
    """  # noqa: S608 - our own names
    with transaction.atomic(), connection.cursor() as cursor:
        # Foreign keys are right by their making; what a power cut takes away is filled again.
        cursor.execute("SET LOCAL session_replication_role = replica")
        cursor.execute("SET LOCAL synchronous_commit = off")
        cursor.execute(sql, [clubs, clubs, first, last, low, low + number])


def value_of(field: models.Field, spans: Spans) -> str:
    """The value of a column in a copy, as SQL: `t` is the row, `c` the number of the copy."""
    named, column = (field.model, field.column), f't."{field.column}"'
    if named in NUMBERED:
        return NUMBERED[named](spans)
    if field.primary_key:
        return shifted(column, field.model, spans)
    if field.related_model in spans:
        return shifted(column, field.related_model, spans)
    if isinstance(field, models.DateField):
        return f"{column} - c.week * interval '7 days'"
    return OWN.get(field.column, column)


def shifted(column: str, model: Model, spans: Spans) -> str:
    """The key of the copy of a row: the copies stand behind each other without a gap."""
    _low, number = spans[model]
    copies = "c.club" if model in OF_A_CLUB else "c.n"
    return f"{column} + {number} * (1 + {copies})"


NUMBERED = {
    (RatingChange, "number"): lambda _spans: "1 + c.week",
    (PlayerRating, "person"): lambda spans: f"'p' || ({shifted('t.player_id', Player, spans)})",
}


def settle() -> None:
    """Keys go on behind the copies; and the database knows its tables, as after a while."""
    copied = (*OF_A_CLUB, *OF_AN_EVENING)
    with connection.cursor() as cursor:
        for table in (table_of(model) for model in copied if key_of(model) == "id"):
            cursor.execute(
                f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), max(id)) FROM {table}"  # noqa: S608
            )
        # Numbers in the order of the keys.
        cursor.execute("DELETE FROM tournaments_feedspan")
        cursor.execute(
            "INSERT INTO tournaments_feedspan (number, first, length)"
            " SELECT 1, 1, max(id) FROM tournaments_auditline"
        )
        cursor.execute("UPDATE tournaments_changefeed SET last = length FROM tournaments_feedspan")
        cursor.execute(
            "SELECT setval(pg_get_serial_sequence('tournaments_newline', 'id'), max(length))"
            " FROM tournaments_feedspan"
        )
        cursor.execute("VACUUM (FREEZE, ANALYZE)")
        cursor.execute("CHECKPOINT")
    # That of the night has been made: it would begin as soon as the worker looks.
    now = timezone.now()
    done = {"started_at": now, "finished_at": now}
    Check.objects.get_or_create(night=timezone.localdate(), defaults=done)


def sizes() -> Iterable[tuple[str, int, int, int]]:
    """Every table with its rows, its bytes, and those of its indexes, the largest first."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT relname, reltuples::bigint, pg_table_size(oid), pg_indexes_size(oid)
            FROM pg_class WHERE relkind = 'r' AND relname LIKE 'tournaments_%%'
            ORDER BY pg_total_relation_size(oid) DESC
            """,
            [],
        )
        yield from cursor.fetchall()


def index_sizes() -> Iterator[tuple[str, str, int]]:
    """Every index with its table and its bytes, the largest first."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT tablename, indexname, pg_relation_size(quote_ident(indexname)::regclass)
            FROM pg_indexes WHERE tablename LIKE 'tournaments_%%' ORDER BY 3 DESC
            """,
            [],
        )
        yield from cursor.fetchall()


def print_sizes() -> None:
    """Rows and bytes, in all and for each game."""
    games = Game.objects.count()
    print(f"{games:,} games; bytes for each: table, indexes, rows")
    for name, rows, table, indexes in sizes():
        if table + indexes > games:
            each = f"{table / games:9.1f} {indexes / games:9.1f} {rows / games:8.2f}"
            print(f"  {name:34} {each}   {(table + indexes) / 2**20:9.1f} MB")
    for table, name, size in index_sizes():
        if size > games:
            print(f"  {table:34} {name:46} {size / games:8.1f}   {size / 2**20:9.1f} MB")
