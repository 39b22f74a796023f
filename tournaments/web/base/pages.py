"""What pages share: links with access, curves, fields, refusals, and ways back."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from hashlib import sha256
from typing import Any
from urllib.parse import urlsplit

from allauth.core.ratelimit import consume, respond_429
from django import forms
from django.contrib import messages
from django.contrib.staticfiles.storage import staticfiles_storage
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.cache import get_conditional_response, patch_cache_control
from django.utils.translation import get_language, gettext_lazy
from django_htmx.middleware import HtmxDetails

from tournaments.engine.rules.entries import Declared
from tournaments.engine.rules.rulesets import InvalidEntry, Points
from tournaments.models import AuditEntry, Event
from tournaments.models.people import fold_name
from tournaments.origin import absolute, is_loopback, origin, qr_code
from tournaments.permissions import account_of
from tournaments.services.base.writes import Refused, note_refusal
from tournaments.services.imports.names import MOST_ASKED
from tournaments.texts.messages import explain
from tournaments.web.base.forms import LineField


def access_link(request: HttpRequest, path: str) -> dict[str, str]:
    """Return an absolute address, and its QR code as SVG for the page."""
    whole = absolute(request, path)
    return {"address": whole, "code": qr_code(whole)}


WARNED_ON = "out_of_reach_on"


def out_of_reach(request: HttpRequest) -> bool:
    """Return whether to warn that other phones cannot open addresses, since they name localhost.

    An account reads it on the first page of a day only.
    """
    if not is_loopback(urlsplit(origin(request))):
        return False
    today, account = timezone.localdate().isoformat(), account_of(request)
    warned = account is not None and request.session.get(WARNED_ON) == today
    if account is not None:
        request.session[WARNED_ON] = today
    return not warned


Size = tuple[int, int, int]
"""Width and height of a curve, and the space left at its edges, in pixels."""


def curve_of(
    course: Sequence[Points], low: Points, high: Points, size: Size
) -> tuple[str, tuple[str, str]]:
    """Return the path of a curve through the sums so far, from 0, and its last point."""
    width, height, edge = size
    step = (width - 2 * edge) / max(len(course), 1)
    rise = (height - 2 * edge) / float(high - low or 1)
    at = [
        (f"{edge + step * number:.1f}", f"{height - edge - rise * float(points - low):.1f}")
        for number, points in enumerate((0, *course))
    ]
    return "M" + "L".join(f"{x} {y}" for x, y in at), at[-1]


def labels_of(about: Declared) -> dict[str, Any]:
    """Return the label of a described field and the text below it."""
    help_text = gettext_lazy(about.help) if about.help else ""
    return {"label": gettext_lazy(about.question or about.label), "help_text": help_text}


def declared_field(about: Declared, choices: Any = None) -> forms.Field:
    """Return the form field of a described field; `choices` names its values as radio buttons."""
    schema, how = about.shape.schema, labels_of(about)
    if "enum" in schema:
        return forms.TypedChoiceField(
            choices=choices or [(name, gettext_lazy(label)) for name, label in about.names.items()],
            coerce={str(value): value for value in schema["enum"]}.__getitem__,
            widget=forms.RadioSelect if choices else forms.Select,
            **how,
        )
    if schema["type"] == "boolean":
        return forms.BooleanField(required=False, **how)
    if "maximum" in schema:
        # An empty field is the default: no limit, nobody, or a number.
        return forms.IntegerField(min_value=1, max_value=schema["maximum"], required=False, **how)
    if schema.get("format") == "date":
        return day_field(how["label"])
    if "pattern" in schema:
        picker = forms.TimeInput(attrs={"type": "time"})
        return forms.RegexField(schema["pattern"], required=False, widget=picker, **how)
    attributes = {"autocomplete": "off"} if about.free else {}
    return LineField(
        max_length=schema["maxLength"],
        required=schema.get("minLength", 0) > 0,
        widget=forms.TextInput(attributes),
        **how,
    )


def day_field(label: Any) -> forms.DateField:
    picker = forms.DateInput(format="%Y-%m-%d", attrs={"type": "date"})
    return forms.DateField(label=label, widget=picker)


def cached_for_going_back(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Let browsers keep a page whose visitors without an account all see the same."""

    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response = view(request, *args, **kwargs)
        keep_for_going_back(request, response)
        return response

    return answer


