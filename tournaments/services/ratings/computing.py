"""Compute ratings from games of closed rounds: running, after a correction, or from scratch.

There is one path: from some moment on, all rating changes are reverted, and every game that counts
is rated in order. A newly closed round, a correction and a full rebuild differ only in the moment.
Computing locks the single ledger row, and commits the ratings of a club, or of the server, together
with the requests they answer.
"""

import gc
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from hashlib import sha256
from typing import Any

from django.db import transaction
from django.db.models import F

from tournaments.engine.ratings.ratings import MODEL
from tournaments.models import (
    Club,
    PlayerRating,
    RatedRound,
    RatingChange,
    RatingCount,
    RatingDue,
    RatingLedger,
)
from tournaments.services.ratings.bulk_writes import delete_all
from tournaments.services.ratings.games import played_rounds
from tournaments.services.ratings.pools import Pools

ROWS_AT_ONCE = 2000


def sweep_ratings() -> int:
    """Compute all that is due; return the number of requests answered.

    Each club, and the server, is a transaction of its own. If another worker is computing, do
    nothing: it looks for new requests after releasing the lock. Ratings by another version of the
    model are recomputed from scratch.
    """
    answered = 0
    while _is_due():
        done = _sweep_next()
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
        _rebuild(ledger)
        after = _digests()
        transaction.set_rollback(True)
    return sorted(pool for pool in before | after if before.get(pool) != after.get(pool))


def _is_due() -> bool:
    """Return whether anything is due, without a lock."""
    return RatingDue.objects.exists() or not RatingLedger.objects.filter(model=MODEL).exists()


def _sweep_next() -> int:
    """Answer the requests for one club, or at last for the server, in one transaction."""
    with transaction.atomic():
        ledger = _free_ledger()
        if ledger is None:
            return 0
        if ledger.model != MODEL:
            _rebuild(ledger)
            return 1
        # The server comes last: then it is computed once for all clubs.
        scopes = RatingDue.objects.order_by(F("club").asc(nulls_last=True)).values_list("club")
        first = scopes.first()
        return 0 if first is None else _answer(first[0])


def _answer(club: int | None) -> int:
    """Compute the ratings of a club, or of the server; return the number of requests answered."""
    # Data committed after this read makes a new request, answered the next time.
    dues = list(RatingDue.objects.filter(club=club).values_list("pk", "since"))
    since = min(moment for _pk, moment in dues)
    _compute(club, since)
    if club is not None and Club.objects.filter(pk=club, in_server_ratings=True).exists():
        RatingDue.objects.create(club=None, since=since)
    _take_away(pk for pk, _moment in dues)
    return len(dues)


def _compute(club: int | None, since: datetime | None) -> int:
    """Rate the games of a club, or of the server, from a moment on; return their number."""
    pools = Pools(club)
    if since is not None:
        pools.take_back(since)
    rated = sum(pools.rate(rounds) for rounds in played_rounds(club, since))
    pools.keep()
    return rated


def _rebuild(ledger: RatingLedger) -> int:
    dues = list(RatingDue.objects.values_list("pk", flat=True))
    delete_all()
    clubs = list(Club.objects.order_by("pk").values_list("pk", flat=True))
    with _uncollected():
        rated = sum(_compute(scope, None) for scope in (*clubs, None))
    _take_away(dues)
    ledger.model = MODEL
    ledger.save(update_fields=["model"])
    return rated


@contextmanager
def _uncollected() -> Iterator[None]:
    """Pause the garbage collector: searching millions of rows takes a fifth of the time."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def _take_away(dues: Iterable[int]) -> None:
    pks = list(dues)
    for first in range(0, len(pks), ROWS_AT_ONCE):
        RatingDue.objects.filter(pk__in=pks[first : first + ROWS_AT_ONCE]).delete()


def _free_ledger() -> RatingLedger | None:
    """Return the locked ledger; None if another worker holds it. SQLite waits instead."""
    RatingLedger.objects.get_or_create(pk=1)
    return RatingLedger.objects.select_for_update(skip_locked=True).filter(pk=1).first()


def _held_ledger() -> RatingLedger:
    """Return the ledger, locked; wait if another worker holds it."""
    RatingLedger.objects.get_or_create(pk=1)
    return RatingLedger.objects.select_for_update().get(pk=1)


def _digests() -> dict[str, str]:
    """Return a digest of the exact ratings of each pool."""
    digests: dict[str, Any] = {}
    last = ("person", "player_id", "mean", "variance", "games", "last_at")
    shown = ("points", "month", "provisional")
    changes = ("rating__person", "number", "game_id", "seat", "at")
    numbers = ("mean_before", "variance_before", "mean", "variance")
    whose = ("rating__pool__family", "rating__pool__club_id")
    of_pool = ("pool__family", "pool__club_id")
    counts = (*shown, "ratings")
    for rows in (
        PlayerRating.objects.order_by("person").values_list(*of_pool, *last, *shown),
        RatingChange.objects.order_by(*changes[:2]).values_list(*whose, *changes, *numbers),
        RatingCount.objects.order_by(*counts).values_list(*of_pool, *counts),
        RatedRound.objects.order_by("at", "round_id").values_list(
            *of_pool, "round_id", "at", "spreads"
        ),
    ):
        for family, club, *values in rows.iterator(ROWS_AT_ONCE):
            name = f"{family} in {club or 'all clubs'}"
            digests.setdefault(name, sha256()).update(repr(values).encode())
    return {name: digest.hexdigest() for name, digest in digests.items()}
