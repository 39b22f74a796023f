"""The scoresheet of a game as a document; the progress and the file of any document."""

from django.http import FileResponse, Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import get_language
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from tournaments.engine.variants import RULESETS
from tournaments.models import Game, OpenTable, Report
from tournaments.origin import absolute, origin
from tournaments.permissions import writable_game
from tournaments.presenters.documents import (
    CONTENT_TYPES,
    file_name,
    may_cancel,
    report_at,
    report_secret,
)
from tournaments.queries.games.sheets import load_sheet
from tournaments.reports.documents import formats_of
from tournaments.services.documents.reporting import (
    Order,
    cancel_report,
    request_document,
    request_empty_sheet,
    request_scoresheet,
    try_again,
)
from tournaments.web.base.phone import address
from tournaments.web.documents.papers import paper_of
from tournaments.web.documents.view import report_page


@require_POST
def scoresheet(request: HttpRequest, public_id: str, secret: str) -> HttpResponse:
    """Request the scoresheet, as the scorer."""
    return _scoresheet(request, get_object_or_404(writable_game(request, public_id, secret)))


@require_POST
def follow_scoresheet(request: HttpRequest, public_id: str, secret: str) -> HttpResponse:
    """Request the scoresheet, as a follower."""
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
    """Request an empty sheet to print and fill in by hand."""
    if ruleset not in RULESETS:
        raise Http404
    language, paper = get_language() or "en", paper_of(request)
    asked = request_empty_sheet(ruleset, language=language, paper=paper, at=timezone.now())
    return to_report(asked)


@never_cache
@require_safe
def follow_record(request: HttpRequest, public_id: str, secret: str) -> HttpResponse:
    """Return the game as a portable record, `kingscore-game/1`."""
    row = get_object_or_404(Game.objects.readable_at(public_id, secret))
    style = {"ensure_ascii": False, "indent": 2}
    return JsonResponse(load_sheet(row).record, json_dumps_params=style)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def report(request: HttpRequest, pk: int, secret: str) -> HttpResponse:
    """Show the progress of a document and its link; htmx polls the fragment."""
    row = report_at(request, pk, secret)
    if request.method == "POST":
        if request.POST.get("do") == "cancel" and may_cancel(request, row):
            cancel_report(row, timezone.now())
        else:
            try_again(row, timezone.now())
        return to_report(row)
    fragment = request.headers.get("HX-Request") == "true"
    template = (
        "tournaments/documents/_report.html" if fragment else "tournaments/documents/report.html"
    )
    return render(request, template, report_page(request, row))


@never_cache
@require_safe
def report_file(request: HttpRequest, pk: int, secret: str) -> FileResponse:
    """Return the finished document."""
    row = report_at(request, pk, secret)
    if row.state != Report.State.DONE:
        raise Http404
    try:
        document = row.file.open("rb")
    except FileNotFoundError as error:
        raise Http404 from error
    kind = CONTENT_TYPES[Report.Format(row.format)]
    return FileResponse(document, filename=file_name(row), content_type=kind)


def to_report(row: Report) -> HttpResponse:
    return redirect("report", row.pk, report_secret(row.pk))


def _scoresheet(request: HttpRequest, row: Game) -> HttpResponse:
    follow_url = absolute(request, address(row, "follow"))
    language, paper = get_language() or "en", paper_of(request)
    wanted = request.POST.get("format") or Report.Format.PDF
    if wanted not in formats_of(Report.Kind.SCORESHEET):
        raise Http404
    asked = request_scoresheet(
        row,
        language=language,
        follow_url=follow_url,
        paper=paper,
        made_as=Report.Format(wanted),
        at=timezone.now(),
    )
    return to_report(asked)
