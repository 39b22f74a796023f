"""Pages about the API: where to begin, the reference, and every problem with its sentence."""

import re
from functools import cache
from pathlib import Path

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext, override
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import etag, require_safe

from tournaments.api.codes import Sentences, faults, kinds_of_problems
from tournaments.api.reference.description import content, document
from tournaments.api.reference.operations import Reference, Topic, marked

PROGRAMS = Path(__file__).parent / "programs"
SHOWN = {
    "results_bot.py": (
        _("A bot that posts results to a chat"),
        "SITE={site} CLUB=moda CHAT=https://… python3 results_bot.py",
    ),
    "standings_sheet.py": (
        _("A spreadsheet that reads standings"),
        "SITE={site} CLUB=moda TOURNAMENT=king-cup python3 standings_sheet.py",
    ),
    "table_board.html": (
        _("A board that follows a table"),
        "table_board.html?site={site}&game=t4hbkag3nu",
    ),
}
"""Programs with what they are, and how they are started."""

PARAMETER = re.compile(r"%\(\w+\)s|\{\w+(?::\w+)?\}")
"""The parameters in a sentence about a problem."""


def described() -> Reference:
    return Reference(document(), lambda name: reverse("api_form", args=[name]))


@cache
def _topics() -> list[Topic]:
    """Return what all addresses do, which is the same for everybody as long as the process runs."""
    return described().topics()


@require_safe
@etag(lambda _request: content()[1])
def openapi(_request: HttpRequest) -> HttpResponse:
    answer = HttpResponse(content()[0], content_type="application/json")
    answer["Cache-Control"] = "no-cache"
    answer["Access-Control-Allow-Origin"] = "*"
    return answer


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """What can be built on the site: a token, the reference, and programs to begin with."""
    site = request.build_absolute_uri("/").rstrip("/")
    programs = [
        {
            "name": name,
            "title": title,
            "use": use.format(site=site),
            "text": (PROGRAMS / name).read_text(encoding="utf-8"),
        }
        for name, (title, use) in SHOWN.items()
    ]
    return render(request, "tournaments/reference/index.html", {"programs": programs, "site": site})


@require_safe
def reference(request: HttpRequest) -> HttpResponse:
    return render(request, "tournaments/reference/reference.html", {"topics": _topics()})


@require_safe
def topic(request: HttpRequest, name: str) -> HttpResponse:
    """The addresses of a topic, with requests and answers."""
    found = described().topic(name)
    if found is None:
        raise Http404
    return render(request, "tournaments/reference/topic.html", {"topic": found})


@require_safe
def form(request: HttpRequest, name: str) -> HttpResponse:
    """A form that is sent or comes back, field by field."""
    found = described().form(name)
    if found is None:
        raise Http404
    text = document()["components"]["schemas"][name].get("description", "")
    page = {"name": name, "form": found, "details": marked(text)}
    return render(request, "tournaments/reference/form.html", page)


@require_safe
def problems(request: HttpRequest) -> HttpResponse:
    with override(None):
        kinds, found = kinds_of_problems(), faults()
    page = {"kinds": _explained(kinds), "faults": _explained(found)}
    return render(request, "tournaments/reference/problems.html", page)


def _explained(sentences: Sentences) -> list[tuple[str, str]]:
    return [(code, _open(gettext(said)) if said else "") for code, said in sentences.items()]


def _open(sentence: str) -> str:
    """A sentence without what it says of one problem only."""
    return PARAMETER.sub("…", sentence)
