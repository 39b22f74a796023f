from itertools import combinations

import pytest

from tests.club_factories import MemberFactory
from tests.factories import EVENING
from tests.tournament_builders import NINE, SIXTEEN, closed, opened, running, seated
from tournaments.models import AuditEntry, Entrant, Game, RatingDue, Round, Ruling, Tournament
from tournaments.queries.games.sheets import load_sheet
from tournaments.queries.tournaments.state import load_state
from tournaments.services.audit import NOBODY, Actor
from tournaments.services.entrants.registration import Entry, register_entrants, withdraw_entrant
from tournaments.services.games.playing import withdraw_entry
from tournaments.services.games.writing import WriteContext
from tournaments.services.rounds.late_changes import change_late
from tournaments.services.rounds.proposals import (
    RoundsLeft,
    StageUnfinished,
    TooFewLeft,
    TooFewThrough,
)
from tournaments.services.rounds.rounds import reopen_round
from tournaments.services.rounds.rulings import RulingDecision, rule, withdraw_ruling
from tournaments.services.rounds.seating import (
    SeatingDraft,
    publish_round,
    put_seating,
    seat_again,
)
from tournaments.services.rounds.taking_back import RuledAbout, take_back_round

pytestmark = pytest.mark.django_db

TWELVE = [f"Oyuncu {n}" for n in range(1, 13)]


def again(round_, *locked):
    return seat_again(round_.pk, locked, NOBODY, at=EVENING).seating


def withdrawn(row, number):
    entrant = Entrant.objects.get(tournament=row, number=number)
    return withdraw_entrant(entrant.pk, NOBODY, at=EVENING)


@pytest.mark.parametrize("seating", ["swiss", "random", "fixed", "rank-near", "manual"])
def test_who_comes_late_is_seated_in_the_first_round_there(seating):
    row = running(*TWELVE[:6], rounds=5, seating=seating)
    for _round in range(2):
        closed(row)
    register_entrants(row.pk, [Entry("Geç Kalan")], NOBODY, at=EVENING)
    round_ = seated(row)
    if seating == "fixed":
        again(round_)
        round_.refresh_from_db()

    assert "e7" not in round_.seating["byes"]
    assert len(round_.seating["byes"]) == 3


def test_final_seated_again_is_for_the_same_four_and_for_who_steps_in():
    row = running(*TWELVE, rounds=1, finals=4)
    closed(row)
    round_ = seated(row)
    four = round_.seating["tables"]

    assert again(round_, 0)["tables"] == four
    gone = int(four[0][1][1:])
    withdrawn(row, gone)
    now = again(round_)

    assert (len(now["tables"]), now["byes"]) == (1, [])
    assert len({*four[0]} & {*now["tables"][0]}) == 3
    assert f"e{gone}" not in now["tables"][0]
    assert Round.objects.get(pk=round_.pk).stage == "final"


def test_finals_that_too_few_are_left_for_are_not_seated():
    row = running(*NINE[:6], rounds=1, finals=8)
    closed(row)

    with pytest.raises(TooFewLeft):
        seated(row)
    assert Round.objects.count() == 1


def test_final_is_not_seated_with_too_few_of_those_who_went_through():
    row = running(*NINE[:8], rounds=1, finals=8)
    closed(row)
    closed(row)
    for number in range(1, 6):
        withdrawn(row, number)

    with pytest.raises(TooFewThrough):
        seated(row)


def test_final_waits_for_a_table_that_a_correction_has_left_unfinished():
    row = running(*NINE[:8], rounds=1, finals=8)
    closed(row)
    semi = closed(row)
    game = Game.objects.filter(table__round=semi).first()
    last = load_sheet(game).positions[-1]
    director = Actor(MemberFactory(club=row.event.club, role="director").user)
    context = WriteContext("director1", game.revision, EVENING, by=director)
    withdraw_entry(game.pk, last, "Yanlış", context)

    with pytest.raises(StageUnfinished):
        seated(row)


