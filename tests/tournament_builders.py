from tests.club_factories import ClubFactory
from tests.deals import NAMES, WHOLE_GAME
from tests.factories import EVENING, record_all
from tournaments.engine.standings.tournament_settings import TournamentSettings
from tournaments.models import Entrant, Game
from tournaments.services.audit import NOBODY
from tournaments.services.entrants.registration import Entry, register_entrants
from tournaments.services.entrants.substituting import Place, put_substitute
from tournaments.services.events.events import EventPlan
from tournaments.services.rounds import seating
from tournaments.services.rounds.changes import change_late
from tournaments.services.rounds.rulings import RulingDecision, rule
from tournaments.services.rounds.running import close_round, open_round
from tournaments.services.tournaments import lifecycle

NINE = [f"Oyuncu {n}" for n in range(1, 10)]
SIXTEEN = [f"Oyuncu {n}" for n in range(1, 17)]
SHORT = (*WHOLE_GAME[:2], {"type": "stopped", "reason": "time"})
PENALTY = RulingDecision("penalty", 50, "revoke")


def plan(ruleset="turkish-king", **settings):
    event = EventPlan(name="Moda Açık", held_on=EVENING.date(), ruleset=ruleset)
    return lifecycle.TournamentPlan(event, TournamentSettings(**settings))


def running(*names, club=None, **settings):
    row = lifecycle.create_tournament(club or ClubFactory(), plan(**settings), NOBODY, at=EVENING)
    lifecycle.move_tournament(row.pk, "registration", NOBODY, at=EVENING)
    entries = [name if isinstance(name, Entry) else Entry(name) for name in names]
    register_entrants(row.pk, entries, NOBODY, at=EVENING)
    return lifecycle.move_tournament(row.pk, "running", NOBODY, at=EVENING)


def register(row, *names, house=False):
    entries = [Entry(name, house=house) for name in names]
    return register_entrants(row.pk, entries, NOBODY, at=EVENING)


def seated(row, tables=(), byes=()):
    """Seat the next round: as drawn, or these numbers at each table and out."""
    round_ = seating.seat_next_round(row.pk, NOBODY, at=EVENING)
    if tables:
        keys = [[f"e{number}" for number in numbers] for numbers in (*tables, byes)]
        seating.put_seating(
            round_.pk, seating.SeatingDraft(keys[:-1], keys[-1], []), NOBODY, at=EVENING
        )
    return round_


def published(row, **seats):
    return seating.publish_round(seated(row, **seats).pk, NOBODY, at=EVENING)


def opened(row, **seats):
    return open_round(published(row, **seats).pk, NOBODY, at=EVENING)


def closed(row, entries=SHORT, **seats):
    round_ = opened(row, **seats)
    play(round_, entries)
    return close_round(round_.pk, NOBODY, at=EVENING)


def one_table(**settings):
    return opened(running(*NAMES, **settings))


def play(place, entries=WHOLE_GAME):
    for game in Game.objects.filter(table__round=place):
        record_all(game, entries)


def who_sits(round_):
    return {
        table.number: [sitting.entrant.number for sitting in table.sittings.order_by("side")]
        for table in round_.tables.all()
    }


def seated_at(place, number):
    return Entrant.objects.filter(sittings__table__number=number).order_by("number").first()


def change(round_, arriving=(), leaving=()):
    pks = {"arriving": [e.pk for e in arriving], "leaving": [e.pk for e in leaving]}
    return change_late(round_.pk, NOBODY, at=EVENING, **pks)


def stand_in(entrant, name, number=1):
    spot = Place(entrant.pk, number, entrant.player_id)
    return put_substitute(spot, name, NOBODY, at=EVENING)


def decide(round_, number, said):
    entrant = Entrant.objects.get(number=number)
    return rule(round_.pk, entrant.pk, said, NOBODY, at=EVENING)
