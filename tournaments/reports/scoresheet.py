"""The scoresheet of a game: what stands on it, in words and numbers, ready to be set."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from typing import Any

from babel.dates import format_date
from django.utils import timezone
from django.utils.translation import get_language, pgettext
from django.utils.translation import gettext as _

from tournaments import words
from tournaments.engine.badges import Badge, award
from tournaments.engine.entries import Adjustment, Deal, Entry, Stopped, Void
from tournaments.engine.games import Game, PlayedDeal, Row
from tournaments.engine.outcomes import Outcome, decide
from tournaments.engine.records import read_game
from tournaments.engine.rulesets import Points, Ruleset
from tournaments.reports.codes import drawn_code
from tournaments.telling.sheets import (
    deal_line,
    ending_of,
    numbers_of,
    payments_of,
    remark,
    title_of,
)
from tournaments.words import points_text

DATE_LOCALES = {"en": "en_GB"}
"""Where the language alone would write the date the American way."""

Data = dict[str, Any]


def compose_scoresheet(
    record: Mapping[str, Any], follow_url: str, where: str = "", played: Game | None = None
) -> Data:
    """Everything the scoresheet of a valid `kingscore-game/1` record says.

    `where` is the round and table of its event; `played` is the game after the record's entries,
    from who has it already: to play a thousand games once more takes seconds.

    Raises:
        ValueError: the record holds an entry that cannot be.
    """
    reading = read_game(record if played is None else {**record, "entries": []})
    if reading.game is None or reading.problems:
        raise ValueError(f"no valid game: {reading.problems}")
    game, players = played or reading.game, reading.players
    outcome = decide(game)
    name = words.name_of(game.ruleset)
    return {
        "language": get_language(),
        "title": reading.title or name,
        "description": ", ".join(players),
        "subtitles": _lines(
            [where, name if reading.title else "", *_house_rules(game, record)],
            [reading.place, written_date(reading.played_at)],
        ),
        "ending": ending_of(game, players),
        "sides": game.ruleset.side_names(players),
        "words": _words(game.ruleset),
        "rows": [*_rows(game, players), *_rows_to_come(game, players)],
        "totals": [points_text(total) for total in game.totals],
        "places": [_place(game, outcome, side) for side in range(game.ruleset.side_count)],
        "expected": points_text(game.expected_sum),
        "sum": _sum(game),
        "payments": _payments(game, players),
        "course": _course(game),
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


def _words(ruleset: Ruleset) -> Data:
    return {
        "number": _("No."),
        "contract": head_of_contracts(ruleset),
        "taken": head_of_numbers(ruleset),
        "total": _("total"),
        "totals": _("Total"),
        "place": pgettext("rank", "Place"),
        "declared": mark_of(ruleset),
        "doubled": _("doubled ×, redoubled ××") if "doubles" in ruleset.fields else "",
        "badges": _("Badges"),
        "badges-note": _("with the numbers of the deals"),
    }


def head_of_contracts(ruleset: Ruleset) -> str:
    """What stands above the contracts, or above the trumps where no contract is named."""
    if ruleset.unnamed is None:
        return _("Contract")
    return str(words.FIELDS["trump"]) if ruleset.unnamed.trumps else ""


def head_of_numbers(ruleset: Ruleset) -> str:
    """What stands above the numbers that a deal hands out, or leaves."""
    piles = ruleset.unnamed is not None and "left" in ruleset.unnamed.fields
    return pgettext("cards", "left") if piles else _("taken")


def mark_of(ruleset: Ruleset) -> str:
    """What it means that a side is marked in a deal; empty where none ever is."""
    if ruleset.unnamed is not None:
        return _("made trump") if "maker" in ruleset.unnamed.fields else ""
    if ruleset.plan and all(len(stage) == 1 for stage in ruleset.plan):
        return _("whose turn it was")
    return _("declared this deal")


def _lines(*lines: Iterable[str]) -> list[str]:
    """Each line's parts that say something; lines that say nothing are left out."""
    joined = (" · ".join(part for part in parts if part) for parts in lines)
    return [line for line in joined if line]


def _house_rules(game: Game, record: Mapping[str, Any]) -> Iterator[str]:
    """The options of the table that differ from the usual ones."""
    usual = read_game({**record, "options": {}, "entries": []}).game
    for option in game.ruleset.options:
        value = game.ruleset.settings.get(option.setting)
        if usual is not None and value != usual.ruleset.settings.get(option.setting):
            name = words.option_name(option.setting)
            yield f"{name}: {words.option_value_name(option.setting, value)}"


def _rows(game: Game, players: tuple[str, ...]) -> Iterator[Data]:
    """A line for each entry, in the order written."""
    numbers, moved = numbers_of(game), {row.entry: row for row in game.rows}
    deals = {played.entry: played for played in game.deals}
    for index, entry in enumerate(game.entries):
        if index in deals:
            yield _deal_row(game, players, numbers[index], deals[index], moved[index])
        elif isinstance(entry, Adjustment):
            yield _adjustment_row(entry, moved[index])
        elif isinstance(entry, Deal):
            yield _open_row(game, players, entry)
        elif not isinstance(entry, Stopped):
            text = _remark(game.ruleset, entry, players)
            number = str(numbers.get(index, ""))
            yield {"kind": "slim", "number": number, "text": text, "round-end": False}


