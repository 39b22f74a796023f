"""Names in files: which players of a club they mean, and the import of a list of names.

`NameBook.find` returns the player of a name; `name_questions` are what the form asks about doubtful
ones. `preview_players` and `import_players`, below, import a list.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property

from django.db import transaction

from tournaments.models import AuditEntry, Club, Player
from tournaments.models.games import digest
from tournaments.models.people import fold_name, plain_name
from tournaments.services.audit import Actor, Change, note_change
from tournaments.services.imports.files import ImportFault, PlanChanged, Who, Wrong
from tournaments.services.people.players import NoName, add_all, clean_name, lock_people

NEW = "new"
"""The choice for a name that is a new player despite similar ones."""

LIKE_ENOUGH = 0.55
MOST_HINTS = 3
MOST_OFFERED = 12
"""Maximum number of candidates with the same first name."""

MOST_ASKED = 150
"""Maximum number of ambiguous names in one form; each takes two fields."""


class Ambiguous(Exception):
    """A name that may mean several players."""

    def __init__(self, players: Sequence[Player]) -> None:
        self.players = tuple(players)
        super().__init__(f"{len(self.players)} players are called like that")


class NameBook:
    """The players of a club by name (1 query), and the choices for ambiguous names.

    `choices` maps a name folded by `fold_name` to a player's public id, or to `NEW`.
    """

    def __init__(self, club: Club, choices: Mapping[str, str] | None = None) -> None:
        self.choices = dict(choices or {})
        rows = {row.pk: row for row in Player.objects.filter(club=club, removed_at=None)}
        self._by_key: dict[str, Player] = {}
        for row in rows.values():
            current = row
            while current.merged_into_id is not None and current.merged_into_id in rows:
                current = rows[current.merged_into_id]
            self._by_key[row.name_key] = current
        self._players = [row for row in rows.values() if row.merged_into_id is None]
        self._by_id = {row.public_id: row for row in self._players}
        self._by_first_word: dict[str, list[Player]] = defaultdict(list)
        for row in self._players:
            self._by_first_word[row.search_key.partition(" ")[0]].append(row)
        self._likeness: _Likeness | None = None

    def find(self, typed: str) -> Who:
        """Return the player of that name, up to case and dots, or the cleaned name of a new one.

        Raises:
            NoName: the name is not valid.
            Ambiguous: nobody has exactly this name, but several have it without diacritics or with
                a second name.
        """
        name = clean_name(typed)
        key = fold_name(name)
        if key in self._by_key:
            return self._by_key[key]
        chosen = self.choices.get(key)
        if chosen == NEW:
            return name
        if chosen in self._by_id:
            return self._by_id[chosen]
        nearly = self._nearly(name)
        if len(nearly) > 1:
            raise Ambiguous(nearly)
        return name

    def candidates(self, typed: str) -> tuple[list[Player], bool]:
        """Return the candidates for an unknown name, and whether a choice is required.

        Raises: NoName: the name is not valid.
        """
        name = clean_name(typed)
        if fold_name(name) in self._by_key:
            return [], False
        nearly = self._nearly(name)
        return self.like(name), len(nearly) > 1

    def like(self, name: str) -> list[Player]:
        """Return players with names similar to an unknown one, most similar first."""
        if self._likeness is None:
            self._likeness = _Likeness(self._players)
        nearly = self._nearly(name)[:MOST_OFFERED]
        others = [row for row in self._likeness.nearest(name) if row not in nearly]
        return [*nearly, *others][: max(MOST_HINTS, len(nearly))]

    def _nearly(self, name: str) -> list[Player]:
        plain = plain_name(name)
        same_first = self._by_first_word.get(plain.partition(" ")[0], ())
        return [row for row in same_first if f"{row.search_key} ".startswith(f"{plain} ")]


@dataclass(frozen=True, slots=True)
class NameQuestion:
    """An unknown name with its candidates; `chosen` is the choice made, or empty."""

    name: str
    like: tuple[Player, ...]
    chosen: str
    new: str = NEW


def name_questions(
    book: NameBook, named: Iterable[str], choices: Mapping[str, str]
) -> list[NameQuestion]:
    questions: list[NameQuestion] = []
    each_once = {fold_name(name): name for name in named}
    for key, name in each_once.items():
        try:
            like, must_choose = book.candidates(name)
        except NoName:
            continue
        if like:
            chosen = choices.get(key, "" if must_choose else NEW)
            questions.append(NameQuestion(name, tuple(like), chosen))
        if len(questions) == MOST_ASKED:
            break
    return questions


def key_of(who: Who) -> int | str:
    """Return a key unique to a player; for a new one, the folded name."""
    return who.pk if isinstance(who, Player) else fold_name(who)


def each_once(named: Iterable[Who | None]) -> list[str]:
    """Return the names of new players, each once, in its first spelling."""
    names: dict[str, str] = {}
    for who in named:
        if isinstance(who, str):
            names.setdefault(fold_name(who), who)
    return list(names.values())


class _Likeness:
    """Search by similarity: the Dice coefficient of the pairs of letters (bigrams) in two names."""

    def __init__(self, players: Iterable[Player]) -> None:
        self._with: dict[str, list[Player]] = defaultdict(list)
        for player in players:
            for pair in _pairs(player.search_key):
                self._with[pair].append(player)

    def nearest(self, name: str) -> list[Player]:
        pairs = _pairs(plain_name(name))
        shared = Counter(player for pair in pairs for player in self._with.get(pair, ()))
        likeness = {
            player: 2 * number / (len(pairs) + len(_pairs(player.search_key)))
            for player, number in shared.most_common(12)
        }
        near = [player for player, like in likeness.items() if like >= LIKE_ENOUGH]
        return sorted(near, key=lambda player: (-likeness[player], player.name_key))


def _pairs(plain: str) -> set[str]:
    params = f" {plain} "
    return {params[at : at + 2] for at in range(len(params) - 1)}


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
        return [each.fault for each in self.seen if each.fault and not each.skipped]

    @property
    def is_done(self) -> bool:
        return not self.new and not self.faults

    @cached_property
    def mark(self) -> str:
        # Lines may still be skipped when the plan is stored.
        lines = [
            [s.line.name, s.line.initials, s.player is None and not s.fault, bool(s.fault)]
            for s in self.seen
        ]
        return digest(json.dumps(lines))


@dataclass(frozen=True, slots=True)
class PlayersRequest:
    """The lines of a file, the faults found in reading it, and the numbers of lines to skip."""

    lines: Sequence[PlayerLine]
    faults: Sequence[ImportFault] = ()
    skip: frozenset[int] = frozenset()


def preview_players(club: Club, order: PlayersRequest) -> PlayersPlan:
    seen = _preview(NameBook(club), order)
    return PlayersPlan(
        tuple(replace(each, skipped=each.line.number in order.skip) for each in seen)
    )


def import_players(
    club_pk: int, order: PlayersRequest, seen: str, by: Actor, *, at: datetime
) -> int:
    """Add the new players of a list, all or none; return their number.

    `seen` is the mark of the plan shown in the preview.

    Raises: PlanChanged: the plan differs now, or has faults; nothing is written.
    """
    with transaction.atomic():
        club = lock_people(club_pk)
        plan = preview_players(club, order)
        if plan.mark != seen or plan.faults:
            raise PlanChanged(plan)
        if not plan.new:
            return 0
        added = add_all(club, [line.name for line in plan.new], by, at=at)
        by_initials = {fold_name(line.name) for line in plan.new if line.initials}
        rows = [player.pk for player in added if fold_name(player.name) in by_initials]
        Player.objects.filter(pk__in=rows).update(initials=True)
        params = {"new_players": len(added)}
        note_change(club, Change(AuditEntry.Kind.PLAYER, "import-players", after=params), by, at=at)
    return len(added)


def _preview(book: NameBook, order: PlayersRequest) -> Iterator[PlayerSeen]:
    first: dict[str, int] = {}
    unread = {fault.line: fault for fault in reversed(order.faults)}
    for line in order.lines:
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
        if line.number not in order.skip:
            first[key] = line.number
        yield _find_player_of_line(book, line)


def _find_player_of_line(book: NameBook, line: PlayerLine) -> PlayerSeen:
    try:
        found = book.find(line.name)
    except Ambiguous as several:
        # The director lists this name as one player; similar names are shown for information only.
        return PlayerSeen(line, like=several.players)
    if isinstance(found, Player):
        return PlayerSeen(line, player=found)
    return PlayerSeen(line, like=tuple(book.like(found)))
