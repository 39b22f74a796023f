"""The sample club with its tournaments."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import cycle
from random import Random

from django.db import transaction

from tournaments.engine.documents.entries import parse_entry
from tournaments.engine.documents.ruleset_records import write_ruleset
from tournaments.engine.standings.tournament_settings import TournamentSettings
from tournaments.engine.variants import RULESETS
from tournaments.models import Club, Game, Round, Season, Seat, Tournament, User
from tournaments.queries.sheets import load_sheet
from tournaments.services.audit import Actor
from tournaments.services.demo.evenings import (
    ACCOUNTS,
    SLUG,
    VISITING_CLUBS,
    Cast,
    Pace,
    add_seasons,
    evening_of,
    found_club,
    hold_evenings,
    open_evening,
    play_tables,
    players_left,
    seated,
    write_sheets,
)
from tournaments.services.entrants.registration import Entry, register_entrants, withdraw_entrant
from tournaments.services.entrants.substituting import Place, put_substitute
from tournaments.services.events.events import EventPlan
from tournaments.services.games.playing import correct_entry
from tournaments.services.games.writing import WriteContext
from tournaments.services.ratings.computing import sweep_ratings
from tournaments.services.rounds.rulings import RulingDecision, call_director, rule
from tournaments.services.rounds.running import close_round, open_round, start_clock
from tournaments.services.rounds.seating import publish_round, seat_next_round
from tournaments.services.rulesets import create_rules
from tournaments.services.tournaments.lifecycle import (
    TournamentPlan,
    create_tournament,
    move_tournament,
)

State = Tournament.State

ROUND = timedelta(minutes=100)
"""Time between the starts of two rounds."""

KING = "turkish-king"
EUCHRE = "euchre"


@dataclass(frozen=True, slots=True)
class Contest:
    """A tournament: name, season, start, and entrants."""

    name: str
    season: Season
    begins: datetime
    entries: Sequence[Entry] = ()
    ruleset: str = KING
    settings: TournamentSettings = field(default_factory=TournamentSettings)
    confirmations: str = "none"
    starts_at: str = ""
    venue: str = ""


def announce(cast: Cast, contest: Contest, *, at: datetime) -> Tournament:
    event = EventPlan(
        contest.name,
        contest.begins.date(),
        contest.ruleset,
        season=contest.season,
        published=True,
        confirmations=contest.confirmations,
        starts_at=contest.starts_at,
        venue=contest.venue,
    )
    plan = TournamentPlan(event, contest.settings, seed=cast.chance.randrange(2**31))
    return create_tournament(cast.club, plan, cast.director, at=at)


def take_entries(cast: Cast, contest: Contest, *, at: datetime) -> Tournament:
    """Create a tournament and register its entrants."""
    tournament = announce(cast, contest, at=at)
    move_tournament(tournament.pk, State.REGISTRATION, cast.director, at=at)
    register_entrants(tournament.pk, contest.entries, cast.director, at=at)
    return tournament


def hold_contest(cast: Cast, contest: Contest) -> Tournament:
    """Run a tournament from draft to finished."""
    at = contest.begins
    tournament = take_entries(cast, contest, at=at - timedelta(days=21))
    move_tournament(tournament.pk, State.RUNNING, cast.director, at=at)
    for number in range(contest.settings.rounds):
        hold_round(cast, tournament, at + number * ROUND)
    end = at + contest.settings.rounds * ROUND
    return move_tournament(tournament.pk, State.FINISHED, cast.director, at=end)


def hold_round(cast: Cast, tournament: Tournament, at: datetime, *, confirmed: int = 0) -> Round:
    """Run a round from seating to closing."""
    round_ = begin_round(cast, tournament, at)
    games = Game.objects.filter(table__round=round_)
    begins, ends = at + timedelta(minutes=5), at + ROUND - timedelta(minutes=15)
    play_tables(cast, games, Pace(begins, ends, confirmed=confirmed))
    return close_round(round_.pk, cast.director, at=at + ROUND - timedelta(minutes=10))


def begin_round(cast: Cast, tournament: Tournament, at: datetime) -> Round:
    """Seat, publish and open the next round."""
    round_ = seat_next_round(tournament.pk, cast.director, at=at - timedelta(minutes=8))
    publish_round(round_.pk, cast.director, at=at - timedelta(minutes=5))
    return open_round(round_.pk, cast.director, at=at)


def singles(cast: Cast, number: int) -> list[Entry]:
    """Return `number` players, some of them from other clubs."""
    names, chance = cast.some(number), cast.chance
    return [
        Entry(name, represents=chance.choice(VISITING_CLUBS) if chance.random() < 0.3 else "")
        for name in names
    ]


def pairs(cast: Cast, number: int) -> list[Entry]:
    """Return `number` pairs."""
    names = cast.some(2 * number)
    return [Entry(*two) for two in zip(names[::2], names[1::2], strict=True)]


CONFIRMED, FINISHED, CALLING, SILENT, CORRECTED = range(5)
"""Tables of the third round that show something, by index."""

DEALS = (None, None, 13, 9, 15, 11, 17, 12, 14)
"""Deals played at each table of the third round; None: to the end."""

MINUTES = 90
OPENED = timedelta(minutes=80)
"""Time since the third round was opened."""

SILENCE = timedelta(minutes=15)


def play_to_third_round(cast: Cast, season: Season, at: datetime) -> list[str]:
    """Play a tournament into its third round, as of `at`; return the names of its players."""
    third = at - OPENED
    first, second = third - 2 * ROUND, third - ROUND
    settings = TournamentSettings(
        rounds=5, minutes=MINUTES, finals=4, separate_clubs=True, hide_last=True
    )
    contest = Contest("Moda Açık", season, first, singles(cast, 37), KING, settings, "two")
    tournament = take_entries(cast, contest, at=first - timedelta(days=20))
    tournament = move_tournament(
        tournament.pk, State.RUNNING, cast.director, at=first - timedelta(minutes=15)
    )
    hold_round(cast, tournament, first, confirmed=2)
    # Between the rounds somebody comes late, and somebody leaves.
    late, between = Entry(_not_entered(tournament)[0]), second - timedelta(minutes=9)
    register_entrants(tournament.pk, [late], cast.director, at=between)
    withdraw_entrant(tournament.entrants.get(number=5).pk, cast.director, at=between)
    hold_round(cast, tournament, second, confirmed=2)
    entrant = tournament.entrants.get(number=9)
    place, substitute = Place(entrant.pk, 3, entrant.player_id), _not_entered(tournament)[-1]
    put_substitute(place, substitute, cast.director, at=third - timedelta(minutes=10))
    round_ = begin_round(cast, tournament, third)
    start_clock(round_.pk, cast.director, at=third)
    games = seated(Game.objects.filter(table__round=round_))
    played = []
    for number, (game, deals) in enumerate(zip(games, cycle(DEALS), strict=False)):
        ago = SILENCE if number == SILENT else timedelta(seconds=30 + 25 * number)
        confirmed = 2 if number == CONFIRMED else 0
        played.append((game, Pace(third + timedelta(minutes=3), at - ago, deals, confirmed)))
    write_sheets(cast, played)
    calling = round_.tables.get(number=CALLING + 1)
    phone = Actor(table=calling.public_id)
    call_director(calling.pk, phone, at=at - timedelta(minutes=2))
    _correct(cast, games[CORRECTED], 3, "Kâğıtlar yeniden sayıldı", at)
    _decide(cast, tournament, at)
    seats = Seat.objects.filter(game__table__round=round_)
    return list(seats.values_list("player__name", flat=True))


def _not_entered(tournament: Tournament) -> list[str]:
    present = tournament.event.club.players.present()
    names = present.exclude(entries__tournament=tournament).order_by("pk")
    return list(names.values_list("name", flat=True))


def _decide(cast: Cast, tournament: Tournament, at: datetime) -> None:
    """Make rulings and a correction: a penalty, an adjusted score, a corrected round 1."""
    first, second, _third = tournament.event.rounds.order_by("number")
    table = first.tables.get(number=1)
    _correct(cast, table.games.get(), 1, "Yanlış satıra yazılmış", at)
    for round_, number, decision in (
        (first, 7, RulingDecision("penalty", 50, "Üçüncü kez geç geldi")),
        (second, 12, RulingDecision("adjusted", -40, "Eksik kâğıtla oynanmış")),
    ):
        entrant = tournament.entrants.get(number=number)
        rule(round_.pk, entrant.pk, decision, cast.director, at=at - timedelta(minutes=20))


def _correct(cast: Cast, game: Game, position: int, reason: str, at: datetime) -> None:
    """Rotate the counts of an entry by one seat, as if it had been typed into the wrong columns."""
    sheet = load_sheet(game)
    while "counts" not in (sheet.body(position) or {}):
        position += 1
    body = dict(sheet.body(position) or {})
    body["counts"] = {unit: [*n[1:], n[0]] for unit, n in body["counts"].items()}
    context = WriteContext(
        "demo-correction", game.revision, at - timedelta(minutes=1), by=cast.director
    )
    correct_entry(game.pk, position, parse_entry(body), reason, context)


YEARS = timedelta(days=3 * 365)


class DemoThere(Exception):
    """A club or account already has a name of the demo."""


def seed_demo(*, password: str, seed: int, at: datetime) -> Club:
    """Create the demo club as of `at`; one seed gives the same games.

    Raises: DemoThere: the demo exists, or its names are taken; nothing is written.
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
        hold_evenings(cast, running, apart=14, until=yesterday)
        _fill_running_season(cast, running, at)
        document = write_ruleset(RULESETS[KING]) | {"name": f"{SLUG.title()} usulü"}
        create_rules(document, cast.owner, at=at, club=cast.club)
        # The first visitor sees ratings even without a worker.
        sweep_ratings()
    return cast.club


def _fill_season(cast: Cast, season: Season) -> None:
    hold_evenings(cast, season, apart=50, until=season.ends_on)
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
