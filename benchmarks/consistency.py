"""How long checking every stored cache takes, how much memory, and whether phones wait for it.

    python benchmarks/consistency.py [--games 20000] [--players 5000]

Whole games of one club that takes part in the server's ratings, 40 tables a round, with all their
writes, on SQLite. Two controls in the same run: the engine folding as many games without a
database, and a table that writes deals meanwhile, against one that writes alone, and one that
writes while all ratings are computed anew and thrown away (`rebuild_ratings --check`).
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from django.core.management import call_command  # noqa: E402
from django.db import OperationalError, connection  # noqa: E402
from django.db.models import Prefetch  # noqa: E402

from benchmarks.rebuild_ratings import TABLES, Evenings, timed  # noqa: E402 - it sets Django up
from tests.factories import WHOLE_GAME, GameFactory, PenFactory, record  # noqa: E402
from tests.servers import environment_of  # noqa: E402
from tournaments.models import Club, Game, Player, Seat, Write  # noqa: E402
from tournaments.queries.sheets import load_sheet, result_of  # noqa: E402
from tournaments.services.checking.all_caches import CACHES  # noqa: E402
from tournaments.services.checking.sheets import names_in_head  # noqa: E402
from tournaments.services.play.playing import withdraw_entry  # noqa: E402
from tournaments.services.ratings.computing import (  # noqa: E402
    differing_ratings,
    rebuild_ratings,
    sweep_ratings,
)

AT_ONCE = 1000


def lay(games: int, players: int) -> None:
    """So many games as tables leave them, rated."""
    Evenings(players).play(range(1, games // TABLES + 1))
    Club.objects.update(in_server_ratings=True)
    first = GameFactory(entries=WHOLE_GAME)
    first.refresh_from_db()
    columns = "revision, key, kind, position, body, before, author, reason, at"
    told = ", ".join(f"w.{name}" for name in columns.split(", "))
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO tournaments_write (game_id, {columns})"  # noqa: S608 - our names
            f" SELECT g.id, {told} FROM tournaments_game g JOIN tournaments_write w"
            " ON w.game_id = %s WHERE g.id <> %s",
            [first.pk, first.pk],
        )
    Game.objects.update(revision=first.revision, result=first.result)
    for key in range(0, games + TABLES, AT_ONCE):
        rows = Game.objects.filter(pk__gte=key, pk__lt=key + AT_ONCE, table__isnull=False)
        seats = Prefetch("seats", Seat.objects.select_related("player"))
        heap = list(rows.prefetch_related(seats))
        for game in heap:
            game.players = names_in_head(game)
        Game.objects.bulk_update(heap, ["players"], batch_size=200)
    rebuild_ratings()
    sweep_ratings()


def fold(games: int) -> None:
    """The control: the engine alone."""
    sheet = load_sheet(GameFactory(entries=WHOLE_GAME))
    row, writes = Game.objects.get(pk=sheet.row.pk), tuple(Write.objects.filter(game=sheet.row))
    from tournaments.queries.sheets import fold_sheet

    for _ in range(games):
        result_of(fold_sheet(row, writes))


def check() -> None:
    """Look at everything; what each cache took is printed."""
    for cache in CACHES:
        start, computing, rows, longest = time.perf_counter(), time.process_time(), 0, 0.0
        heap = start
        for looked in cache.heaps():
            assert not looked.found, looked.found[:3]
            rows += looked.rows
            now = time.perf_counter()
            longest, heap = max(longest, now - heap), now
        taken, here = time.perf_counter() - start, time.process_time() - computing
        told = f"{taken:8.2f} s, of them {here:.2f} here, longest heap {1000 * longest:.0f} ms"
        print(f"    {cache.name:16} {rows:9,} rows {told}", flush=True)


def write_deals() -> None:
    """A table that writes until it is told to stop; its waits, in ms, as JSON."""
    game = GameFactory(entries=WHOLE_GAME[:1])
    waits, refused = [], 0
    print("begun", flush=True)
    while not Path(sys.argv[-1]).exists():
        start = time.perf_counter()
        try:
            sheet = record(game, WHOLE_GAME[1])
        except OperationalError:
            refused += 1
            continue
        waits.append(1000 * (time.perf_counter() - start))
        pen = PenFactory(revision=sheet.row.revision)
        withdraw_entry(game.pk, max(sheet.positions), "", pen)
        time.sleep(0.02)
    print(json.dumps([sorted(waits), refused]))


def with_a_table(name: str, do: Callable[[], object]) -> None:
    """Do something while a table writes, and print how long its deals took."""
    with tempfile.TemporaryDirectory() as folder:
        stop = Path(folder) / "stop"
        words = [sys.executable, __file__, "--write", str(stop)]
        table = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, cwd=ROOT)
        assert table.stdout is not None
        table.stdout.readline()
        timed(name, do)
        stop.touch()
        waits, refused = json.loads(table.communicate()[0])
    print(f"    {refused} deals refused, since the database was locked for too long")
    if waits:
        middle, late = waits[len(waits) // 2], waits[int(0.99 * len(waits))]
        print(f"    {len(waits)} deals: {middle:.1f} ms, 99 % {late:.1f}, slowest {waits[-1]:.1f}")


def prepare(games: int, players: int) -> None:
    """In a process of its own, so that its memory is not counted."""
    call_command("migrate", verbosity=0)
    timed(f"(laying {games:,} games)", lambda: lay(games, players))


def measure(games: int) -> None:
    """Print what each takes."""
    timed("control: engine alone", lambda: fold(games))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    with_a_table("a table alone", lambda: time.sleep(5))
    with_a_table("check of all caches", check)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"  at most {before:,.0f} MB of memory before, {peak:,.0f} MB after")
    print(f"  {Player.objects.count():,} players, {Write.objects.count():,} writes")
    with_a_table("rebuild_ratings --check", differing_ratings)


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("--games", type=int, default=20_000)
    words.add_argument("--players", type=int, default=5_000)
    words.add_argument("--lay", action="store_true", help=argparse.SUPPRESS)
    words.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    words.add_argument("--write", help=argparse.SUPPRESS)
    chosen = words.parse_args()
    if chosen.write:
        write_deals()
    elif chosen.lay:
        prepare(chosen.games, chosen.players)
    elif chosen.here:
        measure(chosen.games)
    else:
        with tempfile.TemporaryDirectory(prefix="kingscore-checking-") as folder:
            # In a process of its own, since settings are read once.
            own = environment_of(folder, DJANGO_SETTINGS_MODULE="kingscore.settings")
            for step in ("--lay", "--here"):
                command = [sys.executable, __file__, step, *sys.argv[1:]]
                subprocess.run(command, env=own, cwd=ROOT, check=True)


if __name__ == "__main__":
    main()
