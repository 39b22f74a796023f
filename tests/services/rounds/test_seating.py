"""Entrants who sat on wrong chairs: exchanged before, during and after a round."""

from fractions import Fraction
from itertools import combinations

import pytest

from tests.club_factories import MemberFactory
from tests.deals import WHOLE_GAME
from tests.evening_builders import sitting, write
from tests.factories import EVENING, record, record_all, reload
from tests.sample_games import load
from tests.tournament_builders import (
    NINE,
    SHORT,
    SIXTEEN,
    change,
    opened,
    published,
    register,
    running,
    seated,
    seated_at,
    stand_in,
    who_sits,
)
from tests.tournament_builders import closed as tournament_builders_closed
from tests.tournament_records import exported
from tournaments.engine.documents.tournaments import read_tournament, standings_after
from tournaments.engine.documents.verify import redraw
from tournaments.engine.pairing.field import PlayedRound
from tournaments.models import (
    AuditEntry,
    Draw,
    Entrant,
    Game,
    RatingDue,
    Round,
    Ruling,
    Seat,
    Tournament,
)
from tournaments.queries.sheets import LaterEntryInvalid, load_sheet
from tournaments.queries.state import load_state
from tournaments.reports.tournament_document import tournament_document
from tournaments.services.audit import NOBODY, Actor
from tournaments.services.entrants.registration import Entry, register_entrants, withdraw_entrant
from tournaments.services.entrants.registration import Entry as ListsEntry
from tournaments.services.entrants.substituting import TakesPart
from tournaments.services.games.playing import withdraw_entry
from tournaments.services.games.writing import StaleRevision, WriteContext
from tournaments.services.ratings.computing import differing_ratings, sweep_ratings
from tournaments.services.rounds.changes import (
    BetweenTables,
    Exchange,
    SeatingMoved,
    change_late,
    exchange_seats,
    exchanged,
    who_can_come,
)
from tournaments.services.rounds.proposals import (
    RoundsLeft,
    StageUnfinished,
    TooFewLeft,
    TooFewThrough,
    fewest_repeats,
)
from tournaments.services.rounds.rulings import NotInRound, RulingDecision, rule, withdraw_ruling
from tournaments.services.rounds.running import (
    changes_since_closing,
    close_round,
    open_round,
    reopen_round,
)
from tournaments.services.rounds.seating import (
    RuledAbout,
    SeatingDraft,
    publish_round,
    put_seating,
    seat_again,
    take_back_round,
)
from tournaments.services.tournaments.lifecycle import WrongState
from tournaments.web.rounds.seating import seating_page

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
        tournament_builders_closed(row)
    register_entrants(row.pk, [Entry("Geç Kalan")], NOBODY, at=EVENING)
    round_ = seated(row)
    if seating == "fixed":
        again(round_)
        round_.refresh_from_db()

    assert "e7" not in round_.seating["byes"]
    assert len(round_.seating["byes"]) == 3


def test_final_seated_again_is_for_the_same_four_and_for_who_steps_in():
    row = running(*TWELVE, rounds=1, finals=4)
    tournament_builders_closed(row)
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
    tournament_builders_closed(row)

    with pytest.raises(TooFewLeft):
        seated(row)
    assert Round.objects.count() == 1


def test_final_is_not_seated_with_too_few_of_those_who_went_through():
    row = running(*NINE[:8], rounds=1, finals=8)
    tournament_builders_closed(row)
    tournament_builders_closed(row)
    for number in range(1, 6):
        withdrawn(row, number)

    with pytest.raises(TooFewThrough):
        seated(row)


def test_final_waits_for_a_table_that_a_correction_has_left_unfinished():
    row = running(*NINE[:8], rounds=1, finals=8)
    tournament_builders_closed(row)
    semi = tournament_builders_closed(row)
    game = Game.objects.filter(table__round=semi).first()
    last = load_sheet(game).positions[-1]
    director = Actor(MemberFactory(club=row.event.club, role="director").user)
    context = WriteContext("director1", game.revision, EVENING, by=director)
    withdraw_entry(game.pk, last, "Yanlış", context)

    with pytest.raises(StageUnfinished):
        seated(row)


