"""Saying that ratings are to be computed, in the transaction of whatever changes them."""

from collections.abc import Iterable
from datetime import datetime

from django.db import connection, transaction
from django.db.models import Min

from tournaments.models import Entrant, Game, Player, RatingDue, Round
from tournaments.services.nudges import nudge

RATE_TASK = "tournaments.tasks.sweep_ratings"


def rate_since(club_pk: int | None, since: datetime | None) -> None:
    """Have ratings computed again from a moment on; without one nothing is rated.

    They are those of a club, and of the server where the club takes part; or only the server's.
    """
    if since is None:
        return
    RatingDue.objects.create(club_id=club_pk, since=since)
    # Once is enough, however many rounds are changed in one transaction.
    if all(waiting[1] is not _wake for waiting in connection.run_on_commit):
        transaction.on_commit(_wake)


def rate_round_again(place: Round) -> None:
    """Have a round rated where it is closed; called before it is opened again, too."""
    rate_since(place.event.club_id, place.closed_at)


def rate_entrant_again(entrant: Entrant) -> None:
    """Have the tournament of an entrant rated again, whose games count now, or count no more."""
    event = entrant.tournament.event
    rate_since(event.club_id, event.rounds.aggregate(first=Min("closed_at"))["first"])


def rate_players_again(club_pk: int, players: Iterable[int]) -> None:
    """Have everything computed again from the first closed round in which one of them sat."""
    rate_since(club_pk, _first_closing(players))


def rate_accounts_again(players: Iterable[int]) -> None:
    """Have the server's ratings computed again from where some players sat first.

    For those who have another account now: in their club that changes nothing.
    """
    taking_part = Player.objects.filter(pk__in=list(players), club__in_server_ratings=True)
    rate_since(None, _first_closing(taking_part.values_list("pk", flat=True)))


def rate_club_again(club_pk: int) -> None:
    """Have all ratings of a club computed again."""
    rate_since(club_pk, _first_of_club(club_pk))


def rate_server_again(club_pk: int) -> None:
    """Have the server's ratings computed again because a club comes or goes.

    The people of the club are locked, as whoever takes away a rated game has them.
    """
    # Games that were taken away, and whose call waits, are in the server's ratings, too.
    called = RatingDue.objects.filter(club=club_pk).aggregate(first=Min("since"))["first"]
    moments = [at for at in (called, _first_of_club(club_pk)) if at is not None]
    rate_since(None, min(moments, default=None))


def _wake() -> None:
    nudge(RATE_TASK)


def _first_of_club(club_pk: int) -> datetime | None:
    rounds = Round.objects.filter(event__club=club_pk)
    first: datetime | None = rounds.aggregate(first=Min("closed_at"))["first"]
    return first


def _first_closing(players: Iterable[int]) -> datetime | None:
    """When the first round was closed in which one of some players sat."""
    games = Game.objects.filter(seats__player__in=list(players))
    first: datetime | None = games.aggregate(first=Min("table__round__closed_at"))["first"]
    return first
