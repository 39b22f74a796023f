"""The sheet of a game as a page: `SheetPage`, with a line for each entry from `lines_of`.

`news_of` and `entry_text` return single sentences of it. At the end, `draw_chart` and `draw_lines`
draw totals as the lines of a chart.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from types import MappingProxyType
from typing import Any, NamedTuple

from django.utils.text import Truncator
from django.utils.translation import gettext as _

from tournaments.engine.play.games import Game, only_totals, times_of
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
    FinalStanding,
    authors_of,
    badges_of,
    chances_of,
    deal_line,
    marks_of,
    meanings_of_marks,
    members_of,
    numbers_of,
    occasion_of,
    outcome_of,
    payments_of,
    reason_of,
    remark,
    role_marks,
    roles_of,
    standings_of,
    totals_text,
)
from tournaments.queries.sheets import ReviewedDeals, Sheet, fold_sheet, rules_of
from tournaments.texts import labels
from tournaments.texts.questions import options_text

Moved = tuple[tuple[str, Points, Points], ...]
"""The totals that a correction has changed: name, before, after."""


class Symbol(NamedTuple):
    """A contract as a few glyphs, with its full name and the suit that colours it."""

    glyphs: str
    name: str
    short: str = ""
    suit: str = ""


class SheetCell(NamedTuple):
    """The count of a side in a deal, its score, and the new total.

    `mark` says that the side declared or dealt, `by` in pairs who of them.
    """

    total: Points
    points: Points = 0
    units: str = ""
    king: bool = False
    mark: str = ""
    by: str = ""


class SheetLine(NamedTuple):
    """A line of the sheet for one entry. Lines that are equal are drawn once.

    `number` is that of the deal; other entries have a `note` instead, and cells only if they
    move points. `marks` are further details of a deal; `expected_sum` is the sum of the
    totals from here on, None if no points move; `hand` is the number of a hand that
    nobody played. `review` is the state of a deal that players confirm. `corrected_by` is the
    author of its last correction, None without one; if nothing was written since, `moved` are the
    totals that it has changed: name, before, after.
    """

    position: int
    symbol: Symbol
    number: int | None = None
    cells: tuple[SheetCell, ...] = ()
    note: str = ""
    corrected_by: str | None = None
    marks: tuple[str, ...] = ()
    expected_sum: Points | None = None
    hand: int | None = None
    review: str = ""
    moved: Moved | None = None


class SheetPage:
    """The sheet of a game; `players` are the names of its sides, `sides` their members."""

    def __init__(self, sheet: Sheet, reviews: ReviewedDeals | None = None) -> None:
        self.sheet = sheet
        self.game, players = sheet.game, sheet.row.players
        self.players = self.game.ruleset.side_names(players)
        self.sides = members_of(self.game.ruleset, players)
        self.lines = tuple(lines_of(sheet, reviews))
        marks = {cell.mark for line in self.lines for cell in line.cells}
        self.meanings = meanings_of_marks(self.game.ruleset, marks)
        self.last = self.lines[-1] if self.lines else None
        self.totals, self.sum = self.game.totals, sum(self.game.totals)
        self.expected_sum = self.game.expected_sum
        self.finished = self.game.finished
        self.badges = badges_of(self.game, sheet.badges, players)
        low = self.finished and sheet.badges
        self.chart = draw_chart(self.game, players, HEIGHT_BESIDE_RESULT if low else HEIGHT)
        self.payments = payments_of(self.game, players)

    @property
    def left(self) -> Mapping[str, tuple[int, ...]]:
        """How many contracts of each kind each side still has to declare."""
        ruleset = self.game.ruleset
        seats = [ruleset.sides.index(side) for side in range(ruleset.side_count)]
        left = [self.game.left_to_declare(seat) for seat in seats]
        kinds = ruleset.side_quotas
        return {labels.kind_name(k): tuple(each[k] for each in left) for k in kinds}

    @cached_property
    def answers(self) -> str:
        """How the table plays, as far as it is not as usual."""
        row = self.sheet.row
        return options_text(rules_of(row).changed_options(row.options)) if row.options else ""

    @cached_property
    def chances(self) -> str:
        return chances_of(self.game, self.sheet.row.players)

    @cached_property
    def standings(self) -> tuple[FinalStanding, ...]:
        return standings_of(self.game, self.sheet.outcome, self.sheet.row.players)

    @cached_property
    def headline(self) -> str:
        return outcome_of(self.game, self.sheet.outcome, self.sheet.row.players)

    @cached_property
    def occasion(self) -> str:
        return occasion_of(self.game, self.sheet.row.players)

    @cached_property
    def reason(self) -> str:
        return reason_of(self.game, self.sheet.outcome)


def lines_of(sheet: Sheet, reviews: ReviewedDeals | None = None) -> Iterator[SheetLine]:
    """Yield the line of each entry, in order.

    An entry has an `index` in the fold (`game.entries`), a `position` on the sheet, where removed
    lines keep theirs, and if cards were dealt a number: `number` if played, `hand` if all passed.
    """
    game, players = sheet.game, sheet.row.players
    deals = {played.entry: played for played in game.deals}
    rows = {row.entry: row for row in game.rows}
    numbers = numbers_of(game)
    times = {played.entry: time for played, time in times_of(game)}
    corrected_by: dict[int | None, str] = {}
    moved: dict[int | None, Moved] = {}
    corrections = [w for w in sheet.revisions if w.kind == Revision.Kind.CORRECTION]
    if corrections:
        authors = authors_of(sheet.row, sheet.revisions)
        corrected_by = {write.position: authors[write.revision] for write in corrections}
        if corrections[-1] is sheet.revisions[-1]:
            before = fold_sheet(sheet.row, sheet.revisions[:-1]).game.totals
            totals = zip(game.ruleset.side_names(players), before, game.totals, strict=True)
            moved = {corrections[-1].position: tuple(each for each in totals if each[1] != each[2])}
    for index, (position, entry) in enumerate(zip(sheet.positions, game.entries, strict=True)):
        row, deal = rows.get(index), reviews and reviews.deals.get(position)
        of_all: dict[str, Any] = {
            "corrected_by": corrected_by.get(position),
            "moved": moved.get(position),
            "expected_sum": None if row is None else row.expected_sum,
            "review": deal.state if deal else "",
        }
        if row is not None and index in deals:
            played = deals[index]
            contract, trump = played.contract, played.deal.details.get("trump")
            symbol = symbol_of(game.ruleset, contract.id, trump, times[index])
            if trump and not contract.named:
                symbol = symbol._replace(
                    glyphs=labels.suit_of(trump), short=labels.suit_name(trump)
                )
            line = deal_line(game, played, players)
            roles = roles_of(game.ruleset, numbers[index], game.first_declarer, contract)
            marks = role_marks(game.ruleset, players, line.seat, roles.deals)
            cells = tuple(
                SheetCell(total, points, taken, line.king == side, *mark)
                for side, (total, points, taken, mark) in enumerate(
                    zip(row.totals, row.points, line.taken, marks, strict=True)
                )
            )
            of_all["marks"] = line.marks
            yield SheetLine(position, symbol, numbers[index], cells, **of_all)
        else:
            symbol, note = _note(game.ruleset, entry, players)
            points = zip(row.totals, row.points, strict=True) if row else ()
            # The points of totals say the same once more.
            is_whole = isinstance(entry, Totals)
            cells = tuple(SheetCell(total, 0 if is_whole else own) for total, own in points)
            hand = numbers.get(index)
            yield SheetLine(position, symbol, None, cells, note, hand=hand, **of_all)


def _note(ruleset: Ruleset, entry: Entry, players: Sequence[str]) -> tuple[Symbol, str]:
    text = remark(entry, players)
    match entry:
        case Void(contract=str(contract)):
            return symbol_of(ruleset, contract), text
        case Adjustment():
            return Symbol("±", _("Adjustment")), f"{players[entry.seat]}: {text}"
        case Deal(contract=contract, details=details):
            return symbol_of(ruleset, contract, details.get("trump")), _("Being played")
    return Symbol(NOTE_GLYPHS[type(entry)], ""), text


NOTE_GLYPHS: Mapping[type, str] = MappingProxyType(
    {Void: "↺", Redeal: "↻", Passed: "→", Stopped: "■", Totals: "="}
)
"""Symbols of entries other than deals."""


def symbol_of(
    ruleset: Ruleset, contract: str | None, trump: object = None, number: int = 0
) -> Symbol:
    """Return the symbol of a contract, coloured by its suit; a sealed one has its own."""
    if contract is None:
        return Symbol("✉", _("sealed"))
    name = labels.contract_title(ruleset, contract)
    short = labels.contract_short(ruleset, contract)
    glyphs = labels.contract_symbol(ruleset, contract, trump, number)
    # A sign that is also the short name is not said twice.
    short = "" if labels.contract_symbol(ruleset, contract) == short else short
    if trump:
        suit = labels.suit_name(str(trump))
        name = f"{name}, {suit}" if trump == NO_TRUMP else f"{name} {suit}"
        return Symbol(glyphs, name, short, str(trump))
    red = "hearts" if "♥" in glyphs else "diamonds" if "♦" in glyphs else ""
    return Symbol(glyphs, name, short, red)


def news_of(sheet: Sheet) -> str:
    """Return who made the last entry, and its content; empty before the first entry."""
    if not sheet.revisions:
        return ""
    write = sheet.revisions[-1]
    number = None
    # Other entries have no number, and neither has a deal in play.
    if write.position in sheet.positions:
        number = numbers_of(sheet.game).get(sheet.positions.index(write.position))
    author = write.author if write.author in sheet.row.players else _("Another phone")
    corrected = write.kind == Revision.Kind.CORRECTION
    if write.kind == Revision.Kind.HEAD:
        text = _("%(who)s has changed names, seats or rules.")
    elif write.body is None:
        text = _("%(who)s has taken a line off the sheet.")
    elif number is None:
        text = _("%(who)s has corrected the sheet.") if corrected else _("%(who)s has written.")
    elif corrected:
        text = _("%(who)s has corrected deal %(number)s.")
    else:
        text = _("%(who)s has written deal %(number)s.")
    return text % {"who": author, "number": number}


def summary_of(body: Mapping[str, Any], sheet: Sheet) -> str:
    return entry_text(body, sheet.row.players, sheet.game.ruleset)


def entry_text(body: Mapping[str, Any], players: Sequence[str], rules: Ruleset) -> str:
    """Return an entry as one line of text, for a table with these players and rules."""
    parts: list[str] = []
    if "contract" in body:
        parts.append(labels.contract_title(rules, body["contract"]))
    if "trump" in body:
        parts.append(labels.suit_symbol(body["trump"]))
    counts = body.get("counts", {})
    for unit, numbers in counts.items():
        sides = zip(rules.side_names(players), numbers, strict=True)
        written = ", ".join(f"{side} {number}" for side, number in sides)
        parts.append(f"{labels.unit_name(unit)} {written}" if len(counts) > 1 else written)
    parts += marks_of(rules, players, body)
    # The declarer is omitted: it is unknown only if a partner may declare instead.
    seats = ("seat", "by", "declarer") if rules.declares == "pair" else ("seat", "by")
    for name in seats:
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


WIDTH, HEIGHT = 358, 200
HEIGHT_BESIDE_RESULT = 132
"""The height of a drawing that shares the screen with the result."""

LEFT_MARGIN, TOP_MARGIN, BOTTOM_MARGIN = 36, 10, 20
"""Margins: for the scale, above the lines, for the deal numbers."""

NAME_MARGIN, LETTER, LONGEST_LABEL = 24, 7.5, 16
"""Width between the end of a line and its name, where its shape stands; of a letter; and the
number of letters that every name has room for."""

LABEL_HEIGHT = 14
"""Minimum distance between two names."""

SHAPES = (
    "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
    "M-3.6-3.6h7.2v7.2h-7.2z",
    "M0-4.4L4.4 3.6H-4.4z",
    "M-4.2 0a4.2 4.2 0 1 0 8.4 0a4.2 4.2 0 1 0-8.4 0zM-2 0a2 2 0 1 0 4 0a2 2 0 1 0-4 0z",
    "M-5-1.7H5V1.7H-5z",
    "M0-5L5 0L0 5L-5 0z",
)
"""The shape of each seat, as in the style sheet, around its middle."""

STEPS = (1, 2, 5, 10, 20, 50, 100, 200, 250, 500, 1000, 2000, 5000, 10000)
MOST_STEPS = 6


Tick = tuple[float, str]
"""A column of the drawing, and its label."""


def draw_chart(game: Game, players: Sequence[str], height: int = HEIGHT) -> dict[str, Any] | None:
    """Draw the totals of each side by deal; None before the first deal, or if none is known.

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
    numbers = numbers_of(game)
    ticks = [
        (column, str(numbers[row.entry]))
        for column, row in enumerate(game.rows, 1)
        if numbers.get(row.entry, 1) % 5 == 0
    ]
    return draw_lines(ends, lines, columns, ticks, height=height)


