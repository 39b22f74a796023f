"""The scoresheet of a game: what stands on it, in words and numbers, ready to be set."""

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from typing import Any

import segno
from babel.dates import format_date
from django.utils import timezone
from django.utils.translation import get_language, pgettext
from django.utils.translation import gettext as _

from tournaments import words
from tournaments.engine.badges import Badge, award
from tournaments.engine.entries import Adjustment, Deal, Entry, Redeal, Stopped, Void
from tournaments.engine.games import Game, PlayedDeal, Row
from tournaments.engine.outcomes import Outcome, decide
from tournaments.engine.records import read_game
from tournaments.engine.rulesets import Points
from tournaments.words import points_text

DATE_LOCALES = {"en": "en_GB"}
"""Where the language alone would write the date the American way."""

Data = dict[str, Any]


def compose_scoresheet(record: Mapping[str, Any], follow_url: str) -> Data:
    """Everything the scoresheet of a valid `kingscore-game/1` record says.

    Raises:
        ValueError: the record holds an entry that cannot be.
    """
    reading = read_game(record)
    if reading.game is None or reading.problems:
        raise ValueError(f"no valid game: {reading.problems}")
    game, players = reading.game, reading.players
    outcome = decide(game)
    name = words.ruleset_name(game.ruleset.id)
    return {
        "language": get_language(),
        "title": reading.title or name,
        "description": ", ".join(players),
        "subtitles": _lines(
            [name if reading.title else "", *_house_rules(game, record)],
            [reading.place, written_date(reading.played_at)],
        ),
        "ending": _ending(game, players),
        "players": players,
        "words": _words(),
        "rows": [*_rows(game, players), *_rows_to_come(game)],
        "totals": [points_text(game.totals[side]) for side in game.ruleset.sides],
        "places": [_place(game, outcome, side) for side in game.ruleset.sides],
        "sum": _sum(game),
        "course": _course(game),
        "sides": game.ruleset.side_names(players),
        "badges": _badges(game, players),
        "follow": _follow(follow_url),
    }


def written_date(moment: str) -> str:
    """The day of an ISO 8601 moment as the active language writes it; empty if there is none."""
    if not moment:
        return ""
    language = get_language() or "en"
    day = datetime.fromisoformat(moment)
    if timezone.is_aware(day):
        day = timezone.localtime(day)
    return format_date(day, "d MMMM y", locale=DATE_LOCALES.get(language, language))


def _words() -> Data:
    return {
        "number": _("No."),
        "contract": _("Contract"),
        "taken": _("taken"),
        "total": _("total"),
        "totals": _("Total"),
        "place": pgettext("rank", "Place"),
        "declared": _("declared this deal"),
        "badges": _("Badges"),
        "badges-note": _("with the numbers of the deals"),
    }


def _lines(*lines: Iterable[str]) -> list[str]:
    """Each line's parts that say something; lines that say nothing are left out."""
    joined = (" · ".join(part for part in parts if part) for parts in lines)
    return [line for line in joined if line]


def _house_rules(game: Game, record: Mapping[str, Any]) -> Iterator[str]:
    """The options of the table that differ from the usual ones."""
    usual = read_game({**record, "options": {}, "entries": []}).game
    for option in game.ruleset.options:
        value = game.ruleset.settings[option.setting]
        if usual is not None and value != usual.ruleset.settings[option.setting]:
            name = words.option_name(option.setting)
            yield f"{name}: {words.option_value_name(option.setting, value)}"


def _rows(game: Game, players: tuple[str, ...]) -> Iterator[Data]:
    """A line for each entry, in the order written."""
    deals = {played.entry: (number, played) for number, played in enumerate(game.deals, start=1)}
    moved = {row.entry: row for row in game.rows}
    for index, entry in enumerate(game.entries):
        if index in deals:
            yield _deal_row(game, *deals[index], moved[index])
        elif isinstance(entry, Adjustment):
            yield _adjustment_row(game, entry, moved[index])
        elif isinstance(entry, Deal):
            yield _open_row(game, entry)
        elif not isinstance(entry, Stopped):
            yield {"kind": "slim", "text": _remark(entry, players), "round-end": False}


def _deal_row(game: Game, number: int, played: PlayedDeal, row: Row) -> Data:
    counts = played.deal.counts or {}
    # Several units in one deal have no single number: then the points stand there.
    taken: tuple[Points, ...] = row.points
    if len(played.contract.units) == 1:
        taken = counts[played.contract.units[0].id]
    return {
        "kind": "deal",
        "number": str(number),
        "symbol": words.contract_symbol(played.contract.id, played.deal.details.get("trump")),
        "contract": words.contract_name(played.contract.id),
        "declarer": played.declarer,
        "cells": _cells(game, taken, row.totals, _king_maker(played)),
        "round-end": number % game.ruleset.seats == 0,
    }


def _king_maker(played: PlayedDeal) -> int | None:
    return played.king.seat if played.king is not None and played.king.made else None


def _adjustment_row(game: Game, entry: Adjustment, row: Row) -> Data:
    points = [f"+{value}" if value > 0 else value or "" for value in row.points]
    return {
        "kind": "adjustment",
        "text": _("Adjustment: %(reason)s") % {"reason": entry.reason},
        "cells": _cells(game, points, row.totals),
        "round-end": False,
    }


