import pytest

from tests.club_factories import MemberFactory
from tests.deals import WHOLE_GAME
from tests.evening_builders import sitting, write
from tests.factories import EVENING, record, record_all, reload
from tests.sample_games import load
from tests.tournament_builders import (
    NINE,
    change,
    opened,
    play,
    published,
    register,
    running,
    seated,
    seated_at,
    stand_in,
    who_sits,
)
from tournaments.models import AuditEntry, Entrant, Game, Round, Seat, Tournament
from tournaments.queries.sheets import LaterEntryInvalid
from tournaments.queries.state import load_state
from tournaments.services.audit import NOBODY, Actor
from tournaments.services.entrants.registration import Entry, withdraw_entrant
from tournaments.services.entrants.substituting import TakesPart
from tournaments.services.games.writing import StaleRevision
from tournaments.services.ratings.computing import differing_ratings, sweep_ratings
from tournaments.services.rounds import changes
from tournaments.services.rounds.rulings import NotInRound
from tournaments.services.rounds.running import changes_since_closing, close_round
from tournaments.services.rounds.seating import publish_round, seat_again, take_back_round
from tournaments.services.tournaments.lifecycle import WrongState

pytestmark = pytest.mark.django_db


def exchange(round_, *numbers, seen=None, **said):
    state = Tournament.objects.get(event=round_.event_id)
    asked = changes.Exchange([f"e{number}" for number in numbers], **said)
    seen = state.revision if seen is None else seen
    by = Actor(MemberFactory(club=round_.event.club, role="director").user)
    return changes.exchange_seats(round_.pk, asked, by, seen=seen, at=EVENING)


def begun(row, entries=WHOLE_GAME[:3]):
    round_ = opened(row)
    play(round_, entries)
    return round_


def finished(row):
    return begun(row, WHOLE_GAME)


def over(row):
    return close_round(finished(row).pk, NOBODY, at=EVENING)


ACROSS, AROUND, OUT = [(1, 0), (1, 2)], [(1, 3), (2, 1), (1, 0)], [(2, 2), None]
"""Chairs, as table and side; None is that of who sits out."""


def state_of(place):
    return load_state(Tournament.objects.get(event=place.event_id))


def addresses():
    games = Game.objects.select_related("table").order_by("pk")
    return [(g.secret("write"), g.table.public_id, g.table.generation) for g in games]


def totals():
    return [reload(game).game.totals for game in Game.objects.order_by("pk")]


@pytest.mark.parametrize(
    ("stage", "chairs"),
    [
        (published, AROUND),
        (opened, OUT),
        (begun, ACROSS),
        (begun, OUT),
        (finished, AROUND),
        *((over, chairs) for chairs in (ACROSS, AROUND, OUT)),
    ],
)
def test_people_take_each_others_chairs_and_entries_cards_and_addresses_stay(stage, chairs):
    row = running(*NINE)
    place = stage(row)
    sweep_ratings()
    before, stood, written = who_sits(place), addresses(), totals()
    (out,) = place.sittings.filter(table=None).values_list("entrant__number", flat=True)
    who = [out if chair is None else before[chair[0]][chair[1]] for chair in chairs]
    rows = dict(Seat.objects.values_list("player__name", "pk"))
    foreseen = changes.exchanged(state_of(place), place, changes.Exchange([f"e{n}" for n in who]))

    exchange(place, *who)

    after = who_sits(place)
    for chair, number in zip((*chairs[1:], chairs[0]), who, strict=True):
        assert (after[chair[0]][chair[1]] if chair else number) == number
        assert chair or not place.sittings.get(entrant__number=number).table
    for table, numbers in after.items():
        game = Game.objects.get(table__round=place, table__number=table)
        assert game.players == sitting(game) == [f"Oyuncu {number}" for number in numbers]
    assert (addresses(), totals()) == (stood, written)
    stays = dict(Seat.objects.values_list("player__name", "pk"))
    assert all(rows[name] == pk for name, pk in stays.items() if name in rows)
    state = state_of(place)
    assert state.standings_of(1) == foreseen.standings_of(1)
    assert bool(changes_since_closing(state)) == (stage is over)
    sweep_ratings()
    assert differing_ratings() == []
    assert AuditEntry.objects.get(action="exchange-seats").after["entrants"] == [
        f"e{number}" for number in who
    ]


