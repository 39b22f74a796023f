"""Evenings, their beginnings, the tables of a phone, and names that stand for one person."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from fractions import Fraction
from typing import Any
from zoneinfo import ZoneInfo

from django.utils.formats import number_format
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from tournaments.engine.play.outcomes import (
    EveningStanding,
    FinishedGame,
    Placed,
    settle_evening,
    tally,
)
from tournaments.engine.rules.rulesets import Points, Ruleset, number_of
from tournaments.engine.variants import BEGINS
from tournaments.models import Game
from tournaments.models.people import fold_name, name_order
from tournaments.queries.scoresheets import payment_texts, payments_of, state_of
from tournaments.queries.sheets import Sheet, load_sheets, rules_of, ruleset_of
from tournaments.texts import labels
from tournaments.texts.labels import Text, contract_title, points_text

Joined = Mapping[str, str]
"""The name that each folded name stands for."""


def person_called(name: str, joined: Joined) -> str:
    seen: set[str] = set()
    while (key := fold_name(name)) in joined and key not in seen:
        seen.add(key)
        name = joined[key]
    return name


def players_of(row: Game, joined: Joined) -> list[str]:
    """Return the players of a game as people; by their own names if two would be one."""
    people = [person_called(name, joined) for name in row.players]
    return people if len({*map(fold_name, people)}) == len(people) else list(row.players)


@dataclass(frozen=True)
class Beginning:
    """Texts for the first player: beside a name before and after the game, question, sentence."""

    says: Text
    began: Text
    question: Text
    hint: Text


BEGINNINGS: Mapping[str, Beginning] = {
    "declarer": Beginning(
        _("declares first"),
        _("declared first"),
        _("Who declares first?"),
        _("Draw by lot who declares first."),
    ),
    "leader": Beginning(
        _("leads first"), _("led first"), _("Who leads first?"), _("Draw by lot who leads first.")
    ),
    "dealer": Beginning(
        _("deals first"),
        _("dealt first"),
        _("Who deals first?"),
        _("Draw by lot who deals first."),
    ),
    "starter": Beginning(_("begins"), _("began"), _("Who begins?"), _("Draw by lot who begins.")),
}
"""By what the first player does."""

BY_CARD: Mapping[str, tuple[Text, Text]] = {
    "two-of-diamonds": (
        _("Who has the two of diamonds?"),
        _("Whoever holds the two of diamonds begins."),
    ),
    "seven-of-diamonds": (
        _("Who has the seven of diamonds?"),
        _("Whoever holds the seven of diamonds begins."),
    ),
    "heart-king": (
        _("To whom did the king of hearts fall?"),
        _("Deal cards face up: to whom the king of hearts falls begins."),
    ),
}
"""Question and sentence, where a card finds the first player; otherwise it is by lot."""


def begins(rules: Ruleset) -> tuple[str, str]:
    """Return what the first player does, a key of `BEGINNINGS`, and how they are found."""
    way = str(rules.settings.get("begins", BEGINS.get(rules.family, "lot")))
    if rules.family == "barbu":
        return "declarer", way
    if rules.settings.get("dealer") == "declares":
        return "dealer", way
    if rules.family not in BEGINS:
        return "starter", way
    return ("declarer" if rules.contracts[0].declared else "leader"), way


def beginning_of(rules: Ruleset) -> Beginning:
    does, way = begins(rules)
    question, hint = BY_CARD.get(way, (BEGINNINGS[does].question, BEGINNINGS[does].hint))
    return replace(BEGINNINGS[does], question=question, hint=hint)


MOST_COLUMNS = 4
"""The largest number of games with a column each; of more, the places are counted."""


@dataclass(frozen=True)
class TallyRow:
    """A player's line of the tally; `seat` is their colour and shape, by first appearance."""

    standing: EveningStanding
    average: str
    seat: int

    @property
    def name(self) -> str:
        return self.standing.name

    @property
    def points(self) -> str:
        return points_text(self.standing.points)

    @property
    def counted(self) -> str:
        """How often the player sank and made a King; empty for never."""
        sunk, kings = self.standing.sunk, self.standing.kings
        texts = {
            ngettext("sank once", "sank %(number)s times", sunk): sunk,
            ngettext("%(number)s King", "%(number)s Kings", kings): kings,
        }
        return ", ".join(text % {"number": number} for text, number in texts.items() if number)

    def cells(self) -> Sequence[Placed | None]:
        return self.standing.placed

    def places(self) -> Sequence[int]:
        return self.standing.places()


