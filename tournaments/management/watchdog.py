"""End the programs of `up` when `up` itself was killed and could not end them.

Runs as a process of its own. Its input lists the process groups to end, one per line with + or − in
front as they start and stop. The end of the input means that `up` is gone.
"""

import os
import signal
import sys
import time
from collections.abc import Iterable
from contextlib import suppress

# As long as the web server allows for requests under way.
PATIENCE = 10


def end_groups(groups: Iterable[int], sign: int) -> None:
    """Send a signal to each process group that still exists."""
    for group in groups:
        with suppress(ProcessLookupError):
            os.killpg(group, sign)


def is_there(group: int) -> bool:
    """Return whether any process of a group is left."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def main() -> None:
    """Read until the end of the input, then end the remaining groups."""
    # The groups that started and did not stop.
    groups: set[int] = set()
    for line in sys.stdin:
        change = groups.add if line.startswith("+") else groups.discard
        change(int(line[1:]))
    end_groups(groups, signal.SIGTERM)
    deadline = time.monotonic() + PATIENCE
    while any(map(is_there, groups)) and time.monotonic() < deadline:
        time.sleep(0.1)
    end_groups(groups, signal.SIGKILL)


if __name__ == "__main__":
    main()
