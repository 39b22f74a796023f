"""The site: its state, what is played now, and statistics."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cache
from typing import Any

from django.apps import apps
from django.conf import settings
from django.db import connection, models
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import Count, F, Max, Min, Q, QuerySet, Sum
from django.db.models.functions import Coalesce
from django.utils import timezone

from tournaments.engine.rules.rulesets import number_of
from tournaments.engine.statistics import PlayedGame
from tournaments.engine.variants import RULESETS
from tournaments.models import (
    AuditEntry,
    Backup,
    Check,
    Club,
    Delivery,
    Email,
    Entrant,
    Event,
    Game,
    RatingDue,
    Report,
    Seat,
    Table,
    Tournament,
    Visitor,
    Worker,
)
from tournaments.models.events import EventQuerySet


def load_queues(at: datetime) -> list[tuple[str, int, datetime | None]]:
    """Load how many tasks of each kind the worker would do now; one query for each.

    With the moment since which the first one waits, if known.
    """
    waiting: dict[str, tuple[models.QuerySet[Any], str]] = {
        "documents": (Report.objects.awaiting_build(at), "asked_at"),
        "ratings": (RatingDue.objects.all(), ""),
        "letters": (Email.objects.awaiting_sending(at), "written_at"),
        "webhooks": (Delivery.objects.due(at), "next_at"),
    }
    queues = []
    for kind, (rows, since) in waiting.items():
        # Results to be rated do not record when they changed.
        oldest = {"oldest": Min(since)} if since else {}
        found = rows.aggregate(length=Count("pk"), **oldest)
        queues.append((kind, found["length"], found.get("oldest")))
    return queues


def load_running(at: datetime) -> dict[str, Any]:
    """Load the operating data for the server's staff in a fixed number of queries.

    The size is in bytes; `alive` are the primary keys of the workers that are alive.
    """
    # How many times in a row the worker of `up` failed to start, if noted.
    failed_starts = 0
    with suppress(OSError, ValueError):
        failed_starts = int(settings.WORKER_FAILURES.read_text())
    return {
        "queues": load_queues(at),
        "workers": list(Worker.objects.order_by("-seen_at")),
        "alive": set(Worker.objects.alive(at).values_list("pk", flat=True)),
        "backup": last_backup(),
        "copied_at": copied_at(),
        "check": Check.objects.exclude(finished_at=None).order_by("-night").first(),
        "size": database_size(),
        "migrations_missing": len(missing_migrations()),
        "failed_starts": failed_starts,
    }


def copied_at() -> datetime | None:
    """Return when the continuous copy had everything; None if none was ever whole."""
    try:
        return datetime.fromtimestamp(settings.COPIED_AT.stat().st_mtime, UTC)
    except OSError:
        return None


def last_backup() -> Backup | None:
    return Backup.objects.order_by("-ended_at").first()


def database_size() -> int:
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


RUNNING = Q(tournament__state=Tournament.State.RUNNING)


@dataclass(frozen=True, slots=True)
class PlayingEvent:
    """An event being played: its round (None: between rounds), its tables and finished ones."""

    event: Event
    round: int | None
    tables: int
    finished: int


def playing_now(events: EventQuerySet, today: date) -> list[PlayingEvent]:
    """Return the running tournaments, and the evenings of a day with an open table (2 queries)."""
    # An evening goes on after midnight.
    evening = Q(tournament=None, held_on__range=(today - timedelta(days=1), today))
    rows = events.filter(RUNNING | evening, tournament__cancelled_at=None)
    found = list(rows.select_related("club", "tournament").order_by("-held_on", "pk"))
    # The number of tables of each event's open round; of several, the last.
    of_open = Table.objects.filter(round__event__in=found, round__closed_at=None)
    played = of_open.filter(Q(round__event__tournament=None) | Q(round__published_at__isnull=False))
    counted = played.values("round__event", "round__number").annotate(
        tables=Count("pk", distinct=True),
        finished=Count("pk", filter=Q(games__result__isnull=False), distinct=True),
    )
    tables = {row["round__event"]: row for row in counted.order_by("round__number")}
    playing = []
    for event in found:
        row = tables.get(event.pk)
        if row is not None and (row["tables"] > row["finished"] or event.is_tournament):
            playing.append(
                PlayingEvent(event, row["round__number"], row["tables"], row["finished"])
            )
        elif event.is_tournament:
            playing.append(PlayingEvent(event, None, 0, 0))
    return playing


def coming(events: EventQuerySet, today: date) -> EventQuerySet:
    """Filter to what has not begun, the next first; `comers` is how many have a place."""
    rows = events.filter(held_on__gte=today).exclude(RUNNING)
    rows = rows.exclude(tournament__state=Tournament.State.FINISHED)
    playing = Q(
        tournament__entrants__withdrawn_at=None,
        tournament__entrants__house=False,
        tournament__entrants__waiting=False,
    )
    counted = rows.annotate(comers=Count("tournament__entrants", filter=playing))
    return counted.select_related("club", "tournament").order_by("held_on", "starts_at", "pk")


def coming_at_clubs(events: EventQuerySet) -> Iterator[Event]:
    """Yield what has not begun by the day of its own club, the next first."""
    for event in coming(events, timezone.localdate() - timedelta(days=1)):
        if event.held_on >= timezone.localdate(timezone=event.club.zone):
            yield event


ONE_GAME = 10_000
FOUR = (0, 1, 2, 3)

Players = dict[int, dict[int, int]]
"""The player at each seat, by game and seat."""


@dataclass(frozen=True, slots=True)
class ClubGame:
    """A finished game of a club, with its family and, if any, its season."""

    played: PlayedGame
    family: str
    season: int | None


def month_after(month: date) -> date:
    return (month + timedelta(days=31)).replace(day=1)


def month_before(month: date) -> date:
    return (month - timedelta(days=1)).replace(day=1)


def month_key(month: date) -> str:
    """Return a month as used in addresses: `2026-10`."""
    return f"{month:%Y-%m}"


def months_of(club: Club, until: date) -> list[date]:
    """Return the months in which a club has held events, the latest first (1 query)."""
    held = Event.objects.for_members().filter(club=club, held_on__lte=until)
    return list(held.dates("held_on", "month", order="DESC"))


def finished_games(club: Club, visitor: Visitor) -> QuerySet[Game]:
    """Filter to the finished games of a club whose results a visitor may see."""
    events = Event.objects.seen_by(visitor).filter(club=club, tournament__cancelled_at=None)
    games = Game.objects.filter(table__round__event__in=events, result__isnull=False)
    return games.results_visible_to(visitor)


def version_of_games(club: Club, visitor: Visitor) -> tuple[int, ...]:
    """Return a version of the statistics without reading the games (3 queries).

    Finishing or correcting a sheet changes a checksum over all of them. Changes of names add an
    audit entry. Rulings and house players raise the revision of their tournament. Evenings can move
    between seasons.
    """
    details = finished_games(club, visitor).aggregate(
        number=Count("pk"),
        written=Sum(F("pk") * (F("revision") + ONE_GAME)),
        seasons=Sum(F("pk") * Coalesce(F("table__round__event__season"), 0)),
    )
    led = Tournament.objects.filter(event__club=club).aggregate(
        led=Sum(F("pk") * (F("revision") + ONE_GAME))
    )
    lines = AuditEntry.objects.filter(club=club, kind=AuditEntry.Kind.PLAYER)
    named = lines.aggregate(last=Max("pk"))
    return tuple(number or 0 for number in (*details.values(), *led.values(), *named.values()))


def load_games(club: Club, visitor: Visitor) -> list[ClubGame]:
    """Return the finished games of a club in the order of play (3 queries)."""
    return _load(club, finished_games(club, visitor))


def load_games_for_members(club: Club) -> list[ClubGame]:
    """Return the same as `load_games`, for any member of the club (3 queries)."""
    events = Event.objects.for_members().filter(club=club)
    games = Game.objects.filter(table__round__event__in=events, result__isnull=False)
    return _load(club, games.results_visible_to(None))


def _load(club: Club, rows: QuerySet[Game]) -> list[ClubGame]:
    fields = (
        *("pk", "played_at", "table__round__event_id", "table__round__event__season_id"),
        *("ruleset", "document__family", "document__sides", "result"),
    )
    seats = _seats(club, rows)
    in_order = rows.order_by("played_at", "pk").values_list(*fields)
    return list(_games(in_order.iterator(2000), seats))


def _seats(club: Club, rows: QuerySet[Game]) -> Players:
    """Return the players of each game by seat, without house players."""
    houses = set(
        Entrant.objects.filter(tournament__event__club=club, house=True).values_list(
            "tournament__event_id", "player_id"
        )
    )
    fields = ["game_id", "number", "player_id"]
    if houses:
        fields.append("game__table__round__event_id")
    players: Players = {}
    found = Seat.objects.filter(game__in=rows.values("pk")).order_by().values_list(*fields)
    for game, number, player, *event in found.iterator(5000):
        if not houses or (event[0], player) not in houses:
            players.setdefault(game, {})[number] = player
    return players


def _games(rows: Iterator[tuple[Any, ...]], seats: Players) -> Iterator[ClubGame]:
    zone = timezone.get_current_timezone()
    for pk, at, event, season, ruleset, of_house, sides_of_house, result in rows:
        # A document omits default values.
        family, sides = of_house, sides_of_house or FOUR
        if family is None:
            # A ruleset that no longer exists is left out, as in the ratings.
            if ruleset not in RULESETS:
                continue
            family, sides = RULESETS[ruleset].family, RULESETS[ruleset].sides
        by_side: list[tuple[int, ...]] = [()] * len(result["totals"])
        if len(by_side) <= max(sides):
            # A damaged result; the nightly check reports it.
            continue
        for seat, player in sorted(seats.get(pk, {}).items()):
            by_side[sides[seat]] += (player,)
        played = PlayedGame(
            pk,
            at.astimezone(zone),
            event,
            tuple(by_side),
            tuple(number_of(points) or 0 for points in result["totals"]),
            result["out"],
            result["sunk"],
            result["kings"],
        )
        yield ClubGame(played, family, season)
