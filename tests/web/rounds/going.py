from dataclasses import replace

from django.urls import reverse
from django.utils import timezone

from tests.factories import EVENING, record_all
from tests.tournament_builders import plan, published
from tournaments.engine.variants import RULESETS
from tournaments.services.audit import NOBODY
from tournaments.services.entrants.registration import Entry, register_entrants
from tournaments.services.rounds.running import open_round
from tournaments.services.tournaments.lifecycle import create_tournament, move_tournament


def going(club, tables=2, at=None, confirmations="none", **settings):
    said = plan(**settings)
    said = replace(said, event=replace(said.event, confirmations=confirmations))
    row = create_tournament(club, said, NOBODY, at=EVENING)
    rules = RULESETS[said.event.ruleset]
    names = [f"Oyuncu {n:03}" for n in range(1, rules.side_count * tables + 1)]
    pairs = rules.seats_in_a_side > 1
    entries = [Entry(name, f"{name} eşi" if pairs else "") for name in names]
    register_entrants(row.pk, entries, NOBODY, at=EVENING)
    for state in ("registration", "running"):
        move_tournament(row.pk, state, NOBODY, at=EVENING)
    return next_round(row, at)


def next_round(row, at=None):
    return open_round(published(row).pk, NOBODY, at=at or timezone.now())


def of_all(name, round_, *more):
    tournament = round_.event.tournament
    return reverse(name, args=[round_.event.club.slug, tournament.slug, *more])


def table(round_, number=1):
    return round_.tables.get(number=number)


def play_at(place, number, entries):
    record_all(table(place, number).games.get(), entries)
