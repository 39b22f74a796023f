"""The scoresheet of a game: its texts and numbers, ready for typesetting."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from babel.dates import format_date
from django.utils import timezone
from django.utils.translation import get_language, pgettext
from django.utils.translation import gettext as _

from tournaments.engine.documents.games import digest_of_game, letters_of, read_game
from tournaments.engine.play.games import Game, PlayedDeal, Row, only_totals
from tournaments.engine.play.outcomes import Outcome, award, decide
from tournaments.engine.rules.entries import Adjustment, Deal, Entry, Stopped, Totals, Void
from tournaments.engine.rules.rulesets import Points, Ruleset
from tournaments.presenters.games.sheets import (
    badges_of,
    deal_line,
    ending_of,
    numbers_of,
    payments_of,
    remark,
    title_of,
)
from tournaments.reports.codes import drawn_code
from tournaments.texts import labels
from tournaments.texts.labels import points_text

DATE_LOCALES = {"en": "en_GB"}
"""Locales for languages whose default date format would be American."""

Data = dict[str, Any]


def compose_scoresheet(
    record: Mapping[str, Any], follow_url: str, where: str = "", played: Game | None = None
) -> Data:
    """Return the data of the scoresheet of a valid `kingscore-game/1` record.

    `where` is the round and table of its event. `played` is the game after the record's entries, if
    the caller has it: replaying a thousand games takes seconds.

    Raises:
        ValueError: the record contains an invalid entry.
    """
    reading = read_game(record if played is None else {**record, "entries": []}, stored=True)
    if reading.game is None or reading.problems:
        raise ValueError(f"no valid game: {reading.problems}")
    game, players = played or reading.game, reading.players
    outcome = decide(game)
    name = labels.name_of(game.ruleset)
    return {
        "language": get_language(),
        "title": reading.title or name,
        "description": ", ".join(players),
        "subtitles": _lines(
            [where, name if reading.title else "", *_house_rules(game, record)],
            [reading.place, written_date(reading.played_at), _code(game, record)],
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


def _code(game: Game, record: Mapping[str, Any]) -> str:
    """Return the code of a finished game, to compare it with what is stored."""
    code = {"code": letters_of(digest_of_game(record))}
    return _("Code: %(code)s") % code if game.finished and record["entries"] else ""


def written_date(moment: str) -> str:
    """Return the date of an ISO 8601 time in the active language; empty if there is none."""
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
    """Return the header of the contracts, or of the trumps if contracts are not named."""
    if ruleset.unnamed is None:
        return _("Contract")
    return str(labels.FIELDS["trump"]) if ruleset.unnamed.trumps else ""


def head_of_numbers(ruleset: Ruleset) -> str:
    piles = ruleset.unnamed is not None and "left" in ruleset.unnamed.fields
    return pgettext("cards", "left") if piles else _("taken")


def mark_of(ruleset: Ruleset) -> str:
    """Return the meaning of a side's mark in a deal; empty if there are no marks."""
    if ruleset.unnamed is not None:
        return _("made trump") if "maker" in ruleset.unnamed.fields else ""
    if ruleset.plan and all(len(stage) == 1 for stage in ruleset.plan):
        return _("whose turn it was")
    return _("declared this deal")


def _lines(*lines: Iterable[str]) -> list[str]:
    """Join the non-empty parts of each line; leave out empty lines."""
    joined = (" · ".join(part for part in parts if part) for parts in lines)
    return [line for line in joined if line]


def _house_rules(game: Game, record: Mapping[str, Any]) -> Iterator[str]:
    """Yield the options of the table that differ from the defaults."""
    usual = read_game({**record, "options": {}, "entries": []}).game
    for option in game.ruleset.options:
        value = game.ruleset.settings.get(option.setting)
        if usual is not None and value != usual.ruleset.settings.get(option.setting):
            name = labels.option_name(option.setting)
            yield f"{name}: {labels.option_value_name(option.setting, value)}"


def _rows(game: Game, players: tuple[str, ...]) -> Iterator[Data]:
    """Yield a line for each entry, in the order written."""
    numbers, moved = numbers_of(game), {row.entry: row for row in game.rows}
    deals = {played.entry: played for played in game.deals}
    for index, entry in enumerate(game.entries):
        if index in deals:
            yield _deal_row(game, players, numbers[index], deals[index], moved[index])
        elif isinstance(entry, Adjustment):
            text = _("Adjustment: %(reason)s") % {"reason": remark(entry, players)}
            points = [f"+{points_text(p)}" if p > 0 else p or "" for p in moved[index].points]
            yield _moved_row(text, points, moved[index])
        elif isinstance(entry, Totals):
            nothing = [""] * game.ruleset.side_count
            yield _moved_row(remark(entry, players), nothing, moved[index])
        elif isinstance(entry, Deal):
            yield _open_row(game, players, entry)
        elif not isinstance(entry, Stopped):
            text = _remark(game.ruleset, entry, players)
            number = str(numbers.get(index, ""))
            yield {"kind": "slim", "number": number, "text": text, "round-end": False}


