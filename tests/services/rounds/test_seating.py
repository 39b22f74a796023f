from fractions import Fraction
from itertools import combinations

import pytest

from tests import tournament_builders
from tests.club_factories import MemberFactory
from tests.deals import WHOLE_GAME
from tests.factories import EVENING
from tournaments.engine.documents.tournaments import read_tournament, standings_after
from tournaments.engine.documents.verify import verify_tournament
from tournaments.models import AuditEntry, Draw, Entrant, Game, RatingDue, Round, Ruling, Tournament
from tournaments.queries.sheets import load_sheet
from tournaments.queries.state import load_state
from tournaments.reports.tournament_document import tournament_document
from tournaments.services.audit import NOBODY, Actor
from tournaments.services.entrants.registration import Entry, withdraw_entrant
from tournaments.services.games.playing import withdraw_entry
from tournaments.services.games.writing import WriteContext
from tournaments.services.rounds import proposals
from tournaments.services.rounds.rulings import RulingDecision, rule, withdraw_ruling
from tournaments.services.rounds.running import reopen_round
from tournaments.services.rounds.seating import (
    NoRoundLeft,
    RuledAbout,
    SeatingDraft,
    SeatingMoved,
    apart_in,
    publish_round,
    put_seating,
    seat_again,
    seat_next_round,
    sections_seated,
    take_alternative,
    take_back_round,
)
from tournaments.web.rounds.seating import seating_page

pytestmark = pytest.mark.django_db

TWELVE, EIGHTEEN = ([f"Oyuncu {n}" for n in range(1, most)] for most in (13, 19))


def again(round_, *locked):
    return seat_again(round_.pk, locked, NOBODY, at=EVENING).seating


def withdrawn(row, number):
    entrant = Entrant.objects.get(tournament=row, number=number)
    return withdraw_entrant(entrant.pk, NOBODY, at=EVENING)


@pytest.mark.parametrize("seating", ["swiss", "fixed", "manual"])
def test_who_comes_late_is_seated_in_the_first_round_there(seating):
    row = tournament_builders.running(*TWELVE[:6], rounds=5, seating=seating)
    for _round in range(2):
        tournament_builders.closed(row)
    tournament_builders.register(row, "Geç Kalan")
    round_ = tournament_builders.seated(row)
    if seating == "fixed":
        again(round_)
        round_.refresh_from_db()

    assert "e7" not in round_.seating["byes"]
    assert len(round_.seating["byes"]) == 3


def test_final_seated_again_is_for_the_same_four_and_for_who_steps_in():
    row = tournament_builders.running(*TWELVE, rounds=1, finals=4)
    tournament_builders.closed(row)
    round_ = tournament_builders.seated(row)
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
    row = tournament_builders.running(*tournament_builders.NINE[:6], rounds=1, finals=8)
    tournament_builders.closed(row)

    with pytest.raises(proposals.TooFewLeft):
        tournament_builders.seated(row)
    assert Round.objects.count() == 1


def test_final_is_not_seated_with_too_few_of_those_who_went_through():
    row = tournament_builders.running(*tournament_builders.NINE[:8], rounds=1, finals=8)
    tournament_builders.closed(row)
    tournament_builders.closed(row)
    for number in range(1, 6):
        withdrawn(row, number)

    with pytest.raises(proposals.TooFewThrough):
        tournament_builders.seated(row)


def test_final_waits_for_a_table_that_a_correction_has_left_unfinished():
    row = tournament_builders.running(*tournament_builders.NINE[:8], rounds=1, finals=8)
    tournament_builders.closed(row)
    semi = tournament_builders.closed(row)
    game = Game.objects.filter(table__round=semi).first()
    last = load_sheet(game).positions[-1]
    director = Actor(MemberFactory(club=row.event.club, role="director").user)
    context = WriteContext("director1", game.revision, EVENING, by=director)
    withdraw_entry(game.pk, last, "Yanlış", context)

    with pytest.raises(proposals.StageUnfinished):
        tournament_builders.seated(row)