def keep_for_going_back(request: HttpRequest, response: HttpResponse) -> None:
    """Let the browser keep a whole page for visitors without an account."""
    whole = response.status_code == 200 and "HX-Request" not in request.headers
    if whole and account_of(request) is None:
        patch_cache_control(response, private=True, no_cache=True)
        # Browsers would send it with the next request; the page is rendered anew each time.
        del response["ETag"]


ANNOUNCED = "kingscore.announced"
"""The key in `request.META` of the version of a game that a stream announced, or of a newer one.
It is set only where the address gives access to the game."""


class HtmxRequest(HttpRequest):
    htmx: HtmxDetails


def tag_of(seen: list[object]) -> str:
    """Return the ETag of a page that depends on all values of `seen`."""
    # Includes the style sheet, so that open pages of an older program reload.
    details = repr([*seen, staticfiles_storage.url("events.css")])
    return f'"{sha256(details.encode()).hexdigest()[:32]}"'


LINES_LOOKED_AT = 20
"""The number of newest entries in the ETag: entries written at the same time may become visible
out of order."""


def etag_of(request: HttpRequest, event: Event, *, directs: bool) -> str:
    """Return the ETag of an evening: every change in a club has an audit entry (1 query)."""
    # Two tags of one answer must say the same, although others go on writing.
    lines: dict[int, list[int]] = request.__dict__.setdefault("audit_lines_seen", {})
    if event.club_id not in lines:
        newest = AuditEntry.objects.filter(club=event.club_id).order_by("-pk")
        lines[event.club_id] = list(newest.values_list("pk", flat=True)[:LINES_LOOKED_AT])
    seen = [
        event.pk,
        lines[event.club_id],
        request.user.pk if directs else None,
        directs,
        get_language(),
        request.COOKIES.get("theme"),
        request.COOKIES.get("suits"),
    ]
    return tag_of(seen)


def too_many(request: HttpRequest, action: str) -> HttpResponse | None:
    """Return a 429 if an action has been tried too often, by `ACCOUNT_RATE_LIMITS`; else count."""
    response: HttpResponse | None = None
    if not consume(request, action=action):
        response = respond_429(request)
    return response


def not_modified(request: HttpRequest, etag: str | None) -> HttpResponse | None:
    """Return a 304 if the client has what has this ETag, which the answer repeats (RFC 9110)."""
    response: HttpResponse | None = get_conditional_response(request, etag=etag)
    if response is not None and etag:
        response["ETag"] = etag
    return response


def name_choices(data: Mapping[str, str]) -> dict[str, str]:
    """Return the players chosen for names in a form, by folded name."""
    pairs = ((data.get(f"name.{n}"), data.get(f"as.{n}")) for n in range(MOST_ASKED))
    return {fold_name(name): chosen for name, chosen in pairs if name and chosen}


def add_refused(
    form: forms.Form, error: Refused | InvalidEntry, instead: str | None = None
) -> None:
    """Add each reason to its field, or to the field `instead` if the form has no such field."""
    note_refusal(error)
    if isinstance(error, InvalidEntry):
        for problem in error.problems:
            form.add_error(instead, explain(problem))
        return
    for each in error.faults or [error]:
        field = each.where.rpartition(".")[2]
        form.add_error(field if field in form.fields else instead, str(each))


@contextmanager
def show_refusal(request: HttpRequest) -> Iterator[None]:
    """Show a refusal as a message on the next page."""
    try:
        yield
    except Refused as error:
        note_refusal(error)
        messages.error(request, str(error))
