"""Pages of documents: asked for, watched, downloaded and verified."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.translation import get_language, gettext, gettext_lazy
from django.utils.translation.trans_real import parse_accept_lang_header
from django.views.decorators.http import require_POST, require_safe

from tournaments.engine.documents.games import ALPHABET, digits_of, letters_of, parse_json
from tournaments.engine.documents.results import Verification
from tournaments.engine.documents.tournaments import TOURNAMENT_FORMAT
from tournaments.engine.documents.verify import MOST_WORK, STRANGERS_WORK, verify
from tournaments.engine.rules.rulesets import InvalidEntry
from tournaments.engine.variants import RULESETS
from tournaments.models import Club, Event, Game, OpenTable, Player, Report, Round, Tournament
from tournaments.models.clubs import DIRECTING, Paper
from tournaments.models.reports import WHOLE_WHEN_ASKED, ReportQuerySet
from tournaments.origin import absolute, origin
from tournaments.permissions import account_of, role_in, seen_event, seen_tournament, writable_game
from tournaments.photos.layout import can_be_photographed
from tournaments.queries.documents import (
    CONTENT_TYPES,
    about,
    extension,
    file_name,
    may_cancel,
    reason_of,
    report_at,
    report_secret,
    subject_of,
    title_of,
    verified_lines,
)
from tournaments.queries.known_games import find_code
from tournaments.queries.sheets import load_sheet
from tournaments.queries.steps import current_round
from tournaments.reports.documents import (
    DocumentOffer,
    formats_of,
    offered,
    offers_to,
    rounds_to_print,
)
from tournaments.reports.hall import ENTRANT
from tournaments.reports.pages import NOTES
from tournaments.services.base.writes import place_to_compute
from tournaments.services.checks.nights import compare_with_stored
from tournaments.services.documents.reporting import (
    Order,
    cancel_report,
    is_stored,
    request_document,
    request_empty_sheet,
    request_picture,
    request_scoresheet,
    try_again,
)
from tournaments.texts.labels import ROUND_STATES, round_name
from tournaments.texts.messages import explain
from tournaments.web.base.answers import language_of as answers_language_of
from tournaments.web.base.answers import picture_response
from tournaments.web.base.pages import HtmxRequest, out_of_reach, too_many
from tournaments.web.base.phone import address, address_on_phone, evening_games_address
from tournaments.web.tournaments.my_card import entrant_known
from tournaments.web.tournaments.views import page_of

LETTER_REGIONS = frozenset(
    ("BZ", "CA", "CL", "CO", "CR", "GT", "MX", "NI", "PA", "PH", "PR", "SV", "US", "VE")
)
"""Regions that print on Letter: `measurementData/paperSize` of Unicode's CLDR."""


def paper_of(request: HttpRequest) -> str:
    """Return the paper size by the region of the visitor's preferred language; A4 by default.

    Clubs set their own size: this is for open tables.
    """
    wanted = parse_accept_lang_header(request.headers.get("Accept-Language", "").lower())
    subtags = wanted[0][0].upper().split("-")[1:] if wanted else []
    return Paper.LETTER if LETTER_REGIONS.intersection(subtags) else Paper.A4


LONGER_THAN_USUAL = timedelta(seconds=20)
"""Time without a heartbeat after which the page says that the worker may not be running."""

Kind, Step = Report.Kind, Report.Step


def report_page(request: HttpRequest, row: Report) -> dict[str, object]:
    """Return the context of a report's page and fragment (no query)."""
    going, secret, bar = row.is_going, report_secret(row.pk), 0
    if row.state == Report.State.BUILDING:
        first, last = SHARES[row.step]
        bar = first + (last - first) * row.done // row.total if row.total else first
    return {
        "report": row,
        "title": title_of(row),
        "about": about(row),
        "going": going,
        "may_cancel": may_cancel(request, row),
        "steps": list(enumerate(_steps(row))),
        "step": row.step + 1 if row.state == Report.State.BUILDING else 0,
        "bar": bar,
        "gone": row.state == Report.State.DONE and not is_stored(row),
        "stalled": going and timezone.now() - row.touched_at > LONGER_THAN_USUAL,
        "reason": reason_of(row),
        "file": reverse("report_file", args=[row.pk, secret]),
        "here": reverse("report", args=[row.pk, secret]),
        # Beside the list of documents it has its own title.
        "beside": "beside" in request.GET or request.method == "POST",
        "back": _back(request, row),
    }


