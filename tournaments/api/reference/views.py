"""Pages about the API: where to begin, the reference, and every problem with its sentence."""

import json
import re
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import etag, require_safe

from tournaments.api.reference.telling import Reference, marked

KEPT = Path(__file__).parent.parent / "openapi.json"

PARAMETER = re.compile(r"%\(\w+\)s|\{\w+(?::\w+)?\}")
"""What a sentence tells of the one problem it is about."""


@cache
def content_of(file: Path) -> tuple[bytes, str]:
    """What is in a file that only changes with the program, and its entity tag."""
    content = file.read_bytes()
    return content, f'"{sha256(content).hexdigest()[:32]}"'


@cache
def document() -> dict[str, Any]:
    """The description of the API, read once."""
    kept: dict[str, Any] = json.loads(content_of(KEPT)[0])
    return kept


def described() -> Reference:
    """The description, as pages tell it."""
    return Reference(document(), lambda name: reverse("api_form", args=[name]))


@require_safe
@etag(lambda _request: content_of(KEPT)[1])
def openapi(_request: HttpRequest) -> HttpResponse:
    """The description of the API, as it was written when the program was made."""
    answer = HttpResponse(content_of(KEPT)[0], content_type="application/json")
    answer["Cache-Control"] = "no-cache"
    return answer


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """What the API is, and where to begin."""
    return render(request, "tournaments/api.html")


@require_safe
def reference(request: HttpRequest) -> HttpResponse:
    """Every address, by topic."""
    return render(request, "tournaments/api_reference.html", {"topics": described().topics()})


@require_safe
def topic(request: HttpRequest, name: str) -> HttpResponse:
    """The addresses of a topic: what each does, what is sent, and what comes back."""
    found = described().topic(name)
    if found is None:
        raise Http404
    return render(request, "tournaments/api_topic.html", {"topic": found})


@require_safe
def form(request: HttpRequest, name: str) -> HttpResponse:
    """A form that is sent or comes back, field by field."""
    found = described().form(name)
    if found is None:
        raise Http404
    told = document()["components"]["schemas"][name].get("description", "")
    page = {"name": name, "form": found, "told": marked(told)}
    return render(request, "tournaments/api_form.html", page)


@require_safe
def problems(request: HttpRequest) -> HttpResponse:
    """Every code, with its sentence in the reader's language."""
    page = {"kinds": told("ProblemCode"), "faults": told("FaultCode")}
    return render(request, "tournaments/api_problems.html", page)


def told(component: str) -> list[tuple[str, str]]:
    """The codes of an enumeration, each with its sentence."""
    sentences = document()["components"]["schemas"][component]["x-sentences"]
    return [(code, _open(gettext(said)) if said else "") for code, said in sentences.items()]


def _open(sentence: str) -> str:
    """A sentence without what it says of one problem only."""
    return PARAMETER.sub("…", sentence)
