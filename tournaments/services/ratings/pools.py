"""Pools of ratings, and their rows written in bulk. Needs numpy: it is loaded late."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache, partial
from itertools import chain, islice
from typing import Any, NamedTuple

import numpy as np
from django.db import OperationalError, connection, models, transaction
from django.db.models import Exists, OuterRef, QuerySet, Subquery

from tournaments.engine.ratings.fitting import CHANGE, GUEST, Changes, Waves
from tournaments.engine.ratings.ratings import Rating, Spread, newcomer
from tournaments.models import PlayerRating, RatedRound, RatingChange, RatingPool
from tournaments.queries.ratings import displayed_points, last_changes, month_of
from tournaments.services.ratings.games import Played, RoundToRate, person_of, played_rounds

# Tables and columns have fixed names; values are never part of the SQL text.
# ruff: noqa: S608


CHANGED = "rating_id, game_id, seat, number, at, mean_before, variance_before, mean, variance"
"""The columns of a `RatingChange`, in the order of `CHANGE`."""

FIELDS: tuple[str, ...] = CHANGE.names or ()

COPY_ROW = np.dtype(
    ",".join([">i2", *(f">i4,{CHANGE[name].newbyteorder('>').str}" for name in FIELDS)])
)
"""The same in the binary format of PostgreSQL's COPY: each field follows its length in bytes."""

COPY_BEGINS, COPY_ENDS = b"PGCOPY\n\xff\r\n\0" + bytes(8), b"\xff\xff"

EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
"""The beginning of time for COPY."""

ASIDE = "kingscore_rebuild"
"""The schema in which a rebuild fills the table of changes on PostgreSQL."""

LOCK_TRIES = 300
"""Seconds of readers, and as many between them, until a rebuild gives up."""


class StateRow(NamedTuple):
    """The columns of a `PlayerRating` after its last game, and its key."""

    player_id: int
    mean: float
    variance: float
    start: float
    games: int
    last_at: str
    points: int
    month: int
    provisional: bool
    id: int


STATE_KINDS = (
    *("bigint", "float8", "float8", "float8", "integer", "timestamptz"),
    *("integer", "integer", "boolean", "bigint"),
)
"""The types of a `StateRow` in PostgreSQL."""


def microseconds(at: datetime) -> int:
    """Return a moment as COPY has it."""
    return (at - EPOCH) // timedelta(microseconds=1)


@lru_cache(maxsize=1024)
def moment(at: int) -> datetime:
    return EPOCH + timedelta(microseconds=at)


@lru_cache(maxsize=1024)
def moment_text(at: int) -> str:
    """Return the same in the text format of the database."""
    return str(connection.ops.adapt_datetimefield_value(moment(at)))


def add_changes(changes: Sequence[Changes]) -> None:
    """Insert rating changes; their players are given as the keys of their ratings."""
    if connection.vendor != "postgresql":
        sql = _insert(_table(RatingChange), CHANGED, len(FIELDS))
        for change in changes:
            _execute_many(
                sql, [(*row[:4], moment_text(row[4]), *row[5:]) for row in change.tolist()]
            )
        return
    with connection.cursor() as cursor:
        _copy(cursor, changes)


@contextmanager
def adding_changes(changes: Sequence[Changes]) -> Iterator[None]:
    """Insert rating changes; on PostgreSQL while the block runs, which may not use the database."""
    if connection.vendor != "postgresql":
        add_changes(changes)
        yield
        return
    with ThreadPoolExecutor(1) as thread, connection.cursor() as cursor:
        done = thread.submit(_copy, cursor, changes)
        yield
        done.result()


def _copy(cursor: Any, changes: Sequence[Changes]) -> None:
    statement = f"COPY {_table(RatingChange)} ({CHANGED}) FROM STDIN (FORMAT BINARY)"
    with cursor.copy(statement) as copy:
        copy.write(b"".join([COPY_BEGINS, *map(_packed, changes), COPY_ENDS]))