def _steps(row: Report) -> list[str]:
    reading, setting = gettext("Reading what was played"), gettext("Writing the tables")
    if row.kind in WHOLE_WHEN_ASKED:
        reading, setting = gettext("Reading the sheet"), gettext("Setting the page")
    elif row.format == Report.Format.PDF:
        setting = gettext("Setting the pages")
    return [gettext("Waiting for its turn"), reading, setting, gettext("Keeping the file")]


SHARES: Mapping[int, tuple[int, int]] = {
    Step.READING: (0, 30),
    Step.SETTING: (30, 95),
    Step.KEEPING: (95, 100),
}
"""The range of each step on the bar, in percent; typesetting takes the longest."""


def _back(request: HttpRequest, row: Report) -> str:
    if row.game is not None:
        table = row.game.open_table if row.kind == Kind.EVENING else None
        return evening_games_address(table) if table else address_on_phone(request, row.game)
    if row.club is None:
        return reverse("home")
    if row.event is not None:
        listed = reverse("event_documents", args=[row.club.slug, row.event.public_id])
        number = row.parameters.get("round")
        return f"{listed}?{urlencode({'round': number})}" if number else listed
    if row.player is not None:
        return reverse("player", args=[row.club.slug, row.player.public_id])
    at, further = {
        Kind.CLUB_MONTH: ("club_records", ()),
        Kind.LEAGUE: ("league", (row.parameters.get("season"),)),
    }.get(Kind(row.kind), ("club", ()))
    return reverse(at, args=[row.club.slug, *further])


@require_POST
def scoresheet(request: HttpRequest, public_id: str, secret: str) -> HttpResponse:
    return _scoresheet(request, get_object_or_404(writable_game(request, public_id, secret)))


@require_POST
def follow_scoresheet(request: HttpRequest, public_id: str, secret: str) -> HttpResponse:
    return _scoresheet(request, get_object_or_404(Game.objects.readable_at(public_id, secret)))


@require_POST
def evening_document(request: HttpRequest, public_id: str, secret: str) -> HttpResponse:
    """Request the tally of an evening with all its games, as whoever follows it."""
    table = get_object_or_404(OpenTable.objects.readable_at(public_id, secret))
    game = get_object_or_404(table.games.order_by("-number")[:1])
    order = Order(
        Report.Kind.EVENING,
        game,
        Report.Audience.ADDRESS,
        get_language() or "en",
        paper=paper_of(request),
        parameters={"host": origin(request)},
    )
    return to_report(request_document(order, timezone.now()))


@require_POST
def empty_sheet(request: HttpRequest, ruleset: str) -> HttpResponse:
    """Request an empty sheet to print and fill in by hand; with `photo` one to photograph."""
    if ruleset not in RULESETS:
        raise Http404
    kind = Report.Kind.EMPTY_SHEET
    if "photo" in request.POST:
        if not can_be_photographed(RULESETS[ruleset]):
            raise Http404
        kind = Report.Kind.PHOTO_SHEET
    language, paper = get_language() or "en", paper_of(request)
    return to_report(
        request_empty_sheet(ruleset, language=language, paper=paper, kind=kind, at=timezone.now())
    )


@require_safe
def follow_record(request: HttpRequest, public_id: str, secret: str) -> HttpResponse:
    """Return the game as a portable record, `kingscore-game/1`."""
    row = get_object_or_404(Game.objects.readable_at(public_id, secret))
    style = {"ensure_ascii": False, "indent": 2}
    return JsonResponse(load_sheet(row).record, json_dumps_params=style)


