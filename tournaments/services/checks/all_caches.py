"""All stored caches by name, in the order of checking."""

from collections.abc import Callable, Iterator, Sequence

from tournaments.services.checks.caches import Cache, Mismatch
from tournaments.services.checks.digests import (
    look_at_game_digests,
    look_at_round_digests,
    repair_game_digests,
    repair_round_digests,
)
from tournaments.services.checks.folded_names import look_at_folded_names, repair_folded_names
from tournaments.services.checks.games import (
    look_at_names,
    look_at_results,
    look_at_revisions,
    repair_names,
    repair_results,
    repair_revisions,
)
from tournaments.services.checks.kept_standings import look_at_standings, repair_standings
from tournaments.services.checks.player_sums import look_at_player_sums, repair_player_sums
from tournaments.services.checks.rating_changes import look_at_changes
from tournaments.services.checks.rating_sums import look_at_counts, look_at_ratings
from tournaments.services.ratings.computing import rebuild_ratings, sweep_ratings


def repair_ratings(_found: Sequence[Mismatch]) -> None:
    """Recompute all ratings once, however many differ."""
    rebuild_ratings()


Differing = tuple[Cache, Mismatch]
"""A difference and its cache."""

RESULTS = "results"

CACHES = (
    Cache("revisions", look_at_revisions, repair_revisions),
    Cache(RESULTS, look_at_results, repair_results),
    Cache("game-digests", look_at_game_digests, repair_game_digests),
    Cache("standings", look_at_standings, repair_standings),
    Cache("round-digests", look_at_round_digests, repair_round_digests),
    Cache("folded-names", look_at_folded_names, repair_folded_names),
    Cache("names-on-sheets", look_at_names, repair_names),
    Cache("player-sums", look_at_player_sums, repair_player_sums),
    Cache("rating-changes", look_at_changes, repair_ratings),
    Cache("ratings", look_at_ratings, repair_ratings),
    Cache("rating-counts", look_at_counts, repair_ratings),
)
"""All derived and stored values; see `docs/checks.md` for each model."""


def look_at_all() -> Iterator[Differing]:
    """Yield every difference with its cache. Nothing is changed."""
    for cache in CACHES:
        for looked in cache.look():
            yield from ((cache, found) for found in looked.found)


def repair(differing: Sequence[Differing]) -> None:
    """Recompute differing values, sources before values computed from them."""
    done: set[Callable[..., None]] = set()
    for cache in CACHES:
        found = [each for of, each in differing if of is cache]
        if found and (cache.repair is not repair_ratings or repair_ratings not in done):
            cache.repair(found)
            done.add(cache.repair)
    # Corrected results have enqueued their rounds for rating.
    sweep_ratings()
