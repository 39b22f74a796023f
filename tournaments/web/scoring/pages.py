"""The table page: a phone writes the deals down."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from hashlib import sha256
from typing import Any

from django.contrib.staticfiles.storage import staticfiles_storage
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.cache import get_conditional_response
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from tournaments import messages, words
from tournaments.engine.entries import STOP_REASONS
from tournaments.engine.entry_checks import redeals_of
from tournaments.engine.problems import InvalidEntry, Problem
from tournaments.models import Game, Write
from tournaments.queries.marks import Mark, mark_of
from tournaments.queries.rulesets import ruleset_of
from tournaments.queries.sheets import LaterEntryInvalid, Sheet, load_sheet
from tournaments.services.play.playing import canonical, record_entry, withdraw_entry
from tournaments.services.play.writing import (
    BadKey,
    KeyReused,
    NoSuchEntry,
    Pen,
    RoundClosed,
    StaleRevision,
)
from tournaments.visitors import actor_of, may_adopt, writable_game
from tournaments.web.deals.details import Typed
from tournaments.web.deals.entry_form import EntryForm, errors_beside, explained
from tournaments.web.deals.hand_form import HandForm
from tournaments.web.deals.open_form import form_at_table
from tournaments.web.deals.reading import read_entry
from tournaments.web.deals.sheet_view import lines_of, sheet_page
from tournaments.web.phone import address, phone_at, remember_game, remember_phone
from tournaments.web.ratings.predictions import rated_game
from tournaments.web.scoring.confirm_view import confirm_at_table
from tournaments.web.scoring.news import news_of
from tournaments.web.scoring.round_bar import round_bar
from tournaments.web.tables.forms import new_key
from tournaments.web.tables.matches import match_page

REVISION = "Kingscore-Revision"
"""The header by which a phone knows that it was this server that answered, and not a portal."""

HOLDER = "holder"
A_WEEK = 7 * 24 * 60 * 60


@dataclass(frozen=True)
class Refusal:
    """Why a write was not taken: a notice above the sheet, or problems of the form.

    `same` is the revision at which another phone had already written the same.
    """

    status: int
    notice: str = ""
    details: Sequence[str] = ()
    problems: Sequence[Problem] = ()
    same: int | None = None


NOT_REFUSED = Refusal(200)

NOTES = ("trump", "rifki_holder", "sealed", "salt")
"""What one phone may have noted and another not, of the same deal."""


def for_writing(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Only POST does something here; what is left of a refused page leads back to the sheet."""

    @wraps(view)
    def answer(request: HttpRequest, public_id: str, secret: str) -> HttpResponse:
        if request.method != "POST":
            return redirect("write", public_id, secret)
        return view(request, public_id, secret)

    return require_http_methods(["GET", "HEAD", "POST"])(answer)


@never_cache
@require_safe
def write(request: HttpRequest, public_id: str, secret: str) -> HttpResponse:
    """The sheet of a game and the form for its next deal."""
    row = writable_game(request, public_id, secret).first()
    if row is None:
        return handed_over(request, public_id, secret)
    fragment = bool(request.htmx)  # type: ignore[attr-defined]
    # The page with its form is made anew each time; only a phone that listens asks this.
    etag = etag_before(request, row) if fragment else None
    response = get_conditional_response(request, etag=etag)
    if response is not None:
        return response
    response = show_table(request, load_sheet(row))
    if etag:
        response["ETag"] = etag
    remember_game(request, response, row, "write")
    remember_phone(request, response)
    return response


@never_cache
@for_writing
def record(request: HttpRequest, public_id: str, secret: str) -> HttpResponse:
    """Write down an entry: a deal, or one of the few things that are no deal."""
    row = writable_game(request, public_id, secret).first()
    if row is None:
        return handed_over(request, public_id, secret)
    typed = request.POST.dict()
    body, problems = read_entry(ruleset_of(row), typed)
    if problems:
        return show_table(request, load_sheet(row), typed, Refusal(422, problems=problems))
    return answer_write(request, row, lambda pen: record_entry(row.pk, body, pen))


@never_cache
@for_writing
def undo(request: HttpRequest, public_id: str, secret: str) -> HttpResponse:
    """Withdraw the last entry; it stays in the log."""
    row = writable_game(request, public_id, secret).first()
    if row is None:
        return handed_over(request, public_id, secret)
    position = number_in(request.POST, "position", -1)
    return answer_write(request, row, lambda pen: withdraw_entry(row.pk, position, "", pen))


@never_cache
@for_writing
def turn(request: HttpRequest, public_id: str, secret: str) -> HttpResponse:
    """Turn the drawing of the table, so that whoever holds the phone sits at the bottom."""
    row = get_object_or_404(writable_game(request, public_id, secret))
    holder = number_in(request.POST, HOLDER, 0) % len(row.players)
    path = address(row, "write")
    if request.htmx:  # type: ignore[attr-defined]
        response = show_table(request, load_sheet(row), {HOLDER: str(holder)})
    else:
        response = redirect(path)
    response.set_cookie(
        HOLDER, str(holder), max_age=A_WEEK, path=path, samesite="Lax", httponly=True,
        secure=request.is_secure(),
    )  # fmt: skip
    return response


