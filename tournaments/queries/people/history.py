"""What the games of a player add up to, by parts whose sums can be kept."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any, NamedTuple

from django.db.models import Count, Exists, F, Max, OuterRef, Q, QuerySet, Sum

from tournaments.engine.rules.entries import write_points
from tournaments.engine.rules.rulesets import Points, number_of
from tournaments.engine.variants import RULESETS
from tournaments.models import Merge, Player, Seat, Tournament
from tournaments.queries.people.players import (
    AT_ONCE,
    Contracted,
    Meeting,
    PlayerGame,
    PlayerSums,
    add_up,
    counted,
    games_at,
    meetings,
    seats_beside,
)

EVENT = "game__table__round__event"
COUNTED = ("games", "points", "won", "out", "sunk", "kings")
SETTLED = timedelta(days=2)
"""Sums of an event are kept from so long after its day on: few of its games change then."""

YEARS = 2
"""The years, with this one, that have parts of their own; all before are one part."""

ONE_GAME = 10_000

FORM = 1
"""Raise it when `write_history` writes something else: sums kept before are then computed again."""


@dataclass(slots=True)
class HistoryPart:
    """The games of one family, season and time, published or not; unfinished ones included.

    `key` is empty for those that still change: the sums of these are not kept. `rulesets` maps each
    ruleset, and whether it is a house's, to its newest game.
    """

    key: str
    family: str
    season: int | None
    games: int = 0
    checksum: int = 0
    events: set[int] = field(default_factory=set)
    rulesets: dict[tuple[str, bool], int] = field(default_factory=dict)


def parts_of(seats: QuerySet[Seat], today: date) -> tuple[list[HistoryPart], int]:
    """Return the games at seats of one player in parts, the latest first (1 query).

    With the number of all seats: games of cancelled tournaments, and of rulesets that no longer
    exist, are in no part.
    """
    fields = ("held_on", "season_id", "published", "tournament__state", "tournament__cancelled_at")
    rows = (
        seats.order_by(f"-{EVENT}__held_on", f"-{EVENT}_id")
        .values_list(
            f"{EVENT}_id",
            *(f"{EVENT}__{name}" for name in fields),
            *("game__ruleset", "game__document__family"),
        )
        .annotate(
            games=Count("pk"),
            last=Max("game_id"),
            checksum=Sum(F("game_id") * (F("game__revision") + ONE_GAME) + F("number")),
        )
    )
    parts: dict[tuple[str, int | None, str], HistoryPart] = {}
    number = 0
    for event, day, season, published, state, cancelled, ruleset, house, *sums in rows:
        games, last, checksum = sums
        number += games
        if cancelled or (house is None and ruleset not in RULESETS):
            continue
        family = house or RULESETS[ruleset].family
        settled = day <= today - SETTLED and state != Tournament.State.RUNNING
        year = max(day.year, today.year - YEARS)
        key = f"{family} {season or ''} {year} {'published' * published}" if settled else ""
        part = parts.get((family, season, key))
        if part is None:
            part = parts[family, season, key] = HistoryPart(key, family, season)
        part.games += games
        part.checksum += checksum
        part.events.add(event)
        newest = part.rulesets.get((ruleset, house is not None), 0)
        part.rulesets[ruleset, house is not None] = max(newest, last)
    return list(parts.values()), number


def version_of(player: Player, parts: Iterable[HistoryPart]) -> dict[str, str]:
    """Return the version of each part that can be kept (1 query).

    Writing on a sheet or moving a seat changes the sum over the games. Merging changes only seats,
    those of opponents too, so any merge in the club changes all versions.
    """
    # Joined to the players, SQLite reads them all where hardly any are merged.
    in_club = Player.objects.filter(pk=OuterRef("kept"), club=player.club_id)
    merged = Merge.objects.filter(Exists(in_club))
    merges, undone = merged.aggregate(made=Count("pk"), undone=Count("undone_at")).values()
    return {part.key: f"{FORM} {part.checksum} {merges} {undone}" for part in parts if part.key}


class Newest(NamedTuple):
    """The newest game of a ruleset."""

    pk: int
    ruleset: str
    house: bool


def newest_of(parts: Iterable[HistoryPart]) -> list[Newest]:
    """Return the newest game of each ruleset, the latest first."""
    found: dict[tuple[str, bool], int] = {}
    for part in parts:
        for key, pk in part.rulesets.items():
            found[key] = max(pk, found.get(key, 0))
    return sorted((Newest(pk, *key) for key, pk in found.items()), reverse=True)


def limited_seats(seats: QuerySet[Seat], family: str, season: int | None) -> QuerySet[Seat]:
    """Filter to those of a family and, if given, a season that count."""
    rulesets = [name for name, rules in RULESETS.items() if rules.family == family]
    of_family = Q(game__document__isnull=True, game__ruleset__in=rulesets)
    rows = counted(seats).filter(of_family | Q(game__document__family=family))
    return rows if season is None else rows.filter(**{f"{EVENT}__season": season})


class ListedGames:
    """The games at a player's seats, the latest first: a slice is a list of (game key, seat)."""

    def __init__(self, seats: QuerySet[Seat], number: int) -> None:
        self.seats, self.number = seats, number

    def __len__(self) -> int:
        return self.number

    def __getitem__(self, wanted: slice) -> list[tuple[int, int]]:
        """Read some (1 query)."""
        rows = self.seats.order_by("-game__played_at", "-game_id")
        return list(rows.values_list("game_id", "number")[wanted])

    def keys(self) -> set[int]:
        """Return the keys of all games (1 query)."""
        return set(self.seats.values_list("game_id", flat=True))


