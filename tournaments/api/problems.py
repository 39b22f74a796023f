"""What went wrong, as `application/problem+json` (RFC 9457).

`type` names the kind of problem, and `problems` each single fault with its code, its place in what
was sent, and a sentence in the reader's language. The codes are the engine's where it has one.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from django.core.exceptions import ObjectDoesNotExist, PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.urls import resolve
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.views.decorators.csrf import csrf_exempt
from rest_framework import exceptions
from rest_framework.response import Response

from tournaments.engine.problems import InvalidEntry, Problem
from tournaments.messages import explain
from tournaments.queries.sheets import LaterEntryInvalid

MEDIA_TYPE = "application/problem+json"
TYPES = "/api/problems/#"

NOT_KEPT = "private, no-cache"
"""What every answer says about being kept: it is one asker's, and asked for again."""

NOT_STORED = "no-store"
"""What an answer with a secret says: not even its asker's own cache keeps it."""

Text = str | Promise
Json = dict[str, Any]


@dataclass(frozen=True)
class Answer:
    """What a program is told that went wrong; `problems` are as `fault` gives them."""

    status: int
    code: str
    title: Text
    problems: Sequence[Json] = ()
    # What else belongs to this kind of problem, as the revision a sheet has now.
    more: Json = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)


NOT_FOUND = Answer(404, "not-found", _("There is nothing here, or not for you."))
NOT_UNDERSTOOD = Answer(400, "bad-request", _("That was not understood."))
BROKEN = Answer(500, "broken", _("Something broke here. It is not your fault."))
AWAY = Answer(503, "unavailable", _("Nothing can be had here just now: ask the same again soon."))
FULL = Answer(
    507, "full", _("There is no room on the server. What was asked for may not have been written.")
)
LENGTH_REQUIRED = Answer(411, "length-required", _("Say by Content-Length how long the body is."))
TOO_LARGE = Answer(413, "too-large", _("That is more than can be sent at once."))

Refusals = dict[type[Exception], Callable[[Any], Answer]]

REFUSALS: Refusals = {}
"""What a service refuses, by its exception; each topic of the API adds its own."""


def refuses(kind: type[Exception], code: str, title: Text, *, as_status: int = 409) -> None:
    """Have an exception of a service answered by a code and a sentence."""
    REFUSALS[kind] = lambda _error: Answer(as_status, code, title)


def fault(code: str, where: str, message: Text, params: Mapping[str, object] | None = None) -> Json:
    """One thing that is wrong in what was sent; `where` is its path in it, as `players.2`."""
    return {"code": code, "where": where, "message": str(message), "params": dict(params or {})}


def engine_faults(problems: Sequence[Problem], at: str = "") -> list[Json]:
    """The engine's problems, each at its path below `at`."""
    return [
        fault(p.code, ".".join(filter(None, (at, p.where))), explain(p), p.params) for p in problems
    ]


class Refused(Exception):
    """Something that cannot be, found by the API itself."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        super().__init__(answer.code)


def invalid(problems: Sequence[Json]) -> Answer:
    """What was sent cannot be, with every reason."""
    return Answer(422, "invalid", _("What was sent cannot be."), problems)


@contextmanager
def placed(at: str) -> Iterator[None]:
    """Have the engine's problems stand where the entry stands in what was sent."""
    try:
        yield
    except InvalidEntry as error:
        raise Refused(invalid(engine_faults(error.problems, at))) from error


def answer_problem(error: Exception, context: Mapping[str, Any]) -> Response | None:
    """The answer to whatever a view raised; None for what is a fault of ours."""
    answer = _answer(error)
    if answer is None:
        return None
    return problem_response(answer, str(context["request"].path))


def problem_response(answer: Answer, path: str) -> Response:
    """A problem as it is sent."""
    response = Response(_body(answer, path), answer.status, headers=dict(answer.headers))
    response.content_type = MEDIA_TYPE
    return response


