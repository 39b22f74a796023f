"""How long the pages of players take in a club of 100,000, beside those of an empty club.

    python benchmarks/players.py [--players 100000] [--games 2000] [--requests 20]

Asked through Django's test client, in one process, in turn with the same list of an empty club and
with a bare `SELECT 1`. With KINGSCORE_DATABASE_URL also on PostgreSQL (in a database of its own).
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import count
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

from tests.evening_by_hand import draw_deals  # noqa: E402
from tests.servers import database_of_its_own  # noqa: E402
from tournaments.models import (  # noqa: E402
    Club,
    Event,
    Game,
    Member,
    Player,
    PlayerRating,
    RatingChange,
    RatingPool,
    Round,
    Seat,
    Table,
    User,
    Write,
)
from tournaments.models.people import fold_name, plain_name  # noqa: E402
from tournaments.queries.sheets import fold_sheet, result_of  # noqa: E402
from tournaments.services.auditing import NOBODY  # noqa: E402
from tournaments.services.people.changes import rename_player  # noqa: E402
from tournaments.services.people.players import add_player, names_at_table  # noqa: E402

FIRST = ("Ayşe", "Burak", "Cem", "Deniz", "Elif", "Gül", "Hasan", "Işıl", "İpek", "Nur", "Şule")
LAST = ("Ak", "Boz", "Can", "Çınar", "Demir", "Er", "Gür", "Işık", "Kaya", "Öz", "Şen", "Yılmaz")
RARE = "Xerxes Quisling"
WARM_UP = 2


def people(club: Club, number: int, at: datetime) -> None:
    """So many players, as a club of a hundred thousand may have them: names drawn with a seed."""
    chance = random.Random(4)
    names = [f"{chance.choice(FIRST)} {chance.choice(LAST)} {n}" for n in range(number - 1)]
    Player.objects.bulk_create(
        (
            Player(
                club=club,
                name=name,
                name_key=fold_name(name),
                search_key=plain_name(name),
                initials=n % 20 == 0,
                created_at=at,
            )
            for n, name in enumerate([*names, RARE])
        ),
        batch_size=5000,
    )


def play(player: Player, number: int, at: datetime) -> None:
    """So many whole games of one player, each with three others, one every third day; rated."""
    event = Event.objects.create(
        club=player.club, name="Cuma", held_on=at.date(), ruleset="turkish-king", created_at=at
    )
    place = Round.objects.create(event=event, number=1, opened_at=at)
    others = list(Player.objects.filter(club=player.club).exclude(pk=player.pk)[:300])
    days = [at - timedelta(days=3 * (number - n)) for n in range(number)]
    tables = Table.objects.bulk_create(Table(round=place, number=n + 1) for n in range(number))
    chance = random.Random(4)
    sitting = [[player, *chance.sample(others, 3)] for _ in tables]
    games = [
        Game(
            ruleset="turkish-king",
            players=names_at_table(four),
            played_at=day,
            revision=DEALS,
            table=table,
        )
        for table, four, day in zip(tables, sitting, days, strict=True)
    ]
    written = [
        [
            Write(
                game=game, revision=n + 1, key=f"bench-{n:06}", kind="entry", position=n,
                body=body, author=game.players[n % 4], at=at,
            )
            for n, body in enumerate(draw_deals(chance))
        ]
        for game in games
    ]  # fmt: skip
    for game, writes in zip(games, written, strict=True):
        game.result = result_of(fold_sheet(game, tuple(writes)))
    Game.objects.bulk_create(games)
    Seat.objects.bulk_create(
        (
            Seat(game=game, number=seat, player=who)
            for game, four in zip(games, sitting, strict=True)
            for seat, who in enumerate(four)
        ),
        batch_size=5000,
    )
    Write.objects.bulk_create((each for writes in written for each in writes), batch_size=5000)
    rate(player, games)


def rate(player: Player, games: list[Game]) -> None:
    """A rating that every game has changed a little."""
    pool = RatingPool.objects.create(club=player.club, family="turkish-king")
    rating = PlayerRating.objects.create(
        pool=pool, person=f"p{player.pk}", player=player, mean=1500.0, variance=900.0,
        games=len(games), last_at=games[-1].played_at, points=1500, month=0, provisional=False,
    )  # fmt: skip
    RatingChange.objects.bulk_create(
        RatingChange(
            rating=rating, game=game, seat=0, number=n + 1, at=game.played_at,
            mean_before=1500.0 + n % 7, variance_before=950.0,
            mean=1500.0 + (n + 1) % 7, variance=900.0,
        )
        for n, game in enumerate(games)
    )  # fmt: skip


DEALS = 20


def take_time(ask: Callable[[], object]) -> tuple[float, float]:
    """Milliseconds that it takes, and those of them on the processor: others may use it, too."""
    start, used = time.perf_counter(), time.process_time()
    ask()
    return 1000 * (time.perf_counter() - start), 1000 * (time.process_time() - used)


def fill(players: int, games: int) -> Player:
    """A full club and an empty one, with one director; the player who has played a lot."""
    call_command("migrate", verbosity=0)
    call_command("createcachetable", verbosity=0)
    at = timezone.now()
    user = User.objects.create(username="director")
    clubs = [Club.objects.create(slug=slug, name=slug, created_at=at) for slug in ("full", "empty")]
    for club in clubs:
        Member.objects.create(club=club, user=user, role="director", joined_at=at)
    people(clubs[0], players, at)
    busy = add_player(clubs[0], "Zeki Müren", NOBODY, at=at)
    play(busy, games, at)
    with connection.cursor() as cursor:
        # As the database does by itself after a while.
        cursor.execute("VACUUM ANALYZE" if connection.vendor == "postgresql" else "ANALYZE")
    return busy


def page(browser: Client, path: str) -> Callable[[], object]:
    """Asking for a page, which must be a good one."""

    def ask() -> None:
        answer = browser.get(path)
        if answer.status_code != 200:
            raise RuntimeError(f"{path} answered {answer.status_code}")

    return ask


def adding(browser: Client) -> Callable[[], object]:
    """Adding one player after another."""
    numbers = count(1)

    def add() -> None:
        answer = browser.post("/clubs/full/players/new/", {"names": f"Yeni {next(numbers)}"})
        if answer.status_code != 302:
            raise RuntimeError(f"adding answered {answer.status_code}")

    return add


def select() -> None:
    """The least that a database can be asked."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        cursor.fetchone()


