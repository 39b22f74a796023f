"""What all imports share: the faults of a file, games of the past, and archives.

`records.py` and `results.py` read a file into `PastGame`s, and `import_games` writes these. Which
player a name means is decided in `names.py`. At the end, `unpack` opens ZIP archives.
"""

import io
import zipfile
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from enum import StrEnum
from typing import Any, Protocol

from django.utils.translation import gettext_lazy as _

from tournaments.engine.documents.entries import write_entry
from tournaments.engine.rules.entries import Entry
from tournaments.engine.rules.rulesets import LONGEST_NAME
from tournaments.engine.variants import RULESETS
from tournaments.models import (
    AuditEntry,
    Club,
    Event,
    Game,
    Player,
    Revision,
    Round,
    Season,
    Seat,
    Table,
)
from tournaments.models.people import fold_name
from tournaments.queries.rulesets import find_ruleset_of_club
from tournaments.queries.sheets import fold_sheet, put_computed, rules_of
from tournaments.services.audit import Actor, Change, note_change
from tournaments.services.base.writes import Refused
from tournaments.services.events.events import EventPlan, season_on, start_event, subject_of
from tournaments.services.people.players import add_all, lock_people, names_at_table
from tournaments.services.ratings.computing import rate_event_again
from tournaments.texts.labels import Text


class Wrong(StrEnum):
    EMPTY = "empty"
    NO_NAME = "no-name"
    TWICE = "twice"
    AMBIGUOUS = "ambiguous"
    NO_DAY = "no-day"
    DAY_TO_COME = "day-to-come"
    NO_NUMBER = "no-number"
    NO_POINTS = "no-points"
    NO_YES = "no-yes"
    FORMULA = "formula"
    DAMAGED = "damaged"
    WRONG_SIZE = "wrong-size"
    WRONG_SUM = "wrong-sum"
    PARTNERS_DIFFER = "partners-differ"
    SITS_TWICE = "sits-twice"
    SITS_ELSEWHERE = "sits-elsewhere"
    ROUND_OPEN = "round-open"
    TABLE_TAKEN = "table-taken"
    NO_MOMENT = "no-moment"
    TOO_LONG = "too-long"
    SAME_AS = "same-as"
    OTHER_SHEET = "other-sheet"


@dataclass(frozen=True, slots=True)
class ImportFault:
    """A fault on a line (its number in the file, from 1), with its column if it has one."""

    code: Wrong
    line: int
    column: str = ""
    params: Mapping[str, Any] = field(default_factory=dict)


class PlanChanged(Refused):
    """The import differs from the preview; `plan` is the current one."""

    code = "plan-changed"
    sentence = _("Something has changed since you looked. Look once more before you import.")

    def __init__(self, plan: Any) -> None:
        self.plan = plan
        super().__init__(data={"seen": plan.mark})


MOST_LINES = 4_000
MOST_RECORDS = 500

WHY_REFUSED: Mapping[str, Text] = {
    "nothing": _("Choose a file."),
    "no-list": _("Paste a list, or choose a file."),
    "forgotten": _("Choose the file once more: it was kept for a day."),
    "empty": _("This file is empty."),
    "names": _("There are no names in this list."),
    "large": _("This is too large. Divide it into several files."),
    "long": _(
        "This is too long: at most %(lines)s lines, or %(records)s records. "
        "Divide it into several files."
    ),
    "xls": _("This is a workbook of an old kind: save it as XLSX or CSV."),
    "xlsx": _("This workbook cannot be read. Save it once more, or as CSV."),
    "text": _("This file cannot be read. Save it as XLSX or CSV."),
    "zip": _("This archive cannot be read. Pack it once more, without a password."),
}


class FileRefused(Refused, status=422):
    """A file or table that cannot be read; `why` is a key of `WHY_REFUSED`."""

    def __init__(self, why: str, **params: str) -> None:
        self.why = why
        limits = {"lines": MOST_LINES, "records": MOST_RECORDS}
        super().__init__({**limits, **params}, sentence=WHY_REFUSED[why])


Json = Mapping[str, Any]

Who = Player | str
"""A player of the club, or the name of a new one."""

EveningKey = tuple[date, str]
"""The day of an evening and its folded name."""


