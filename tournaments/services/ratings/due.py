"""Request ratings to be recomputed, in the transaction of the change."""

from collections.abc import Iterable
from datetime import datetime

from django.db import connection, transaction
from django.db.models import Min

from tournaments.models import Entrant, Event, Player, RatingDue, Round
from tournaments.models.events import RoundQuerySet, moment_of_play
from tournaments.services.base.enqueue import wake_worker

RATE_TASK = "tournaments.tasks.sweep_ratings"


def rate_since(club_pk: int | None, since: datetime | None) -> None:
    """Request recomputing ratings from a moment on; without a moment nothing happens.

    This concerns a club, and the server if the club takes part; without a club, the server only.
    """
    if since is None:
        return
    RatingDue.objects.create(club_id=club_pk, since=since)
    # Once is enough, however many rounds change in one transaction.
    if all(waiting[1] is not _wake for waiting in connection.run_on_commit):
        transaction.on_commit(_wake)


def rate_round_again(round_: Round) -> None:
    """Request rating a round if it is closed; call it before reopening a round, too."""
    if round_.closed_at is not None:
        rate_since(round_.event.club_id, round_.played_at)


def rate_entrant_again(entrant: Entrant) -> None:
    """Request rating the tournament of an entrant whose games now count, or no longer count."""
    rate_event_again(entrant.tournament.event)


def rate_event_again(event: Event) -> None:
    """Request recomputing from the day of an event if a round of it is closed.

    Call it before deleting the event, and before and after its day changes.
    """
    rate_since(event.club_id, _first_day(Round.objects.filter(event=event)))


def rate_players_again(club_pk: int, players: Iterable[int]) -> None:
    """Request recomputing from the day of the first closed round of one of these players."""
    rate_since(club_pk, _first_day_of(players))


def rate_accounts_again(players: Iterable[int]) -> None:
    """Request recomputing the server's ratings from the first round of some players.

    For players whose account changed: their club's ratings stay the same.
    """
    taking_part = Player.objects.filter(pk__in=list(players), club__in_server_ratings=True)
    rate_since(None, _first_day_of(taking_part.values_list("pk", flat=True)))


def rate_club_again(club_pk: int) -> None:
    """Request recomputing all ratings of a club."""
    rate_since(club_pk, _first_of_club(club_pk))


def rate_server_again(club_pk: int) -> None:
    """Request recomputing the server's ratings because a club joins or leaves.

    Locks the people of the club, as removing a rated game does.
    """
    # The server's ratings may include removed games whose request is still pending.
    called = RatingDue.objects.filter(club=club_pk).aggregate(first=Min("since"))["first"]
    moments = [at for at in (called, _first_of_club(club_pk)) if at is not None]
    rate_since(None, min(moments, default=None))


def _wake() -> None:
    wake_worker(RATE_TASK)


def _first_of_club(club_pk: int) -> datetime | None:
    return _first_day(Round.objects.filter(event__club=club_pk))


def _first_day_of(players: Iterable[int]) -> datetime | None:
    return _first_day(Round.objects.filter(tables__games__seats__player__in=list(players)))


def _first_day(rounds: RoundQuerySet) -> datetime | None:
    """Return the beginning of the first day of those of these rounds that are closed."""
    day = rounds.closed().aggregate(first=Min("event__held_on"))["first"]
    return day and moment_of_play(day, 0)
