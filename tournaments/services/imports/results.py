"""Import past results known by their totals only: preview, then write as games.

Such a game is a sheet of imported totals and nothing else. It has places as any other, but does
not count for ratings.
"""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from functools import cached_property
from typing import Any

from django.db import transaction
from django.utils import timezone

from tournaments.engine.play.games import check_totals
from tournaments.engine.rules.entries import Totals, write_points
from tournaments.engine.rules.rulesets import PerSide, Points, Ruleset
from tournaments.engine.rules.scoring import Range, sums_of
from tournaments.models import AuditEntry, Club, Game, Player, Round
from tournaments.models.games import digest
from tournaments.models.people import fold_name
from tournaments.queries.rulesets import house_document
from tournaments.services.audit import Actor, Change
from tournaments.services.imports.files import (
    EveningKey,
    Imported,
    ImportFault,
    PastGame,
    Who,
    Wrong,
    evenings_on,
    games_as_seen,
    import_games,
    lock_evenings,
)
from tournaments.services.imports.names import Ambiguous, NameBook, each_once, key_of
from tournaments.services.people.players import NoName

NOON = time(12)
"""The start of such games: the hour is unknown, and nobody plays at noon."""


@dataclass(frozen=True, slots=True)
class ResultLine:
    """A player's points in one game; None marks an unreadable value."""

    number: int
    day: date | None
    evening: str
    round: int | None
    table: int | None
    name: str
    points: Points | None

    @property
    def place(self) -> tuple[date, str, int, int] | None:
        """The table of the line; None if it could not be read."""
        if self.day is None or self.round is None or self.table is None:
            return None
        return self.day, fold_name(self.evening), self.round, self.table


@dataclass(frozen=True)
class ResultsRequest:
    """The lines of a file and the options chosen for it; `faults` are those of reading it.

    `early` means that games may have ended before their last deal, so the sum is unknown.
    """

    lines: Sequence[ResultLine]
    rules: Ruleset
    options: Mapping[str, Any] = field(default_factory=dict)
    early: bool = False
    choices: Mapping[str, str] = field(default_factory=dict)
    faults: Sequence[ImportFault] = ()

    @cached_property
    def ruleset(self) -> Ruleset:
        return self.rules.with_options(self.options)


@dataclass(frozen=True)
class GameSeen:
    """A game of the file: its lines in seat order, their players, and whether it exists already."""

    lines: tuple[ResultLine, ...]
    who: tuple[Who | None, ...]
    faults: tuple[ImportFault, ...] = ()
    there: bool = False

    @property
    def first(self) -> ResultLine:
        return self.lines[0]


@dataclass(frozen=True)
class ResultsPlan:
    """The preview of a file of results; `unread` are faults of lines without a game."""

    order: ResultsRequest
    games: tuple[GameSeen, ...]
    unread: tuple[ImportFault, ...]
    book: NameBook

    @property
    def faults(self) -> list[ImportFault]:
        own = [fault for game in self.games for fault in game.faults]
        return sorted([*self.unread, *own], key=lambda fault: fault.line)

    @property
    def fits(self) -> bool:
        return not self.faults

    @property
    def to_write(self) -> list[GameSeen]:
        return [game for game in self.games if not game.there]

    def past_games(self) -> list[PastGame]:
        return [past_game(self.order, game) for game in self.to_write]

    @cached_property
    def new_names(self) -> list[str]:
        return each_once(who for game in self.games for who in game.who)

    @property
    def is_done(self) -> bool:
        return not self.to_write and self.fits

    @cached_property
    def mark(self) -> str:
        """Return a digest that distinguishes this plan from others for the same file."""
        order = self.order
        games = [
            [game.there, [w.pk if isinstance(w, Player) else w for w in game.who]]
            for game in self.games
        ]
        lines = [[*map(str, (ln.place, ln.points))] for ln in order.lines]
        faults = [[fault.line, fault.code] for fault in self.faults]
        params = [order.rules.id, dict(order.options), games, lines, faults]
        return digest(json.dumps(params, sort_keys=True))


