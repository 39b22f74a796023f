"""Score sheets: of a game, of an evening, empty, and as text."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import urljoin

from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import get_language, pgettext
from django.utils.translation import gettext as _

from tournaments.engine.documents.games import Reading, digest_of_game, letters_of, read_game
from tournaments.engine.play.games import (
    Game,
    PlayedDeal,
    Row,
    find_roles,
    only_totals,
    times_of,
)
from tournaments.engine.play.outcomes import Outcome, award, courses, decide
from tournaments.engine.rules.entries import (
    IMPORTED,
    TOTALS,
    Adjustment,
    Deal,
    Entry,
    Stopped,
    Totals,
    Void,
)
from tournaments.engine.rules.rulesets import PENALTY, TRUMP, Contract, PerSide, Points, Ruleset
from tournaments.engine.rules.scoring import EUCHRED, WON, sums_of
from tournaments.engine.variants import RULESETS
from tournaments.models import Report
from tournaments.origin import qr_code
from tournaments.photos.layout import SQUARE, layout_of
from tournaments.queries.evenings import GameLine, evening_of, finished_games
from tournaments.queries.scoresheets import (
    badges_of,
    deal_line,
    ending_of,
    meanings_of_marks,
    numbers_of,
    outcome_of,
    payments_of,
    remark,
    role_marks,
    roles_of,
)
from tournaments.queries.sheets import load_sheets
from tournaments.reports.pages import Data, Heading, OnProgress, document, page_data
from tournaments.texts import labels
from tournaments.texts.labels import (
    badge_name,
    contract_title,
    name_of,
    points_text,
    signed_points,
    suit_of,
)
from tournaments.texts.messages import explain
from tournaments.texts.questions import options_text


@document(Report.Kind.SCORESHEET)
def scoresheet(report: Report, _progress: OnProgress) -> Data:
    return compose_scoresheet(report.parameters["record"], report.follow_url)


def compose_scoresheet(
    record: Mapping[str, Any], follow_url: str, where: str = "", played: Game | None = None
) -> Data:
    """Return the data of the scoresheet of a valid `kingscore-game/1` record.

    `where` is the round and table of its event. `played` is the game after the record's entries, if
    the caller has it: replaying a thousand games takes seconds.

    Raises: ValueError: the record contains an invalid entry.
    """
    reading = read_game(record if played is None else {**record, "entries": []}, stored=True)
    if reading.game is None or reading.problems:
        raise ValueError(f"no valid game: {reading.problems}")
    game, players = played or reading.game, reading.players
    outcome = decide(game)
    name = labels.name_of(game.ruleset)
    code = ""
    if game.finished and record["entries"]:
        code = _("Code: %(code)s") % {"code": letters_of(digest_of_game(record))}
    # The deals to come, so that the sheet can be finished by hand.
    begun = len(game.deals) + (game.open_deal is not None)
    last = begun if game.finished else game.ruleset.length or begun
    rows = [
        *_rows(game, players),
        *(_empty_row(game, players, number) for number in range(begun + 1, last + 1)),
    ]
    if all(row.get("of-totals") for row in rows):
        # The last row says it all.
        rows = []
    page: Data = {
        "language": get_language(),
        "title": reading.title or name,
        "description": ", ".join(players),
        "subtitles": _lines(
            [where, name if reading.title else ""],
            [_how_played(record)],
            [reading.place, written_date(reading.played_at), code],
        ),
        "ending": ending_of(game, players),
        "sides": game.ruleset.side_names(players),
        "words": _words(game.ruleset) if rows else _words(game.ruleset) | NO_ROWS,
        "meanings": meanings_of_marks(game.ruleset, _marks_in(rows)),
        "rows": rows,
        "totals": [points_text(total) for total in game.totals],
        "places": [_place(game, outcome, side) for side in range(game.ruleset.side_count)],
        "expected": points_text(game.expected_sum),
        "sum": _sum(game),
        "payments": _payments(game, players),
        "course": _course(game),
        "badges": _badges(game, players),
        "follow": _follow(follow_url, _("Follow this game")),
    }
    if not game.entries:
        # Printed to be written on.
        places = [{"rank": "", "state": "", "best": False} for _place in page["places"]]
        page |= {"totals": [""] * len(places), "places": places, "expected": "", "sum": ""}
    return page


NO_ROWS = dict.fromkeys(("number", "contract", "taken", "total", "doubled"), "")


def written_date(moment: str) -> str:
    """Return the date of an ISO 8601 time in the active language; empty if there is none."""
    if not moment:
        return ""
    day = datetime.fromisoformat(moment)
    if timezone.is_aware(day):
        day = timezone.localtime(day)
    return date_format(day, "DATE_FORMAT")


def _words(ruleset: Ruleset) -> Data:
    return {
        "number": _("No."),
        "contract": head_of_contracts(ruleset),
        "taken": head_of_numbers(ruleset),
        "total": _("total"),
        "totals": _("Total"),
        "place": pgettext("rank", "Place"),
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


def _marks_in(rows: Iterable[Data]) -> set[str]:
    return {cell.get("mark", "") for row in rows for cell in row.get("cells", ())}


def _lines(*lines: Iterable[str]) -> list[str]:
    joined = (" · ".join(part for part in parts if part) for parts in lines)
    return [line for line in joined if line]


def _how_played(record: Mapping[str, Any]) -> str:
    if not (options := record.get("options")):
        return ""
    usual = read_game({**record, "options": {}, "entries": []}).game
    return options_text(usual.ruleset.changed_options(options)) if usual else ""


def _rows(game: Game, players: tuple[str, ...]) -> Iterator[Data]:
    numbers, moved = numbers_of(game), {row.entry: row for row in game.rows}
    deals = {played.entry: (played, time) for played, time in times_of(game)}
    for index, entry in enumerate(game.entries):
        if index in deals:
            yield _deal_row(game, players, numbers[index], deals[index], moved[index])
        elif isinstance(entry, Adjustment):
            text = _("Adjustment: %(reason)s") % {"reason": remark(entry, players)}
            points = [f"+{points_text(p)}" if p > 0 else p or "" for p in moved[index].points]
            yield _moved_row(text, points, moved[index]) | {
                "of-totals": entry.reason in (TOTALS, IMPORTED)
            }
        elif isinstance(entry, Totals):
            nothing = [""] * game.ruleset.side_count
            yield _moved_row(remark(entry, players), nothing, moved[index]) | {"of-totals": True}
        elif isinstance(entry, Deal):
            row = _empty_row(game, players, len(game.deals) + 1)
            symbol, name = "✉", _("sealed")
            if entry.contract is not None:
                name = contract_title(game.ruleset, entry.contract)
                trump = entry.details.get("trump")
                symbol = labels.contract_symbol(game.ruleset, entry.contract, trump)
            yield row | {"symbol": symbol, "contract": name}
        elif not isinstance(entry, Stopped):
            text = _remark(game.ruleset, entry, players)
            number = str(numbers.get(index, ""))
            yield {"kind": "slim", "number": number, "text": text, "round-end": False}


def _deal_row(
    game: Game, players: tuple[str, ...], number: int, deal: tuple[PlayedDeal, int], row: Row
) -> Data:
    """Return the row of a deal; `deal` says which deal of its contract it is."""
    played, time = deal
    details = deal_line(game, played, players)
    named, name = played.contract.named, contract_title(game.ruleset, played.contract.id)
    trump = played.deal.details.get("trump")
    symbol = labels.contract_symbol(game.ruleset, played.contract.id, trump, time)
    dealer = roles_of(game.ruleset, number, game.first_declarer, played.contract).deals
    marks = role_marks(game.ruleset, players, details.seat, dealer)
    cells = _cells(details.taken, row.totals, details.king)
    # Doubled, sold or halved points, or with a constant, do not follow from the numbers.
    moved = played.deal.counts is not None and row.points != _plain_points(played, len(cells))
    return {
        "kind": "deal",
        "number": str(number),
        "symbol": symbol if named else labels.suit_of(trump),
        "contract": name if named else "",
        "marks": " · ".join(details.marks),
        "cells": [
            cell | {"mark": mark, "by": by, "points": signed_points(points) if moved else ""}
            for cell, (mark, by), points in zip(cells, marks, row.points, strict=True)
        ],
        "expected": points_text(row.expected_sum),
        "round-end": ends_round(game.ruleset, number),
    }


def _plain_points(played: PlayedDeal, sides: int) -> PerSide:
    """Return what the counts of a deal come to by the values of its units alone."""
    contract, counts = played.contract, played.deal.counts or {}
    return tuple(
        sum(counts[unit][side] * each for unit, each in contract.values.items())
        for side in range(sides)
    )


def _moved_row(text: str, points: Sequence[object], row: Row) -> Data:
    return {
        "kind": "adjustment",
        "text": text,
        "cells": _cells(points, row.totals),
        "expected": points_text(row.expected_sum),
        "round-end": False,
    }


def _empty_row(game: Game, players: tuple[str, ...], number: int) -> Data:
    """Return a deal to come: the player whose turn it is, and the contract if it is fixed."""
    ruleset = game.ruleset
    symbol, contract = words_of_stage(ruleset, number)
    # Passed hands move the turn on; the makers are not known in advance.
    roles = roles_of(ruleset, number, game.first_declarer)
    return {
        "kind": "deal",
        "number": str(number),
        "symbol": symbol,
        "contract": contract,
        "marks": "",
        "cells": [
            {"units": "", "total": "", "points": "", "king": False, "mark": mark, "by": by}
            for mark, by in role_marks(ruleset, players, roles.names, roles.deals)
        ],
        "expected": "",
        "round-end": ends_round(ruleset, number),
    }


def words_of_stage(ruleset: Ruleset, number: int) -> tuple[str, str]:
    """Return symbol and name of the contract of a deal (from 1), if the order is fixed."""
    stage = ruleset.plan[number - 1] if number <= len(ruleset.plan) else ()
    if len(stage) != 1:
        return "", ""
    time = ruleset.plan[:number].count(stage)
    return labels.contract_symbol(ruleset, stage[0], None, time), contract_title(ruleset, stage[0])


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
    text = remark(entry, players)
    if isinstance(entry, Void) and entry.contract is not None:
        return f"{contract_title(ruleset, entry.contract)} · {text}"
    return text


def _place(game: Game, outcome: Outcome, side: int) -> Data:
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
    payments = payments_of(game, players)
    if payments is None:
        return None
    title = _("Who pays whom") if game.finished else _("Who would pay whom now")
    return {"title": title, **payments, "paid": payments["paid"] or [_("Nobody owes anything.")]}


def _course(game: Game) -> list[list[float]]:
    """Return the totals of each side from zero on, for the drawing only."""
    sides = range(game.ruleset.side_count)
    if only_totals(game):
        return [[] for _side in sides]
    return [[0.0, *(float(row.totals[side]) for row in game.rows)] for side in sides]


def _badges(game: Game, players: tuple[str, ...]) -> list[Data]:
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


def _follow(url: str, caption: str) -> Data | None:
    return {"url": url, "qr": qr_code(url), "caption": caption} if url else None


ROWS_TO_A_TARGET = 20
"""Lines for a game that ends at a target: about as many as it takes."""


@document(Report.Kind.EMPTY_SHEET)
def empty_sheet(report: Report, _progress: OnProgress) -> Data:
    ruleset = RULESETS[report.parameters["ruleset"]]
    name = labels.name_of(ruleset)
    limited = any(contract.quota or contract.quota_each for contract in ruleset.contracts)
    rows = [_row(ruleset, n) for n in range(1, (ruleset.length or ROWS_TO_A_TARGET) + 1)]
    kinds = {
        PENALTY: _("penalties"),
        TRUMP: _("trumps"),
        "choice": _("choices"),
        "declaration": _("declarations"),
    }
    return {
        "language": get_language(),
        "title": name,
        "description": _("Empty sheet: %(ruleset)s") % {"ruleset": name},
        "summary": labels.ruleset_summary(ruleset.id),
        "words": {
            "number": _("No."),
            "contract": head_of_contracts(ruleset),
            "taken": head_of_numbers(ruleset),
            "total": _("total"),
            "totals": _("Total"),
            "place": pgettext("rank", "Place"),
            "where": _("Where"),
            "date": _("Date"),
            "contracts": _("Contracts") if len(ruleset.contracts) > 1 else _("Scoring"),
            "left": _("Tick off what is declared") if ruleset.side_quotas or limited else "",
            "order": _order(ruleset),
        },
        "meanings": meanings_of_marks(ruleset, _marks_in(rows)),
        "sides": ruleset.side_count,
        "names": ruleset.seats_in_a_side,
        "rows": rows,
        "quotas": [
            {"name": kinds.get(kind) or labels.kind_name(kind), "boxes": number}
            for kind, number in ruleset.side_quotas.items()
        ],
        "each": _each(ruleset),
        "contracts": [_contract(ruleset, contract) for contract in ruleset.contracts],
        "notes": [*_notes(ruleset)],
    }


@document(Report.Kind.PHOTO_SHEET)
def photo_sheet(report: Report, _progress: OnProgress) -> Data:
    ruleset = RULESETS[report.parameters["ruleset"]]
    sheets = compose_photo_sheets(ruleset, report.paper)
    title = _("%(ruleset)s, sheet to photograph") % {"ruleset": sheets["title"]}
    return {"language": get_language(), "title": title, "description": title, "parts": [sheets]}


def compose_photo_sheets(ruleset: Ruleset, paper: str, games: Sequence[Data] = ()) -> Data:
    """Return the data of the sheets of games with one ruleset, to be photographed once written.

    Each game has its `address`, `where` and `date`, the `names` of its sides, and `first`: who
    declares first. Without games it is a sheet for any of them.
    """
    layout = layout_of(ruleset, paper)
    blank = {"address": "", "where": "", "date": "", "names": [], "first": 0}
    lines = [_row(ruleset, number) for number in range(1, len(layout.rows) + 1)]
    for line, boxes in zip(lines, layout.ticks, strict=True):
        line["ticks"] = [
            {"symbol": labels.contract_symbol(ruleset, *contract), "box": box}
            for contract, box in boxes.items()
        ]
    heads = {contract: box for boxes in layout.ticks for contract, box in boxes.items()}
    names = {id_: contract_title(ruleset, id_) for id_ in ruleset.by_id}
    return {
        "columns": layout.columns,
        "rows": layout.rows,
        "counts": layout.counts,
        "totals": layout.totals,
        "codes": layout.codes,
        "squares": layout.squares,
        "square": SQUARE,
        "title": labels.name_of(ruleset),
        "summary": labels.ruleset_summary(ruleset.id),
        "heads": [
            {"x": left, "width": width, "name": f"{names[id_]} {suit_of(trump)}".strip()}
            for (id_, trump), (left, _top, width, _height) in heads.items()
        ],
        "lines": lines,
        "seats": [
            " + ".join(str(seat + 1) for seat, each in enumerate(ruleset.sides) if each == side)
            for side in range(ruleset.side_count)
        ],
        "contracts": [_contract(ruleset, contract) for contract in ruleset.contracts],
        "meanings": meanings_of_marks(ruleset, _marks_in(lines)),
        "words": {
            "where": _("Where"),
            "date": _("Date"),
            "taken": head_of_numbers(ruleset),
            "total": _("total"),
            "totals": _("Total"),
            "sign": _("minus in the first box"),
            "order": _order(ruleset),
            "how": _(
                "Cross the contract. Write what each player took: tens left, ones right; nothing"
                " for 0. Wrong? Fill the box and write beside it. All four corners belong in the"
                " photo."
            ),
            "code": _("Code for the photo"),
        },
        "sheets": [
            {
                **game,
                "codes": [qr_code(layout.code(n, game["address"])) for n in range(4)],
                "marks": [
                    [cell["mark"] for cell in _row(ruleset, n + 1, game["first"])["cells"]]
                    for n in range(len(lines))
                ],
            }
            for game in games or [blank]
        ],
    }


def _order(ruleset: Ruleset) -> str:
    if ruleset.seats_in_a_side > 1:
        return _("The numbers are the order of play, from whoever begins")
    first = roles_of(ruleset, 1, 0)
    if first.deals == 0:
        return _("Names from left to right in the order of play, the first dealer first")
    if first.leads == 0:
        return _("Names from left to right in the order of play, the first declarer first")
    return _("Names from left to right in the order of play")


def _row(ruleset: Ruleset, number: int, first_declarer: int = 0) -> Data:
    """Return a line to fill in: its contract if that is fixed, and the player whose turn it is."""
    symbol, contract = words_of_stage(ruleset, number)
    seats = [str(seat + 1) for seat in range(ruleset.seats)]
    roles = roles_of(ruleset, number, first_declarer)
    return {
        "number": str(number),
        "symbol": symbol,
        "contract": contract,
        "cells": [
            {"mark": mark, "by": by}
            for mark, by in role_marks(ruleset, seats, roles.names, roles.deals)
        ],
        "round-end": ends_round(ruleset, number),
    }


def _each(ruleset: Ruleset) -> list[Data]:
    return [
        {"symbol": labels.contract_symbol(ruleset, contract.id), "boxes": contract.quota_each}
        for contract in ruleset.contracts
        if contract.quota_each is not None
    ]


def _contract(ruleset: Ruleset, contract: Contract) -> Data:
    names = (contract_title(ruleset, contract.id), labels.name_at_home(ruleset, contract.id)[1])
    return {
        "symbol": labels.contract_symbol(ruleset, contract.id) if contract.named else "",
        "name": " · ".join(filter(None, names)) if contract.named else "",
        "points": "; ".join(_scoring(ruleset, contract)),
        "boxes": contract.quota or 0,
    }


MOST_WITHOUT_NAMES = 2
"""With more units than this, each is named."""


def _scoring(ruleset: Ruleset, contract: Contract) -> Iterator[str]:
    """Yield the scoring of a contract in a few words, by its strategy: the parts of a line."""
    settings = ruleset.settings
    match contract.scoring:
        case "per-unit":
            named = len(contract.values) > MOST_WITHOUT_NAMES
            terms = " + ".join(
                f"{labels.unit_name(unit) if named else ''} {ruleset.units[unit].total} × "
                f"{points_text(value)}".strip()
                for unit, value in contract.values.items()
            )
            yield f"{terms} = {points_text(ruleset.unit_sums[contract.id])}"
        case "pair-difference":
            for value in map(points_text, contract.values.values()):
                yield _("%(each)s × (own − theirs)") % {"each": value}
        case "domino":
            yield _("−1 a card left, out first: + all of these")
        case "pair-domino":
            bonus = {"bonus": contract.prizes[0]}
            yield _("−1 × (own − theirs), out first: +%(bonus)s") % bonus
        case "places":
            yield " / ".join(map(points_text, contract.prizes))
        case "makers-and-defenders":
            yield _("makers 3 or 4 tricks: 1")
            yield _("all 5: %(march)s") % {"march": settings["march"]}
            yield _("fewer: the others %(euchred)s") % {"euchred": EUCHRED}
            if ruleset.seats_in_a_side > 1 and "alone" in contract.fields:
                euchred = {"euchred": settings["euchred_alone"]}
                by_alone = {"euchred": settings["euchred_alone_by_alone"]}
                yield _("alone all 5: %(march)s") % {"march": settings["march_alone"]}
                yield _("alone and fewer: the others %(euchred)s") % euchred
                yield (
                    _("a lone defender with all 5: 4, against a lone maker at least %(euchred)s")
                    % by_alone
                )
        case "bid-tricks":
            yield _("1 a trick")
            yield _("fewer than bid: − the bid")
        case "piles-emptied":
            yield _("a game won: 1")
            points = {"won": WON}
            yield (
                _("or by points: %(won)s + 2 a card in the reserve + 1 a card elsewhere") % points
            )
        case strategy:
            raise ValueError(strategy)


def _who_cuts_and_leads(ruleset: Ruleset) -> Iterator[str]:
    """Yield who cuts and who leads, by contract where that differs."""
    of_dealer = (_("before the dealer"), _("after the dealer"), _("dealer"))
    of_declarer = (_("before the declarer"), _("after the declarer"), _("declarer"))
    words = of_dealer if roles_of(ruleset, 1, 0).deals == 0 else of_declarer
    for verb in ("cuts", "leads"):
        who: dict[str, list[str]] = {}
        for contract in ruleset.contracts:
            seat = getattr(find_roles(ruleset, contract, 0), verb)
            places = dict(zip((ruleset.seats - 1, 1, 0), words, strict=True))
            if seat in places:
                sign = labels.contract_symbol(ruleset, contract.id)
                who.setdefault(places[seat], []).append(sign)
        signs = "%(who)s (%(signs)s)" if len(who) > 1 else "%(who)s"
        if who:
            found = (signs % {"who": w, "signs": ", ".join(of)} for w, of in who.items())
            yield f"{str(labels.VERBS[verb]).capitalize()}: {'; '.join(found)}"


def _notes(ruleset: Ruleset) -> Iterator[str]:
    yield from _who_cuts_and_leads(ruleset)
    for option in ruleset.options:
        value = ruleset.settings.get(option.setting)
        if value is not None:
            name = labels.option_name(option.setting)
            yield f"{name}: {labels.option_value_name(option.setting, value)}"
    for contract in ruleset.contracts:
        if contract.replay_one_each:
            name = contract_title(ruleset, contract.id)
            yield _("%(contract)s taken 1-1-1-1 is played again") % {"contract": name}
    sums = sums_of(ruleset).game
    if sums is not None and sums[0] == sums[1]:
        yield _("Sum of all totals at the end: %(sum)s") % {"sum": points_text(sums[0])}


@document(Report.Kind.EVENING)
def evening_sheet(report: Report, progress: OnProgress) -> Data:
    """Return the evening of the table of the report's game; the QR code leads to its `host`."""
    table = None if report.game is None else report.game.open_table
    if table is None:
        raise ValueError(f"{report} is of no open table")
    sheets = load_sheets(table.games.order_by("number"))
    evening, games = evening_of(sheets), finished_games(sheets)
    place, host = sheets[-1].row.place, str(report.parameters.get("host", ""))
    path = reverse("evening", args=[table.public_id, table.secret()])
    heading = Heading(
        evening.headline,
        lines=[" · ".join(filter(None, [place, evening.finished]))],
        event=_("The evening"),
        date=written_date(timezone.localtime(table.created_at).isoformat()),
    )
    words = {
        "tally": _("The tally of the evening"),
        "course": _("The course of the evening"),
        "games": _("Games"),
        "game": _("Game"),
        "totals": _("Total"),
        "pays": _("Who pays whom for the evening"),
    }
    # The place in each game, or of many games how often each place was taken.
    if evening.by_game:
        numbers = list(evening.numbers)
        middle = [[str(c.rank) if c else "–" for c in row.cells()] for row in evening.rows]
    else:
        numbers = list(evening.place_numbers())
        middle = [list(map(str, evening.counts(row))) for row in evening.rows]
    lines = courses(games)
    data = page_data(heading, words=words) | {
        "columns": [
            {"head": _("Player")},
            *({"head": f"{number}.", "kind": "centre"} for number in numbers),
            {"head": pgettext("games", "won"), "kind": "number"},
            {"head": _("points"), "kind": "total"},
            {"head": _("a game"), "kind": "number"},
        ],
        "tally": [
            [
                {"text": row.name, "below": row.counted},
                *(*cells, str(row.standing.won), row.points, row.average),
            ]
            for row, cells in zip(evening.rows, middle, strict=True)
        ],
        "course": [[float(total) for total in line] for line in lines.values()],
        "names": list(lines),
        "games": [row for line in evening.lines for row in _game(line)],
        "payments": None
        if evening.payments is None
        else evening.payments or [_("Nobody owes anything.")],
        "follow": _follow(urljoin(host, path) if host else "", _("Follow this evening")),
    }
    progress(Report.Step.READING, 1, 1)
    return data | {"paper": report.paper}


