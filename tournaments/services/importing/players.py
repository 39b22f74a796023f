"""Players taken over from a list: what each line becomes, and all of them at once."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from django.db import transaction

from tournaments.models import AuditLine, Club, Player
from tournaments.models.people import fold_name
from tournaments.models.play import digest
from tournaments.services.auditing import Actor, Change, note_change
from tournaments.services.importing.faults import Fault, PlanChanged, Wrong
from tournaments.services.importing.names import Ambiguous, NameBook
from tournaments.services.people.players import NoName, add_all, clean_name, lock_people


@dataclass(frozen=True, slots=True)
class PlayerLine:
    """A name as it stands in a file, and whether its player wants to be shown by initials."""

    number: int
    name: str
    initials: bool = False


@dataclass(frozen=True, slots=True)
class PlayerSeen:
    """What a line becomes: `player` is who has the name already; `like` are called nearly so."""

    line: PlayerLine
    player: Player | None = None
    like: tuple[Player, ...] = ()
    fault: Fault | None = None

    @property
    def is_new(self) -> bool:
        """Whether it becomes a new player."""
        return self.player is None and self.fault is None


@dataclass(frozen=True)
class PlayersPlan:
    """What a list of players becomes, line by line."""

    seen: tuple[PlayerSeen, ...]

    @property
    def new(self) -> list[PlayerLine]:
        """The lines of new players."""
        return [each.line for each in self.seen if each.is_new]

    @property
    def faults(self) -> list[Fault]:
        """What is wrong, in the order of the lines."""
        return [each.fault for each in self.seen if each.fault is not None]

    @property
    def is_done(self) -> bool:
        """Whether all of it is there already."""
        return not self.new and not self.faults

    @cached_property
    def mark(self) -> str:
        """What tells this plan from another one of the same list."""
        said = [[s.line.name, s.line.initials, s.is_new, bool(s.fault)] for s in self.seen]
        return digest(json.dumps(said))


@dataclass(frozen=True, slots=True)
class PlayersAsked:
    """The lines of a file, and what was wrong when they were read."""

    lines: Sequence[PlayerLine]
    faults: Sequence[Fault] = ()


def foresee_players(club: Club, asked: PlayersAsked) -> PlayersPlan:
    """What each line becomes (1 query)."""
    return PlayersPlan(tuple(_foresee(NameBook(club), asked)))


def import_players(club_pk: int, asked: PlayersAsked, seen: str, by: Actor, *, at: datetime) -> int:
    """Add the new players of a list, all or none; how many they were.

    `seen` is the mark of the plan that somebody has looked at.

    Raises:
        PlanChanged: it would be another one now, or it has faults; nothing is written.
    """
    with transaction.atomic():
        club = lock_people(club_pk)
        plan = foresee_players(club, asked)
        if plan.mark != seen or plan.faults:
            raise PlanChanged(plan)
        if not plan.new:
            return 0
        added = add_all(club, [line.name for line in plan.new], by, at=at)
        shy = {fold_name(line.name) for line in plan.new if line.initials}
        Player.objects.filter(pk__in=[p.pk for p in added if fold_name(p.name) in shy]).update(
            initials=True
        )
        told = {"new_players": len(added)}
        note_change(club, Change(AuditLine.Kind.PLAYER, "import-players", after=told), by, at=at)
    return len(added)


def _foresee(book: NameBook, asked: PlayersAsked) -> Iterator[PlayerSeen]:
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
            yield PlayerSeen(line, fault=Fault(code, line.number, "name"))
            continue
        if key in first:
            told = {"line": first[key]}
            yield PlayerSeen(line, fault=Fault(Wrong.TWICE, line.number, "name", told))
            continue
        first[key] = line.number
        yield _whom(book, line)


def _whom(book: NameBook, line: PlayerLine) -> PlayerSeen:
    try:
        found = book.find(line.name)
    except Ambiguous as several:
        # Whoever lists players says that this is one; who else is called so is only shown.
        return PlayerSeen(line, like=several.players)
    if isinstance(found, Player):
        return PlayerSeen(line, player=found)
    return PlayerSeen(line, like=tuple(book.like(found)))