def test_whole_evening_seated_again_still_has_nobody_meet_twice():
    row = running(*SIXTEEN, rounds=5, seating="fixed")
    tournament_builders_closed(row)

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
    first = tournament_builders_closed(row)
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
    reopen_round(tournament_builders_closed(row).pk, NOBODY, at=EVENING)

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


NAMES = [f"Oyuncu {n}" for n in range(1, 19)]


def drawn_again(row):
    """Whether each draw in the exported document gives the tables that it names."""
    rounds = read_tournament(tournament_document(row)).document["rounds"]
    asked = [place["draw"] for place in rounds]
    earlier = [
        PlayedRound(tuple(tuple(t["entrants"]) for t in place["tables"]), tuple(place["byes"]))
        for place in rounds
    ]
    drawn = [PlayedRound(tuple(map(tuple, d["tables"])), tuple(d["byes"])) for d in asked]
    return [
        redraw(draw, [*earlier[: draw["first"] - 1], *drawn[draw["first"] - 1 : at]])
        == (list(drawn[at].tables), list(drawn[at].byes))
        for at, draw in enumerate(asked)
    ]


@pytest.mark.parametrize(
    "chosen",
    [
        {"seating": "swiss"},
        {"seating": "fixed"},
        {"seating": "rank-spread", "odd": "house"},
        {"sections": 2},
    ],
)
def test_each_round_keeps_what_it_was_drawn_with(chosen):
    row = running(*NAMES, rounds=3, **chosen)
    halves = Entrant.objects.filter(tournament=row, number__lte=9)
    halves.update(section="A" if row.settings["sections"] else "")
    tournament_builders_closed(row)
    row.refresh_from_db()
    seated(row)

    assert drawn_again(row)[:2] == [True, True]


def test_a_draw_with_locked_tables_is_kept_too_and_replaces_the_one_before():
    row = running(*NAMES)
    first = seated(row)
    before = first.draw.document

    seat_again(first.pk, [1], NOBODY, at=EVENING)

    (draw,) = Draw.objects.all()
    assert draw.document["sections"][0]["kept"] == [{"place": 1, "entrants": before["tables"][1]}]
    assert draw.document["seed"] != before["seed"]
    assert drawn_again(row) == [True]


def test_a_seating_by_hand_has_no_draw():
    published(running(*NAMES, seating="manual"))

    assert '"draw"' not in exported()


def test_a_proposal_says_what_repeats_bring():
    row = running(*NAMES, rounds=3, leaders_last=True)
    for entries in (SHORT, WHOLE_GAME):
        tournament_builders_closed(row, entries)

    last = seated(row)

    row.refresh_from_db()
    fewest, seating = fewest_repeats(load_state(row), last), seating_page(load_state(row), last)
    assert fewest["repeat_meetings"] < seating.quality.repeat_meetings
    assert fewest["score_spread"] > seating.quality.score_spread
    assert "With as few repeats as possible (0)" in seating.praise[-1]
    assert drawn_again(row) == [True, True, True]


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
    pairs = [ListsEntry("Ayşe", partner="Burak"), ListsEntry("Cem", partner="Deniz")]
    round_ = opened(running(*pairs, ruleset="turkish-king-partners"))
    game = Game.objects.get()
    record_all(game, load("partners-king")["entries"])
    before, seats = reload(game).game.totals, sitting(game)

    exchange(round_, 1, 2, with_people=True)

    assert reload(game).game.totals == before[::-1]
    assert sitting(game) == [seats[1], seats[0], seats[3], seats[2]]


@pytest.mark.parametrize("with_people", [False, True])
def test_partners_of_a_pair_take_each_others_seats(with_people):
    pairs = [ListsEntry("Ayşe", partner="Burak"), ListsEntry("Cem", partner="Deniz")]
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
    tournament_builders_closed(row)
    register(row, "Geç Kalan")
    tournament_builders_closed(row, tables=[(1, 2, 3, 4), (5, 6, 7, 8)], byes=[9])
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
