"""A sheet as the pages show it: its lines, what is left to declare, how the game ended."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from types import MappingProxyType

from django.utils.translation import gettext as _

from tournaments import words
from tournaments.engine.entries import Adjustment, Deal, Entry, Passed, Redeal, Stopped, Void
from tournaments.engine.games import PlayedDeal, Row
from tournaments.engine.rulesets import Points, Ruleset
from tournaments.models import Write
from tournaments.queries.sheets import Sheet
from tournaments.telling.authors import authors_of
from tournaments.telling.sheets import (
    DealLine,
    Payments,
    deal_line,
    numbers_of,
    outcome_of,
    payments_of,
    remark,
    title_of,
)
from tournaments.web.deals.chart_view import Chart, draw_chart


@dataclass(frozen=True)
class Symbol:
    """A contract in a few glyphs, its name in full, and the suit that gives it its colour."""

    glyphs: str
    name: str
    short: str = ""
    suit: str = ""


@dataclass(frozen=True)
class Cell:
    """What one side took in a deal, what it was worth, and where that brought it.

    `declarer` names who of a pair declared.
    """

    total: Points
    points: Points = 0
    units: str = ""
    declares: bool = False
    king: bool = False
    declarer: str = ""


@dataclass(frozen=True)
class Correction:
    """Who last corrected an entry, and when."""

    author: str
    at: datetime


@dataclass(frozen=True)
class Line:
    """One entry of the sheet.

    `number` is that of the deal; lines that are no deal have a `note` instead of it, and
    cells only where points move. `marks` is what else was said of a deal; `expected_sum` is
    what the totals must add up to from here on, None where no points move; `hand` is the
    number of a hand that nobody played.
    """

    position: int
    symbol: Symbol
    number: int | None = None
    cells: tuple[Cell, ...] = ()
    note: str = ""
    correction: Correction | None = None
    marks: tuple[str, ...] = ()
    expected_sum: Points | None = None
    hand: int | None = None


@dataclass(frozen=True)
class Standing:
    """A player (or pair) at the end of the sheet."""

    name: str
    total: Points
    rank: int
    out: bool
    sunk: bool
    king: bool


@dataclass(frozen=True)
class Award:
    """A badge in the reader's words, and who earned it in which deal."""

    badge: str
    name: str
    meaning: str
    player: str
    deal: int | None


@dataclass(frozen=True)
class SheetPage:
    """Everything the sheet of a game shows; `players` are the names of its sides."""

    players: Sequence[str]
    lines: tuple[Line, ...]
    totals: tuple[Points, ...]
    sum: Points
    expected_sum: Points
    left: Mapping[str, tuple[int, ...]]
    chart: Chart | None
    standings: tuple[Standing, ...]
    awards: tuple[Award, ...]
    finished: bool
    headline: str
    payments: Payments | None

    @property
    def last(self) -> Line | None:
        """The newest line."""
        return self.lines[-1] if self.lines else None


def sheet_page(sheet: Sheet) -> SheetPage:
    """The sheet as a page shows it."""
    game, players = sheet.game, sheet.row.players
    names = game.ruleset.side_names(players)
    return SheetPage(
        players=names,
        lines=tuple(lines_of(sheet)),
        totals=game.totals,
        sum=sum(game.totals),
        expected_sum=game.expected_sum,
        left=_left_to_declare(sheet),
        chart=draw_chart(game, players),
        standings=tuple(_standings(sheet)),
        awards=tuple(_awards(sheet)),
        finished=game.finished,
        headline=outcome_of(game, sheet.outcome, players),
        payments=payments_of(game, players),
    )


def _left_to_declare(sheet: Sheet) -> dict[str, tuple[int, ...]]:
    """How many contracts of each kind each side still has to declare, by the kind's name."""
    game, sides = sheet.game, sheet.game.ruleset.sides
    left = [game.left_to_declare(sides.index(side)) for side in range(game.ruleset.side_count)]
    kinds = game.ruleset.side_quotas
    return {words.kind_name(kind): tuple(each[kind] for each in left) for kind in kinds}


def symbol_of(contract: str | None, trump: object = None, name: str = "") -> Symbol:
    """The symbol of a contract, red where its suit is; of a sealed one, that it is."""
    if contract is None:
        return Symbol("✉", _("sealed"))
    name = name or words.contract_name(contract)
    short, glyphs = (
        words.contract_short(contract, name),
        words.contract_symbol(contract, trump, name),
    )
    if trump:
        return Symbol(glyphs, f"{name} {words.suit_name(str(trump))}", short, str(trump))
    red = "hearts" if "♥" in glyphs else "diamonds" if "♦" in glyphs else ""
    return Symbol(glyphs, name, short, red)