def _game(line: GameLine) -> list[list[Any]]:
    totals = ", ".join(f"{name} {total}" for name, total in line.totals)
    game = {"text": f"{line.state} · {line.ruleset}", "below": totals}
    paid = " · ".join(line.payments)
    return [[str(line.number), game], *([["", {"text": paid, "style": "small"}]] if paid else [])]


def draw_sheet(reading: Reading) -> str:
    """Return a game as far as it was readable: the sheet, the outcome, and the problems."""
    lines: list[str] = []
    if reading.game is not None:
        game, players = reading.game, reading.players
        names = game.ruleset.side_names(players)
        lines += [reading.title or name_of(game.ruleset), "", *_draw_rows(game, players)]
        outcome = decide(game)
        places = sorted(zip(outcome.ranks, names, strict=True))
        lines += ["", ", ".join(f"{rank}. {name}" for rank, name in places)]
        lines += filter(None, [ending_of(game, players), outcome_of(game, outcome, players)])
        deals = numbers_of(game)
        for badge in award(game):
            deal = deals.get(badge.entry, len(deals))
            lines.append(f"{badge_name(badge.badge)}: {names[badge.seat]} ({deal})")
        payments = payments_of(game, players)
        lines += payments["paid"] if payments else ()
    place = "" if reading.entry is None else _("Entry %(number)s: ") % {"number": reading.entry}
    lines += [place + explain(problem, reading.players) for problem in reading.problems]
    return "\n".join([*lines, ""])