def preview_results(club: Club, order: ResultsRequest) -> ResultsPlan:
    """Preview a file (a few queries, however many lines)."""
    book = NameBook(club, order.choices)
    return _ResultsPreview(club, order, book).plan()


def import_results(
    club_pk: int, order: ResultsRequest, seen: str, by: Actor, *, at: datetime
) -> Imported:
    """Write the games of a file that do not exist yet, all or none.

    `seen` is the mark of the plan shown in the preview.

    Raises: PlanChanged: the plan differs now, or has faults; nothing is written.
    """
    with transaction.atomic():
        club = lock_evenings(club_pk, {line.day for line in order.lines if line.day})
        games = games_as_seen(preview_results(club, order), seen)
        change = Change(AuditEntry.Kind.EVENT, "import-results")
        return import_games(club, games, change, by, at=at)


def past_game(order: ResultsRequest, seen: GameSeen) -> PastGame:
    line, totals = seen.first, _totals(order.ruleset, seen)
    assert line.day is not None
    assert line.round is not None
    assert line.table is not None
    # Of a file with games that ended early, most did not.
    early = any(check_totals(order.ruleset, totals))
    noon = timezone.make_aware(datetime.combine(line.day, NOON))
    return PastGame(
        day=line.day,
        evening=line.evening,
        round=line.round,
        table=line.table,
        who=tuple(who for who in seen.who if who is not None),
        typed=tuple(each.name for each in seen.lines),
        ruleset=order.rules.id,
        document=house_document(order.rules),
        options=dict(order.options),
        entries=(Totals(totals, early=early, imported=True),),
        played_at=noon + timedelta(minutes=line.round - 1),
    )


def _totals(ruleset: Ruleset, seen: GameSeen) -> PerSide:
    """Return the points of each side; both players of a pair have the pair's points."""
    points = [line.points or 0 for line in seen.lines]
    return tuple(points[ruleset.sides.index(side)] for side in range(ruleset.side_count))


