"""What one, a hundred and a thousand scoresheets take, beside ReportLab and WeasyPrint.

python benchmarks/scoresheet.py [how many sheets ...]

Each document is made by a process of its own. Time is the clock's; CPU and memory are those of the
process and of all that it starts (memory as proportional set size, looked at twice a second).
ReportLab and WeasyPrint come with `uv sync --group experiments`; they are given sheets that are
composed already, ours are read from a database first.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

SHEETS = 20
BOOKS = (1, 100, 1000)
NAMES = ("Ayşe", "Burak", "Cem", "Deniz")
FOLLOW_URL = "https://king.example/follow/abcdefghjk/0123456789abcdefghijklmn/"
TABLES = 250
"""Tables of a round; a thousand sheets are four rounds of them."""


def milliseconds(build: Callable[[int], object], times: int) -> tuple[float, float]:
    """What a build takes at the median of `times`: by the clock, and of the processors.

    Each is given its number, so that none is the same.
    """
    build(-1)
    taken, used = [], []
    for number in range(times):
        start, before = time.perf_counter(), time.process_time()
        build(number)
        taken.append(1000 * (time.perf_counter() - start))
        used.append(1000 * (time.process_time() - before))
    return median(taken), median(used)


def one_by_one(times: int) -> None:
    """Print how long one sheet takes in a process that goes on, and an empty page beside it."""
    import typst
    from django.utils import translation

    from tests.factories import WHOLE_GAME
    from tournaments.reports.scoresheet import compose_scoresheet
    from tournaments.reports.typesetting import typeset

    def compose(number: int) -> dict[str, object]:
        record = {
            "format": "kingscore-game/1",
            "ruleset": "turkish-king",
            "title": f"Perşembe {number}",
            "played_at": "2026-11-20T19:30:00+00:00",
            "players": [f"{name} {number}" for name in NAMES],
            "entries": list(WHOLE_GAME),
        }
        return compose_scoresheet(record, FOLLOW_URL.replace("jk", f"{number + 10:04}"))

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
    print(f"{f'median of {times}':<26}{'ms':>8}{'ms of CPU':>12}")
    for name, (taken, used) in figures.items():
        print(f"{name:<26}{taken:8.1f}{used:12.1f}")


# Many sheets.


def play(games: int) -> None:
    """Fill the database with an event of so many whole games."""
    from datetime import UTC, datetime

    from django.core.management import call_command

    from tests.factories import WHOLE_GAME
    from tournaments.models import Club, Event, Game, Round, Table, Write

    call_command("migrate", verbosity=0)
    at = datetime(2026, 11, 20, 19, 30, tzinfo=UTC)
    club = Club.objects.create(slug="moda", name="Moda King Kulübü", created_at=at)
    event = Event.objects.create(
        club=club, name="Moda Açık", held_on=at.date(), ruleset="turkish-king", created_at=at
    )
    for number in range(1, -(-games // TABLES) + 1):
        place = Round.objects.create(event=event, number=number, opened_at=at)
        few = min(TABLES, games - (number - 1) * TABLES)
        tables = Table.objects.bulk_create(Table(round=place, number=n + 1) for n in range(few))
        rows = Game.objects.bulk_create(
            Game(
                ruleset="turkish-king",
                players=[f"{name} {table.number}" for name in NAMES],
                title=event.name,
                played_at=at,
                revision=len(WHOLE_GAME),
                table=table,
            )
            for table in tables
        )
        Write.objects.bulk_create(
            Write(game=row, revision=n + 1, key=f"k{n}", kind="entry", position=n, body=body, at=at)
            for row in rows
            for n, body in enumerate(WHOLE_GAME)
        )


def ours(path: Path, data: Path) -> dict[str, float]:
    """Make the document as a worker does: read, composed, set, bound."""
    from django.utils import translation

    from tournaments.models import Event, Report
    from tournaments.reports.documents import compose

    event = Event.objects.select_related("club").get()
    report = Report(
        kind="sheets",
        event=event,
        club=event.club,
        audience="members",
        language="tr",
        parameters={"host": "https://king.example/"},
    )
    with translation.override("tr"):
        start = time.perf_counter()
        content = compose(report, lambda *_told: None)
        read = time.perf_counter() - start
        content.write(path, lambda *_told: None)
        taken = time.perf_counter() - start
    # For the others, who are given what is composed.
    sheets = [
        sheet
        for chapter in content.chapters  # type: ignore[attr-defined]
        for sheet in json.loads(chapter.json)["sheets"]
    ]
    data.write_text(json.dumps(sheets))
    return {"read": read, "time": taken}


def by_reportlab(path: Path, data: Path) -> dict[str, float]:
    """Draw what was composed with ReportLab."""
    from benchmarks.sheet_by_reportlab import set_sheets

    set_sheets(json.loads(data.read_text()), path)
    return {}


def by_weasyprint(path: Path, data: Path) -> dict[str, float]:
    """Set what was composed with WeasyPrint."""
    from benchmarks.sheet_by_weasyprint import set_sheets

    set_sheets(json.loads(data.read_text()), path)
    return {}


WAYS = {"Kingscore": ours, "ReportLab": by_reportlab, "WeasyPrint": by_weasyprint}

MOST = {"WeasyPrint": 100}
"""More take minutes, and gigabytes."""


def make(way: str, path: Path, data: Path) -> None:
    """Make a document, and say as JSON what it took."""
    if way == "Kingscore":
        set_up()
    memory = Memory()
    start = time.perf_counter()
    figures = WAYS[way](path, data)
    figures.setdefault("time", time.perf_counter() - start)
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    figures["cpu"] = sum(each.ru_utime + each.ru_stime for each in used)
    figures["memory"] = memory.end()
    figures["size"] = path.stat().st_size / 1e6
    print(json.dumps(figures))


class Memory:
    """Looks how much memory this process and all below it hold together."""

    def __init__(self) -> None:
        self.most = 0
        self.over = threading.Event()
        self.looking = threading.Thread(target=self.look)
        self.looking.start()

    def look(self) -> None:
        """Look until it is over."""
        # To add up what large processes hold takes them time.
        while not self.over.wait(0.5):
            self.most = max(self.most, held(os.getpid()))

    def end(self) -> float:
        """Megabytes at the most."""
        self.over.set()
        self.looking.join()
        return max(self.most, held(os.getpid())) / 1000


def held(process: int) -> int:
    """Kilobytes that a process and those that it started hold; 0 once it is gone."""
    place = Path(f"/proc/{process}")
    try:
        lines = (place / "smaps_rollup").read_text().splitlines()
        below = [kid for task in place.glob("task/*/children") for kid in task.read_text().split()]
    except OSError:
        return 0
    own = next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)
    return own + sum(held(int(kid)) for kid in below)


def books(counts: list[int], data: str) -> None:
    """Print what documents of so many sheets take, each way."""
    print(f"{'':<24}{'s':>8}{'of it read':>12}{'s of CPU':>10}{'MB at most':>12}{'MB file':>9}")
    for count in counts:
        folder = Path(data) / str(count)
        folder.mkdir()
        os.environ["KINGSCORE_DATA"] = str(folder)
        subprocess.run([sys.executable, __file__, "--play", str(count)], check=True)
        for way in WAYS:
            if count > MOST.get(way, count):
                continue
            words = [sys.executable, __file__, "--make", way, str(folder / way), str(folder / "d")]
            done = subprocess.run(words, capture_output=True, text=True, check=False)
            if done.returncode:
                print(f"{way:<12}{count:>5} sheets: {done.stderr.strip().splitlines()[-1:]}")
                continue
            f = json.loads(done.stdout.splitlines()[-1])
            read = f"{f['read']:12.1f}" if "read" in f else f"{'–':>12}"
            print(
                f"{way:<12}{count:>5} sheets{f['time']:8.1f}{read}{f['cpu']:10.1f}"
                f"{f['memory']:12.0f}{f['size']:9.1f}",
                flush=True,
            )


def set_up() -> None:
    """Have Django ready, with the data folder of the environment."""
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kingscore.settings")
    django.setup()


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["--play", games]:
            set_up()
            play(int(games))
        case ["--make", way, path, data]:
            make(way, Path(path), Path(data))
        case counts:
            with tempfile.TemporaryDirectory() as folder:
                os.environ["KINGSCORE_DATA"] = folder
                set_up()
                one_by_one(SHEETS)
                books([int(count) for count in counts] or list(BOOKS), folder)
