"""Compute ratings that are due. The fitting of parameters stays apart, for numpy."""

import gc
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from hashlib import sha256
from typing import Any

from django.db import connection, transaction
from django.db.models import F, Min
from django.utils import timezone

from tournaments.engine.ratings.ratings import MODEL
from tournaments.models import (
    Club,
    Entrant,
    Event,
    Player,
    PlayerRating,
    RatedRound,
    RatingChange,
    RatingDue,
    RatingLedger,
    Round,
)
from tournaments.models.events import RoundQuerySet, moment_of_play
from tournaments.services.base.writes import wake_worker
from tournaments.services.webhooks.calling import note_ratings

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
    day = rounds.closed().aggregate(first=Min("event__held_on"))["first"]
    return day and moment_of_play(day, 0)


ROWS_AT_ONCE = 2000

PAUSE = 0.03
"""Seconds between two slices on SQLite, where who waits for the lock looks every 25 ms at first.

Without them the next slice takes the lock again before a phone that waits has seen it free.
"""


def sweep_ratings() -> int:
    """Compute all that is due; return the number of requests answered.

    Stops where another worker was faster: that one goes on. Ratings by another version of the
    model are recomputed from scratch.
    """
    answered = 0
    if not RatingLedger.objects.filter(model=MODEL).exists():
        with transaction.atomic():
            ledger = _held_ledger()
            # Another worker may have been faster.
            if ledger.model != MODEL:
                _rebuild(ledger)
                answered += 1
    while RatingDue.objects.exists():
        # The server comes last: then it is computed once for all clubs.
        scopes = RatingDue.objects.order_by(F("club").asc(nulls_last=True)).values_list("club")
        first = scopes.first()
        done = 0 if first is None else _answer(first[0])
        if not done:
            break
        answered += done
    return answered


def rebuild_ratings() -> int:
    """Delete all ratings and recompute them; return how many times a game was rated."""
    with transaction.atomic():
        return _rebuild(_held_ledger())


def differing_ratings() -> list[str]:
    """Return the pools, as text, whose ratings differ from a recomputation. Nothing is changed.

    Ratings that are due are computed first, since they are not wrong yet.
    """
    with transaction.atomic():
        ledger = _held_ledger()
        sweep_ratings()
        before = _digests()
        # In place: a new table would keep readers out until the end.
        _rebuild(ledger, aside=False)
        after = _digests()
        transaction.set_rollback(True)
    return sorted(pool for pool in before | after if before.get(pool) != after.get(pool))


def _answer(club: int | None) -> int:
    """Compute the ratings of a club, or of the server; return the number of requests answered.

    Computing holds no lock. Each write is a transaction, which replaces the requests by a new one:
    the last deletes it. Whoever finds their requests gone has been overtaken, and 0 is returned.
    """
    # Data committed after this read makes a new request, answered the next time.
    dues = list(RatingDue.objects.filter(club=club).values_list("pk", "since"))
    since = min((at for _pk, at in dues), default=None)
    if since is None:
        return 0
    number, pks = len(dues), [pk for pk, _at in dues]
    # Imports numpy.
    from tournaments.services.ratings.pools import Pools

    pools = Pools(club, since)
    for write in pools.slices():
        with _uncollected(), transaction.atomic():
            _held_ledger()
            if not _take_away(pks):
                transaction.set_rollback(True)
                return 0
            write()
            if not pools.finished:
                pks = [RatingDue.objects.create(club_id=club, since=since).pk]
            elif club is not None:
                note_ratings(club, timezone.now())
                if Club.objects.filter(pk=club, in_server_ratings=True).exists():
                    RatingDue.objects.create(club=None, since=since)
        if not pools.finished and connection.vendor == "sqlite":
            time.sleep(PAUSE)
    return number


def _rebuild(ledger: RatingLedger, *, aside: bool = True) -> int:
    from tournaments.services.ratings.pools import Pools, delete_ratings, filling_changes

    dues = list(RatingDue.objects.values_list("pk", flat=True))
    delete_ratings()
    clubs = list(Club.objects.order_by("pk").values_list("pk", flat=True))
    rated = 0
    with _uncollected(), filling_changes(aside=aside):
        for scope in (*clubs, None):
            pools = Pools(scope, None)
            pools.write_all()
            rated += pools.rated
            if scope is not None and pools.rated:
                note_ratings(scope, timezone.now())
    _take_away(dues)
    ledger.model = MODEL
    ledger.save(update_fields=["model"])
    return rated


@contextmanager
def _uncollected() -> Iterator[None]:
    """Pause the garbage collector.

    Searching millions of rows takes a fifth of a rebuild's time, and 100 ms while others wait.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def _take_away(pks: Sequence[int]) -> bool:
    deleted = 0
    for first in range(0, len(pks), ROWS_AT_ONCE):
        some = RatingDue.objects.filter(pk__in=pks[first : first + ROWS_AT_ONCE])
        deleted += some.delete()[0]
    return deleted == len(pks)


def _held_ledger() -> RatingLedger:
    """Return the ledger, locked; wait if another worker holds it."""
    RatingLedger.objects.get_or_create(pk=1)
    return RatingLedger.objects.select_for_update().get(pk=1)


def _digests() -> dict[str, str]:
    digests: dict[str, Any] = {}
    last = ("person", "player_id", "mean", "variance", "games", "last_at")
    displayed = ("points", "month", "provisional")
    changes = ("rating__person", "number", "game_id", "seat", "at")
    numbers = ("mean_before", "variance_before", "mean", "variance")
    whose = ("rating__pool__family", "rating__pool__club_id")
    of_pool = ("pool__family", "pool__club_id")
    for rows in (
        PlayerRating.objects.order_by("person").values_list(*of_pool, *last, *displayed),
        RatingChange.objects.order_by(*changes[:2]).values_list(*whose, *changes, *numbers),
        RatedRound.objects.order_by("at", "round_id").values_list(
            *of_pool, "round_id", "at", "spreads"
        ),
    ):
        for family, club, *values in rows.iterator(ROWS_AT_ONCE):
            name = f"{family} in {club or 'all clubs'}"
            digests.setdefault(name, sha256()).update(repr(values).encode())
    return {name: digest.hexdigest() for name, digest in digests.items()}
