"""A tournament led through its services, from the draft to the last round."""

import pytest

from tests.club_factories import ClubFactory
from tests.factories import EVENING, WHOLE_GAME, record
from tournaments.engine.tournament_settings import TournamentSettings
from tournaments.models import Game, Round, Seat, Table, Tournament
from tournaments.services.auditing import NOBODY
from tournaments.services.drawing import publish_round, seat_next_round, take_back_round
from tournaments.services.entering import Entry, register_entrants
from tournaments.services.events import EventPlan
from tournaments.services.rounds import RoundNotReady, close_round, open_round
from tournaments.services.tournaments import (
    Depended,
    TournamentPlan,
    WrongState,
    create_tournament,
    move_tournament,
)
from tournaments.tournament_queries import field_of, load_course

pytestmark = pytest.mark.django_db


def plan(ruleset="turkish-king", **settings):
    event = EventPlan(name="Moda Açık", held_on=EVENING.date(), ruleset=ruleset)
    return TournamentPlan(event, TournamentSettings(**settings))


def running(*names, **settings):
    """A tournament that runs, with these entrants."""
    row = create_tournament(ClubFactory(), plan(**settings), NOBODY, at=EVENING)
    move_tournament(row.pk, "registration", NOBODY, at=EVENING)
    register_entrants(row.pk, [Entry(name) for name in names], NOBODY, at=EVENING)
    return move_tournament(row.pk, "running", NOBODY, at=EVENING)


def play(place, entries=WHOLE_GAME):
    for game in Game.objects.filter(table__round=place):
        for body in entries:
            record(game, body)


NINE = [f"Oyuncu {n}" for n in range(1, 10)]


def test_round_goes_from_seated_to_closed_and_standings_seat_the_next_one():
    row = running(*NINE, rounds=2)
    place = seat_next_round(row.pk, NOBODY, at=EVENING)
    assert (place.state, len(place.seating["tables"]), len(place.seating["byes"])) == (
        "seated",
        2,
        1,
    )

    publish_round(place.pk, NOBODY, at=EVENING)
    place = open_round(place.pk, NOBODY, at=EVENING)
    assert Table.objects.filter(round=place).count() == 2
    assert Seat.objects.filter(game__table__round=place).count() == 8
    with pytest.raises(RoundNotReady) as refused:
        close_round(place.pk, NOBODY, at=EVENING)
    assert [(each.number, each.why) for each in refused.value.tables] == [
        (1, "unfinished"),
        (2, "unfinished"),
    ]
    play(place)
    close_round(place.pk, NOBODY, at=EVENING)

    field = field_of(load_course(Tournament.objects.get(pk=row.pk)), 2)
    scores = sorted(int(entrant.score) for entrant in field.entrants)
    assert scores == [-330, -330, -110, -110, -100, -100, 0, 540, 540]
    assert seat_next_round(row.pk, NOBODY, at=EVENING).number == 2


def test_published_round_is_taken_back_until_a_table_has_begun():
    row = running(*NINE[:4])
    place = seat_next_round(row.pk, NOBODY, at=EVENING)
    publish_round(place.pk, NOBODY, at=EVENING)

    take_back_round(place.pk, NOBODY, at=EVENING)
    assert (Round.objects.get(pk=place.pk).state, Table.objects.count()) == ("seated", 0)

    publish_round(place.pk, NOBODY, at=EVENING)
    open_round(place.pk, NOBODY, at=EVENING)
    play(place, WHOLE_GAME[:1])
    with pytest.raises(Depended):
        take_back_round(place.pk, NOBODY, at=EVENING)


def test_tournament_moves_one_step_at_a_time():
    row = create_tournament(ClubFactory(), plan(), NOBODY, at=EVENING)

    with pytest.raises(WrongState):
        move_tournament(row.pk, "running", NOBODY, at=EVENING)
    assert Tournament.objects.get(pk=row.pk).state == "draft"
