"""Correct deals, ask for reviews, confirm and seal a sheet, and hand it over."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST, require_safe

from tournaments.engine.rules.entries import IMPORTED, STAKE, TOTALS, Deal, Void
from tournaments.engine.rules.rulesets import LONGEST_REASON, InvalidEntry, Problem
from tournaments.engine.rules.scoring import sums_of
from tournaments.models import Club, Game, Revision
from tournaments.models.games import PHOTO_KEY
from tournaments.permissions import account_of, actor_of, directs_club, writable_game
from tournaments.queries.scoresheets import authors_of, numbers_of
from tournaments.queries.sheets import (
    LaterEntryInvalid,
    ReviewedDeal,
    Sheet,
    fold_bodies,
    load_reviews,
    load_sheet,
    rules_of,
    ruleset_of,
)
from tournaments.services.base.writes import Refused
from tournaments.services.games.playing import (
    NotSeated,
    ScoringTaken,
    SealNotOurs,
    confirm_own_result,
    correct_entry,
    delete_game,
    hand_over,
    moves_declarers,
    own_seat,
    reveal_contract,
    seal_contract,
    withdraw_entry,
)
from tournaments.services.games.playing import confirm_result as playing_confirm_result
from tournaments.services.games.writing import NotFinished, StaleRevision, WriteContext
from tournaments.services.rounds.rulings import (
    DealsNotConfirmed,
    SeenDeal,
    confirm_deal,
    dispute_deal,
)
from tournaments.texts import labels
from tournaments.web.base.pages import HtmxRequest, access_link, out_of_reach
from tournaments.web.base.phone import address, evening_address, forget_game, new_write_key
from tournaments.web.games.deals.forms import (
    ENTRY_FIELDS,
    EntryForm,
    HandForm,
    Typed,
    group_errors,
    parse_form,
    proof_of,
    type_totals,
    typed_entry,
)
from tournaments.web.games.deals.sheets import lines_of, summary_of
from tournaments.web.games.starting import RemarksForm, key_of
from tournaments.web.games.views import (
    NOT_REFUSED,
    SHOWS,
    Refusal,
    answer_write,
    holder_of,
    number_in,
    refusal_of,
    show_table,
    with_game,
    write_context,
)


@require_safe
@with_game(*SHOWS)
def history(request: HtmxRequest, row: Game) -> HttpResponse:
    """List all revisions, including those of removed entries, and the last change of the phone."""
    steps = list(_steps(load_sheet(row)))
    if row.taken_at is not None:
        taken = _("Another phone took over the scoring")
        steps.append({"what": taken, "at": row.taken_at, "position": None})
        steps.sort(key=lambda step: step["at"])
    page = {
        "row": row,
        "secret": row.secret("write"),
        "steps": steps[::-1],
        "back": address(row, "write"),
    }
    return render(request, "tournaments/games/history.html", page)


def _steps(sheet: Sheet) -> Iterator[dict[str, Any]]:
    numbers = {line.position: line.number for line in lines_of(sheet)}
    authors = authors_of(sheet.row, sheet.revisions)
    stood: dict[int, str] = {}
    for write in sheet.revisions:
        position, changes = write.position, []
        if write.kind == Revision.Kind.HEAD:
            changes = list(head_changes(sheet.row, write.before or {}, write.body or {}))
        if position is not None:
            says = summary_of(write.body or {}, sheet)
            before, stood[position] = stood.get(position, ""), says
            changes = [changed(before, says) if says else before]
        number = None if position is None else numbers.get(position)
        yield {
            **_step(write, authors[write.revision], changes),
            "position": position,
            "number": number,
        }


def _step(write: Revision, author: str, changes: Sequence[str]) -> dict[str, Any]:
    """Return a revision: action, person, time and reason; `changes` are its effects."""
    by_photo = _("from paper, read by photo") if write.key.startswith(PHOTO_KEY) else ""
    return {
        "what": write.get_kind_display(),
        "author": author,
        "at": write.at,
        "reason": write.reason or by_photo,
        "changes": changes,
    }


def head_changes(row: Game, before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    """Yield the changes between two setups of a game."""
    old, new = (dict(_head_words(row, head)) for head in (before, after))
    for name in dict.fromkeys([*old, *new]):
        if old.get(name, "") != new.get(name, ""):
            yield f"{name}: {changed(old.get(name, ''), new.get(name, ''))}"


def _head_words(row: Game, head: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for seat, name in enumerate(head.get("players", ())):
        yield _("Seat %(number)s") % {"number": seat + 1}, name
    if "first_declarer" in head:
        first = _("Seat %(number)s") % {"number": head["first_declarer"] + 1}
        yield _("Who declared first"), first
    if "options" in head:
        rules = rules_of(row).with_options(head["options"])
        for option in rules.options:
            value = rules.settings.get(option.setting)
            name = labels.option_name(option.setting)
            yield name, "" if value is None else labels.option_value_name(option.setting, value)
    for name, label in (("title", _("Title")), ("place", _("Place"))):
        yield label, head.get(name, "")
    stake = STAKE.read(head.get("stake"))
    yield _("Who pays?"), "" if stake is None else labels.stake_text(stake)


def changed(before: str, after: str) -> str:
    """Return a change as text, with the old value if there was one."""
    return f"{before} → {after or '–'}" if before and before != after else after


NOT_SURE = Refusal(422)
"""The confirmation is missing that removing a line gives later deals to other declarers."""


@with_game(*SHOWS)
def entry(request: HtmxRequest, row: Game, position: int) -> HttpResponse:
    """Show a line of the sheet with all its versions; correct or remove it."""
    sheet = load_sheet(row)
    if not sheet.versions(position):
        raise Http404
    if request.method != "POST":
        return _entry_page(request, sheet, position)
    return _correct(request, sheet, position)


def _correct(request: HtmxRequest, sheet: Sheet, position: int) -> HttpResponse:
    row, typed = sheet.row, request.POST.dict()
    withdraw, sure = typed.get("action") == "withdraw", bool(typed.get("sure"))
    reason = typed.get("why", "").strip()[:LONGEST_REASON]

    def write(context: WriteContext) -> Sheet:
        if withdraw:
            return withdraw_entry(row.pk, position, reason, context, moves=sure)
        entry = parse_form(ruleset_of(row), typed)
        return correct_entry(row.pk, position, entry, reason, context)

    if request.htmx:
        # From the outbox of a phone, which shows the sheet.
        return answer_write(request, row, write, {})
    if withdraw and moves_declarers(sheet, position) and not sure:
        return _entry_page(request, sheet, position, typed, NOT_SURE)
    try:
        write(write_context(request, row))
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
    entries = dict(zip(sheet.positions, sheet.game.entries, strict=True))
    entry = entries.get(position)
    # A deal in play is counted on the table page; here it can only be removed.
    is_open = entry is not None and entry is sheet.game.open_deal
    kind = body["type"] if body and not is_open else ""
    authors = authors_of(row, sheet.revisions)
    reviews = load_reviews(sheet)
    # Players have reviewed it.
    fixed = (
        reviews is not None
        and reviews.is_fixed(position, timezone.now())
        and not directs_club(request, Club.objects.get(events__rounds__tables=row.table_id))
    )
    beside = group_errors(refusal.problems, row.players, ENTRY_FIELDS.get(kind, ()))
    boxes = []
    if kind == "totals" and body:
        fields = typed or type_totals(body)
        for side, name in enumerate(sheet.game.ruleset.side_names(row.players)):
            field = f"total-{side}"
            boxes.append((name, field, fields.get(field, "")))
    context: dict[str, Any] = {
        "row": row,
        "back": address(row, "write"),
        "players": row.players,
        "line": next((line for line in lines_of(sheet) if line.position == position), None),
        "versions": [
            _step(write, authors[write.revision], [summary_of(write.body or {}, sheet)])
            for write in reversed(sheet.versions(position))
        ],
        "notice": [refusal.notice] if refusal.notice else [],
        "details": [*refusal.details, *(beside.get("", ()) if kind != "deal" else ())],
        "key": new_write_key(),
        "version": sheet.version(position),
        "position": position,
        "kind": kind,
        "correctable": kind in ("deal", "adjustment", "totals"),
        "beside": beside,
        "form": form_at(request, sheet, position, typed, refusal.problems)
        if body and not fixed
        else None,
        # Without the reason that old totals had for programs.
        "typed": typed
        or ({**body, "reason": ""} if body and body.get("reason") in (IMPORTED, TOTALS) else body),
        "boxes": boxes,
        "sum": sums_of(sheet.game.ruleset).game if kind == "totals" else None,
        "remarks": RemarksForm(typed or body),
        "proof": proof_of(sheet.game.ruleset, entry) if isinstance(entry, Deal | Void) else None,
        "moves_declarers": moves_declarers(sheet, position),
        "stays": _why_it_stays(sheet, position) if body else None,
        "not_sure": refusal is NOT_SURE,
        "fixed": fixed,
    }
    return render(request, "tournaments/games/entry.html", context, status=refusal.status)


def form_at(
    request: HttpRequest,
    sheet: Sheet,
    position: int,
    typed: Typed | None,
    problems: Sequence[Problem],
) -> EntryForm | HandForm:
    row = sheet.row
    bodies = [(p, body) for p in sheet.positions if p < position and (body := sheet.body(p))]
    before = fold_bodies(ruleset_of(row), row.first_declarer, bodies)
    filled = typed or typed_entry(ruleset_of(row), sheet.body(position) or {})
    holder = holder_of(request, row.players)
    form = EntryForm if before.ruleset.unnamed is None else HandForm
    return form(before, row.players, row.revision, holder, typed=filled, problems=problems)


def _why_it_stays(sheet: Sheet, position: int) -> Refusal | None:
    """Return why an entry cannot be taken off the sheet; None if it can."""
    try:
        sheet.after_change(Revision(kind=Revision.Kind.WITHDRAWAL, position=position))
    except LaterEntryInvalid as error:
        return refusal_of(error, sheet)
    return None


def disputes_of(row: Game) -> list[dict[str, Any]]:
    """Return the disputed deals in two versions: as written, and as a player says."""
    sheet = load_sheet(row)
    reviews, numbers = load_reviews(sheet), numbers_of(sheet.game)
    return [
        {
            "deal": deal,
            "number": numbers[deal.entry],
            "name": row.players[deal.dispute.seat],
            "written": summary_of(sheet.body(deal.position) or {}, sheet),
            "said": summary_of(deal.dispute.body or {}, sheet),
        }
        for deal in (reviews.deals.values() if reviews else ())
        if deal.dispute is not None
    ]


@with_game("POST")
def confirm(request: HtmxRequest, row: Game, position: int) -> HttpResponse:
    """Confirm a deal for the player who taps their name."""
    try:
        seat = number_in(request.POST, "seat", -1)
        sheet = confirm_deal(row.pk, _seen(request, row, position), seat)
    except (Game.DoesNotExist, DealsNotConfirmed) as error:
        raise Http404 from error
    except Refused as error:
        sheet = error.sheet if isinstance(error, StaleRevision) else load_sheet(row)
        return show_table(request, sheet, None, refusal_of(error, sheet))
    return show_table(request, sheet) if request.htmx else redirect(address(row, "write"))


@with_game(*SHOWS)
def dispute(request: HtmxRequest, row: Game, position: int) -> HttpResponse:
    """Enter what is right instead of a deal, and so call a director."""
    sheet = load_sheet(row)
    reviews = load_reviews(sheet)
    deal = reviews.deals.get(position) if reviews else None
    if deal is None:
        raise Http404
    if request.method != "POST":
        return _dispute_page(request, sheet, deal)
    typed = request.POST.dict()
    seat = number_in(typed, "seat", -1)
    if seat not in range(len(row.players)):
        who = Refusal(422, _("Say who disputes the deal."))
        return _dispute_page(request, sheet, deal, typed, who)
    try:
        entry = parse_form(ruleset_of(row), typed)
        dispute_deal(row.pk, _seen(request, row, position), seat, entry)
    except InvalidEntry as invalid:
        refusal = Refusal(422, problems=invalid.problems)
        return _dispute_page(request, sheet, deal, typed, refusal)
    except Game.DoesNotExist as error:
        raise Http404 from error
    except Refused as error:
        refusal = Refusal(error.status, str(error))
        return _dispute_page(request, sheet, deal, typed, refusal)
    return redirect(address(row, "write"))


def _seen(request: HttpRequest, row: Game, position: int) -> SeenDeal:
    by = actor_of(request, row.table.public_id if row.table else "")
    return SeenDeal(position, number_in(request.POST, "seen", -1), by, timezone.now())


def _dispute_page(
    request: HttpRequest,
    sheet: Sheet,
    deal: ReviewedDeal,
    typed: Typed | None = None,
    refusal: Refusal = NOT_REFUSED,
) -> HttpResponse:
    row = sheet.row
    own = own_seat(row, actor_of(request))
    context = {
        "row": row,
        "back": address(row, "write"),
        "deal": deal,
        "seen": (typed or {}).get("seen", deal.revision),
        "number": numbers_of(sheet.game)[deal.entry],
        "written": summary_of(sheet.body(deal.position) or {}, sheet),
        "players": list(enumerate(row.players)),
        "seat": number_in(typed or {}, "seat", -1 if own is None else own),
        "notice": refusal.notice,
        "form": form_at(request, sheet, deal.position, typed, refusal.problems),
    }
    return render(request, "tournaments/games/dispute.html", context, status=refusal.status)


@with_game("POST")
def confirm_result(request: HtmxRequest, row: Game) -> HttpResponse:
    """Confirm the result for one player, on the phone of the table."""
    if row.table is None:
        raise Http404
    seat, revision = (number_in(request.POST, name, -1) for name in ("seat", "revision"))
    by = actor_of(request, row.table.public_id)
    try:
        sheet = playing_confirm_result(row.pk, seat, revision, by, at=timezone.now())
    except NotSeated as error:
        raise Http404 from error
    except StaleRevision as stale:
        refusal = refusal_of(stale, stale.sheet)
        return show_table(request, stale.sheet, None, refusal)
    except NotFinished:
        return redirect(address(row, "write"))
    if request.htmx:
        return show_table(request, load_sheet(sheet.row))
    return redirect(address(row, "write"))


@require_POST
def confirm_own(request: HttpRequest, public_id: str) -> HttpResponse:
    """Confirm the result as the account of one of the players."""
    account = account_of(request)
    # Without this, an anonymous visitor would match any player without an account.
    if account is None:
        raise Http404
    mine = Game.objects.named(public_id).filter(seats__player__account=account)
    row = get_object_or_404(mine.filter(table__isnull=False))
    revision = number_in(request.POST, "revision", -1)
    try:
        confirm_own_result(row.pk, revision, actor_of(request), at=timezone.now())
    except NotSeated as error:
        raise Http404 from error
    except (StaleRevision, NotFinished):
        # The page shows the current result, which can be confirmed there.
        return redirect(f"{address(row, 'follow')}?changed=1")
    return redirect(address(row, "follow"))


@require_safe
def share(request: HttpRequest, public_id: str, secret: str) -> HttpResponse:
    """Show the links of a game as QR codes: follow, write, take over the scoring."""
    row = get_object_or_404(writable_game(request, public_id, secret))
    take_path = reverse("take", args=[row.public_id, row.secret("pen")])
    page = {
        "row": row,
        "back": address(row, "write"),
        "follow": access_link(
            request,
            address(row, "follow") if row.open_table is None else evening_address(row.open_table),
        ),
        "take": access_link(request, take_path),
        "write": access_link(request, address(row, "write")),
        "delete": reverse("delete", args=[public_id, secret]),
        "out_of_reach": out_of_reach(request),
    }
    return render(request, "tournaments/games/handover.html", page)


def take(request: HttpRequest, public_id: str, secret: str) -> HttpResponse:
    """Take over the scoring: this phone writes, the previous one follows."""
    key = key_of(request.POST)
    # A retry after a lost answer: the link is used up, but the key is the taker's.
    row = Game.objects.taken_with(public_id, key).first()
    if row is None:
        row = get_object_or_404(Game.objects.takeable_at(public_id, secret))
        if request.method != "POST":
            page = {"row": row, "ruleset": labels.ruleset_name(row.ruleset), "key": key}
            return render(request, "tournaments/games/take.html", page)
        by = actor_of(request, row.table.public_id if row.table else "")
        try:
            row = hand_over(row.pk, row.write_generation, key, by, at=timezone.now())
        except ScoringTaken as error:
            raise Http404 from error
    # The table page remembers the game, and asks a phone that it does not know who holds it.
    return redirect(address(row, "write"))


def delete(request: HttpRequest, public_id: str, secret: str) -> HttpResponse:
    """Delete a game for good, after a confirmation."""
    # Only directors delete a club's game, with its table.
    row = get_object_or_404(writable_game(request, public_id, secret).filter(table=None))
    if request.method != "POST":
        page = {
            "row": row,
            "ruleset": labels.ruleset_name(row.ruleset),
            "back": address(row, "write"),
        }
        return render(request, "tournaments/games/delete.html", page)
    delete_game(row.pk)
    response = HttpResponseRedirect(f"{reverse('home')}?deleted=1")
    forget_game(request, response, row)
    return response


@sensitive_post_parameters("contract")
@with_game("POST")
def seal(request: HtmxRequest, row: Game) -> HttpResponse:
    """Begin a deal with a contract known only to the declarer."""
    contract = request.POST.get("contract", "")
    # No page shows the choice again, whatever is refused.
    return answer_write(request, row, lambda context: seal_contract(row.pk, contract, context), {})


@with_game("POST")
def reveal(request: HtmxRequest, row: Game) -> HttpResponse:
    """Show the sealed contract, with its proof."""
    position = number_in(request.POST, "position", -1)
    try:
        return answer_write(
            request, row, lambda context: reveal_contract(row.pk, position, context), {}
        )
    except SealNotOurs as error:
        return show_table(request, load_sheet(row), {}, Refusal(409, str(error)))