def plain_problem(answer: Answer, path: str) -> HttpResponse:
    """A problem that was found outside of any view."""
    headers = {"Cache-Control": NOT_KEPT, **answer.headers}
    return JsonResponse(
        _body(answer, path), status=answer.status, headers=headers, content_type=MEDIA_TYPE
    )


@csrf_exempt
def nothing_here(request: HttpRequest, **_where: str) -> HttpResponse:
    """Say to a program that there is nothing at an address, or that only its last slash is missing.

    308 has it send the same again, with its body.
    """
    if not request.path.endswith("/") and resolve(f"{request.path}/").func is not nothing_here:
        there = request.get_full_path(force_append_slash=True)
        return HttpResponse(status=308, headers={"Location": there, "Cache-Control": NOT_KEPT})
    return plain_problem(NOT_FOUND, request.path)


def _body(answer: Answer, path: str) -> Json:
    return {
        "type": f"{TYPES}{answer.code}",
        "title": str(answer.title),
        "status": answer.status,
        "code": answer.code,
        "instance": path,
        "problems": list(answer.problems),
        **answer.more,
    }


def _answer(error: Exception) -> Answer | None:
    if isinstance(error, Refused):
        return error.answer
    for kind, answered in REFUSALS.items():
        if isinstance(error, kind):
            return answered(error)
    if isinstance(error, Http404 | ObjectDoesNotExist):
        return NOT_FOUND
    if isinstance(error, PermissionDenied):
        return _forbidden()
    return _of_framework(error) if isinstance(error, exceptions.APIException) else None


def _forbidden() -> Answer:
    return Answer(403, "forbidden", _("The token may not do this."))


def _of_framework(error: exceptions.APIException) -> Answer | None:
    """What the framework found wrong before a service was asked."""
    match error:
        case exceptions.ValidationError():
            return invalid(list(_flat(error.detail)))
        case exceptions.ParseError():
            broken = fault("bad-json", "", str(error.detail))
            return Answer(400, "bad-json", _("What was sent is no JSON."), [broken])
        case exceptions.Throttled():
            wait = {"Retry-After": str(int(getattr(error, "wait", None) or 1) + 1)}
            return Answer(429, "too-many-requests", _("Too many requests."), headers=wait)
        case exceptions.NotAuthenticated() | exceptions.AuthenticationFailed():
            challenge = {"WWW-Authenticate": "Bearer"}
            title = _("No token, or none that is known.")
            return Answer(401, "unauthenticated", title, headers=challenge)
        case exceptions.PermissionDenied():
            return _forbidden()
    code = str(error.get_codes()).replace("_", "-")
    return Answer(error.status_code, code, str(error.detail))


CODES: Mapping[str, str] = {
    "required": "missing-field",
    "null": "missing-field",
    "blank": "missing-field",
    "invalid": "wrong-type",
    "not_a_list": "wrong-type",
    "not_a_dict": "wrong-type",
}
"""The framework's words for what the records call otherwise."""


def _flat(detail: Any, at: tuple[str, ...] = ()) -> Iterator[Json]:
    """Each fault of a nested error, with its path."""
    if isinstance(detail, Mapping):
        for name, within in detail.items():
            yield from _flat(within, at if name == "non_field_errors" else (*at, str(name)))
    elif isinstance(detail, list | tuple):
        for number, within in enumerate(detail):
            # Faults stand in lists; what stands in lists itself has maps for its items.
            step = (str(number),) if isinstance(within, Mapping | list) and within else ()
            yield from _flat(within, (*at, *step))
    else:
        code = str(getattr(detail, "code", "invalid"))
        yield fault(CODES.get(code, code.replace("_", "-")), ".".join(at), str(detail))


def _invalid_entry(error: InvalidEntry) -> Answer:
    return invalid(engine_faults(error.problems))


def _later_entry(error: LaterEntryInvalid) -> Answer:
    title = _("An entry would no longer fit.")
    more = {"position": error.position}
    return Answer(422, "later-entry-invalid", title, engine_faults(error.problems), more)


REFUSALS[InvalidEntry] = _invalid_entry
REFUSALS[LaterEntryInvalid] = _later_entry
