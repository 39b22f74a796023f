"""Growth of the database by a game, table by table, and indexes of the commonest queries.

Evenings of a club at ten tables, played through the services deal by deal, side by side as tables
do: written by one phone a table and confirmed there by all four, closed, rated in the club and on
the server, told to a webhook that hears of everything. After each round the space of old rows is
free for new ones, as autovacuum does it overnight. Rows and bytes are what was added, divided by
the games; beside them are those of the deals alone, as JSON. Calls of webhooks go after 30 days,
so all but those is what a game leaves. What is asked the most is asked for CPU time, and each of
its queries is explained by the database, which on PostgreSQL may not choose to read a table whole
(it would, as small as they are here).
"""

import json
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from itertools import chain
from random import Random
from statistics import median

from django.test import Client
from django.urls import reverse
from django.utils import timezone

from benchmarks.explaining import plan_of
from benchmarks.figures import Figure, Work, ask_nothing, in_turn, readable, settle
from benchmarks.sizes import Size, sizes
from tests.evening_by_hand import draw_deals
from tests.phones import deal_fields
from tournaments.engine.documents.entries import parse_entry
from tournaments.models import Club, Game, Player, Revision, Round, User, Webhook
from tournaments.models.audit import EventType
from tournaments.services.audit import Actor
from tournaments.services.clubs.membership import ClubSettings, change_settings, create_club
from tournaments.services.events.events import EventPlan, close_round, create_event, open_round
from tournaments.services.games.playing import GameSetup, confirm_result, record_entry
from tournaments.services.games.tables import Laying, add_table
from tournaments.services.games.writing import WriteContext
from tournaments.services.ratings.computing import sweep_ratings
from tournaments.services.webhooks.calling import CallAnswer, Message, sweep_webhooks
from tournaments.web.base.phone import in_game, new_write_key

DATABASES = ("SQLite", "PostgreSQL")
SIZES = {
    "tiny": {"games": 1, "tables": 1, "times": 1},
    "usual": {"games": 800, "tables": 10, "times": 15},
    "full": {"games": 2000, "tables": 10, "times": 50},
}
ROUNDS = 4
"""Rounds of an evening."""

CALLS = "tournaments_delivery"
ALONE = "the deals alone, as JSON"


