"""The scoresheet as text, for a terminal."""

from collections.abc import Iterable, Sequence

from django.utils.translation import gettext as _

from tournaments.engine.documents.games import Reading
from tournaments.engine.play.games import Game, PlayedDeal, Row
from tournaments.engine.play.outcomes import award, decide
from tournaments.engine.rules.entries import Deal, Entry
from tournaments.presenters.games.sheets import (
    deal_line,
    ending_of,
    numbers_of,
    outcome_of,
    payments_of,
    remark,
    title_of,
)
from tournaments.texts.labels import (
    badge_name,
    contract_title,
    name_of,
    points_text,
    suit_of,
)
from tournaments.texts.messages import explain


def draw_sheet(reading: Reading) -> str:
    """Return a game as far as it was readable: the sheet, the outcome, and the problems."""
    lines: list[str] = []
    if reading.game is not None:
        lines += [reading.title or name_of(reading.game.ruleset), ""]
        lines += _draw_rows(reading.game, reading.players)
        lines += _draw_outcome(reading.game, reading.players)
        lines += _draw_payments(reading.game, reading.players)
    place = "" if reading.entry is None else _("Entry %(number)s: ") % {"number": reading.entry}
    lines += [place + explain(problem, reading.players) for problem in reading.problems]
    return "\n".join([*lines, ""])


def _draw_rows(game: Game, players: Sequence[str]) -> list[str]:
    names = game.ruleset.side_names(players)
    table = [["", _("Contract"), *names, "Σ"]]
    rows = {row.entry: row for row in game.rows}
    deals = {played.entry: played for played in game.deals}
    numbers = numbers_of(game)
    for index, entry in enumerate(game.entries):
        label = str(numbers.get(index, ""))
        if index in deals:
            says = _describe_deal(game, deals[index], players)
        else:
            says = _describe(game, entry, players)
        table.append([label, says, *_draw_points(game, rows.get(index))])
    return _align(table)


def _draw_points(game: Game, row: Row | None) -> Iterable[str]:
    if row is None:
        return [""] * (game.ruleset.side_count + 1)
    pairs = zip(row.points, row.totals, strict=True)
    columns = [f"{points_text(points)} / {points_text(total)}" for points, total in pairs]
    return [*columns, points_text(row.expected_sum)]


def _describe_deal(game: Game, played: PlayedDeal, players: Sequence[str]) -> str:
    """Return the contract and, in brackets, the declarer (if no column shows it) and remarks."""
    details = deal_line(game, played, players)
    name = contract_title(played.contract) if played.contract.named else ""
    said = ", ".join(filter(None, [details.declarer, *details.marks]))
    parts = [name, suit_of(played.deal.details.get("trump")), said and f"({said})"]
    return " ".join(filter(None, parts))


def _describe(game: Game, entry: Entry, players: Sequence[str]) -> str:
    if not isinstance(entry, Deal):
        return remark(entry, players)
    name = _("sealed") if entry.contract is None else title_of(game.ruleset, entry.contract)
    return f"{name} {suit_of(entry.details.get('trump'))}".strip()


def _draw_outcome(game: Game, players: Sequence[str]) -> list[str]:
    names = game.ruleset.side_names(players)
    outcome = decide(game)
    places = sorted(zip(outcome.ranks, names, strict=True))
    lines = ["", ", ".join(f"{rank}. {name}" for rank, name in places)]
    lines += filter(None, [ending_of(game, players), outcome_of(game, outcome, players)])
    deals = numbers_of(game)
    for badge in award(game):
        deal = deals.get(badge.entry, len(deals))
        lines.append(f"{badge_name(badge.badge)}: {names[badge.seat]} ({deal})")
    return lines


def _draw_payments(game: Game, players: Sequence[str]) -> list[str]:
    payments = payments_of(game, players)
    return [] if payments is None else [str(payment) for payment in payments.paid]


def _align(table: Sequence[Sequence[str]]) -> list[str]:
    """Align the columns: words to the left, numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = []
    for row in table:
        number, contract, *points = row
        cells = [number.rjust(widths[0]), contract.ljust(widths[1])]
        cells += [cell.rjust(width) for cell, width in zip(points, widths[2:], strict=True)]
        lines.append("  ".join(cells).rstrip())
    return lines
