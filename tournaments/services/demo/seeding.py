"""The complete demo: a club, its seasons, and what is going on now."""

from datetime import datetime, timedelta
from random import Random

from django.db import transaction

from tournaments.engine.documents.ruleset_records import write_ruleset
from tournaments.engine.standings.tournament_settings import TournamentSettings
from tournaments.engine.variants import RULESETS
from tournaments.models import Club, Season, User
from tournaments.services.demo.cast import ACCOUNTS, SLUG, Cast, found_club
from tournaments.services.demo.contests import (
    EUCHRE,
    KING,
    Contest,
    announce,
    hold_contest,
    pairs,
    singles,
    take_entries,
)
from tournaments.services.demo.evenings import (
    SeasonDays,
    add_seasons,
    evening_of,
    hold_evenings,
    open_evening,
    players_left,
)
from tournaments.services.demo.third_round import play_to_third_round
from tournaments.services.ratings.computing import sweep_ratings
from tournaments.services.rulesets import create_rules

YEARS = timedelta(days=3 * 365)


class DemoThere(Exception):
    """A club or account already has a name of the demo."""


def seed_demo(*, password: str, seed: int, at: datetime) -> Club:
    """Create the demo club as of `at`; one seed gives the same games.

    Raises:
        DemoThere: the demo exists, or its names are taken; nothing is written.
    """
    with transaction.atomic():
        if Club.objects.filter(slug=SLUG).exists():
            raise DemoThere
        if User.objects.filter(email__in=ACCOUNTS).exists():
            raise DemoThere
        # Its games need no secure randomness.
        cast = found_club(Random(seed), password, at=at - YEARS)  # noqa: S311
        *over, running = add_seasons(cast, at)
        for season in over:
            _fill_season(cast, season)
        yesterday = (at - timedelta(days=1)).date()
        hold_evenings(cast, SeasonDays(running, 14, yesterday))
        _fill_running_season(cast, running, at)
        document = write_ruleset(RULESETS[KING]) | {"name": f"{SLUG.title()} usulü"}
        create_rules(document, cast.owner, at=at, club=cast.club)
        # The first visitor sees ratings even without a worker.
        sweep_ratings()
    return cast.club


def _fill_season(cast: Cast, season: Season) -> None:
    """Fill a past season: evenings, and tournaments for players and for pairs."""
    hold_evenings(cast, SeasonDays(season, 50, season.ends_on))
    starts = evening_of(cast, season.starts_on) - timedelta(hours=6)
    winter, spring = starts + timedelta(days=120), starts + timedelta(days=270)
    cup = TournamentSettings(rounds=4, seating="rank-spread", points="places")
    hold_contest(cast, Contest(f"Kış Kupası {season.name}", season, winter, singles(cast, 32)))
    hold_contest(
        cast, Contest(f"Sezon Finali {season.name}", season, spring, singles(cast, 24), KING, cup)
    )
    two = TournamentSettings(rounds=4, points="pair-difference")
    begins = winter + timedelta(days=60)
    hold_contest(
        cast, Contest(f"Eşli Euchre {season.name}", season, begins, pairs(cast, 12), EUCHRE, two)
    )


def _fill_running_season(cast: Cast, season: Season, at: datetime) -> None:
    opening = evening_of(cast, season.starts_on + timedelta(days=20)) - timedelta(hours=6)
    hold_contest(cast, Contest("Açılış Turnuvası", season, opening, singles(cast, 28)))
    taken = play_to_third_round(cast, season, at)
    open_evening(cast, season, players_left(cast.club, taken)[:12], at)
    soon, later = at + timedelta(days=9), at + timedelta(days=60)
    entries = singles(cast, 18)
    checked = TournamentSettings(rounds=4, check_in="once", minutes=90, open_registration=True)
    where = {"starts_at": "13:00", "venue": "Moda Çay Evi"}
    contest = Contest("Yeni Yıl Turnuvası", season, soon, entries, KING, checked, **where)
    take_entries(cast, contest, at=at - timedelta(days=3))
    final = TournamentSettings(rounds=3, seating="rank-near", finals=8)
    draft = Contest("Sezon Sonu Turnuvası", season, later, (), KING, final, "all")
    announce(cast, draft, at=at - timedelta(days=1))
