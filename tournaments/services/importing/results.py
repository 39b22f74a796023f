"""Results of past evenings, of which only the totals are known: foreseen, and written as games.

A game of totals is a sheet of adjustments with the reason `imported`, stopped before its first
deal. It has totals and places as any other, and does not count for ratings.
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

from tournaments.engine.entries import IMPORTED, Adjustment, Entry, Stopped
from tournaments.engine.entry_checks import play
from tournaments.engine.entry_records import write_entry, write_points
from tournaments.engine.games import Game as EngineGame
from tournaments.engine.ruleset_sums import Range, sums_of
from tournaments.engine.rulesets import PerSide, Points, Ruleset
from tournaments.models import AuditLine, Club, Game, Player, Round
from tournaments.models.people import fold_name
from tournaments.models.play import digest
from tournaments.queries.rulesets import house_document
from tournaments.services.auditing import Actor, Change
from tournaments.services.importing.evenings import (
    EveningKey,
    Imported,
    PastGame,
    evenings_on,
    games_as_seen,
    import_games,
    lock_evenings,
)
from tournaments.services.importing.faults import Fault, Wrong
from tournaments.services.importing.names import Ambiguous, NameBook, Who, each_once, key_of
from tournaments.services.people.players import NoName

NOON = time(12)
"""When such games are said to begin: the hour is not known, and nobody plays then."""


@dataclass(frozen=True, slots=True)
class ResultLine:
    """A player's points in one game; None stands for what could not be read."""

    number: int
    day: date | None
    evening: str
    round: int | None
    table: int | None
    name: str
    points: Points | None

    @property
    def place(self) -> tuple[date, str, int, int] | None:
        """Which table it is about; None where that could not be read."""
        if self.day is None or self.round is None or self.table is None:
            return None
        return self.day, fold_name(self.evening), self.round, self.table


@dataclass(frozen=True)
class ResultsAsked:
    """The lines of a file with what was chosen for it; `faults` are those of reading it.

    `early` says that games may have ended before their last deal, so that no sum is known.
    """

    lines: Sequence[ResultLine]
    rules: Ruleset
    options: Mapping[str, Any] = field(default_factory=dict)
    early: bool = False
    meant: Mapping[str, str] = field(default_factory=dict)
    faults: Sequence[Fault] = ()

    @cached_property
    def ruleset(self) -> Ruleset:
        """The rules with the options of the table."""
        return self.rules.with_options(self.options)


@dataclass(frozen=True)
class GameSeen:
    """A game of the file: its lines in seat order, whom they mean, and whether it is there."""

    lines: tuple[ResultLine, ...]
    who: tuple[Who | None, ...]
    faults: tuple[Fault, ...] = ()
    there: bool = False

    @property
    def first(self) -> ResultLine:
        """The line that says which table it is."""
        return self.lines[0]


@dataclass(frozen=True)
class ResultsPlan:
    """What a file of results becomes; `unread` are faults of lines that belong to no game."""

    asked: ResultsAsked
    games: tuple[GameSeen, ...]
    unread: tuple[Fault, ...]
    book: NameBook

    @property
    def faults(self) -> list[Fault]:
        """Everything that is wrong, in the order of the lines."""
        own = [fault for game in self.games for fault in game.faults]
        return sorted([*self.unread, *own], key=lambda fault: fault.line)

    @property
    def fits(self) -> bool:
        """Whether nothing is wrong with it."""
        return not self.faults

    @property
    def to_write(self) -> list[GameSeen]:
        """The games that are not there yet."""
        return [game for game in self.games if not game.there]

    def past_games(self) -> list[PastGame]:
        """The same as they are written down."""
        return [past_game(self.asked, game) for game in self.to_write]

    @cached_property
    def new_names(self) -> list[str]:
        """The names of new players, each once, in their order."""
        return each_once(who for game in self.games for who in game.who)

    @property
    def is_done(self) -> bool:
        """Whether all of it is there already."""
        return not self.to_write and self.fits

    @cached_property
    def mark(self) -> str:
        """What tells this plan from another one of the same file."""
        asked = self.asked
        games = [
            [game.there, [w.pk if isinstance(w, Player) else w for w in game.who]]
            for game in self.games
        ]
        lines = [[*map(str, (ln.place, ln.points))] for ln in asked.lines]
        faults = [[fault.line, fault.code] for fault in self.faults]
        told = [asked.rules.id, dict(asked.options), games, lines, faults]
        return digest(json.dumps(told, sort_keys=True))


