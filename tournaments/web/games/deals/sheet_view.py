"""The sheet as pages show it: its lines, remaining declarations, and the result."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from types import MappingProxyType

from django.utils.translation import gettext as _

from tournaments.engine.play.games import PlayedDeal, Row
from tournaments.engine.rules.entries import (
    NO_TRUMP,
    Adjustment,
    Deal,
    Entry,
    Passed,
    Redeal,
    Stopped,
    Totals,
    Void,
)
from tournaments.engine.rules.rulesets import Points, Ruleset
from tournaments.models import Revision
from tournaments.presenters.games.sheets import (
    DealLine,
    EarnedBadge,
    FinalStanding,
    Payments,
    authors_of,
    badges_of,
    deal_line,
    numbers_of,
    occasion_of,
    outcome_of,
    payments_of,
    reason_of,
    remark,
    standings_of,
    title_of,
)
from tournaments.queries.games.sheets import ReviewedDeals, Sheet, fold_sheet
from tournaments.texts import labels
from tournaments.web.games.deals.chart_view import HEIGHT, LOW, Chart, draw_chart


@dataclass(frozen=True)
class Symbol:
    """A contract as a few glyphs, with its full name and the suit that colours it."""

    glyphs: str
    name: str
    short: str = ""
    suit: str = ""


@dataclass(frozen=True)
class SheetCell:
    """The count of a side in a deal, its score, and the new total.

    `declarer` is the name of the partner who declared.
    """

    total: Points
    points: Points = 0
    units: str = ""
    declares: bool = False
    king: bool = False
    declarer: str = ""


@dataclass(frozen=True)
class Correction:
    """The last correction of an entry: person and time."""

    author: str
    at: datetime


@dataclass(frozen=True)
class SheetLine:
    """A line of the sheet for one entry.

    `number` is that of the deal; other entries have a `note` instead, and cells only if they
    move points. `marks` are further details of a deal; `expected_sum` is the sum of the
    totals from here on, None if no points move; `hand` is the number of a hand that
    nobody played. `review` is the state of a deal that players confirm.
    """

    position: int
    symbol: Symbol
    number: int | None = None
    cells: tuple[SheetCell, ...] = ()
    note: str = ""
    correction: Correction | None = None
    marks: tuple[str, ...] = ()
    expected_sum: Points | None = None
    hand: int | None = None
    review: str = ""


@dataclass(frozen=True)
class SheetChange:
    """What the correction of the line at `position` has done to the totals: name, before, after."""

    position: int
    totals: tuple[tuple[str, Points, Points], ...]


Members = tuple[tuple[int, str], ...]
"""The seats of a side, with the names of the players."""


def members_of(ruleset: Ruleset, players: Sequence[str]) -> tuple[Members, ...]:
    """Return the members of each side."""
    seated = tuple(zip(ruleset.sides, enumerate(players), strict=True))
    return tuple(
        tuple(member for side, member in seated if side == its) for its in range(ruleset.side_count)
    )


@dataclass(frozen=True)
class SheetPage:
    """The sheet of a game; `players` are the names of its sides, `sides` their members."""

    players: Sequence[str]
    sides: tuple[Members, ...]
    lines: tuple[SheetLine, ...]
    totals: tuple[Points, ...]
    sum: Points
    expected_sum: Points
    left: Mapping[str, tuple[int, ...]]
    chart: Chart | None
    finished: bool
    headline: str
    payments: Payments | None
    sheet: Sheet
    change: SheetChange | None = None

    # Seldom asked for while a game runs.

    @cached_property
    def standings(self) -> tuple[FinalStanding, ...]:
        """The sides in order of rank."""
        return standings_of(self.sheet.game, self.sheet.outcome, self.sheet.row.players)

    @cached_property
    def badges(self) -> tuple[EarnedBadge, ...]:
        """The badges so far, each with its holders."""
        earned = self.sheet.badges
        return badges_of(self.sheet.game, earned, self.sheet.row.players) if earned else ()

    @cached_property
    def occasion(self) -> str:
        """The name of the game, and how it ended or how far it is."""
        return occasion_of(self.sheet.game, self.sheet.row.players)

    @cached_property
    def reason(self) -> str:
        """Why an unusual result came about."""
        return reason_of(self.sheet.game, self.sheet.outcome)

    @property
    def last(self) -> SheetLine | None:
        """The newest line."""
        return self.lines[-1] if self.lines else None


def sheet_page(sheet: Sheet, reviews: ReviewedDeals | None = None) -> SheetPage:
    """Return the sheet for a page."""
    game, players = sheet.game, sheet.row.players
    names = game.ruleset.side_names(players)
    deals = reviews.deals if reviews else {}
    states = {position: deal.state for position, deal in deals.items()}
    return SheetPage(
        players=names,
        sides=members_of(game.ruleset, players),
        lines=tuple(
            replace(line, review=states.get(line.position, "")) for line in lines_of(sheet)
        ),
        totals=game.totals,
        sum=sum(game.totals),
        expected_sum=game.expected_sum,
        left=_left_to_declare(sheet),
        chart=draw_chart(game, players, LOW if game.finished and sheet.badges else HEIGHT),
        finished=game.finished,
        headline=outcome_of(game, sheet.outcome, players),
        payments=payments_of(game, players),
        sheet=sheet,
        change=_last_change(sheet),
    )


def _last_change(sheet: Sheet) -> SheetChange | None:
    """Return what the last revision has changed, if it is a correction."""
    last = sheet.revisions[-1] if sheet.revisions else None
    if last is None or last.kind != Revision.Kind.CORRECTION or last.position is None:
        return None
    before = fold_sheet(sheet.row, sheet.revisions[:-1]).game.totals
    names = sheet.game.ruleset.side_names(sheet.row.players)
    moved = zip(names, before, sheet.game.totals, strict=True)
    return SheetChange(last.position, tuple(each for each in moved if each[1] != each[2]))


def _left_to_declare(sheet: Sheet) -> dict[str, tuple[int, ...]]:
    """Return by kind how many contracts each side still has to declare."""
    game, sides = sheet.game, sheet.game.ruleset.sides
    left = [game.left_to_declare(sides.index(side)) for side in range(game.ruleset.side_count)]
    kinds = game.ruleset.side_quotas
    return {labels.kind_name(kind): tuple(each[kind] for each in left) for kind in kinds}


@labels.in_language
def symbol_of(contract: str | None, trump: object = None, name: str = "") -> Symbol:
    """Return the symbol of a contract, coloured by its suit; a sealed one has its own."""
    if contract is None:
        return Symbol("✉", _("sealed"))
    name = name or labels.contract_name(contract)
    short, glyphs = (
        labels.contract_short(contract, name),
        labels.contract_symbol(contract, trump, name),
    )
    if trump:
        suit = labels.suit_name(str(trump))
        name = f"{name}, {suit}" if trump == NO_TRUMP else f"{name} {suit}"
        return Symbol(glyphs, name, short, str(trump))
    red = "hearts" if "♥" in glyphs else "diamonds" if "♦" in glyphs else ""
    return Symbol(glyphs, name, short, red)


def lines_of(sheet: Sheet) -> Iterator[SheetLine]:
    """Yield the lines of a sheet, one for each valid entry."""
    game, players = sheet.game, sheet.row.players
    deals = {played.entry: played for played in game.deals}
    rows = {row.entry: row for row in game.rows}
    numbers = numbers_of(game)
    corrected = any(write.kind == Revision.Kind.CORRECTION for write in sheet.revisions)
    authors = authors_of(sheet.row, sheet.revisions) if corrected else {}
    for index, entry in enumerate(game.entries):
        position, row = sheet.positions[index], rows.get(index)
        correction = _correction(sheet, position, authors)
        expected_sum = None if row is None else row.expected_sum
        if row is not None and index in deals:
            played, number = deals[index], numbers[index]
            deal = deal_line(game, played, players)
            symbol = _symbol_of_deal(played)
            cells = tuple(_deal_cells(deal, row))
            yield SheetLine(
                position, symbol, number, cells, "", correction, deal.marks, expected_sum
            )
        else:
            symbol, note = _note(game.ruleset, entry, players)
            moved = zip(row.totals, row.points, strict=True) if row else ()
            # The points of totals say the same once more.
            is_whole = isinstance(entry, Totals)
            cells = tuple(SheetCell(total, 0 if is_whole else points) for total, points in moved)
            hand = numbers.get(index)
            yield SheetLine(position, symbol, None, cells, note, correction, (), expected_sum, hand)


def _symbol_of_deal(played: PlayedDeal) -> Symbol:
    """Return the symbol of a deal: without a named contract, its trump alone."""
    contract, trump = played.contract, played.deal.details.get("trump")
    symbol = symbol_of(contract.id, trump, labels.contract_title(contract))
    if contract.named or not trump:
        return symbol
    return replace(symbol, glyphs=labels.suit_of(trump), short=labels.suit_name(trump))


def _deal_cells(deal: DealLine, row: Row) -> Iterator[SheetCell]:
    for side, (total, points) in enumerate(zip(row.totals, row.points, strict=True)):
        declares = deal.side == side
        yield SheetCell(
            total,
            points,
            deal.taken[side],
            declares=declares,
            king=deal.king == side,
            declarer=deal.declarer if declares else "",
        )


def _note(ruleset: Ruleset, entry: Entry, players: Sequence[str]) -> tuple[Symbol, str]:
    """Return the symbol and the text of an entry other than a deal."""
    said = remark(entry, players)
    match entry:
        case Void(contract=str(contract)):
            return symbol_of(contract, name=title_of(ruleset, contract)), said
        case Adjustment():
            return Symbol("±", _("Adjustment")), f"{players[entry.seat]}: {said}"
        case Deal(contract=contract, details=details):
            name = "" if contract is None else title_of(ruleset, contract)
            return symbol_of(contract, details.get("trump"), name), _("Being played")
    return Symbol(NOTE_GLYPHS[type(entry)], ""), said


NOTE_GLYPHS: Mapping[type, str] = MappingProxyType(
    {Void: "↺", Redeal: "↻", Passed: "→", Stopped: "■", Totals: "="}
)
"""Symbols of entries other than deals."""


def _correction(sheet: Sheet, position: int, authors: Mapping[int, str]) -> Correction | None:
    """Return the last correction; counting an opened deal is none."""
    corrections = [
        write for write in sheet.versions(position) if write.kind == Revision.Kind.CORRECTION
    ]
    return (
        Correction(authors[corrections[-1].revision], corrections[-1].at) if corrections else None
    )


Kind = Revision.Kind


def news_of(sheet: Sheet) -> str:
    """Return who made the last entry, and its content; empty before the first entry."""
    if not sheet.revisions:
        return ""
    write = sheet.revisions[-1]
    said = {"who": _writer(sheet, write), "number": _number(sheet, write)}
    if write.kind == Kind.HEAD:
        return _("%(who)s has changed names, seats or rules.") % said
    if write.body is None:
        return _("%(who)s has taken a line off the sheet.") % said
    corrected = write.kind == Kind.CORRECTION
    if said["number"] is None:
        text = _("%(who)s has corrected the sheet.") if corrected else _("%(who)s has written.")
    elif corrected:
        text = _("%(who)s has corrected deal %(number)s.")
    else:
        text = _("%(who)s has written deal %(number)s.")
    return text % said


def _writer(sheet: Sheet, write: Revision) -> str:
    """Return the player who wrote, if their phone or program said so."""
    return write.author if write.author in sheet.row.players else _("Another phone")


def _number(sheet: Sheet, write: Revision) -> int | None:
    """Return the number of the deal; None for other entries, and for a deal in play."""
    if write.position not in sheet.positions:
        return None
    return numbers_of(sheet.game).get(sheet.positions.index(write.position))
