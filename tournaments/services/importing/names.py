"""Whom the names in a file mean: players of the club, new ones, or several who may be meant."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tournaments.models import Club, Player
from tournaments.models.people import fold_name, plain_name
from tournaments.services.people.players import NoName, clean_name

NEW = "new"
"""What is chosen for a name that is a new player, though others are called like it."""

LIKE_ENOUGH = 0.55
MOST_HINTS = 3
MOST_OFFERED = 12
"""So many players of a first name are offered for it."""

MOST_ASKED = 150
"""So many doubtful names are asked about at once; each takes two fields of the form."""

Who = Player | str
"""A player of the club, or the name of a new one."""


class Ambiguous(Exception):
    """A name that several players may be meant by."""

    def __init__(self, players: Sequence[Player]) -> None:
        self.players = tuple(players)
        super().__init__(f"{len(self.players)} players are called like that")


class NameBook:
    """The players of a club by their names (1 query), and what was chosen for doubtful ones.

    `meant` says for a name, as `fold_name` has it, which player it is (the public id), or `NEW`.
    """

    def __init__(self, club: Club, meant: Mapping[str, str] | None = None) -> None:
        self.meant = dict(meant or {})
        rows = {row.pk: row for row in Player.objects.filter(club=club, removed_at=None)}
        self._by_key = {row.name_key: _kept(row, rows) for row in rows.values()}
        self._players = [row for row in rows.values() if row.merged_into_id is None]
        self._by_id = {row.public_id: row for row in self._players}
        self._by_first_word: dict[str, list[Player]] = defaultdict(list)
        for row in self._players:
            self._by_first_word[row.search_key.partition(" ")[0]].append(row)
        self._likeness: _Likeness | None = None

    def find(self, typed: str) -> Who:
        """The player with a name, up to case and dots; else the name, cleaned, of a new one.

        Raises:
            NoName: it is none.
            Ambiguous: nobody is called exactly so, and several are without the marks of their
                letters or with a second name.
        """
        name = clean_name(typed)
        key = fold_name(name)
        if key in self._by_key:
            return self._by_key[key]
        chosen = self.meant.get(key)
        if chosen == NEW:
            return name
        if chosen in self._by_id:
            return self._by_id[chosen]
        nearly = self._nearly(name)
        if len(nearly) > 1:
            raise Ambiguous(nearly)
        return name

    def doubt(self, typed: str) -> tuple[list[Player], bool]:
        """Who may be meant by a name that nobody has, and whether somebody has to say it.

        Raises:
            NoName: it is none.
        """
        name = clean_name(typed)
        if fold_name(name) in self._by_key:
            return [], False
        nearly = self._nearly(name)
        return self.like(name), len(nearly) > 1

    def like(self, name: str) -> list[Player]:
        """Players whose names look like one that nobody has, the likest first."""
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
class NameAsked:
    """A name that nobody has, and who may be meant; `chosen` is what was chosen, or empty."""

    name: str
    like: tuple[Player, ...]
    chosen: str
    new: str = NEW


def names_asked(book: NameBook, named: Iterable[str], meant: Mapping[str, str]) -> list[NameAsked]:
    """The names of a file that nobody has and that somebody may be meant by."""
    asked: list[NameAsked] = []
    each_once = {fold_name(name): name for name in named}
    for key, name in each_once.items():
        try:
            like, doubtful = book.doubt(name)
        except NoName:
            continue
        if like:
            chosen = meant.get(key, "" if doubtful else NEW)
            asked.append(NameAsked(name, tuple(like), chosen))
        if len(asked) == MOST_ASKED:
            break
    return asked


def key_of(who: Who) -> int | str:
    """What tells somebody from everybody else: of a new player the folded name."""
    return who.pk if isinstance(who, Player) else fold_name(who)


def each_once(named: Iterable[Who | None]) -> list[str]:
    """The names of new players among some, each as it is first written."""
    names: dict[str, str] = {}
    for who in named:
        if isinstance(who, str):
            names.setdefault(fold_name(who), who)
    return list(names.values())


class _Likeness:
    """Names held against each other by the pairs of letters that they share."""

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
    told = f" {plain} "
    return {told[at : at + 2] for at in range(len(told) - 1)}


def _kept(row: Player, rows: Mapping[int, Player]) -> Player:
    """Of a player who was merged into another one, who was kept."""
    while row.merged_into_id is not None and row.merged_into_id in rows:
        row = rows[row.merged_into_id]
    return row
