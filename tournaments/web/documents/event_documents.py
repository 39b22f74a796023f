"""The documents of an evening or a tournament: the list, and recent requests."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from allauth.core.ratelimit import consume, respond_429
from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.translation import get_language, gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from tournaments.models import Event, Report, Round
from tournaments.models.clubs import DIRECTING
from tournaments.models.reports import ReportQuerySet
from tournaments.origin import absolute
from tournaments.permissions import account_of, role_in, seen_event
from tournaments.presenters.documents import about, report_secret, title_of
from tournaments.queries.tournaments.steps import current_round
from tournaments.reports.documents import (
    DocumentOffer,
    formats_of,
    offered,
    offers_to,
    rounds_to_print,
)
from tournaments.services.documents.reporting import Order, request_document
from tournaments.texts.labels import round_name
from tournaments.web.base.access_links import out_of_reach
from tournaments.web.documents.pages import to_report
from tournaments.web.tournaments.pages import page_of
from tournaments.web.tournaments.texts import ROUND_STATES

Kind, Audience = Report.Kind, Report.Audience

RECENT = 10
"""The number of recent documents in the list."""


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def event_documents(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """List the documents of an event for those who may see it, and take requests."""
    event = seen_event(request, slug, public_id)
    role = role_in(request, event.club)
    directs = role in DIRECTING
    offers = list(offers_to(event, role))
    rounds = rounds_to_print(event, directs=directs)
    if request.method == "POST":
        # Members only: otherwise strangers could keep the club's worker busy.
        if role is None and not consume(request, action="ask_document"):
            refused: HttpResponse = respond_429(request)
            return refused
        return _ask(request, event, offers, rounds, directs=directs)
    page = _page(request, event, offers, rounds, directs=directs)
    return render(request, "tournaments/documents/event.html", page)


def _ask(
    request: HttpRequest,
    event: Event,
    offers: Iterable[DocumentOffer],
    rounds: Sequence[Round],
    *,
    directs: bool,
) -> HttpResponse:
    """Request a document, or say that it is not available yet."""
    name, _dot, form = request.POST.get("document", "").rpartition(".")
    offer = next((offer for offer in offers if offer.name == name), None)
    if offer is None or form not in formats_of(offer.kind):
        raise Http404
    round_ = _chosen(rounds, request.POST.get("round", "")) if offer.of_round else None
    if offer.of_round and round_ is None:
        raise Http404
    shown = offered(offer, event, round_, rounds)
    if shown.missing:
        # The seating was taken back meanwhile, or the page is an old one.
        messages.error(request, f"{shown.title}: {shown.missing}")
        return redirect("event_documents", event.club.slug, event.public_id)
    order = Order(
        kind=offer.kind,
        subject=event,
        # Documents for directors may contain unpublished data.
        audience=Audience.DIRECTORS if directs else offer.who,
        language=language_of(request),
        format=Report.Format(form),
        paper=event.club.paper,
        parameters=_parameters(request, round_),
        asked_by=account_of(request),
    )
    return to_report(request_document(order, timezone.now()))


def _parameters(request: HttpRequest, round_: Round | None) -> dict[str, object]:
    host: dict[str, object] = {"host": absolute(request, "/")}
    return host if round_ is None else {**host, "round": round_.number}


def _chosen(rounds: Iterable[Round], wanted: str) -> Round | None:
    return next((round_ for round_ in rounds if str(round_.number) == wanted), None)


def language_of(request: HttpRequest) -> str:
    """Return the language of a document: that of the page, or the one chosen there."""
    chosen = request.POST.get("language", "")
    return chosen if chosen in dict(settings.LANGUAGES) else get_language() or "en"


def _page(
    request: HttpRequest,
    event: Event,
    offers: Iterable[DocumentOffer],
    rounds: Sequence[Round],
    *,
    directs: bool,
) -> dict[str, object]:
    tournament = getattr(event, "tournament", None)
    page = page_of(request, tournament) if tournament else {"event": event, "club": event.club}
    round_ = _chosen(rounds, request.GET.get("round", "")) or current_round(rounds)
    shown = [offered(offer, event, round_, rounds) for offer in offers]
    return page | {
        "round": round_,
        "rounds": [(each.number, _round_line(each)) for each in reversed(rounds)],
        "of_round": [each for each in shown if each.offer.of_round],
        "of_all": [each for each in shown if not each.offer.of_round],
        "languages": settings.LANGUAGES,
        "recent": recent(request, Report.objects.filter(event=event)),
        "out_of_reach": directs and out_of_reach(request),
    }


def _round_line(round_: Round) -> str:
    return f"{round_name(round_)} · {ROUND_STATES[round_.state]}"


def recent(request: HttpRequest, reports: ReportQuerySet) -> list[dict[str, object]]:
    """Return this visitor's recent requests with links (1 query for a signed-in visitor)."""
    user = account_of(request)
    if user is None:
        return []
    rows = reports.filter(asked_by=user).select_related("game", "club", "event", "player")
    return [
        {"row": row, "title": title_of(row), "words": _lately(row), "secret": report_secret(row.pk)}
        for row in rows.order_by("-asked_at", "-pk")[:RECENT]
    ]


def _lately(row: Report) -> str:
    asked = date_format(timezone.localtime(row.asked_at), "SHORT_DATETIME_FORMAT")
    return " · ".join(part for part in (about(row)[-1], asked, str(STATES[row.state])) if part)


STATES: Mapping[str, Promise] = MappingProxyType(
    {
        Report.State.WAITING: gettext_lazy("being made"),
        Report.State.BUILDING: gettext_lazy("being made"),
        Report.State.DONE: gettext_lazy("ready"),
        Report.State.FAILED: gettext_lazy("failed"),
        Report.State.CANCELLED: gettext_lazy("cancelled"),
    }
)