@dataclass(frozen=True)
class GameLine:
    """A game of the evening: how it ended, or how far it is, and who pays whom."""

    row: Game
    ruleset: str
    state: str
    totals: tuple[tuple[str, str], ...]
    payments: Sequence[str]
    finished: bool

    @property
    def number(self) -> int:
        return self.row.number or 0


@dataclass(frozen=True)
class Evening:
    """The tally of the finished games, in `rows`, and a line for each game, the first first.

    `payments` are for the whole evening; None if it was played without money.
    """

    headline: str
    finished: str
    rows: tuple[TallyRow, ...]
    lines: tuple[GameLine, ...]
    payments: Sequence[str] | None

    @property
    def numbers(self) -> list[int]:
        return [line.number for line in self.lines if line.finished]

    @property
    def by_game(self) -> bool:
        return len(self.numbers) <= MOST_COLUMNS

    @property
    def last_place(self) -> int:
        return max((len(row.places()) for row in self.rows), default=0)

    def place_numbers(self) -> range:
        return range(1, self.last_place + 1)

    def counts(self, row: TallyRow) -> list[int]:
        """Return how often a player took each of `place_numbers`."""
        places = list(row.places())
        return places + [0] * (self.last_place - len(places))

    def counted(self) -> list[tuple[TallyRow, list[int]]]:
        return [(row, self.counts(row)) for row in self.rows]


def finished_games(sheets: Sequence[Sheet]) -> list[FinishedGame]:
    return [FinishedGame(s.game, s.row.players) for s in sheets if s.game.finished]


def evening_of(sheets: Sequence[Sheet]) -> Evening:
    games = finished_games(sheets)
    standings = tally(games)
    names = list(dict.fromkeys(name for played in games for name in played.players))
    rows = []
    for row in standings:
        # Points per game, to one decimal if not whole.
        places = 0 if row.average.denominator == 1 else 1
        average = number_format(round(float(row.average), places), places)
        rows.append(TallyRow(row, average.replace("-", labels.MINUS), names.index(row.name)))
    settled, number = settle_evening(games), len(games)
    finished = ngettext("%(number)s game finished", "%(number)s games finished", number)
    return Evening(
        headline=_headline(standings),
        finished=finished % {"number": number},
        rows=tuple(rows),
        lines=tuple(map(_line, sheets)),
        payments=None if settled is None else payment_texts(*settled),
    )


def _line(sheet: Sheet) -> GameLine:
    game, players = sheet.game, sheet.row.players
    names = game.ruleset.side_names(players)
    paid = payments_of(game, players) if game.finished else None
    return GameLine(
        row=sheet.row,
        ruleset=labels.name_of(rules_of(sheet.row)),
        state=state_of(game, sheet.outcome, players),
        totals=tuple(zip(names, map(points_text, game.totals), strict=True)),
        payments=paid["paid"] if paid else (),
        finished=game.finished,
    )


def _headline(standings: Sequence[EveningStanding]) -> str:
    if not standings:
        return gettext("The evening")
    most = standings[0].won
    best = [row.name for row in standings if row.won == most]
    if len(best) == len(standings) or not most:
        return gettext("The evening is level.")
    return gettext("In the lead: %(players)s") % {"players": ", ".join(best)}


