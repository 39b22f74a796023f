"""The tables of a phone: evenings, and what their players have done against each other."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from fractions import Fraction
from typing import Any

from django.utils.translation import gettext as _

from tournaments.engine.rules.rulesets import Points, Ruleset, number_of
from tournaments.models import Game
from tournaments.models.people import fold_name
from tournaments.presenters.games.sheets import state_of, title_of
from tournaments.queries.games.sheets import load_sheets, ruleset_of
from tournaments.services.games.joined_names import Joined, players_of
from tournaments.texts import labels

MOST_RUNNING = 10
"""Games in play whose sheets are read; of older ones only that they were not finished."""

MOST_PEOPLE = 8
COLUMNS = 4
"""People in the table of contracts: as many as fit beside each other on a phone."""


@dataclass(frozen=True)
class PhoneEvening:
    """The games of one table, the latest first, and how they ended as a sentence.

    `people` are those who played, `names` are all under which they did.
    """

    games: tuple[Game, ...]
    state: str
    going: bool
    people: tuple[str, ...]
    names: tuple[str, ...]
    badges: tuple[str, ...]

    @property
    def last(self) -> Game:
        return self.games[0]

    @property
    def places(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(text for row in self.games for text in (row.title, row.place)))

    @property
    def at(self) -> datetime:
        return self.games[-1].played_at


@dataclass
class Figures:
    """What one person has done in the games of one ruleset."""

    name: str
    games: int = 0
    firsts: int = 0
    outs: int = 0
    total: Points = 0
    best: Points | None = None
    contracts: dict[str, list[Points]] = field(default_factory=dict)

    @property
    def average(self) -> Points:
        return round(Fraction(self.total) / self.games)

    def per_deal(self, contract: str) -> Points | None:
        """The points of a deal of a contract, on average; None if none was played."""
        deals, points = self.contracts.get(contract, [0, 0])
        return round(Fraction(points) / Fraction(deals)) if deals else None


@dataclass(frozen=True)
class ContractRow:
    """A contract: the points a deal of each person in the columns, and which is the best."""

    name: str
    points: tuple[tuple[Points | None, bool], ...]


@dataclass(frozen=True)
class Together:
    """All finished games of one ruleset, and what people have done in them."""

    ruleset: str
    games: int
    goes_out: bool
    people: tuple[Figures, ...]
    contracts: tuple[ContractRow, ...]

    @property
    def columns(self) -> tuple[Figures, ...]:
        return self.people[:COLUMNS]


def evenings_of(rows: Sequence[Game], joined: Joined) -> list[PhoneEvening]:
    """Group games by their open table, the latest first (1 query if a game is in play)."""
    states = _running(row for row in rows if row.result is None)
    tables: dict[Any, list[Game]] = {}
    for row in rows:
        key = ("table", row.open_table_id) if row.open_table_id else ("game", row.pk)
        tables.setdefault(key, []).append(row)
    return [_evening(tuple(games), states, joined) for games in tables.values()]


def _running(rows: Iterable[Game]) -> dict[int, str]:
    """Return the progress of games in play."""
    sheets = load_sheets(list(rows)[:MOST_RUNNING])
    return {s.row.pk: state_of(s.game, s.outcome, s.row.players) for s in sheets}


def _evening(games: tuple[Game, ...], states: Mapping[int, str], joined: Joined) -> PhoneEvening:
    finished = [row for row in games if row.result is not None]
    going = next((states[row.pk] for row in games if row.pk in states), "")
    badges = dict.fromkeys(badge for row in finished for badge in (row.result or {})["badges"])
    return PhoneEvening(
        games=games,
        state=going or _ended(finished, joined),
        going=bool(going),
        people=tuple(dict.fromkeys(name for row in games for name in players_of(row, joined))),
        names=tuple(dict.fromkeys(name for row in games for name in row.players)),
        badges=tuple(map(labels.badge_name, badges)),
    )


def _ended(finished: Sequence[Game], joined: Joined) -> str:
    """Return who has won the most games of an evening; of a single one, who won it."""
    if not finished:
        return _("Not finished")
    won = Counter(name for row in finished for name in winners_of(row, joined))
    if len(finished) == 1 or not won:
        return _verdict(finished[0], tuple(won), joined)
    most = max(won.values())
    names = ", ".join(name for name, number in won.items() if number == most)
    return _("%(players)s: won %(number)s of %(games)s games") % {
        "players": names,
        "number": most,
        "games": len(finished),
    }


def _verdict(row: Game, winners: Sequence[str], joined: Joined) -> str:
    """Return the result of one game as its own sheet says it, without reading the sheet."""
    result, names = row.result or {}, ruleset_of(row).side_names(players_of(row, joined))
    if result["out"]:
        out = ", ".join(names[side] for side in result["out"])
        return _("Out: %(players)s") % {"players": out}
    if result["sunk"]:
        return _("Nobody is out.")
    return _("Won: %(players)s") % {"players": ", ".join(winners)} if winners else _("A draw.")


def winners_of(row: Game, joined: Joined) -> tuple[str, ...]:
    """Return the names with the best rank of a finished game; none if all share it."""
    result, sides = row.result or {}, ruleset_of(row).sides
    ranks = result.get("ranks", [])
    if all(rank == 1 for rank in ranks):
        return ()
    people = zip(players_of(row, joined), sides, strict=True)
    return tuple(name for name, side in people if ranks[side] == 1)


def together_of(rows: Sequence[Game], joined: Joined) -> list[Together]:
    """Return what people have done against each other, the most played ruleset first.

    People are known by their names alone, whatever their case, and by those joined to them.
    """
    by_rules: dict[str, list[tuple[Game, Ruleset]]] = {}
    for row in rows:
        if row.result is not None and not row.result.get("by_totals"):
            rules = ruleset_of(row)
            by_rules.setdefault(labels.name_of(rules), []).append((row, rules))
    groups = sorted(by_rules.items(), key=lambda group: -len(group[1]))
    return [_together(name, games, joined) for name, games in groups]


def _together(name: str, games: Sequence[tuple[Game, Ruleset]], joined: Joined) -> Together:
    people: dict[str, Figures] = {}
    for row, rules in games:
        for seat, called in enumerate(players_of(row, joined)):
            # The latest spelling comes first.
            figures = people.setdefault(fold_name(called), Figures(called))
            _count(figures, row.result or {}, seat, rules.sides[seat])
    found = sorted(people.values(), key=lambda each: (-each.games, -each.firsts, each.name))
    return Together(
        ruleset=name,
        games=len(games),
        goes_out=any((row.result or {})["out"] for row, _ in games),
        people=tuple(found[:MOST_PEOPLE]),
        contracts=tuple(_contracts(games[0][1], found[:COLUMNS])),
    )


def _count(figures: Figures, result: Mapping[str, Any], seat: int, side: int) -> None:
    points = number_of(result["totals"][side]) or 0
    drawn = all(rank == 1 for rank in result["ranks"])
    figures.games += 1
    figures.firsts += result["ranks"][side] == 1 and not drawn
    figures.outs += side in result["out"]
    figures.total += points
    figures.best = points if figures.best is None else max(figures.best, points)
    for contract, seats in result.get("contracts", {}).items():
        declared, own, others, given = seats[seat]
        sums = figures.contracts.setdefault(contract, [0, 0])
        sums[0] += declared + others
        sums[1] += (number_of(own) or 0) + (number_of(given) or 0)


def _contracts(rules: Ruleset, people: Sequence[Figures]) -> Iterator[ContractRow]:
    for contract in rules.by_id:
        points = [each.per_deal(contract) for each in people]
        known = [each for each in points if each is not None]
        if known:
            best = max(known) if len(set(known)) > 1 else None
            row = tuple((each, each is not None and each == best) for each in points)
            yield ContractRow(title_of(rules, contract), row)
