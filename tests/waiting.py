import time

PATIENCE = 600
"""Seconds after which something hangs, however busy the machine is."""


def wait_until(condition, patience=PATIENCE, every=0.05, said=str):
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
