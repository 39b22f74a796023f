"""The clock that wakes the worker, on a machine whose own clock may be set back."""

from datetime import datetime
from typing import Any

from celery import beat


class Scheduler(beat.Scheduler):
    """Counts anew when the clock was set back.

    Celery's own would wait until the clock is again where it was, and wake nobody for hours.
    """

    seen: datetime | None = None

    def tick(self, *args: Any, **kwargs: Any) -> float:
        """Wake for what is due; returns after how many seconds to come again."""
        now = self.app.now()
        if self.seen is not None and now < self.seen:
            for entry in self.schedule.values():
                entry.last_run_at = now
            # The next moment of each, as it was computed.
            self._heap = None
        self.seen = now
        seconds: float = super().tick(*args, **kwargs)
        return seconds
