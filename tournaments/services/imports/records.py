"""Import records of games.

`record_files` opens uploads, `preview_records` reads them into a plan, and `import_records` writes
the games of the plan. Sentences about faults stand at the end.
"""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time
from functools import cached_property
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext_lazy

from tournaments.engine.documents.entries import parse_entry
from tournaments.engine.documents.games import parse_json, read_game
from tournaments.engine.play.games import Game as EngineGame
from tournaments.engine.rules.entries import clean_line
from tournaments.engine.rules.rulesets import LONGEST_NAME, InvalidEntry, Problem
from tournaments.engine.statistics import NIGHT
from tournaments.models import AuditEntry, Club, Player, Round
from tournaments.models.games import digest
from tournaments.models.people import fold_name
from tournaments.queries.known_games import KnownGames, sheet_of
from tournaments.services.audit import Actor, Change
from tournaments.services.imports.files import (
    MOST_RECORDS,
    EveningKey,
    FileRefused,
    Imported,
    ImportFault,
    NoArchive,
    PastGame,
    Who,
    Wrong,
    evenings_on,
    games_as_seen,
    import_games,
    lock_evenings,
    unpack,
)
from tournaments.services.imports.names import Ambiguous, NameBook, each_once, key_of
from tournaments.services.people.players import NoName
from tournaments.texts import labels, messages

FIRST_YEAR = 1900

MOMENT_OF_A_DAY = time(12)
"""The start of a game of which only the day is known."""


@dataclass(frozen=True, slots=True)
class RecordFile:
    """An uploaded record: the name of its file (and its line), and its text."""

    name: str
    text: str


