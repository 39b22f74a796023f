"""The documents that an event offers: of what, to whom, and what they wait for."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from django.db.models import Count
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from tournaments.document_words import NAMES, NOTES
from tournaments.models import Event, Report, Round
from tournaments.models.clubs import DIRECTING
from tournaments.reports.documents import formats_of

Kind, Audience = Report.Kind, Report.Audience

ROUND, TABLES, CLOSED = "round", "tables", "closed"
"""What a document is of: a round that is seated, tables that are laid, all rounds being over."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A document that can be asked for: of a round or of all, by whom, and once there is what."""

    kind: Report.Kind
    of_round: bool = False
    of_tournaments: bool = False
    who: Report.Audience = Audience.VISITORS
    needs: str = TABLES

    @property
    def name(self) -> str:
        """What the button stands for."""
        return f"{self.kind}-of-round" if self.of_round else str(self.kind)


OFFERS = (
    Offer(Kind.SEATING_BY_NAME, of_round=True, needs=ROUND),
    Offer(Kind.SEATING_BY_TABLE, of_round=True, needs=ROUND),
    Offer(Kind.TABLE_CARDS, of_round=True, who=Audience.DIRECTORS),
    Offer(Kind.SHEETS, of_round=True, who=Audience.MEMBERS),
    Offer(Kind.STANDINGS, of_round=True, of_tournaments=True),
    Offer(Kind.STANDINGS, of_tournaments=True),
    Offer(Kind.CROSS_TABLE, of_tournaments=True),
    Offer(Kind.SHEETS, who=Audience.MEMBERS),
    Offer(Kind.BOOKLET, of_tournaments=True, who=Audience.MEMBERS),
    Offer(Kind.CERTIFICATES, of_tournaments=True, who=Audience.DIRECTORS, needs=CLOSED),
    Offer(Kind.NAME_BADGES, of_tournaments=True, who=Audience.DIRECTORS, needs=""),
)
"""In the order in which an event needs them."""


@dataclass(frozen=True, slots=True)
class Offered:
    """An offer as the page shows it; `missing` says why it cannot be had yet."""

    offer: Offer
    missing: str

    @property
    def title(self) -> str:
        """What the document is called."""
        return str(NAMES[self.offer.kind])

    @property
    def note(self) -> str:
        """What it is for."""
        return str(NOTES[self.offer.kind])

    @property
    def formats(self) -> list[tuple[str, str]]:
        """The files it can be had as: what a button sends, and what stands on it."""
        name = self.offer.name
        return [(f"{name}.{form}", form.upper()) for form in formats_of(self.offer.kind)]


def offers_to(event: Event, role: str | None) -> Iterator[Offer]:
    """What somebody of this role in the club (None: no member) can ask for."""
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
    """The rounds that somebody may see, in order, each with how many tables it has (1 query)."""
    rows = event.rounds.annotate(laid=Count("tables")).order_by("number")
    if not directs and hasattr(event, "tournament"):
        rows = rows.filter(published_at__isnull=False)
    return list(rows)


def offered(offer: Offer, event: Event, place: Round | None, rounds: Sequence[Round]) -> Offered:
    """An offer with what it waits for, of the round that is chosen or of all `rounds`."""
    those = [place] if offer.of_round and place is not None else rounds
    missing = "" if _is_there(offer, event, those) else str(_missing(offer, event, those))
    return Offered(offer, missing)


def _is_there(offer: Offer, event: Event, rounds: Sequence[Round]) -> bool:
    """Whether there is something of what a document needs."""
    needs = offer.needs
    if needs == ROUND and not hasattr(event, "tournament"):
        # An evening seats nobody but at its tables.
        needs = TABLES
    if needs == CLOSED:
        # Who is first is certain when nothing is under way.
        return bool(rounds) and all(place.closed_at is not None for place in rounds)
    return not needs or any(_has(place, needs) for place in rounds)


def _has(place: Round, needs: str) -> bool:
    """Whether a round, of `rounds_to_print`, has what a document needs."""
    return needs == ROUND or bool(place.laid)  # type: ignore[attr-defined]


def _missing(offer: Offer, event: Event, rounds: Sequence[Round]) -> Promise:
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
"""When a document can be had that cannot be had yet."""
