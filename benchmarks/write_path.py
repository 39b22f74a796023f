"""Counts the files, functions and calls of one deal's POST, and measures its time.

Django's test client posts whole games as a phone does, at an open table and at a club's table.
`sys.setprofile` counts the application's own code (`tournaments/`) for the deal in the middle of a
game; the middleware that every request passes is in `kingscore/`. The times are those of all
deals, each in turn with an empty answer.
"""

import sys
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import CodeType, FrameType

from django.test import Client
from django.urls import reverse

from benchmarks.figures import Figure, Taken, take_time, used
from tests.club_factories import TableFactory
from tests.deals import WHOLE_GAME
from tests.factories import GameFactory
from tests.phones import deal_fields, new_key
from tournaments.models import Game

DATABASES = ("SQLite",)
SIZES = {"tiny": {"games": 1}, "usual": {"games": 10}, "full": {"games": 50}}

ROOT = Path(__file__).resolve().parent.parent
OWN = f"{ROOT / 'tournaments'}/"
MOST_FILES = 30
MIDDLE = len(WHOLE_GAME) // 2
NOTHING = "an empty answer"

TABLES = {
    "an open table": GameFactory,
    "a club's table": lambda: TableFactory().games.get(),  # noqa: PLW0108 - one table for each call,
}


def post(browser: Client, game: Game, number: int) -> None:
    """Post deal `number` of the game as a phone that has seen all deals before it."""
    fields = deal_fields(WHOLE_GAME[number], number, new_key())
    path = reverse("record", args=[game.public_id, game.secret("write")])
    answer = browser.post(path, fields, headers={"hx-request": "true"})
    if answer.status_code != 200:
        raise RuntimeError(f"{path} answered {answer.status_code}")


def count_calls(game: Game) -> Counter[CodeType]:
    """Return how often each function of the project runs for the deal in the middle of a game."""
    browser, calls = Client(), Counter[CodeType]()
    for number in range(MIDDLE):
        post(browser, game, number)

    def count(frame: FrameType, event: str, _argument: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(OWN):
            calls[code] += 1

    sys.setprofile(count)
    try:
        post(browser, game, MIDDLE)
    finally:
        sys.setprofile(None)
    return calls


def files_of(calls: Counter[CodeType]) -> Counter[str]:
    """Return the calls by file, the most first."""
    files: Counter[str] = Counter()
    for code, number in calls.items():
        files[str(Path(code.co_filename).relative_to(ROOT))] += number
    return Counter(dict(files.most_common()))


def measure(games: int) -> Iterator[Figure]:
    for name, open_game in TABLES.items():
        calls = count_calls(open_game())
        files = files_of(calls)
        for file, number in files.items():
            print(f"   {number:5}  {file}")
        yield Figure(f"files of the POST at {name}", len(files), "files", "at most", MOST_FILES)
        yield Figure(f"calls at {name}", calls.total(), "", "functions", len(calls))
        deals, nothing = time_games(open_game, games)
        yield used(f"a deal at {name}", deals, NOTHING, nothing)


def time_games(open_game: type[GameFactory], games: int) -> tuple[list[Taken], list[Taken]]:
    """Return the times of all deals of so many games, and of as many empty answers."""
    browser = Client()
    deals: list[Taken] = []
    nothing: list[Taken] = []
    for _ in range(games):
        game = open_game()
        for number in range(len(WHOLE_GAME)):
            deals.append(take_time(partial(post, browser, game, number)))
            nothing.append(take_time(partial(browser.get, "/healthz")))
    return deals, nothing