def draw_lines(
    ends: Sequence[tuple[str, Sequence[str], int]],
    lines: Sequence[Sequence[Points]],
    columns: int,
    ticks: Sequence[Tick],
    *,
    height: int = HEIGHT,
) -> dict[str, Any]:
    """Return a line of totals for each of `ends`, in `columns` steps to the right.

    An end is a name, the names of its players, and the seat whose shape marks it. Numbers are in
    the units of the drawing. `names` are those of the players beside the end of their line, cut to
    fit, and `label` is their middle.
    """
    longest = max(len(player) for _, players, _ in ends for player in players)
    width = round(WIDTH - LEFT_MARGIN - NAME_MARGIN - LETTER * min(longest, LONGEST_LABEL))

    def x_at(column: float) -> float:
        return round(LEFT_MARGIN + width * column / columns, 1)

    x_of = [round(x_at(n)) for n in range(len(lines[0]))]
    letters = int((WIDTH - x_of[-1] - NAME_MARGIN) / LETTER)
    totals = [float(total) for line in lines for total in line]
    lowest, highest = min(totals), max(totals)
    step = next((s for s in STEPS if (highest - lowest) / s <= MOST_STEPS), STEPS[-1])
    low = int(lowest // step) * step
    high = max(-int(-highest // step) * step, low + step)

    def y_of(total: Points) -> float:
        return round(
            TOP_MARGIN
            + (height - TOP_MARGIN - BOTTOM_MARGIN) * (high - float(total)) / (high - low),
            1,
        )

    labels_height = LABEL_HEIGHT * max(len(players) for _, players, _ in ends)
    labels = _spread([y_of(line[-1]) for line in lines], labels_height, height)
    courses = []
    for (name, players, seat), line, label in zip(ends, lines, labels, strict=True):
        places = list(zip(x_of, [round(y_of(total)) for total in line], strict=True))
        steps = (f"{x - left} {y - above}" for (left, above), (x, y) in pairwise(places))
        first = label - LABEL_HEIGHT * (len(players) - 1) / 2
        course = {
            "name": name,
            "names": [
                (round(first + LABEL_HEIGHT * turn, 1), Truncator(player).chars(letters))
                for turn, player in enumerate(players)
            ],
            "seat": seat,
            "shape": SHAPES[seat],
            "total": line[-1],
            "path": f"M{places[0][0]} {places[0][1]}l{' '.join(steps)}",
            "end": y_of(line[-1]),
            "label": label,
        }
        courses.append(course)
    return {
        "width": WIDTH,
        "height": height,
        "left": LEFT_MARGIN,
        "right": x_of[-1],
        "broad": LEFT_MARGIN + width,
        "courses": courses,
        "marks": [(y_of(mark), str(mark)) for mark in range(low, high + 1, step)],
        "deals": [(x_at(column), label) for column, label in ticks],
    }


def _spread(ends: Sequence[float], line: int, height: int) -> list[float]:
    """Return positions of the names beside the ends of their lines, without overlaps."""
    order = sorted(range(len(ends)), key=lambda side: ends[side])
    places = {side: min(max(ends[side], TOP_MARGIN), height - BOTTOM_MARGIN) for side in order}
    for above, below in pairwise(order):
        places[below] = max(places[below], places[above] + line)
    overshoot = max(places[order[-1]] - (height - BOTTOM_MARGIN + 8), 0)
    limit = places[order[-1]] - overshoot
    for side in reversed(order):
        places[side] = min(places[side], limit)
        limit = places[side] - line
    return [round(places[side], 1) for side in range(len(ends))]