def foresee_results(club: Club, asked: ResultsAsked) -> ResultsPlan:
    """What a file becomes (a few queries, however many lines)."""
    book = NameBook(club, asked.meant)
    return _Foreseeing(club, asked, book).plan()


def import_results(
    club_pk: int, asked: ResultsAsked, seen: str, by: Actor, *, at: datetime
) -> Imported:
    """Write the games of a file that are not there yet, all or none.

    `seen` is the mark of the plan that somebody has looked at.

    Raises:
        PlanChanged: it would be another one now, or it has faults; nothing is written.
    """
    with transaction.atomic():
        club = lock_evenings(club_pk, {line.day for line in asked.lines if line.day})
        games = games_as_seen(foresee_results(club, asked), seen)
        change = Change(AuditLine.Kind.EVENT, "import-results")
        return import_games(club, games, change, by, at=at)


def past_game(asked: ResultsAsked, seen: GameSeen) -> PastGame:
    """A game without faults as it is written down."""
    line = seen.first
    assert line.day is not None
    assert line.round is not None
    assert line.table is not None
    noon = timezone.make_aware(datetime.combine(line.day, NOON))
    return PastGame(
        day=line.day,
        evening=line.evening,
        round=line.round,
        table=line.table,
        who=tuple(who for who in seen.who if who is not None),
        typed=tuple(each.name for each in seen.lines),
        ruleset=asked.rules.id,
        document=house_document(asked.rules),
        options=dict(asked.options),
        entries=tuple(map(write_entry, entries_of(asked.ruleset, _totals(asked.ruleset, seen)))),
        played_at=noon + timedelta(minutes=line.round - 1),
    )


def entries_of(ruleset: Ruleset, totals: PerSide) -> list[Entry]:
    """The sheet of a game of which only the totals, one per side, are known."""
    game = EngineGame(ruleset)
    for side, points in enumerate(totals):
        if points:
            game = play(game, Adjustment(ruleset.sides.index(side), points, IMPORTED))
    # One that is played to a target is over with whoever has reached it.
    return list((game if game.finished else play(game, Stopped("other"))).entries)


def _totals(ruleset: Ruleset, seen: GameSeen) -> PerSide:
    """The points of each side; those of a pair stand at both of its players."""
    points = [line.points or 0 for line in seen.lines]
    return tuple(points[ruleset.sides.index(side)] for side in range(ruleset.side_count))


@dataclass
class _Stood:
    """What there is on the evenings of a file: rounds, and the tables at which games were played.

    `games` holds for a table its players in seat order and the totals; `sitting` at which table
    a player sits in a round.
    """

    open: set[tuple[Any, ...]] = field(default_factory=set)
    games: dict[tuple[Any, ...], tuple[list[int], Any]] = field(default_factory=dict)
    sitting: dict[tuple[Any, ...], int] = field(default_factory=dict)


