"""The scheduler that wakes the worker, on a machine whose clock may be set back."""

from datetime import datetime
from typing import Any

from celery import beat


class Scheduler(beat.Scheduler):
    """Restarts its schedule when the clock was set back.

    Celery's own would wait until the clock has caught up, and wake nobody for hours.
    """

    seen: datetime | None = None

    def tick(self, *args: Any, **kwargs: Any) -> float:
        """Wake due tasks; return the seconds until the next tick."""
        now = self.app.now()
        if self.seen is not None and now < self.seen:
            for entry in self.schedule.values():
                entry.last_run_at = now
            # The next moment of each task, as computed before.
            self._heap = None
        self.seen = now
        seconds: float = super().tick(*args, **kwargs)
        return seconds
