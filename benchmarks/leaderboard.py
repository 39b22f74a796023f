"""A page of the leaderboard among many ratings, beside that of a leaderboard of one.

Asked through Django's test client, in one process, in turn with the page of a pool with one
rating and with a bare `SELECT 1`.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

from django.db import connection
from django.test import Client
from django.utils import timezone

from benchmarks.figures import Figure, Work, against, ask_nothing, in_turn, settle, waited
from benchmarks.people import FIRST, RARE, crowd
from tournaments.models import Club, Game, Player, RatingPool, User
from tournaments.queries.ratings import CurrentRatings, month_of

DATABASES = ("SQLite", "PostgreSQL")
SIZES = {
    "tiny": {"ratings": 40, "times": 1},
    "usual": {"ratings": 100_000, "times": 9},
    "full": {"ratings": 1_000_000, "times": 20},
}
CLUBS = 100
ONE = "a leaderboard of one"
BOARD = "/ratings/?game=turkish-king"

RATINGS = """
INSERT INTO tournaments_playerrating
    (pool_id, person, player_id, mean, variance, start, games, last_at, points, month, provisional)
SELECT %s, 'p' || id, id, 0, 900 + (id * 31) %% 4000, 11236, 1 + id %% 200, %s,
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


def fill(ratings: int) -> User:
    """A pool of the server with so many ratings, and one with one; the account of one player."""
    at = timezone.now()
    clubs = Club.objects.bulk_create(
        Club(slug=f"club-{n}", name=f"Club {n}", in_server_ratings=True, created_at=at)
        for n in range(CLUBS)
    )
    crowd(clubs, ratings, at)
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
    settle()
    return claim_one(pool)


def claim_one(pool: RatingPool) -> User:
    """An account that has claimed a player in the middle of the active ones."""
    active = CurrentRatings(pool, timezone.now(), active=True, provisional=False)
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
CONTROL = {ONE: "active=all&provisional=yes&game=krapet"}


def addresses() -> dict[str, str]:
    """The requests of each page, with page numbers from the middle."""
    pool, now = RatingPool.objects.get(club=None, family="turkish-king"), timezone.now()
    halves = {
        name: str(CurrentRatings(pool, now, active=active, provisional=new).ranks.total // 100)
        for name, active, new in (
            ("half_active", True, False),
            ("half", False, False),
            ("half_all", False, True),
        )
    }
    return {name: asked.format(**halves) for name, asked in (PAGES | CONTROL).items()}


def page(browser: Client, asked: str) -> Work:
    """Asking for a leaderboard, which must be a good one."""

    def ask() -> None:
        answer = browser.get(f"{BOARD}&{asked}")
        if answer.status_code != 200:
            raise RuntimeError(f"{asked} answered {answer.status_code}")

    return ask


def measure(ratings: int, times: int) -> Iterator[Figure]:
    user = fill(ratings)
    visitor, player = Client(), Client()
    player.force_login(user)
    asks = {name: page(visitor, asked) for name, asked in addresses().items()}
    jump = re.findall(r'href="\?([^"#]*)#me"', player.get(BOARD).text)
    for name, asked in MINE.items():
        asks[name] = page(player, asked and jump[0])
    taken = in_turn(asks | {"SELECT 1": ask_nothing}, times)
    least = taken.pop("SELECT 1")
    for figure in against(taken, ONE):
        yield replace(figure, what=f"{ratings:,} ratings: {figure.what}")
    yield waited(f"the control: {ONE}", taken[ONE], "SELECT 1", least)
