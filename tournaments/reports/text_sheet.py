"""The scoresheet as text, for a terminal."""

from collections.abc import Iterable, Sequence

from django.utils.translation import gettext as _

from tournaments.engine.badges import award
from tournaments.engine.entries import Deal, Entry, Passed, Redeal, Stopped, Void
from tournaments.engine.games import Game, Row
from tournaments.engine.outcomes import decide
from tournaments.engine.records import Reading
from tournaments.messages import explain
from tournaments.words import (
    badge_name,
    contract_name,
    points_text,
    reason_name,
    ruleset_name,
    suit_symbol,
)


def draw_sheet(reading: Reading) -> str:
    """A game as far as it could be read: the sheet, the outcome, and what is wrong."""
    lines: list[str] = []
    if reading.game is not None:
        lines += [reading.title or ruleset_name(reading.game.ruleset.id), ""]
        lines += _draw_rows(reading.game, reading.players)
        lines += _draw_outcome(reading.game, reading.players)
    place = "" if reading.entry is None else _("Entry %(number)s: ") % {"number": reading.entry}
    lines += [place + explain(problem, reading.players) for problem in reading.problems]
    return "\n".join([*lines, ""])


def _draw_rows(game: Game, players: Sequence[str]) -> list[str]:
    names = game.ruleset.side_names(players)
    table = [["", _("Contract"), *names, "Σ"]]
    rows = {row.entry: row for row in game.rows}
    number = 0
    for index, entry in enumerate(game.entries):
        number += isinstance(entry, Deal) and index in rows
        label = [str(number) if isinstance(entry, Deal) else "", _describe(entry)]
        table.append([*label, *_draw_points(game, rows.get(index))])
    return _align(table)


def _draw_points(game: Game, row: Row | None) -> Iterable[str]:
    if row is None:
        return [""] * (game.ruleset.side_count + 1)
    pairs = zip(row.points, row.totals, strict=True)
    columns = [f"{points_text(points)} / {points_text(total)}" for points, total in pairs]
    return [*columns, points_text(row.expected_sum)]


def _describe(entry: Entry) -> str:
    if isinstance(entry, Deal):
        trump = str(entry.details.get("trump", ""))
        return (
            f"{contract_name(entry.contract or '')} {suit_symbol(trump) if trump else ''}".strip()
        )
    if isinstance(entry, Void):
        return reason_name("void", entry.reason)
    if isinstance(entry, Redeal):
        return reason_name("redeal", entry.reason)
    if isinstance(entry, Passed):
        return _("passed")
    if isinstance(entry, Stopped):
        return reason_name("stopped", entry.reason)
    return entry.reason


def _draw_outcome(game: Game, players: Sequence[str]) -> list[str]:
    names = game.ruleset.side_names(players)
    outcome = decide(game)
    places = sorted(zip(outcome.ranks, names, strict=True))
    lines = ["", ", ".join(f"{rank}. {name}" for rank, name in places)]
    for title, sides in ((_("Out"), outcome.out), (_("Sunk"), outcome.sunk)):
        if sides:
            lines.append(f"{title}: {', '.join(names[side] for side in sides)}")
    deals = {played.entry: number for number, played in enumerate(game.deals, start=1)}
    for badge in award(game):
        deal = deals.get(badge.entry, len(deals))
        lines.append(f"{badge_name(badge.badge)}: {names[badge.seat]} ({deal})")
    return lines


def _align(table: Sequence[Sequence[str]]) -> list[str]:
    """Columns of equal width: words to the left, numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = []
    for row in table:
        number, contract, *points = row
        cells = [number.rjust(widths[0]), contract.ljust(widths[1])]
        cells += [cell.rjust(width) for cell, width in zip(points, widths[2:], strict=True)]
        lines.append("  ".join(cells).rstrip())
    return lines
