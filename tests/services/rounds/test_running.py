from datetime import timedelta

import pytest

from tests.club_factories import MemberFactory, RoundFactory
from tests.deals import WHOLE_GAME
from tests.factories import EVENING, ContextFactory, record, record_all
from tests.tournament_builders import NINE, PENALTY, decide, one_table, play, running, seated
from tournaments.engine.rules.entries import Stopped
from tournaments.models import AuditEntry, Entrant, Game, Revision, Round, Ruling, Table, Tournament
from tournaments.queries.sheets import load_sheet
from tournaments.queries.state import field_of, load_state, seconds_left
from tournaments.services.audit import NOBODY, Actor
from tournaments.services.games.playing import seal_contract
from tournaments.services.games.writing import RoundClosed
from tournaments.services.rounds import rulings
from tournaments.services.rounds.running import (
    Added,
    add_time,
    close_round,
    finish_for_time,
    pause_clock,
    start_clock,
)
from tournaments.services.rounds.seating import publish_round, seat_next_round
from tournaments.services.tournaments.lifecycle import WrongState

pytestmark = pytest.mark.django_db


def after(minutes):
    return EVENING + timedelta(minutes=minutes)


def told(action):
    return list(AuditEntry.objects.filter(action=action).values_list("after", flat=True))


def test_what_is_left_follows_from_what_has_run():
    for used, started, at, left in (
        (0, None, 30, 3600),
        (600, None, 30, 3000),
        (0, 0, 30, 1800),
        (600, 10, 30, 1800),
        (0, 0, 61, -60),
        # A machine whose clock was put back.
        (0, 10, 0, 3600),
    ):
        since = None if started is None else after(started)
        round_ = Round(clock_seconds=3600, clock_used=used, clock_started_at=since)

        assert seconds_left(round_, after(at)) == left
        assert seconds_left(round_, after(at), extra=300) == left + 300
        round_.closed_at = EVENING
        assert seconds_left(round_, after(at)) is seconds_left(Round(), EVENING) is None


def test_round_without_a_clock_is_given_one():
    round_ = one_table()
    with pytest.raises(WrongState):
        start_clock(round_.pk, NOBODY, at=EVENING)

    add_time(round_.pk, Added(600, 0), NOBODY, at=EVENING)
    round_ = start_clock(round_.pk, NOBODY, at=EVENING)

    assert seconds_left(round_, after(4)) == 360


def test_clock_of_a_round_that_is_not_open_stands():
    round_ = seated(running(*NINE[:4], minutes=60))

    for change in (start_clock, pause_clock):
        with pytest.raises(WrongState):
            change(round_.pk, NOBODY, at=EVENING)


def scores():
    course = load_state(Tournament.objects.get())
    return {each.id: each.score for each in field_of(course, 2).entrants}


def test_penalty_takes_its_points_once_for_each_reason_until_it_is_withdrawn():
    round_ = one_table()
    play(round_)
    before = scores()["e1"]

    first, second = (decide(round_, 1, PENALTY) for _tap in range(2))

    assert first == second
    assert scores()["e1"] == before - 50
    line = AuditEntry.objects.get(action="rule")
    told = {"round": 1, "entrants": ["e1"], "ruling": "penalty", "points": 50}
    assert (line.after, line.reason) == (told, "revoke")
    decide(round_, 1, rulings.RulingDecision("penalty", "1/2", "late"))
    assert before - scores()["e1"] == 50.5
    for _tap in range(2):
        rulings.withdraw_ruling(first.pk, NOBODY, at=EVENING)
    assert before - scores()["e1"] == 0.5
    assert Ruling.objects.get(pk=first.pk).withdrawn_at == EVENING
    assert AuditEntry.objects.filter(action="withdraw-ruling").count() == 1


def test_later_result_takes_the_place_of_the_one_before_and_leaves_penalties():
    round_ = one_table()
    play(round_)

    decide(round_, 1, PENALTY)
    decide(round_, 1, rulings.RulingDecision("forfeit", -300, "left"))
    decide(round_, 1, rulings.RulingDecision("adjusted", 100, "the table agreed"))

    assert scores()["e1"] == 50
    standing = Ruling.objects.filter(withdrawn_at=None).values_list("kind", flat=True)
    assert sorted(standing) == ["adjusted", "penalty"]


