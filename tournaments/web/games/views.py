"""The page of a table on a phone."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import wraps
from hashlib import sha256
from typing import Any

from django.contrib.staticfiles.storage import staticfiles_storage
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from tournaments.engine.documents.entries import write_entry
from tournaments.engine.play.games import askers_of, redeals_of
from tournaments.engine.rules.entries import REMARKS, STOP_REASONS, Deal, missing
from tournaments.engine.rules.rulesets import Code, InvalidEntry, Problem, Ruleset, refuse
from tournaments.engine.rules.scoring import sums_of
from tournaments.models import Event, Game, Revision, Round, Table
from tournaments.permissions import (
    account_of,
    actor_of,
    directs_club,
    in_its_time,
    may_adopt,
    writable_game,
)
from tournaments.queries.rulesets import NOT_WITHOUT_SIGNAL, describe, state_of
from tournaments.queries.scoresheets import numbers_of, verdict_texts
from tournaments.queries.sheets import (
    LaterEntryInvalid,
    ReviewedDeals,
    Sheet,
    games_until,
    last_game_after,
    load_reviews,
    load_sheet,
    phone_seats,
    rules_of,
    ruleset_of,
)
from tournaments.queries.state import seconds_left
from tournaments.queries.versions import GameVersion, mark_of, mark_written
from tournaments.services.base.writes import Refused, note_refusal
from tournaments.services.games.photos import takes_photos
from tournaments.services.games.playing import (
    ScoringTaken,
    agreement_on,
    hand_over,
    may_take_pen,
    own_seat,
    record_entry,
    withdraw_entry,
)
from tournaments.services.games.seating import (
    answer_for_pen,
    answer_for_seat,
    ask_for_pen,
    ask_for_seat,
    back_request,
    leave_seat,
    seated,
    take_seat,
    who_rests,
)
from tournaments.services.games.writing import (
    BadKey,
    KeyReused,
    RoundClosed,
    StaleRevision,
    WriteContext,
)
from tournaments.services.rounds.rulings import call_director
from tournaments.services.rounds.running import standings_moved
from tournaments.texts import labels, messages
from tournaments.texts.labels import duration_text
from tournaments.web.base.pages import HtmxRequest, not_modified, too_many
from tournaments.web.base.phone import (
    LastTable,
    address,
    address_on_phone,
    in_game,
    knows_game,
    new_write_key,
    phone_at,
    picture_address,
    remember_game,
    remember_phone,
)
from tournaments.web.games.deals.forms import (
    ENTRY_FIELDS,
    Typed,
    form_of,
    group_errors,
    parse_form,
    place_of,
    typed_entry,
)
from tournaments.web.games.deals.sheets import SheetPage, entry_text, news_of
from tournaments.web.games.starting import StakeForm, key_of, match_page
from tournaments.web.ratings.views import rated_part

MINUTE = 60


@dataclass(frozen=True)
class Clock:
    """The seconds left, below 0 after the end; pages with scripts count down from there."""

    left: int
    running: bool

    @property
    def text(self) -> str:
        minutes = abs(self.left) // MINUTE
        if not self.over:
            return duration_text(self.left)
        return _time_ago(duration_text(minutes * MINUTE)) if minutes else self.up

    @property
    def over(self) -> bool:
        return self.left < 0

    @property
    def up(self) -> str:
        return _("time is up")

    @property
    def ago(self) -> str:
        """Return how many minutes ago the time was up; scripts put them for the #."""
        return _time_ago(_("%(minutes)s min") % {"minutes": "#"})


def _time_ago(time: str) -> str:
    return _("time was up %(time)s ago") % {"time": time}


def clock_of(round_: Round, at: datetime, extra: int = 0) -> Clock | None:
    """Return the clock of a round, or of one of its tables; None if it has none."""
    left = seconds_left(round_, at, extra) if round_.published_at is not None else None
    return None if left is None else Clock(left, round_.clock_started_at is not None)


