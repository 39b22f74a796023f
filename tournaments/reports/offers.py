"""The documents available for an event: their subject, audience and prerequisites."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from django.db.models import Count
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from tournaments.models import Event, Report, Round
from tournaments.models.clubs import DIRECTING
from tournaments.reports.documents import formats_of
from tournaments.texts.documents import NAMES, NOTES

Kind, Audience = Report.Kind, Report.Audience

ROUND, TABLES, CLOSED = "round", "tables", "closed"
"""The prerequisite of a document: a seated round, existing tables, or all rounds closed."""


@dataclass(frozen=True, slots=True)
class DocumentOffer:
    """An available document: of a round or of the event, its audience and its prerequisite."""

    kind: Report.Kind
    of_round: bool = False
    of_tournaments: bool = False
    who: Report.Audience = Audience.VISITORS
    needs: str = TABLES

    @property
    def name(self) -> str:
        return f"{self.kind}-of-round" if self.of_round else str(self.kind)


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


@dataclass(frozen=True, slots=True)
class Offered:
    """An offer as the page shows it; `missing` is the reason why it is not available yet."""

    offer: DocumentOffer
    missing: str

    @property
    def title(self) -> str:
        return str(NAMES[self.offer.kind])

    @property
    def note(self) -> str:
        return str(NOTES[self.offer.kind])

    @property
    def formats(self) -> list[tuple[str, str]]:
        name = self.offer.name
        return [(f"{name}.{form}", form.upper()) for form in formats_of(self.offer.kind)]


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
) -> Offered:
    """Return an offer with its missing prerequisite, for the selected round or all `rounds`."""
    those = [round_] if offer.of_round and round_ is not None else rounds
    missing = "" if _is_there(offer, event, those) else str(_missing(offer, event, those))
    return Offered(offer, missing)


def _is_there(offer: DocumentOffer, event: Event, rounds: Sequence[Round]) -> bool:
    """Return whether any of the data that a document needs exist."""
    needs = offer.needs
    if needs == ROUND and not hasattr(event, "tournament"):
        # An evening has no seating apart from its tables.
        needs = TABLES
    if needs == CLOSED:
        # The winners are certain only when no round is under way.
        return bool(rounds) and all(round_.closed_at is not None for round_ in rounds)
    return not needs or any(_has(round_, needs) for round_ in rounds)


def _has(round_: Round, needs: str) -> bool:
    """Return whether a round, of `rounds_to_print`, has the data that a document needs."""
    return needs == ROUND or bool(round_.laid)  # type: ignore[attr-defined]


def _missing(offer: DocumentOffer, event: Event, rounds: Sequence[Round]) -> Promise:
    if offer.needs == CLOSED:
        return MISSING["closed"]
    if not hasattr(event, "tournament"):
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
