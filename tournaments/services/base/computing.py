"""How many long computations run at a time on this machine."""

import fcntl
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import IO

from django.conf import settings

AT_ONCE = {"strangers": 1, "accounts": 2}
"""How many are computed at a time on one machine: each takes a processor for itself."""


@contextmanager
def place_to_compute(kind: str) -> Iterator[bool]:
    """Take one of the places of a kind, which all processes of a machine share; False if none is.

    A place is a lock on a file: the system frees it when a process is killed, and taking one
    writes nothing. Nobody waits for one, for each who did would hold a thread of the web server.
    """
    folder = settings.COMPUTING_PLACES
    folder.mkdir(exist_ok=True)
    for number in range(AT_ONCE[kind]):
        with closing((folder / f"{kind}-{number}").open("w")) as file:
            if _is_locked(file):
                yield True
                return
    yield False


def _is_locked(file: IO[str]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
