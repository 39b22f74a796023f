"""What the database refuses of the server's own running, by the name of the constraint."""

from tests.factories import EVENING
from tournaments.models import Worker


def worker(**fields):
    """A worker that was just started, with other fields where given."""
    new = {"name": "host:1", "version": "1", "started_at": EVENING, "seen_at": EVENING}
    Worker.objects.create(**(new | fields))


RUNNING_REFUSED = {
    "worker_at_a_task_since_a_moment": [
        lambda: worker(task="sweep"),
        lambda: worker(task_since=EVENING),
    ],
}
