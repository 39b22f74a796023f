"""How long a page of the leaderboard takes among 1,000,000 ratings, beside that of one.

    python benchmarks/leaderboard.py [--ratings 100000] [--requests 20]

Asked through Django's test client, in one process, in turn with the page of a pool with one
rating and with a bare `SELECT 1`: by the clock, and the processor time of this process. On SQLite,
or, with KINGSCORE_DATABASE_URL, on PostgreSQL (in a database of its own).
"""

import argparse
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from statistics import median

import django

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
# Measured in processes of their own, with folders and databases of their own.
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
django.setup()

from django.core.management import call_command  # noqa: E402 - the path comes first
from django.db import connection  # noqa: E402
from django.test import Client  # noqa: E402
from django.utils import timezone  # noqa: E402

from tests.rating_factories import count_ratings  # noqa: E402
from tests.servers import database_of_its_own  # noqa: E402
from tournaments.models import Club, Game, Player, RatingPool, User  # noqa: E402
from tournaments.models.people import fold_name, plain_name  # noqa: E402
from tournaments.queries.leaderboard import Listed  # noqa: E402
from tournaments.queries.ratings import month_of  # noqa: E402

FIRST = ("Ayşe", "Burak", "Cem", "Deniz", "Elif", "Gül", "Hasan", "Işıl", "İpek", "Nur", "Şule")
LAST = ("Ak", "Boz", "Can", "Çınar", "Demir", "Er", "Gür", "Işık", "Kaya", "Öz", "Şen", "Yılmaz")
RARE = "Xerxes Quisling"
CLUBS = 100
WARM_UP = 2
BOARD = "/ratings/?game=turkish-king"

RATINGS = """
INSERT INTO tournaments_playerrating
    (pool_id, person, player_id, mean, variance, games, last_at, points, month, provisional)
SELECT %s, 'p' || id, id, 0, 900 + (id * 31) %% 4000, 1 + id %% 200, %s,
    1125 + (id * 7919) %% 251 + (id * 104729) %% 257 + (id * 1299709) %% 263,
    %s - ((id * 613) %% 61) * ((id * 613) %% 61) / 61, (id * 17) %% 5 < 2
FROM tournaments_player
"""
"""Most points in the middle; last games within five years, two of five ratings provisional."""

CHANGES = """
INSERT INTO tournaments_ratingchange
    (rating_id, game_id, seat, number, at, mean_before, variance_before, mean, variance)
SELECT id, %s, 0, %s, %s, 1500, 14400, points - 3 + id %% 7, variance FROM tournaments_playerrating
"""


def people(number: int, at: datetime) -> None:
    """So many players of a hundred clubs: names drawn with a seed; one has a rare name."""
    chance = random.Random(4)
    clubs = Club.objects.bulk_create(
        Club(slug=f"club-{n}", name=f"Club {n}", in_server_ratings=True, created_at=at)
        for n in range(CLUBS)
    )
    names = [f"{chance.choice(FIRST)} {chance.choice(LAST)} {n}" for n in range(number - 1)]
    Player.objects.bulk_create(
        (
            Player(
                club=clubs[n % CLUBS],
                name=name,
                name_key=fold_name(name),
                search_key=plain_name(name),
                initials=n % 20 == 0,
                created_at=at,
            )
            for n, name in enumerate([RARE, *names], start=1)
        ),
        batch_size=5000,
    )


def fill(ratings: int) -> User:
    """A pool of the server with so many ratings, and one with one; the account of one player."""
    call_command("migrate", verbosity=0)
    call_command("createcachetable", verbosity=0)
    at = timezone.now()
    people(ratings, at)
    pool = RatingPool.objects.create(family="turkish-king")
    rare = Player.objects.get(name=RARE)
    few = RatingPool.objects.create(family="krapet")
    games = [
        Game.objects.create(ruleset="turkish-king", players=list(FIRST[:4]), played_at=at)
        for _ in range(2)
    ]
    with connection.cursor() as cursor:
        cursor.execute(RATINGS, [pool.pk, at, month_of(at)])
        cursor.execute("UPDATE tournaments_playerrating SET mean = points")
        for number, (game, days) in enumerate(zip(games, (60, 5), strict=True), start=1):
            cursor.execute(CHANGES, [game.pk, number, at - timedelta(days=days)])
        cursor.execute(f"{RATINGS} WHERE id = %s", [few.pk, at, month_of(at), rare.pk])
        for each in (pool, few):
            count_ratings(each)
        # As the database does by itself after a while.
        cursor.execute("VACUUM ANALYZE" if connection.vendor == "postgresql" else "ANALYZE")
    return claim_one(pool)


