"""Read queries for events now and soon: what is being played, and what comes next."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from django.db.models import Count, Q

from tournaments.models import Event, Table, Tournament
from tournaments.models.events import EventQuerySet

RUNNING = Q(tournament__state=Tournament.State.RUNNING)


@dataclass(frozen=True, slots=True)
class PlayingEvent:
    """An event being played: its round (None: between rounds), its tables and finished ones."""

    event: Event
    round: int | None
    tables: int
    finished: int


def playing_now(events: EventQuerySet, today: date) -> list[PlayingEvent]:
    """Return the running tournaments, and the evenings of a day with an open table (2 queries)."""
    # An evening goes on after midnight.
    evening = Q(tournament=None, held_on__range=(today - timedelta(days=1), today))
    rows = events.filter(RUNNING | evening, tournament__cancelled_at=None)
    found = list(rows.select_related("club", "tournament").order_by("-held_on", "pk"))
    tables = {row["round__event"]: row for row in _tables_of(found)}
    shown = []
    for event in found:
        row = tables.get(event.pk)
        if row is not None and (row["tables"] > row["finished"] or event.is_tournament):
            shown.append(PlayingEvent(event, row["round__number"], row["tables"], row["finished"]))
        elif event.is_tournament:
            shown.append(PlayingEvent(event, None, 0, 0))
    return shown


def _tables_of(events: Sequence[Event]) -> list[Any]:
    """Return the number of tables of each event's open round; of several, the last."""
    rows = Table.objects.filter(round__event__in=events, round__closed_at=None)
    played = rows.filter(Q(round__event__tournament=None) | Q(round__published_at__isnull=False))
    done = Count("pk", filter=Q(games__result__isnull=False), distinct=True)
    counted = played.values("round__event", "round__number").annotate(
        tables=Count("pk", distinct=True), finished=done
    )
    return list(counted.order_by("round__number"))


def coming(events: EventQuerySet, today: date) -> EventQuerySet:
    """Filter to what has not begun, the next first; `comers` is how many have registered."""
    rows = events.filter(held_on__gte=today).exclude(RUNNING)
    rows = rows.exclude(tournament__state=Tournament.State.FINISHED)
    playing = Q(tournament__entrants__withdrawn_at=None, tournament__entrants__house=False)
    counted = rows.annotate(comers=Count("tournament__entrants", filter=playing))
    return counted.select_related("club", "tournament").order_by("held_on", "starts_at", "pk")
