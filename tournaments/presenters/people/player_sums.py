"""A player's statistics as texts and numbers of a page."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from babel.numbers import format_decimal, format_percent
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from tournaments.engine.rules.rulesets import Points, Ruleset
from tournaments.engine.variants import RULESETS
from tournaments.models import Game
from tournaments.queries.games.sheets import rules_of
from tournaments.queries.people.players import Contracted, PlayerSums
from tournaments.texts import labels

BAR = 100
"""The width of the longest bar, in the units of its drawing."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A number with its label; `share` is its part of the total."""

    name: str
    value: str
    share: str = ""


@dataclass(frozen=True, slots=True)
class PlaceRow:
    """The number of times a place was taken, with the length of its bar."""

    place: int
    games: int
    share: str
    bar: float


@dataclass(frozen=True, slots=True)
class PlacesView:
    """The places taken in games with a given number of sides."""

    sides: int
    games: int
    rows: tuple[PlaceRow, ...]


@dataclass(frozen=True, slots=True)
class PlayedContract:
    """A contract: how often it was declared, with average points, and the average otherwise."""

    name: str
    symbol: str
    declared: int
    earned: str
    others: int
    earned_otherwise: str
    favourite: bool


def figures_of(sums: PlayerSums) -> list[Figure]:
    """Return the figures at the top; those for "out" and Kings only if there were any."""
    found = [
        Figure(_("Won"), str(sums.won), percent(sums.won, sums.games)),
        Figure(_("Points on average"), average(sums.points, sums.games)),
    ]
    if sums.out or sums.sunk:
        found.insert(1, Figure(_("Out"), str(sums.out), percent(sums.out, sums.out + sums.sunk)))
    if sums.kings:
        found.append(Figure(_("Kings made"), str(sums.kings)))
    return found


def places_of(sums: PlayerSums) -> list[PlacesView]:
    """Return the places by the games' number of sides, the most frequent first."""
    sizes = Counter[int]()
    for (sides, _place), games in sums.places.items():
        sizes[sides] += games
    return [
        PlacesView(sides, total, tuple(_places(sums, sides, total)))
        for sides, total in sizes.most_common()
    ]


def _places(sums: PlayerSums, sides: int, total: int) -> Iterator[PlaceRow]:
    longest = max(sums.places[sides, place] for place in range(1, sides + 1))
    for place in range(1, sides + 1):
        games = sums.places[sides, place]
        yield PlaceRow(place, games, percent(games, total), round(BAR * games / longest, 1))


def contracts_of(sums: PlayerSums, rulesets: Mapping[str, Ruleset]) -> list[PlayedContract]:
    """Return the contracts in the order of their games, with the favourite marked."""
    order = {
        name: number
        for number, name in enumerate(
            dict.fromkeys(contract for rules in rulesets.values() for contract in rules.by_id)
        )
    }
    known = {name: rules.by_id[name] for rules in rulesets.values() for name in rules.by_id}
    rows = sorted(sums.contracts.items(), key=lambda item: order.get(item[0], len(order)))
    favourite = favourite_of(sums, rulesets.values())
    return [
        _contract(
            labels.contract_title(known[name]) if name in known else labels.contract_name(name),
            name,
            earned,
            favourite=name == favourite,
        )
        for name, earned in rows
    ]


def favourite_of(sums: PlayerSums, rulesets: Iterable[Ruleset]) -> str | None:
    """Return the contract declared most by free choice; None if there is a tie."""
    forced = {name for rules in rulesets for name in _forced(rules)}
    times = Counter({n: one.declared for n, one in sums.contracts.items() if n not in forced})
    most = [*times.most_common(2), ("", 0), ("", 0)]
    return most[0][0] if most[0][1] > most[1][1] else None


def _forced(rules: Ruleset) -> Iterator[str]:
    """Yield the contracts that never have an alternative, such as trump in King."""
    choices = [stage.contracts for stage in rules.stages] or [tuple(rules.by_id)]
    # Each side has to declare a number of each kind, so another kind is no alternative.
    kinds = {n: one.kind if one.kind in rules.side_quotas else "" for n, one in rules.by_id.items()}
    free = {
        name
        for choice in choices
        for name in choice
        if any(kinds[other] == kinds[name] for other in choice if other != name)
    }
    yield from rules.by_id.keys() - free


def _contract(title: str, name: str, earned: Contracted, *, favourite: bool) -> PlayedContract:
    return PlayedContract(
        name=title,
        symbol=labels.contract_symbol(name, name=title),
        declared=earned.declared,
        earned=average(earned.declared_points, earned.declared),
        others=earned.others,
        earned_otherwise=average(earned.others_points, earned.others),
        favourite=favourite,
    )


class HasRuleset(Protocol):
    """A game, or the newest of a ruleset; `house` if the rules are a club's own."""

    @property
    def pk(self) -> int: ...
    @property
    def ruleset(self) -> str: ...
    @property
    def house(self) -> bool: ...


def rulesets_of(games: Sequence[HasRuleset]) -> dict[str, Ruleset]:
    """Return the rulesets played, by id; house rules as in the first game (1 query, if any)."""
    found = {game.ruleset: RULESETS[game.ruleset] for game in games if not game.house}
    last = {game.ruleset: game.pk for game in reversed(games) if game.house}
    if last:
        rows = Game.objects.filter(pk__in=list(last.values())).only("ruleset", "document")
        found |= {row.ruleset: rules_of(row) for row in rows}
    return found


@dataclass(frozen=True, slots=True)
class BadgeRow:
    """A badge, its meaning, and how often it was earned."""

    name: str
    meaning: str
    number: int


def badges_of(sums: PlayerSums) -> list[BadgeRow]:
    """Return the badges earned, the most frequent first."""
    return [
        BadgeRow(labels.badge_name(badge), labels.badge_meaning(badge), number)
        for badge, number in sums.badges.most_common()
    ]


# Number formats.


def average(total: Points, number: int) -> str:
    """Return a localized mean with one decimal; a dash if `number` is 0.

    Without a mark between thousands, as all points are written.
    """
    if not number:
        return "–"
    mean = round(float(total / number), 1) + 0.0
    text = format_decimal(mean, format="0.0", locale=get_language() or "en")
    return text.replace("-", labels.MINUS)


def percent(part: int, whole: int) -> str:
    """Return a localized percentage; a dash if `whole` is 0."""
    if not whole:
        return "–"
    return format_percent(part / whole, format=None, locale=get_language() or "en")
