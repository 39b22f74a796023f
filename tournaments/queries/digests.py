"""What is stored with a digest whose first digits are printed as a code."""

from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db.models import QuerySet

from tournaments.models import Event, Game, Round, Tournament, User


@dataclass(frozen=True, slots=True)
class StoredCode:
    """What a code is of: a `game`, `round` or `tournament`, and its event if it may be seen."""

    kind: str
    event: Event | None


def digest_of_round(tournament: Tournament, number: int) -> str:
    """Return the digest of a round; empty if it is not closed (1 query)."""
    rounds = Round.objects.filter(event=tournament.event_id, number=number)
    return rounds.values_list("digest", flat=True).first() or ""


def find_code(digits: str, visitor: User | AnonymousUser | None) -> StoredCode | None:
    """Return what is stored with a digest that begins with these digits (at most 4 queries).

    Neither the round nor the table is told: the results of a last round may be hidden.
    """
    # "g" follows all hexadecimal digits. A range uses the index on every database.
    within = {"digest__gte": digits, "digest__lt": f"{digits}g"}
    rows: tuple[tuple[str, QuerySet[Any]], ...] = (
        ("game", Game.objects.filter(**within).values_list("table__round__event", flat=True)),
        ("round", Round.objects.filter(**within).values_list("event", flat=True)),
        ("tournament", Tournament.objects.filter(**within).values_list("event", flat=True)),
    )
    for kind, events in rows:
        for event in events[:1]:
            seen = Event.objects.seen_by(visitor).select_related("club", "tournament")
            return StoredCode(kind, seen.filter(pk=event).first())
    return None