def report(request: HtmxRequest, pk: int, secret: str) -> HttpResponse:
    """Show the progress of a document and its link; htmx polls the fragment."""
    row = report_at(request, pk, secret)
    if request.method == "POST":
        if request.POST.get("do") == "cancel" and may_cancel(request, row):
            cancel_report(row, timezone.now())
        else:
            try_again(row, timezone.now())
        return to_report(row)
    template = REPORT if request.htmx else "tournaments/documents/report.html"
    return render(request, template, report_page(request, row))


REPORT = "tournaments/documents/_report.html"


@require_safe
def report_file(request: HttpRequest, pk: int, secret: str) -> FileResponse:
    row = report_at(request, pk, secret)
    if row.state != Report.State.DONE:
        raise Http404
    try:
        document = row.file.open("rb")
    except FileNotFoundError as error:
        raise Http404 from error
    kind = CONTENT_TYPES[extension(row)]
    return FileResponse(document, as_attachment=True, filename=file_name(row), content_type=kind)


def to_report(row: Report) -> HttpResponse:
    """Redirect to the file if it is stored, which leaves the page as it is, or to its progress."""
    ready = row.state == Report.State.DONE and is_stored(row)
    return redirect("report_file" if ready else "report", row.pk, report_secret(row.pk))


def _scoresheet(request: HttpRequest, row: Game) -> HttpResponse:
    follow_url = absolute(request, address(row, "follow"))
    language, paper = get_language() or "en", paper_of(request)
    wanted = request.POST.get("format") or Report.Format.PDF
    if wanted not in formats_of(Report.Kind.SCORESHEET):
        raise Http404
    requested = request_scoresheet(
        row,
        language=language,
        follow_url=follow_url,
        paper=paper,
        made_as=Report.Format(wanted),
        at=timezone.now(),
    )
    return to_report(requested)


ReportKind, Audience = Report.Kind, Report.Audience

RECENT = 10
"""The number of recent documents in the list."""


def event_documents(request: HtmxRequest, slug: str, public_id: str) -> HttpResponse:
    """List the documents of an event for those who may see it, and take requests."""
    event = seen_event(request, slug, public_id)
    role = role_in(request, event.club)
    directs = role in DIRECTING
    offers = list(offers_to(event, role))
    rounds = rounds_to_print(event, directs=directs)
    if request.method == "POST":
        # Members only: otherwise strangers could keep the club's worker busy.
        if role is None and (refused := too_many(request, "ask_document")):
            return refused
        return _ask(request, event, offers, rounds, directs=directs)
    page = _page(request, event, offers, rounds, directs=directs)
    return render(request, "tournaments/documents/event.html", page)


def _ask(
    request: HtmxRequest,
    event: Event,
    offers: Iterable[DocumentOffer],
    rounds: Sequence[Round],
    *,
    directs: bool,
) -> HttpResponse:
    name, _dot, form = request.POST.get("document", "").rpartition(".")
    offer = next((offer for offer in offers if offer.name == name), None)
    if offer is None or form not in formats_of(offer.kind):
        raise Http404
    round_ = _chosen(rounds, request.POST.get("round", "")) if offer.of_round else None
    if offer.of_round and round_ is None:
        raise Http404
    listed = offered(offer, event, round_, rounds)
    if listed.missing:
        # The seating was taken back meanwhile, or the page is an old one.
        refused = f"{listed.title}: {listed.missing}"
        if request.htmx:
            return HttpResponse(format_html('<p class="notice-bad" role="alert">{}</p>', refused))
        messages.error(request, refused)
        return redirect("event_documents", event.club.slug, event.public_id)
    order = Order(
        kind=offer.kind,
        subject=event,
        # Documents for directors may contain unpublished data.
        audience=Audience.DIRECTORS if directs else offer.who,
        language=language_of(request),
        format=Report.Format(form),
        paper=event.club.paper,
        parameters={
            "host": absolute(request, "/"),
            **({} if round_ is None else {"round": round_.number}),
            **({"sheets": True} if "sheets" in request.POST else {}),
        },
        asked_by=account_of(request),
    )
    report = request_document(order, timezone.now())
    # The page stays as it is, with the round that is chosen there.
    return (
        render(request, REPORT, report_page(request, report)) if request.htmx else to_report(report)
    )


