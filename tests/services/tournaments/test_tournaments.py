import pytest

from tests.deals import WHOLE_GAME
from tests.factories import EVENING
from tests.tournament_builders import (
    NINE,
    SIXTEEN,
    closed,
    opened,
    play,
    published,
    running,
    seated,
    who_sits,
)
from tournaments.models import Entrant, Game, Round, Seat, Table, Tournament
from tournaments.queries.state import field_of, load_state
from tournaments.services.audit import NOBODY
from tournaments.services.entrants.registration import Entry, register_entrants
from tournaments.services.rounds.changes import change_late
from tournaments.services.rounds.proposals import SeatingInvalid
from tournaments.services.rounds.running import RoundNotReady, close_round, open_round
from tournaments.services.rounds.seating import (
    NoRoundLeft,
    SeatingDraft,
    publish_round,
    put_seating,
    seat_next_round,
    take_back_round,
)
from tournaments.services.tournaments.lifecycle import Depended

pytestmark = pytest.mark.django_db


def test_round_goes_from_seated_to_closed_and_standings_seat_the_next_one():
    row = running(*NINE, rounds=2)
    round_ = seated(row)
    assert (round_.state, len(round_.seating["tables"]), len(round_.seating["byes"])) == (
        "seated",
        2,
        1,
    )

    publish_round(round_.pk, NOBODY, at=EVENING)
    round_ = open_round(round_.pk, NOBODY, at=EVENING)
    assert Table.objects.filter(round=round_).count() == 2
    assert Seat.objects.filter(game__table__round=round_).count() == 8
    with pytest.raises(RoundNotReady) as refused:
        close_round(round_.pk, NOBODY, at=EVENING)
    assert [(each.data, each.code) for each in refused.value.faults] == [
        ({"table": 1}, "unfinished"),
        ({"table": 2}, "unfinished"),
    ]
    play(round_)
    close_round(round_.pk, NOBODY, at=EVENING)

    field = field_of(load_state(Tournament.objects.get(pk=row.pk)), 2)
    scores = sorted(int(entrant.score) for entrant in field.entrants)
    assert scores == [-330, -330, -110, -110, -100, -100, 0, 540, 540]
    assert seat_next_round(row.pk, NOBODY, at=EVENING).number == 2


def test_published_round_is_taken_back_until_a_table_has_begun():
    row = running(*NINE[:4])
    round_ = published(row)

    take_back_round(round_.pk, NOBODY, at=EVENING)
    assert (Round.objects.get(pk=round_.pk).state, Table.objects.count()) == ("seated", 0)

    publish_round(round_.pk, NOBODY, at=EVENING)
    open_round(round_.pk, NOBODY, at=EVENING)
    play(round_, WHOLE_GAME[:1])
    with pytest.raises(Depended):
        take_back_round(round_.pk, NOBODY, at=EVENING)


def test_late_change_leaves_every_other_table_and_card_as_it_was():
    row = running(*NINE)
    round_ = opened(row)
    before, cards = who_sits(round_), {t.number: t.secret for t in round_.tables.all()}
    leaving = Entrant.objects.get(tournament=row, number=before[2][1])

    change_late(round_.pk, NOBODY, at=EVENING, leaving=[leaving.pk])

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
    late = register_entrants(row.pk, [Entry(name) for name in NINE[4:8]], NOBODY, at=EVENING)

    change_late(round_.pk, NOBODY, at=EVENING, arriving=[entrant.pk for entrant in late])

    assert sorted(who_sits(round_)[2]) == [5, 6, 7, 8]
    assert Game.objects.filter(table__round=round_).count() == 2


def test_seating_by_hand_is_refused_where_somebody_sits_twice():
    row = running(*NINE[:8])
    round_ = seated(row)
    one, other = round_.seating["tables"]

    with pytest.raises(SeatingInvalid):
        put_seating(round_.pk, SeatingDraft([one, one]), NOBODY, at=EVENING)
    turned = put_seating(round_.pk, SeatingDraft([other, one]), NOBODY, at=EVENING)
    assert turned.seating["tables"] == [other, one]


def test_house_players_fill_up_only_what_is_missing():
    row = running(*NINE[:7], odd="house")
    house = [Entry(f"Ev {n}", house=True) for n in range(3)]
    register_entrants(row.pk, house, NOBODY, at=EVENING)

    round_ = seated(row)

    keys = [key for table in round_.seating["tables"] for key in table]
    assert (sorted(keys), round_.seating["byes"]) == ([f"e{n}" for n in range(1, 9)], [])


def test_pair_sits_opposite_and_plays_as_one():
    pairs = [Entry("Ayşe", partner="Burak"), Entry("Cem", partner="Deniz")]
    round_ = published(running(*pairs, ruleset="euchre"))

    players = Game.objects.get(table__round=round_).players
    assert {frozenset(players[0::2]), frozenset(players[1::2])} == {
        frozenset({"Ayşe", "Burak"}),
        frozenset({"Cem", "Deniz"}),
    }


def test_finals_are_cut_from_the_standings_and_end_with_one_table():
    row = running(*SIXTEEN, rounds=1, finals=8)
    for _ in range(3):
        closed(row)

    stages = [(r.stage, r.tables.count()) for r in Round.objects.order_by("number")]
    assert stages == [("", 4), ("semi-final", 2), ("final", 1)]
    with pytest.raises(NoRoundLeft):
        seat_next_round(row.pk, NOBODY, at=EVENING)
    course = load_state(Tournament.objects.get(pk=row.pk))
    final = course.seated_rounds[-1].tables[0].entrants
    assert {each.entrant for each in course.standings_before(4)[:4]} == {*final}
