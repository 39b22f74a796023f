"""Where limits are counted: the cache of the database, on a clock that may be set back."""

import time
from typing import Any

from django.core.cache.backends.db import DatabaseCache

CLOCKS_APART = 60
"""Seconds by which the clocks of machines may differ that count together."""


class CountingCache(DatabaseCache):
    """Leaves out of a list of moments what lies ahead of the clock: it was set back since.

    allauth keeps when each try was, and would count those for as many hours as it was set back.
    """

    def get(self, key: Any, default: Any = None, version: int | None = None) -> Any:
        """What is kept under a key."""
        kept = super().get(key, default, version)
        if isinstance(kept, list):
            latest = time.time() + CLOCKS_APART
            return [each for each in kept if not isinstance(each, float) or each <= latest]
        return kept