def test_entries_go_with_two_people_of_one_table():
    round_ = finished(running(*NINE[:8]))
    before = who_sits(round_)[1]
    game = Game.objects.get(table__number=1)
    tea = {"per": "last", "amount": 1, "thing": "tea"}
    Game.objects.filter(pk=game.pk).update(stake=tea)

    exchange(round_, before[0], before[2], with_people=True, reason="wrong chairs")

    sheet = reload(game)
    setups = [write for write in sheet.revisions if write.kind == "head"]
    assert [(each.before["stake"], each.body["stake"]) for each in setups] == [(tea, tea)]
    assert who_sits(round_)[1] == [before[2], before[1], before[0], before[3]]
    assert sheet.game.totals == (-330, -110, 540, -100)
    assert sheet.row.first_declarer == 2
    assert sheet.row.result["totals"] == [-330, -110, 540, -100]
    assert sheet.row.players == [f"Oyuncu {number}" for number in who_sits(round_)[1]]


def pairs_at_a_table(entries):
    pairs = [Entry("Ayşe", partner="Burak"), Entry("Cem", partner="Deniz")]
    return begun(running(*pairs, ruleset="turkish-king-partners"), entries), Game.objects.get()


def test_pairs_of_one_table_take_their_partners_and_entries_along():
    round_, game = pairs_at_a_table(load("partners-king")["entries"])
    before, seats = reload(game).game.totals, sitting(game)

    exchange(round_, 1, 2, with_people=True)

    assert reload(game).game.totals == before[::-1]
    assert sitting(game) == [seats[1], seats[0], seats[3], seats[2]]


@pytest.mark.parametrize("with_people", [False, True])
def test_partners_of_a_pair_take_each_others_seats(with_people):
    round_, game = pairs_at_a_table(load("partners-whole")["entries"][:2])
    before, one = reload(game), who_sits(round_)[1][0]
    seats = sitting(game)

    exchange(round_, one, with_people=with_people)

    after = reload(game)
    assert sitting(game) == after.row.players == [seats[2], seats[1], seats[0], seats[3]]
    assert (after.game.totals, who_sits(round_)[1][0]) == (before.game.totals, one)
    moves = {0: 2, 2: 0} if with_people else {}
    declared = [deal.declarer for deal in before.game.deals]
    assert [deal.declarer for deal in after.game.deals] == [moves.get(n, n) for n in declared]
    exchange(round_, one, with_people=with_people)
    assert (sitting(game), reload(game).game.deals) == (seats, before.game.deals)


def test_entries_that_name_another_declarer_do_not_go_along():
    round_ = opened(running(*NINE[:8]))
    game = Game.objects.get(table__number=1)
    record_all(game, [{**body, "declarer": n} for n, body in enumerate(WHOLE_GAME[:2])])
    before = who_sits(round_)

    with pytest.raises(LaterEntryInvalid) as refused:
        exchange(round_, *before[1][:2], with_people=True)

    assert refused.value.position == 1
    assert (who_sits(round_), reload(game).row.revision) == (before, 2)
    assert sorted(sitting(game)) == sorted(game.players)


@pytest.mark.parametrize("late_change", [True, False])
def test_phone_that_shows_others_is_refused_and_the_table_has_not_begun(late_change):
    round_ = opened(running(*NINE))
    table = round_.tables.get(number=1)
    late = write(table)

    if late_change:
        change(round_, leaving=[seated_at(round_, 1)])
    else:
        exchange(round_, *who_sits(round_)[1][:2])

    with pytest.raises(StaleRevision):
        late()
    assert take_back_round(round_.pk, NOBODY, at=EVENING).state == "seated"


def test_exchange_in_a_proposal_is_published_with_it():
    round_ = seated(running(*NINE[:8]))
    one, other = (int(table[1][1:]) for table in round_.seating["tables"])

    exchange(round_, one, other)

    publish_round(round_.pk, NOBODY, at=EVENING)
    assert [numbers[1] for numbers in who_sits(round_).values()] == [other, one]


