"""Signs of life: what a worker notes of itself, for whoever keeps the server."""

from datetime import timedelta

from tournaments.models import Worker

FORGOTTEN_AFTER = timedelta(days=1)


def note_alive(worker: Worker) -> None:
    """Note that a worker lives and what it is at; those long not heard of are forgotten.

    All of it each time: where numbers of processes begin anew, another has had its name before.
    """
    Worker.objects.bulk_create(
        [worker],
        update_conflicts=True,
        unique_fields=["name"],
        update_fields=["version", "started_at", "seen_at", "task", "task_since"],
    )
    Worker.objects.filter(seen_at__lt=worker.seen_at - FORGOTTEN_AFTER).delete()


def note_gone(name: str) -> None:
    """Take the row of a worker away: it is not lost but stopped."""
    Worker.objects.filter(name=name).delete()