def test_evening_seated_again_has_nobody_meet_twice_and_with_a_locked_table_changes_one_round():
    row = tournament_builders.running(*tournament_builders.SIXTEEN, rounds=5, seating="fixed")
    tournament_builders.closed(row)
    second, third = (Round.objects.get(number=number) for number in (2, 3))

    table = second.seating["tables"][2]
    assert again(second, 2)["tables"][2] == table
    assert Round.objects.get(number=3).seating == third.seating
    again(second)

    drawn = load_state(Tournament.objects.get(pk=row.pk)).seated_rounds
    met = [
        frozenset(pair)
        for each in drawn
        for table in each.tables
        for pair in combinations(table.entrants, 2)
    ]
    assert (len(met), len({*met})) == (120, 120)


def test_locked_table_stays_where_the_director_seats_by_hand():
    row = tournament_builders.running(*tournament_builders.SIXTEEN, seating="manual")
    round_ = tournament_builders.seated(row)
    spread = [[f"e{n + 4 * k}" for k in range(4)] for n in range(1, 5)]
    put_seating(round_.pk, SeatingDraft(spread), NOBODY, at=EVENING)

    after = again(round_, 2)

    assert (after["tables"][2], after["locked"]) == (["e3", "e7", "e11", "e15"], [2])
    assert after["tables"][0] == ["e1", "e2", "e4", "e5"]


def test_round_opened_again_is_rated_again_and_its_proposal_goes():
    row = tournament_builders.running(*tournament_builders.SIXTEEN, rounds=3)
    first = tournament_builders.closed(row)
    round_ = tournament_builders.seated(row)
    RatingDue.objects.all().delete()

    reopen_round(first.pk, NOBODY, at=EVENING)

    assert RatingDue.objects.get().club == row.event.club
    assert not Round.objects.filter(pk=round_.pk).exists()
    line = AuditEntry.objects.get(action="unseat-round")
    assert line.before == {"round": 2}
    with pytest.raises(proposals.RoundsLeft):
        tournament_builders.seated(row)


def test_schedule_of_the_evening_stays_when_a_round_is_opened_again():
    row = tournament_builders.running(*tournament_builders.SIXTEEN, rounds=3, seating="fixed")
    reopen_round(tournament_builders.closed(row).pk, NOBODY, at=EVENING)

    assert Round.objects.count() == 3
    round_ = publish_round(Round.objects.get(number=2).pk, NOBODY, at=EVENING)
    assert round_.state == "published"


def test_seating_by_the_standings_waits_for_every_round_before_it():
    row = tournament_builders.running(*tournament_builders.NINE[:8], seating="random")
    tournament_builders.opened(row)
    round_ = tournament_builders.seated(row)
    Tournament.objects.filter(pk=row.pk).update(settings={"seating": "swiss"})

    with pytest.raises(proposals.RoundsLeft):
        publish_round(round_.pk, NOBODY, at=EVENING)
    assert Round.objects.get(pk=round_.pk).state == "seated"


def test_round_taken_back_is_seated_as_it_stood_after_a_late_change():
    row = tournament_builders.running(*tournament_builders.NINE[:8])
    round_ = tournament_builders.opened(row)
    late = tournament_builders.register(row, "Zeynep")
    tournament_builders.change(round_, leaving=[withdrawn(row, 5)], arriving=late)
    stood = load_state(Tournament.objects.get(pk=row.pk)).seated_rounds[0]

    round_ = take_back_round(round_.pk, NOBODY, at=EVENING)

    assert round_.seating["tables"] == [list(table.entrants) for table in stood.tables]
    assert late[0].key in str(round_.seating)
    assert publish_round(round_.pk, NOBODY, at=EVENING).state == "published"


