"""Problems, as `application/problem+json` (RFC 9457).

`type` names the kind of problem, and `problems` each single fault with its code, its place in what
was sent, and a sentence in the reader's language. The codes are the engine's where it has one.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from traceback import walk_tb
from typing import Any

from django.core.exceptions import DisallowedHost, ObjectDoesNotExist, PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.urls import resolve
from django.utils.translation import gettext_lazy as _
from django.views.decorators.csrf import csrf_exempt
from rest_framework import exceptions
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.engine.rules.rulesets import InvalidEntry, Problem
from tournaments.queries.sheets import LaterEntryInvalid
from tournaments.services.base.writes import Fault, Invalid, Refused, note_refusal
from tournaments.texts.labels import Text
from tournaments.texts.messages import explain

MEDIA_TYPE = "application/problem+json"
TYPES = "/api/problems/#"

NOT_KEPT = "private, no-cache"
"""The caching header of every answer: private, and revalidated."""

NOT_STORED = "no-store"
"""The caching header of an answer with a secret: not stored anywhere."""

Json = dict[str, Any]


class NotFound(Refused, code="not-found", status=404):
    sentence = _("Not found, or you have no access.")


class NotUnderstood(Refused, code="bad-request", status=400):
    sentence = _("Invalid request.")


class ServerError(Refused, code="broken", status=500):
    sentence = _("Something went wrong here. It is not your fault.")


class Away(Refused, code="unavailable", status=503):
    sentence = _("Temporarily unavailable: try the same again soon.")


class Full(Refused, code="full", status=507):
    sentence = _("The server has no disk space left. The request may not have been stored.")


class LengthRequired(Refused, code="length-required", status=411):
    sentence = _("Content-Length is required.")


class DigestMismatch(Refused, code="digest-mismatch", status=400):
    """The header by which the scripts of our pages recognize it names the digest to send."""

    sentence = _("The body was mixed up on its way. Nothing was done: send the same again.")
    headers = {"Want-Content-Digest": "sha-256=10"}


class BodyTooLarge(Refused, code="too-large", status=413):
    sentence = _("The request is too large.")


class Forbidden(Refused, code="forbidden", status=403):
    sentence = _("The token may not do this.")


class LacksScope(Forbidden):
    def __init__(self, scope: str) -> None:
        super().__init__(data={"scope": scope})
        self.headers = challenge(scope, "insufficient_scope")


class Unauthenticated(Refused, code="unauthenticated", status=401):
    sentence = _("Missing or invalid token.")


class TooManyRequests(Refused, code="too-many-requests", status=429):
    sentence = _("Too many requests.")


class BadJson(Refused, code="bad-json", status=400):
    sentence = _("The body is not valid JSON.")


class LaterInvalid(Refused, code="later-entry-invalid", status=422):
    sentence = _("A later entry would become invalid.")


def fault(
    code: str, where: str, message: Text, params: Mapping[str, object] | None = None
) -> Fault:
    """One thing that is wrong in what was sent; `where` is its path in it, as `players.2`."""
    found = Fault(data=params)
    found.code, found.where, found.sentence = code, where, message
    return found


def engine_faults(
    problems: Sequence[Problem], at: str = "", players: Sequence[str] = ()
) -> list[Fault]:
    """The engine's problems, each at its path below `at`; `players` are names in seat order."""
    return [
        fault(p.code, ".".join(filter(None, (at, p.where))), explain(p, players), p.params)
        for p in problems
    ]


@contextmanager
def placed(at: str) -> Iterator[None]:
    """Move the paths of the engine's problems to the entry in the request."""
    try:
        yield
    except InvalidEntry as error:
        raise Invalid(faults=engine_faults(error.problems, at)) from error


def read_at(name: str, read: Callable[[Any], object]) -> Callable[[Mapping[str, Any]], None]:
    """Return a check of one field of a body by the engine, for `get_validated(also=…)`."""

    def check(body: Mapping[str, Any]) -> None:
        if name in body:
            with placed(name):
                read(body[name])

    return check


def answer_problem(error: Exception, context: Mapping[str, Any]) -> Response | None:
    """Return the answer to an exception; None if it is our own fault."""
    refused = _refused(error)
    if refused is None:
        return None
    if isinstance(refused, Unauthenticated):
        request, view = context["request"], context["view"]
        scope = view.scope_for(request.method) if hasattr(view, "scope_for") else None
        is_sent = "Authorization" in request.headers
        refused.headers = challenge(scope, "invalid_token" if is_sent else "")
        refused.data = {"scope": scope} if scope else {}
    return problem_response(refused, context["request"])


def challenge(scope: str | None, error: str = "") -> dict[str, str]:
    """Return the header that names the scope a token needs (RFC 6750)."""
    parts = {"error": error, "scope": scope}
    parameters = ", ".join(f'{name}="{value}"' for name, value in parts.items() if value)
    return {"WWW-Authenticate": f"Bearer {parameters}".strip()}


