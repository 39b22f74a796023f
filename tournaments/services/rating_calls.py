"""Saying that ratings are to be computed, in the transaction of whatever changes them."""

from collections.abc import Iterable
from datetime import datetime
from functools import partial

from django.db import transaction
from django.db.models import Min

from tournaments.models import Game, RatingDue, Round
from tournaments.services.nudges import nudge

RATE_TASK = "tournaments.tasks.sweep_ratings"


def rate_since(club_pk: int, since: datetime | None) -> None:
    """Have the ratings of a club computed again from a moment on; without one nothing is rated."""
    if since is None:
        return
    RatingDue.objects.create(club_id=club_pk, since=since)
    transaction.on_commit(partial(nudge, RATE_TASK))


def rate_round_again(place: Round) -> None:
    """Have a round rated where it is closed; called before it is opened again, too."""
    rate_since(place.event.club_id, place.closed_at)


def rate_club_again(club_pk: int) -> None:
    """Have all ratings of a club computed again."""
    rounds = Round.objects.filter(event__club=club_pk, closed_at__isnull=False)
    rate_since(club_pk, rounds.aggregate(first=Min("closed_at"))["first"])


def rate_players_again(club_pk: int, players: Iterable[int]) -> None:
    """Have everything computed again from the first closed round in which one of them sat."""
    games = Game.objects.filter(seats__player__in=players, table__round__event__club=club_pk)
    rate_since(club_pk, games.aggregate(first=Min("table__round__closed_at"))["first"])