class _ResultsPreview:
    """The state the games of one file are checked against; it grows with each game.

    `open` are the open rounds on the evenings of the file. `games` maps a table to its players in
    seat order and the totals, `sitting` a player in a round to a table.
    """

    def __init__(self, club: Club, order: ResultsRequest, book: NameBook) -> None:
        self.order, self.book = order, book
        self.whole: Range | None = None if order.early else sums_of(order.ruleset).game
        self.open: set[tuple[Any, ...]] = set()
        self.games: dict[tuple[Any, ...], tuple[list[int], Any]] = {}
        self.sitting: dict[tuple[Any, ...], int] = {}
        self._load(club, {line.day for line in order.lines if line.day})
        self.sits: dict[tuple[Any, ...], int] = {}
        self.tables: dict[tuple[Any, ...] | None, list[ResultLine]] = defaultdict(list)
        for line in order.lines:
            self.tables[line.place].append(line)
        # The table of an unreadable line is unknown.
        self.lost = self.tables.pop(None, [])
        self.faults: dict[int, list[ImportFault]] = defaultdict(list)
        for fault in order.faults:
            self.faults[fault.line].append(fault)

    def plan(self) -> ResultsPlan:
        games = tuple(self._game(place, lines) for place, lines in self.tables.items() if place)
        unread = tuple(fault for line in self.lost for fault in self.faults[line.number])
        return ResultsPlan(self.order, games, unread, self.book)

    def _game(self, place: tuple[Any, ...], lines: Sequence[ResultLine]) -> GameSeen:
        faults = [fault for line in lines for fault in self.faults[line.number]]
        who = tuple(self._find_player(line, faults) for line in lines)
        seen = GameSeen(tuple(lines), who, there=self._is_there(place, lines, who))
        if not seen.there:
            line, seats, table = seen.first.number, self.order.ruleset.seats, seen.first.table
            if len(lines) > seats or (len(lines) < seats and not self.lost):
                params = {"lines": len(lines), "seats": seats, "table": table}
                faults.append(ImportFault(Wrong.WRONG_SIZE, line, "table", params))
            if place in self.games:
                faults.append(ImportFault(Wrong.TABLE_TAKEN, line, "table", {"table": table}))
            elif place[:3] in self.open:
                params = {"round": seen.first.round}
                faults.append(ImportFault(Wrong.ROUND_OPEN, line, "round", params))
            faults += self._seat_faults(place, seen)
            if None not in (line.points for line in lines):
                faults += self._points_faults(seen)
        return GameSeen(seen.lines, who, tuple(faults), seen.there)

    def _find_player(self, line: ResultLine, faults: list[ImportFault]) -> Who | None:
        try:
            return self.book.find(line.name)
        except NoName:
            code = Wrong.NO_NAME if line.name.strip() else Wrong.EMPTY
            faults.append(ImportFault(code, line.number, "player"))
        except Ambiguous as several:
            params = {"name": line.name, "players": several.players}
            faults.append(ImportFault(Wrong.AMBIGUOUS, line.number, "player", params))
        return None

    def _is_there(
        self, place: tuple[Any, ...], lines: Sequence[ResultLine], who: Sequence[Who | None]
    ) -> bool:
        existing = self.games.get(place)
        if existing is None or len(lines) != self.order.ruleset.seats:
            return False
        keys = [each.pk if isinstance(each, Player) else None for each in who]
        totals = _totals(self.order.ruleset, GameSeen(tuple(lines), tuple(who)))
        return existing == (keys, [write_points(points) for points in totals])

    def _seat_faults(self, place: tuple[Any, ...], seen: GameSeen) -> Iterator[ImportFault]:
        own: set[int | str] = set()
        for line, who in zip(seen.lines, seen.who, strict=True):
            if who is None:
                continue
            key = key_of(who)
            at = (*place[:3], key)
            if key in own:
                yield ImportFault(Wrong.SITS_TWICE, line.number, "player", {"name": str(who)})
                continue
            own.add(key)
            table = self.sits.setdefault(at, place[3])
            table = self.sitting.get(at, table)
            if table != place[3]:
                params = {"name": str(who), "table": table}
                yield ImportFault(Wrong.SITS_ELSEWHERE, line.number, "player", params)

    def _points_faults(self, seen: GameSeen) -> Iterator[ImportFault]:
        ruleset = self.order.ruleset
        if len(seen.lines) != ruleset.seats:
            return
        totals = _totals(ruleset, seen)
        for seat, line in enumerate(seen.lines):
            partner = ruleset.sides.index(ruleset.sides[seat])
            if line.points != totals[ruleset.sides[seat]]:
                params = {"partner": seen.lines[partner].name, "points": seen.lines[partner].points}
                yield ImportFault(Wrong.PARTNERS_DIFFER, line.number, "points", params)
        if self.whole is not None and not self.whole[0] <= sum(totals) <= self.whole[1]:
            least, most = self.whole
            params = {"sum": sum(totals), "least": least, "most": most}
            yield ImportFault(Wrong.WRONG_SUM, seen.first.number, "points", params)

    def _load(self, club: Club, days: set[date]) -> None:
        """Load the existing evenings of a club on some days (4 queries)."""
        events: dict[int, EveningKey] = {
            row.pk: key for key, row in evenings_on(club, days).items()
        }
        for round_ in Round.objects.filter(event__in=events):
            if round_.closed_at is None:
                self.open.add((*events[round_.event_id], round_.number))
        rows = Game.objects.filter(table__round__event__in=events).select_related("table__round")
        for row in rows.prefetch_related("seats").order_by("pk"):
            assert row.table is not None
            key = (*events[row.table.round.event_id], row.table.round.number)
            seats = [seat.player_id for seat in row.seats.all()]
            self.games[*key, row.table.number] = (seats, (row.result or {}).get("totals"))
            for player in seats:
                self.sitting[*key, player] = row.table.number
