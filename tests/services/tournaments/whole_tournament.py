from datetime import timedelta

from tests import factories
from tests.club_factories import ClubFactory, PlayerFactory, SeasonFactory, SubstituteFactory
from tests.deals import WHOLE_GAME
from tests.sample_games import load
from tournaments.engine.documents.entries import parse_entry
from tournaments.engine.standings.tournament_settings import TournamentSettings
from tournaments.models import Round, Table
from tournaments.services.audit import NOBODY
from tournaments.services.entrants import registration
from tournaments.services.events.events import EventPlan
from tournaments.services.games import playing
from tournaments.services.games.playing import confirm_result
from tournaments.services.people.changes import remove_player, set_initials
from tournaments.services.rounds.rulings import RulingDecision, rule, withdraw_ruling
from tournaments.services.rounds.running import close_round, open_round
from tournaments.services.rounds.seating import publish_round, seat_next_round
from tournaments.services.tournaments import lifecycle

LATER = factories.EVENING + timedelta(hours=1, microseconds=123)
STOPPED = {"type": "stopped", "reason": "agreement"}


def stopped(entries):
    return [*entries[:6], STOPPED]


GAMES = {
    "turkish-king": stopped(WHOLE_GAME),
    "house": stopped(WHOLE_GAME),
    "turkish-king-partners": stopped(load("partners-whole")["entries"]),
}
"""The entries of each table of a round, by ruleset."""

OPTIONS = {"turkish-king": {"king": "off"}}


def whole_tournament(ruleset="turkish-king"):
    """Three rounds: closed, with a table unfinished, seated; of players, or of pairs.

    With what went wrong: corrections, rulings, a substitute, who left, who is not named.
    """
    row = _entered(ruleset)
    event = row.event
    first = _round(row)
    for table in first.tables.all():
        _play(table.games.get(), GAMES[ruleset])
    _correct(first.tables.get(number=1).games.get(), GAMES[ruleset][0])
    _confirm(first.tables.get(number=1).games.get())
    _rule(first)
    close_round(first.pk, NOBODY, at=LATER)
    registration.withdraw_entrant(row.entrants.get(number=2).pk, NOBODY, at=LATER)
    row.entrants.filter(number=1).update(preferred_table=2, missed="half")
    replaced = row.entrants.get(number=3)
    SubstituteFactory(
        entrant=replaced,
        round_number=2,
        instead_of=replaced.player,
        player=PlayerFactory(club=event.club, name="Yedek Oyuncu"),
    )
    second = _round(row, clock_used=61, clock_started_at=LATER)
    Table.objects.filter(round=second, number=1).update(extra_seconds=300)
    factories.record(second.tables.get(number=1).games.get(), GAMES[ruleset][0])
    seat_next_round(row.pk, NOBODY, at=LATER)
    remove_player(row.entrants.get(number=4).player_id, NOBODY, at=LATER)
    row.refresh_from_db()
    return row


def _entered(ruleset):
    club = ClubFactory(slug="moda", name="Moda King Kulübü")
    if ruleset == "house":
        factories.HouseRulesetFactory(club=club, slug="house")
    season = SeasonFactory(club=club, league_best=3)
    event = EventPlan(
        name="Moda Açık “2026”",
        held_on=factories.EVENING.date(),
        ruleset=ruleset,
        options=OPTIONS.get(ruleset, {}),
        season=season,
        published=True,
        table_codes=True,
        confirmations="two",
    )
    settings = TournamentSettings(seating="random", points="places", minutes=75, bye="5/2")
    row = lifecycle.create_tournament(
        club, lifecycle.TournamentPlan(event, settings, seed=7), NOBODY, at=factories.EVENING
    )
    lifecycle.move_tournament(row.pk, "registration", NOBODY, at=factories.EVENING)
    registration.register_entrants(row.pk, list(_entries(ruleset)), NOBODY, at=factories.EVENING)
    registration.check_in(row.entrants.get(number=1).pk, NOBODY, at=factories.EVENING)
    set_initials(row.entrants.get(number=5).player_id, True, NOBODY, at=factories.EVENING)
    return lifecycle.move_tournament(row.pk, "running", NOBODY, at=factories.EVENING)


def _entries(ruleset):
    pairs = ruleset == "turkish-king-partners"
    for number in range(1, 8 if pairs else 12):
        partner = f"Eş Oyuncu {number}" if pairs else ""
        team = f"Takım {number % 3}" if number % 3 else ""
        yield registration.Entry(
            f"Işıl {number} Yılmaz", partner, team, "Kadıköy" if number % 2 else ""
        )
    yield registration.Entry("Ev Oyuncusu", "Evin Eşi" if pairs else "", house=True)


def _round(row, **clock):
    round_ = seat_next_round(row.pk, NOBODY, at=factories.EVENING)
    publish_round(round_.pk, NOBODY, at=factories.EVENING)
    round_ = open_round(round_.pk, NOBODY, at=LATER)
    Round.objects.filter(pk=round_.pk).update(**clock or {"clock_used": 0})
    round_.refresh_from_db()
    return round_


def _play(game, entries):
    factories.record_all(game, entries)
    _confirm(game)


def _confirm(game):
    game.refresh_from_db()
    for seat in (0, 2):
        confirm_result(game.pk, seat, game.revision, NOBODY, at=LATER)


def _correct(game, body):
    """A correction and back, a fine and its withdrawal, another title."""
    changed = {**body, "counts": {"heart_king": body["counts"]["heart_king"][::-1]}}
    for said in (changed, body):
        playing.correct_entry(game.pk, 0, parse_entry(said), "yanlış yazıldı", _pen(game))
    fine = {"type": "adjustment", "seat": 2, "points": "-9/2", "reason": "bekletti"}
    factories.record(game, fine)
    game.refresh_from_db()
    position = max(write.position for write in game.revisions.all() if write.position is not None)
    playing.withdraw_entry(game.pk, position, "vazgeçildi", _pen(game))
    game.refresh_from_db()
    head = factories.SetupFactory(
        ruleset=game.ruleset,
        players=game.players,
        first_declarer=game.first_declarer,
        options=game.options,
        title=f"{game.title} – 1",
        place="Üst kat",
    )
    playing.change_head(game.pk, head, _pen(game))


def _pen(game):
    game.refresh_from_db()
    return factories.ContextFactory(revision=game.revision, author=game.players[0], at=LATER)


def _rule(round_):
    entrants = [sitting.entrant for sitting in round_.sittings.exclude(table=None)]
    rule(round_.pk, entrants[0].pk, RulingDecision("penalty", "3/2", "geç geldi"), NOBODY, at=LATER)
    taken_back = RulingDecision("adjusted", 4, "yanlış masa")
    ruling = rule(round_.pk, entrants[1].pk, taken_back, NOBODY, at=LATER)
    withdraw_ruling(ruling.pk, NOBODY, at=LATER)
    rule(round_.pk, entrants[2].pk, RulingDecision("forfeit", -20, "gitti"), NOBODY, at=LATER)
    rule(round_.pk, entrants[3].pk, RulingDecision("bye", 0, "yarım kaldı"), NOBODY, at=LATER)
