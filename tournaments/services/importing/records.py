"""Records of games (`kingscore-game/1`) taken over into past evenings: foreseen, then written.

Games that say neither round nor table are put into rounds by the time they began: a player's next
game is a round later than the one before.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, timedelta
from functools import cached_property
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from tournaments.engine.games import Game as EngineGame
from tournaments.engine.problems import InvalidEntry, Problem
from tournaments.engine.records import Reading, parse_json, read_game
from tournaments.models import AuditLine, Club, Game, Player, Round
from tournaments.models.people import fold_name
from tournaments.models.play import digest
from tournaments.queries.sheets import current_bodies
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
from tournaments.services.play.playing import canonical

LONGEST_TITLE = 80
MOST_ENTRIES = 1_000
FIRST_YEAR = 1900

FIRST_HOUR = timedelta(hours=6)
"""What begins before six in the morning belongs to the evening before."""

MOMENT_OF_A_DAY = time(12)
"""When a game is said to begin of which only the day is known."""


@dataclass(frozen=True, slots=True)
class RecordFile:
    """A record as it was sent: the name of its file (and its line), and its text."""

    name: str
    text: str


@dataclass(frozen=True)
class RecordsAsked:
    """The files with what was chosen for them; `evening` is the name where a record has none."""

    files: Sequence[RecordFile]
    evening: str
    meant: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class RecordSeen:
    """What a file becomes.

    `problems` are those of the record, at entry number `entry` (None: the head); `faults` are
    why it does not fit the club. One that is `there` was imported, or played, before.
    """

    number: int
    file: RecordFile
    document: Any = None
    game: EngineGame | None = None
    played_at: datetime | None = None
    typed: tuple[str, ...] = ()
    who: tuple[Who | None, ...] = ()
    evening: str = ""
    entry: int | None = None
    problems: tuple[Problem, ...] = ()
    faults: tuple[Fault, ...] = ()
    there: bool = False
    round: int = 0
    table: int = 0

    @property
    def fits(self) -> bool:
        """Whether nothing is wrong with it."""
        return not self.problems and not self.faults

    @property
    def day(self) -> date:
        """The day of its evening, once it is known when it was played."""
        assert self.played_at is not None
        return (timezone.localtime(self.played_at) - FIRST_HOUR).date()

    @property
    def key(self) -> EveningKey:
        """Which evening it belongs to."""
        return self.day, fold_name(self.evening)


@dataclass(frozen=True)
class RecordsPlan:
    """What some records become."""

    seen: tuple[RecordSeen, ...]
    book: NameBook

    @property
    def wrong(self) -> list[RecordSeen]:
        """The files with something wrong."""
        return [each for each in self.seen if not each.fits]

    @property
    def fits(self) -> bool:
        """Whether nothing is wrong with any of them."""
        return not self.wrong

    @property
    def to_write(self) -> list[RecordSeen]:
        """The games that are not there yet."""
        return [each for each in self.seen if each.fits and not each.there]

    def past_games(self) -> list[PastGame]:
        """The same as they are written down."""
        return [_past_game(each) for each in self.to_write]

    @cached_property
    def new_names(self) -> list[str]:
        """The names of new players, each once, in their order."""
        return each_once(who for each in self.seen for who in each.who)

    @property
    def is_done(self) -> bool:
        """Whether all of it is there already."""
        return not self.to_write and self.fits

    @cached_property
    def mark(self) -> str:
        """What tells this plan from another one of the same files."""
        said = [
            [each.file.text, each.evening, each.round, each.table, each.there, each.fits]
            + [who.pk if isinstance(who, Player) else who for who in each.who]
            for each in self.seen
        ]
        return digest(json.dumps(said))


def foresee_records(club: Club, asked: RecordsAsked, *, now: datetime) -> RecordsPlan:
    """What each file becomes, in their order (a few queries, however many files)."""
    book = NameBook(club, asked.meant)
    read = [_read(number, file, asked, book, now) for number, file in enumerate(asked.files, 1)]
    compared = list(_compared(club, read))
    places = _places(club, [each for each in compared if each.fits and not each.there])
    placed = (_placed(each, *places.get(each.number, (0, 0))) for each in compared)
    return RecordsPlan(tuple(placed), book)


def import_records(
    club_pk: int, asked: RecordsAsked, seen: str, by: Actor, *, at: datetime
) -> Imported:
    """Write the games of files that are not there yet, all or none.

    `seen` is the mark of the plan that somebody has looked at.

    Raises:
        PlanChanged: it would be another one now, or something is wrong; nothing is written.
    """
    with transaction.atomic():
        club = lock_evenings(club_pk, _days(asked, at))
        games = games_as_seen(foresee_records(club, asked, now=at), seen)
        change = Change(AuditLine.Kind.EVENT, "import-records")
        return import_games(club, games, change, by, at=at)


def moment_of(text: str, now: datetime) -> datetime | None:
    """When a game began, by what its record says; None where that cannot be."""
    try:
        moment = datetime.fromisoformat(text)
        if len(text) <= len("2026-11-21"):
            moment = datetime.combine(moment, MOMENT_OF_A_DAY)
        if moment.tzinfo is None:
            moment = timezone.make_aware(moment)
        past = moment.year >= FIRST_YEAR and moment <= now
    except (ValueError, OverflowError):
        return None
    return moment if past else None


def _days(asked: RecordsAsked, now: datetime) -> set[date]:
    """The days that the records may be of."""
    days = set()
    for file in asked.files:
        try:
            document = parse_json(file.text)
        except InvalidEntry:
            continue
        said = document.get("played_at") if isinstance(document, dict) else None
        moment = moment_of(said, now) if isinstance(said, str) else None
        if moment is not None:
            days.add((timezone.localtime(moment) - FIRST_HOUR).date())
    return days


def _read(
    number: int, file: RecordFile, asked: RecordsAsked, book: NameBook, now: datetime
) -> RecordSeen:
    """One file, read strictly and held against the names of the club."""
    try:
        document = parse_json(file.text)
        reading = read_game(document)
    except InvalidEntry as error:
        return RecordSeen(number, file, problems=error.problems)
    if reading.problems:
        return RecordSeen(number, file, entry=reading.entry, problems=reading.problems)
    faults = list(_head_faults(number, reading, now))
    names = tuple(name.strip() for name in reading.players)
    who = tuple(_whom(number, names, book, faults))
    return RecordSeen(
        number,
        file,
        document,
        reading.game,
        moment_of(reading.played_at, now),
        names,
        who,
        reading.title.strip() or asked.evening,
        faults=tuple(faults),
    )


def _head_faults(number: int, reading: Reading, now: datetime) -> Iterator[Fault]:
    if not reading.played_at:
        yield Fault(Wrong.NO_MOMENT, number, "played_at")
    elif moment_of(reading.played_at, now) is None:
        yield Fault(Wrong.DAY_TO_COME, number, "played_at", {"text": reading.played_at[:40]})
    for name in ("title", "place"):
        if len(getattr(reading, name)) > LONGEST_TITLE:
            yield Fault(Wrong.TOO_LONG, number, name, {"most": LONGEST_TITLE})
    if reading.game is not None and len(reading.game.entries) > MOST_ENTRIES:
        yield Fault(Wrong.TOO_LONG, number, "entries", {"most": MOST_ENTRIES})


def _whom(
    number: int, names: Sequence[str], book: NameBook, faults: list[Fault]
) -> Iterator[Who | None]:
    """Whom the names of a record mean; None where that is a fault."""
    met: list[int | str] = []
    for name in names:
        try:
            who = book.find(name)
        except NoName:
            faults.append(Fault(Wrong.NO_NAME, number, "players", {"name": name[:40]}))
            yield None
            continue
        except Ambiguous as several:
            told = {"name": name, "players": several.players}
            faults.append(Fault(Wrong.AMBIGUOUS, number, "players", told))
            yield None
            continue
        key = key_of(who)
        if key in met:
            faults.append(Fault(Wrong.SITS_TWICE, number, "players", {"name": str(who)}))
        met.append(key)
        yield who


def _compared(club: Club, read: Sequence[RecordSeen]) -> Iterator[RecordSeen]:
    """The files, each held against the games there are and the files before it (3 queries)."""
    moments = {each.played_at for each in read if each.fits and each.played_at}
    rows = Game.objects.filter(table__round__event__club=club, played_at__in=moments)
    stood: dict[tuple[Any, ...], list[Any]] = {}
    for row in rows.prefetch_related("seats", "writes"):
        players = tuple(seat.player_id for seat in row.seats.all())
        bodies = current_bodies(sorted(row.writes.all(), key=lambda write: write.revision))
        stood[row.played_at, players] = [row.ruleset, _bare(bodies.values())]
    before: dict[tuple[Any, ...], RecordSeen] = {}
    for each in read:
        if not each.fits:
            yield each
            continue
        keys = tuple(key_of(who) for who in each.who if who is not None)
        own = [_ruleset_id(each.document), _bare(each.document["entries"])]
        at = (each.played_at, keys)
        if at in before:
            told = {"name": before[at].file.name}
            yield replace(each, faults=(Fault(Wrong.SAME_AS, each.number, "", told),))
        elif at in stood and stood[at] != own:
            yield replace(each, faults=(Fault(Wrong.OTHER_SHEET, each.number),))
        else:
            before[at] = each
            yield replace(each, there=at in stood)


def _bare(bodies: Iterable[Any]) -> list[Any]:
    """Entries as the log holds them, without who wrote them."""
    return [{k: v for k, v in canonical(body).items() if k != "author"} for body in bodies]


def _ruleset_id(document: Any) -> str:
    rules = document["ruleset"]
    return str(rules["id"] if isinstance(rules, dict) else rules)


def _places(club: Club, games: Sequence[RecordSeen]) -> dict[int, tuple[int, int]]:
    """Round and table of each game, by its number (2 queries)."""
    events = evenings_on(club, {game.day for game in games})
    rows = Round.objects.filter(event__in=events.values()).values_list("event")
    last = dict(rows.annotate(last=Max("number")).order_by())
    begun = {key: last.get(event.pk, 0) for key, event in events.items()}
    met: dict[tuple[Any, ...], int] = {}
    laid: dict[tuple[Any, ...], int] = defaultdict(int)
    places = {}
    for game in sorted(games, key=lambda game: (game.played_at, game.number)):
        seats = [(*game.key, str(getattr(who, "pk", who))) for who in game.who]
        number = 1 + max(met.get(seat, begun.get(game.key, 0)) for seat in seats)
        met.update(dict.fromkeys(seats, number))
        laid[*game.key, number] += 1
        places[game.number] = (number, laid[*game.key, number])
    return places


def _placed(seen: RecordSeen, number: int, table: int) -> RecordSeen:
    return replace(seen, round=number, table=table)


def _past_game(seen: RecordSeen) -> PastGame:
    """A game without faults as it is written down."""
    document = seen.document
    rules = document["ruleset"]
    assert seen.played_at is not None
    return PastGame(
        day=seen.day,
        evening=seen.evening,
        round=seen.round,
        table=seen.table,
        who=tuple(who for who in seen.who if who is not None),
        typed=seen.typed,
        ruleset=_ruleset_id(document),
        document=rules if isinstance(rules, dict) else None,
        options=document.get("options", {}),
        first_declarer=document.get("first_declarer", 0),
        title=document.get("title", "").strip(),
        place=document.get("place", "").strip(),
        entries=tuple(document["entries"]),
        played_at=seen.played_at,
    )