def measure(players: int, games: int, requests: int) -> None:
    """Print the median of each page, asked in turn with the controls."""
    busy = fill(players, games)
    browser = Client()
    browser.force_login(User.objects.get())
    other = Player.objects.filter(seats__game__seats__player=busy).exclude(pk=busy.pk)[0]
    listed, player = "/clubs/full/players/", f"/clubs/full/players/{busy.public_id}/"
    pages = {
        "first page": listed,
        "last page": f"{listed}?page=999999",
        "search, a common word": f"{listed}?q=sule",
        "search, a common word, last page": f"{listed}?q=sule&page=999999",
        "search, a rare word": f"{listed}?q=xerxes",
        "search, two words": f"{listed}?q=isil+cinar",
        "search, nobody": f"{listed}?q=nobodyiscalledthat",
        f"a player with {games} games": player,
        f"a player with {games} games, last page": f"{player}?page=999999",
        f"whom a player with {games} games has met": f"{player}against/",
        "two players beside each other": f"{player}against/{other.public_id}/",
        "the other to merge with": f"{player}merge/?q=ayse",
        "control: an empty club's list": "/clubs/empty/players/",
    }
    asks = {name: page(browser, path) for name, path in pages.items()}
    asks |= {"add a player": adding(browser), "control: SELECT 1": select}
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in asks}
    for _ in range(WARM_UP + requests):
        for name, ask in asks.items():
            taken[name].append(take_time(ask))
    for name, times in taken.items():
        waited, used = zip(*times[WARM_UP:], strict=True)
        print(
            f"  {name:40} median {median(waited):7.1f} ms   best {min(waited):7.1f} ms"
            f"   on the processor {median(used):7.1f} ms"
        )
    renamed, _used = take_time(lambda: rename_player(busy.pk, "Zeki M.", NOBODY, at=timezone.now()))
    print(f"  {f'rename who has {games} games, once':40}        {renamed:7.0f} ms")


def run(where: str, database_url: str | None, words: list[str]) -> None:
    """Measure in a process of its own, since settings are read once."""
    print(f"{where}:", flush=True)
    with tempfile.TemporaryDirectory(prefix="kingscore-players-") as folder:
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("KINGSCORE_", "DJANGO_"))}
        own = {"KINGSCORE_DATA": folder, "DJANGO_SETTINGS_MODULE": "tests.settings"}
        if database_url:
            own["KINGSCORE_DATABASE_URL"] = database_url
        command = [sys.executable, __file__, "--here", *words]
        subprocess.run(command, env={**kept, **own}, cwd=ROOT, check=True)


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("--players", type=int, default=100_000)
    words.add_argument("--games", type=int, default=2_000)
    words.add_argument("--requests", type=int, default=20)
    words.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    chosen = words.parse_args()
    if chosen.here:
        measure(chosen.players, chosen.games, chosen.requests)
        return
    passed = [word for word in sys.argv[1:] if word != "--here"]
    run("SQLite", None, passed)
    if url := os.environ.get("KINGSCORE_DATABASE_URL"):
        with database_of_its_own(url) as own_url:
            run("PostgreSQL", own_url, passed)


if __name__ == "__main__":
    main()
