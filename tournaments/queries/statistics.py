"""Read queries for all finished games of a club, for its statistics."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from django.db.models import Count, F, Max, QuerySet, Sum
from django.db.models.functions import Coalesce
from django.utils import timezone

from tournaments.engine.rules.rulesets import Points, number_of
from tournaments.engine.statistics import PlayedGame
from tournaments.engine.variants import RULESETS
from tournaments.models import (
    AuditEntry,
    Club,
    Entrant,
    Event,
    Game,
    Seat,
    Tournament,
    Visitor,
)

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
    """Return the first day of the next month."""
    return (month + timedelta(days=31)).replace(day=1)


def month_before(month: date) -> date:
    """Return the first day of the previous month."""
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
        totals: tuple[Points, ...] = tuple(number_of(points) or 0 for points in result["totals"])
        if len(totals) <= max(sides):
            # A damaged result; the nightly check reports it.
            continue
        played = PlayedGame(
            pk,
            at.astimezone(zone),
            event,
            _by_side(seats.get(pk, {}), sides, len(totals)),
            totals,
            result["out"],
            result["sunk"],
            result["kings"],
        )
        yield ClubGame(played, family, season)


def _by_side(
    seats: Mapping[int, int], sides: Sequence[int], count: int
) -> tuple[tuple[int, ...], ...]:
    players: list[tuple[int, ...]] = [()] * count
    for seat, player in sorted(seats.items()):
        players[sides[seat]] += (player,)
    return tuple(players)