def _chosen(rounds: Iterable[Round], wanted: str) -> Round | None:
    return next((round_ for round_ in rounds if str(round_.number) == wanted), None)


def language_of(request: HttpRequest) -> str:
    """Return the language of a document: that of the page, or the one chosen there."""
    chosen = request.POST.get("language", "")
    return chosen if chosen in dict(settings.LANGUAGES) else get_language() or "en"


def _page(
    request: HttpRequest,
    event: Event,
    offers: Iterable[DocumentOffer],
    rounds: Sequence[Round],
    *,
    directs: bool,
) -> dict[str, object]:
    tournament = getattr(event, "tournament", None)
    page = page_of(request, tournament) if tournament else {"event": event, "club": event.club}
    round_ = _chosen(rounds, request.GET.get("round", "")) or current_round(rounds)
    offered_here = [offered(offer, event, round_, rounds) for offer in offers]
    papers = next((each for each in offered_here if each.kind == Kind.ROUND_PAPERS), None)
    return page | {
        "papers": papers,
        "round": round_,
        "rounds": [
            (each.number, f"{round_name(each)} · {ROUND_STATES[each.state]}")
            for each in reversed(rounds)
        ],
        "of_round": [each for each in offered_here if each.of_round and each != papers],
        "of_all": [each for each in offered_here if not each.of_round],
        "languages": settings.LANGUAGES,
        "recent": recent(request, Report.objects.filter(event=event)),
        "out_of_reach": directs and out_of_reach(request),
    }


def recent(request: HttpRequest, reports: ReportQuerySet) -> list[dict[str, object]]:
    """Return this visitor's recent requests with links (1 query for a signed-in visitor)."""
    user = account_of(request)
    if user is None:
        return []
    rows = reports.filter(asked_by=user).select_related("game", "club", "event", "player")
    found = []
    for row in rows.order_by("-asked_at", "-pk")[:RECENT]:
        moment = date_format(timezone.localtime(row.asked_at), "SHORT_DATETIME_FORMAT")
        words = " · ".join(filter(None, (subject_of(row), moment, row.get_state_display())))
        secret = report_secret(row.pk)
        found.append({"row": row, "title": title_of(row), "words": words, "secret": secret})
    return found


@require_POST
def my_certificate(request: HttpRequest, slug: str, tournament: str) -> HttpResponse:
    """Request the certificate of the entrant known on this phone, as everybody may see it."""
    row = seen_tournament(request, slug, tournament)
    known = entrant_known(request, row)
    if known is None or row.state != Tournament.State.FINISHED:
        raise Http404
    if role_in(request, row.event.club) is None and (refused := too_many(request, "ask_document")):
        return refused
    order = Order(
        kind=Report.Kind.CERTIFICATES,
        subject=row.event,
        audience=Report.Audience.VISITORS,
        language=get_language() or "en",
        paper=row.event.club.paper,
        parameters={"host": absolute(request, "/"), ENTRANT: known[0]},
        asked_by=account_of(request),
    )
    return to_report(request_document(order, timezone.now()))


def asking(kind: Report.Kind) -> dict[str, Any]:
    """Return the context of a form that requests a document (no query)."""
    return {
        "title": kind.label,
        "note": NOTES[kind],
        "formats": formats_of(kind),
        "languages": settings.LANGUAGES,
    }


def ask_for_members(
    request: HttpRequest, kind: Report.Kind, subject: Player | Club, parameters: dict[str, Any]
) -> HttpResponse:
    """Request a document for members of a club, in the chosen format."""
    form = request.POST.get("format", "")
    if form not in formats_of(kind):
        raise Http404
    club = subject if isinstance(subject, Club) else subject.club
    order = Order(
        kind=kind,
        subject=subject,
        audience=Report.Audience.MEMBERS,
        language=language_of(request),
        format=Report.Format(form),
        paper=club.paper,
        parameters=parameters,
        asked_by=account_of(request),
    )
    return to_report(request_document(order, timezone.now()))


