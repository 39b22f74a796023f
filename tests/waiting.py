"""Waiting for programs, and for what they do."""

import time


def wait_until(condition, patience=60.0, every=0.05, said=str):
    """Wait until a condition holds, and return what it gave.

    Raises:
        TimeoutError: it did not hold in so many seconds; with what `said` gives.
    """
    deadline = time.monotonic() + patience
    while not (found := condition()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"not within {patience:.0f} s: {said()}")
        time.sleep(every)
    return found