def evening_text(evening: Evening) -> str:
    """Return the evening as plain text, to paste into a chat."""
    lines = [evening.headline, evening.finished, ""]
    for row in evening.rows:
        won = gettext("won %(number)s") % {"number": row.standing.won}
        average = gettext("%(average)s a game") % {"average": row.average}
        places = " ".join(str(cell.rank) if cell else "–" for cell in row.cells())
        won = ", ".join(filter(None, [won, row.counted]))
        lines.append(f"{row.name}: {won}, {row.points} ({average}) · {places}")
    lines.append("")
    for line in evening.lines:
        totals = ", ".join(f"{name} {total}" for name, total in line.totals)
        lines.append(f"{line.number}. {line.state} · {line.ruleset} · {totals}")
        lines += (f"   {paid}" for paid in line.payments)
    if evening.payments is not None:
        lines += ["", gettext("Who pays whom for the evening"), *evening.payments]
        if not evening.payments:
            lines.append(gettext("Nobody owes anything."))
    return "\n".join([*lines, ""])


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

    @property
    def zone(self) -> ZoneInfo | None:
        """Return the time zone of its club; None for the server's."""
        table = self.last.table
        return table.round.event.club.zone if table else None


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
class Together:
    """All finished games of one ruleset, and what people have done in them.

    `contracts` are names, each with the points a deal of each person in the columns, and whether
    they are the best.
    """

    ruleset: str
    games: int
    goes_out: bool
    people: tuple[Figures, ...]
    contracts: tuple[tuple[str, list[tuple[Points | None, bool]]], ...]

    @property
    def columns(self) -> tuple[Figures, ...]:
        return self.people[:COLUMNS]


def evenings_of(rows: Sequence[Game], joined: Joined) -> list[PhoneEvening]:
    """Group games by their open table, the latest first (1 query if a game is in play)."""
    sheets = load_sheets([row for row in rows if row.result is None][:MOST_RUNNING])
    states = {s.row.pk: state_of(s.game, s.outcome, s.row.players) for s in sheets}
    tables: dict[Any, list[Game]] = {}
    for row in rows:
        key = ("table", row.open_table_id) if row.open_table_id else ("game", row.pk)
        tables.setdefault(key, []).append(row)
    return [_evening(tuple(games), states, joined) for games in tables.values()]


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
        return gettext("Not finished")
    won = Counter(name for row in finished for name in winners_of(row, joined))
    if len(finished) == 1 or not won:
        return _verdict(finished[0], tuple(won), joined)
    most = max(won.values())
    names = ", ".join(name for name, number in won.items() if number == most)
    return gettext("%(players)s: won %(number)s of %(games)s games") % {
        "players": names,
        "number": most,
        "games": len(finished),
    }


def _verdict(row: Game, winners: Sequence[str], joined: Joined) -> str:
    """Return the result of one game as its own sheet says it, without reading the sheet."""
    result, names = row.result or {}, ruleset_of(row).side_names(players_of(row, joined))
    if result["out"]:
        out = ", ".join(names[side] for side in result["out"])
        return gettext("Out: %(players)s") % {"players": out}
    if result["sunk"]:
        return gettext("Nobody is out.")
    return (
        gettext("Won: %(players)s") % {"players": ", ".join(winners)}
        if winners
        else gettext("A draw.")
    )


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
    found = sorted(people.values(), key=lambda person: name_order(person.name))
    found.sort(key=lambda person: (-person.games, -person.firsts))
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


def _contracts(
    rules: Ruleset, people: Sequence[Figures]
) -> Iterator[tuple[str, list[tuple[Points | None, bool]]]]:
    for contract in rules.by_id:
        points = [each.per_deal(contract) for each in people]
        known = [each for each in points if each is not None]
        if known:
            best = max(known) if len(set(known)) > 1 else None
            row = [(each, each is not None and each == best) for each in points]
            yield contract_title(rules, contract), row