def _deal_row(
    game: Game, players: tuple[str, ...], number: int, played: PlayedDeal, row: Row
) -> Data:
    details = deal_line(game, played, players)
    named, name = played.contract.named, labels.contract_title(played.contract)
    trump = played.deal.details.get("trump")
    symbol = labels.contract_symbol(played.contract.id, trump, name)
    return {
        "kind": "deal",
        "number": str(number),
        "symbol": symbol if named else labels.suit_of(trump),
        "contract": name if named else "",
        "marks": " · ".join(details.marks),
        "side": details.side,
        "declarer": details.declarer,
        "cells": _cells(details.taken, row.totals, details.king),
        "expected": points_text(row.expected_sum),
        "round-end": ends_round(game.ruleset, number),
    }


def _moved_row(text: str, points: Sequence[object], row: Row) -> Data:
    return {
        "kind": "adjustment",
        "text": text,
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
    symbol = labels.contract_symbol(deal.contract, deal.details.get("trump"), name)
    return row | {"symbol": symbol, "contract": name}


def _rows_to_come(game: Game, players: tuple[str, ...]) -> list[Data]:
    """Return the remaining deals of a game, so that the sheet can be finished by hand."""
    if game.finished:
        return []
    begun = len(game.deals) + (game.open_deal is not None)
    length = game.ruleset.length or begun
    return [_empty_row(game, players, number) for number in range(begun + 1, length + 1)]


def _empty_row(game: Game, players: tuple[str, ...], number: int) -> Data:
    """Return a deal to come: the player whose turn it is, and the contract if it is fixed."""
    ruleset = game.ruleset
    symbol, contract = words_of_stage(ruleset, number)
    # Passed hands move the turn on; the makers are not known in advance.
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
    """Return symbol and name of the contract of a deal (from 1), if the order is fixed."""
    stage = ruleset.plan[number - 1] if number <= len(ruleset.plan) else ()
    if len(stage) != 1:
        return "", ""
    contract = ruleset.by_id[stage[0]]
    name = labels.contract_title(contract)
    return labels.contract_symbol(contract.id, name=name), name


def is_declared(ruleset: Ruleset, number: int) -> bool:
    """Return whether a player declares a deal (from 1), as far as that is known before."""
    stage = ruleset.plan[number - 1] if number <= len(ruleset.plan) else ()
    contracts = [ruleset.by_id[name] for name in stage] or ruleset.contracts
    return all(contract.declared and contract.named for contract in contracts)


def ends_round(ruleset: Ruleset, number: int) -> bool:
    """Return whether all players, or the declarer of several deals in a row, have had a turn."""
    deals = ruleset.in_a_row if ruleset.in_a_row > 1 else ruleset.seats
    return number % deals == 0


def _cells(
    taken: Sequence[object], totals: Sequence[Points], king: int | None = None
) -> list[Data]:
    return [
        {"units": points_text(units), "total": points_text(total), "king": side == king}
        for side, (units, total) in enumerate(zip(taken, totals, strict=True))
    ]


def _remark(ruleset: Ruleset, entry: Entry, players: tuple[str, ...]) -> str:
    """Return an entry without points as a line of text."""
    said = remark(entry, players)
    if isinstance(entry, Void) and entry.contract is not None:
        return f"{title_of(ruleset, entry.contract)} · {said}"
    return said


def _place(game: Game, outcome: Outcome, side: int) -> Data:
    """Return the place of a side, and whether it is out, sunk, or else the winner."""
    state, best = "", False
    if side in outcome.out:
        state, best = _("out"), True
    elif side in outcome.sunk:
        state = _("sunk")
    elif game.finished and outcome.ranks[side] == 1:
        state, best = _("winner"), True
    return {"rank": str(outcome.ranks[side]), "state": state, "best": best}


def _sum(game: Game) -> str:
    """Return the check of the whole sheet: the sum of the scores, and the expected sum."""
    first, *others = game.totals
    terms = [points_text(first)]
    for total in others:
        terms += [labels.MINUS if total < 0 else "+", points_text(abs(total))]
    right = sum(game.totals) == game.expected_sum
    return _("Sum: %(terms)s = %(sum)s") % {
        "terms": " ".join(terms),
        "sum": points_text(sum(game.totals)) + (" ✓" if right else " ✗"),
    }


def _payments(game: Game, players: tuple[str, ...]) -> Data | None:
    """Return the payments; None if the table plays without money."""
    payments = payments_of(game, players)
    if payments is None:
        return None
    title = _("Who pays whom") if game.finished else _("Who would pay whom now")
    stake = _("%(stake)s a point") % {"stake": payments.stake}
    paid = [str(payment) for payment in payments.paid] or [_("Nobody owes anything.")]
    return {"title": title, "stake": stake, "paid": paid}


def _course(game: Game) -> list[list[float]]:
    """Return the totals of each side from zero on, for the drawing only."""
    sides = range(game.ruleset.side_count)
    if only_totals(game):
        return [[] for _side in sides]
    return [[0.0, *(float(row.totals[side]) for row in game.rows)] for side in sides]


def _badges(game: Game, players: tuple[str, ...]) -> list[Data]:
    """Return the badges by name, each with who earned it and in which deals."""
    return [
        {
            "name": badge.name,
            "meaning": badge.meaning,
            "who": [
                {"player": holder.name, "deals": ", ".join(map(str, holder.deals))}
                for holder in badge.holders
            ],
        }
        for badge in badges_of(game, award(game), players)
    ]


def _follow(url: str) -> Data | None:
    """Return the follow address as a QR code; None if the game cannot be followed."""
    if not url:
        return None
    return {"url": url, "qr": drawn_code(url), "caption": _("Follow this game")}