def test_round_is_taken_back_once_its_ruling_is_withdrawn():
    row = tournament_builders.running(*tournament_builders.NINE[:8])
    round_ = tournament_builders.opened(row)
    decision = RulingDecision("penalty", 10, "Geç kaldı")
    ruling = rule(round_.pk, row.entrants.first().pk, decision, NOBODY, at=EVENING)

    with pytest.raises(RuledAbout):
        take_back_round(round_.pk, NOBODY, at=EVENING)
    withdraw_ruling(ruling.pk, NOBODY, at=EVENING)

    assert take_back_round(round_.pk, NOBODY, at=EVENING).state == "seated"
    assert not Ruling.objects.exists()


EIGHTEEN = [f"Oyuncu {n}" for n in range(1, 19)]


def test_a_draw_with_locked_tables_is_kept_too_and_replaces_the_one_before():
    first = tournament_builders.seated(tournament_builders.running(*EIGHTEEN))
    before = first.draw.document

    again(first, 1)

    (draw,) = Draw.objects.all()
    assert draw.document["sections"][0]["kept"] == [{"place": 1, "entrants": before["tables"][1]}]
    assert draw.document["seed"] != before["seed"]


def choice(row, round_):
    row.refresh_from_db()
    round_.refresh_from_db()
    return proposals.alternatives_of(load_state(row), round_)


def drawn_of(row):
    """What `verify` says of the draw of the last round."""
    points = verify_tournament(tournament_document(row)).points
    return [(p.outcome, p.code, p.params) for p in points if p.what == "draw"][-1]


@pytest.fixture
def third():
    """The third round of eighteen, in which nobody meets again only if seated as by lot."""
    row = tournament_builders.running(*EIGHTEEN, rounds=4, points="places")
    for entries in (tournament_builders.SHORT, WHOLE_GAME):
        tournament_builders.closed(row, entries)
    return row, tournament_builders.seated(row)


def test_another_alternative_is_taken_once_and_verified_as_the_one_that_was_taken(third):
    row, round_ = third
    found = choice(row, round_)
    first, *others = found["offered"]
    assert (first["taken"], any(each["taken"] for each in others)) == (True, False)
    assert found["moved"]
    strict = min(found["offered"], key=lambda each: each["repeat_meetings"])
    assert strict["as_by_lot"]
    assert not first["as_by_lot"]

    for _ in range(2):
        take_alternative(round_.pk, strict["number"], strict["seed"], NOBODY, at=EVENING)

    assert AuditEntry.objects.filter(action="take-alternative").count() == 1
    now = seating_page(load_state(row), round_) if choice(row, round_) else {}
    assert now["quality"].repeat_meetings == strict["repeat_meetings"]
    assert now["quality"].score_spread == strict["score_spread"]
    assert [each["number"] for each in now["alternatives"] if each["taken"]] == [strict["number"]]
    tournament_builders.closed(row)
    row.refresh_from_db()
    count = len(found["offered"])
    assert drawn_of(row) == ("same", "taken", {"number": strict["number"], "count": count})


def test_an_alternative_that_was_never_offered_is_found_out(third):
    row, _round = third
    document = tournament_document(row)
    offered = document["rounds"][-1]["draw"]["alternatives"]["offered"]
    offered[0]["weights"] = offered[0]["weights"] | {"repeat": 77}

    point = [p for p in verify_tournament(document).points if p.what == "draw"][-1]
    assert (point.outcome, point.code) == ("differs", "not-offered")


def test_a_round_seated_again_keeps_the_alternative_and_the_fewest_repeats_ever_found(third):
    row, round_ = third
    strict = min(choice(row, round_)["offered"], key=lambda each: each["repeat_meetings"])
    take_alternative(round_.pk, strict["number"], strict["seed"], NOBODY, at=EVENING)
    # As if an earlier draw had found fewer than this one can.
    draw = Draw.objects.get(round=round_)
    draw.document["alternatives"]["offered"][strict["number"] - 1]["repeat_meetings"] = -1
    draw.save()

    again(round_)

    found = choice(row, round_)
    assert found["offered"][-1] | {"number": 0} == strict | {
        "number": 0,
        "repeat_meetings": -1,
        "taken": False,
    }
    (taken,) = (each for each in found["offered"] if each["taken"])
    assert (taken["as_by_lot"], taken["seed"] != strict["seed"]) == (True, True)
    with pytest.raises(SeatingMoved):
        take_alternative(round_.pk, taken["number"], strict["seed"], NOBODY, at=EVENING)


