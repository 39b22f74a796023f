"""Two directors who lead a round at the same moment, on connections of their own.

What holds them apart is the lock of the tournament, and on SQLite the immediate transaction.
"""

import pytest
from django.utils import timezone

from tests.club_factories import ClubFactory, MemberFactory, PlayerFactory
from tests.deals import WHOLE_GAME
from tests.evening_builders import write
from tests.factories import EVENING, ContextFactory, record
from tests.together import at_once, doing, while_another_is_writing
from tests.tournament_builders import (
    NINE,
    PENALTY,
    closed,
    decide,
    one_table,
    opened,
    plan,
    play,
    published,
    running,
    seated,
)
from tests.web.rounds.going import going, table
from tournaments import models
from tournaments.engine.documents.entries import parse_entry
from tournaments.queries.sheets import load_sheet
from tournaments.services.audit import NOBODY, Actor
from tournaments.services.entrants.registration import Entry, register_by_link, register_entrants
from tournaments.services.events import events
from tournaments.services.games import tables
from tournaments.services.games.playing import correct_entry
from tournaments.services.people.merging import merge_players
from tournaments.services.rounds import changes, comings, rulings, seating
from tournaments.services.rounds import running as rounds_running
from tournaments.services.rounds.rulings import SeenDeal, confirm_deal, dispute_deal, settle_deal
from tournaments.services.rounds.seating import take_back_round
from tournaments.services.tournaments.lifecycle import (
    change_tournament,
    create_tournament,
    move_tournament,
    remove_tournament,
)

pytestmark = pytest.mark.django_db(transaction=True)


def lines(action):
    return models.AuditEntry.objects.filter(action=action).count()


def leading(service, pk):
    return lambda: bool(service(pk, NOBODY, at=EVENING))


def test_round_is_published_opened_and_closed_once_by_two_at_once():
    round_ = seating.seat_next_round(running(*NINE).pk, NOBODY, at=EVENING)

    for step in (seating.publish_round, rounds_running.open_round, rounds_running.close_round):
        if step == rounds_running.close_round:
            play(round_)
        assert at_once(*[leading(step, round_.pk)] * 2) == [True, True]

    assert [lines(f"{step}-round") for step in ("publish", "open", "close")] == [1, 1, 1]
    counts = [model.objects.count() for model in (models.Table, models.Game, models.Sitting)]
    assert counts == [2, 2, 9]
    assert len(models.Round.objects.get(pk=round_.pk).standings) == 9


def test_round_that_waited_for_a_write_is_closed_by_the_sheet_after_it():
    round_ = one_table()
    play(round_, WHOLE_GAME[:19])
    table = models.Table.objects.get()

    assert while_another_is_writing(
        write(table, WHOLE_GAME[19], 19), leading(rounds_running.close_round, round_.pk)
    ) == (20, True, True)
    round_.refresh_from_db()
    assert sorted(points for _place, points in round_.standings.values()) == [-330, -110, -100, 540]


def test_clock_is_started_once_and_time_added_once_by_two_at_once():
    round_ = one_table(minutes=60)

    def add():
        return rounds_running.add_time(
            round_.pk, rounds_running.Added(300, 3600), NOBODY, at=EVENING
        ).pk

    at_once(*[leading(rounds_running.start_clock, round_.pk)] * 2)
    at_once(add, add)

    assert (lines("start-clock"), lines("add-time")) == (1, 1)
    assert models.Round.objects.get(pk=round_.pk).clock_seconds == 3900


def test_game_is_ended_for_time_once_by_two_at_once():
    round_ = one_table(overtime="last-deal-void")
    play(round_, WHOLE_GAME[:3])
    table = models.Table.objects.get()
    by = Actor(MemberFactory(club=round_.event.club, role="director").user)

    def finish():
        return rounds_running.finish_for_time(table.pk, "time", by, at=EVENING)

    assert at_once(finish, finish) == [5, 5]
    assert models.Revision.objects.count() == 5


def test_penalty_is_given_and_a_call_made_once_by_two_at_once():
    round_ = one_table()
    table, entrant = models.Table.objects.get(), models.Entrant.objects.get(number=1)

    at_once(*[lambda: decide(round_, entrant.number, PENALTY).pk] * 2)
    at_once(*[leading(rulings.call_director, table.pk)] * 2)

    assert (models.Ruling.objects.count(), lines("call-director")) == (1, 1)


OTHERWISE = parse_entry(WHOLE_GAME[1] | {"counts": {"queens": [3, 0, 0, 1]}})


@pytest.fixture
def game():
    game = table(going(ClubFactory(), 1, confirm_deals=True)).games.get()
    record(game, WHOLE_GAME[1])
    return game


