from fractions import Fraction

import pytest

from tests.deals import WHOLE_GAME
from tests.factories import EVENING, record
from tests.tournament_builders import (
    NINE,
    change,
    closed,
    published,
    register,
    running,
    seated_at,
    stand_in,
    who_sits,
)
from tournaments.engine.documents.tournaments import read_tournament, standings_after
from tournaments.models import Entrant, Game, Seat, Tournament
from tournaments.queries.tournaments.state import load_state
from tournaments.reports.tournament_document import tournament_document
from tournaments.services.audit import NOBODY
from tournaments.services.entrants.registration import withdraw_entrant
from tournaments.services.entrants.substituting import TakesPart
from tournaments.services.rounds.late_changes import who_can_come
from tournaments.services.rounds.rounds import open_round
from tournaments.services.rounds.seating import seat_again
from tournaments.services.rounds.taking_back import take_back_round
from tournaments.services.tournaments.lifecycle import WrongState

pytestmark = pytest.mark.django_db


def offered(row, round_):
    course = load_state(Tournament.objects.get(pk=row.pk))
    drawn = next(each for each in course.seated_rounds if each.row.pk == round_.pk)
    return [entrant.number for entrant in who_can_come(course, drawn)]


def house_at_tables(place):
    sitting = place.sittings.filter(entrant__house=True, table__isnull=False)
    return [each.entrant.number for each in sitting]


def sits_twice():
    pks = [*Seat.objects.values_list("player_id", flat=True)]
    return len(pks) != len(set(pks))


def test_who_stands_in_for_another_at_a_table_does_not_come_as_well():
    row = running(*NINE[:8])
    round_ = published(row)
    late = register(row, "Geç", "Kalan", "Üç", "Dört")
    stand_in(seated_at(round_, 1), "Geç")

    with pytest.raises(TakesPart) as refused:
        change(round_, arriving=late)
    assert refused.value.params == {"name": "Geç"}
    assert (offered(row, round_), round_.tables.count()) == ([10, 11, 12], 2)


def test_substitute_comes_as_an_entrant_when_the_other_leaves():
    row = running(*NINE[:8])
    round_ = published(row)
    (late,) = register(row, "Geç")
    absent = seated_at(round_, 1)
    stand_in(absent, "Geç")

    change(round_, arriving=[late], leaving=[absent])

    assert round_.sittings.filter(entrant=late, table__isnull=False).exists()
    assert not sits_twice()


def test_who_would_be_replaced_by_somebody_who_sits_does_not_come():
    row = running(*NINE[:8])
    round_ = published(row)
    (late,) = register(row, "Geç")
    late.substitutes.create(
        round_number=1, instead_of=late.player, player=seated_at(round_, 1).player
    )

    with pytest.raises(TakesPart):
        change(round_, arriving=[late], leaving=[seated_at(round_, 2)])


def test_who_sits_out_and_stands_in_for_another_is_not_seated_beside_them():
    row = running(*NINE)
    round_ = published(row)
    out = Entrant.objects.get(sittings__table=None)
    stand_in(seated_at(round_, 1), out.player.name)

    change(round_, leaving=[seated_at(round_, 2)])

    assert (round_.tables.count(), sits_twice()) == (1, False)
    assert round_.sittings.filter(table=None, entrant=out).exists()


def test_who_has_withdrawn_does_not_come():
    row = running(*NINE[:4])
    round_ = published(row)
    late = register(row, "A", "B", "C", "D")
    withdraw_entrant(late[0].pk, NOBODY, at=EVENING)

    with pytest.raises(WrongState):
        change(round_, arriving=late)
    assert offered(row, round_) == [6, 7, 8]


def test_house_players_need_nothing_but_the_setting():
    row = running(*NINE[:7], odd="house")
    round_ = published(row)
    assert len(house_at_tables(round_)) == 1
    leaving = seated_at(round_, 1)

    change(round_, leaving=[leaving])

    house = Entrant.objects.filter(house=True)
    assert sorted(house_at_tables(round_)) == [each.number for each in house] == [8, 9]
    take_back_round(round_.pk, NOBODY, at=EVENING)
    for each in house:
        withdraw_entrant(each.pk, NOBODY, at=EVENING)
    again = seat_again(round_.pk, (), NOBODY, at=EVENING).seating
    assert (Entrant.objects.count(), len(again["tables"]), len(again["byes"])) == (9, 1, 2)


def test_free_house_player_takes_the_seat_of_who_leaves():
    row = running(*NINE[:8], odd="house")
    house = register(row, "Ev 1", "Ev 2", house=True)
    round_ = published(row)
    before = who_sits(round_)
    leaving = seated_at(round_, 1)

    change(round_, leaving=[leaving])

    after = who_sits(round_)
    assert after[2] == before[2]
    assert sorted(after[1]) == sorted([*({*before[1]} - {leaving.number}), house[0].number])
    assert Entrant.objects.get(pk=house[0].pk).joins_in == 1


def test_house_player_leaves_for_somebody_who_comes():
    row = running(*NINE[:7], odd="house")
    register(row, "Ev", house=True)
    round_ = published(row)
    (late,) = register(row, "Geç")

    change(round_, arriving=[late])

    assert house_at_tables(round_) == []
    assert sorted(number for table in who_sits(round_).values() for number in table) == [
        *range(1, 8),
        late.number,
    ]


def test_house_player_stays_at_a_table_that_has_begun():
    row = running(*NINE[:7], odd="house")
    (house,) = register(row, "Ev", house=True)
    round_ = published(row)
    open_round(round_.pk, NOBODY, at=EVENING)
    record(Game.objects.get(table__sittings__entrant=house), WHOLE_GAME[0])
    (late,) = register(row, "Geç")

    change(round_, arriving=[late])

    assert house_at_tables(round_) == [house.number]
    assert round_.sittings.get(table=None).entrant == late


def test_house_player_stays_out_where_tables_are_filled_otherwise():
    row = running(*NINE[:7], odd="bye")
    (house,) = register(row, "Ev", house=True)
    round_ = published(row)

    change(round_, leaving=[seated_at(round_, 1)])

    assert not round_.sittings.filter(entrant=house).exists()


@pytest.mark.parametrize("worth", [{}, {"missed": "1/2"}, {"missed": None}])
def test_bye_on_arrival_is_worth_no_more_than_a_missed_round_but_where_it_always_was(worth):
    row = running(*NINE[:8], rounds=3, bye=3)
    closed(row)
    register(row, "Geç Kalan")
    closed(row, tables=[(1, 2, 3, 4), (5, 6, 7, 8)], byes=[9])
    row.refresh_from_db()
    if worth == {"missed": None}:
        # As rows and documents of before.
        del row.settings["missed"]
    else:
        row.settings |= worth
    row.save()

    (late,) = (each for each in load_state(row).standings_before(3) if each.entrant == "e9")
    document = tournament_document(row)
    if worth == {"missed": None}:
        del document["settings"]["missed"]
    again = {each.entrant: each for each in standings_after(read_tournament(document), 2)}

    due = {"{}": (None, 0), "1/2": (Fraction(1, 2),) * 2, "None": (None, 3)}
    assert late.by_round == due[str(worth.get("missed", "{}"))]
    assert again["e9"] == late
