"""A demo tournament in its third round, with typical incidents."""

from datetime import datetime, timedelta
from itertools import cycle

from tournaments.engine.documents.entries import parse_entry
from tournaments.engine.standings.tournament_settings import TournamentSettings
from tournaments.models import Game, Round, Season, Seat, Tournament
from tournaments.queries.games.sheets import load_sheet
from tournaments.services.audit import Actor
from tournaments.services.demo.cast import Cast
from tournaments.services.demo.contests import (
    KING,
    ROUND,
    Contest,
    begin_round,
    hold_round,
    singles,
    take_entries,
)
from tournaments.services.demo.sheets import Pace, seated, write_sheets
from tournaments.services.entrants.lists import Entry
from tournaments.services.entrants.registration import register_entrants, withdraw_entrant
from tournaments.services.entrants.substituting import Place, put_substitute
from tournaments.services.games.playing import correct_entry
from tournaments.services.games.writing import WriteContext
from tournaments.services.rounds.rulings import RulingDecision, call_director, rule
from tournaments.services.rounds.running import start_clock
from tournaments.services.tournaments.lifecycle import move_tournament

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
    first = third - 2 * ROUND
    tournament = _begin(cast, season, first)
    hold_round(cast, tournament, first, confirmed=2)
    _between_rounds(cast, tournament, third - ROUND - timedelta(minutes=9))
    hold_round(cast, tournament, third - ROUND, confirmed=2)
    _put_substitute(cast, tournament, third - timedelta(minutes=10))
    round_ = begin_round(cast, tournament, third)
    _play_third_round(cast, round_, at)
    _decide(cast, tournament, at)
    seats = Seat.objects.filter(game__table__round=round_)
    return list(seats.values_list("player__name", flat=True))


def _begin(cast: Cast, season: Season, at: datetime) -> Tournament:
    settings = TournamentSettings(
        rounds=5, minutes=MINUTES, finals=4, separate_clubs=True, hide_last=True
    )
    entries = singles(cast, 37)
    contest = Contest("Moda Açık", season, at, entries, KING, settings, "two")
    tournament = take_entries(cast, contest, at=at - timedelta(days=20))
    return move_tournament(
        tournament.pk, Tournament.State.RUNNING, cast.director, at=at - timedelta(minutes=15)
    )


def _between_rounds(cast: Cast, tournament: Tournament, at: datetime) -> None:
    """Register a late entrant and withdraw another."""
    late = Entry(_not_entered(tournament)[0])
    register_entrants(tournament.pk, [late], cast.director, at=at)
    leaving = tournament.entrants.get(number=5)
    withdraw_entrant(leaving.pk, cast.director, at=at)


def _not_entered(tournament: Tournament) -> list[str]:
    present = tournament.event.club.players.present()
    names = present.exclude(entries__tournament=tournament).order_by("pk")
    return list(names.values_list("name", flat=True))


def _put_substitute(cast: Cast, tournament: Tournament, at: datetime) -> None:
    """Let a substitute play the third round for an absent player."""
    entrant = tournament.entrants.get(number=9)
    place = Place(entrant.pk, 3, entrant.player_id)
    put_substitute(place, _not_entered(tournament)[-1], cast.director, at=at)


def _play_third_round(cast: Cast, round_: Round, at: datetime) -> None:
    start_clock(round_.pk, cast.director, at=at - OPENED)
    games = seated(Game.objects.filter(table__round=round_))
    write_sheets(
        cast,
        [
            (game, _pace(number, deals, at))
            for number, (game, deals) in enumerate(zip(games, cycle(DEALS), strict=False))
        ],
    )
    calling = round_.tables.get(number=CALLING + 1)
    phone = Actor(table=calling.public_id)
    call_director(calling.pk, phone, at=at - timedelta(minutes=2))
    _correct(cast, games[CORRECTED], 3, "Kâğıtlar yeniden sayıldı", at)


def _decide(cast: Cast, tournament: Tournament, at: datetime) -> None:
    """Make rulings and a correction: a penalty, an adjusted score, a corrected round 1."""
    first, second, _third = tournament.event.rounds.order_by("number")
    table = first.tables.get(number=1)
    _correct(cast, table.games.get(), 1, "Yanlış satıra yazılmış", at)
    for round_, number, said in (
        (first, 7, RulingDecision("penalty", 50, "Üçüncü kez geç geldi")),
        (second, 12, RulingDecision("adjusted", -40, "Eksik kâğıtla oynanmış")),
    ):
        entrant = tournament.entrants.get(number=number)
        rule(round_.pk, entrant.pk, said, cast.director, at=at - timedelta(minutes=20))


def _pace(number: int, deals: int | None, at: datetime) -> Pace:
    ago = SILENCE if number == SILENT else timedelta(seconds=30 + 25 * number)
    confirmed = 2 if number == CONFIRMED else 0
    return Pace(at - OPENED + timedelta(minutes=3), at - ago, deals, confirmed)


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