def seen(revision=1):
    return SeenDeal(0, revision, NOBODY, timezone.now())


def kinds():
    return list(models.DealReview.objects.values_list("revision", "kind"))


def test_two_phones_confirm_a_deal_once(game):
    works = (lambda seat=seat: confirm_deal(game.pk, seen(), seat) for seat in (1, 2))

    assert at_once(*works) == [1, 1]
    assert kinds() == [(1, "confirmed")]
    assert models.AuditEntry.objects.filter(action="confirm-deal").count() == 1


def test_deal_that_was_corrected_meanwhile_is_not_confirmed(game):
    context = ContextFactory(revision=1)

    first, second, waited = while_another_is_writing(
        lambda: correct_entry(game.pk, 0, OTHERWISE, "", context),
        lambda: confirm_deal(game.pk, seen(), 1),
    )

    assert (first, second, waited, kinds()) == (2, "StaleRevision", True, [])


def test_two_directors_settle_a_dispute_once(game):
    dispute_deal(game.pk, seen(), 1, OTHERWISE)
    director = Actor(MemberFactory(club=game.table.round.event.club, role="director").user)
    said = SeenDeal(0, 1, director, timezone.now())

    outcomes = at_once(
        *(lambda: settle_deal(game.pk, said, disputed_counts=True) for _ in range(2))
    )

    assert outcomes == [2, 2]
    assert kinds() == [(1, "disputed"), (2, "settled")]


def seat(row):
    return lambda: seating.seat_next_round(row.pk, NOBODY, at=EVENING).pk


def test_two_who_seat_the_next_round_get_the_same_one():
    row = running(*NINE)

    first, second = at_once(seat(row), seat(row))

    assert first == second
    assert models.Round.objects.count() == 1


@pytest.mark.parametrize(
    "outdate",
    [
        lambda row, played: decide(played, 1, PENALTY),
        lambda row, _: change_tournament(row.pk, plan(seating="rank-near"), NOBODY, at=EVENING),
    ],
)
def test_seating_that_another_makes_outdated_meanwhile_is_not_published(outdate):
    row = running(*NINE[:8], seating="swiss")
    played = closed(row)
    publish = leading(seating.publish_round, seated(row).pk)

    assert while_another_is_writing(lambda: bool(outdate(row, played)), publish) == (
        True,
        "DrawnFromOthers",
        True,
    )


def test_swap_sent_by_two_is_made_once():
    row = running(*NINE[:8])
    round_ = seated(row)
    seen = models.Tournament.objects.get(pk=row.pk).revision
    one, other = (table[0] for table in round_.seating["tables"])

    def swap():
        at = {"seen": seen, "at": EVENING}
        changes.swap_seats(round_.pk, one, other, NOBODY, **at)
        return "swapped"

    done = at_once(swap, swap)

    assert sorted(done) == ["SeatingMoved", "swapped"]
    tables = models.Round.objects.get(pk=round_.pk).seating["tables"]
    assert [table[0] for table in tables] == [other, one]


def test_exchange_by_two_at_a_table_that_begins_is_made_once():
    round_ = opened(running(*NINE[:8]))
    table = round_.tables.get(number=1)
    seats = models.Entrant.objects.filter(sittings__table=table).order_by("sittings__side")
    keys = [entrant.key for entrant in seats]
    seen = models.Tournament.objects.get().revision

    def exchange():
        asked = changes.Exchange(keys[:2])
        changes.exchange_seats(round_.pk, asked, NOBODY, seen=seen, at=EVENING)
        return "exchanged"

    *exchanges, begun = at_once(exchange, exchange, write(table))

    assert sorted(exchanges) == ["SeatingMoved", "exchanged"]
    # The deal counts for the chairs, or was written for the people of before.
    assert begun in (1, "StaleRevision")
    assert [entrant.key for entrant in seats.all()] == [keys[1], keys[0], *keys[2:]]


@pytest.mark.parametrize(
    ("other", "late"), [("counts", {None}), ("house", {"NotInRound", "WayGone"})]
)
def test_two_who_decide_about_one_who_leaves_agree_while_the_phone_writes(other, late):
    round_ = opened(running(*NINE[:4]))
    play(round_, WHOLE_GAME[:3])
    row, entrant = models.Game.objects.get(), models.Entrant.objects.get(number=1)

    def leaves(way):
        decision = comings.Leaving(way)
        return comings.leave(round_.pk, entrant.pk, decision, NOBODY, at=EVENING, reason="left")

    *directors, phone = at_once(
        lambda: leaves("counts"),
        lambda: leaves(other),
        lambda: record(row, WHOLE_GAME[3]),
    )

    assert lines("leave-table") == lines("withdraw-entrant") == 1
    first, second = sorted(directors, key=bool)
    assert first is None
    assert second in late
    assert phone in (4, "StaleRevision")
    assert len(load_sheet(models.Game.objects.get()).game.deals) == 3 + (phone == 4)