@dataclass(frozen=True)
class RecordsRequest:
    """The files and the options chosen; `evening` is the name used if a record has none."""

    files: Sequence[RecordFile]
    evening: str
    choices: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class RecordSeen:
    """The preview of a file.

    `problems` are those of the record, at entry number `entry` (None: the setup); `faults` are the
    reasons why it does not fit the club. If `there`, it was imported or played before.
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
    faults: tuple[ImportFault, ...] = ()
    there: bool = False
    round: int = 0
    table: int = 0

    @property
    def fits(self) -> bool:
        return not self.problems and not self.faults

    @property
    def day(self) -> date:
        """Return the day of its evening, once the start is known."""
        assert self.played_at is not None
        return (timezone.localtime(self.played_at) - NIGHT).date()

    @property
    def key(self) -> EveningKey:
        return self.day, fold_name(self.evening)


@dataclass(frozen=True)
class RecordsPlan:
    seen: tuple[RecordSeen, ...]
    book: NameBook

    @property
    def wrong(self) -> list[RecordSeen]:
        return [each for each in self.seen if not each.fits]

    @property
    def fits(self) -> bool:
        return not self.wrong

    @property
    def to_write(self) -> list[RecordSeen]:
        return [each for each in self.seen if each.fits and not each.there]

    def past_games(self) -> list[PastGame]:
        return [_past_game(each) for each in self.to_write]

    @cached_property
    def new_names(self) -> list[str]:
        return each_once(who for each in self.seen for who in each.who)

    @property
    def is_done(self) -> bool:
        return not self.to_write and self.fits

    @cached_property
    def mark(self) -> str:
        """Return a digest that distinguishes this plan from others for the same files."""
        records = [
            [each.file.text, each.evening, each.round, each.table, each.there, each.fits]
            + [who.pk if isinstance(who, Player) else who for who in each.who]
            for each in self.seen
        ]
        return digest(json.dumps(records))


def preview_records(club: Club, order: RecordsRequest, *, now: datetime) -> RecordsPlan:
    """Preview each file, in order (a few queries, however many files)."""
    book = NameBook(club, order.choices)
    read = [_read(number, file, order, book, now) for number, file in enumerate(order.files, 1)]
    compared = list(_compared(read))
    places = _places(club, [each for each in compared if each.fits and not each.there])
    placed = []
    for each in compared:
        number, table = places.get(each.number, (0, 0))
        placed.append(replace(each, round=number, table=table))
    return RecordsPlan(tuple(placed), book)


def import_records(
    club_pk: int, order: RecordsRequest, seen: str, by: Actor, *, at: datetime
) -> Imported:
    """Write the games of files that do not exist yet, all or none.

    `seen` is the mark of the plan shown in the preview.

    Raises: PlanChanged: the plan differs now, or has problems; nothing is written.
    """
    with transaction.atomic():
        club = lock_evenings(club_pk, _days(order, at))
        games = games_as_seen(preview_records(club, order, now=at), seen)
        change = Change(AuditEntry.Kind.EVENT, "import-records")
        return import_games(club, games, change, by, at=at)


def moment_of(text: str, now: datetime) -> datetime | None:
    """Return the start of a game by its record; None if it is impossible."""
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


def _days(order: RecordsRequest, now: datetime) -> set[date]:
    days = set()
    for file in order.files:
        try:
            document = parse_json(file.text)
        except InvalidEntry:
            continue
        typed = document.get("played_at") if isinstance(document, dict) else None
        moment = moment_of(typed, now) if isinstance(typed, str) else None
        if moment is not None:
            days.add((timezone.localtime(moment) - NIGHT).date())
    return days


def _read(
    number: int, file: RecordFile, order: RecordsRequest, book: NameBook, now: datetime
) -> RecordSeen:
    try:
        document = parse_json(file.text)
        reading = read_game(document)
    except InvalidEntry as error:
        return RecordSeen(number, file, problems=error.problems)
    if reading.problems:
        return RecordSeen(number, file, entry=reading.entry, problems=reading.problems)
    faults, moment = [], moment_of(reading.played_at, now)
    if not reading.played_at:
        faults.append(ImportFault(Wrong.NO_MOMENT, number, "played_at"))
    elif moment is None:
        params = {"text": reading.played_at[:40]}
        faults.append(ImportFault(Wrong.DAY_TO_COME, number, "played_at", params))
    faults += [
        ImportFault(Wrong.TOO_LONG, number, name, {"most": LONGEST_NAME})
        for name in ("title", "place")
        if len(getattr(reading, name)) > LONGEST_NAME
    ]
    names = tuple(name.strip() for name in reading.players)
    who = tuple(_find_players(number, names, book, faults))
    return RecordSeen(
        number,
        file,
        document,
        reading.game,
        moment,
        names,
        who,
        clean_line(reading.title) or order.evening,
        faults=tuple(faults),
    )


def _find_players(
    number: int, names: Sequence[str], book: NameBook, faults: list[ImportFault]
) -> Iterator[Who | None]:
    """Match the names of a record to players; None for a faulty one."""
    met: list[int | str] = []
    for name in names:
        try:
            who = book.find(name)
        except NoName:
            faults.append(ImportFault(Wrong.NO_NAME, number, "players", {"name": name[:40]}))
            yield None
            continue
        except Ambiguous as several:
            params = {"name": name, "players": several.players}
            faults.append(ImportFault(Wrong.AMBIGUOUS, number, "players", params))
            yield None
            continue
        key = key_of(who)
        if key in met:
            faults.append(ImportFault(Wrong.SITS_TWICE, number, "players", {"name": str(who)}))
        met.append(key)
        yield who


def _compared(read: Sequence[RecordSeen]) -> Iterator[RecordSeen]:
    """Compare each file with existing games and with the files before it (4 queries)."""
    fitting = [each for each in read if each.fits]
    players = {who for each in fitting for who in each.who if isinstance(who, Player)}
    known = KnownGames(players, [each.played_at for each in fitting if each.played_at])
    before: dict[tuple[Any, ...], RecordSeen] = {}
    for each in read:
        if not each.fits:
            yield each
            continue
        assert each.played_at is not None
        at = (each.played_at, tuple(key_of(who) for who in each.who if who is not None))
        sheet = sheet_of(each.document)
        seated = [who if isinstance(who, Player) else None for who in each.who]
        found = known.find(each.played_at, seated, sheet)
        if at in before:
            params = {"name": before[at].file.name}
            yield replace(each, faults=(ImportFault(Wrong.SAME_AS, each.number, "", params),))
        elif found is not None and found.sheet != sheet:
            yield replace(each, faults=(ImportFault(Wrong.OTHER_SHEET, each.number),))
        else:
            before[at] = each
            yield replace(each, there=found is not None)


def _places(club: Club, games: Sequence[RecordSeen]) -> dict[int, tuple[int, int]]:
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


def _past_game(seen: RecordSeen) -> PastGame:
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
        ruleset=sheet_of(document)[0],
        document=rules if isinstance(rules, dict) else None,
        options=document.get("options", {}),
        first_declarer=document.get("first_declarer", 0),
        title=clean_line(document.get("title", "")),
        place=clean_line(document.get("place", "")),
        stake=document.get("stake"),
        entries=tuple(map(parse_entry, document["entries"])),
        played_at=seen.played_at,
    )


LARGEST_UNPACKED = 12 * 1024**2


def record_files(uploads: list[tuple[str, bytes]]) -> list[RecordFile]:
    """Return the records in some files, given by name and content, in order.

    Raises: FileRefused: the files are too large, too long, broken or empty.
    """
    files: list[RecordFile] = []
    size = 0
    for name, content in uploads:
        for file in _records_in(name, content):
            files.append(file)
            size += len(file.text)
            if len(files) > MOST_RECORDS:
                raise FileRefused("long")
            if size > LARGEST_UNPACKED:
                raise FileRefused("large")
    if not files:
        raise FileRefused("empty")
    return files


def _records_in(name: str, content: bytes) -> Iterator[RecordFile]:
    """Yield the records of a file or archive; files added by operating systems are skipped."""
    if not content.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        yield from _lines_in(name, content)
        return

    def is_record(path: str) -> bool:
        name = path.rpartition("/")[2]
        hidden = name.startswith(".") or path.startswith("__MACOSX/")
        return not hidden and name.lower().endswith((".json", ".jsonl"))

    try:
        parts = unpack(content, LARGEST_UNPACKED, is_record)
    except NoArchive as error:
        raise FileRefused("zip") from error
    for part, record in parts:
        yield from _lines_in(part, record)


def _lines_in(name: str, content: bytes) -> Iterator[RecordFile]:
    # Invalid UTF-8 stays in the text, and is reported when the record is parsed.
    text = content.decode("utf-8-sig", "surrogateescape")
    if not name.lower().endswith(".jsonl"):
        yield RecordFile(name, text)
        return
    # Not `splitlines`: some of its line ends may occur inside a name.
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield RecordFile(f"{name}:{number}", line)


Text = str | Promise

COLUMNS: Mapping[str, Text] = {
    "name": gettext_lazy("Name"),
    "surname": gettext_lazy("Surname"),
    "reversed": gettext_lazy("Surname and name"),
    "partner": gettext_lazy("Partner"),
    "team": gettext_lazy("Team"),
    "represents": gettext_lazy("Club"),
    "initials": gettext_lazy("Initials"),
    "paid": gettext_lazy("Entry fee"),
    "date": gettext_lazy("Date"),
    "evening": gettext_lazy("Evening"),
    "round": pgettext_lazy("of an event", "Round"),
    "table": gettext_lazy("Table"),
    "player": gettext_lazy("Player"),
    "players": gettext_lazy("Players"),
    "points": gettext_lazy("Points"),
    "title": gettext_lazy("Title"),
    "place": gettext_lazy("Place"),
    "entries": gettext_lazy("Deals"),
    "played_at": gettext_lazy("Date"),
}
"""Headings of the columns."""

SENTENCES: Mapping[Wrong, Text] = {
    Wrong.EMPTY: gettext_lazy("This cell is empty."),
    Wrong.NO_NAME: gettext_lazy("A name has letters, and 80 of them at most."),
    Wrong.TWICE: gettext_lazy("The same name is on line %(line)s."),
    Wrong.NO_DAY: gettext_lazy("“%(text)s” is no date. Write it as 21.11.2026 or 2026-11-21."),
    Wrong.DAY_TO_COME: gettext_lazy("“%(text)s” is no day of the past."),
    Wrong.NO_NUMBER: gettext_lazy("“%(text)s” is no number from 1 to 999."),
    Wrong.NO_POINTS: gettext_lazy("“%(text)s” is no number of points."),
    Wrong.NO_YES: gettext_lazy("“%(text)s” is neither yes nor no."),
    Wrong.FORMULA: gettext_lazy("“%(text)s” is a formula. Save the table with its values."),
    Wrong.DAMAGED: gettext_lazy("“%(text)s”: a letter is damaged. Write it anew below."),
    Wrong.SITS_TWICE: gettext_lazy("%(name)s sits twice at this table."),
    Wrong.SITS_ELSEWHERE: gettext_lazy("%(name)s sits at table %(table)s in this round, too."),
    Wrong.ROUND_OPEN: gettext_lazy("Round %(round)s of this evening is open: close it first."),
    Wrong.TABLE_TAKEN: gettext_lazy("Table %(table)s of this round is there with another result."),
    Wrong.PARTNERS_DIFFER: gettext_lazy(
        "Partners have the same points: %(partner)s has %(points)s."
    ),
    Wrong.NO_MOMENT: gettext_lazy("The record does not say when the game was played."),
    Wrong.TOO_LONG: gettext_lazy("At most %(most)s."),
    Wrong.SAME_AS: gettext_lazy("The same game as in %(name)s."),
    Wrong.OTHER_SHEET: gettext_lazy(
        "These players have a game of this moment here, with another sheet."
    ),
}


def fault_text(fault: ImportFault) -> str:
    """Return a fault as a sentence, after the name of its column."""
    params = dict(fault.params)
    match fault.code:
        case Wrong.AMBIGUOUS:
            sentence = _("Who is “%(name)s”: %(names)s? Choose one.")
            params["names"] = ", ".join(str(player) for player in params["players"])
        case Wrong.WRONG_SIZE:
            sentence = ngettext(
                "Table %(table)s has %(lines)s line, and this game has %(seats)s players.",
                "Table %(table)s has %(lines)s lines, and this game has %(seats)s players.",
                params["lines"],
            )
        case Wrong.WRONG_SUM:
            params = {name: labels.points_text(value) for name, value in params.items()}
            if params["least"] == params["most"]:
                sentence = _("All together have %(sum)s points, and a whole game gives %(least)s.")
            else:
                sentence = _(
                    "All together have %(sum)s points, and a whole game gives %(least)s to"
                    " %(most)s."
                )
        case _:
            sentence = str(SENTENCES[fault.code])
            if "points" in params:
                params["points"] = labels.points_text(params["points"])
    column = COLUMNS.get(fault.column)
    return f"{column}: {sentence % params}" if column else sentence % params


def record_texts(seen: RecordSeen) -> list[str]:
    """Return all problems of a record as sentences."""
    where = ""
    if seen.entry is not None:
        where = _("Line %(number)s of the sheet") % {"number": seen.entry + 1} + ": "
    params = [where + messages.explain(problem, seen.typed) for problem in seen.problems]
    return [*params, *(fault_text(fault) for fault in seen.faults)]
