"""Documents: asking for one, watching it being made, taking it along."""

from datetime import timedelta

from django.http import FileResponse, Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control, never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from tournaments import words
from tournaments.engine.variants import RULESETS
from tournaments.models import Game, Report, addresses
from tournaments.queries import load_sheet, rules_of
from tournaments.services.reporting import request_empty_sheet, request_scoresheet, try_again
from tournaments.web.phone import address, address_on_phone
from tournaments.web.visitors import writable_game

LONGER_THAN_USUAL = timedelta(seconds=20)
"""After so long without a sign of the worker, the reader is told that it may not be running."""


@require_POST
def scoresheet(request: HttpRequest, public_id: str, secret: str) -> HttpResponse:
    """Ask for the scoresheet, as whoever writes it."""
    return _scoresheet(request, get_object_or_404(writable_game(request, public_id, secret)))


@require_POST
def follow_scoresheet(request: HttpRequest, public_id: str, secret: str) -> HttpResponse:
    """Ask for the scoresheet, as whoever follows it."""
    return _scoresheet(request, get_object_or_404(Game.objects.readable_at(public_id, secret)))


@require_POST
def empty_sheet(request: HttpRequest, ruleset: str) -> HttpResponse:
    """Ask for a sheet to print and fill in by hand."""
    if ruleset not in RULESETS:
        raise Http404
    language = get_language() or "en"
    return _to_report(request_empty_sheet(ruleset, language=language, at=timezone.now()))


@never_cache
@require_safe
def follow_record(request: HttpRequest, public_id: str, secret: str) -> HttpResponse:
    """The game as a portable record, `kingscore-game/1`."""
    row = get_object_or_404(Game.objects.readable_at(public_id, secret))
    style = {"ensure_ascii": False, "indent": 2}
    return JsonResponse(load_sheet(row).record, json_dumps_params=style)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def report(request: HttpRequest, pk: int, secret: str) -> HttpResponse:
    """How far a document is, and where to get it; htmx asks again for its fragment."""
    row = _report_at(pk, secret)
    if request.method == "POST":
        try_again(row, timezone.now())
        return _to_report(row)
    fragment = request.headers.get("HX-Request") == "true"
    template = "tournaments/_report.html" if fragment else "tournaments/report.html"
    return render(request, template, _page(request, row))


@require_safe
@cache_control(private=True, max_age=3600)
def report_file(request: HttpRequest, pk: int, secret: str) -> FileResponse:
    """The finished document."""
    row = _report_at(pk, secret)
    if row.state != Report.State.DONE:
        raise Http404
    try:
        document = row.file.open("rb")
    except FileNotFoundError as error:
        raise Http404 from error
    return FileResponse(document, filename=_file_name(row), content_type="application/pdf")


def report_secret(pk: int) -> str:
    """The secret part of a report's address."""
    return addresses.derive("report", str(pk), 1)


def _report_at(pk: int, secret: str) -> Report:
    if not addresses.matches(secret, "report", str(pk), 1):
        raise Http404
    return get_object_or_404(Report.objects.select_related("game"), pk=pk)


def _scoresheet(request: HttpRequest, row: Game) -> HttpResponse:
    language = get_language() or "en"
    follow_url = request.build_absolute_uri(address(row, "follow"))
    asked = request_scoresheet(row, language=language, follow_url=follow_url, at=timezone.now())
    return _to_report(asked)


def _to_report(row: Report) -> HttpResponse:
    return redirect("report", row.pk, report_secret(row.pk))


def _page(request: HttpRequest, row: Report) -> dict[str, object]:
    going = row.state in (Report.State.WAITING, Report.State.BUILDING)
    return {
        "report": row,
        "title": _title(row),
        "going": going,
        "steps": list(enumerate(_steps())),
        "step": row.step + 1 if row.state == Report.State.BUILDING else 0,
        "stalled": going and timezone.now() - row.touched_at > LONGER_THAN_USUAL,
        "file": reverse("report_file", args=[row.pk, report_secret(row.pk)]),
        "here": reverse("report", args=[row.pk, report_secret(row.pk)]),
        "back": address_on_phone(request, row.game) if row.game else reverse("home"),
    }


def _steps() -> list[str]:
    """What is done, in order: waiting, then the steps of a report."""
    building = [_("Reading the sheet"), _("Setting the page"), _("Keeping the file")]
    return [_("Waiting for its turn"), *building]


def _title(row: Report) -> str:
    """What the page calls the document."""
    if row.game is not None:
        return _("Scoresheet")
    ruleset = words.ruleset_name(row.parameters["ruleset"])
    return _("%(ruleset)s, empty sheet") % {"ruleset": ruleset}


def _file_name(row: Report) -> str:
    """A name by which the file is found again years later."""
    if row.game is None:
        with translation.override(row.language):
            return f"{_title(row)}.pdf"
    day = timezone.localdate(row.game.played_at).isoformat()
    title = row.game.title or words.name_of(rules_of(row.game))
    return " ".join([title, day, *row.game.players]) + ".pdf"