def handed_over(request: HttpRequest, public_id: str, secret: str) -> HttpResponse:
    """The answer at an address that may not write any more; 404 where it never could.

    Raises:
        Http404: the address never gave access to a game.
    """
    row = Game.objects.closed_at(public_id, secret).first()
    if row is not None:
        return _gone(request, row, "closed", _("The round is closed: only a director writes now."))
    row = Game.objects.once_writable_at(public_id, secret).first()
    if row is None:
        raise Http404
    gone = _("The pen has been handed over: another phone writes now.")
    return _gone(request, row, "handed-over", gone)


def _gone(request: HttpRequest, row: Game, why: str, sentence: str) -> HttpResponse:
    if request.method == "POST" and request.htmx:  # type: ignore[attr-defined]
        # Gone for this phone: what it still had to write is shown there, not lost.
        return HttpResponse(sentence, status=410, headers={REVISION: str(row.revision)})
    return redirect(f"{address(row, 'follow')}?{why}=1")


def pen_of(request: HttpRequest, row: Game) -> Pen:
    """Which phone writes, with which key, and what it last saw.

    Nobody is asked who holds it: turning the drawing of the table is no answer to that.
    """
    declarer = number_in(request.POST, "declarer", -1)
    return Pen(
        key=request.POST.get("key", ""),
        revision=number_in(request.POST, "revision", -1),
        at=timezone.now(),
        phone=phone_at(request, row),
        by=actor_of(request, row.table.public_id if row.table else ""),
        turn=declarer if declarer >= 0 else None,
    )


def holder_of(request: HttpRequest, players: Sequence[str]) -> int:
    """The seat of whoever holds the phone: as the form says, or as it was last turned."""
    kept = number_in(request.COOKIES, HOLDER, 0)
    holder = number_in(request.POST, HOLDER, kept)
    return holder if holder in range(len(players)) else 0


def number_in(fields: Mapping[str, str], name: str, otherwise: int) -> int:
    """A whole number sent by the page, or what to take where there is none."""
    text = str(fields.get(name, ""))
    # Longer ones are no revision, seat or position of ours, and Python refuses to read them.
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else otherwise


def form_of(
    sheet: Sheet, holder: int, typed: Typed | None = None, problems: Sequence[Problem] = ()
) -> EntryForm | HandForm:
    """The form for the next deal of a sheet."""
    form = form_at_table(sheet.game)
    return form(sheet.game, sheet.row.players, sheet.row.revision, holder, typed, problems)


def refusal_of(error: Exception, sheet: Sheet) -> Refusal:
    """What to tell whoever wrote what `error` refused."""
    players = sheet.row.players
    if isinstance(error, StaleRevision):
        notice = _(
            "Someone else has written meanwhile. Yours was not saved: "
            "here is the sheet as it stands now."
        )
        return Refusal(409, notice)
    if isinstance(error, LaterEntryInvalid):
        details = [messages.explain(problem, players) for problem in error.problems]
        return Refusal(422, _where_it_stands(error.position, sheet), details)
    if isinstance(error, RoundClosed):
        return Refusal(409, _("The round has been closed meanwhile. Yours was not saved."))
    if isinstance(error, NoSuchEntry):
        return Refusal(409, _("This line has been taken off the sheet meanwhile."))
    return Refusal(422, _("This was not written: please send it once more."))


def answer_write(
    request: HttpRequest,
    row: Game,
    store: Callable[[Pen], Sheet],
    typed: Typed | None = None,
) -> HttpResponse:
    """Write, and show the sheet after it, or why it was refused with all that was typed."""
    typed = request.POST.dict() if typed is None else typed
    try:
        sheet = store(pen_of(request, row))
    except Game.DoesNotExist as error:
        raise Http404 from error
    except StaleRevision as stale:
        same = _written_meanwhile(stale.sheet, typed)
        if same is not None:
            notice = _("Another phone has already written the same; it stands in the sheet once.")
            return show_table(request, stale.sheet, None, Refusal(409, notice, same=same.revision))
        return show_table(request, stale.sheet, typed, refusal_of(stale, stale.sheet))
    except InvalidEntry as invalid:
        refusal = Refusal(422, problems=invalid.problems)
        return show_table(request, load_sheet(row), typed, refusal)
    except (LaterEntryInvalid, NoSuchEntry, BadKey, KeyReused, RoundClosed) as error:
        sheet = load_sheet(row)
        return show_table(request, sheet, typed, refusal_of(error, sheet))
    if not request.htmx:  # type: ignore[attr-defined]
        return redirect(address(row, "write"))
    etag = etag_before(request, sheet.row)
    response = show_table(request, sheet)
    # So that the phone does not ask for what it has just been shown.
    response["ETag"] = etag
    return response