@dataclass(frozen=True)
class PastGame:
    """A game to import: place, time, players and sheet.

    `typed` are the names in the file and `who` the players they mean, both in seat order.
    """

    day: date
    evening: str
    round: int
    table: int
    who: tuple[Who, ...]
    typed: tuple[str, ...]
    ruleset: str
    entries: tuple[Entry, ...]
    played_at: datetime
    document: Json | None = None
    options: Json = field(default_factory=dict)
    first_declarer: int = 0
    title: str = ""
    place: str = ""
    stake: Json | None = None

    @property
    def key(self) -> EveningKey:
        return self.day, fold_name(self.evening)


class GamesPlan(Protocol):
    @property
    def mark(self) -> str:
        """A digest that distinguishes it from other plans for the same files."""

    @property
    def fits(self) -> bool:
        """Return whether it has no problems."""

    def past_games(self) -> list[PastGame]:
        """Return the games that do not exist yet."""


@dataclass(frozen=True, slots=True)
class Imported:
    """The result of an import: its evenings, and the number of games and of new players."""

    events: tuple[Event, ...] = ()
    games: int = 0
    players: int = 0


def evenings_on(club: Club, days: Iterable[date]) -> dict[EveningKey, Event]:
    """Return the club evenings on some days, no tournaments; of equals the oldest (1 query)."""
    rows = Event.objects.filter(club=club, held_on__in=set(days), tournament=None)
    return {(row.held_on, fold_name(row.name)): row for row in rows.order_by("-pk")}


def lock_evenings(club_pk: int, days: Iterable[date]) -> Club:
    """Lock everything an import reads or writes, so that nobody changes evenings of these days."""
    list(Season.objects.select_for_update().filter(club=club_pk).order_by("pk").values_list("pk"))
    events = Event.objects.select_for_update(of=("self",)).filter(club=club_pk, held_on__in=days)
    rows = list(events.order_by("pk").values_list("pk", flat=True))
    rounds = Round.objects.select_for_update(of=("self",)).filter(event__in=rows)
    list(rounds.order_by("pk").values_list("pk"))
    return lock_people(club_pk)


def games_as_seen(plan: GamesPlan, seen: str) -> list[PastGame]:
    """Return the games of a plan to write; `seen` is the mark of the plan shown in the preview.

    Raises: PlanChanged: the plan differs now, or has problems.
    """
    if plan.mark != seen or not plan.fits:
        raise PlanChanged(plan)
    return plan.past_games()


def import_games(
    club: Club, games: Sequence[PastGame], change: Change, by: Actor, *, at: datetime
) -> Imported:
    """Write games, if there are any, and add the audit entry."""
    if not games:
        return Imported()
    done = write_games(club, games, by, at=at)
    params = {"games_imported": done.games, "new_players": done.players}
    note_change(club, replace(change, after=params), by, at=at)
    return done


def write_games(club: Club, games: Sequence[PastGame], by: Actor, *, at: datetime) -> Imported:
    """Write checked games; missing evenings, rounds and players are created."""
    new = {fold_name(who): who for game in games for who in game.who if isinstance(who, str)}
    added = add_all(club, list(new.values()), by, at=at) if new else []
    players = dict(zip(new, added, strict=True))
    events, made = _events(club, games, at)
    places = _rounds(games, events)
    tables = Table.objects.bulk_create(
        Table(round=places[*game.key, game.round], number=game.table) for game in games
    )
    rows, seats = [], []
    for game, table in zip(games, tables, strict=True):
        seated = [players[fold_name(who)] if isinstance(who, str) else who for who in game.who]
        row = Game(
            table=table,
            ruleset=game.ruleset,
            document=game.document,
            options=game.options,
            players=names_at_table(seated),
            first_declarer=game.first_declarer,
            title=game.title or game.evening,
            place=game.place,
            stake=game.stake,
            played_at=game.played_at,
            revision=len(game.entries),
        )
        rows.append(row)
        seats += [Seat(game=row, number=seat, player=who) for seat, who in enumerate(seated)]
    Game.objects.bulk_create(rows)
    Seat.objects.bulk_create(seats)
    writes = []
    for row, game in zip(rows, games, strict=True):
        called = dict(zip(game.typed, row.players, strict=True))
        own = [_write(row, number, entry, called, at) for number, entry in enumerate(game.entries)]
        put_computed(fold_sheet(row, tuple(own)))
        writes += own
    Revision.objects.bulk_create(writes, batch_size=1000)
    Game.objects.bulk_update(rows, ["result", "digest"], batch_size=100)
    for event in dict.fromkeys(events.values()):
        # Followers of an existing event are notified too.
        action, after = "import-games", None
        if event in made:
            day = str(event.held_on)
            action = "add-event"
            after = {"name": event.name, "held_on": day, "ruleset": event.ruleset}
        change = Change(AuditEntry.Kind.EVENT, action, subject_of(event), after=after, event=event)
        note_change(club, change, by, at=at)
    for event in events.values():
        rate_event_again(event)
    return Imported(tuple(dict.fromkeys(events.values())), len(rows), len(added))


