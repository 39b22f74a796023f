"""Cancel a mistaken tournament, take that back, or delete it with all of its rounds."""

from datetime import datetime

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from tournaments.models import (
    Entrant,
    Game,
    Report,
    Round,
    Ruling,
    Sitting,
    Table,
    Tournament,
)
from tournaments.services.audit import Actor
from tournaments.services.base.refusals import Fault
from tournaments.services.documents.reporting import throw_away
from tournaments.services.events.events import details_of as plan_details
from tournaments.services.events.events import plan_of
from tournaments.services.ratings.due import rate_event_again
from tournaments.services.tournaments.lifecycle import lock_tournament, note, touch


class WrongName(Fault, code="wrong-name", where="name"):
    sentence = _("That is not the name of the tournament.")


def cancel_tournament(tournament_pk: int, by: Actor, *, at: datetime) -> Tournament:
    """Hide a tournament from all but directors, and its games from ratings and statistics.

    Idempotent; nothing is deleted.
    """
    return _mark(tournament_pk, at, "cancel-tournament", by, at)


def restore_tournament(tournament_pk: int, by: Actor, *, at: datetime) -> Tournament:
    """Take back that a tournament was cancelled. Idempotent."""
    return _mark(tournament_pk, None, "restore-tournament", by, at)


def _mark(
    tournament_pk: int, cancelled_at: datetime | None, action: str, by: Actor, at: datetime
) -> Tournament:
    with transaction.atomic():
        tournament = lock_tournament(tournament_pk)
        if (tournament.cancelled_at is None) == (cancelled_at is None):
            return tournament
        tournament.cancelled_at = cancelled_at
        touch(tournament)
        rate_event_again(tournament.event)
        note(tournament, action, by, at)
    return tournament


def delete_tournament(tournament_pk: int, name: str, by: Actor, *, at: datetime) -> None:
    """Delete a tournament with its rounds, sheets and entrants; its players stay. Idempotent.

    Raises:
        WrongName: `name` is not that of the tournament; nothing is deleted.
    """
    with transaction.atomic():
        try:
            tournament = lock_tournament(tournament_pk)
        except Tournament.DoesNotExist:
            return
        event = tournament.event
        if name.split() != event.name.split():
            raise WrongName
        rate_event_again(event)
        note(tournament, "remove-tournament", by, at, before=plan_details(plan_of(event)))
        games = Game.objects.filter(table__round__event=event)
        throw_away(Report.objects.filter(Q(event=event) | Q(game__in=games)))
        # From the leaves to the root: most of these rows protect those they refer to.
        games.delete()
        for rows in (
            Ruling.objects.filter(round__event=event),
            Sitting.objects.filter(round__event=event),
            Table.objects.filter(round__event=event),
            Round.objects.filter(event=event),
            Entrant.objects.filter(tournament=tournament),
        ):
            rows.delete()
        tournament.delete()
        event.delete()
