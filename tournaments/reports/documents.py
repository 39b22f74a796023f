"""All documents by kind, who may have them, and how they are built."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from django.db.models import Count
from django.utils import timezone, translation
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from tournaments.models import Event, Report, Round
from tournaments.models.clubs import DIRECTING
from tournaments.reports.books import (
    Volumes,
    booklet,
    scoresheet_table,
    sheets_pages,
    sheets_records,
    sheets_tables,
)
from tournaments.reports.hall import (
    compose_certificates,
    compose_name_badges,
    compose_table_cards,
    seating_by_name,
    seating_by_table,
)
from tournaments.reports.months import club_month
from tournaments.reports.pages import Content, Data, OnProgress, PdfPages, Picture, key_of
from tournaments.reports.pictures import (
    compose_club_picture,
    compose_evening_picture,
    compose_picture,
    compose_player_picture,
)
from tournaments.reports.players import player_season
from tournaments.reports.ratings import league_pages, league_tables
from tournaments.reports.sheets import compose_empty_sheet, compose_scoresheet, evening_sheet
from tournaments.reports.standings import (
    compose_standings_picture,
    cross_table_pages,
    cross_table_tables,
    standings_pages,
    standings_tables,
)
from tournaments.services.documents.reporting import (
    BuildProgress,
    NotOurs,
    claim_report,
    finish_report,
    hold_content,
    retry_report,
    workshop,
)
from tournaments.texts.documents import NOTES

Kind, Format, Audience = Report.Kind, Report.Format, Report.Audience


def compose(report: Report, progress: OnProgress) -> Content:
    """Return the contents of a report, in the active language.

    `progress` is called during reading, and raises if the report is cancelled.

    Raises: ValueError: the request of the report is not valid.
    """
    make = DOCUMENTS.get((Kind(report.kind), Format(report.format)))
    if make is None:
        raise ValueError(f"no {report.kind} as {report.format}")
    return make(report, progress)


def formats_of(kind: Report.Kind) -> list[Report.Format]:
    return [form for made, form in DOCUMENTS if made == kind]


Maker = Callable[[Report, OnProgress], Content]


def _pages(template: str, compose: Callable[[Report, OnProgress], Data]) -> Maker:
    """Return the maker of pages that one template sets from composed data."""

    def make(report: Report, progress: OnProgress) -> Content:
        data = compose(report, progress)
        return PdfPages.of(template, {**data, "paper": data.get("paper", report.paper)})

    return make


def _picture(report: Report, _progress: OnProgress) -> Content:
    if report.player is not None:
        data = compose_player_picture(report)
    elif report.game is None and report.event is None:
        data = compose_club_picture(report)
    elif report.game is None:
        data = compose_standings_picture(report)
    elif "evening" in report.parameters:
        data = compose_evening_picture(report)
    else:
        data = compose_picture(report.parameters["record"], wide=report.parameters["wide"])
    return Picture.of("picture.typ", data)


PAGES: Mapping[Report.Kind, Maker] = {
    Kind.SCORESHEET: _pages(
        "scoresheet.typ",
        lambda report, _progress: compose_scoresheet(
            report.parameters["record"], report.follow_url
        ),
    ),
    Kind.EMPTY_SHEET: _pages(
        "empty_sheet.typ",
        lambda report, _progress: compose_empty_sheet(report.parameters["ruleset"]),
    ),
    Kind.EVENING: evening_sheet,
    Kind.SHEETS: sheets_pages,
    Kind.TABLE_CARDS: _pages("table_cards.typ", compose_table_cards),
    Kind.NAME_BADGES: _pages("name_badges.typ", compose_name_badges),
    Kind.SEATING_BY_TABLE: seating_by_table,
    Kind.SEATING_BY_NAME: seating_by_name,
    Kind.STANDINGS: standings_pages,
    Kind.CROSS_TABLE: cross_table_pages,
    Kind.BOOKLET: booklet,
    Kind.CERTIFICATES: _pages("certificates.typ", compose_certificates),
    Kind.PLAYER_SEASON: player_season,
    Kind.CLUB_MONTH: club_month,
    Kind.LEAGUE: league_pages,
}
TABLES_OF: Mapping[Report.Kind, Maker] = {
    Kind.SCORESHEET: scoresheet_table,
    Kind.SHEETS: sheets_tables,
    Kind.SEATING_BY_TABLE: seating_by_table,
    Kind.SEATING_BY_NAME: seating_by_name,
    Kind.STANDINGS: standings_tables,
    Kind.CROSS_TABLE: cross_table_tables,
    Kind.LEAGUE: league_tables,
}
DOCUMENTS: Mapping[tuple[Report.Kind, Report.Format], Maker] = MappingProxyType(
    {
        **{(kind, Format.PDF): make for kind, make in PAGES.items()},
        **{(kind, Format.XLSX): make for kind, make in TABLES_OF.items()},
        **{(kind, Format.CSV): make for kind, make in TABLES_OF.items()},
        (Kind.SHEETS, Format.JSON): sheets_records,
        (Kind.STANDINGS, Format.JSON): standings_tables,
        (Kind.CROSS_TABLE, Format.JSON): cross_table_tables,
        (Kind.PICTURE, Format.PNG): _picture,
    }
)
"""The documents with their functions; the first format is offered first."""


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
    DocumentOffer(Kind.SEATING_BY_NAME, of_round=True, needs=ROUND),
    DocumentOffer(Kind.SEATING_BY_TABLE, of_round=True, needs=ROUND),
    DocumentOffer(Kind.TABLE_CARDS, of_round=True, who=Audience.DIRECTORS),
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
        if allowed and fits and formats_of(offer.kind):
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
    return replace(offer, missing=str(_missing(offer, event, those)))


def _missing(offer: DocumentOffer, event: Event, rounds: Sequence[Round]) -> Promise | str:
    if offer.needs == CLOSED:
        # The winners are certain only when no round is under way.
        are_closed = rounds and all(round_.closed_at is not None for round_ in rounds)
        return "" if are_closed else MISSING["closed"]
    is_evening = not hasattr(event, "tournament")
    # An evening has no seating apart from its tables.
    if offer.needs == ROUND and not is_evening:
        is_there = bool(rounds)
    else:
        is_there = any(round_.laid for round_ in rounds)  # type: ignore[attr-defined]
    if is_there or not offer.needs:
        return ""
    if is_evening:
        return MISSING["laid"]
    return MISSING["published-of-round" if offer.of_round and rounds else "published"]


MISSING: Mapping[str, Promise] = MappingProxyType(
    {
        "laid": gettext_lazy("Once a table is laid."),
        "published": gettext_lazy("Once a round is published."),
        "published-of-round": gettext_lazy("Once this round is published."),
        "closed": gettext_lazy("Once the last round is closed."),
    }
)
"""The condition under which an unavailable document becomes available."""


def build_report(pk: int) -> None:
    """Build a report, unless it is done or another worker is building it."""
    report = claim_report(pk, timezone.now())
    if report is None:
        return
    try:
        with translation.override(report.language):
            progress = BuildProgress(report)
            progress(Report.Step.READING)
            content = compose(report, progress)
            if not hold_content(report, key_of(report, content), timezone.now()):
                return
            with workshop(report) as folder:
                many = isinstance(content, Volumes) and len(content.volumes) > 1
                document = folder / f"document.{'zip' if many else report.format}"
                content.write(document, progress)
                progress(Report.Step.KEEPING)
                finish_report(report, document, timezone.now())
    except NotOurs:
        return
    # Any error belongs to the report, not the worker: the report is retried or given up.
    except Exception as error:  # noqa: BLE001
        retry_report(report, error, timezone.now())