def _packed(changes: Changes) -> bytes:
    rows = np.empty(len(changes), COPY_ROW)
    rows["f0"] = len(FIELDS)
    for number, name in enumerate(FIELDS):
        rows[f"f{2 * number + 1}"] = CHANGE[name].itemsize
        rows[f"f{2 * number + 2}"] = changes[name]
    return rows.tobytes()


def delete_numbers(stretches: Sequence[tuple[int, int, int]]) -> None:
    """Delete the changes of ratings by key and their first and last number."""
    delete = f"DELETE FROM {_table(RatingChange)}"
    if connection.vendor == "postgresql":
        using = f"{delete} USING {{rows}} AS gone (rating, low, high)"
        where = "rating_id = gone.rating AND number BETWEEN gone.low AND gone.high"
        _execute_once(f"{using} WHERE {where}", ("bigint", "integer", "integer"), stretches)
    else:
        numbers = "number >= %s AND number <= %s"
        _execute_many(f"{delete} WHERE rating_id = %s AND {numbers}", stretches)


def put_states(rows: Sequence[StateRow]) -> None:
    """Update ratings; their rows must exist."""
    table, names = _table(PlayerRating), StateRow._fields
    if connection.vendor == "postgresql":
        values = ", ".join(f"{name} = new.{name}" for name in names[:-1])
        source = f"{{rows}} AS new ({', '.join(names)})"
        sql = f"UPDATE {table} SET {values} FROM {source} WHERE {table}.id = new.id"
        _execute_once(sql, STATE_KINDS, rows)
    else:
        values = ", ".join(f"{name} = %s" for name in names[:-1])
        _execute_many(f"UPDATE {table} SET {values} WHERE id = %s", rows)


def delete_ratings() -> None:
    """Delete all ratings, without their changes; pools keep their constants."""
    with connection.cursor() as cursor:
        for model in (RatedRound, PlayerRating):
            cursor.execute(f"DELETE FROM {_table(model)}")


@contextmanager
def filling_changes(*, aside: bool) -> Iterator[None]:
    """Empty the table of rating changes, for a transaction to fill it.

    SQLite makes its indexes at the end, which is faster. On PostgreSQL readers would have to wait
    for that: with `aside`, a table in a schema of its own is filled and takes the place of the old
    one at the end.
    """
    filling: AbstractContextManager[None] = nullcontext()
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            filling = _without_indexes(cursor)
        elif aside and _value(
            cursor, "SELECT has_database_privilege(current_database(), 'CREATE')"
        ):
            filling = _in_a_new_table(cursor)
        else:
            cursor.execute(f"DELETE FROM {_table(RatingChange)}")
        with filling:
            yield


@contextmanager
def _without_indexes(cursor: Any) -> Iterator[None]:
    indexes = _indexes_of_changes()
    cursor.execute(f"DELETE FROM {_table(RatingChange)}")
    cursor.execute("PRAGMA cache_size = -262144")
    for name in indexes:
        cursor.execute(f'DROP INDEX "{name}"')
    yield
    for statement in indexes.values():
        cursor.execute(statement)
    cursor.execute("PRAGMA cache_size = -2000")


@contextmanager
def _in_a_new_table(cursor: Any) -> Iterator[None]:
    table = _table(RatingChange)
    home_of = "SELECT relnamespace::regnamespace FROM pg_class WHERE oid = "
    home = _value(cursor, f"{home_of}'{table}'::regclass")
    path = _value(cursor, "SHOW search_path")
    cursor.execute(f"CREATE SCHEMA {ASIDE}")
    cursor.execute(f"CREATE TABLE {ASIDE}.{table} (LIKE {table} INCLUDING ALL EXCLUDING INDEXES)")
    cursor.execute(f"SET LOCAL search_path = {ASIDE}, {path}")
    yield
    key = ", ".join(str(field.column) for field in RatingChange._meta.pk_fields)  # noqa: SLF001 - public in all but its name
    indexes = _indexes_of_changes().values()
    for statement in (*indexes, f"ALTER TABLE {table} ADD PRIMARY KEY ({key})"):
        cursor.execute(statement)
    cursor.execute(f"ANALYZE {table}")
    _lock_out_readers(f"{home}.{table}")
    cursor.execute(f"DROP TABLE {home}.{table}")
    cursor.execute(f"ALTER TABLE {ASIDE}.{table} SET SCHEMA {home}")
    cursor.execute(f"DROP SCHEMA {ASIDE}")
    cursor.execute(f"SET LOCAL search_path = {path}")