# The sums of parts.


@dataclass(slots=True)
class History:
    """Sums over finished games, and the meetings with each of the others, by their keys."""

    sums: PlayerSums = field(default_factory=PlayerSums)
    met: dict[int, Meeting] = field(default_factory=dict)


def read_histories(
    player: Player, seats: QuerySet[Seat], parts: Sequence[HistoryPart]
) -> list[tuple[HistoryPart, History]]:
    """Read the games of parts and add them up (2 queries)."""
    at = {(event, part.family): n for n, part in enumerate(parts) for event in part.events}
    games: list[list[PlayerGame]] = [[] for _ in parts]
    beside: list[list[tuple[int, int, int]]] = [[] for _ in parts]
    events = {event for event, _family in at}
    part_of: dict[int, int] = {}
    few = sum(part.games for part in parts) <= AT_ONCE
    for game in games_at(seats.filter(**{f"{EVENT}__in": events}), few=few):
        number = at.get((game.event or 0, game.family))
        if number is not None:
            games[number].append(game)
            part_of[game.pk] = number
    for seat in seats_beside(player, games=part_of):
        beside[part_of[seat[0]]].append(seat)
    return [
        (part, History(add_up(own), meetings(own, others)))
        for part, own, others in zip(parts, games, beside, strict=True)
    ]


def add_histories(histories: Iterable[History]) -> History:
    """Return the sums of all; of equally good (or bad) games the first counts."""
    total = History()
    for history in histories:
        _add_sums(total.sums, history.sums)
        for player, meeting in history.met.items():
            known = total.met.get(player)
            if known is None:
                known = total.met[player] = Meeting(player)
            known.add(meeting)
    return total


MET = ("above", "level", "below", "together", "together_won")
EARNED = ("declared", "declared_points", "others", "others_points")


def _add_sums(total: PlayerSums, sums: PlayerSums) -> None:
    for name in COUNTED:
        setattr(total, name, getattr(total, name) + getattr(sums, name))
    total.places.update(sums.places)
    total.badges.update(sums.badges)
    for contract, earned in sums.contracts.items():
        known = total.contracts.setdefault(contract, Contracted())
        for name in EARNED:
            setattr(known, name, getattr(known, name) + getattr(earned, name))
    total.best = _first(total.best, sums.best, 1)
    total.worst = _first(total.worst, sums.worst, -1)


def _first(one: PlayerGame | None, other: PlayerGame | None, sign: int) -> PlayerGame | None:
    """Return the game with more points (fewer with sign -1), the earlier one if they are equal."""
    if one is None or other is None:
        return one or other
    return min(one, other, key=lambda game: (-sign * game.points, game.at, game.pk))


# As JSON.


def write_history(history: History) -> dict[str, Any]:
    """Return sums and meetings as JSON."""
    sums = history.sums
    return {
        **{name: write_points(getattr(sums, name)) for name in COUNTED},
        "places": [[*key, number] for key, number in sums.places.items()],
        "badges": dict(sums.badges),
        "contracts": {
            name: [write_points(getattr(earned, each)) for each in EARNED]
            for name, earned in sums.contracts.items()
        },
        "best": _write_game(sums.best),
        "worst": _write_game(sums.worst),
        "met": {
            str(player): [getattr(meeting, name) for name in MET]
            for player, meeting in history.met.items()
        },
    }


def read_history(kept: Mapping[str, Any]) -> History:
    """Return what `write_history` has written; the games are without contracts and badges."""
    sums = PlayerSums(*(_points(kept[name]) for name in COUNTED))  # type: ignore[arg-type]
    for sides, place, number in kept["places"]:
        sums.places[sides, place] = number
    sums.badges.update(kept["badges"])
    for name, earned in kept["contracts"].items():
        sums.contracts[name] = Contracted(*map(_points, earned))  # type: ignore[arg-type]
    sums.best, sums.worst = _read_game(kept["best"]), _read_game(kept["worst"])
    met = {int(player): Meeting(int(player), *numbers) for player, numbers in kept["met"].items()}
    return History(sums, met)


GAME = ("seat", "ruleset", "family", "house", "season", "event")


def _write_game(game: PlayerGame | None) -> list[Any] | None:
    if game is None:
        return None
    lists = list(game.sides), list(game.ranks), list(game.totals)
    return [game.pk, game.at.isoformat(), *(getattr(game, name) for name in GAME), *lists]


def _read_game(kept: list[Any] | None) -> PlayerGame | None:
    if kept is None:
        return None
    pk, at, seat, ruleset, family, house, season, event, sides, ranks, totals = kept
    head = (pk, datetime.fromisoformat(at), seat, ruleset, family, sides, house, season, event)
    return PlayerGame(*head, ranks, totals)


def _points(written: object) -> Points:
    return number_of(written) or 0
