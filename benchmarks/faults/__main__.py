"""Makes faults on purpose: `python -m benchmarks.faults kills|together|disk|away|clock`.

Everything runs on this machine alone: PostgreSQL with every commit on the disk and Redis of its
own, web server, worker and clock as production starts them; all are stopped by their process ids.
"""

import argparse
import os
import signal
import sys
import tempfile
from pathlib import Path

from benchmarks.faults import away, clock, disk, kills, together
from benchmarks.faults.programs import whole

ALONE = {"disk": disk, "away": away, "clock": clock}


def main() -> int:
    words = argparse.ArgumentParser("python -m benchmarks.faults", description=__doc__)
    words.add_argument("fault", choices=["kills", "together", "disk", "away", "clock"])
    words.add_argument("--rounds", type=int, default=3)
    words.add_argument("--tables", type=int, default=60)
    words.add_argument("--seconds", type=float, default=240)
    words.add_argument("--followers", type=int, default=120)
    chosen = words.parse_args()
    # How a web server is started stands in the settings; the servers have their own.
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    # Whoever ends it has everything stopped.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with tempfile.TemporaryDirectory(prefix="kingscore-faults-") as place:
        if chosen.fault in ALONE:
            return ALONE[chosen.fault].run(Path(place))
        numbers = 2 if chosen.fault == "together" else 1
        with whole(Path(place), numbers, numbers, numbers) as everything:
            evening = (chosen.tables, chosen.seconds, chosen.followers)
            if chosen.fault == "together":
                return together.run(everything, *evening)
            return kills.run(everything, chosen.rounds, *evening)


if __name__ == "__main__":
    sys.exit(main())
