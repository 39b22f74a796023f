"""The documents of an evening or a tournament: what there is, and what was asked for."""

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
from tournaments.queries.steps import current_round
from tournaments.reports.documents import formats_of
from tournaments.reports.offers import Offer, offered, offers_to, rounds_to_print
from tournaments.services.documents.reporting import Order, request_document
from tournaments.telling.documents import about, report_secret, title_of
from tournaments.visitors import account_of, role_in, seen_event
from tournaments.web.documents.pages import to_report
from tournaments.web.doors import out_of_reach
from tournaments.web.tournaments.pages import page_of
from tournaments.web.tournaments.words import ROUND_STATES, round_name

Kind, Audience = Report.Kind, Report.Audience

RECENT = 10
"""So many documents asked for lately are listed again."""


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def event_documents(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """The documents of an event, for whoever may see it; asking for one."""
    event = seen_event(request, slug, public_id)
    role = role_in(request, event.club)
    directs = role in DIRECTING
    offers = list(offers_to(event, role))
    rounds = rounds_to_print(event, directs=directs)
    if request.method == "POST":
        # A club knows its members; anybody else could keep its worker busy.
        if role is None and not consume(request, action="ask_document"):
            refused: HttpResponse = respond_429(request)
            return refused
        return _ask(request, event, offers, rounds, directs=directs)
    page = _page(request, event, offers, rounds, directs=directs)
    return render(request, "tournaments/event_documents.html", page)


def _ask(
    request: HttpRequest,
    event: Event,
    offers: Iterable[Offer],
    rounds: Sequence[Round],
    *,
    directs: bool,
) -> HttpResponse:
    """Ask for what a button stands for; what is not there yet is said instead."""
    name, _dot, form = request.POST.get("document", "").rpartition(".")
    offer = next((offer for offer in offers if offer.name == name), None)
    if offer is None or form not in formats_of(offer.kind):
        raise Http404
    place = _chosen(rounds, request.POST.get("round", "")) if offer.of_round else None
    if offer.of_round and place is None:
        raise Http404
    shown = offered(offer, event, place, rounds)
    if shown.missing:
        # Meanwhile its seating was taken back, or the page is an old one.
        messages.error(request, f"{shown.title}: {shown.missing}")
        return redirect("event_documents", event.club.slug, event.public_id)
    order = Order(
        kind=offer.kind,
        subject=event,
        # What directors ask for may hold what others are not to see yet.
        audience=Audience.DIRECTORS if directs else offer.who,
        language=language_of(request),
        format=Report.Format(form),
        paper=event.club.paper,
        parameters=_parameters(request, place),
        asked_by=account_of(request),
    )
    return to_report(request_document(order, timezone.now()))


def _parameters(request: HttpRequest, place: Round | None) -> dict[str, object]:
    """What else belongs to the question: where QR codes lead, and the round."""
    host: dict[str, object] = {"host": absolute(request, "/")}
    return host if place is None else {**host, "round": place.number}


def _chosen(rounds: Iterable[Round], wanted: str) -> Round | None:
    """The round with a number that somebody asked for."""
    return next((place for place in rounds if str(place.number) == wanted), None)


def language_of(request: HttpRequest) -> str:
    """The language a document is asked for in: that of the page, or another one chosen on it."""
    chosen = request.POST.get("language", "")
    return chosen if chosen in dict(settings.LANGUAGES) else get_language() or "en"


def _page(
    request: HttpRequest,
    event: Event,
    offers: Iterable[Offer],
    rounds: Sequence[Round],
    *,
    directs: bool,
) -> dict[str, object]:
    tournament = getattr(event, "tournament", None)
    page = page_of(request, tournament) if tournament else {"event": event, "club": event.club}
    place = _chosen(rounds, request.GET.get("round", "")) or current_round(rounds)
    shown = [offered(offer, event, place, rounds) for offer in offers]
    return page | {
        "round": place,
        "rounds": [(each.number, _round_line(each)) for each in reversed(rounds)],
        "of_round": [each for each in shown if each.offer.of_round],
        "of_all": [each for each in shown if not each.offer.of_round],
        "languages": settings.LANGUAGES,
        "recent": recent(request, Report.objects.filter(event=event)),
        "out_of_reach": directs and out_of_reach(request),
    }


def _round_line(place: Round) -> str:
    """A round to choose: what it is called, and how far it is."""
    return f"{round_name(place)} · {ROUND_STATES[place.state]}"


def recent(request: HttpRequest, reports: ReportQuerySet) -> list[dict[str, object]]:
    """What this visitor asked for lately, with the way there (1 query for somebody signed in)."""
    user = account_of(request)
    if user is None:
        return []
    rows = reports.filter(asked_by=user).select_related("game", "club", "event", "player")
    return [
        {"row": row, "title": title_of(row), "words": _lately(row), "secret": report_secret(row.pk)}
        for row in rows.order_by("-asked_at", "-pk")[:RECENT]
    ]


def _lately(row: Report) -> str:
    """What it was of, when it was asked for, and how far it is."""
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