def test_exchange_that_cannot_be_is_refused_before_anything_changes():
    round_ = begun(running(*NINE))
    before = who_sits(round_)
    one, other = before[1][0], before[2][0]

    with pytest.raises(changes.BetweenTables):
        exchange(round_, one, other, with_people=True)
    with pytest.raises(NotInRound):
        exchange(round_, one, 40)
    with pytest.raises(NotInRound):
        exchange(round_, one)
    with pytest.raises(NotInRound):
        exchange(round_, one, other, one)
    with pytest.raises(changes.SeatingMoved):
        exchange(round_, one, other, seen=0)
    assert who_sits(Round.objects.get()) == before
    assert not AuditEntry.objects.filter(action="exchange-seats").exists()


def offered(row, round_):
    course = load_state(Tournament.objects.get(pk=row.pk))
    drawn = next(each for each in course.seated_rounds if each.row.pk == round_.pk)
    return [entrant.number for entrant in changes.who_can_come(course, drawn)]


def house_at_tables(place):
    sitting = place.sittings.filter(entrant__house=True, table__isnull=False)
    return [each.entrant.number for each in sitting]


def sits_twice():
    pks = [*Seat.objects.values_list("player_id", flat=True)]
    return len(pks) != len(set(pks))


def test_who_stands_in_for_another_at_a_table_comes_only_when_the_other_leaves():
    row = running(*NINE[:8])
    round_ = published(row)
    late = register(row, "Geç", "Kalan", "Üç", "Dört")
    absent = seated_at(round_, 1)
    stand_in(absent, "Geç")

    with pytest.raises(TakesPart) as refused:
        change(round_, arriving=late)
    assert refused.value.params == {"name": "Geç"}
    assert (offered(row, round_), round_.tables.count()) == ([10, 11, 12], 2)
    change(round_, arriving=late[:1], leaving=[absent])

    assert round_.sittings.filter(entrant=late[0], table__isnull=False).exists()
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


@pytest.mark.parametrize("begun", [False, True])
def test_house_player_leaves_for_somebody_who_comes_unless_the_table_has_begun(begun):
    row = running(*NINE[:7], odd="house")
    (house,) = register(row, "Ev", house=True)
    round_ = opened(row)
    if begun:
        record(Game.objects.get(table__sittings__entrant=house), WHOLE_GAME[0])
    (late,) = register(row, "Geç")

    change(round_, arriving=[late])

    playing, out = (house, [late.number]) if begun else (late, [])
    at_tables = sorted(number for table in who_sits(round_).values() for number in table)
    assert at_tables == sorted([*range(1, 8), playing.number])
    assert [each.entrant.number for each in round_.sittings.filter(table=None)] == out


def test_house_player_stays_out_where_tables_are_filled_otherwise():
    row = running(*NINE[:7], odd="bye")
    (house,) = register(row, "Ev", house=True)
    round_ = published(row)

    change(round_, leaving=[seated_at(round_, 1)])

    assert not round_.sittings.filter(entrant=house).exists()


def test_late_change_leaves_every_other_table_and_card_as_it_was():
    row = running(*NINE)
    round_ = opened(row)
    before, cards = who_sits(round_), {t.number: t.secret for t in round_.tables.all()}
    leaving = Entrant.objects.get(tournament=row, number=before[2][1])

    change(round_, leaving=[leaving])

    after = who_sits(round_)
    out = ({*range(1, 10)} - {*before[1], *before[2]}).pop()
    assert after[1] == before[1]
    assert sorted(after[2]) == sorted([*({*before[2]} - {leaving.number}), out])
    assert {t.number: t.secret for t in round_.tables.all()} == cards
    seated = Seat.objects.filter(game__table__round=round_, game__table__number=2)
    assert {s.player.entries.get().number for s in seated} == {*after[2]}


def test_four_who_come_late_get_a_table_of_their_own():
    row = running(*NINE[:4])
    round_ = opened(row)
    play(round_, WHOLE_GAME[:1])

    change(round_, arriving=register(row, *NINE[4:8]))

    assert sorted(who_sits(round_)[2]) == [5, 6, 7, 8]
    assert Game.objects.filter(table__round=round_).count() == 2
