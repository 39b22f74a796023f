"""How long the page of the standings computes, beside that of a tournament without entrants.

    python benchmarks/standings_page.py [--requests 15] [--profile]

Asked through Django's test client, as a member who is signed in, in turn with the controls: the
whole page with nothing kept ("new"), the same again ("kept"), and what the page asks for every ten
seconds when nothing has changed ("304"); and the league of a season of 30 evenings with 40 players
each. CPU time of the process, which other work on the machine disturbs less than the clock; of
PostgreSQL, with KINGSCORE_DATABASE_URL (in a database of its own), it leaves out the server's.
"""

import argparse
import cProfile
import os
import pstats
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from statistics import median

import django

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
# Measured in processes of their own, with folders and databases of their own.
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
django.setup()

from django.core.cache import caches  # noqa: E402 - the path comes first
from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402
from django.test import Client  # noqa: E402
from django.utils import timezone  # noqa: E402

from tests.servers import database_of_its_own  # noqa: E402
from tournaments.engine.outcomes import rank  # noqa: E402
from tournaments.engine.tournament_settings import (  # noqa: E402
    TournamentSettings,
    write_settings,
)
from tournaments.models import (  # noqa: E402
    Club,
    Entrant,
    Event,
    Game,
    Member,
    Player,
    Round,
    Season,
    Sitting,
    Table,
    Tournament,
    User,
)
from tournaments.models.people import fold_name, plain_name  # noqa: E402
from tournaments.services.tournaments.rounds import keep_standings  # noqa: E402

SIZES = ((400, 5), (400, 9), (1000, 5), (1000, 9))
EVENINGS, AT_AN_EVENING, ROUNDS_OF_AN_EVENING = 30, 40, 3
WARM_UP = 2


@dataclass(frozen=True)
class Field:
    """A club with its players, and when everything happens."""

    club: Club
    players: Sequence[Player]
    at: datetime
    chance: random.Random


def field_of_players(number: int) -> Field:
    """So many players of one club, with a member of it, drawn with a seed."""
    at, chance = timezone.now(), random.Random(5)
    club = Club.objects.create(slug="moda", name="Moda", created_at=at)
    user = User.objects.create(username="member")
    Member.objects.create(club=club, user=user, role="member", joined_at=at)
    names = [f"Oyuncu {n} Yıldırım" for n in range(number)]
    keyed = [
        Player(club=club, name=n, name_key=fold_name(n), search_key=plain_name(n), created_at=at)
        for n in names
    ]
    return Field(club, Player.objects.bulk_create(keyed, batch_size=500), at, chance)


def play_tournament(
    field: Field, slug: str, players: int, rounds: int, season: Season | None = None
) -> None:
    """A finished tournament with nothing but what its services leave."""
    event = Event.objects.create(
        club=field.club, name=slug, held_on=field.at.date(), ruleset="turkish-king",
        season=season, created_at=field.at,
    )  # fmt: skip
    settings = write_settings(TournamentSettings(rounds=rounds))
    row = Tournament.objects.create(
        event=event, slug=slug, state="finished", settings=settings, seed=7
    )
    entrants = Entrant.objects.bulk_create(
        (
            Entrant(tournament=row, number=n, player=player, registered_at=field.at)
            for n, player in enumerate(field.players[:players], 1)
        ),
        batch_size=500,
    )
    for number in range(1, rounds + 1):
        place = play_round(field, event, number, entrants)
        if entrants:
            keep_standings(row, place)


