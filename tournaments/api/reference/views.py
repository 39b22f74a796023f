"""Pages about the API: where to begin, the reference, and every problem with its sentence."""

import json
import re
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import drf_spectacular_sidecar
from csp.decorators import csp_update
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext
from django.views.decorators.http import etag, require_safe

KEPT = Path(__file__).parent.parent / "openapi.json"

REDOC = (
    Path(drf_spectacular_sidecar.__file__).parent
    / "static/drf_spectacular_sidecar/redoc/bundles/redoc.standalone.js"
)

PARAMETER = re.compile(r"%\(\w+\)s|\{\w+(?::\w+)?\}")
"""What a sentence tells of the one problem it is about."""

PICTURE = (
    b"https://cdn.redoc.ly/redoc/logo-mini.svg",
    b"data:image/gif;base64,R0lGODlhAQABAAAAACw=",
)
"""A picture that Redoc would fetch from elsewhere, and one of nothing in its place."""

A_DAY = 24 * 60 * 60


@cache
def content_of(file: Path) -> tuple[bytes, str]:
    """What is in a file that only changes with the program, and its entity tag."""
    content = file.read_bytes().replace(*PICTURE)
    return content, f'"{sha256(content).hexdigest()[:32]}"'


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


@csp_update({"style-src": ["'self'", "'unsafe-inline'"], "img-src": ["'self'", "data:"]})
@require_safe
def reference(request: HttpRequest) -> HttpResponse:
    """Every address, written out by Redoc, which puts its styles into the page."""
    return render(request, "tournaments/api_reference.html")


@require_safe
@etag(lambda _request: content_of(REDOC)[1])
def redoc(_request: HttpRequest) -> HttpResponse:
    """Redoc, from its package: among the static files it would slow down the first start."""
    answer = HttpResponse(content_of(REDOC)[0], content_type="text/javascript")
    answer["Cache-Control"] = f"public, max-age={A_DAY}"
    return answer


@require_safe
def problems(request: HttpRequest) -> HttpResponse:
    """Every code, with its sentence in the reader's language."""
    page = {"kinds": told("ProblemCode"), "faults": told("FaultCode")}
    return render(request, "tournaments/api_problems.html", page)


def told(component: str) -> list[tuple[str, str]]:
    """The codes of an enumeration, each with its sentence."""
    document: dict[str, Any] = json.loads(content_of(KEPT)[0])
    sentences = document["components"]["schemas"][component]["x-sentences"]
    return [(code, _open(gettext(said)) if said else "") for code, said in sentences.items()]


def _open(sentence: str) -> str:
    """A sentence without what it says of one problem only."""
    return PARAMETER.sub("…", sentence)
