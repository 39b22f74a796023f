"""Ends the programs of `up` when `up` itself was killed and could not end them.

Runs as a process of its own. Its input names the process groups to end, one a line with + or − in
front as they come and go; the end of the input means that nobody holds the other end any more.
"""

import os
import signal
import sys
import time
from collections.abc import Iterable
from contextlib import suppress

# As long as the web server gives requests under way to finish.
PATIENCE = 10


def end_groups(groups: Iterable[int], sign: int) -> None:
    """Send a signal to each process group that is still there."""
    for group in groups:
        with suppress(ProcessLookupError):
            os.killpg(group, sign)


def is_there(group: int) -> bool:
    """Whether any process of a group is left."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def held_groups(lines: Iterable[str]) -> set[int]:
    """Return the groups that came and did not go, when the input has ended."""
    groups: set[int] = set()
    for line in lines:
        change = groups.add if line.startswith("+") else groups.discard
        change(int(line[1:]))
    return groups


def main() -> None:
    """Read until the end, then end what is left."""
    groups = held_groups(sys.stdin)
    end_groups(groups, signal.SIGTERM)
    deadline = time.monotonic() + PATIENCE
    while any(map(is_there, groups)) and time.monotonic() < deadline:
        time.sleep(0.1)
    end_groups(groups, signal.SIGKILL)


if __name__ == "__main__":
    main()