@dataclass(frozen=True)
class RoundBar:
    """A table of a tournament's round, with its time left; directors get the way `back`."""

    table: Table
    clock: Clock | None
    back: str = ""

    @property
    def called(self) -> bool:
        return self.table.called_at is not None

    @property
    def corrected(self) -> int:
        """Return how many entrants corrections in closed rounds moved; directors read it."""
        if not self.back or self.table.round.is_open:
            return 0
        event = self.table.round.event
        rounds = event.rounds.order_by("number").defer("seating", "standings")
        return standings_moved(event.tournament, rounds)


def round_bar(request: HttpRequest, row: Game, at: datetime) -> RoundBar | None:
    """Return the bar of a table in a tournament (1 query, 2 for somebody signed in).

    Once the round is closed, only directors have one.
    """
    if row.table_id is None:
        return None
    tables = Table.objects.filter(pk=row.table_id, round__event__tournament__isnull=False)
    table = tables.select_related("round__event__club", "round__event__tournament").first()
    if table is None:
        return None
    clock = clock_of(table.round, at, table.extra_seconds) if table.round.is_open else None
    event = table.round.event
    if directs_club(request, event.club):
        way = (event.club.slug, event.tournament.slug, table.round.number, table.number)
        return RoundBar(table, clock, reverse("running_table", args=way))
    return RoundBar(table, clock) if table.round.is_open else None


def reviews_to_show(sheet: Sheet) -> ReviewedDeals | None:
    """Return the reviews of a sheet; the confirmed result covers its unconfirmed deals."""
    reviews = load_reviews(sheet)
    if reviews is None or not sheet.game.finished:
        return reviews
    left = {at: deal for at, deal in reviews.deals.items() if deal.state != "unconfirmed"}
    if len(left) == len(reviews.deals):
        return reviews
    event = Event.objects.get(rounds__tables=sheet.row.table_id)
    agreement = agreement_on(sheet, event.confirmations, sheet.row.confirmations.all())
    return replace(reviews, deals=left) if agreement.needed and agreement.enough else reviews


def deals_to_confirm(sheet: Sheet, reviews: ReviewedDeals) -> list[dict[str, Any]]:
    """Return the deals that wait for a player or a director, the newest first."""
    numbers, players = numbers_of(sheet.game), sheet.row.players
    waiting = [
        {
            "deal": deal,
            "number": numbers[deal.entry],
            "seats": [(seat, players[seat]) for seat in deal.confirmers],
            "disputed_by": players[deal.dispute.seat] if deal.dispute else "",
        }
        for deal in reviews.deals.values()
        if deal.state in ("unconfirmed", "disputed")
    ]
    return waiting[::-1]


def confirm_own(request: HttpRequest, sheet: Sheet) -> dict[str, Any] | None:
    """Return the request for a signed-in player who follows; None for all others."""
    row = sheet.row
    if row.table_id is None or not sheet.game.finished or account_of(request) is None:
        return None
    seat = own_seat(row, actor_of(request))
    path = reverse("confirm_own", args=[row.public_id])
    return None if seat is None else _confirm_page(sheet, path, (seat,), own=True)


def _confirm_page(
    sheet: Sheet, path: str, seats: Iterable[int], *, own: bool
) -> dict[str, Any] | None:
    """Return who may confirm the result at a path, if confirmations are needed (2 queries)."""
    row = sheet.row
    event = Event.objects.get(rounds__tables=row.table_id)
    agreement = agreement_on(sheet, event.confirmations, row.confirmations.all())
    if not agreement.needed:
        return None
    return {
        "address": path,
        "revision": row.revision,
        "seats": [(seat, row.players[seat], seat in agreement.confirmed) for seat in seats],
        "agreement": agreement,
        "own": own,
    }


def going_on(request: HttpRequest, row: Game, kind: str) -> dict[str, Any] | None:
    """Return number and address of the last game after one at its table, or None (1 query).

    Whoever writes a game writes the next one at the table.
    """
    later = last_game_after(row)
    if later is None:
        return None
    writes = kind == "write" and later.table_id == row.table_id
    path = address(later, "write") if writes else address_on_phone(request, later)
    return {"number": later.number or later.match_number or 0, "address": path}


