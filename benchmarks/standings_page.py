"""The page of the standings computed, beside that of a tournament without entrants.

Asked through Django's test client, as a member who is signed in, in turn with the controls: the
whole page with nothing kept ("new"), the same again ("kept"), and what the page asks for every ten
seconds when nothing has changed ("304"); and the league of a season of 30 evenings with 40 players
each. Of PostgreSQL the computing of its server is left out.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.core.cache import caches
from django.test import Client
from django.utils import timezone

from benchmarks.figures import Figure, Taken, Work, settle, take_time, used
from tournaments.engine.play.outcomes import rank
from tournaments.engine.standings.tournament_settings import TournamentSettings, write_settings
from tournaments.models import (
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
from tournaments.models.people import fold_name, plain_name
from tournaments.services.rounds.running import keep_standings

DATABASES = ("SQLite", "PostgreSQL")
SIZES = {
    "tiny": {"players": 8, "rounds": 1, "evenings": 1, "times": 1},
    "usual": {"players": 400, "rounds": 9, "evenings": 30, "times": 9},
    "full": {"players": 1000, "rounds": 9, "evenings": 30, "times": 15},
}
AT_AN_EVENING, ROUNDS_OF_AN_EVENING = 40, 3
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
        round_ = play_round(field, event, number, entrants)
        if entrants:
            keep_standings(row, round_)


def play_round(field: Field, event: Event, number: int, entrants: Sequence[Entrant]) -> Round:
    """A round at tables of four, whose games came to something drawn."""
    at, order = field.at, list(entrants)
    field.chance.shuffle(order)
    round_ = Round.objects.create(
        event=event, number=number, published_at=at, opened_at=at, closed_at=at,
        seating={"tables": [[e.key for e in order[n : n + 4]] for n in range(0, len(order), 4)],
                 "byes": []},
    )  # fmt: skip
    tables = Table.objects.bulk_create(
        Table(round=round_, number=n + 1) for n in range(len(order) // 4)
    )
    Sitting.objects.bulk_create(
        (
            Sitting(round=round_, entrant=entrant, table=tables[n // 4], side=n % 4)
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
    return round_


def result_drawn(chance: random.Random) -> dict[str, object]:
    """A random result of a game of King."""
    totals = [10 * chance.randint(-90, 60) for _ in range(3)]
    totals.append(-sum(totals))
    return {
        "totals": totals,
        "ranks": list(rank(totals)),
        "out": [side for side, points in enumerate(totals) if points >= 0],
        "sunk": [side for side, points in enumerate(totals) if points < 0],
        "kings": [],
    }


def page(browser: Client, path: str, status: int = 200, **headers: str) -> Work:
    """Asking for a page, which must be the one that was meant."""

    def ask() -> None:
        answer = browser.get(path, headers=headers)
        if answer.status_code != status:
            raise RuntimeError(f"{path} answered {answer.status_code}")

    return ask


def unchanged(browser: Client, path: str) -> Work:
    """Asking as the page does by itself, and being told that it stands."""
    etag = browser.get(path)["ETag"]
    return page(browser, path, 304, **{"hx-request": "true", "if-none-match": etag})


def fill(players: int, rounds: int, evenings: int) -> dict[str, str]:
    """A tournament, one without anybody, and a season; their pages by name."""
    field = field_of_players(max(players, AT_AN_EVENING))
    asked = {}
    for number in (0, players):
        slug = f"of-{number}"
        play_tournament(field, slug, number, rounds)
        name = f"{number} entrants × {rounds} rounds" if number else NOBODY
        asked[name] = f"/clubs/moda/tournaments/{slug}/standings/"
    day = field.at.date()
    season = Season.objects.create(
        club=field.club, name="Kış", starts_on=day, ends_on=day, league_best=10
    )
    for n in range(evenings):
        play_tournament(field, f"evening-{n}", AT_AN_EVENING, ROUNDS_OF_AN_EVENING, season)
    asked[f"league of {evenings} evenings"] = f"/clubs/moda/seasons/{season.pk}/league/"
    settle()
    return asked


NOBODY = "the page of nobody"


def measure(players: int, rounds: int, evenings: int, times: int) -> Iterator[Figure]:
    pages = fill(players, rounds, evenings)
    browser = Client()
    browser.force_login(User.objects.get())
    for way in ("new", "kept", "304"):
        asks = {
            name: unchanged(browser, path) if way == "304" else page(browser, path)
            for name, path in pages.items()
            if way != "304" or "league" not in name
        }
        taken = ask_in_turn(asks, times, anew=way == "new")
        for name in list(taken)[1:]:
            yield used(f"{name}, {way}", taken[name], NOBODY, taken[NOBODY])


def ask_in_turn(asks: dict[str, Work], times: int, *, anew: bool) -> dict[str, list[Taken]]:
    """Each so many times; `anew` without what was kept of the time before."""
    taken: dict[str, list[Taken]] = {name: [] for name in asks}
    for number in range(WARM_UP + times):
        for name, ask in asks.items():
            if anew:
                caches["pages"].clear()
            one = take_time(ask)
            if number >= WARM_UP:
                taken[name].append(one)
    return taken