class _Foreseeing:
    """What the games of one file are held against; it grows with each game."""

    def __init__(self, club: Club, asked: ResultsAsked, book: NameBook) -> None:
        self.asked, self.book = asked, book
        self.whole: Range | None = None if asked.early else sums_of(asked.ruleset).game
        self.stood = _load(club, {line.day for line in asked.lines if line.day})
        self.sits: dict[tuple[Any, ...], int] = {}
        self.tables: dict[tuple[Any, ...] | None, list[ResultLine]] = defaultdict(list)
        for line in asked.lines:
            self.tables[line.place].append(line)
        # Where a line could not be read, nobody knows to which table it belongs.
        self.lost = self.tables.pop(None, [])
        self.faults: dict[int, list[Fault]] = defaultdict(list)
        for fault in asked.faults:
            self.faults[fault.line].append(fault)

    def plan(self) -> ResultsPlan:
        games = tuple(self._game(place, lines) for place, lines in self.tables.items() if place)
        unread = tuple(fault for line in self.lost for fault in self.faults[line.number])
        return ResultsPlan(self.asked, games, unread, self.book)

    def _game(self, place: tuple[Any, ...], lines: Sequence[ResultLine]) -> GameSeen:
        faults = [fault for line in lines for fault in self.faults[line.number]]
        who = tuple(self._whom(line, faults) for line in lines)
        seen = GameSeen(tuple(lines), who, there=self._is_there(place, lines, who))
        if not seen.there:
            faults += self._table_faults(place, seen)
            faults += self._seat_faults(place, seen)
            if None not in (line.points for line in lines):
                faults += self._points_faults(seen)
        return GameSeen(seen.lines, who, tuple(faults), seen.there)

    def _whom(self, line: ResultLine, faults: list[Fault]) -> Who | None:
        try:
            return self.book.find(line.name)
        except NoName:
            code = Wrong.NO_NAME if line.name.strip() else Wrong.EMPTY
            faults.append(Fault(code, line.number, "player"))
        except Ambiguous as several:
            told = {"name": line.name, "players": several.players}
            faults.append(Fault(Wrong.AMBIGUOUS, line.number, "player", told))
        return None

    def _is_there(
        self, place: tuple[Any, ...], lines: Sequence[ResultLine], who: Sequence[Who | None]
    ) -> bool:
        stood = self.stood.games.get(place)
        if stood is None or len(lines) != self.asked.ruleset.seats:
            return False
        keys = [each.pk if isinstance(each, Player) else None for each in who]
        totals = _totals(self.asked.ruleset, GameSeen(tuple(lines), tuple(who)))
        return stood == (keys, [write_points(points) for points in totals])

    def _table_faults(self, place: tuple[Any, ...], seen: GameSeen) -> Iterator[Fault]:
        line, seats = seen.first.number, self.asked.ruleset.seats
        if len(seen.lines) > seats or (len(seen.lines) < seats and not self.lost):
            told = {"lines": len(seen.lines), "seats": seats, "table": seen.first.table}
            yield Fault(Wrong.WRONG_SIZE, line, "table", told)
        if place in self.stood.games:
            yield Fault(Wrong.TABLE_TAKEN, line, "table", {"table": seen.first.table})
        elif place[:3] in self.stood.open:
            yield Fault(Wrong.ROUND_OPEN, line, "round", {"round": seen.first.round})

    def _seat_faults(self, place: tuple[Any, ...], seen: GameSeen) -> Iterator[Fault]:
        own: set[int | str] = set()
        for line, who in zip(seen.lines, seen.who, strict=True):
            if who is None:
                continue
            key = key_of(who)
            at = (*place[:3], key)
            if key in own:
                yield Fault(Wrong.SITS_TWICE, line.number, "player", {"name": str(who)})
                continue
            own.add(key)
            table = self.sits.setdefault(at, place[3])
            table = self.stood.sitting.get(at, table)
            if table != place[3]:
                told = {"name": str(who), "table": table}
                yield Fault(Wrong.SITS_ELSEWHERE, line.number, "player", told)

    def _points_faults(self, seen: GameSeen) -> Iterator[Fault]:
        ruleset = self.asked.ruleset
        if len(seen.lines) != ruleset.seats:
            return
        totals = _totals(ruleset, seen)
        for seat, line in enumerate(seen.lines):
            partner = ruleset.sides.index(ruleset.sides[seat])
            if line.points != totals[ruleset.sides[seat]]:
                told = {"partner": seen.lines[partner].name, "points": seen.lines[partner].points}
                yield Fault(Wrong.PARTNERS_DIFFER, line.number, "points", told)
        if self.whole is not None and not self.whole[0] <= sum(totals) <= self.whole[1]:
            least, most = self.whole
            told = {"sum": sum(totals), "least": least, "most": most}
            yield Fault(Wrong.WRONG_SUM, seen.first.number, "points", told)


def _load(club: Club, days: set[date]) -> _Stood:
    """What there is on some days in a club (4 queries)."""
    stood = _Stood()
    events: dict[int, EveningKey] = {row.pk: key for key, row in evenings_on(club, days).items()}
    for place in Round.objects.filter(event__in=events):
        if place.closed_at is None:
            stood.open.add((*events[place.event_id], place.number))
    rows = Game.objects.filter(table__round__event__in=events).select_related("table__round")
    for row in rows.prefetch_related("seats").order_by("pk"):
        assert row.table is not None
        key = (*events[row.table.round.event_id], row.table.round.number)
        seats = [seat.player_id for seat in row.seats.all()]
        stood.games[*key, row.table.number] = (seats, (row.result or {}).get("totals"))
        for player in seats:
            stood.sitting[*key, player] = row.table.number
    return stood