def test_table_that_begins_while_somebody_is_taken_from_it_is_one_of_the_two():
    row = running(*NINE)
    round_ = opened(row)
    table = round_.tables.get(number=1)
    leaving = models.Entrant.objects.get(sittings__table=table, sittings__side=0)

    def leave():
        changes.change_late(round_.pk, NOBODY, at=EVENING, leaving=[leaving.pk])
        return "left"

    begun, left = at_once(write(table), leave)

    names = models.Game.objects.get(table=table).players
    assert (begun, left, leaving.player.name in names) in [
        (1, "TableBegun", True),
        ("StaleRevision", "left", False),
    ]


def take_back(round_):
    return lambda: take_back_round(round_.pk, NOBODY, at=EVENING).state


def close(round_):
    rounds_running.open_round(round_.pk, NOBODY, at=EVENING)
    return lambda: rounds_running.close_round(round_.pk, NOBODY, at=EVENING).state


def close_evening(round_):
    rounds_running.open_round(round_.pk, NOBODY, at=EVENING)
    return lambda: events.close_round(round_.pk, NOBODY, at=EVENING).state


def let_leave(round_):
    leaving = models.Entrant.objects.get(sittings__table__number=1, sittings__side=0)
    made = {"at": EVENING, "leaving": [leaving.pk]}
    return lambda: bool(changes.change_late(round_.pk, NOBODY, **made))


@pytest.mark.parametrize(
    ("lead", "gave"),
    [(take_back, "seated"), (close, "RoundNotReady"), (close_evening, "closed"), (let_leave, True)],
)
def test_table_whose_address_is_replaced_meanwhile_blocks_nobody(lead, gave):
    round_ = published(running(*NINE))
    table = round_.tables.get(number=1)

    def replace():
        return tables.replace_address(table.pk, NOBODY, at=EVENING).generation

    assert while_another_is_writing(replace, lead(round_), "UPDATE") == (2, gave, True)


def test_round_that_is_taken_back_waits_for_players_who_are_merged():
    round_ = published(running(*NINE))
    gone = models.Entrant.objects.get(sittings__table__number=1, sittings__side=0).player
    kept = PlayerFactory(club=gone.club)

    def merge():
        return merge_players(kept.pk, gone.pk, NOBODY, at=EVENING).kept_id

    assert while_another_is_writing(merge, take_back(round_)) == (kept.pk, "seated", True)


@pytest.fixture
def tournament():
    return create_tournament(ClubFactory(), plan(), NOBODY, at=EVENING)


def test_two_who_start_it_at_once_start_it_once(tournament):
    move_tournament(tournament.pk, "registration", NOBODY, at=EVENING)
    start = doing(move_tournament, tournament.pk, "running", NOBODY)

    assert while_another_is_writing(start, start) == (1, 1, True)
    assert models.Tournament.objects.get().state == "running"
    assert lines("move-tournament") == 2


def test_step_decided_on_a_state_that_another_has_changed_is_refused(tournament):
    move_tournament(tournament.pk, "registration", NOBODY, at=EVENING)
    start, back = (
        doing(move_tournament, tournament.pk, state, NOBODY) for state in ("running", "draft")
    )

    assert while_another_is_writing(start, back) == (1, "WrongState", True)
    assert models.Tournament.objects.get().state == "running"


def test_entrant_who_comes_while_the_tournament_is_removed_comes_too_late(tournament):
    remove = doing(remove_tournament, tournament.pk, NOBODY)
    enter = doing(register_entrants, tournament.pk, [Entry("Ayşe")], NOBODY)

    assert while_another_is_writing(remove, enter) == (1, "DoesNotExist", True)
    assert not models.Tournament.objects.exists()


def test_form_sent_twice_at_once_makes_one_tournament():
    club = ClubFactory()

    def create(*, at):
        create_tournament(club, plan(), NOBODY, at=at, key="k" * 24)

    assert at_once(*[doing(create)] * 4) == [1] * 4
    assert (models.Event.objects.count(), lines("add-tournament")) == (1, 1)


def test_one_name_registered_by_several_phones_at_once_is_one_entrant(tournament):
    move_tournament(tournament.pk, "registration", NOBODY, at=EVENING)

    answers = at_once(
        *[
            lambda name=name: (
                register_by_link(tournament.pk, Entry(name), NOBODY, at=EVENING).number
            )
            for name in ("İPEK", "ipek", "Ipek", "ıpek")
        ]
    )

    assert answers == [1] * 4
    assert (models.Entrant.objects.count(), models.Player.objects.count()) == (1, 1)
