"""Match names in a file to players of the club, new ones, or several candidates."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tournaments.models import Club, Player
from tournaments.models.people import fold_name, plain_name
from tournaments.services.people.players import NoName, clean_name

NEW = "new"
"""The choice for a name that is a new player despite similar ones."""

LIKE_ENOUGH = 0.55
MOST_HINTS = 3
MOST_OFFERED = 12
"""Maximum number of candidates with the same first name."""

MOST_ASKED = 150
"""Maximum number of ambiguous names in one form; each takes two fields."""

Who = Player | str
"""A player of the club, or the name of a new one."""


class Ambiguous(Exception):
    """A name that may mean several players."""

    def __init__(self, players: Sequence[Player]) -> None:
        self.players = tuple(players)
        super().__init__(f"{len(self.players)} players are called like that")


class NameBook:
    """The players of a club by name (1 query), and the choices for ambiguous names.

    `meant` maps a name folded by `fold_name` to a player's public id, or to `NEW`.
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
        """Return the candidates for an unknown name, and whether a choice is required.

        Raises:
            NoName: the name is not valid.
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
class NameAsked:
    """An unknown name with its candidates; `chosen` is the choice made, or empty."""

    name: str
    like: tuple[Player, ...]
    chosen: str
    new: str = NEW


def names_asked(book: NameBook, named: Iterable[str], meant: Mapping[str, str]) -> list[NameAsked]:
    """Return the unknown names of a file that have candidates."""
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
    """Similarity of names, measured by shared pairs of letters."""

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


def _kept(row: Player, rows: Mapping[int, Player]) -> Player:
    """Return the kept player of a merged one."""
    while row.merged_into_id is not None and row.merged_into_id in rows:
        row = rows[row.merged_into_id]
    return row
