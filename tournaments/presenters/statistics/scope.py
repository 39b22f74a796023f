"""The filter of a page about many games: one family, and optionally one season."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tournaments.engine.variants import RULESETS
from tournaments.models import Season
from tournaments.texts.families import family_name

FAMILIES = {ruleset.family for ruleset in RULESETS.values()}


@dataclass(frozen=True, slots=True)
class FilterChoice:
    """A family or season that the page can be limited to, with its number of games."""

    key: str
    name: str
    games: int
    chosen: bool


@dataclass(frozen=True, slots=True)
class NumbersFilter:
    """The current filter: one family of games, and optionally one season by its key."""

    family: str
    families: Sequence[FilterChoice]
    season: int | None
    seasons: Sequence[FilterChoice]


def family_asked(by_family: Counter[str], asked: str) -> str:
    """Return the requested family, else the most played one."""
    most = max(by_family, key=by_family.__getitem__, default="")
    return asked if asked in by_family or asked in FAMILIES else most


def scope_of(
    by_family: Counter[str], family: str, seasons: Iterable[tuple[Season, int]], asked: str
) -> NumbersFilter:
    """Return the scope with all choices; the seasons come with their number of games."""
    rows = list(seasons)
    season = next((row.pk for row, _games in rows if str(row.pk) == asked), None)
    return NumbersFilter(
        family,
        [
            FilterChoice(key, family_name(key), n, key == family)
            for key, n in by_family.most_common()
        ],
        season,
        [FilterChoice(str(row.pk), row.name, games, row.pk == season) for row, games in rows],
    )
