"""A tournament led through its services, from the draft to the last round."""

from itertools import combinations

import pytest

from tests.club_factories import ClubFactory
from tests.deals import WHOLE_GAME
from tests.factories import EVENING, record_all
from tournaments.engine.pairing.judging import InvalidSeating
from tournaments.engine.pairing.late import ImpossibleChange
from tournaments.engine.tournament_settings import TournamentSettings
from tournaments.models import Entrant, Game, Round, Seat, Table, Tournament
from tournaments.queries.tournaments import field_of, load_course
from tournaments.services.auditing import NOBODY
from tournaments.services.clubs.events import EventPlan
from tournaments.services.tournaments.drawing import (
    Draft,
    NoRoundLeft,
    publish_round,
    put_seating,
    seat_again,
    seat_next_round,
    take_back_round,
)
from tournaments.services.tournaments.entering import register_entrants
from tournaments.services.tournaments.entering_lists import Entry
from tournaments.services.tournaments.late_changes import change_late
from tournaments.services.tournaments.leading import (
    Depended,
    TournamentPlan,
    WrongState,
    create_tournament,
    move_tournament,
)
from tournaments.services.tournaments.rounds import RoundNotReady, close_round, open_round

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
        record_all(game, entries)


SHORT = (*WHOLE_GAME[:2], {"type": "stopped", "reason": "time"})
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


def published(row):
    place = seat_next_round(row.pk, NOBODY, at=EVENING)
    return publish_round(place.pk, NOBODY, at=EVENING)


def who_sits(place):
    return {
        table.number: [sitting.entrant.number for sitting in table.sittings.order_by("side")]
        for table in place.tables.all()
    }


def test_late_change_leaves_every_other_table_and_card_as_it_was():
    row = running(*NINE)
    place = published(row)
    open_round(place.pk, NOBODY, at=EVENING)
    before, cards = who_sits(place), {t.number: t.secret for t in place.tables.all()}
    leaving = Entrant.objects.get(tournament=row, number=before[2][1])

    change_late(place.pk, NOBODY, at=EVENING, leaving=[leaving.pk])

    after = who_sits(place)
    out = ({*range(1, 10)} - {*before[1], *before[2]}).pop()
    assert after[1] == before[1]
    assert sorted(after[2]) == sorted([*({*before[2]} - {leaving.number}), out])
    assert {t.number: t.secret for t in place.tables.all()} == cards
    seated = Seat.objects.filter(game__table__round=place, game__table__number=2)
    assert {s.player.entries.get().number for s in seated} == {*after[2]}


def test_nobody_leaves_a_table_that_has_begun():
    row = running(*NINE)
    place = published(row)
    open_round(place.pk, NOBODY, at=EVENING)
    play(place, WHOLE_GAME[:1])
    sitting = place.sittings.exclude(table=None).first()

    with pytest.raises(ImpossibleChange):
        change_late(place.pk, NOBODY, at=EVENING, leaving=[sitting.entrant_id])
    assert place.sittings.count() == 9


def test_four_who_come_late_get_a_table_of_their_own():
    row = running(*NINE[:4])
    place = published(row)
    open_round(place.pk, NOBODY, at=EVENING)
    play(place, WHOLE_GAME[:1])
    late = register_entrants(row.pk, [Entry(name) for name in NINE[4:8]], NOBODY, at=EVENING)

    change_late(place.pk, NOBODY, at=EVENING, arriving=[entrant.pk for entrant in late])

    assert sorted(who_sits(place)[2]) == [5, 6, 7, 8]
    assert Game.objects.filter(table__round=place).count() == 2


def test_fixed_schedule_is_seated_for_the_whole_evening_at_once():
    names = [f"Oyuncu {n}" for n in range(1, 17)]
    row = running(*names, rounds=5, seating="fixed")

    seat_next_round(row.pk, NOBODY, at=EVENING)

    course = load_course(Tournament.objects.get(pk=row.pk))
    met = [
        frozenset(pair)
        for drawn in course.drawn
        for table in drawn.tables
        for pair in combinations(table.entrants, 2)
    ]
    assert (len(met), len(set(met))) == (120, 120)


def test_locked_table_stays_when_the_rest_is_seated_again():
    row = running(*[f"Oyuncu {n}" for n in range(1, 17)])
    place = seat_next_round(row.pk, NOBODY, at=EVENING)
    before = place.seating

    after = seat_again(place.pk, [1], NOBODY, at=EVENING).seating

    assert after["tables"][1] == before["tables"][1]
    assert after["tables"] != before["tables"]
    assert after["locked"] == [1]


def test_seating_by_hand_is_refused_where_somebody_sits_twice():
    row = running(*NINE[:8])
    place = seat_next_round(row.pk, NOBODY, at=EVENING)
    one, other = place.seating["tables"]

    with pytest.raises(InvalidSeating):
        put_seating(place.pk, Draft([one, one]), NOBODY, at=EVENING)
    turned = put_seating(place.pk, Draft([other, one]), NOBODY, at=EVENING)
    assert turned.seating["tables"] == [other, one]


def test_house_players_fill_up_only_what_is_missing():
    row = running(*NINE[:7], odd="house")
    house = [Entry(f"Ev {n}", house=True) for n in range(3)]
    register_entrants(row.pk, house, NOBODY, at=EVENING)

    place = seat_next_round(row.pk, NOBODY, at=EVENING)

    seated = [key for table in place.seating["tables"] for key in table]
    assert (sorted(seated), place.seating["byes"]) == ([f"e{n}" for n in range(1, 9)], [])


def test_pair_sits_opposite_and_plays_as_one():
    row = create_tournament(ClubFactory(), plan("euchre"), NOBODY, at=EVENING)
    pairs = [Entry("Ayşe", partner="Burak"), Entry("Cem", partner="Deniz")]
    register_entrants(row.pk, pairs, NOBODY, at=EVENING)
    for state in ("registration", "running"):
        move_tournament(row.pk, state, NOBODY, at=EVENING)

    place = published(row)

    players = Game.objects.get(table__round=place).players
    assert {frozenset(players[0::2]), frozenset(players[1::2])} == {
        frozenset({"Ayşe", "Burak"}),
        frozenset({"Cem", "Deniz"}),
    }


def test_finals_are_cut_from_the_standings_and_end_with_one_table():
    row = running(*[f"Oyuncu {n}" for n in range(1, 17)], rounds=1, finals=8)
    for _ in range(3):
        place = published(row)
        open_round(place.pk, NOBODY, at=EVENING)
        play(place, SHORT)
        close_round(place.pk, NOBODY, at=EVENING)

    stages = [(r.stage, r.tables.count()) for r in Round.objects.order_by("number")]
    assert stages == [("", 4), ("semi-final", 2), ("final", 1)]
    with pytest.raises(NoRoundLeft):
        seat_next_round(row.pk, NOBODY, at=EVENING)
    course = load_course(Tournament.objects.get(pk=row.pk))
    final = course.drawn[-1].tables[0].entrants
    assert {each.entrant for each in course.standings_before(4)[:4]} == {*final}
