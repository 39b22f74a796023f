"""Entrants who sat on wrong chairs: exchanged before, during and after a round."""

import pytest

from tests.club_factories import MemberFactory
from tests.deals import WHOLE_GAME
from tests.evening_builders import sitting, write
from tests.factories import EVENING, record_all, reload
from tests.sample_games import load
from tests.tournament_builders import (
    NINE,
    change,
    opened,
    published,
    running,
    seated,
    seated_at,
    who_sits,
)
from tournaments.models import AuditEntry, Game, Round, Seat, Tournament
from tournaments.queries.games.sheets import LaterEntryInvalid
from tournaments.queries.tournaments.state import load_state
from tournaments.services.audit import NOBODY, Actor
from tournaments.services.entrants.lists import Entry
from tournaments.services.games.writing import StaleRevision
from tournaments.services.ratings.computing import differing_ratings, sweep_ratings
from tournaments.services.rounds.rounds import changes_since_closing, close_round
from tournaments.services.rounds.rulings import NotInRound
from tournaments.services.rounds.seating import publish_round
from tournaments.services.rounds.swapping import (
    BetweenTables,
    Exchange,
    SeatingMoved,
    exchange_seats,
    exchanged,
)
from tournaments.services.rounds.taking_back import take_back_round

pytestmark = pytest.mark.django_db


def exchange(round_, *numbers, seen=None, **said):
    state = Tournament.objects.get(event=round_.event_id)
    asked = Exchange([f"e{number}" for number in numbers], **said)
    seen = state.revision if seen is None else seen
    by = Actor(MemberFactory(club=round_.event.club, role="director").user)
    return exchange_seats(round_.pk, asked, by, seen=seen, at=EVENING)


def begun(row):
    round_ = opened(row)
    for game in Game.objects.filter(table__round=round_):
        record_all(game, WHOLE_GAME[:3])
    return round_


def finished(row):
    round_ = opened(row)
    for game in Game.objects.filter(table__round=round_):
        record_all(game, WHOLE_GAME)
    return round_


def closed(row):
    return close_round(finished(row).pk, NOBODY, at=EVENING)


def state_of(place):
    return load_state(Tournament.objects.get(event=place.event_id))


def addresses():
    games = Game.objects.select_related("table").order_by("pk")
    return [(g.secret("write"), g.table.public_id, g.table.generation) for g in games]


def totals():
    return [reload(game).game.totals for game in Game.objects.order_by("pk")]


@pytest.mark.parametrize("stage", [published, opened, begun, finished, closed])
@pytest.mark.parametrize("chairs", [[(1, 0), (1, 2)], [(1, 3), (2, 1), (1, 0)], [(2, 2), None]])
def test_people_take_each_others_chairs_and_entries_cards_and_addresses_stay(stage, chairs):
    row = running(*NINE)
    place = stage(row)
    sweep_ratings()
    before, stood, written = who_sits(place), addresses(), totals()
    (out,) = place.sittings.filter(table=None).values_list("entrant__number", flat=True)
    who = [out if chair is None else before[chair[0]][chair[1]] for chair in chairs]
    rows = dict(Seat.objects.values_list("player__name", "pk"))
    foreseen = exchanged(state_of(place), place, Exchange([f"e{n}" for n in who]))

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
    assert bool(changes_since_closing(state)) == (stage is closed)
    sweep_ratings()
    assert differing_ratings() == []
    assert AuditEntry.objects.get(action="exchange-seats").after["entrants"] == [
        f"e{number}" for number in who
    ]


def test_entries_go_with_two_people_of_one_table():
    round_ = finished(running(*NINE[:8]))
    before = who_sits(round_)[1]
    game = Game.objects.get(table__number=1)

    exchange(round_, before[0], before[2], with_people=True, reason="wrong chairs")

    sheet = reload(game)
    assert who_sits(round_)[1] == [before[2], before[1], before[0], before[3]]
    assert sheet.game.totals == (-330, -110, 540, -100)
    assert sheet.row.first_declarer == 2
    assert sheet.row.result["totals"] == [-330, -110, 540, -100]
    assert sheet.row.players == [f"Oyuncu {number}" for number in who_sits(round_)[1]]


def test_pairs_of_one_table_take_their_partners_and_entries_along():
    pairs = [Entry("Ayşe", partner="Burak"), Entry("Cem", partner="Deniz")]
    round_ = opened(running(*pairs, ruleset="turkish-king-partners"))
    game = Game.objects.get()
    record_all(game, load("partners-king")["entries"])
    before, seats = reload(game).game.totals, sitting(game)

    exchange(round_, 1, 2, with_people=True)

    assert reload(game).game.totals == before[::-1]
    assert sitting(game) == [seats[1], seats[0], seats[3], seats[2]]


@pytest.mark.parametrize("with_people", [False, True])
def test_partners_of_a_pair_take_each_others_seats(with_people):
    pairs = [Entry("Ayşe", partner="Burak"), Entry("Cem", partner="Deniz")]
    round_ = opened(running(*pairs, ruleset="turkish-king-partners"))
    game = Game.objects.get()
    record_all(game, load("partners-whole")["entries"][:2])
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

    with pytest.raises(BetweenTables):
        exchange(round_, one, other, with_people=True)
    with pytest.raises(NotInRound):
        exchange(round_, one, 40)
    with pytest.raises(NotInRound):
        exchange(round_, one)
    with pytest.raises(NotInRound):
        exchange(round_, one, other, one)
    with pytest.raises(SeatingMoved):
        exchange(round_, one, other, seen=0)
    assert who_sits(Round.objects.get()) == before
    assert not AuditEntry.objects.filter(action="exchange-seats").exists()
