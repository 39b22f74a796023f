"""Fit the constants of each pool to its games, once a night, and request new ratings."""

from collections import defaultdict
from datetime import datetime
from itertools import chain

from django.db import transaction

from tournaments.engine.ratings.fitting import (
    FROM_GAMES,
    LAST_GAMES,
    Sample,
    calibrate,
    differs,
    fit_constants,
)
from tournaments.engine.ratings.ratings import Constants, Spread
from tournaments.models import RatedRound, RatingPool
from tournaments.queries.ratings import DAY, games_in
from tournaments.services.ratings.computing import rate_since
from tournaments.services.ratings.games import played_rounds


def fit_pools(at: datetime) -> int:
    """Fit the constants of pools with new games; return how many have changed.

    Each pool also gets a new calibration. Those with few games keep the program's constants.
    """
    return sum(_fit(pool, at) for pool in RatingPool.objects.order_by("pk"))


def _fit(pool: RatingPool, at: datetime) -> bool:
    rounds = RatedRound.objects.filter(pool=pool).order_by("-at", "-round_id")
    stored = rounds.values_list("at", "spreads")
    last = stored.first()
    number = games_in(last[1]) if last else 0
    if number == pool.fitted_games:
        return False
    early = (when for when, spreads in stored.iterator() if number - games_in(spreads) > LAST_GAMES)
    since = next(early, None)
    games = samples_of(pool, since)
    constants = fit_constants(games) if number >= FROM_GAMES else pool.constants
    changed = differs(constants, pool.constants)
    if not changed:
        constants = pool.constants
    bins, months = calibrate(games, constants, whole=since is None)
    calibration = {"bins": bins, "months": months}
    with transaction.atomic():
        rows = RatingPool.objects.filter(pk=pool.pk, version=pool.version)
        rows.update(fitted_games=number, calibration=calibration)
        if changed:
            _change(pool, constants, at)
            rate_since(pool.club_id, rounds.reverse().values_list("at", flat=True).first())
    return changed


def _change(pool: RatingPool, constants: Constants, at: datetime) -> None:
    pool.start, pool.luck = constants
    pool.version, pool.fitted_at = pool.version + 1, at
    pool.save(update_fields=["start", "luck", "version", "fitted_at"])


def samples_of(pool: RatingPool, since: datetime | None) -> list[Sample]:
    rounds = chain.from_iterable(played_rounds(pool.club_id, since))
    samples = []
    spreads: dict[str, Spread] = defaultdict(Spread)
    for round_ in rounds:
        day = round_.at.timestamp() / DAY
        for game in round_.games:
            if game.family == pool.family:
                scores = game.counted(spreads[game.spread])
                spreads[game.spread] = spreads[game.spread].seeing(scores)
                people = [who or None for who in game.people]
                samples.append(Sample(people, game.sides, scores, game.spread, day))
    return samples