def _open_row(game: Game, deal: Deal) -> Data:
    number = len(game.deals) + 1
    return _empty_row(game, number) | {
        "symbol": words.contract_symbol(deal.contract or "", deal.details.get("trump")),
        "contract": words.contract_name(deal.contract or ""),
    }


def _rows_to_come(game: Game) -> list[Data]:
    """The deals a game still has: the sheet can be finished by hand."""
    if game.finished:
        return []
    begun = len(game.deals) + (game.open_deal is not None)
    length = game.ruleset.length or begun
    return [_empty_row(game, number) for number in range(begun + 1, length + 1)]


def _empty_row(game: Game, number: int) -> Data:
    return {
        "kind": "deal",
        "number": str(number),
        "symbol": "",
        "contract": "",
        "declarer": (game.first_declarer + number - 1) % game.ruleset.seats,
        "cells": [{"units": "", "total": "", "king": False} for _seat in game.ruleset.sides],
        "round-end": number % game.ruleset.seats == 0,
    }


def _cells(
    game: Game, taken: Sequence[object], totals: Sequence[Points], king: int | None = None
) -> list[Data]:
    """What one row says of each seat."""
    return [
        {
            "units": points_text(taken[side]),
            "total": points_text(totals[side]),
            "king": seat == king,
        }
        for seat, side in enumerate(game.ruleset.sides)
    ]


def _remark(entry: Entry, players: tuple[str, ...]) -> str:
    """An entry that moves no points, in a line."""
    match entry:
        case Void(reason=reason, contract=contract):
            parts = [contract and words.contract_name(contract)]
            parts.append(words.reason_name("void", reason))
        case Redeal(by=seat, reason=reason):
            parts = [players[seat], words.reason_name("redeal", reason)]
        case _:
            parts = []
    return " · ".join(part for part in parts if part)


def _ending(game: Game, players: tuple[str, ...]) -> str:
    """How the game ended, where it did not just come to its last deal."""
    ending, played = game.ending, len(game.deals)
    if ending is None:
        return _("Not finished: %(played)s of %(deals)s deals") % {
            "played": played,
            "deals": game.ruleset.length,
        }
    if ending.seat is not None:
        who = {"player": players[ending.seat], "deal": played}
        if ending.by == "king":
            return _("King by %(player)s in deal %(deal)s") % who
        return _("King declared and missed by %(player)s in deal %(deal)s") % who
    last = game.entries[ending.entry]
    if isinstance(last, Stopped):
        return _("Stopped early after %(played)s of %(deals)s deals: %(reason)s") % {
            "played": played,
            "deals": game.ruleset.length,
            "reason": words.reason_name("stopped", last.reason),
        }
    return ""


def _place(game: Game, outcome: Outcome, side: int) -> Data:
    """The place of a side, and whether it is out, sunk, or the winner where there are no such."""
    state, best = "", False
    if side in outcome.out:
        state, best = _("out"), True
    elif side in outcome.sunk:
        state = _("sunk")
    elif game.finished and outcome.ranks[side] == 1:
        state, best = _("winner"), True
    return {"rank": str(outcome.ranks[side]), "state": state, "best": best}


def _sum(game: Game) -> str:
    """The check of the whole sheet: the scores added up, and what they must be."""
    first, *others = game.totals
    terms = [points_text(first)]
    for total in others:
        terms += [words.MINUS if total < 0 else "+", points_text(abs(total))]
    right = sum(game.totals) == game.expected_sum
    return _("Sum: %(terms)s = %(sum)s") % {
        "terms": " ".join(terms),
        "sum": points_text(sum(game.totals)) + (" ✓" if right else " ✗"),
    }


def _course(game: Game) -> list[list[float]]:
    """The totals of each side from nothing on, only to be drawn."""
    sides = range(game.ruleset.side_count)
    return [[0.0, *(float(row.totals[side]) for row in game.rows)] for side in sides]


def _badges(game: Game, players: tuple[str, ...]) -> list[Data]:
    """The badges by name, each with who earned it and in which deals."""
    numbers = {played.entry: number for number, played in enumerate(game.deals, start=1)}
    earned = sorted(award(game), key=lambda badge: (_order(badge), badge.seat, badge.entry))
    names, sheet = game.ruleset.side_names(players), []
    for name, of_a_name in groupby(earned, key=lambda badge: badge.badge):
        who = [
            {
                "player": names[side],
                "deals": ", ".join(str(numbers[b.entry]) for b in of_a_side if b.entry in numbers),
            }
            for side, of_a_side in groupby(of_a_name, key=lambda badge: badge.seat)
        ]
        meaning = words.badge_meaning(name)
        sheet.append({"name": words.badge_name(name), "meaning": meaning, "who": who})
    return sheet


def _order(badge: Badge) -> int:
    """Badges stand on the sheet as the rules list them."""
    return list(words.BADGES).index(badge.badge)


def _follow(url: str) -> Data | None:
    """The follow address as a QR code; None where a game cannot be followed."""
    if not url:
        return None
    drawing = io.BytesIO()
    segno.make(url, error="m", micro=False).save(drawing, kind="svg", border=0, xmldecl=False)
    return {"url": url, "qr": drawing.getvalue().decode(), "caption": _("Follow this game")}