def redo_of(sheet: Sheet) -> dict[str, Any] | None:
    """Return the entry that was undone last: what it says, and the fields of its form.

    None if something else was written since.
    """
    undone: list[Mapping[str, Any]] = []
    stored: dict[int, Mapping[str, Any]] = {}
    for write in sheet.revisions:
        position = -1 if write.position is None else write.position
        if write.kind == Revision.Kind.WITHDRAWAL and position == max(stored):
            undone.append(stored[position])
        elif write.kind == Revision.Kind.ENTRY and undone and undone[-1] == write.body:
            undone.pop()
        else:
            undone.clear()
        if write.position is not None:
            stored.pop(position, None)
            stored |= {} if write.body is None else {position: write.body}
    fields = _fields(sheet.game.ruleset, undone[-1]) if undone else None
    if fields is None:
        return None
    text = entry_text(undone[-1], sheet.row.players, sheet.game.ruleset)
    return {"text": text, "fields": fields}


def _fields(ruleset: Ruleset, body: Mapping[str, Any]) -> Mapping[str, str] | None:
    """Return the form's fields of an entry; None if no form writes it, as for a sealed deal."""
    fields = typed_entry(ruleset, body)
    if body["type"] not in ("deal", "totals"):
        fields = {name: str(value) for name, value in body.items()}
        fields |= {"sure": "yes"} if body["type"] == "stopped" else {}
    fields |= {name: body[name] for name in ("type", *REMARKS) if name in body}
    try:
        return fields if write_entry(parse_form(ruleset, fields)) == body else None
    except InvalidEntry:
        return None


def question_of(request: HttpRequest, row: Game, rules: Ruleset) -> dict[str, Any]:
    """Return the chairs, and whether to ask: others than who started it, once, while it goes on."""
    chairs = [
        (seat, name, place_of(rules.seats, seat, clockwise=rules.clockwise))
        for seat, name in enumerate(row.players)
    ]
    return {"chairs": chairs, "asks": row.result is None and not knows_game(request, row)}


@require_POST
def seat(request: HttpRequest, public_id: str, secret: str) -> HttpResponse:
    """Take a seat, ask for it, answer a phone that asks, or leave it: 409 if that is not so.

    So does the phone of a seat ask for the scoring, agree with another one, and take it over: the
    answer has the address to write.
    """
    if refused := too_many(request, "phone_seats"):
        return refused
    row = get_object_or_404(Game.objects.readable_at(public_id, secret))
    response = HttpResponse(status=204)
    phone, at = in_game(remember_phone(request, response), row), timezone.now()
    does, chosen = request.POST.get("does", ""), request.POST.get("seat", "")
    number = int(chosen) if chosen in map(str, range(len(row.players))) else None
    if does == "leave":
        leave_seat(row.pk, phone)
    elif does == "write" and number is not None:
        key = key_of(request.POST)
        # A retry after a lost answer: the scoring is this phone's already.
        taken = Game.objects.taken_with(public_id, key).first()
        if taken is None and may_take_pen(row, number, phone, at=at):
            with suppress(ScoringTaken):
                by = actor_of(request, row.table.public_id if row.table else "")
                taken = hand_over(row.pk, row.write_generation, key, by, at=at)
        if taken is not None:
            return JsonResponse({"address": address(taken, "write")})
        response.status_code = 409
    elif does == "agree" and number is not None:
        if not back_request(row.pk, number, request.POST.get("name", ""), phone):
            response.status_code = 409
    elif number is None or not _change(row, does, number, phone, at):
        response.status_code = 409
    return response