def test_whole_evening_seated_again_still_has_nobody_meet_twice():
    row = running(*SIXTEEN, rounds=5, seating="fixed")
    closed(row)

    again(Round.objects.get(number=2))

    drawn = load_state(Tournament.objects.get(pk=row.pk)).seated_rounds
    met = [
        frozenset(pair)
        for each in drawn
        for table in each.tables
        for pair in combinations(table.entrants, 2)
    ]
    assert (len(met), len({*met})) == (120, 120)


def test_whole_evening_with_a_locked_table_changes_this_round_alone():
    row = running(*SIXTEEN, rounds=5, seating="fixed")
    first = seated(row)
    table, later = first.seating["tables"][2], Round.objects.get(number=2).seating

    assert again(first, 2)["tables"][2] == table
    assert Round.objects.get(number=2).seating == later


def test_locked_table_stays_where_the_director_seats_by_hand():
    row = running(*SIXTEEN, seating="manual")
    round_ = seated(row)
    spread = [[f"e{n + 4 * k}" for k in range(4)] for n in range(1, 5)]
    put_seating(round_.pk, SeatingDraft(spread), NOBODY, at=EVENING)

    after = again(round_, 2)

    assert (after["tables"][2], after["locked"]) == (["e3", "e7", "e11", "e15"], [2])
    assert after["tables"][0] == ["e1", "e2", "e4", "e5"]


def test_round_opened_again_is_rated_again_and_its_proposal_goes():
    row = running(*SIXTEEN, rounds=3)
    first = closed(row)
    round_ = seated(row)
    RatingDue.objects.all().delete()

    reopen_round(first.pk, NOBODY, at=EVENING)

    assert RatingDue.objects.get().club == row.event.club
    assert not Round.objects.filter(pk=round_.pk).exists()
    line = AuditEntry.objects.get(action="unseat-round")
    assert line.before == {"round": 2}
    with pytest.raises(RoundsLeft):
        seated(row)


def test_schedule_of_the_evening_stays_when_a_round_is_opened_again():
    row = running(*SIXTEEN, rounds=3, seating="fixed")
    reopen_round(closed(row).pk, NOBODY, at=EVENING)

    assert Round.objects.count() == 3
    round_ = publish_round(Round.objects.get(number=2).pk, NOBODY, at=EVENING)
    assert round_.state == "published"


def test_seating_by_the_standings_waits_for_every_round_before_it():
    row = running(*NINE[:8], seating="random")
    opened(row)
    round_ = seated(row)
    Tournament.objects.filter(pk=row.pk).update(settings={"seating": "swiss"})

    with pytest.raises(RoundsLeft):
        publish_round(round_.pk, NOBODY, at=EVENING)
    assert Round.objects.get(pk=round_.pk).state == "seated"


def test_round_taken_back_is_seated_as_it_stood_after_a_late_change():
    row = running(*NINE[:8])
    round_ = opened(row)
    late = register_entrants(row.pk, [Entry("Zeynep")], NOBODY, at=EVENING)[0]
    leaving = withdrawn(row, 5)
    change_late(round_.pk, NOBODY, at=EVENING, leaving=[leaving.pk], arriving=[late.pk])
    stood = load_state(Tournament.objects.get(pk=row.pk)).seated_rounds[0]

    round_ = take_back_round(round_.pk, NOBODY, at=EVENING)

    assert round_.seating["tables"] == [list(table.entrants) for table in stood.tables]
    assert late.key in str(round_.seating)
    assert publish_round(round_.pk, NOBODY, at=EVENING).state == "published"


def test_round_is_taken_back_once_its_ruling_is_withdrawn():
    row = running(*NINE[:8])
    round_ = opened(row)
    decision = RulingDecision("penalty", 10, "Geç kaldı")
    ruling = rule(round_.pk, row.entrants.first().pk, decision, NOBODY, at=EVENING)

    with pytest.raises(RuledAbout):
        take_back_round(round_.pk, NOBODY, at=EVENING)
    withdraw_ruling(ruling.pk, NOBODY, at=EVENING)

    assert take_back_round(round_.pk, NOBODY, at=EVENING).state == "seated"
    assert not Ruling.objects.exists()