class Season:
    """A club, and its evenings one after the other."""

    def __init__(self, tables: int) -> None:
        self.chance, self.at, self.tables = Random(20), timezone.now(), tables
        self.user = User.objects.create(username=f"director-{self.at.timestamp()}")
        self.director = Actor(self.user)
        club = create_club("Moda", self.director, at=self.at)
        settings = ClubSettings("Moda", published=True, rates_evenings=True, in_server_ratings=True)
        self.club: Club = change_settings(club.pk, settings, self.director, at=self.at)
        # Past its service, which looks whether the address is one out in the world.
        Webhook.objects.create(
            club=club, url="https://example.org/", events=list(EventType), created_at=self.at
        )
        self.names = [f"Oyuncu {number} Yıldırım" for number in range(8 * tables)]

    def play(self, games: int) -> None:
        """So many games, or up to a round more."""
        for number in range(-(-games // self.tables)):
            round_ = self.lay(number)
            rows = list(Game.objects.filter(table__round=round_).select_related("table"))
            play_side_by_side(self.chance, rows, self.at)
            for row, seat in ((row, seat) for row in rows for seat in range(4)):
                confirm_result(row.pk, seat, row.revision, phone_of(row), at=self.at)
            close_round(round_.pk, self.director, at=self.at)
            sweep_ratings()
            sweep_webhooks(take_call)
            settle()

    def lay(self, number: int) -> Round:
        """The tables of a round, a new evening where the last one is over."""
        self.at += timedelta(hours=2)
        if number % ROUNDS == 0:
            plan = EventPlan(f"{number}. akşam", self.at.date(), "turkish-king", published=True)
            self.event = create_event(self.club, plan, self.director, at=self.at)
            round_ = self.event.rounds.get()
        else:
            round_ = open_round(self.event.pk, self.director, at=self.at)
        names = self.chance.sample(self.names, 4 * self.tables)
        for first in range(0, len(names), 4):
            laying = Laying(GameSetup("turkish-king", ()), names[first : first + 4])
            add_table(round_.pk, laying, self.director, at=self.at)
        return round_


def play_side_by_side(chance: Random, games: Sequence[Game], at: datetime) -> None:
    """Whole games, a deal at each table in turn."""
    deals = [draw_deals(chance) for _ in games]
    for revision, bodies in enumerate(zip(*deals, strict=True)):
        for game, body in zip(games, bodies, strict=True):
            context = WriteContext(
                new_write_key(),
                revision,
                at + timedelta(minutes=4 * revision),
                by=phone_of(game),
                phone=in_game("the one at the table", game),
            )
            record_entry(game.pk, parse_entry(body), context)
            game.revision = revision + 1


def phone_of(game: Game) -> Actor:
    """The phone of its table."""
    assert game.table is not None
    return Actor(table=game.table.public_id, address="192.0.2.7")


def take_call(_message: Message, _now: datetime) -> CallAnswer:
    """A receiver that is content."""
    return CallAnswer(200)


def measure(games: int, tables: int, times: int) -> Iterator[Figure]:
    season = Season(tables)
    # The first evening makes room that others fill, and brings the players.
    season.play(ROUNDS * tables)
    settle()
    first, before = Game.objects.count(), sizes()
    season.play(games)
    settle()
    after, played = sizes(), Game.objects.count() - first
    yield from growth(before, after, played)
    round_ = season.lay(1)
    settle()
    yield from asked(season, round_, times)


def left(before: dict[str, Size], after: dict[str, Size]) -> float:
    """Return the bytes that were added, but of calls of webhooks, which go after 30 days."""
    added = (size - before.get(table, Size()) for table, size in after.items() if table != CALLS)
    return sum(size.bytes for size in added)


def plain() -> float:
    """Return the bytes of the deals of a game as JSON."""
    bodies = list(Revision.objects.values_list("body", flat=True))
    return 20 * sum(len(json.dumps(body)) for body in bodies) / len(bodies)


def growth(before: dict[str, Size], after: dict[str, Size], games: int) -> Iterator[Figure]:
    """The growth of each table, the largest first."""
    deals = plain()
    grown = {table: (size - before.get(table, Size())).by(games) for table, size in after.items()}
    total = sum((each.bytes for each in grown.values()), 0.0)
    after_30_days = left(before, after) / games
    yield Figure("a game: everything together", total, "bytes", ALONE, deals)
    yield Figure("a game: what it leaves after 30 days", after_30_days, "bytes", ALONE, deals)
    for table, size in sorted(grown.items(), key=lambda item: -item[1].bytes):
        # The rest grows with players and evenings.
        if size.rows >= 0.5 or size.bytes >= 100:
            indexes = ", ".join(f"{index} {readable(each)}" for index, each in size.indexes.items())
            name = table.removeprefix("tournaments_")
            yield Figure(
                f"a game: {name}, {readable(size.rows)} rows", size.bytes, "bytes",
                ALONE, deals, f"rows {readable(size.heap)}; {indexes}",
            )  # fmt: skip


def asked(season: Season, round_: Round, times: int) -> Iterator[Figure]:
    """The most frequent requests, for their processor time and indexes."""
    works = hottest(season, list(Game.objects.filter(table__round=round_)))
    plans = {name: plan_of(work) for name, work in works.items()}
    taken = in_turn(works | {"SELECT 1": ask_nothing}, times)
    least = median(one.used for one in taken.pop("SELECT 1"))
    for name, each in taken.items():
        yield Figure(
            f"asked: {name}", median(one.used for one in each), "ms of CPU",
            "SELECT 1", least, str(plans[name]),
        )  # fmt: skip


def hottest(season: Season, games: Sequence[Game]) -> dict[str, Work]:
    """Make the requests that phones, followers, visitors and workers make all the time."""
    visitor, director, at = Client(), Client(), games[-1]
    director.force_login(season.user)
    done = Game.objects.filter(result__isnull=False).select_related("table__round__event").last()
    assert done is not None
    assert done.table is not None
    follow = reverse("follow", args=[done.public_id, done.secret("follow")])
    slug, event = season.club.slug, done.table.round.event
    player = Player.objects.filter(seats__game=done)[0]
    etag = visitor.get(follow, headers={"hx-request": "true"})["ETag"]
    written = deals(visitor, games, season.chance)
    return {
        "a deal written by the page": lambda: next(written),
        "a follower's poll, unchanged (304)": page(visitor, follow, 304, etag),
        "a follower's poll, changed": page(visitor, follow, 200, "W/0"),
        "the phone's page": page(
            visitor, reverse("write", args=[at.public_id, at.secret("write")])
        ),
        "an evening's page": page(director, reverse("event", args=[slug, event.public_id])),
        "a player's page": page(director, reverse("player", args=[slug, player.public_id])),
        "the club's games": page(visitor, reverse("club_games", args=[slug])),
        "the leaderboard": page(visitor, reverse("server_ratings") + "?game=turkish-king"),
        "the audit": page(director, reverse("club_changes", args=[slug])),
        "a worker's sweeps, nothing to do": sweep,
    }


def page(browser: Client, path: str, status: int = 200, etag: str = "") -> Work:
    """Asking for a page, or as a page asks by itself whether it has changed."""
    headers = {"hx-request": "true", "if-none-match": etag} if etag else {}

    def ask() -> None:
        answer = browser.get(path, headers=headers)
        if answer.status_code != status:
            raise RuntimeError(f"{path} answered {answer.status_code}")

    return ask


def deals(browser: Client, games: Sequence[Game], chance: Random) -> Iterator[None]:
    """Writing one deal after another, table by table."""
    drawn = chain.from_iterable(
        ((game, revision, body) for revision, body in enumerate(draw_deals(chance)))
        for game in games
    )
    for game, revision, body in drawn:
        path = reverse("record", args=[game.public_id, game.secret("write")])
        fields = deal_fields(body, revision, new_write_key())
        answer = browser.post(path, fields, headers={"hx-request": "true"})
        if answer.status_code != 200:
            raise RuntimeError(f"{path} answered {answer.status_code}")
        yield


def sweep() -> None:
    """Run the periodic queries of workers."""
    sweep_ratings()
    sweep_webhooks(take_call)