@require_safe
def tall(request: HttpRequest, public_id: str, secret: str) -> HttpResponseBase:
    """Return the picture of a game for a phone's screen, 1080 × 1350."""
    return _of_game(request, public_id, secret, wide=False)


@require_safe
def wide(request: HttpRequest, public_id: str, secret: str) -> HttpResponseBase:
    """Return the picture of a game for the preview of a link, 1200 × 630."""
    return _of_game(request, public_id, secret, wide=True)


def _of_game(request: HttpRequest, public_id: str, secret: str, *, wide: bool) -> HttpResponseBase:
    row = get_object_or_404(Game.objects.readable_at(public_id, secret))
    language, at = answers_language_of(request), timezone.now()
    return picture_response(request_picture(row, wide=wide, language=language, at=at))


MOST_PROBLEMS = 20


class VerifyForm(forms.Form):
    """A document or a code; the code is written as it is printed."""

    file = forms.FileField(label=gettext_lazy("An exported document"), required=False)
    code = forms.CharField(
        label=gettext_lazy("A printed code of 12 letters"), required=False, max_length=20
    )

    def clean_code(self) -> str:
        """Return the digits that the letters stand for."""
        code = self.cleaned_data["code"]
        digits = digits_of(code)
        if code and digits is None:
            refused = gettext("A code has 12 of these letters: %(letters)s.")
            raise forms.ValidationError(refused, params={"letters": " ".join(ALPHABET)})
        return digits or ""

    def clean(self) -> dict[str, Any]:
        given = self.cleaned_data
        if not self.errors and not given.get("file") and not given.get("code"):
            raise forms.ValidationError(gettext("Choose a file, or type a code."))
        return given


def verify_page(request: HttpRequest) -> HttpResponse:
    """Verify a document, or say whether a code is what is stored."""
    if request.method != "POST":
        # A code in the address only fills the form: nothing is looked up by following a link.
        form = VerifyForm(initial={"code": request.GET.get("code", "")[:20]})
        return _verify_page(request, form)
    form = VerifyForm(request.POST, request.FILES)
    if not form.is_valid():
        return _verify_page(request, form, 422)
    action = "verify_document" if form.cleaned_data["file"] else "verify_code"
    if refused := too_many(request, action):
        return refused
    if not form.cleaned_data["file"]:
        digits = form.cleaned_data["code"]
        found = find_code(digits, account_of(request))
        return _verify_page(request, form, asked={"code": letters_of(digits), "found": found})
    with place_to_compute("accounts" if account_of(request) else "strangers") as is_free:
        if not is_free:
            form.add_error(
                None, gettext("Other documents are being verified: try again in a minute.")
            )
            return _verify_page(request, form, 422)
        verification = _verification(request, form)
    page = {
        "agrees": verification.agrees,
        "is_whole": verification.is_whole,
        "lines": list(verified_lines(verification)),
        "problems": [
            (problem.where, explain(problem)) for problem in verification.problems[:MOST_PROBLEMS]
        ],
        "code": letters_of(verification.digest) if verification.digest else "",
    }
    return _verify_page(request, form, verified=page)


def _verification(request: HttpRequest, form: VerifyForm) -> Verification:
    try:
        document = parse_json(form.cleaned_data["file"].read())
    except InvalidEntry as invalid:
        return Verification("", problems=invalid.problems)
    most_work = MOST_WORK if account_of(request) else STRANGERS_WORK
    verification = verify(document, most_work)
    if verification.problems or verification.document_format != TOURNAMENT_FORMAT:
        return verification
    rows = Tournament.objects.seen_by(account_of(request)).select_related("event__club")
    row = rows.filter(slug=document["tournament"]["slug"]).first()
    if row is None:
        return verification
    points = [*verification.points, *compare_with_stored(document, row, most_work)]
    return replace(verification, points=points)


def _verify_page(
    request: HttpRequest, form: VerifyForm, status: int = 200, **page: Any
) -> HttpResponse:
    template = "tournaments/documents/verify.html"
    return render(request, template, {"form": form, **page}, status=status)
