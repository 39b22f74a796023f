"""What a player's games add up to, in the words and numbers of a page."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from babel.numbers import format_decimal, format_percent
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from tournaments import words
from tournaments.engine.rulesets import Points, Ruleset
from tournaments.engine.variants import RULESETS
from tournaments.models import Game
from tournaments.queries.players import Contracted, PlayerGame, Sums
from tournaments.queries.rulesets import rules_of

BAR = 100
"""The width of the longest bar, in the units of its drawing."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A number with what it is; `share` is how much of all that is."""

    name: str
    value: str
    share: str = ""


@dataclass(frozen=True, slots=True)
class PlaceRow:
    """How often a place was taken, with the length of its bar."""

    place: int
    games: int
    share: str
    bar: float


@dataclass(frozen=True, slots=True)
class PlacesView:
    """The places taken in games of so many sides."""

    sides: int
    games: int
    rows: tuple[PlaceRow, ...]


@dataclass(frozen=True, slots=True)
class ContractRow:
    """A contract: how often it was declared and what that earned on average, and otherwise."""

    name: str
    symbol: str
    declared: int
    earned: str
    others: int
    earned_otherwise: str
    favourite: bool


def figures_of(sums: Sums) -> list[Figure]:
    """The numbers at the top; who is out only where anybody is, Kings only where one was made."""
    found = [
        Figure(_("Won"), str(sums.won), percent(sums.won, sums.games)),
        Figure(_("Points on average"), average(sums.points, sums.games)),
    ]
    if sums.out or sums.sunk:
        found.insert(1, Figure(_("Out"), str(sums.out), percent(sums.out, sums.out + sums.sunk)))
    if sums.kings:
        found.append(Figure(_("Kings made"), str(sums.kings)))
    return found


def places_of(sums: Sums) -> list[PlacesView]:
    """The places by how many sides the games had, the most usual first."""
    sizes = Counter[int]()
    for (sides, _place), games in sums.places.items():
        sizes[sides] += games
    return [
        PlacesView(sides, total, tuple(_places(sums, sides, total)))
        for sides, total in sizes.most_common()
    ]


def _places(sums: Sums, sides: int, total: int) -> Iterator[PlaceRow]:
    longest = max(sums.places[sides, place] for place in range(1, sides + 1))
    for place in range(1, sides + 1):
        games = sums.places[sides, place]
        yield PlaceRow(place, games, percent(games, total), round(BAR * games / longest, 1))


def contracts_of(sums: Sums, rulesets: Mapping[str, Ruleset]) -> list[ContractRow]:
    """The contracts in the order of the games they are played in, with the favourite marked."""
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
            words.contract_title(known[name]) if name in known else words.contract_name(name),
            name,
            earned,
            favourite=name == favourite,
        )
        for name, earned in rows
    ]


def favourite_of(sums: Sums, rulesets: Iterable[Ruleset]) -> str | None:
    """What was declared more often than any other, but what has to be declared; None of equals."""
    forced = {name for rules in rulesets for name in _forced(rules)}
    times = Counter({n: one.declared for n, one in sums.contracts.items() if n not in forced})
    most = [*times.most_common(2), ("", 0), ("", 0)]
    return most[0][0] if most[0][1] > most[1][1] else None


def _forced(rules: Ruleset) -> Iterator[str]:
    """The contracts beside which there is never another one to choose, as trump in King."""
    choices = [stage.contracts for stage in rules.stages] or [tuple(rules.by_id)]
    # Each side has to declare so many of a kind: one of another kind is none to choose instead.
    kinds = {n: one.kind if one.kind in rules.side_quotas else "" for n, one in rules.by_id.items()}
    free = {
        name
        for choice in choices
        for name in choice
        if any(kinds[other] == kinds[name] for other in choice if other != name)
    }
    yield from rules.by_id.keys() - free


def _contract(title: str, name: str, earned: Contracted, *, favourite: bool) -> ContractRow:
    return ContractRow(
        name=title,
        symbol=words.contract_symbol(name, name=title),
        declared=earned.declared,
        earned=average(earned.declared_points, earned.declared),
        others=earned.others,
        earned_otherwise=average(earned.others_points, earned.others),
        favourite=favourite,
    )


def rulesets_of(games: Sequence[PlayerGame]) -> dict[str, Ruleset]:
    """What was played, by id; house rules as the last game had them (1 query, if there are any)."""
    found = {game.ruleset: RULESETS[game.ruleset] for game in games if not game.house}
    last = {game.ruleset: game.pk for game in reversed(games) if game.house}
    if last:
        rows = Game.objects.filter(pk__in=list(last.values())).only("ruleset", "document")
        found |= {row.ruleset: rules_of(row) for row in rows}
    return found


@dataclass(frozen=True, slots=True)
class BadgeRow:
    """A badge, what it is given for, and how often it was earned."""

    name: str
    meaning: str
    number: int


def badges_of(sums: Sums) -> list[BadgeRow]:
    """The badges earned, the most frequent first."""
    return [
        BadgeRow(words.badge_name(badge), words.badge_meaning(badge), number)
        for badge, number in sums.badges.most_common()
    ]


# How numbers are written.


def average(total: Points, number: int) -> str:
    """A mean with one digit after the comma, as the language writes it; a dash of nothing."""
    if not number:
        return "–"
    mean = float(total / number) if number else 0.0
    text = format_decimal(round(mean, 1) + 0.0, format="#,##0.0", locale=get_language() or "en")
    return text.replace("-", words.MINUS)


def percent(part: int, whole: int) -> str:
    """A share in hundredths, as the language writes it; a dash of nothing."""
    if not whole:
        return "–"
    return format_percent(part / whole, format=None, locale=get_language() or "en")