def lines_of(sheet: Sheet) -> Iterator[Line]:
    """The lines of a sheet, one for each entry that stands."""
    game, players = sheet.game, sheet.row.players
    deals = {played.entry: played for played in game.deals}
    rows = {row.entry: row for row in game.rows}
    numbers = numbers_of(game)
    corrected = any(write.kind == Write.Kind.CORRECTION for write in sheet.writes)
    authors = authors_of(sheet.row, sheet.writes) if corrected else {}
    for index, entry in enumerate(game.entries):
        position, row = sheet.positions[index], rows.get(index)
        correction = _correction(sheet, position, authors)
        expected_sum = None if row is None else row.expected_sum
        if row is not None and index in deals:
            played, number = deals[index], numbers[index]
            told = deal_line(game, played, players)
            symbol = _symbol_of_deal(played)
            cells = tuple(_deal_cells(told, row))
            yield Line(position, symbol, number, cells, "", correction, told.marks, expected_sum)
        else:
            symbol, note = _note(game.ruleset, entry, players)
            moved = zip(row.totals, row.points, strict=True) if row else ()
            cells = tuple(Cell(total, points) for total, points in moved)
            hand = numbers.get(index)
            yield Line(position, symbol, None, cells, note, correction, (), expected_sum, hand)


def _symbol_of_deal(played: PlayedDeal) -> Symbol:
    """The symbol of a deal: where no contract is named, its trump alone."""
    contract, trump = played.contract, played.deal.details.get("trump")
    symbol = symbol_of(contract.id, trump, words.contract_title(contract))
    if contract.named or not trump:
        return symbol
    return replace(symbol, glyphs=words.suit_of(trump), short=words.suit_name(trump))


def _deal_cells(told: DealLine, row: Row) -> Iterator[Cell]:
    for side, (total, points) in enumerate(zip(row.totals, row.points, strict=True)):
        declares = told.side == side
        yield Cell(
            total,
            points,
            told.taken[side],
            declares=declares,
            king=told.king == side,
            declarer=told.declarer if declares else "",
        )


def _note(ruleset: Ruleset, entry: Entry, players: Sequence[str]) -> tuple[Symbol, str]:
    """The symbol and the words of an entry that is no deal."""
    said = remark(entry, players)
    match entry:
        case Void(contract=str(contract)):
            return symbol_of(contract, name=title_of(ruleset, contract)), said
        case Adjustment():
            reason = words.reason_name("adjustment", entry.reason)
            return Symbol("±", _("Adjustment")), f"{players[entry.seat]}: {reason}"
        case Deal(contract=contract, details=details):
            name = "" if contract is None else title_of(ruleset, contract)
            return symbol_of(contract, details.get("trump"), name), _("Being played")
    return Symbol(NOTE_GLYPHS[type(entry)], ""), said


NOTE_GLYPHS: Mapping[type, str] = MappingProxyType(
    {Void: "↺", Redeal: "↻", Passed: "→", Stopped: "■"}
)
"""What stands where a deal has its contract."""


def _correction(sheet: Sheet, position: int, authors: Mapping[int, str]) -> Correction | None:
    """The last correction; a deal that was opened and then counted is not corrected."""
    corrections = [
        write for write in sheet.versions(position) if write.kind == Write.Kind.CORRECTION
    ]
    return (
        Correction(authors[corrections[-1].revision], corrections[-1].at) if corrections else None
    )


def _standings(sheet: Sheet) -> Iterator[Standing]:
    game, outcome = sheet.game, sheet.outcome
    names = game.ruleset.side_names(sheet.row.players)
    king = None
    if game.ending is not None and game.ending.by == "king" and game.ending.seat is not None:
        king = game.ruleset.sides[game.ending.seat]
    order = sorted(range(len(game.totals)), key=lambda side: outcome.ranks[side])
    for side in order:
        yield Standing(
            names[side],
            game.totals[side],
            outcome.ranks[side],
            out=side in outcome.out,
            sunk=side in outcome.sunk,
            king=side == king,
        )


def _awards(sheet: Sheet) -> Iterator[Award]:
    deal_of = numbers_of(sheet.game)
    names = sheet.game.ruleset.side_names(sheet.row.players)
    for badge in sheet.badges:
        yield Award(
            badge.badge,
            words.badge_name(badge.badge),
            words.badge_meaning(badge.badge),
            names[badge.seat],
            deal_of.get(badge.entry),
        )