def _change(row: Game, does: str, number: int, phone: str, at: datetime) -> bool:
    match does:
        case "take":
            return take_seat(row.pk, number, phone, at=at)
        case "ask":
            return ask_for_seat(row.pk, number, phone, at=at)
        case "yes" | "no":
            return answer_for_seat(row.pk, number, phone, gives=does == "yes")
        case "pen":
            return ask_for_pen(row.pk, number, phone, at=at)
        case _:
            return False


REVISION = "Kingscore-Revision"
"""The header that tells a phone that this server answered, and not a captive portal."""

HOLDER = "holder"
A_WEEK = 7 * 24 * 60 * 60


@dataclass(frozen=True)
class Refusal:
    """Why an entry was refused: a notice above the sheet, or problems of the form.

    `same` is the revision at which another phone had already made the same entry.
    """

    status: int
    notice: str = ""
    details: Sequence[str] = ()
    problems: Sequence[Problem] = ()
    same: int | None = None

    def __post_init__(self) -> None:
        note_refusal(*self.problems)


NOT_REFUSED = Refusal(200)

NOTES = ("trump", "rifki_holder", "sealed", "salt")
"""Details of a deal in which two phones may differ."""


def with_game(
    *methods: str,
) -> Callable[[Callable[..., HttpResponse]], Callable[..., HttpResponse]]:
    """Give a view the game that the visitor may write at an address, instead of the address.

    A GET at the address of a page that was refused, where only POST is handled, leads to the sheet.
    """

    def decorate(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
        @wraps(view)
        def answer(request: HtmxRequest, public_id: str, secret: str, **more: Any) -> HttpResponse:
            if request.method not in methods:
                return redirect("write", public_id, secret)
            row = Game.objects.first_writable_at(public_id, secret, request.user)
            if row is None:
                return handed_over(request, public_id, secret)
            if row.table is not None:
                in_its_time(row.table.round.event.club)
            return view(request, row, **more)

        return answer

    return decorate


@with_game("POST")
def give_pen(request: HtmxRequest, row: Game) -> HttpResponse:
    """Answer as the writing phone whether a seat that asks for it gets the scoring."""
    seat = number_in(request.POST, "seat", -1)
    gives = request.POST.get("does") == "yes"
    asked = seat in range(len(row.players)) and answer_for_pen(row.pk, seat, gives=gives)
    return HttpResponse(status=204 if asked else 409)


SHOWS = ("GET", "HEAD", "POST")
"""The methods of a view that shows a page of its own."""


@require_safe
@with_game(*SHOWS)
def table_page(request: HtmxRequest, row: Game) -> HttpResponse:
    """Show the sheet of a game and the form for its next deal."""
    fragment = bool(request.htmx)
    mark = mark_of(row) if fragment else mark_written(row)
    etag = etag_of(request, row.public_id, mark)
    # The page with its form is rendered each time; only polling phones send this.
    response = not_modified(request, etag if fragment else None)
    if response is not None:
        return response
    response = show_table(request, load_sheet(row), etag=etag)
    if fragment:
        response["ETag"] = etag
    remember_game(request, response, row, "write")
    remember_phone(request, response)
    return response


@with_game("POST")
def post_entry(request: HtmxRequest, row: Game) -> HttpResponse:
    """Store an entry: a deal, or one of the few other kinds."""
    typed = request.POST.dict()
    try:
        rules = ruleset_of(row)
        entry = parse_form(rules, typed)
        # Programs and records may leave the suit out. Of a deal that was named before, it stands; a
        # hand that is not played has none.
        if isinstance(entry, Deal) and {"trump", "refused"}.isdisjoint(entry.details):
            contract = rules.contract_named(entry.contract)
            if contract and contract.named and contract.trumps and "naming" not in rules.settings:
                refuse([missing("trump")])
    except InvalidEntry as invalid:
        refusal = Refusal(422, problems=invalid.problems)
        return show_table(request, load_sheet(row), typed, refusal)
    if typed.get("type") == "stopped" and typed.get("reason") and not typed.get("sure"):
        refusal = Refusal(422, _("The game goes on: tick that it ends here, or play the rest."))
        return show_table(request, load_sheet(row), typed, refusal)
    return answer_write(request, row, lambda context: record_entry(row.pk, entry, context))


@with_game("POST")
def undo(request: HtmxRequest, row: Game) -> HttpResponse:
    """Withdraw the last entry; it stays in the log."""
    position = number_in(request.POST, "position", -1)

    def withdraw(context: WriteContext) -> Sheet:
        return withdraw_entry(row.pk, position, "", context, moves=False)

    return answer_write(request, row, withdraw)


def turn(request: HtmxRequest, public_id: str, secret: str) -> HttpResponse:
    """Rotate the drawing of the table, so that the holder of the phone sits at the bottom."""
    if request.method != "POST":
        return redirect("write", public_id, secret)
    row = get_object_or_404(writable_game(request, public_id, secret))
    holder = number_in(request.POST, HOLDER, 0) % len(row.players)
    path = address(row, "write")
    if request.htmx:
        response = show_table(request, load_sheet(row), {HOLDER: str(holder)})
    else:
        response = redirect(path)
    response.set_cookie(
        HOLDER, str(holder), max_age=A_WEEK, path=path, samesite="Lax", httponly=True,
        secure=request.is_secure(),
    )  # fmt: skip
    return response


def handed_over(request: HtmxRequest, public_id: str, secret: str) -> HttpResponse:
    """Answer at an address that may no longer write; 404 if it never could.

    Raises: Http404: the address never gave access to a game.
    """
    row = Game.objects.closed_at(public_id, secret).first()
    if row is not None:
        return _gone(request, row, "closed", _("The round is closed: only a director writes now."))
    row = Game.objects.once_writable_at(public_id, secret).first()
    if row is None:
        raise Http404
    gone = _("The scoring has been handed over: another phone writes now.")
    return _gone(request, row, "handed-over", gone)


def _gone(request: HtmxRequest, row: Game, why: str, sentence: str) -> HttpResponse:
    if request.method == "POST" and request.htmx:
        # Gone for this phone: the answer shows its unsent entries instead of losing them.
        return HttpResponse(sentence, status=410, headers={REVISION: str(row.revision)})
    return redirect(f"{address(row, 'follow')}?{why}=1")


def write_context(request: HttpRequest, row: Game) -> WriteContext:
    """Return the WriteContext: phone, key and last seen revision.

    The author is who has said that the phone is theirs; rotating the drawing does not say it.
    """
    declarer = number_in(request.POST, "declarer", -1)
    writer = number_in(request.POST, "writer", -1)
    version = number_in(request.POST, "version", -1)
    return WriteContext(
        key=request.POST.get("key", ""),
        revision=number_in(request.POST, "revision", -1),
        at=timezone.now(),
        author=row.players[writer] if writer in range(len(row.players)) else "",
        phone=phone_at(request, row),
        by=actor_of(request, row.table.public_id if row.table else ""),
        turn=declarer if declarer >= 0 else None,
        version=version if version >= 0 else None,
    )


def holder_of(request: HttpRequest, players: Sequence[str]) -> int:
    """Return the seat of the phone's holder: from the form, or from the last rotation."""
    stored = number_in(request.COOKIES, HOLDER, 0)
    holder = number_in(request.POST, HOLDER, stored)
    return holder if holder in range(len(players)) else 0


def people_of(row: Game, rules: Ruleset, holder: int) -> dict[str, Any]:
    """Return the players, each with side and phone, and the seat from which the table is drawn.

    `table` is the id under which a phone keeps whose it is (`static/who.js`).
    """
    # A club's table gets an open one with its second game.
    table = row.table or row.open_table or row
    return {
        "table": table.public_id,
        "game": row.public_id,
        "follow": address(row, "follow"),
        "players": list(row.players),
        "was": [] if row.table_id else [each.was for each in phone_seats(row)],
        "resting": list(row.resting),
        "sides": list(rules.sides),
        "holder": holder,
        "phones": [each.state for each in phone_seats(row)],
        "pens": [each.request for each in phone_seats(row)],
    }


def number_in(fields: Mapping[str, str], name: str, otherwise: int) -> int:
    """Return a whole number from the form, or a default."""
    text = str(fields.get(name, ""))
    # Longer ones are no revision, seat or position of ours, and Python refuses to parse them.
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else otherwise


def refusal_of(error: Exception, sheet: Sheet) -> Refusal:
    if not isinstance(error, LaterEntryInvalid):
        return Refusal(422 if isinstance(error, BadKey | KeyReused) else 409, str(error))
    hands = numbers_of(sheet.game)
    numbers = {sheet.positions[entry]: number for entry, number in hands.items()}
    if any(problem.code is Code.GAME_OVER for problem in error.problems):
        before = [number for position, number in numbers.items() if position < error.position]
        notice = _(
            "Then the game would end with deal %(number)s, and the deals after it would be void."
        )
        return Refusal(422, notice % {"number": max(before, default=0)})
    details = [messages.explain(problem, sheet.row.players) for problem in error.problems]
    deals = {sheet.positions[played.entry] for played in sheet.game.deals}
    if error.position not in deals:
        return Refusal(422, _("Then a later line of the sheet would no longer fit:"), details)
    notice = _("Then deal %(number)s would no longer fit:") % {"number": numbers[error.position]}
    return Refusal(422, notice, details)


def answer_write(
    request: HtmxRequest,
    row: Game,
    store: Callable[[WriteContext], Sheet],
    typed: Typed | None = None,
) -> HttpResponse:
    """Write, then show the sheet, or the refusal with all typed values."""
    typed = request.POST.dict() if typed is None else typed
    try:
        sheet = store(write_context(request, row))
    except Game.DoesNotExist as error:
        raise Http404 from error
    except StaleRevision as stale:
        same = _written_meanwhile(stale.sheet, typed)
        if same is not None:
            notice = _("Another phone has already written the same; it is on the sheet once.")
            return show_table(request, stale.sheet, None, Refusal(409, notice, same=same.revision))
        return show_table(request, stale.sheet, typed, refusal_of(stale, stale.sheet))
    except InvalidEntry as invalid:
        refusal = Refusal(422, problems=invalid.problems)
        return show_table(request, load_sheet(row), typed, refusal)
    except (LaterEntryInvalid, Refused) as error:
        sheet = load_sheet(row)
        return show_table(request, sheet, typed, refusal_of(error, sheet))
    if not request.htmx:
        return redirect(address(row, "write"))
    # Read before; the locked row has not joined it.
    sheet.row.open_table = row.open_table
    # Before rendering, so that it covers no later change.
    etag = etag_of(request, row.public_id, mark_written(sheet.row))
    response = show_table(request, sheet)
    # So that the phone does not request what it has just received.
    response["ETag"] = etag
    return response


def _written_meanwhile(sheet: Sheet, typed: Typed) -> Revision | None:
    """Return the revision with which another phone stored the same entry, if there is one."""
    try:
        body = write_entry(parse_form(sheet.game.ruleset, typed))
    except InvalidEntry:
        return None
    seen = number_in(typed, "revision", sheet.row.revision)
    added = (Revision.Kind.ENTRY, Revision.Kind.COMPLETION)
    for first in (w for w in sheet.revisions if w.kind in added and w.revision > seen):
        stands = sheet.body(first.position) if first.position is not None else None
        if stands is not None and stands["type"] == body["type"]:
            return first if _without_notes(stands) == _without_notes(body) else None
    return None


def _without_notes(body: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in body.items() if name not in NOTES}


def show_table(
    request: HtmxRequest,
    sheet: Sheet,
    typed: Typed | None = None,
    refusal: Refusal = NOT_REFUSED,
    etag: str = "",
) -> HttpResponse:
    """Return the table page, or its fragment, with typed values and a refusal.

    With `etag` the page need not ask for what it shows.
    """
    row = sheet.row
    holder = number_in(typed or {}, HOLDER, holder_of(request, row.players))
    page = table_context(request, sheet, holder, typed, refusal) | {"etag": etag}
    fragment = request.htmx
    if fragment and typed is not None and refusal.status != 200:
        # So that a phone that loses its signal now has the current sheet without typed values.
        nothing: dict[str, Any] = {
            "typed": {},
            "beside": {},
            "notice": "",
            "details": (),
            "same": None,
        }
        clean = {**page, **nothing, "stale": False, "form": form_of(sheet, holder)}
        html = render_to_string("tournaments/games/_table.html", clean, request)
        page["clean"] = SafeString(html)
    template = "tournaments/games/_table.html" if fragment else "tournaments/games/table.html"
    response = render(request, template, page, status=refusal.status)
    response[REVISION] = str(row.revision)
    return response


def table_context(
    request: HtmxRequest,
    sheet: Sheet,
    holder: int,
    typed: Typed | None = None,
    refusal: Refusal = NOT_REFUSED,
) -> dict[str, Any]:
    row, game, ruleset = sheet.row, sheet.game, sheet.game.ruleset
    kind = (typed or {}).get("type", "")
    of_deal = kind in ("deal", "void")
    beside = group_errors(refusal.problems, row.players, ENTRY_FIELDS.get(kind, ()))
    withdrawn = any(write.kind == Revision.Kind.WITHDRAWAL for write in sheet.revisions)
    form = form_of(sheet, holder, typed, refusal.problems if of_deal else ())
    # What a phone without a signal corrects or takes off: the lines of the sheet, in order.
    # Only lines that were not written once and in order have a version here.
    rows: dict[str, Any] = {
        "rows": [sheet.body(position) for position in sheet.positions],
        "versions": {at: v for at in sheet.positions if (v := sheet.version(at)) != at + 1},
    }
    if game.ending is not None:
        king = None
        if game.ending.seat is not None:
            king = {"side": ruleset.sides[game.ending.seat], "made": game.ending.by == "king"}
        rows |= {"over": True, "ending": {"king": king}}
    match = match_page(sheet) if row.match_id else None
    if match and game.ending is None:
        rows["match"] = match["so_far"]
    again = None
    apart = row.table_id is None and row.match_id is None and len(row.resting) <= 2
    if apart and row.options.keys().isdisjoint(NOT_WITHOUT_SIGNAL):
        # A rematch of the same people, for a phone without a signal.
        people = [*row.players, *row.resting]
        resting = who_rests(games_until(row), people, ruleset.seats) if row.resting else ()
        playing = [name for name in people if name not in resting]
        table = LastTable(seated(people, playing, ruleset.seats), row.ruleset, row.options)
        again = table.initial({row.ruleset: rules_of(row)})
        again |= StakeForm.initial_of(game.stake) if game.stake else {}
        again |= {f"name{line}": name for line, name in enumerate(resting, 6)}
    zero_sum = sums_of(ruleset).zero_sum is True
    return {
        **_at_club(request, sheet),
        "row": row,
        "secret": row.secret("write"),
        "picture": picture_address(row) if game.finished else "",
        "match": match,
        "goes_on": going_on(request, row, "write") if game.finished else None,
        "bar": None if request.htmx else round_bar(request, row, timezone.now()),
        "form": form,
        "typed": typed if not of_deal and refusal.status != 200 else {},
        "beside": beside,
        "ruleset": labels.ruleset_name(row.ruleset),
        "notice": refusal.notice,
        "same": refusal.same,
        "stale": of_deal and refusal.status == 409,
        "details": [*refusal.details, *(() if of_deal else beside.get("", ()))],
        "key": new_write_key(),
        "people": people_of(row, ruleset, holder),
        "who": None if request.htmx else question_of(request, row, ruleset),
        "photo": not sheet.positions and takes_photos(ruleset),
        "news": news_of(sheet),
        "redo": redo_of(sheet) if withdrawn else None,
        "last_position": sheet.positions[-1] if sheet.positions else None,
        "last_version": sheet.version(sheet.positions[-1]) if sheet.positions else 0,
        "verdicts": None if request.htmx else verdict_texts(),
        # With these, phones check deals before they send them; once with the page.
        "rules": None if request.htmx else describe(ruleset),
        "state": state_of(game, list(row.players)) | rows,
        "again": again,
        "askers": askers_of(game) if ruleset.settings.get("redeal_by") == "must-trump" else [],
        "zero_sum": zero_sum,
        # Whether points for a mistake usually go to the others.
        "others_share": zero_sum or ruleset.settings.get("adjustment_to") == "others",
        "redeals": [(reason, labels.reason_name("redeal", reason)) for reason in redeals_of(game)],
        "stops": [(reason, labels.reason_name("stopped", reason)) for reason in STOP_REASONS],
    }


def _at_club(request: HttpRequest, sheet: Sheet) -> dict[str, Any]:
    """Return the sheet with its reviews, and what else only a club's table shows."""
    row = sheet.row
    reviews = reviews_to_show(sheet) if row.tournament_settings else None
    finished_in_club = row.table_id is not None and sheet.game.finished
    confirm = None
    if finished_in_club:
        path = reverse("confirm", args=[row.public_id, row.secret("write")])
        confirm = _confirm_page(sheet, path, range(len(row.players)), own=False)
    return {
        "sheet": SheetPage(sheet, reviews),
        "deals": deals_to_confirm(sheet, reviews) if reviews else [],
        "reviewed": sum(len(deal.reviews) for deal in reviews.deals.values()) if reviews else 0,
        "confirm": confirm,
        "goes_further": row.tournament_settings is None
        and (confirm is None or confirm["agreement"].enough),
        "rated": rated_part(request, sheet) if finished_in_club else "",
        "adopts": may_adopt(request, row),
    }


def etag_of(request: HttpRequest, public_id: str, mark: GameVersion) -> str:
    """Return the ETag of a sheet that is polled; the revision counts every write.

    It begins with the version that streams announce, so that pages know what they show.
    """
    seen = [
        public_id,
        get_language(),
        holder_of(request, mark.players),
        request.COOKIES.get("theme"),
        request.COOKIES.get("suits"),
        # Includes the style sheet, so that open pages of an older program reload.
        staticfiles_storage.url("table.css"),
    ]
    return f'"{mark.digest}{sha256(repr(seen).encode()).hexdigest()[:16]}"'


STOP_POLLING = 286
"""The status that makes htmx stop polling."""


@require_safe
def table_round(request: HtmxRequest, public_id: str, secret: str) -> HttpResponse:
    """Show the bar above the sheet; the phone polls it."""
    asks_again = bool(request.htmx)
    is_over = asks_again and Game.objects.closed_at(public_id, secret).exists()
    row = Game.objects.first_writable_at(public_id, secret, request.user)
    if row is None and is_over:
        # Stop polling, and remove the clock.
        return HttpResponse(status=STOP_POLLING)
    if row is None:
        raise Http404
    if not asks_again:
        return redirect(address(row, "write"))
    page = {"row": row, "secret": secret, "bar": round_bar(request, row, timezone.now())}
    status = STOP_POLLING if is_over else 200
    return render(request, "tournaments/games/_round_bar.html", page, status=status)


@with_game("POST")
def call(request: HtmxRequest, row: Game) -> HttpResponse:
    bar = round_bar(request, row, timezone.now())
    if bar is not None:
        by = actor_of(request, bar.table.public_id)
        try:
            bar.table.called_at = call_director(bar.table.pk, by, at=timezone.now()).called_at
        except RoundClosed as error:
            raise Http404 from error
    if not request.htmx:
        return redirect(address(row, "write"))
    page = {"row": row, "secret": row.secret("write"), "bar": bar}
    return render(request, "tournaments/games/_round_bar.html", page)