def problem_response(error: Refused, request: Request | HttpRequest) -> Response:
    response = Response(_body(error, request), error.status, headers=dict(error.headers))
    response.content_type = MEDIA_TYPE
    return response


def plain_problem(error: Refused, request: HttpRequest) -> HttpResponse:
    """A problem that was found outside of any view."""
    body, headers = _body(error, request), {"Cache-Control": NOT_KEPT, **error.headers}
    return JsonResponse(body, status=error.status, headers=headers, content_type=MEDIA_TYPE)


@csrf_exempt
def nothing_here(request: HttpRequest, **_where: str) -> HttpResponse:
    """Say to a program that there is nothing at an address, or that only its last slash is missing.

    308 has it send the same again, with its body.
    """
    if not request.path.endswith("/") and resolve(f"{request.path}/").func is not nothing_here:
        there = request.get_full_path(force_append_slash=True)
        return HttpResponse(status=308, headers={"Location": there, "Cache-Control": NOT_KEPT})
    return plain_problem(NotFound(), request)


def _body(error: Refused, request: Request | HttpRequest) -> Json:
    note_refusal(error)
    kind = Invalid if isinstance(error, Fault) else error
    page = f"{TYPES}{kind.code}"
    # This may be the problem: then no site is named.
    with suppress(DisallowedHost):
        page = request.build_absolute_uri(page)
    return {
        "type": page,
        "title": str(kind.sentence) if isinstance(error, Fault) else str(error),
        "status": error.status,
        "code": kind.code,
        "instance": request.path,
        "problems": [listed(each) for each in ([error] if error.listed else error.faults)],
        **({} if error.listed else error.data),
    }


def listed(error: Refused) -> Json:
    """One of the `problems`."""
    code, where, params = error.code, error.where, dict(error.data)
    return {"code": code, "where": where, "message": str(error), "params": params}


def _refused(error: Exception) -> Refused | None:  # noqa: PLR0911 - one for each kind
    match error:
        case Refused():
            return error
        case InvalidEntry():
            return Invalid(faults=engine_faults(error.problems))
        case LaterEntryInvalid():
            data = {"position": error.position}
            return LaterInvalid(data=data, faults=engine_faults(error.problems))
        case Http404():
            return NotFound()
        case ObjectDoesNotExist() if not is_of_rendering(error):
            return NotFound()
        case PermissionDenied() | exceptions.PermissionDenied():
            return Forbidden()
        case exceptions.APIException():
            return framework_problem(error)
    return None


RENDERING = ("django.template.", "jinja2.", "rest_framework.serializers", "rest_framework.fields")


def is_of_rendering(error: Exception) -> bool:
    """Return whether an exception was raised by a template or a serializer.

    A row that is missing there is a fault of the program, and not what the address names.
    """
    frames = (frame for frame, _line in walk_tb(error.__traceback__))
    return any(frame.f_globals.get("__name__", "").startswith(RENDERING) for frame in frames)


def framework_problem(error: exceptions.APIException) -> Refused:
    """Return the problem of a framework's exception."""
    match error:
        case exceptions.ValidationError():
            return Invalid(faults=list(faults_of(error.detail)))
        case exceptions.ParseError():
            return BadJson(faults=[fault("bad-json", "", str(error.detail))])
        case exceptions.Throttled():
            refused = TooManyRequests()
            refused.headers = {"Retry-After": str(int(getattr(error, "wait", None) or 1) + 1)}
            return refused
        case exceptions.NotAuthenticated() | exceptions.AuthenticationFailed():
            return Unauthenticated()
    code = str(error.get_codes()).replace("_", "-")
    other = Refused()
    other.code, other.status, other.sentence = code, error.status_code, str(error.detail)
    return other


CODES: Mapping[str, str] = {
    "required": "missing-field",
    "null": "missing-field",
    "blank": "missing-field",
    "invalid": "wrong-type",
    "not_a_list": "wrong-type",
    "not_a_dict": "wrong-type",
}
"""Codes of REST framework that the records have under another name."""


def faults_of(detail: Any, at: tuple[str, ...] = ()) -> Iterator[Fault]:
    """Each fault of a nested error, with its path."""
    if isinstance(detail, Mapping):
        for name, within in detail.items():
            yield from faults_of(within, at if name == "non_field_errors" else (*at, str(name)))
    elif isinstance(detail, list | tuple):
        for number, within in enumerate(detail):
            # Faults are in lists; a list field has maps for its items.
            step = (str(number),) if isinstance(within, Mapping | list) and within else ()
            yield from faults_of(within, (*at, *step))
    else:
        code = str(getattr(detail, "code", "invalid"))
        yield fault(CODES.get(code, code.replace("_", "-")), ".".join(at), str(detail))