def _lock_out_readers(table: str) -> None:
    """Lock a table once nobody reads it.

    Everybody else would wait behind a lock that waits for a long reader, such as a backup.
    """
    for remaining in reversed(range(LOCK_TRIES)):
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute("SET LOCAL lock_timeout = '1s'")
                cursor.execute(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE")
                cursor.execute("SET LOCAL lock_timeout TO DEFAULT")
        except OperationalError:
            if not remaining:
                raise
            time.sleep(1)
        else:
            return


def _value(cursor: Any, sql: str) -> Any:
    cursor.execute(sql)
    return cursor.fetchone()[0]


def _indexes_of_changes() -> dict[str, str]:
    editor = connection.schema_editor()
    meta = RatingChange._meta  # noqa: SLF001 - public in all but its name
    unique = [each for each in meta.constraints if isinstance(each, models.UniqueConstraint)]
    return {
        each.name: str(each.create_sql(RatingChange, editor)) for each in (*meta.indexes, *unique)
    }


def _table(model: type[models.Model]) -> str:
    return model._meta.db_table  # noqa: SLF001 - public in all but its name


def _insert(table: str, names: str, number: int) -> str:
    values = ", ".join(["%s"] * number)
    return f"INSERT INTO {table} ({names}) VALUES ({values})"


def _execute_many(sql: str, rows: Sequence[tuple[int | float | str, ...]]) -> None:
    if rows:
        with connection.cursor() as cursor:
            cursor.executemany(sql, rows)


def _execute_once(
    sql: str, kinds: Sequence[str], rows: Sequence[tuple[int | float | str, ...]]
) -> None:
    """Execute a statement of PostgreSQL on all rows at once, which are `{rows}` in it.

    One statement for each row takes ten times as long.
    """
    if rows:
        arrays = ", ".join(f"%s::{kind}[]" for kind in kinds)
        columns = [list(column) for column in zip(*rows, strict=True)]
        with connection.cursor() as cursor:
            cursor.execute(sql.format(rows=f"unnest({arrays})"), columns)


ROWS_AT_ONCE = 2000

GAMES_AT_ONCE = 20_000
"""Games that a rebuild holds in memory."""

GAMES_OF_SLICE = 300
"""Games written together: their changes take some 40 ms."""

STATES_OF_SLICE = 500

Write = Callable[[], object]


@dataclass(slots=True, eq=False)
class PlayerState:
    """A player's rating during computation.

    Until a row is stored, `pk` is 0. `last_at` is in microseconds.
    """

    pk: int
    person: str
    player: int
    rating: Rating
    games: int
    last_at: int


NO_GAMES = Spread()


class Pools:
    """The ratings of a club, or of the server, from a moment on: one pool for each family.

    Without a moment nothing is stored yet, and only `write_all` can be called.
    """

    def __init__(self, club: int | None, since: datetime | None) -> None:
        self.club, self.since = club, since
        rows = RatingPool.objects.filter(club=club)
        self.pools = {row.family: Pool(row, since) for row in rows}
        self.rated = 0
        self.finished = False

    def slices(self) -> Iterator[Write]:
        """Compute everything, and yield the writes in order, for the caller to commit each.

        There is one write if all games fit in it. The last makes it `finished`.
        """
        end: datetime | None = None
        for rounds, more in _slices(played_rounds(self.club, self.since), GAMES_OF_SLICE):
            self._rate(rounds)
            if not more and end is None:
                break
            yield from self._clearing(end, rounds[-1].at)
            yield partial(self._replace, end, rounds[-1].at)
            end = rounds[-1].at
        yield from self._clearing(end, None)
        if end is None:
            yield self._replace_all
        else:
            yield partial(self._replace, end, None)
            yield from self._finishing()

    def write_all(self) -> None:
        """Compute and store everything where nothing is stored."""
        changes: list[Changes] = []
        for rounds, _more in _slices(played_rounds(self.club, None), GAMES_AT_ONCE):
            with adding_changes(changes):
                self._rate(rounds)
            changes = list(chain.from_iterable(pool.store() for pool in self.pools.values()))
        add_changes(changes)
        for pool in self.pools.values():
            pool.put(list(pool.states.values()))
        self._finish()

    def _rate(self, rounds: Sequence[RoundToRate]) -> None:
        by_family: dict[str, list[tuple[RoundToRate, list[Played]]]] = {}
        for round_ in rounds:
            for family in sorted({game.family for game in round_.games}):
                games = [game for game in round_.games if game.family == family]
                by_family.setdefault(family, []).append((round_, games))
        for family, played in by_family.items():
            if family not in self.pools:
                self.pools[family] = Pool(RatingPool(club_id=self.club, family=family), self.since)
            self.pools[family].rate(played)
        self.rated += sum(len(round_.games) for round_ in rounds)

    def _replace_all(self) -> None:
        self._replace(None, None)
        for write in self._finishing():
            write()

    def _replace(self, after: datetime | None, until: datetime | None) -> None:
        for stored in self._stored(after, until):
            stored.delete()
        for pool in self.pools.values():
            pool.add(replacing=(after, until) != (None, None))

    def _clearing(self, after: datetime | None, until: datetime | None) -> Iterator[Write]:
        """Yield deletions that leave few enough changes in a stretch to delete at once."""
        changes, _rounds = self._stored(after, until)
        moments = changes.order_by("-at").values_list("at", flat=True)
        # By moments: for keys of two columns, Django drops the limit of a subquery on SQLite.
        while since := list(moments[ROWS_AT_ONCE : ROWS_AT_ONCE + 1]):
            yield changes.filter(at__gte=since[0]).delete

    def _stored(
        self, after: datetime | None, until: datetime | None
    ) -> "tuple[QuerySet[RatingChange], QuerySet[RatedRound]]":
        during = {"at__gte": self.since} if after is None else {"at__gt": after}
        if until is not None:
            during["at__lte"] = until
        pools = [pool.row.pk for pool in self.pools.values() if pool.row.pk]
        rounds = RatedRound.objects.filter(pool__in=pools, **during)
        return _changes_in(pools, RatingChange.objects.filter(**during)), rounds

    def _finishing(self) -> Iterator[Write]:
        yield from chain.from_iterable(pool.finishing() for pool in self.pools.values())
        yield self._finish

    def _finish(self) -> None:
        self.finished = True
        people = PlayerRating.objects.filter(pool=OuterRef("pk"))
        RatingPool.objects.filter(~Exists(people), club=self.club).delete()


class Pool:
    """The ratings of one pool, loaded as they were before a moment, as needed."""

    def __init__(self, row: RatingPool, since: datetime | None) -> None:
        self.row, self.since = row, since
        self.constants = row.constants
        self.newcomer = newcomer(self.constants.start)
        self.states: dict[str, PlayerState] = {}
        # Their players by number among these.
        self.changes: list[tuple[list[PlayerState], Changes]] = []
        self.new: list[PlayerState] = []
        self.rounds: list[RatedRound] = []
        self.spreads: dict[str, Spread] = {}
        if since is not None and row.pk:
            rounds = RatedRound.objects.filter(pool=row, at__lt=since)
            if last := rounds.order_by("-at", "-round_id").first():
                self.spreads = {name: Spread(*s) for name, s in last.spreads.items()}

    def rate(self, played: Sequence[tuple[RoundToRate, list[Played]]]) -> None:
        """Rate the next games of the pool, in order."""
        states, numbers = self._find(played)
        players = iter(numbers)
        waves = Waves([(s.rating, s.games, s.last_at) for s in states], self.newcomer)
        for round_, games in played:
            at, units = microseconds(round_.at), {}
            for game in games:
                before = self.spreads.get(game.spread, NO_GAMES)
                scores = game.counted(before)
                self.spreads[game.spread] = spread = before.seeing(scores)
                unit = self.constants.unit(game.spread, spread)
                seats = list(islice(players, len(game.people)))
                waves.add(game.pk, at, seats, game.sides, unit, *scores)
                units[str(game.pk)] = [unit, before.width] if game.half else [unit]
            spreads = {name: list(spread) for name, spread in self.spreads.items()}
            # The pool has no key yet if it is new.
            row = RatedRound(round_id=round_.pk, at=round_.at, spreads=spreads, units=units)
            self.rounds.append(row)
        self.changes.append((states, waves.rate()))
        for state, reached in zip(states, waves.reached(), strict=True):
            state.rating, state.games, state.last_at = reached

    def _find(
        self, played: Sequence[tuple[RoundToRate, list[Played]]]
    ) -> tuple[list[PlayerState], list[int]]:
        games = [game for _place, games in played for game in games]
        people = np.array([each for game in games for each in game.people])
        players = np.array([each for game in games for each in game.players])
        known = people != 0
        found, begin, place = np.unique(people[known], return_index=True, return_inverse=True)
        # The last assignment counts: the player of the last game is shown.
        latest = np.empty_like(found)
        latest[place] = players[known]
        numbers = np.full(len(people), GUEST)
        numbers[known] = place
        names = [person_of(person) for person in found.tolist()]
        in_order = [names[number] for number in np.argsort(begin)]
        unknown = [name for name in in_order if name not in self.states]
        if self.since is not None and self.row.pk:
            for first in range(0, len(unknown), ROWS_AT_ONCE):
                self._load(unknown[first : first + ROWS_AT_ONCE], self.since)
        for name in unknown:
            if name not in self.states:
                self.new.append(PlayerState(0, name, 0, self.newcomer, 0, 0))
                self.states[name] = self.new[-1]
        states = [self.states[name] for name in names]
        for state, player in zip(states, latest.tolist(), strict=True):
            state.player = player
        return states, numbers.tolist()

    def _load(self, people: Sequence[str], since: datetime) -> None:
        start = self.constants.start
        rows = PlayerRating.objects.filter(pool=self.row, person__in=people)
        later: dict[int, PlayerState] = {}
        for row in rows:
            rating, games = Rating(row.mean, row.variance, start), row.games
            if row.last_at >= since:
                rating, games = self.newcomer, 0
            at = microseconds(row.last_at)
            state = PlayerState(row.pk, row.person, row.player_id, rating, games, at)
            self.states[row.person] = later[row.pk] = state
        for change in last_changes(rows.filter(last_at__gte=since), since):
            state = later[change.rating]
            state.rating = Rating(change.mean, change.variance, start)
            state.games, state.last_at = change.number, microseconds(change.at)
            state.player = change.player or state.player

    def add(self, *, replacing: bool) -> None:
        """Store the changes computed since the last time, and those who have new ratings."""
        if self.rounds:
            if replacing and self.row.pk:
                # A round may have moved here from another day.
                moved = [row.round_id for row in self.rounds]
                RatedRound.objects.filter(pool=self.row, round__in=moved).delete()
            changes = self.store()
            if replacing:
                self._delete_other(changes)
            add_changes(changes)

    def store(self) -> list[Changes]:
        """Store rounds and new ratings, and return the changes computed since the last time."""
        if not self.row.pk:
            self.row.save()
        self._create(self.new)
        for row in self.rounds:
            row.pool = self.row
        RatedRound.objects.bulk_create(self.rounds, batch_size=ROWS_AT_ONCE)
        for states, changes in self.changes:
            changes["player"] = np.array([state.pk for state in states])[changes["player"]]
        stored = [changes for _states, changes in self.changes]
        self.changes, self.new, self.rounds = [], [], []
        return stored

    def _delete_other(self, computed: Sequence[Changes]) -> None:
        """Delete stored changes outside the stretch that are in the way of the new ones.

        A game may have moved to another day, and its players' later games have new numbers.
        """
        changes = np.concatenate(computed)
        games = np.unique(changes["game"]).tolist()
        _changes_in([self.row.pk], RatingChange.objects.filter(game__in=games)).delete()
        pairs = changes[["player", "number"]].tolist()
        last, first = dict(pairs), dict(reversed(pairs))
        delete_numbers([(pk, first[pk], last[pk]) for pk in last])

    def _create(self, new: Sequence[PlayerState]) -> None:
        rows = [self._row(state)._asdict() | {"last_at": moment(state.last_at)} for state in new]
        for values, state in zip(rows, new, strict=True):
            values |= {"pk": None, "person": state.person}
            del values["id"]
        created = PlayerRating.objects.bulk_create(
            [PlayerRating(pool=self.row, **values) for values in rows], batch_size=ROWS_AT_ONCE
        )
        for state, row in zip(new, created, strict=True):
            state.pk = row.pk

    def finishing(self) -> Iterator[Write]:
        """Yield the writes of all ratings, and of those without games from the moment on."""
        for some in _pieces(list(self.states.values())):
            yield partial(self.put, some)
        if self.since is None or not self.row.pk:
            return
        later = PlayerRating.objects.filter(pool=self.row, last_at__gte=self.since)
        people = later.order_by("pk").values_list("person", flat=True)
        for some in _pieces([person for person in people if person not in self.states]):
            yield partial(self._take_back, some, self.since)

    def put(self, states: Sequence[PlayerState]) -> None:
        put_states([self._row(state) for state in states])

    def _take_back(self, people: Sequence[str], since: datetime) -> None:
        """Store ratings as they were before a moment; delete those that were not there."""
        self._load(people, since)
        states = [self.states[person] for person in people if person in self.states]
        gone = [state for state in states if not state.games]
        PlayerRating.objects.filter(pk__in=[state.pk for state in gone]).delete()
        self.put([state for state in states if state.games])

    def _row(self, state: PlayerState) -> StateRow:
        rating, month = state.rating, month_of(moment(state.last_at))
        displayed = displayed_points(rating), month, rating.provisional
        at = moment_text(state.last_at)
        return StateRow(state.player, *rating, state.games, at, *displayed, state.pk)


def _slices(
    batches: Iterable[Sequence[RoundToRate]], size: int
) -> Iterator[tuple[list[RoundToRate], bool]]:
    waiting: list[RoundToRate] = []
    games = 0
    for round_ in chain.from_iterable(batches):
        if waiting and games + len(round_.games) > size:
            yield waiting, True
            waiting, games = [], 0
        waiting.append(round_)
        games += len(round_.games)
    if waiting:
        yield waiting, False


def _pieces(values: Sequence[Any]) -> Iterator[Sequence[Any]]:
    for first in range(0, len(values), STATES_OF_SLICE):
        yield values[first : first + STATES_OF_SLICE]


def _changes_in(pools: Sequence[int], changes: QuerySet[RatingChange]) -> QuerySet[RatingChange]:
    # No join: without statistics PostgreSQL would scan all ratings first.
    of_rating = PlayerRating.objects.filter(pk=OuterRef("rating_id")).values("pool")
    return changes.annotate(in_pool=Subquery(of_rating)).filter(in_pool__in=pools)
