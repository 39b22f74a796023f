"""The cache of rate limits: in the database, robust to a clock that was set back."""

import time
from typing import Any

from django.core.cache.backends.db import DatabaseCache

CLOCKS_APART = 60
"""Allowed difference in seconds between the clocks of machines that count together."""


class CountingCache(DatabaseCache):
    """Removes future moments from a list, which show that the clock was set back.

    allauth keeps the time of each attempt, and would count those until the clock has caught up.
    """

    def get(self, key: Any, default: Any = None, version: int | None = None) -> Any:
        kept = super().get(key, default, version)
        if isinstance(kept, list):
            latest = time.time() + CLOCKS_APART
            return [each for each in kept if not isinstance(each, float) or each <= latest]
        return kept
