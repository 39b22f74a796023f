"""The pages of players in a large club, beside those of an empty club.

Asked through Django's test client, in one process, in turn with the same list of an empty club and
with a bare `SELECT 1`.
"""

import random
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import count

from django.test import Client
from django.utils import timezone

from benchmarks.figures import (
    Figure,
    Work,
    against,
    ask_nothing,
    in_turn,
    settle,
    take_time,
    waited,
)
from benchmarks.people import crowd
from tests.evening_by_hand import draw_deals
from tournaments.models import (
    Club,
    Event,
    Game,
    Member,
    Player,
    PlayerRating,
    RatingChange,
    RatingPool,
    Revision,
    Round,
    Seat,
    Table,
    User,
)
from tournaments.queries.sheets import fold_sheet, result_of
from tournaments.services.audit import NOBODY as NO_ACCOUNT
from tournaments.services.people.changes import rename_player
from tournaments.services.people.players import add_player, names_at_table

DATABASES = ("SQLite", "PostgreSQL")
SIZES = {
    "tiny": {"players": 20, "games": 2, "times": 1},
    "usual": {"players": 100_000, "games": 2_000, "times": 9},
    "full": {"players": 100_000, "games": 2_000, "times": 20},
}
DEALS = 20
NOBODY = "an empty club's list"


def play(player: Player, number: int, at: datetime) -> None:
    """So many whole games of one player, each with three others, four on an evening; rated."""
    others = list(Player.objects.filter(club=player.club).exclude(pk=player.pk)[:300])
    days = [at - timedelta(days=12 * ((number - n) // 4)) for n in range(number)]
    events = {
        day: Event(
            club=player.club, name="Cuma", held_on=day, ruleset="turkish-king", created_at=day
        )
        for day in days
    }
    Event.objects.bulk_create(events.values())
    rounds = [
        Round(event=events[day], number=n % 4 + 1, opened_at=day, closed_at=day)
        for n, day in enumerate(days)
    ]
    Round.objects.bulk_create(rounds)
    tables = Table.objects.bulk_create(Table(round=each, number=1) for each in rounds)
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
            Revision(
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
    Revision.objects.bulk_create((each for writes in written for each in writes), batch_size=5000)
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


def fill(players: int, games: int) -> Player:
    """A full club and an empty one, with one director; the player who has played a lot."""
    at = timezone.now()
    user = User.objects.create(username="director")
    clubs = [Club.objects.create(slug=slug, name=slug, created_at=at) for slug in ("full", "empty")]
    for club in clubs:
        Member.objects.create(club=club, user=user, role="director", joined_at=at)
    crowd(clubs[:1], players, at)
    busy = add_player(clubs[0], "Zeki Müren", NO_ACCOUNT, at=at)
    play(busy, games, at)
    settle()
    return busy


def page(browser: Client, path: str) -> Work:
    """Asking for a page, which must be a good one."""

    def ask() -> None:
        answer = browser.get(path)
        if answer.status_code != 200:
            raise RuntimeError(f"{path} answered {answer.status_code}")

    return ask


def adding(browser: Client) -> Work:
    """Adding one player after another."""
    numbers = count(1)

    def add() -> None:
        answer = browser.post("/clubs/full/players/new/", {"list": f"Yeni {next(numbers)}"})
        if answer.status_code != 302:
            raise RuntimeError(f"adding answered {answer.status_code}")

    return add


def pages_of(busy: Player) -> dict[str, str]:
    """The addresses of what is asked for."""
    met = Player.objects.filter(seats__game__seats__player=busy).exclude(pk=busy.pk)[0]
    listed, player = "/clubs/full/players/", f"/clubs/full/players/{busy.public_id}/"
    return {
        "first page": listed,
        "last page": f"{listed}?page=999999",
        "search, a common word": f"{listed}?q=sule",
        "search, a common word, last page": f"{listed}?q=sule&page=999999",
        "search, a rare word": f"{listed}?q=xerxes",
        "search, two words": f"{listed}?q=isil+cinar",
        "search, nobody": f"{listed}?q=nobodyiscalledthat",
        "who has played the most": player,
        "who has played the most, last page": f"{player}?page=999999",
        "whom they have met": f"{player}against/",
        "two players beside each other": f"{player}against/{met.public_id}/",
        "the other to merge with": f"{player}merge/?q=ayse",
        NOBODY: "/clubs/empty/players/",
    }


def measure(players: int, games: int, times: int) -> Iterator[Figure]:
    busy = fill(players, games)
    browser = Client()
    browser.force_login(User.objects.get())
    asks = {name: page(browser, path) for name, path in pages_of(busy).items()}
    taken = in_turn(asks | {"add a player": adding(browser), "SELECT 1": ask_nothing}, times)
    least = taken.pop("SELECT 1")
    for figure in against(taken, NOBODY):
        yield replace(figure, what=f"{players:,} players, one with {games:,} games: {figure.what}")
    yield waited(f"the control: {NOBODY}", taken[NOBODY], "SELECT 1", least)
    renamed = take_time(lambda: rename_player(busy.pk, "Zeki M.", NO_ACCOUNT, at=timezone.now()))
    yield waited(f"rename who has {games:,} games, once", [renamed], "SELECT 1", least)