def claim_one(pool: RatingPool) -> User:
    """An account that has claimed a player in the middle of the active ones."""
    active = Listed(pool, timezone.now(), active=True, provisional=False)
    (key,) = active.keys(active.ranks.total // 2, 1)
    user, _ = User.objects.get_or_create(username="player")
    Player.objects.filter(ratings=key).update(account=user)
    return user


PAGES = {
    "active, first page": "",
    "active, middle page": "page={half_active}",
    "active, last page": "page=9999999",
    "active, with provisional, middle page": "provisional=yes&page={half_active}",
    "all, first page": "active=all",
    "all, middle page": "active=all&page={half}",
    "everybody, first page": "active=all&provisional=yes",
    "everybody, middle page": "active=all&provisional=yes&page={half_all}",
    "everybody, last page": "active=all&provisional=yes&page=9999999",
    "search, a common name": "q=sule",
    "search, a common name, everybody": "active=all&provisional=yes&q=sule",
    "search, two common words": "q=isil+cinar",
    "search, a rare name": "active=all&provisional=yes&q=xerxes",
    "search, two letters": "q=su",
    "search, nobody": "q=nobodyiscalledthat",
}
MINE = {
    "signed in, first page with one's rank": "",
    "signed in, jump to me": "jump",
}
CONTROL = {"control: page of a pool with one rating": "active=all&provisional=yes&game=krapet"}


def addresses() -> dict[str, str]:
    """What is asked for in each page, with the numbers of pages in the middle."""
    pool, now = RatingPool.objects.get(club=None, family="turkish-king"), timezone.now()
    halves = {
        name: str(Listed(pool, now, active=active, provisional=new).ranks.total // 100)
        for name, active, new in (
            ("half_active", True, False),
            ("half", False, False),
            ("half_all", False, True),
        )
    }
    return {name: asked.format(**halves) for name, asked in (PAGES | CONTROL).items()}


def take_time(ask: Callable[[], object]) -> tuple[float, float]:
    """Milliseconds that it takes: by the clock, and of this process."""
    start, used = time.perf_counter(), time.process_time()
    ask()
    return 1000 * (time.perf_counter() - start), 1000 * (time.process_time() - used)


def page(browser: Client, asked: str) -> Callable[[], object]:
    """Asking for a leaderboard, which must be a good one."""

    def ask() -> None:
        answer = browser.get(f"{BOARD}&{asked}")
        if answer.status_code != 200:
            raise RuntimeError(f"{asked} answered {answer.status_code}")

    return ask


def select() -> None:
    """The least that a database can be asked."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        cursor.fetchone()


def report(user: User, requests: int) -> None:
    """Print the figures of each page, asked in turn with the controls."""
    visitor, player = Client(), Client()
    player.force_login(user)
    asks = {name: page(visitor, asked) for name, asked in addresses().items()}
    (jump,) = re.findall(r'href="\?([^"#]*)#me"', player.get(BOARD).text)
    asks |= {name: page(player, asked and jump) for name, asked in MINE.items()}
    asks |= {"control: SELECT 1": select}
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in asks}
    for _ in range(WARM_UP + requests):
        for name, ask in asks.items():
            taken[name].append(take_time(ask))
    for name, times in taken.items():
        wall, used = zip(*times[WARM_UP:], strict=True)
        print(
            f"  {name:40} median {median(wall):7.1f} ms   best {min(wall):7.1f} ms"
            f"   processor {median(used):6.1f} ms"
        )


def measure(ratings: int, requests: int) -> None:
    """Fill a database and ask for its pages."""
    start = time.perf_counter()
    user = fill(ratings)
    print(f"  {ratings:,} ratings in {time.perf_counter() - start:.0f} s", flush=True)
    report(user, requests)


def run(where: str, database_url: str | None, words: list[str]) -> None:
    """Measure in a process of its own, since settings are read once."""
    print(f"{where}:", flush=True)
    with tempfile.TemporaryDirectory(prefix="kingscore-leaderboard-") as folder:
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("KINGSCORE_", "DJANGO_"))}
        own = {"KINGSCORE_DATA": folder, "DJANGO_SETTINGS_MODULE": "tests.settings"}
        if database_url:
            own["KINGSCORE_DATABASE_URL"] = database_url
        command = [sys.executable, __file__, "--here", *words]
        subprocess.run(command, env={**kept, **own}, cwd=ROOT, check=True)


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("--ratings", type=int, default=100_000)
    words.add_argument("--requests", type=int, default=20)
    words.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    chosen = words.parse_args()
    if chosen.here:
        measure(chosen.ratings, chosen.requests)
        return
    passed = [word for word in sys.argv[1:] if word != "--here"]
    if url := os.environ.get("KINGSCORE_DATABASE_URL"):
        with database_of_its_own(url) as own_url:
            run("PostgreSQL", own_url, passed)
    else:
        run("SQLite", None, passed)


if __name__ == "__main__":
    main()
