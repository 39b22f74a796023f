"""A sheet as the pages show it: its lines, what is left to declare, how the game ended."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from tournaments import words
from tournaments.engine.entries import Adjustment, Deal, Entry, Passed, Redeal, Stopped, Void
from tournaments.engine.games import PlayedDeal, Row
from tournaments.engine.rulesets import Points
from tournaments.queries import Sheet
from tournaments.web.chart_view import Chart, draw_chart


@dataclass(frozen=True)
class Symbol:
    """A contract in a few glyphs, its name in full, and the suit that gives it its colour."""

    glyphs: str
    name: str
    short: str = ""
    suit: str = ""


@dataclass(frozen=True)
class Cell:
    """What one side took in a deal, what it was worth, and where that brought it."""

    total: Points
    points: Points = 0
    units: str = ""
    declares: bool = False
    king: bool = False


@dataclass(frozen=True)
class Correction:
    """Who last corrected an entry, and when."""

    author: str
    at: datetime


@dataclass(frozen=True)
class Line:
    """One entry of the sheet.

    `number` is that of the deal; lines that are no deal have a `note` instead of it, and
    cells only where points move.
    """

    position: int
    symbol: Symbol
    number: int | None = None
    cells: tuple[Cell, ...] = ()
    note: str = ""
    correction: Correction | None = None


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
    """Everything the sheet of a game shows."""

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

    @property
    def last(self) -> Line | None:
        """The newest line."""
        return self.lines[-1] if self.lines else None


def sheet_page(sheet: Sheet) -> SheetPage:
    """The sheet as a page shows it."""
    game = sheet.game
    kinds = game.ruleset.quotas
    left = [game.left_to_declare(seat) for seat in range(game.ruleset.seats)]
    return SheetPage(
        players=sheet.row.players,
        lines=tuple(lines_of(sheet)),
        totals=game.totals,
        sum=sum(game.totals),
        expected_sum=game.expected_sum,
        left={words.kind_name(kind): tuple(each[kind] for each in left) for kind in kinds},
        chart=draw_chart(game, sheet.row.players),
        standings=tuple(_standings(sheet)),
        awards=tuple(_awards(sheet)),
        finished=game.finished,
        headline=_headline(sheet),
    )


def symbol_of(contract: str | None, trump: object = None) -> Symbol:
    """The symbol of a contract, red where its suit is; of a sealed one, that it is."""
    if contract is None:
        return Symbol("✉", _("sealed"))
    name, short = words.contract_name(contract), words.contract_short(contract)
    glyphs = words.contract_symbol(contract, trump)
    if trump:
        return Symbol(glyphs, f"{name} {words.suit_name(str(trump))}", short, str(trump))
    return Symbol(glyphs, name, short, "hearts" if "♥" in glyphs else "")


def lines_of(sheet: Sheet) -> Iterator[Line]:
    """The lines of a sheet, one for each entry that stands."""
    deals = {played.entry: played for played in sheet.game.deals}
    rows = {row.entry: row for row in sheet.game.rows}
    number = 0
    for index, entry in enumerate(sheet.game.entries):
        position, row = sheet.positions[index], rows.get(index)
        correction = _correction(sheet, position)
        if row is not None and index in deals:
            number += 1
            played = deals[index]
            symbol = symbol_of(played.contract.id, played.deal.details.get("trump"))
            cells = tuple(_deal_cells(played, row))
            yield Line(position, symbol, number, cells, correction=correction)
        else:
            symbol, note = _note(entry, sheet.row.players)
            moved = zip(row.totals, row.points, strict=True) if row else ()
            cells = tuple(Cell(total, points) for total, points in moved)
            yield Line(position, symbol, cells=cells, note=note, correction=correction)


def _deal_cells(played: PlayedDeal, row: Row) -> Iterator[Cell]:
    counts = list((played.deal.counts or {}).values())
    for side, (total, points) in enumerate(zip(row.totals, row.points, strict=True)):
        units = "·".join(str(numbers[side]) for numbers in counts)
        king = played.king is not None and played.king.made and played.king.seat == side
        yield Cell(total, points, units, declares=played.declarer == side, king=king)


def _note(entry: Entry, players: Sequence[str]) -> tuple[Symbol, str]:
    """The symbol and the words of an entry that is no deal."""
    match entry:
        case Void():
            symbol = symbol_of(entry.contract) if entry.contract else Symbol("↺", "")
            return symbol, words.reason_name("void", entry.reason)
        case Redeal():
            reason = words.reason_name("redeal", entry.reason)
            return Symbol("↻", ""), f"{players[entry.by]}: {reason}"
        case Adjustment():
            return Symbol("±", _("Adjustment")), f"{players[entry.seat]}: {entry.reason}"
        case Passed():
            return Symbol("→", ""), _("Everyone passed")
        case Stopped():
            reason = words.reason_name("stopped", entry.reason)
            return Symbol("■", ""), _("Stopped: %(reason)s") % {"reason": reason}
        case Deal():
            return symbol_of(entry.contract), _("Being played")


def _correction(sheet: Sheet, position: int) -> Correction | None:
    versions = sheet.versions(position)
    return Correction(versions[-1].author, versions[-1].at) if len(versions) > 1 else None


def _standings(sheet: Sheet) -> Iterator[Standing]:
    game, outcome = sheet.game, sheet.outcome
    king = game.ending.seat if game.ending is not None and game.ending.by == "king" else None
    order = sorted(range(len(game.totals)), key=lambda side: outcome.ranks[side])
    for side in order:
        yield Standing(
            sheet.row.players[side],
            game.totals[side],
            outcome.ranks[side],
            out=side in outcome.out,
            sunk=side in outcome.sunk,
            king=side == king,
        )


def _awards(sheet: Sheet) -> Iterator[Award]:
    deal_of = {played.entry: n for n, played in enumerate(sheet.game.deals, 1)}
    for badge in sheet.badges:
        yield Award(
            badge.badge,
            words.badge_name(badge.badge),
            words.badge_meaning(badge.badge),
            sheet.row.players[badge.seat],
            deal_of.get(badge.entry),
        )


def _headline(sheet: Sheet) -> str:
    """How the game ended, in one sentence; empty while it goes on."""
    game, players = sheet.game, sheet.row.players
    if game.ending is None:
        return ""
    king = {"player": players[game.ending.seat]} if game.ending.seat is not None else {}
    if game.ending.by == "king":
        return _("King! %(player)s alone is out.") % king
    if game.ending.by == "failed-king":
        return _("%(player)s declared King and failed: sunk alone.") % king
    out = [players[side] for side in sheet.outcome.out]
    if out:
        return _("Out: %(players)s") % {"players": ", ".join(out)}
    if sheet.outcome.sunk:
        return _("Nobody is out.")
    best = [players[side] for side, rank in enumerate(sheet.outcome.ranks) if rank == 1]
    return _("Won: %(players)s") % {"players": ", ".join(best)}
