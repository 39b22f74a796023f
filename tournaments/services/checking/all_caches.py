"""Every stored cache by its name, in the order in which they are looked at."""

from collections.abc import Callable, Iterator, Sequence

from tournaments.services.checking.caches import Cache, Found
from tournaments.services.checking.folded_names import look_at_folded_names, repair_folded_names
from tournaments.services.checking.kept_standings import look_at_standings, repair_standings
from tournaments.services.checking.rating_changes import look_at_changes
from tournaments.services.checking.rating_sums import look_at_counts, look_at_ratings
from tournaments.services.checking.sheets import (
    look_at_names,
    look_at_results,
    look_at_revisions,
    repair_names,
    repair_results,
    repair_revisions,
)
from tournaments.services.ratings.computing import rebuild_ratings, sweep_ratings


def repair_ratings(_found: Sequence[Found]) -> None:
    """Compute all ratings anew, which is one computing however much of them is wrong."""
    rebuild_ratings()


Differing = tuple[Cache, Found]
"""A difference, and the cache in which it is."""

RESULTS = "results"

CACHES = (
    Cache("revisions", look_at_revisions, repair_revisions),
    Cache(RESULTS, look_at_results, repair_results),
    Cache("standings", look_at_standings, repair_standings),
    Cache("folded-names", look_at_folded_names, repair_folded_names),
    Cache("names-on-sheets", look_at_names, repair_names),
    Cache("rating-changes", look_at_changes, repair_ratings),
    Cache("ratings", look_at_ratings, repair_ratings),
    Cache("rating-counts", look_at_counts, repair_ratings),
)
"""What is derived and stored; `docs/checks.md` says what of every model is, and what is not."""


def look_at_all() -> Iterator[Differing]:
    """Every difference there is, with its cache; nothing is changed."""
    for cache in CACHES:
        for looked in cache.heaps():
            yield from ((cache, found) for found in looked.found)


def repair(differing: Sequence[Differing]) -> None:
    """Compute again what differs, first what the rest is computed from."""
    done: set[Callable[..., None]] = set()
    for cache in CACHES:
        found = [each for of, each in differing if of is cache]
        if found and (cache.repair is not repair_ratings or repair_ratings not in done):
            cache.repair(found)
            done.add(cache.repair)
    # Corrected results have called for their rounds to be rated again.
    sweep_ratings()
