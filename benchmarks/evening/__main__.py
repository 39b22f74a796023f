"""Plays a big evening: `python -m benchmarks.evening [--tables 250] [--deals 20] [--seconds 300]`.

PostgreSQL and Redis of its own, gunicorn as production starts it and a worker, on this machine
alone; everything is stopped by its process id at the end, also with Ctrl-C. Each deal has its
moment beforehand, and what is measured begins there, whatever the answers before it took. With
`--stored 0 1000000` the same evening is played on each, and the last is told beside the first.
"""

import argparse
import os
import signal
import sys
from pathlib import Path

from benchmarks.evening.course import Asked, Played, look_on_nothing, servers
from benchmarks.evening.playing import Plan
from benchmarks.evening.report import growth, lines_of, lines_of_control

SIZES = "from benchmarks.evening.stored import print_sizes; print_sizes()"


def main() -> int:
    chosen = words_given()
    # How a web server is started stands in the settings; the servers have their own.
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    # As Ctrl-C does: what was started is stopped on the way out.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    asked = Asked(
        chosen.tables, Plan(chosen.deals, chosen.seconds, chosen.followers), chosen.look_on
    )
    bare, evenings = look_on_nothing(asked), list[Played]()
    with servers(chosen.folder) as running:
        for stored in chosen.stored:
            with running.site(stored) as site:
                evenings.append(running.play(site, asked))
                if chosen.sizes:
                    print(site.run_python(SIZES), end="")
            print(f"{chosen.tables} tables, {chosen.deals} deals each, {stored:,} games stored:")
            print("\n".join(lines_of(evenings[-1].part, evenings[-1].looking, evenings[-1].found)))
            print("\n".join(lines_of_control(bare, evenings[-1].looking)), flush=True)
    if len(evenings) > 1:
        for figure in growth(evenings[0].part, evenings[-1].part, chosen.stored[-1]):
            print("  " + "   ".join(filter(None, figure.cells)))
    return 1 if any(evening.wrong for evening in evenings) else 0


def words_given() -> argparse.Namespace:
    """The command's arguments."""
    says = __doc__.splitlines()[0]
    words = argparse.ArgumentParser("python -m benchmarks.evening", description=says)
    words.add_argument("--tables", type=int, default=250)
    words.add_argument("--deals", type=int, default=20)
    words.add_argument("--seconds", type=float, default=300)
    words.add_argument("--followers", type=int, default=1000)
    words.add_argument("--look-on", type=float, default=20, help="seconds before the first deal")
    words.add_argument("--sizes", action="store_true", help="tell the sizes of the tables, too")
    stored = "so many games are there before; several are played one after the other"
    words.add_argument("--stored", type=int, nargs="+", default=[0], help=stored)
    words.add_argument("--folder", type=Path, help="where the databases are kept for another run")
    return words.parse_args()


if __name__ == "__main__":
    sys.exit(main())
