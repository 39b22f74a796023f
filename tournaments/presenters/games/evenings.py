"""The evening of an open table as texts, for the page, the PDF and plain text."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tournaments.engine.play.outcomes import (
    EveningStanding,
    FinishedGame,
    Placed,
    settle_evening,
    tally,
)
from tournaments.models import Game
from tournaments.presenters.games.sheets import Paid, payments_of, state_of
from tournaments.queries.games.sheets import Sheet, rules_of
from tournaments.texts import labels
from tournaments.texts.labels import points_text

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
    payments: tuple[Paid, ...]
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
    payments: tuple[Paid, ...] | None

    @property
    def numbers(self) -> list[int]:
        """Return the numbers of the finished games."""
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
    """Return the evening of a table from all its sheets, in order."""
    games = finished_games(sheets)
    standings = tally(games)
    names = list(dict.fromkeys(name for played in games for name in played.players))
    number = len(games)
    finished = ngettext("%(number)s game finished", "%(number)s games finished", number)
    return Evening(
        headline=_headline(standings),
        finished=finished % {"number": number},
        rows=tuple(
            TallyRow(each, average_text(each.average), names.index(each.name)) for each in standings
        ),
        lines=tuple(map(_line, sheets)),
        payments=_payments(games),
    )


def average_text(average: Fraction) -> str:
    """Return points per game in the active language, to one decimal if not whole."""
    places = 0 if average.denominator == 1 else 1
    return number_format(round(float(average), places), places).replace("-", labels.MINUS)


def _line(sheet: Sheet) -> GameLine:
    game, players = sheet.game, sheet.row.players
    names = game.ruleset.side_names(players)
    paid = payments_of(game, players) if game.finished else None
    return GameLine(
        row=sheet.row,
        ruleset=labels.name_of(rules_of(sheet.row)),
        state=state_of(game, sheet.outcome, players),
        totals=tuple(zip(names, map(points_text, game.totals), strict=True)),
        payments=paid.paid if paid else (),
        finished=game.finished,
    )


def _headline(standings: Sequence[EveningStanding]) -> str:
    if not standings:
        return _("The evening")
    most = standings[0].won
    best = [each.name for each in standings if each.won == most]
    if len(best) == len(standings) or not most:
        return _("The evening is level.")
    return _("In the lead: %(players)s") % {"players": ", ".join(best)}


def _payments(games: Sequence[FinishedGame]) -> tuple[Paid, ...] | None:
    settled = settle_evening(games)
    if settled is None:
        return None
    names, payments = settled
    return tuple(
        Paid(names[each.payer], names[each.payee], labels.money_text(each.amount))
        for each in payments
    )


def evening_text(evening: Evening) -> str:
    """Return the evening as plain text, to paste into a chat."""
    return "\n".join([*_text_lines(evening), ""])


def _text_lines(evening: Evening) -> Iterator[str]:
    yield evening.headline
    yield evening.finished
    yield ""
    for row in evening.rows:
        won = _("won %(number)s") % {"number": row.standing.won}
        each = _("%(average)s a game") % {"average": row.average}
        places = " ".join(str(cell.rank) if cell else "–" for cell in row.cells())
        yield f"{row.name}: {won}, {row.points} ({each}) · {places}"
    yield ""
    for line in evening.lines:
        totals = ", ".join(f"{name} {total}" for name, total in line.totals)
        yield f"{line.number}. {line.state} · {line.ruleset} · {totals}"
        yield from (f"   {paid}" for paid in line.payments)
    if evening.payments is not None:
        yield ""
        yield _("Who pays whom for the evening")
        yield from (str(paid) for paid in evening.payments)
        if not evening.payments:
            yield _("Nobody owes anything.")
