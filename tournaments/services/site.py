"""Heartbeats of workers, for server administrators."""

from datetime import timedelta

from tournaments.models import Worker

FORGOTTEN_AFTER = timedelta(days=1)


def note_alive(worker: Worker) -> None:
    """Store a heartbeat of a worker with its current work; delete long silent ones.

    Write all fields each time: after a restart, process numbers and so names are reused.
    """
    Worker.objects.bulk_create(
        [worker],
        update_conflicts=True,
        unique_fields=["name"],
        update_fields=["version", "started_at", "seen_at", "task", "task_since"],
    )
    Worker.objects.filter(seen_at__lt=worker.seen_at - FORGOTTEN_AFTER).delete()


def note_gone(name: str) -> None:
    """Delete the row of a worker that was stopped, so that it does not count as lost."""
    Worker.objects.filter(name=name).delete()
