"""Evenings of the demonstration: seasons full of them, and one that goes on."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta

from tournaments.models import Club, Event, Game, Round, Season
from tournaments.services.clubs.events import (
    EventPlan,
    close_round,
    create_event,
    open_round,
)
from tournaments.services.clubs.seasons import SeasonDates, create_season
from tournaments.services.demo.cast import Cast
from tournaments.services.demo.sheets import Pace, play_tables, seated, write_sheets
from tournaments.services.play.playing import Head
from tournaments.services.play.tables import Laying, add_table

RULESETS = ("turkish-king", "turkish-king", "rifki", "turkish-king", "turkish-king-bloody")
"""What is played in turn."""

ROUNDS = ((5,), (4, 3), (6,), (5,))
"""Tables of each round of an evening, in turn."""

BEGINS = time(19, 0)
ROUND = timedelta(hours=2)
SEASON = timedelta(days=300)


@dataclass(frozen=True)
class Stretch:
    """A season, its evenings so many days apart, until the last day on which one is held."""

    season: Season
    apart: int
    until: date


def add_seasons(cast: Cast, at: datetime) -> list[Season]:
    """Two seasons that are over, a year apart, and the one that runs; the oldest first."""
    running = (at - timedelta(days=70)).date().replace(day=1)
    starts = [running.replace(year=running.year - ago) for ago in (2, 1, 0)]
    return [_add_season(cast, start) for start in starts]


def _add_season(cast: Cast, start: date) -> Season:
    end = start + SEASON
    name = f"{start.year}" if start.year == end.year else f"{start.year}–{end.year}"
    dates = SeasonDates(name, start, end)
    return create_season(cast.club, dates, cast.owner, at=evening_of(cast, start))


def evening_of(cast: Cast, day: date) -> datetime:
    """When an evening begins on a day."""
    return datetime.combine(day, BEGINS, cast.club.created_at.tzinfo)


def hold_evenings(cast: Cast, stretch: Stretch) -> None:
    """Hold the evenings of a season, one like the other but for what is played."""
    season = stretch.season
    held = season.starts_on + timedelta(days=5)
    number = 0
    while held <= stretch.until:
        rules, tables = RULESETS[number % len(RULESETS)], ROUNDS[number % len(ROUNDS)]
        number += 1
        plan = EventPlan(f"{number}. akşam", held, rules, season=season, published=True)
        _hold_evening(cast, plan, tables)
        held += timedelta(days=stretch.apart)


def _hold_evening(cast: Cast, plan: EventPlan, rounds: Sequence[int]) -> Event:
    begins = evening_of(cast, plan.held_on)
    event = create_event(cast.club, plan, cast.director, at=begins)
    for played, tables in enumerate(rounds):
        at = begins + played * ROUND
        place = event.rounds.get() if played == 0 else open_round(event.pk, cast.director, at=at)
        lay_tables(cast, place, cast.some(4 * tables), at)
        games = Game.objects.filter(table__round=place)
        play_tables(cast, games, Pace(at, at + ROUND - timedelta(minutes=10)))
        close_round(place.pk, cast.director, at=at + ROUND)
    return event


def lay_tables(cast: Cast, place: Round, names: Sequence[str], at: datetime) -> None:
    """Lay tables of four at which the game of the evening is played."""
    head = Head(place.event.ruleset, (), options=place.event.options)
    for first in range(0, len(names), 4):
        laying = Laying(head, names[first : first + 4])
        add_table(place.pk, laying, cast.director, at=at)


def open_evening(cast: Cast, season: Season, names: Sequence[str], at: datetime) -> Event:
    """An evening that goes on: tables at different deals, and a match of Euchre."""
    begins = at - timedelta(minutes=55)
    plan = EventPlan("Antrenman akşamı", at.date(), RULESETS[0], season=season)
    plan = replace(plan, table_codes=True, confirmations="all")
    event = create_event(cast.club, plan, cast.director, at=begins)
    place = event.rounds.get()
    lay_tables(cast, place, names[:-4], begins)
    match = Laying(Head("euchre", ()), names[-4:], ("best-of", 3))
    add_table(place.pk, match, cast.director, at=begins)
    games = seated(Game.objects.filter(table__round=place))
    deals = [11, 4, *[9] * len(games)]
    write_sheets(
        cast,
        [
            (game, Pace(begins, at - timedelta(minutes=number), deals[number]))
            for number, game in enumerate(games)
        ],
    )
    return event


def players_left(club: Club, taken: Sequence[str]) -> list[str]:
    """The names of those who do not play elsewhere."""
    names = club.players.present().exclude(name__in=taken).order_by("pk")
    return list(names.values_list("name", flat=True))