def play_round(field: Field, event: Event, number: int, entrants: Sequence[Entrant]) -> Round:
    """A round at tables of four, whose games came to something drawn."""
    at, order = field.at, list(entrants)
    field.chance.shuffle(order)
    place = Round.objects.create(
        event=event, number=number, published_at=at, opened_at=at, closed_at=at,
        seating={"tables": [[e.key for e in order[n : n + 4]] for n in range(0, len(order), 4)],
                 "byes": []},
    )  # fmt: skip
    tables = Table.objects.bulk_create(
        Table(round=place, number=n + 1) for n in range(len(order) // 4)
    )
    Sitting.objects.bulk_create(
        (
            Sitting(round=place, entrant=entrant, table=tables[n // 4], side=n % 4)
            for n, entrant in enumerate(order)
        ),
        batch_size=500,
    )
    games = (
        Game(
            ruleset="turkish-king", players=["A", "B", "C", "D"], played_at=at, revision=20,
            table=table, result=result_drawn(field.chance),
        )
        for table in tables
    )  # fmt: skip
    Game.objects.bulk_create(games, batch_size=500)
    return place


def result_drawn(chance: random.Random) -> dict[str, object]:
    """What a game of King may come to."""
    totals = [10 * chance.randint(-90, 60) for _ in range(3)]
    totals.append(-sum(totals))
    return {
        "totals": totals,
        "ranks": list(rank(totals)),
        "out": [side for side, points in enumerate(totals) if points >= 0],
        "sunk": [side for side, points in enumerate(totals) if points < 0],
        "kings": [],
    }


def page(browser: Client, path: str, *, kept: bool = False) -> Callable[[], float]:
    """Asking for a page, which must be a good one."""

    def ask() -> None:
        answer = browser.get(path)
        if answer.status_code != 200:
            raise RuntimeError(f"{path} answered {answer.status_code}")

    def ask_anew() -> float:
        caches["pages"].clear()
        return take_time(ask)

    return (lambda: take_time(ask)) if kept else ask_anew


def unchanged(browser: Client, path: str) -> Callable[[], float]:
    """Asking as the page does by itself, and being told that it stands."""
    etag = browser.get(path)["ETag"]
    headers = {"hx-request": "true", "if-none-match": etag}

    def ask() -> None:
        answer = browser.get(path, headers=headers)
        if answer.status_code != 304:
            raise RuntimeError(f"{path} answered {answer.status_code}")

    return lambda: take_time(ask)


def take_time(ask: Callable[[], object]) -> float:
    """Milliseconds of computing that it takes."""
    start = time.process_time()
    ask()
    return 1000 * (time.process_time() - start)


def fill() -> dict[str, str]:
    """Tournaments of each size, one without anybody, and a season; their pages by name."""
    call_command("migrate", verbosity=0)
    call_command("createcachetable", verbosity=0)
    field = field_of_players(max(players for players, _rounds in SIZES))
    asked = {}
    for players, rounds in ((0, 5), *SIZES):
        slug = f"of-{players}-in-{rounds}"
        play_tournament(field, slug, players, rounds)
        asked[f"{players} × {rounds}"] = f"/clubs/moda/tournaments/{slug}/standings/"
    day = field.at.date()
    season = Season.objects.create(
        club=field.club, name="Kış", starts_on=day, ends_on=day, league_best=10
    )
    for n in range(EVENINGS):
        play_tournament(field, f"evening-{n}", AT_AN_EVENING, ROUNDS_OF_AN_EVENING, season)
    asked[f"league of {EVENINGS}"] = f"/clubs/moda/seasons/{season.pk}/league/"
    with connection.cursor() as cursor:
        # As the database does by itself after a while.
        cursor.execute("VACUUM ANALYZE" if connection.vendor == "postgresql" else "ANALYZE")
    return asked


def measure(requests: int, *, profile: bool) -> None:
    """Print the median of each page, asked in turn, and how many times the control it takes."""
    pages = fill()
    browser = Client()
    browser.force_login(User.objects.get())
    if profile:
        show_profile(browser, pages["400 × 9"])
    asks = {}
    for name, path in pages.items():
        asks[f"{name}, new"] = page(browser, path)
        asks[f"{name}, kept"] = page(browser, path, kept=True)
        if "league" not in name:
            asks[f"{name}, 304"] = unchanged(browser, path)
    taken: dict[str, list[float]] = {name: [] for name in asks}
    for _ in range(WARM_UP + requests):
        for name, ask in asks.items():
            taken[name].append(ask())
    control = {way: median(taken[f"0 × 5, {way}"][WARM_UP:]) for way in ("new", "kept", "304")}
    for name, times in taken.items():
        best, middle = min(times[WARM_UP:]), median(times[WARM_UP:])
        ratio = middle / control[name.rpartition(", ")[2]]
        print(f"  {name:22} median {middle:7.1f} ms   best {best:7.1f} ms   {ratio:5.1f} ×")


def show_profile(browser: Client, path: str) -> None:
    """Where the time of a page goes."""
    ask, profiler = page(browser, path), cProfile.Profile()
    ask()
    profiler.runcall(ask)
    pstats.Stats(profiler).sort_stats("cumulative").print_stats(60)


def run(where: str, database_url: str | None, words: list[str]) -> None:
    """Measure in a process of its own, since settings are read once."""
    print(f"{where}:", flush=True)
    with tempfile.TemporaryDirectory(prefix="kingscore-standings-") as folder:
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("KINGSCORE_", "DJANGO_"))}
        own = {"KINGSCORE_DATA": folder, "DJANGO_SETTINGS_MODULE": "tests.settings"}
        if database_url:
            own["KINGSCORE_DATABASE_URL"] = database_url
        command = [sys.executable, __file__, "--here", *words]
        subprocess.run(command, env={**kept, **own}, cwd=ROOT, check=True)


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("--requests", type=int, default=15)
    words.add_argument("--profile", action="store_true")
    words.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    chosen = words.parse_args()
    if chosen.here:
        measure(chosen.requests, profile=chosen.profile)
        return
    passed = [word for word in sys.argv[1:] if word != "--here"]
    run("SQLite", None, passed)
    if url := os.environ.get("KINGSCORE_DATABASE_URL"):
        with database_of_its_own(url) as own_url:
            run("PostgreSQL", own_url, passed)


if __name__ == "__main__":
    main()
