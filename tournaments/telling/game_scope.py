"""What a page about many games is limited to: one kind of game, and perhaps one season."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tournaments.family_words import family_name
from tournaments.models import Season


@dataclass(frozen=True, slots=True)
class Choice:
    """A kind of game, or a season, that the page can be limited to, with how many games it has."""

    key: str
    name: str
    games: int
    chosen: bool


@dataclass(frozen=True, slots=True)
class Scope:
    """What is shown: one kind of game, and perhaps one season, by its key."""

    family: str
    families: Sequence[Choice]
    season: int | None
    seasons: Sequence[Choice]


def family_asked(by_family: Counter[str], asked: str) -> str:
    """The kind of game the address asks for, else the one that is played most."""
    most = max(by_family, key=by_family.__getitem__, default="")
    return asked if asked in by_family else most


def scope_of(
    by_family: Counter[str], family: str, seasons: Iterable[tuple[Season, int]], asked: str
) -> Scope:
    """With all that can be chosen; the seasons come with how many games of the kind they have."""
    rows = list(seasons)
    season = next((row.pk for row, _games in rows if str(row.pk) == asked), None)
    return Scope(
        family,
        [Choice(key, family_name(key), n, key == family) for key, n in by_family.most_common()],
        season,
        [Choice(str(row.pk), row.name, games, row.pk == season) for row, games in rows],
    )