def test_only_players_of_ones_section_are_neighbours_and_it_takes_no_query(
    django_assert_num_queries,
):
    row = tournament_builders.running(*EIGHTEEN, rounds=4, points="places", sections=2)
    row.entrants.filter(number__lte=8).update(section="A")
    for entries in (tournament_builders.SHORT, WHOLE_GAME):
        tournament_builders.closed(row, entries)
    round_ = tournament_builders.seated(row)
    row.refresh_from_db()
    state = load_state(row)
    sections = list(sections_seated(state, state.seating_of(round_)))

    with django_assert_num_queries(0):
        found = apart_in(state, round_, sections)

    pairs = {(key, each.other) for key, apart in found.items() for each in apart}
    assert len(pairs) > 5
    assert all((int(one[1:]) <= 8) == (int(other[1:]) <= 8) for one, other in pairs)


@pytest.mark.parametrize(("objective", "repeats"), [("no-repeats", 0), ("near-scores", None)])
def test_the_setting_says_which_alternative_stands_first(third, objective, repeats):
    row, round_ = third
    Tournament.objects.filter(pk=row.pk).update(settings=row.settings | {"objective": objective})

    again(round_)

    first, *others = choice(row, round_)["offered"]
    assert first["taken"]
    assert (first["repeat_meetings"] == 0) == (repeats == 0)
    assert others


@pytest.mark.parametrize("worth", [{}, {"missed": "1/2"}, {"missed": None}])
def test_bye_on_arrival_is_worth_no_more_than_a_missed_round_but_where_it_always_was(worth):
    row = tournament_builders.running(*tournament_builders.NINE[:8], rounds=3, bye=3)
    tournament_builders.closed(row)
    tournament_builders.register(row, "Geç Kalan")
    tournament_builders.closed(row, tables=[(1, 2, 3, 4), (5, 6, 7, 8)], byes=[9])
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


def test_house_players_fill_up_only_what_is_missing():
    row = tournament_builders.running(*tournament_builders.NINE[:7], odd="house")
    tournament_builders.register(row, "Ev 1", "Ev 2", "Ev 3", house=True)

    round_ = tournament_builders.seated(row)

    keys = [key for table in round_.seating["tables"] for key in table]
    assert (sorted(keys), round_.seating["byes"]) == ([f"e{n}" for n in range(1, 9)], [])


def test_pair_sits_opposite_and_plays_as_one():
    pairs = [Entry("Ayşe", partner="Burak"), Entry("Cem", partner="Deniz")]
    round_ = tournament_builders.published(tournament_builders.running(*pairs, ruleset="euchre"))

    players = Game.objects.get(table__round=round_).players
    assert {frozenset(players[0::2]), frozenset(players[1::2])} == {
        frozenset({"Ayşe", "Burak"}),
        frozenset({"Cem", "Deniz"}),
    }


def test_finals_are_cut_from_the_standings_and_end_with_one_table():
    row = tournament_builders.running(*tournament_builders.SIXTEEN, rounds=1, finals=8)
    for _ in range(3):
        tournament_builders.closed(row)

    stages = [(r.stage, r.tables.count()) for r in Round.objects.order_by("number")]
    assert stages == [("", 4), ("semi-final", 2), ("final", 1)]
    with pytest.raises(NoRoundLeft):
        seat_next_round(row.pk, NOBODY, at=EVENING)
    course = load_state(Tournament.objects.get(pk=row.pk))
    final = course.seated_rounds[-1].tables[0].entrants
    assert {each.entrant for each in course.standings_before(4)[:4]} == {*final}
