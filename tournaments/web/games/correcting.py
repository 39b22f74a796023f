"""Correct any line of a sheet; the old version stays in the log."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from tournaments.engine.rules.entries import IMPORTED, TOTALS, Deal, Entry, Void
from tournaments.engine.rules.rulesets import LONGEST_REASON, InvalidEntry, Problem
from tournaments.engine.rules.scoring import sums_of
from tournaments.models import Club, Game, Revision
from tournaments.permissions import directs_club, writable_row
from tournaments.presenters.games.sheets import authors_of
from tournaments.queries.games.sheets import (
    LaterEntryInvalid,
    Sheet,
    fold_bodies,
    load_reviews,
    load_sheet,
    ruleset_of,
)
from tournaments.services.base.writes import Refused
from tournaments.services.games.playing import correct_entry, withdraw_entry
from tournaments.web.base.htmx import HtmxRequest
from tournaments.web.base.phone import address, new_write_key
from tournaments.web.games.deals.entry_form import EntryForm, errors_beside, explained
from tournaments.web.games.deals.entry_text import summary_of
from tournaments.web.games.deals.hand_form import HandForm
from tournaments.web.games.deals.open_form import proof_of
from tournaments.web.games.deals.reading import Typed, parse_form, type_totals, typed_entry
from tournaments.web.games.deals.sheet_view import lines_of
from tournaments.web.games.forms import RemarksForm
from tournaments.web.games.history import HistoryStep, done
from tournaments.web.games.pages import (
    NOT_REFUSED,
    Refusal,
    handed_over,
    holder_of,
    refusal_of,
    write_context,
)

NOT_SURE = Refusal(422)
"""The confirmation is missing that removing a line gives later deals to other declarers."""


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def entry(request: HtmxRequest, public_id: str, secret: str, position: int) -> HttpResponse:
    """Show a line of the sheet with all its versions; correct or remove it."""
    row = writable_row(request, public_id, secret)
    if row is None:
        return handed_over(request, public_id, secret)
    sheet = load_sheet(row)
    body = sheet.body(position)
    if body is None and not sheet.versions(position):
        raise Http404
    if request.method != "POST" or body is None:
        return _entry_page(request, sheet, position)
    return _correct(request, sheet, position)


def _correct(request: HttpRequest, sheet: Sheet, position: int) -> HttpResponse:
    row, typed = sheet.row, request.POST.dict()
    withdraw = typed.get("action") == "withdraw"
    reason = typed.get("why", "").strip()[:LONGEST_REASON]
    if withdraw and _moves_declarers(sheet, position) and not typed.get("sure"):
        return _entry_page(request, sheet, position, typed, NOT_SURE)
    try:
        context = write_context(request, row)
        if withdraw:
            withdraw_entry(row.pk, position, reason, context)
        else:
            entry = parse_form(ruleset_of(row), typed)
            correct_entry(row.pk, position, entry, reason, context)
    except InvalidEntry as invalid:
        return _entry_page(request, sheet, position, typed, Refusal(422, problems=invalid.problems))
    except (LaterEntryInvalid, Refused) as error:
        sheet = load_sheet(Game.objects.get(pk=row.pk))
        refusal = refusal_of(error, sheet)
        if isinstance(error, LaterEntryInvalid) and error.position == position and not withdraw:
            refusal = Refusal(422, problems=error.problems)
        return _entry_page(request, sheet, position, typed, refusal)
    return redirect(f"{address(row, 'write')}#corrected")


def _entry_page(
    request: HttpRequest,
    sheet: Sheet,
    position: int,
    typed: Typed | None = None,
    refusal: Refusal = NOT_REFUSED,
) -> HttpResponse:
    row, body = sheet.row, sheet.body(position)
    entry = _entry_at(sheet, position)
    # A deal in play is counted on the table page; here it can only be removed.
    is_open = entry is not None and entry is sheet.game.open_deal
    kind = body["type"] if body and not is_open else ""
    fixed = _is_fixed(request, sheet, position)
    beside = errors_beside(refusal.problems, row.players, kind)
    words = explained(refusal.problems, row.players, beside)
    context: dict[str, Any] = {
        "row": row,
        "back": address(row, "write"),
        "players": row.players,
        "line": next((line for line in lines_of(sheet) if line.position == position), None),
        "versions": _versions(sheet, position),
        "notice": [refusal.notice] if refusal.notice else [],
        "details": [*refusal.details, *(words if kind != "deal" else ())],
        "key": new_write_key(),
        "kind": kind,
        "correctable": kind in ("deal", "adjustment", "totals"),
        "beside": beside,
        "form": form_at(request, sheet, position, typed, refusal.problems)
        if body and not fixed
        else None,
        "typed": typed or _shown_fields(body),
        "boxes": _boxes(sheet, typed or body) if kind == "totals" and body else (),
        "sum": sums_of(sheet.game.ruleset).game if kind == "totals" else None,
        "remarks": RemarksForm(typed or body),
        "proof": proof_of(entry) if isinstance(entry, Deal | Void) else None,
        "moves_declarers": _moves_declarers(sheet, position),
        "stays": _why_it_stays(sheet, position) if body else None,
        "not_sure": refusal is NOT_SURE,
        "fixed": fixed,
    }
    return render(request, "tournaments/games/entry.html", context, status=refusal.status)


def _shown_fields(body: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """Return the fields of an entry, without the reason that old totals had for programs."""
    if body is None or body.get("reason") not in (IMPORTED, TOTALS):
        return body
    return {**body, "reason": ""}


def _boxes(sheet: Sheet, fields: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Return the name of each side, the name of its field, and the total typed in it."""
    names = sheet.game.ruleset.side_names(sheet.row.players)
    typed = type_totals(fields) if "totals" in fields else fields
    return [
        (name, f"total-{side}", typed.get(f"total-{side}", "")) for side, name in enumerate(names)
    ]


