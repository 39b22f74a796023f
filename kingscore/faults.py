"""What goes wrong outside of any view: a problem for programs, a page for people."""

from dataclasses import replace

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views import defaults

from tournaments.api.problems import BROKEN, NOT_UNDERSTOOD, TOO_LARGE, plain_problem


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Say that something was not understood."""
    if is_for_programs(request):
        return plain_problem(NOT_UNDERSTOOD, request.path)
    return defaults.bad_request(request, exception)


def server_error(request: HttpRequest) -> HttpResponse:
    """Own up to a fault of ours, without what it was; no database is asked."""
    if is_for_programs(request):
        return plain_problem(BROKEN, request.path)
    return defaults.server_error(request)


def too_large(request: HttpRequest, megabytes: int) -> HttpResponse:
    """Say how much can be sent at once."""
    if is_for_programs(request):
        return plain_problem(replace(TOO_LARGE, more={"megabytes": megabytes}), request.path)
    return render(request, "413.html", {"megabytes": megabytes}, status=413)


def is_for_programs(request: HttpRequest) -> bool:
    """Whether it is a program that asks."""
    return request.path.startswith("/api/")
