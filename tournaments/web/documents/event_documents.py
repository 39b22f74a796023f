"""The documents of an evening or a tournament: what there is, and what was asked for."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.translation import get_language, gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from tournaments.models import Event, Report, Round
from tournaments.models.clubs import DIRECTING
from tournaments.models.reports import ReportQuerySet
from tournaments.reports.documents import formats_of
from tournaments.services.documents.reporting import Order, request_document
from tournaments.web.documents.pages import report_secret, to_report
from tournaments.web.documents.view import about, title_of
from tournaments.web.documents.words import NAMES, NOTES
from tournaments.web.tournaments.pages import page_of
from tournaments.web.visitors import account_of, role_in, seen_event

Kind, Audience = Report.Kind, Report.Audience

RECENT = 10
"""So many documents asked for lately are listed again."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A document that can be asked for: of a round or the whole, and by whom."""

    kind: Report.Kind
    of_round: bool = False
    of_tournaments: bool = False
    who: Report.Audience = Audience.VISITORS

    @property
    def name(self) -> str:
        """What the button stands for."""
        return f"{self.kind}-of-round" if self.of_round else str(self.kind)

    @property
    def formats(self) -> list[tuple[str, str]]:
        """The files it can be had as: what a button sends, and what stands on it."""
        return [(f"{self.name}.{form}", form.upper()) for form in formats_of(self.kind)]

    @property
    def title(self) -> str:
        """What the document is called."""
        return str(NAMES[self.kind])

    @property
    def note(self) -> str:
        """What it is for."""
        return str(NOTES[self.kind])


OFFERS = (
    Offer(Kind.SEATING_BY_NAME, of_round=True),
    Offer(Kind.SEATING_BY_TABLE, of_round=True),
    Offer(Kind.TABLE_CARDS, of_round=True, who=Audience.DIRECTORS),
    Offer(Kind.SHEETS, of_round=True, who=Audience.MEMBERS),
    Offer(Kind.STANDINGS, of_tournaments=True),
    Offer(Kind.CROSS_TABLE, of_tournaments=True),
    Offer(Kind.SHEETS, who=Audience.MEMBERS),
    Offer(Kind.BOOKLET, of_tournaments=True, who=Audience.MEMBERS),
    Offer(Kind.CERTIFICATES, of_tournaments=True, who=Audience.DIRECTORS),
    Offer(Kind.NAME_BADGES, of_tournaments=True, who=Audience.DIRECTORS),
)
"""In the order in which an event needs them."""


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def event_documents(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """The documents of an event, for whoever may see it; asking for one."""
    event = seen_event(request, slug, public_id)
    role = role_in(request, event.club)
    offers = list(_offers(event, role))
    rounds = _rounds(event, directs=role in DIRECTING)
    if request.method == "POST":
        return _ask(request, event, offers, rounds)
    page = _page(request, event, offers, rounds)
    return render(request, "tournaments/event_documents.html", page)


def _offers(event: Event, role: str | None) -> Iterable[Offer]:
    """What somebody of this role in the club (None: no member) can ask for."""
    for offer in OFFERS:
        allowed = (
            role in DIRECTING
            or offer.who == Audience.VISITORS
            or (offer.who == Audience.MEMBERS and role is not None)
        )
        fits = hasattr(event, "tournament") or not offer.of_tournaments
        if allowed and fits and offer.formats:
            yield offer


def _rounds(event: Event, *, directs: bool) -> list[Round]:
    """The rounds that have something to print, the latest first."""
    rows = event.rounds.order_by("-number")
    if not directs and hasattr(event, "tournament"):
        rows = rows.filter(published_at__isnull=False)
    return list(rows)


def _ask(
    request: HttpRequest, event: Event, offers: Iterable[Offer], rounds: Iterable[Round]
) -> HttpResponse:
    name, _dot, form = request.POST.get("document", "").rpartition(".")
    offer = next((offer for offer in offers if offer.name == name), None)
    if offer is None or form not in formats_of(offer.kind):
        raise Http404
    parameters: dict[str, object] = {"host": request.build_absolute_uri("/")}
    if offer.of_round:
        parameters["round"] = _number(request, rounds)
    directs = role_in(request, event.club) in DIRECTING
    order = Order(
        kind=offer.kind,
        subject=event,
        # What directors ask for may hold what others are not to see yet.
        audience=Audience.DIRECTORS if directs else offer.who,
        language=language_of(request),
        format=Report.Format(form),
        paper=event.club.paper,
        parameters=parameters,
        asked_by=account_of(request),
    )
    return to_report(request_document(order, timezone.now()))


def _number(request: HttpRequest, rounds: Iterable[Round]) -> int:
    """The round asked for; 404 where there is none of that number to see."""
    wanted = request.POST.get("round", "")
    numbers = [place.number for place in rounds if str(place.number) == wanted]
    if not numbers:
        raise Http404
    return numbers[0]


def language_of(request: HttpRequest) -> str:
    """The language a document is asked for in: that of the page, or another one chosen on it."""
    chosen = request.POST.get("language", "")
    return chosen if chosen in dict(settings.LANGUAGES) else get_language() or "en"


def _page(
    request: HttpRequest, event: Event, offers: Iterable[Offer], rounds: Iterable[Round]
) -> dict[str, object]:
    tournament = getattr(event, "tournament", None)
    page = page_of(request, tournament) if tournament else {"event": event, "club": event.club}
    return page | {
        "of_round": [offer for offer in offers if offer.of_round],
        "of_all": [offer for offer in offers if not offer.of_round],
        "rounds": rounds,
        "languages": settings.LANGUAGES,
        "recent": recent(request, Report.objects.filter(event=event)),
    }


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