def _events(
    club: Club, games: Sequence[PastGame], at: datetime
) -> tuple[dict[EveningKey, Event], list[Event]]:
    events = evenings_on(club, (game.day for game in games))
    made = []
    for game in games:
        if game.key in events:
            continue
        # The ruleset of an evening's first game becomes the default of its tables.
        known = find_ruleset_of_club(game.ruleset, club) is not None
        ruleset, options = (game.ruleset, game.options) if known else (next(iter(RULESETS)), {})
        plan = EventPlan(game.evening, game.day, ruleset, options, season_on(club, game.day))
        events[game.key], _new = start_event(club, plan, None, at)
        made.append(events[game.key])
    return {game.key: events[game.key] for game in games}, made


def _rounds(
    games: Sequence[PastGame], events: Mapping[EveningKey, Event]
) -> dict[tuple[date, str, int], Round]:
    existing = {
        (round_.event_id, round_.number): round_
        for round_ in Round.objects.filter(event__in=events.values())
    }
    moments: dict[tuple[date, str, int], list[datetime]] = defaultdict(list)
    for game in games:
        moments[*game.key, game.round].append(game.played_at)
    rounds: dict[tuple[date, str, int], Round] = {}
    last: dict[int, datetime] = {}
    for (day, evening, number), played in sorted(moments.items()):
        event = events[day, evening]
        round_ = existing.get((event.pk, number))
        if round_ is None:
            over = max(*played, last.get(event.pk, played[0]))
            last[event.pk] = over
            round_ = Round.objects.create(
                event=event, number=number, opened_at=min(played), closed_at=over
            )
        rounds[day, evening, number] = round_
    return rounds


def _write(
    row: Game, number: int, entry: Entry, called: Mapping[str, str], at: datetime
) -> Revision:
    """Return an entry of the file as a revision; its author gets the name shown on the sheet."""
    author = entry.author or ""
    return Revision(
        game=row,
        revision=number + 1,
        key=f"import-{number:06}",
        kind=Revision.Kind.ENTRY,
        position=number,
        body=write_entry(replace(entry, author=None), rules_of(row)),
        author=called.get(author, author)[:LONGEST_NAME],
        at=at,
    )


MOST_PARTS = 2_000


class NoArchive(Exception):
    """The archive is broken, encrypted, or packed by an unsupported method."""


def unpack(
    content: bytes, largest: int, wanted: Callable[[str], bool] = bool
) -> list[tuple[str, bytes]]:
    """Return names and contents of the wanted parts of an archive, ordered by name.

    Raises:
        FileRefused: they are larger than `largest` bytes together, or too many.
        NoArchive: the archive cannot be read.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            parts = [part for part in archive.infolist() if wanted(part.filename)]
            if len(parts) > MOST_PARTS or sum(part.file_size for part in parts) > largest:
                raise FileRefused("large")
            parts.sort(key=lambda part: part.filename)
            return [(part.filename, _part(archive, part)) for part in parts]
    except (zipfile.BadZipFile, zlib.error, RuntimeError, OSError, EOFError, ValueError) as error:
        raise NoArchive from error


def _part(archive: zipfile.ZipFile, part: zipfile.ZipInfo) -> bytes:
    # Other methods unpack a whole block at once, whatever size is requested.
    if part.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise NoArchive
    with archive.open(part) as file:
        return file.read(part.file_size)


def repack(parts: list[tuple[str, bytes]]) -> bytes:
    """Return an archive of these parts with true sizes, for a reader that trusts them."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for name, content in parts:
            archive.writestr(name, content)
    return out.getvalue()
