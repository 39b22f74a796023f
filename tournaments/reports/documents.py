"""All documents by kind, who may have them, and how they are built."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo

from django.db.models import Count
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from tournaments.engine.variants import RULESETS
from tournaments.models import Event, Report, Round
from tournaments.models.clubs import DIRECTING
from tournaments.photos.layout import can_be_photographed

# These, and what they import, register the functions that make documents.
from tournaments.reports import books, months, pictures, players, ratings  # noqa: F401
from tournaments.reports.pages import MAKERS, NOTES, Content, OnProgress, PdfPages, Picture, key_of
from tournaments.services.documents.reporting import (
    BuildProgress,
    NotOurs,
    claim_report,
    finish_report,
    hold_content,
    retry_report,
    workshop,
)

Kind, Audience = Report.Kind, Report.Audience


def compose(report: Report, progress: OnProgress) -> Content:
    """Return the contents of a report, in the active language.

    `progress` is called during reading, and raises if the report is cancelled.

    Raises: ValueError: the request of the report is not valid.
    """
    make = MAKERS.get((report.kind, report.format))
    if make is None:
        raise ValueError(f"no {report.kind} as {report.format}")
    made = make(report, progress)
    if not isinstance(made, dict):
        return made
    pages = Picture if report.format == Report.Format.PNG else PdfPages
    template = made.pop("template", f"{report.kind.replace('-', '_')}.typ")
    return pages.of(template, {"paper": report.paper, **made})


def formats_of(kind: Report.Kind) -> list[Report.Format]:
    """Return the formats of a kind; the first is offered first."""
    return [form for form in Report.Format if (kind, form) in MAKERS]


ROUND, TABLES, CLOSED = "round", "tables", "closed"
"""The prerequisite of a document: a seated round, existing tables, or all rounds closed."""


@dataclass(frozen=True, slots=True)
class DocumentOffer:
    """An available document: of a round or of the event, its audience and its prerequisite.

    `missing` is the reason why it is not available yet, where it is offered.
    """

    kind: Report.Kind
    of_round: bool = False
    of_tournaments: bool = False
    who: Report.Audience = Audience.VISITORS
    needs: str = TABLES
    missing: str = ""

    @property
    def name(self) -> str:
        return f"{self.kind}-of-round" if self.of_round else str(self.kind)

    @property
    def title(self) -> str:
        return str(self.kind.label)

    @property
    def note(self) -> str:
        return str(NOTES[self.kind])

    @property
    def formats(self) -> list[tuple[str, str]]:
        return [(f"{self.name}.{form}", form.upper()) for form in formats_of(self.kind)]


OFFERS = (
    DocumentOffer(Kind.ROUND_PAPERS, of_round=True, who=Audience.DIRECTORS, needs=ROUND),
    DocumentOffer(Kind.SEATING_BY_NAME, of_round=True, needs=ROUND),
    DocumentOffer(Kind.SEATING_BY_TABLE, of_round=True, needs=ROUND),
    DocumentOffer(Kind.TABLE_CARDS, of_round=True, who=Audience.DIRECTORS),
    DocumentOffer(Kind.PHOTO_SHEETS, of_round=True, who=Audience.DIRECTORS),
    DocumentOffer(Kind.SHEETS, of_round=True, who=Audience.MEMBERS),
    DocumentOffer(Kind.STANDINGS, of_round=True, of_tournaments=True),
    DocumentOffer(Kind.STANDINGS, of_tournaments=True),
    DocumentOffer(Kind.CROSS_TABLE, of_tournaments=True),
    DocumentOffer(Kind.SHEETS, who=Audience.MEMBERS),
    DocumentOffer(Kind.BOOKLET, of_tournaments=True, who=Audience.MEMBERS),
    DocumentOffer(Kind.CERTIFICATES, of_tournaments=True, who=Audience.DIRECTORS, needs=CLOSED),
    DocumentOffer(Kind.NAME_BADGES, of_tournaments=True, who=Audience.DIRECTORS, needs=""),
)
"""Documents in the order in which an event needs them."""


def offers_to(event: Event, role: str | None) -> Iterator[DocumentOffer]:
    """Yield the documents for somebody with this role in the club (None: no member)."""
    for offer in OFFERS:
        allowed = (
            role in DIRECTING
            or offer.who == Audience.VISITORS
            or (offer.who == Audience.MEMBERS and role is not None)
        )
        fits = hasattr(event, "tournament") or not offer.of_tournaments
        if offer.kind == Kind.PHOTO_SHEETS and event.ruleset in RULESETS:
            fits = can_be_photographed(RULESETS[event.ruleset])
        if allowed and fits:
            yield offer


def rounds_to_print(event: Event, *, directs: bool) -> list[Round]:
    """Return the rounds that a visitor may see, in order, with their number of tables (1 query)."""
    rows = event.rounds.annotate(laid=Count("tables")).order_by("number")
    if not directs and hasattr(event, "tournament"):
        rows = rows.filter(published_at__isnull=False)
    return list(rows)


def offered(
    offer: DocumentOffer, event: Event, round_: Round | None, rounds: Sequence[Round]
) -> DocumentOffer:
    """Return an offer with its missing prerequisite, for the selected round or all `rounds`."""
    those = [round_] if offer.of_round and round_ is not None else rounds
    is_evening, missing = not hasattr(event, "tournament"), ""
    # An evening has no seating apart from its tables.
    has_seating = offer.needs == ROUND and not is_evening and those
    if offer.needs == CLOSED:
        # The winners are certain only when no round is under way.
        if not those or any(each.closed_at is None for each in those):
            missing = _("Once the last round is closed.")
    elif offer.needs and not has_seating and not any(each.laid for each in those):  # type: ignore[attr-defined]
        if is_evening:
            missing = _("Once a table is set up.")
        elif offer.of_round and those:
            missing = _("Once this round is published.")
        else:
            missing = _("Once a round is published.")
    return replace(offer, missing=missing)


def zone_of(report: Report) -> tzinfo | None:
    """Return the time zone of the club of a report; None for that of the server."""
    club = report.club
    if club is None and report.game is not None and report.game.table is not None:
        club = report.game.table.round.event.club
    return None if club is None else club.zone


def build_report(pk: int) -> None:
    """Build a report, unless it is done or another worker is building it."""
    report = claim_report(pk, timezone.now())
    if report is None:
        return
    try:
        with translation.override(report.language), timezone.override(zone_of(report)):
            progress = BuildProgress(report)
            progress(Report.Step.READING)
            content = compose(report, progress)
            if not hold_content(report, key_of(report, content), timezone.now()):
                return
            with workshop(report) as folder:
                many = isinstance(content, books.Volumes) and len(content.volumes) > 1
                document = folder / f"document.{'zip' if many else report.format}"
                content.write(document, progress)
                progress(Report.Step.KEEPING)
                finish_report(report, document, timezone.now())
    except NotOurs:
        return
    # Any error belongs to the report, not the worker: the report is retried or given up.
    except Exception as error:  # noqa: BLE001
        retry_report(report, error, timezone.now())