def test_ruling_that_cannot_be_is_refused():
    round_ = one_table()

    for said, refused in (
        (rulings.RulingDecision("penalty", 50, "  "), rulings.NoReason),
        (rulings.RulingDecision("penalty", 0, "revoke"), rulings.NoSuchPoints),
        (rulings.RulingDecision("penalty", -5, "revoke"), rulings.NoSuchPoints),
        (rulings.RulingDecision("adjusted", "5,5", "agreed"), rulings.NoSuchPoints),
        (rulings.RulingDecision("adjusted", 10_001, "agreed"), rulings.NoSuchPoints),
        (rulings.RulingDecision("shot", 5, "agreed"), rulings.NoSuchPoints),
    ):
        with pytest.raises(refused):
            decide(round_, 1, said)
    assert Ruling.objects.count() == 0


def test_only_who_takes_part_in_a_round_is_ruled_about():
    row = running(*NINE)
    round_ = seat_next_round(row.pk, NOBODY, at=EVENING)
    with pytest.raises(WrongState):
        decide(round_, 1, PENALTY)
    publish_round(round_.pk, NOBODY, at=EVENING)
    Entrant.objects.filter(number=2).update(house=True)

    with pytest.raises(rulings.NotInRound):
        decide(round_, 2, PENALTY)
    another = RoundFactory(event=row.event, number=2, published_at=EVENING, opened_at=None)
    with pytest.raises(rulings.NotInRound):
        decide(another, 1, PENALTY)


def played(overtime, *bodies, ruleset="turkish-king"):
    round_ = one_table(overtime=overtime, ruleset=ruleset)
    table = Table.objects.get()
    record_all(table.games.get(), bodies)
    director = MemberFactory(club=round_.event.club, role="director").user
    return table, Actor(director)


def finish(table, by):
    return finish_for_time(table.pk, "time was over", by, at=EVENING)


def test_game_out_of_time_counts_as_it_stands():
    table, by = played("as-it-stands", *WHOLE_GAME[:3])
    before = load_sheet(table.games.get()).game.totals

    for _tap in range(2):
        sheet = finish(table, by)

    assert (sheet.game.totals, sheet.game.ending.by) == (before, "stopped")
    assert Revision.objects.count() == 4
    assert table.games.get().result["totals"] == list(before)


def test_last_whole_deal_is_void_where_the_settings_say_so():
    table, by = played("last-deal-void", *WHOLE_GAME[:3])
    fine = {"type": "adjustment", "seat": 0, "points": -10, "reason": "late"}
    record(table.games.get(), fine)

    for _tap in range(2):
        sheet = finish(table, by)

    assert len(sheet.game.deals) == 2
    gone = Revision.objects.get(kind="withdrawal")
    assert (gone.position, gone.reason, gone.author) == (2, "time was over", "")
    line = AuditEntry.objects.get(action="withdrawal")
    assert (line.user, line.reason) == (by.user, "time was over")


def test_deal_that_is_sealed_and_not_played_is_withdrawn():
    table, by = played("as-it-stands", ruleset="turkish-king-sealed")
    seal_contract(table.games.get().pk, "trump", ContextFactory(revision=0))
    assert load_sheet(table.games.get()).game.open_deal is not None

    sheet = finish(table, by)

    assert (sheet.game.entries, sheet.game.open_deal) == ((Stopped("time"),), None)
    assert Revision.objects.filter(kind="withdrawal", position=0).exists()


@pytest.mark.parametrize(
    ("bodies", "totals"), [((), (0,) * 4), (WHOLE_GAME, (540, -110, -330, -100))]
)
def test_table_that_wrote_nothing_or_has_finished_is_ended_as_it_stands(bodies, totals):
    table, by = played("last-deal-void", *bodies)

    assert finish(table, by).game.totals == totals
    assert close_round(table.round_id, by, at=EVENING).closed_at == EVENING


def test_table_calls_once_and_is_answered_once():
    round_ = one_table()
    table = Table.objects.get()
    phone = Actor(table=table.public_id)

    for _tap in range(2):
        assert rulings.call_director(table.pk, phone, at=EVENING).called_at == EVENING
    for _tap in range(2):
        assert rulings.answer_call(table.pk, NOBODY, at=EVENING).called_at is None

    lines = AuditEntry.objects.filter(subject=f"table:{table.public_id}")
    assert list(lines.order_by("pk").values_list("action", "table")) == [
        ("call-director", table.public_id),
        ("answer-call", ""),
    ]
    play(round_)
    close_round(round_.pk, NOBODY, at=EVENING)
    with pytest.raises(RoundClosed):
        rulings.call_director(table.pk, phone, at=EVENING)
    assert Game.objects.get().table.called_at is None
