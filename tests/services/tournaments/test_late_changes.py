"""Who comes late to a published round, and who leaves it: substitutes and house players."""

import pytest

from tests.deals import WHOLE_GAME
from tests.factories import EVENING, record
from tests.services.tournaments.test_tournaments import NINE, published, running, who_sits
from tournaments.models import Entrant, Game, Seat, Tournament
from tournaments.queries.tournaments import load_course
from tournaments.services.auditing import NOBODY
from tournaments.services.tournaments.entering import register_entrants, withdraw_entrant
from tournaments.services.tournaments.entering_lists import Entry
from tournaments.services.tournaments.late_changes import change_late, who_can_come
from tournaments.services.tournaments.leading import WrongState
from tournaments.services.tournaments.rounds import open_round
from tournaments.services.tournaments.substituting import Place, TakesPart, put_substitute

pytestmark = pytest.mark.django_db


def register(row, *names, house=False):
    entries = [Entry(name, house=house) for name in names]
    return register_entrants(row.pk, entries, NOBODY, at=EVENING)


def change(place, arriving=(), leaving=()):
    pks = {"arriving": [e.pk for e in arriving], "leaving": [e.pk for e in leaving]}
    return change_late(place.pk, NOBODY, at=EVENING, **pks)


def stand_in(entrant, name, number=1):
    spot = Place(entrant.pk, number, entrant.player_id)
    return put_substitute(spot, name, NOBODY, at=EVENING)


def seated_at(place, number):
    """An entrant at a table."""
    return Entrant.objects.filter(sittings__table__number=number).order_by("number").first()


def offered(row, place):
    course = load_course(Tournament.objects.get(pk=row.pk))
    drawn = next(each for each in course.drawn if each.row.pk == place.pk)
    return [entrant.number for entrant in who_can_come(course, drawn)]


def house_at_tables(place):
    sitting = place.sittings.filter(entrant__house=True, table__isnull=False)
    return [each.entrant.number for each in sitting]


def sits_twice():
    pks = [*Seat.objects.values_list("player_id", flat=True)]
    return len(pks) != len(set(pks))


def test_who_stands_in_for_another_at_a_table_does_not_come_as_well():
    row = running(*NINE[:8])
    place = published(row)
    late = register(row, "Geç", "Kalan", "Üç", "Dört")
    stand_in(seated_at(place, 1), "Geç")

    with pytest.raises(TakesPart) as refused:
        change(place, arriving=late)
    assert refused.value.player.name == "Geç"
    assert (offered(row, place), place.tables.count()) == ([10, 11, 12], 2)


def test_who_would_be_replaced_by_somebody_who_sits_does_not_come():
    row = running(*NINE[:8])
    place = published(row)
    (late,) = register(row, "Geç")
    late.substitutes.create(
        round_number=1, instead_of=late.player, player=seated_at(place, 1).player
    )

    with pytest.raises(TakesPart):
        change(place, arriving=[late], leaving=[seated_at(place, 2)])


def test_who_sits_out_and_stands_in_for_another_is_not_seated_beside_them():
    row = running(*NINE)
    place = published(row)
    out = Entrant.objects.get(sittings__table=None)
    stand_in(seated_at(place, 1), out.player.name)

    change(place, leaving=[seated_at(place, 2)])

    assert (place.tables.count(), sits_twice()) == (1, False)
    assert place.sittings.filter(table=None, entrant=out).exists()


def test_who_has_withdrawn_does_not_come():
    row = running(*NINE[:4])
    place = published(row)
    late = register(row, "A", "B", "C", "D")
    withdraw_entrant(late[0].pk, NOBODY, at=EVENING)

    with pytest.raises(WrongState):
        change(place, arriving=late)
    assert offered(row, place) == [6, 7, 8]


def test_free_house_player_takes_the_seat_of_who_leaves():
    row = running(*NINE[:8], odd="house")
    house = register(row, "Ev 1", "Ev 2", house=True)
    place = published(row)
    before = who_sits(place)
    leaving = seated_at(place, 1)

    change(place, leaving=[leaving])

    after = who_sits(place)
    assert after[2] == before[2]
    assert sorted(after[1]) == sorted([*({*before[1]} - {leaving.number}), house[0].number])
    assert Entrant.objects.get(pk=house[0].pk).joins_in == 1


def test_house_player_leaves_for_somebody_who_comes():
    row = running(*NINE[:7], odd="house")
    register(row, "Ev", house=True)
    place = published(row)
    (late,) = register(row, "Geç")

    change(place, arriving=[late])

    assert house_at_tables(place) == []
    assert sorted(number for table in who_sits(place).values() for number in table) == [
        *range(1, 8),
        late.number,
    ]


def test_house_player_stays_at_a_table_that_has_begun():
    row = running(*NINE[:7], odd="house")
    (house,) = register(row, "Ev", house=True)
    place = published(row)
    open_round(place.pk, NOBODY, at=EVENING)
    record(Game.objects.get(table__sittings__entrant=house), WHOLE_GAME[0])
    (late,) = register(row, "Geç")

    change(place, arriving=[late])

    assert house_at_tables(place) == [house.number]
    assert place.sittings.get(table=None).entrant == late


def test_house_player_stays_out_where_tables_are_filled_otherwise():
    row = running(*NINE[:7], odd="bye")
    (house,) = register(row, "Ev", house=True)
    place = published(row)

    change(place, leaving=[seated_at(place, 1)])

    assert not place.sittings.filter(entrant=house).exists()
