"""What goes wrong outside of any view: a problem for programs, a page for people."""

import sys
from dataclasses import replace

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template import loader
from django.views import defaults

from kingscore.outages import Outage, outage_of
from tournaments.api.problems import (
    AWAY,
    BROKEN,
    FULL,
    LENGTH_REQUIRED,
    NOT_UNDERSTOOD,
    TOO_LARGE,
    plain_problem,
)

PROBLEMS = {Outage.AWAY: AWAY, Outage.FULL: FULL}


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Say that something was not understood."""
    if is_for_programs(request):
        return plain_problem(NOT_UNDERSTOOD, request.path)
    return defaults.bad_request(request, exception)


def server_error(request: HttpRequest) -> HttpResponse:
    """Own up to a fault of ours, without what it was; no database is asked."""
    outage = outage_of(sys.exception())
    if outage is not None:
        return come_again(request, outage)
    if is_for_programs(request):
        return plain_problem(BROKEN, request.path)
    return defaults.server_error(request)


def come_again(request: HttpRequest, outage: Outage) -> HttpResponse:
    """Say when to ask again; phones keep what they wanted to write and send it by itself."""
    problem = PROBLEMS[outage]
    headers = {"Retry-After": str(outage.again_after)}
    if is_for_programs(request):
        return plain_problem(replace(problem, headers=headers), request.path)
    page = loader.render_to_string(f"{problem.status}.html")
    return HttpResponse(page, status=problem.status, headers=headers)


def too_large(request: HttpRequest, megabytes: int) -> HttpResponse:
    """Say how much can be sent at once."""
    if is_for_programs(request):
        return plain_problem(replace(TOO_LARGE, more={"megabytes": megabytes}), request.path)
    return render(request, "413.html", {"megabytes": megabytes}, status=413)


def length_required(request: HttpRequest) -> HttpResponse:
    """Ask for the length of what is sent; no browser leaves it out."""
    return plain_problem(LENGTH_REQUIRED, request.path)


def is_for_programs(request: HttpRequest) -> bool:
    """Whether it is a program that asks."""
    return request.path.startswith("/api/")