def _written_meanwhile(sheet: Sheet, typed: Typed) -> Write | None:
    """The write that has put the same entry where a phone that had not seen it typed its own."""
    body = canonical(read_entry(ruleset_of(sheet.row), typed)[0])
    seen = number_in(typed, "revision", sheet.row.revision)
    added = (Write.Kind.ENTRY, Write.Kind.COMPLETION)
    for first in (w for w in sheet.writes if w.kind in added and w.revision > seen):
        stands = sheet.body(first.position) if first.position is not None else None
        if stands is not None and stands["type"] == body["type"]:
            return first if _without_notes(stands) == _without_notes(body) else None
    return None


def _without_notes(body: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in body.items() if name not in NOTES}


def show_table(
    request: HttpRequest,
    sheet: Sheet,
    typed: Typed | None = None,
    refusal: Refusal = NOT_REFUSED,
) -> HttpResponse:
    """The table page, or its fragment, with what was typed and why it was refused."""
    row = sheet.row
    holder = number_in(typed or {}, HOLDER, holder_of(request, row.players))
    of_deal = typed is not None and typed.get("type") in ("deal", "void")
    problems = refusal.problems if of_deal else ()
    beside = errors_beside(refusal.problems, row.players, (typed or {}).get("type", ""))
    details = list(refusal.details)
    if not of_deal:
        details += explained(refusal.problems, row.players, beside)
    page: dict[str, Any] = {
        "row": row,
        "secret": row.secret("write"),
        "sheet": sheet_page(sheet),
        "match": match_page(request, sheet),
        "confirm": confirm_at_table(sheet),
        "rated": rated_game(request, sheet),
        "adopts": may_adopt(request, row),
        "bar": None if request.htmx else round_bar(row, timezone.now()),  # type: ignore[attr-defined]
        "form": form_of(sheet, holder, typed, problems),
        # Only these games need the styles and scripts of their forms.
        "hands": form_at_table(sheet.game) is not EntryForm,
        "typed": typed if not of_deal and refusal.status != 200 else {},
        "beside": beside,
        "ruleset": words.ruleset_name(row.ruleset),
        "notice": refusal.notice,
        "same": refusal.same,
        "stale": of_deal and refusal.status == 409,
        "details": details,
        "key": new_key(),
        "news": news_of(sheet),
        "last_position": sheet.positions[-1] if sheet.positions else None,
        "redeals": _reasons("redeal", redeals_of(sheet.game)),
        "stops": _reasons("stopped", STOP_REASONS),
    }
    fragment = request.htmx  # type: ignore[attr-defined]
    if fragment and typed is not None and refusal.status != 200:
        # So that a phone whose signal dies now has the sheet as it stands without what was typed.
        page["clean"] = clean_table(request, page, form_of(sheet, holder))
    template = "tournaments/_table.html" if fragment else "tournaments/table.html"
    response = render(request, template, page, status=refusal.status)
    response[REVISION] = str(row.revision)
    return response


def clean_table(request: HttpRequest, page: Mapping[str, Any], form: EntryForm | HandForm) -> str:
    """The fragment with an empty form, and without what was refused."""
    nothing: dict[str, Any] = {
        "typed": {},
        "beside": {},
        "notice": "",
        "details": [],
        "same": None,
        "stale": False,
    }
    return render_to_string("tournaments/_table.html", {**page, **nothing, "form": form}, request)


def _reasons(group: str, reasons: Sequence[str]) -> list[tuple[str, str]]:
    return [(reason, words.reason_name(group, reason)) for reason in reasons]


def _where_it_stands(position: int, sheet: Sheet) -> str:
    """Which line of the sheet a change would make impossible."""
    line = next((line for line in lines_of(sheet) if line.position == position), None)
    if line is not None and line.number is not None:
        return _("Then deal %(number)s would no longer fit:") % {"number": line.number}
    return _("Then a later line of the sheet would no longer fit:")


def etag_before(request: HttpRequest, row: Game) -> str:
    """The ETag of a fragment that is drawn next: it promises nothing that comes in meanwhile.

    Raises:
        Http404: the table was taken away since its row was read.
    """
    try:
        return etag_of(request, row.public_id, mark_of(row), fragment=True)
    except Game.DoesNotExist as error:
        raise Http404 from error


def etag_of(request: HttpRequest, public_id: str, mark: Mark, *, fragment: bool) -> str:
    """What a page that listens depends on; the revision counts every write."""
    seen = [
        public_id,
        mark,
        get_language(),
        fragment,
        holder_of(request, mark.players),
        request.COOKIES.get("theme"),
        request.COOKIES.get("suits"),
        # Pages of an older program are told to load the new style sheet.
        staticfiles_storage.url("table.css"),
    ]
    return f'"{sha256(repr(seen).encode()).hexdigest()[:32]}"'