def _is_fixed(request: HttpRequest, sheet: Sheet, position: int) -> bool:
    """Return whether the visitor may no longer change a deal, because players have reviewed it."""
    reviews = load_reviews(sheet)
    if reviews is None or not reviews.is_fixed(position, timezone.now()):
        return False
    club = Club.objects.get(events__rounds__tables=sheet.row.table_id)
    return not directs_club(request, club)


def _entry_at(sheet: Sheet, position: int) -> Entry | None:
    if position not in sheet.positions:
        return None
    return sheet.game.entries[sheet.positions.index(position)]


def form_at(
    request: HttpRequest,
    sheet: Sheet,
    position: int,
    typed: Typed | None,
    problems: Sequence[Problem],
) -> EntryForm | HandForm:
    """Return the entry form for the game before the entry."""
    row = sheet.row
    bodies = [(p, body) for p in sheet.positions if p < position and (body := sheet.body(p))]
    before = fold_bodies(ruleset_of(row), row.first_declarer, bodies)
    filled = typed or typed_entry(ruleset_of(row), sheet.body(position) or {})
    holder = holder_of(request, row.players)
    form = EntryForm if before.ruleset.unnamed is None else HandForm
    return form(before, row.players, row.revision, holder, filled, problems)


def _why_it_stays(sheet: Sheet, position: int) -> Refusal | None:
    """Return why an entry cannot be taken off the sheet; None if it can."""
    try:
        sheet.after_change(Revision(kind=Revision.Kind.WITHDRAWAL, position=position))
    except LaterEntryInvalid as error:
        return refusal_of(error, sheet)
    return None


def _moves_declarers(sheet: Sheet, position: int) -> bool:
    """Return whether removing an entry changes the declarers of later deals."""
    types = {p: body["type"] for p in sheet.positions if (body := sheet.body(p))}
    return types.get(position) == "deal" and any(
        kind == "deal" for later, kind in types.items() if later > position
    )


def _versions(sheet: Sheet, position: int) -> list[HistoryStep]:
    """Return the versions of an entry, the newest first."""
    authors = authors_of(sheet.row, sheet.revisions)
    return [
        HistoryStep(
            done(write),
            authors[write.revision],
            write.at,
            write.reason,
            (summary_of(write.body or {}, sheet),),
        )
        for write in reversed(sheet.versions(position))
    ]