def _deal_row(
    game: Game, players: tuple[str, ...], number: int, played: PlayedDeal, row: Row
) -> Data:
    told = deal_line(game, played, players)
    named, name = played.contract.named, words.contract_title(played.contract)
    trump = played.deal.details.get("trump")
    symbol = words.contract_symbol(played.contract.id, trump, name)
    return {
        "kind": "deal",
        "number": str(number),
        "symbol": symbol if named else words.suit_of(trump),
        "contract": name if named else "",
        "marks": " · ".join(told.marks),
        "side": told.side,
        "declarer": told.declarer,
        "cells": _cells(told.taken, row.totals, told.king),
        "expected": points_text(row.expected_sum),
        "round-end": ends_round(game.ruleset, number),
    }


def _adjustment_row(entry: Adjustment, row: Row) -> Data:
    points = [f"+{points_text(value)}" if value > 0 else value or "" for value in row.points]
    return {
        "kind": "adjustment",
        "text": _("Adjustment: %(reason)s")
        % {"reason": words.reason_name("adjustment", entry.reason)},
        "cells": _cells(points, row.totals),
        "expected": points_text(row.expected_sum),
        "round-end": False,
    }


def _open_row(game: Game, players: tuple[str, ...], deal: Deal) -> Data:
    number = len(game.deals) + 1
    row = _empty_row(game, players, number)
    if deal.contract is None:
        return row | {"symbol": "✉", "contract": _("sealed")}
    name = title_of(game.ruleset, deal.contract)
    symbol = words.contract_symbol(deal.contract, deal.details.get("trump"), name)
    return row | {"symbol": symbol, "contract": name}


def _rows_to_come(game: Game, players: tuple[str, ...]) -> list[Data]:
    """The deals a game still has: the sheet can be finished by hand."""
    if game.finished:
        return []
    begun = len(game.deals) + (game.open_deal is not None)
    length = game.ruleset.length or begun
    return [_empty_row(game, players, number) for number in range(begun + 1, length + 1)]


def _empty_row(game: Game, players: tuple[str, ...], number: int) -> Data:
    """A deal still to be played: whose turn it will be, and its contract where that is fixed."""
    ruleset = game.ruleset
    symbol, contract = words_of_stage(ruleset, number)
    # Passed hands move the turn on; who the makers will be nobody knows.
    turn = (game.first_declarer + (number - 1) // ruleset.in_a_row) % ruleset.seats
    return {
        "kind": "deal",
        "number": str(number),
        "symbol": symbol,
        "contract": contract,
        "marks": "",
        "side": ruleset.sides[turn] if is_declared(ruleset, number) else None,
        "declarer": players[turn] if ruleset.seats_in_a_side > 1 else "",
        "cells": [{"units": "", "total": "", "king": False}] * ruleset.side_count,
        "expected": "",
        "round-end": ends_round(ruleset, number),
    }


def words_of_stage(ruleset: Ruleset, number: int) -> tuple[str, str]:
    """Symbol and name of the contract of a deal (from 1), where the order is fixed."""
    stage = ruleset.plan[number - 1] if number <= len(ruleset.plan) else ()
    if len(stage) != 1:
        return "", ""
    contract = ruleset.by_id[stage[0]]
    name = words.contract_title(contract)
    return words.contract_symbol(contract.id, name=name), name


def is_declared(ruleset: Ruleset, number: int) -> bool:
    """Whether someone declares a deal (from 1), as far as that is known before."""
    stage = ruleset.plan[number - 1] if number <= len(ruleset.plan) else ()
    contracts = [ruleset.by_id[name] for name in stage] or ruleset.contracts
    return all(contract.declared and contract.named for contract in contracts)


def ends_round(ruleset: Ruleset, number: int) -> bool:
    """Whether everyone, or whoever declares several deals in a row, has had a turn."""
    deals = ruleset.in_a_row if ruleset.in_a_row > 1 else ruleset.seats
    return number % deals == 0


def _cells(
    taken: Sequence[object], totals: Sequence[Points], king: int | None = None
) -> list[Data]:
    """What one row says of each side."""
    return [
        {"units": points_text(units), "total": points_text(total), "king": side == king}
        for side, (units, total) in enumerate(zip(taken, totals, strict=True))
    ]


def _remark(ruleset: Ruleset, entry: Entry, players: tuple[str, ...]) -> str:
    """An entry that moves no points, in a line."""
    said = remark(entry, players)
    if isinstance(entry, Void) and entry.contract is not None:
        return f"{title_of(ruleset, entry.contract)} · {said}"
    return said


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


def _payments(game: Game, players: tuple[str, ...]) -> Data | None:
    """Who pays whom; None where the table plays without money."""
    payments = payments_of(game, players)
    if payments is None:
        return None
    title = _("Who pays whom") if game.finished else _("Who would pay whom now")
    stake = _("%(stake)s a point") % {"stake": payments.stake}
    paid = [str(payment) for payment in payments.paid] or [_("Nobody owes anything.")]
    return {"title": title, "stake": stake, "paid": paid}


def _course(game: Game) -> list[list[float]]:
    """The totals of each side from nothing on, only to be drawn."""
    sides = range(game.ruleset.side_count)
    return [[0.0, *(float(row.totals[side]) for row in game.rows)] for side in sides]


def _badges(game: Game, players: tuple[str, ...]) -> list[Data]:
    """The badges by name, each with who earned it and in which deals."""
    numbers = numbers_of(game)
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
    return {"url": url, "qr": drawn_code(url), "caption": _("Follow this game")}
