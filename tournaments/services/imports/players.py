"""Import a list of players: preview each line, then add all at once."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property

from django.db import transaction

from tournaments.models import AuditEntry, Club, Player
from tournaments.models.games import digest
from tournaments.models.people import fold_name
from tournaments.services.audit import Actor, Change, note_change
from tournaments.services.imports.names import Ambiguous, NameBook
from tournaments.services.imports.problems import ImportFault, PlanChanged, Wrong
from tournaments.services.people.players import NoName, add_all, clean_name, lock_people


@dataclass(frozen=True, slots=True)
class PlayerLine:
    """A name in the file, and whether the player wants to be shown by initials."""

    number: int
    name: str
    initials: bool = False


@dataclass(frozen=True, slots=True)
class PlayerSeen:
    """The preview of a line: `player` already has the name; `like` have similar names.

    A `skipped` line is not imported, whatever it is.
    """

    line: PlayerLine
    player: Player | None = None
    like: tuple[Player, ...] = ()
    fault: ImportFault | None = None
    skipped: bool = False

    @property
    def is_new(self) -> bool:
        return self.player is None and self.fault is None and not self.skipped


@dataclass(frozen=True)
class PlayersPlan:
    """The preview of a list of players, line by line."""

    seen: tuple[PlayerSeen, ...]

    @property
    def new(self) -> list[PlayerLine]:
        return [each.line for each in self.seen if each.is_new]

    @property
    def faults(self) -> list[ImportFault]:
        """Return the faults, in the order of the lines."""
        return [each.fault for each in self.seen if each.fault and not each.skipped]

    @property
    def is_done(self) -> bool:
        return not self.new and not self.faults

    @cached_property
    def mark(self) -> str:
        # Lines may still be skipped when the plan is stored.
        said = [
            [s.line.name, s.line.initials, s.player is None and not s.fault, bool(s.fault)]
            for s in self.seen
        ]
        return digest(json.dumps(said))


@dataclass(frozen=True, slots=True)
class PlayersAsked:
    """The lines of a file, the faults found in reading it, and the numbers of lines to skip."""

    lines: Sequence[PlayerLine]
    faults: Sequence[ImportFault] = ()
    skip: frozenset[int] = frozenset()


def preview_players(club: Club, asked: PlayersAsked) -> PlayersPlan:
    """Preview each line (1 query)."""
    seen = _preview(NameBook(club), asked)
    return PlayersPlan(
        tuple(replace(each, skipped=each.line.number in asked.skip) for each in seen)
    )


def import_players(club_pk: int, asked: PlayersAsked, seen: str, by: Actor, *, at: datetime) -> int:
    """Add the new players of a list, all or none; return their number.

    `seen` is the mark of the plan shown in the preview.

    Raises:
        PlanChanged: the plan differs now, or has faults; nothing is written.
    """
    with transaction.atomic():
        club = lock_people(club_pk)
        plan = preview_players(club, asked)
        if plan.mark != seen or plan.faults:
            raise PlanChanged(plan)
        if not plan.new:
            return 0
        added = add_all(club, [line.name for line in plan.new], by, at=at)
        shy = {fold_name(line.name) for line in plan.new if line.initials}
        Player.objects.filter(pk__in=[p.pk for p in added if fold_name(p.name) in shy]).update(
            initials=True
        )
        params = {"new_players": len(added)}
        note_change(club, Change(AuditEntry.Kind.PLAYER, "import-players", after=params), by, at=at)
    return len(added)


def _preview(book: NameBook, asked: PlayersAsked) -> Iterator[PlayerSeen]:
    first: dict[str, int] = {}
    unread = {fault.line: fault for fault in reversed(asked.faults)}
    for line in asked.lines:
        if line.number in unread:
            yield PlayerSeen(line, fault=unread[line.number])
            continue
        try:
            key = fold_name(clean_name(line.name))
        except NoName:
            code = Wrong.NO_NAME if line.name.strip() else Wrong.EMPTY
            yield PlayerSeen(line, fault=ImportFault(code, line.number, "name"))
            continue
        if key in first:
            params = {"line": first[key]}
            yield PlayerSeen(line, fault=ImportFault(Wrong.TWICE, line.number, "name", params))
            continue
        if line.number not in asked.skip:
            first[key] = line.number
        yield _whom(book, line)


def _whom(book: NameBook, line: PlayerLine) -> PlayerSeen:
    try:
        found = book.find(line.name)
    except Ambiguous as several:
        # The director lists this name as one player; similar names are shown for information only.
        return PlayerSeen(line, like=several.players)
    if isinstance(found, Player):
        return PlayerSeen(line, player=found)
    return PlayerSeen(line, like=tuple(book.like(found)))
