"""The sheet of a game as a page, and its chart."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from itertools import pairwise
from types import MappingProxyType
from typing import Any

from django.utils.text import Truncator
from django.utils.translation import gettext as _

from tournaments.engine.play.games import Game, PlayedDeal, Row, only_totals
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
from tournaments.queries.scoresheets import (
    MARKS,
    DealLine,
    EarnedBadge,
    FinalStanding,
    Payments,
    authors_of,
    badges_of,
    deal_line,
    marks_of,
    numbers_of,
    occasion_of,
    outcome_of,
    payments_of,
    reason_of,
    remark,
    standings_of,
    title_of,
    totals_text,
)
from tournaments.queries.sheets import ReviewedDeals, Sheet, fold_sheet
from tournaments.texts import labels

WIDTH, HEIGHT = 358, 200
LOW = 132
"""The height of the drawing where it shares the screen with the result."""

LEFT, RIGHT, TOP, BOTTOM = 36, 98, 10, 20
"""Margins: for the scale, for the names at the ends of lines, for the deal numbers."""

LETTERS = 12
"""Maximum length of a name."""

LINE = 14
"""Minimum distance between two names."""

SHAPES = (
    "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
    "M-3.6-3.6h7.2v7.2h-7.2z",
    "M0-4.4L4.4 3.6H-4.4z",
    "M-4.2 0a4.2 4.2 0 1 0 8.4 0a4.2 4.2 0 1 0-8.4 0zM-2 0a2 2 0 1 0 4 0a2 2 0 1 0-4 0z",
    "M-5-1.7H5V1.7H-5z",
)
"""The shape of each seat, as in the style sheet, around its middle."""

STEPS = (1, 2, 5, 10, 20, 50, 100, 200, 250, 500, 1000, 2000, 5000, 10000)
MOST_STEPS = 6


@dataclass(frozen=True)
class Tick:
    """A mark on the scale of points or deals."""

    at: float
    label: str


@dataclass(frozen=True)
class ChartLine:
    """One side's line with the shape of its first seat at the end, and its name.

    `lines` are the names of its players, cut to fit, and `label` is the middle of the first.
    """

    name: str
    lines: tuple[Tick, ...]
    seat: int
    shape: str
    total: Points
    path: str
    end: float
    label: float


@dataclass(frozen=True)
class Chart:
    """Lines and scales in the units of the drawing."""

    width: int
    height: int
    left: int
    right: int
    zero: float
    bottom: float
    courses: tuple[ChartLine, ...]
    marks: tuple[Tick, ...]
    deals: tuple[Tick, ...]


def draw_chart(game: Game, players: Sequence[str], height: int = HEIGHT) -> Chart | None:
    """Return the totals of each side by deal; None before the first deal, or if none is known.

    `players` are names in seat order.
    """
    if not game.rows or only_totals(game):
        return None
    table = [(0,) * len(game.totals), *(row.totals for row in game.rows)]
    # As wide as the whole game, so that the line grows instead of being rescaled with each deal.
    extra = len(game.rows) - len(game.deals)
    length = None if game.finished else game.ruleset.length
    columns = max((length or len(game.deals)) + extra, 1)
    sides = game.ruleset.sides
    ends = [
        (name, [p for p, at in zip(players, sides, strict=True) if at == side], sides.index(side))
        for side, name in enumerate(game.ruleset.side_names(players))
    ]
    lines = list(zip(*table, strict=True))
    ticks = tuple(_deal_ticks(game, columns))
    return draw_lines(ends, lines, columns, ticks, height=height)


def draw_lines(
    ends: Sequence[tuple[str, Sequence[str], int]],
    lines: Sequence[Sequence[Points]],
    columns: int,
    ticks: tuple[Tick, ...],
    *,
    height: int = HEIGHT,
) -> Chart:
    """Return a line of totals for each of `ends`, in `columns` steps to the right.

    An end is a name, the names of its players, and the seat whose shape marks it.
    """
    x_of = [x_at(n, columns) for n in range(len(lines[0]))]
    step, low, high = _scale([float(total) for line in lines for total in line])

    def y_of(total: Points) -> float:
        return round(TOP + (height - TOP - BOTTOM) * (high - float(total)) / (high - low), 1)

    high_as = LINE * max(len(players) for _, players, _ in ends)
    labels = _spread([y_of(line[-1]) for line in lines], high_as, height)
    courses = []
    for (name, players, seat), line, label in zip(ends, lines, labels, strict=True):
        path = _path([(x, y_of(total)) for x, total in zip(x_of, line, strict=True)])
        below, end = tuple(_lines_of(players, label)), y_of(line[-1])
        courses.append(ChartLine(name, below, seat, SHAPES[seat], line[-1], path, end, label))
    return Chart(
        WIDTH,
        height,
        LEFT,
        round(x_of[-1]),
        y_of(0),
        height - BOTTOM,
        tuple(courses),
        tuple(Tick(y_of(mark), str(mark)) for mark in range(low, high + 1, step)),
        ticks,
    )


def _path(places: Sequence[tuple[float, float]]) -> str:
    whole = [(round(x), round(y)) for x, y in places]
    steps = (f"{x - left} {y - above}" for (left, above), (x, y) in pairwise(whole))
    return f"M{whole[0][0]} {whole[0][1]}l{' '.join(steps)}"


def x_at(column: float, columns: int) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * column / columns


def _lines_of(players: Sequence[str], middle: float) -> Iterator[Tick]:
    for turn, name in enumerate(players):
        at = middle + LINE * (turn - (len(players) - 1) / 2)
        yield Tick(round(at, 1), Truncator(name).chars(LETTERS))


def _scale(totals: Sequence[float]) -> tuple[int, int, int]:
    lowest, highest = min(totals), max(totals)
    step = next((s for s in STEPS if (highest - lowest) / s <= MOST_STEPS), STEPS[-1])
    low, high = int(lowest // step) * step, -int(-highest // step) * step
    return step, low, max(high, low + step)


def _spread(ends: Sequence[float], line: int, height: int) -> list[float]:
    """Return positions of the names beside the ends of their lines, without overlaps."""
    order = sorted(range(len(ends)), key=lambda side: ends[side])
    places = {side: min(max(ends[side], TOP), height - BOTTOM) for side in order}
    for above, below in pairwise(order):
        places[below] = max(places[below], places[above] + line)
    overshoot = max(places[order[-1]] - (height - BOTTOM + 8), 0)
    limit = places[order[-1]] - overshoot
    for side in reversed(order):
        places[side] = min(places[side], limit)
        limit = places[side] - line
    return [round(places[side], 1) for side in range(len(ends))]


def _deal_ticks(game: Game, columns: int) -> Iterator[Tick]:
    of_entry = numbers_of(game)
    for column, row in enumerate(game.rows, 1):
        number = of_entry.get(row.entry)
        if number is not None and number % 5 == 0:
            yield Tick(round(x_at(column, columns), 1), str(number))


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
        return self.lines[-1] if self.lines else None


def sheet_page(sheet: Sheet, reviews: ReviewedDeals | None = None) -> SheetPage:
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
    last = sheet.revisions[-1] if sheet.revisions else None
    if last is None or last.kind != Revision.Kind.CORRECTION or last.position is None:
        return None
    before = fold_sheet(sheet.row, sheet.revisions[:-1]).game.totals
    names = sheet.game.ruleset.side_names(sheet.row.players)
    moved = zip(names, before, sheet.game.totals, strict=True)
    return SheetChange(last.position, tuple(each for each in moved if each[1] != each[2]))


def _left_to_declare(sheet: Sheet) -> dict[str, tuple[int, ...]]:
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
    return write.author if write.author in sheet.row.players else _("Another phone")


def _number(sheet: Sheet, write: Revision) -> int | None:
    """Return the number of the deal; None for other entries, and for a deal in play."""
    if write.position not in sheet.positions:
        return None
    return numbers_of(sheet.game).get(sheet.positions.index(write.position))


def summary_of(body: Mapping[str, Any], sheet: Sheet) -> str:
    return entry_text(body, sheet.row.players, sheet.game.ruleset)


def entry_text(body: Mapping[str, Any], players: Sequence[str], rules: Ruleset) -> str:
    """Return an entry as one line of text, for a table with these players and rules."""
    parts: list[str] = []
    if "contract" in body:
        parts.append(title_of(rules, body["contract"]))
    if "trump" in body:
        parts.append(labels.suit_symbol(body["trump"]))
    parts += _counts(body.get("counts", {}))
    parts += marks_of(rules, players, body, MARKS)
    # The declarer is omitted: it is unknown only if a partner may declare instead.
    said = ("seat", "by", "declarer") if rules.declares == "pair" else ("seat", "by")
    for name in said:
        if name in body:
            parts.append(players[body[name]])
    if "points" in body:
        parts.append(labels.points_text(body["points"]))
    if "reason" in body:
        parts.append(labels.reason_name(body["type"], body["reason"]))
    if body.get("type") == "totals":
        parts.append(" : ".join(map(labels.points_text, body["totals"])))
        parts.append(totals_text(body))
    if body.get("type") == "passed":
        parts.append(_("Everyone passed"))
    return " · ".join(parts)


def _counts(counts: Mapping[str, Sequence[int]]) -> Iterator[str]:
    for unit, numbers in counts.items():
        written = " ".join(map(str, numbers))
        yield f"{labels.unit_name(unit)} {written}" if len(counts) > 1 else written
