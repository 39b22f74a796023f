"""The pages of whoever directs a large tournament, beside those of one with a single table.

Asked through Django's test client, in one process, in turn. Before each page of the round a deal is
written at one of its tables, untimed, so that it is never the page of before.
"""

from collections.abc import Iterator, Sequence
from itertools import count

from django.test import Client
from django.urls import reverse
from django.utils import timezone

from benchmarks.figures import Figure, Work, settle, take_time, used
from tests.deals import WHOLE_GAME
from tests.factories import ContextFactory
from tournaments.engine.documents.entries import parse_entry
from tournaments.engine.standings.tournament_settings import TournamentSettings
from tournaments.models import Game, Round, Tournament, User
from tournaments.services.audit import Actor
from tournaments.services.clubs.membership import create_club
from tournaments.services.entrants.registration import Entry, register_entrants
from tournaments.services.events.events import EventPlan
from tournaments.services.games.playing import record_entries
from tournaments.services.rounds.running import open_round
from tournaments.services.rounds.seating import publish_round, seat_next_round
from tournaments.services.tournaments.lifecycle import (
    TournamentPlan,
    create_tournament,
    move_tournament,
)

DATABASES = ("SQLite", "PostgreSQL")
SIZES = {
    "tiny": {"tables": 2, "times": 1},
    "usual": {"tables": 250, "times": 15},
    "full": {"tables": 250, "times": 40},
}
AT_A_TABLE = 4
DEALS = 5
"""Written at each table before anything is measured."""
WARM_UP = 3


def lay(name: str, tables: int, deals: int = DEALS) -> Round:
    """A tournament of a club of its own, with a director and its first round under way."""
    at = timezone.now()
    director = Actor(User.objects.create(username=name))
    club = create_club(name, director, at=at)
    plan = EventPlan("Moda Açık", at.date(), "turkish-king", published=True)
    settings = TournamentSettings(rounds=4)
    row = create_tournament(club, TournamentPlan(plan, settings), director, at=at)
    move_tournament(row.pk, Tournament.State.REGISTRATION, director, at=at)
    entries = [Entry(f"Oyuncu {n} Yıldırım") for n in range(AT_A_TABLE * tables)]
    register_entrants(row.pk, entries, director, at=at)
    move_tournament(row.pk, Tournament.State.RUNNING, director, at=at)
    round_ = seat_next_round(row.pk, director, at=at)
    publish_round(round_.pk, director, at=at)
    round_ = open_round(round_.pk, director, at=at)
    for game in Game.objects.filter(table__round=round_) if deals else ():
        write(game, WHOLE_GAME[:deals])
    return round_


def write(game: Game, bodies: Sequence[object]) -> None:
    """Write entries just now, so that no table seems to be silent."""
    context = ContextFactory(revision=game.revision, at=timezone.now())
    record_entries(game.pk, map(parse_entry, bodies), context)


def asking(round_: Round, name: str) -> tuple[Work, Work]:
    """Ask for the page of the round, and for the list of entrants, as the director."""
    browser, row = Client(), round_.event.tournament
    browser.force_login(User.objects.get(username=name))
    words = [round_.event.club.slug, row.slug]

    def page(path: str) -> Work:
        def ask() -> None:
            answer = browser.get(path)
            if answer.status_code != 200:
                raise RuntimeError(f"{path} answered {answer.status_code}")

        return ask

    return page(reverse("running", args=[*words, round_.number])), page(
        reverse("entrants", args=words)
    )


def write_deal(round_: Round, number: int) -> None:
    """Write a deal at one table after the other, as long as its game goes on."""
    games = Game.objects.filter(table__round=round_, result__isnull=True).order_by("pk")
    game = games[number % games.count()]
    write(game, WHOLE_GAME[game.revision : game.revision + 1])


def measure(tables: int, times: int) -> Iterator[Figure]:
    large, small = lay("large", tables), lay("small", 1)
    settle()
    (round_page, entrants), (small_round, few) = asking(large, "large"), asking(small, "small")
    works = {"round": round_page, "small round": small_round, "list": entrants, "few": few}
    taken = {name: [] for name in works}
    numbers = count()
    for turn in range(WARM_UP + times):
        write_deal(large, next(numbers))
        for name, work in works.items():
            one = take_time(work)
            if turn >= WARM_UP:
                taken[name].append(one)
    what = f"director's page with {tables} tables"
    yield used(what, taken["round"], "the page of one table", taken["small round"])
    what = f"a new list of {AT_A_TABLE * tables:,} entrants"
    yield used(what, taken["list"], "the list of four", taken["few"])
