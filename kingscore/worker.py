"""Run the background worker; `--clock` has it also wake tasks when they are due.

Celery's own program would import a shell and all its commands, which take 10 MB of memory.
"""

import sys

from kingscore.celery import app


def main() -> None:
    """Work until a signal; the exit status is that of the worker."""
    worker = app.Worker(
        pool_cls="solo",
        quiet=True,
        # Workers read their tasks from the database and need no contact with each other.
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
        clock="--clock" in sys.argv,
    )
    worker.start()
    sys.exit(worker.exitcode)


if __name__ == "__main__":
    main()
