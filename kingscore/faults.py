"""Error responses outside of any view: a problem document for programs, a page for people."""

import sys
from urllib.parse import urlsplit

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template import loader
from django.views import defaults

from kingscore.outages import Outage, outage_of
from tournaments.api.problems import (
    Away,
    BodyTooLarge,
    DigestMismatch,
    Full,
    LengthRequired,
    NotUnderstood,
    ServerError,
    plain_problem,
)

PROBLEMS = {Outage.AWAY: Away, Outage.FULL: Full}


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer 400."""
    if is_for_programs(request):
        return plain_problem(NotUnderstood(), request)
    return defaults.bad_request(request, exception)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001
    """Answer 404. Somebody who is not signed in may be at a page that needs it.

    It is the same page for addresses that do not exist, so that nothing is given away.
    """
    needs_account = request.path.startswith("/clubs/") and not request.user.is_authenticated
    if not needs_account:
        return render(request, "404.html", status=404)
    back = request.get_full_path()
    if request.method == "POST":
        # The page with the form; `static/typed.js` has what was typed there.
        page = urlsplit(request.headers.get("Referer", ""))
        back = page._replace(scheme="", netloc="").geturl() if page.path else "/"
    response = render(request, "404.html", {"back": back}, status=404)
    if "HX-Request" in request.headers:
        # htmx would show nothing.
        response["HX-Redirect"] = back
    return response


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer 500 without details, and without a query."""
    outage = outage_of(sys.exception())
    if outage is not None:
        return come_again(request, outage)
    if is_for_programs(request):
        return plain_problem(ServerError(), request)
    return defaults.server_error(request)


def come_again(request: HttpRequest, outage: Outage) -> HttpResponse:
    """Answer 503 with a time to retry; phones keep unsent entries and retry by themselves."""
    problem = PROBLEMS[outage]()
    problem.headers = {"Retry-After": str(outage.again_after)}
    if is_for_programs(request):
        return plain_problem(problem, request)
    page = loader.render_to_string(f"{problem.status}.html")
    return HttpResponse(page, status=problem.status, headers=problem.headers)


def too_large(request: HttpRequest, megabytes: int) -> HttpResponse:
    """Answer 413 with the largest size allowed."""
    if is_for_programs(request):
        return plain_problem(BodyTooLarge(data={"megabytes": megabytes}), request)
    return render(request, "413.html", {"megabytes": megabytes}, status=413)


def length_required(request: HttpRequest) -> HttpResponse:
    """Answer 411; no browser omits the length."""
    return plain_problem(LengthRequired(), request)


def digest_mismatch(request: HttpRequest) -> HttpResponse:
    """Answer 400; only programs and the scripts of our pages send a digest."""
    return plain_problem(DigestMismatch(), request)


def archived(request: HttpRequest) -> HttpResponse:
    """Answer 410: the deals of a game are in the file of an archived partition."""
    return render(request, "410.html", status=410)


def is_for_programs(request: HttpRequest) -> bool:
    """Return whether the client is a program."""
    return request.path.startswith("/api/")
