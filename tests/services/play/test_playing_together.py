"""Several phones at one sheet at the same moment, on real connections of their own.

What holds them apart is the lock of the game's row, and on SQLite the immediate transaction:
without it every test fails in which two write to one game.
"""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from django.db import connection

from tests.deals import WHOLE_GAME, deal
from tests.factories import EVENING, GameFactory, HeadFactory, PenFactory, record, reload
from tournaments.models import Game, Write
from tournaments.services.play import playing

pytestmark = pytest.mark.django_db(transaction=True)

RIFKI, QUEENS, _ = WHOLE_GAME[:3]
PHONES = 8
PATIENCE = 30


def outcome(write):
    """What a phone is told: a revision, or the name of what was raised."""
    try:
        return write().row.revision
    except Exception as error:  # noqa: BLE001 - whatever it is must be seen
        return type(error).__name__
    finally:
        connection.close()


def at_once(*writes):
    """Do all writes at one moment, each on a connection of its own."""
    start = threading.Barrier(len(writes))

    def one(write):
        start.wait(PATIENCE)
        return outcome(write)

    with ThreadPoolExecutor(len(writes)) as pool:
        return list(pool.map(one, writes))


def while_another_is_writing(write, other, storing=("INSERT", "DELETE FROM")):
    """Hold `write` just before it stores its row, begin `other` meanwhile; give both outcomes."""
    about_to_store, go_on = threading.Event(), threading.Event()

    def hold(execute, sql, params, many, context):
        if sql.startswith(storing) and not about_to_store.is_set():
            about_to_store.set()
            go_on.wait(PATIENCE)
        return execute(sql, params, many, context)

    def held():
        with connection.execute_wrapper(hold):
            return write()

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(outcome, held)
        assert about_to_store.wait(PATIENCE)
        second = pool.submit(outcome, other)
        # Long enough for the other to come as far as it can.
        time.sleep(0.5)
        waited = not second.done()
        go_on.set()
        return first.result(PATIENCE), second.result(PATIENCE), waited


@contextmanager
def nothing_left_behind():
    """No write without its game afterwards."""
    yield
    games = Game.objects.values("pk")
    assert not Write.objects.exclude(game__in=games).exists()


def test_second_write_waits_for_the_first_and_is_stale():
    game = GameFactory()
    pens = [PenFactory(revision=0) for _ in range(2)]

    first, second, waited = while_another_is_writing(
        lambda: playing.record_entry(game.pk, RIFKI, pens[0]),
        lambda: playing.record_entry(game.pk, RIFKI, pens[1]),
    )

    assert (first, second, waited) == (1, "StaleRevision", True)
    assert [write.key for write in reload(game).writes] == [pens[0].key]


def test_same_key_waits_for_the_first_and_repeats_its_answer():
    game = GameFactory()
    pen = PenFactory(revision=0)

    first, second, waited = while_another_is_writing(
        lambda: playing.record_entry(game.pk, RIFKI, pen),
        lambda: playing.record_entry(game.pk, RIFKI, pen),
    )

    assert (first, second, waited) == (1, 1, True)
    assert reload(game).row.revision == 1


def test_second_correction_waits_for_the_first_and_is_stale():
    game = GameFactory(entries=[RIFKI, QUEENS])
    versions = [deal("heart-king", 1, 0, 0, 0), deal("heart-king", 0, 0, 0, 1)]

    first, second, waited = while_another_is_writing(
        *(
            lambda body=body: playing.correct_entry(game.pk, 0, body, "", PenFactory(revision=2))
            for body in versions
        )
    )

    assert (first, second, waited) == (3, "StaleRevision", True)
    assert reload(game).body(0) == versions[0]


def test_new_head_waits_for_an_entry_and_does_not_undo_its_revision():
    game = GameFactory()

    first, second, waited = while_another_is_writing(
        lambda: playing.record_entry(game.pk, RIFKI, PenFactory(revision=0)),
        lambda: playing.change_head(game.pk, HeadFactory(first_declarer=1), PenFactory(revision=0)),
    )

    assert (first, second, waited) == (1, "StaleRevision", True)
    sheet = reload(game)
    assert (sheet.row.revision, sheet.row.first_declarer) == (1, 0)


def test_pen_taken_during_a_write_stays_taken():
    game = GameFactory()

    def take():
        playing.hand_over(game.pk, 1, "other-phone", at=EVENING)
        return reload(game)

    first, second, waited = while_another_is_writing(
        lambda: playing.record_entry(game.pk, RIFKI, PenFactory(revision=0)), take
    )

    assert (first, second, waited) == (1, 1, True)
    game.refresh_from_db()
    assert (game.revision, game.write_generation) == (1, 2)


def test_deletion_waits_for_a_write_and_takes_it_along():
    game = GameFactory(entries=[RIFKI])

    def delete():
        playing.delete_game(game.pk)
        return GameFactory()

    with nothing_left_behind():
        first, second, waited = while_another_is_writing(
            lambda: playing.record_entry(game.pk, QUEENS, PenFactory(revision=1)),
            lambda: reload(delete()),
        )

    assert (first, second, waited) == (2, 0, True)
    assert not Game.objects.filter(pk=game.pk).exists()


def test_write_waits_for_a_deletion_and_finds_no_game():
    game = GameFactory(entries=[RIFKI])

    def delete():
        playing.delete_game(game.pk)
        return reload(GameFactory())

    with nothing_left_behind():
        first, second, waited = while_another_is_writing(
            delete,
            lambda: playing.record_entry(game.pk, QUEENS, PenFactory(revision=1)),
        )

    assert (first, second, waited) == (0, "DoesNotExist", True)


def test_many_phones_writing_the_same_deal_store_it_once():
    for _ in range(3):
        game = GameFactory()

        told = at_once(
            *(
                lambda pk=game.pk: playing.record_entry(pk, RIFKI, PenFactory(revision=0))
                for _ in range(PHONES)
            )
        )

        assert sorted(map(str, told)) == ["1", *["StaleRevision"] * (PHONES - 1)]
        assert reload(game).row.revision == 1


def test_many_phones_sending_one_key_are_all_told_the_same():
    game = GameFactory(entries=[RIFKI])
    pen = PenFactory(revision=1)

    told = at_once(*[lambda: playing.record_entry(game.pk, QUEENS, pen)] * PHONES)

    assert told == [2] * PHONES
    assert len(reload(game).writes) == 2


def test_many_phones_starting_with_one_key_open_one_table():
    def start():
        return reload(playing.start_game(HeadFactory(), at=EVENING, key="start-key-1"))

    told = at_once(*[start] * PHONES)

    assert told == [0] * PHONES
    assert Game.objects.count() == 1


def test_phones_at_different_tables_do_not_disturb_each_other():
    games = [GameFactory() for _ in range(PHONES)]

    told = at_once(*(lambda game=game: record(game, RIFKI) for game in games))

    assert told == [1] * PHONES
