"""Evenings of the demo: full seasons, and one evening in progress."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta

from tournaments.models import Club, Event, Game, Round, Season
from tournaments.models.clubs import LeaguePoints
from tournaments.services.demo.cast import Cast
from tournaments.services.demo.sheets import Pace, play_tables, seated, write_sheets
from tournaments.services.events.events import EventPlan, close_round, create_event, open_round
from tournaments.services.events.seasons import SeasonDates, create_season
from tournaments.services.games.playing import GameSetup
from tournaments.services.games.tables import Laying, add_table

RULESETS = ("turkish-king", "turkish-king", "rifki", "turkish-king", "turkish-king-bloody")
"""Rulesets of the evenings, in turn."""

ROUNDS = ((5,), (4, 3), (6,), (5,))
"""Tables of each round of an evening, in turn."""

BEGINS = time(19, 0)
ROUND = timedelta(hours=2)
SEASON = timedelta(days=300)


@dataclass(frozen=True)
class SeasonDays:
    """A season, the days between its evenings, and the last day of play."""

    season: Season
    apart: int
    until: date


def add_seasons(cast: Cast, at: datetime) -> list[Season]:
    """Create two past seasons, a year apart, and the current one; return them oldest first."""
    running = (at - timedelta(days=70)).date().replace(day=1)
    starts = [running.replace(year=running.year - ago) for ago in (2, 1, 0)]
    return [_add_season(cast, start) for start in starts]


def _add_season(cast: Cast, start: date) -> Season:
    end = start + SEASON
    name = f"{start.year}" if start.year == end.year else f"{start.year}–{end.year}"
    # Its tournaments count different points.
    dates = SeasonDates(name, start, end, league_points=LeaguePoints.EVENING)
    return create_season(cast.club, dates, cast.owner, at=evening_of(cast, start))


def evening_of(cast: Cast, day: date) -> datetime:
    """Return the start of an evening on a day."""
    return datetime.combine(day, BEGINS, cast.club.created_at.tzinfo)


def hold_evenings(cast: Cast, stretch: SeasonDays) -> None:
    """Hold all evenings of a season, alike except for the games."""
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
        round_ = event.rounds.get() if played == 0 else open_round(event.pk, cast.director, at=at)
        lay_tables(cast, round_, cast.some(4 * tables), at)
        games = Game.objects.filter(table__round=round_)
        play_tables(cast, games, Pace(at, at + ROUND - timedelta(minutes=10)))
        close_round(round_.pk, cast.director, at=at + ROUND)
    return event


def lay_tables(cast: Cast, round_: Round, names: Sequence[str], at: datetime) -> None:
    """Add tables of four for the evening's game."""
    head = GameSetup(round_.event.ruleset, (), options=round_.event.options)
    for first in range(0, len(names), 4):
        laying = Laying(head, names[first : first + 4])
        add_table(round_.pk, laying, cast.director, at=at)


def open_evening(cast: Cast, season: Season, names: Sequence[str], at: datetime) -> Event:
    """Open an evening in progress: tables at different deals, and a match of Euchre."""
    begins = at - timedelta(minutes=55)
    plan = EventPlan("Antrenman akşamı", at.date(), RULESETS[0], season=season)
    plan = replace(plan, table_codes=True, confirmations="all")
    event = create_event(cast.club, plan, cast.director, at=begins)
    round_ = event.rounds.get()
    lay_tables(cast, round_, names[:-4], begins)
    match = Laying(GameSetup("euchre", ()), names[-4:], ("best-of", 3))
    add_table(round_.pk, match, cast.director, at=begins)
    games = seated(Game.objects.filter(table__round=round_))
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
    """Return the names of players not in `taken`."""
    names = club.players.present().exclude(name__in=taken).order_by("pk")
    return list(names.values_list("name", flat=True))
