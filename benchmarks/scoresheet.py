"""How long one scoresheet takes, beside an empty page set in the same run.

python benchmarks/scoresheet.py [how many]
"""

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

SHEETS = 20
NAMES = ("Ayşe", "Burak", "Cem", "Deniz")
FOLLOW_URL = "https://king.example/follow/abcdefghjk/0123456789abcdefghijklmn/"


def milliseconds(build: Callable[[int], object], times: int) -> list[float]:
    """How long each of `times` builds took; each is given its number, so that none is the same."""
    build(-1)
    taken = []
    for number in range(times):
        start = time.perf_counter()
        build(number)
        taken.append(1000 * (time.perf_counter() - start))
    return taken


def memory() -> int:
    """Megabytes this process holds now (0 where the system does not say)."""
    status = Path("/proc/self/status")
    if not status.exists():
        return 0
    line = next(line for line in status.read_text().splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) // 1024


def main(times: int) -> None:
    import typst
    from django.utils import translation

    from tests.factories import WHOLE_GAME
    from tournaments.reports.scoresheet import compose_scoresheet
    from tournaments.reports.typesetting import typeset

    def record(number: int) -> dict[str, object]:
        return {
            "format": "kingscore-game/1",
            "ruleset": "turkish-king",
            "title": f"Perşembe {number}",
            "played_at": "2026-11-20T19:30:00+00:00",
            "players": [f"{name} {number}" for name in NAMES],
            "entries": list(WHOLE_GAME),
        }

    def compose(number: int) -> dict[str, object]:
        return compose_scoresheet(record(number), FOLLOW_URL)

    def page(number: int) -> object:
        source = f'#set page(paper: "a4")\n#set document(title: "{number}")'.encode()
        return typst.compile(source, format="pdf", pdf_standards="ua-1")

    with translation.override("tr"):
        figures = {
            "an empty page (control)": milliseconds(page, times),
            "a sheet composed only": milliseconds(compose, times),
            "a sheet of 20 deals": milliseconds(
                lambda number: typeset("scoresheet.typ", compose(number)), times
            ),
        }
    for name, taken in figures.items():
        print(f"{name:<26}{median(taken):8.1f} ms median of {times}{max(taken):8.1f} ms slowest")
    print(f"{'memory at the end':<26}{memory():8} MB")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as data:
        os.environ["KINGSCORE_DATA"] = data
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kingscore.settings")
        import django

        django.setup()
        main(int(sys.argv[1]) if len(sys.argv) > 1 else SHEETS)
