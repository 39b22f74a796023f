"""Several phones at one sheet at the same moment, on real connections of their own.

What holds them apart is the lock of the game's row, and on SQLite the immediate transaction:
without it every test fails in which two write to one game.
"""

import pytest

from tests.deals import WHOLE_GAME
from tests.factories import EVENING, ContextFactory, GameFactory, reload
from tests.together import while_another_is_writing
from tournaments.engine.documents.entries import parse_entry
from tournaments.models import Game
from tournaments.services.games import playing

pytestmark = pytest.mark.django_db(transaction=True)

RIFKI, QUEENS, _ = WHOLE_GAME[:3]


@pytest.mark.parametrize(
    ("other_key", "answer"), [("other-key-000001", "StaleRevision"), ("phone-key-000001", 1)]
)
def test_second_write_waits_for_the_first_and_is_stale_unless_its_key_is_the_same(
    other_key, answer
):
    game = GameFactory()
    one, other = (ContextFactory(revision=0, key=key) for key in ("phone-key-000001", other_key))

    first, second, waited = while_another_is_writing(
        lambda: playing.record_entry(game.pk, parse_entry(RIFKI), one),
        lambda: playing.record_entry(game.pk, parse_entry(RIFKI), other),
    )

    assert (first, second, waited) == (1, answer, True)
    assert [write.key for write in reload(game).revisions] == [one.key]


@pytest.mark.parametrize(
    ("other_key", "answer"), [("other-key-000001", "StaleRevision"), ("phone-key-000001", 2)]
)
def test_totals_from_paper_that_two_correct_at_once_are_corrected_once(other_key, answer):
    game, read = GameFactory(), (90, -60, -20, -10)
    playing.record_totals(game.pk, (100, -60, -20, -20), ContextFactory())
    one, other = (ContextFactory(revision=1, key=key) for key in ("phone-key-000001", other_key))

    first, second, waited = while_another_is_writing(
        lambda: playing.record_totals(game.pk, read, one, reason="misread"),
        lambda: playing.record_totals(game.pk, read, other, reason="misread"),
    )

    assert (first, second, waited) == (2, answer, True)
    assert [write.kind for write in reload(game).revisions] == ["entry", "correction"]


def test_pen_taken_during_a_write_stays_taken():
    game = GameFactory()

    def take():
        playing.hand_over(game.pk, 1, "other-phone", at=EVENING)
        return reload(game)

    first, second, waited = while_another_is_writing(
        lambda: playing.record_entry(game.pk, parse_entry(RIFKI), ContextFactory(revision=0)), take
    )

    assert (first, second, waited) == (1, 1, True)
    game.refresh_from_db()
    assert (game.revision, game.write_generation) == (1, 2)


def test_deletion_waits_for_a_write_and_takes_it_along():
    game = GameFactory(entries=[RIFKI])

    def delete():
        playing.delete_game(game.pk)
        return GameFactory()

    first, second, waited = while_another_is_writing(
        lambda: playing.record_entry(game.pk, parse_entry(QUEENS), ContextFactory(revision=1)),
        lambda: reload(delete()),
    )

    assert (first, second, waited) == (2, 0, True)
    assert not Game.objects.filter(pk=game.pk).exists()


def test_write_waits_for_a_deletion_and_finds_no_game():
    game = GameFactory(entries=[RIFKI])

    def delete():
        playing.delete_game(game.pk)
        return reload(GameFactory())

    first, second, waited = while_another_is_writing(
        delete,
        lambda: playing.record_entry(game.pk, parse_entry(QUEENS), ContextFactory(revision=1)),
    )

    assert (first, second, waited) == (0, "DoesNotExist", True)