def _draw_rows(game: Game, players: Sequence[str]) -> Iterator[str]:
    """Yield a line for each entry; words are on the left of their columns, numbers on the right."""
    names = game.ruleset.side_names(players)
    table = [["", _("Contract"), *names, "Σ"]]
    rows = {row.entry: row for row in game.rows}
    deals = {played.entry: played for played in game.deals}
    numbers = numbers_of(game)
    for index, entry in enumerate(game.entries):
        figures = [""] * (len(names) + 1)
        if row := rows.get(index):
            pairs = zip(row.points, row.totals, strict=True)
            figures = [f"{points_text(points)} / {points_text(total)}" for points, total in pairs]
            figures.append(points_text(row.expected_sum))
        text = _describe(game, entry, deals.get(index), players)
        table.append([str(numbers.get(index, "")), text, *figures])
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for number, contract, *points in table:
        cells = [number.rjust(widths[0]), contract.ljust(widths[1])]
        cells += [cell.rjust(width) for cell, width in zip(points, widths[2:], strict=True)]
        yield "  ".join(cells).rstrip()


def _describe(game: Game, entry: Entry, played: PlayedDeal | None, players: Sequence[str]) -> str:
    """Return the contract and, in brackets, the declarer (if no column shows it) and remarks."""
    if played is not None:
        details = deal_line(game, played, players)
        name = contract_title(game.ruleset, played.contract.id) if played.contract.named else ""
        marks = ", ".join(filter(None, [details.declarer, *details.marks]))
        words = [name, suit_of(played.deal.details.get("trump")), marks and f"({marks})"]
        return " ".join(filter(None, words))
    if not isinstance(entry, Deal):
        return remark(entry, players)
    name = _("sealed") if entry.contract is None else contract_title(game.ruleset, entry.contract)
    return f"{name} {suit_of(entry.details.get('trump'))}".strip()
