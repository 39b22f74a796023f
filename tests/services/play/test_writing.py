"""Keys and revisions of what is written on a sheet: the key is looked up first."""

from dataclasses import replace

import pytest

from tests.deals import WHOLE_GAME, deal
from tests.factories import (
    GameFactory,
    HeadFactory,
    PenFactory,
    record,
)
from tournaments.engine.problems import InvalidEntry
from tournaments.models import Write
from tournaments.services.play import playing, writing

pytestmark = pytest.mark.django_db

RIFKI, QUEENS, MEN = WHOLE_GAME[:3]


def log(game):
    """What the log holds of a game, row by row."""
    rows = Write.objects.filter(game_id=game.pk).order_by("revision")
    return [(w.revision, str(w.kind), w.position, w.body, w.author, w.reason) for w in rows]


def test_key_sent_again_repeats_the_answer_and_stores_nothing():
    game = GameFactory()
    pen = PenFactory(revision=0)
    playing.record_entry(game.pk, RIFKI, pen)

    again = playing.record_entry(game.pk, RIFKI, pen)

    assert (again.row.revision, again.game.totals) == (1, (0, 0, -320, 0))
    assert len(log(game)) == 1


def test_key_sent_again_repeats_the_answer_even_when_stale():
    game = GameFactory()
    pen = PenFactory(revision=0)
    playing.record_entry(game.pk, RIFKI, pen)
    record(game, QUEENS)

    again = playing.record_entry(game.pk, RIFKI, pen)

    assert (again.row.revision, len(log(game))) == (2, 2)


def test_key_sent_again_is_known_in_another_form_and_from_another_holder():
    game = GameFactory()
    pen = PenFactory(revision=0, author="Ayşe")
    sent = {"type": "adjustment", "seat": 2, "points": -100, "reason": "revoke"}
    playing.record_entry(game.pk, sent, pen)

    same = {**sent, "points": "-300/3", "to": "none"}
    again = playing.record_entry(game.pk, same, replace(pen, author="Burak"))

    assert (again.row.revision, len(log(game))) == (1, 1)


def test_key_sent_again_after_the_entry_was_withdrawn_repeats_and_does_not_revive():
    game = GameFactory()
    pen = PenFactory(revision=0)
    playing.record_entry(game.pk, RIFKI, pen)
    playing.withdraw_entry(game.pk, 0, "", PenFactory(revision=1))

    again = playing.record_entry(game.pk, RIFKI, pen)

    assert (again.positions, len(log(game))) == ((), 2)


def test_key_with_another_body_is_refused():
    game = GameFactory()
    pen = PenFactory(revision=0)
    playing.record_entry(game.pk, RIFKI, pen)

    with pytest.raises(writing.KeyReused):
        playing.record_entry(game.pk, deal("heart-king", 1, 0, 0, 0), replace(pen, revision=1))

    assert len(log(game)) == 1


def test_key_with_another_body_is_refused_before_the_stale_revision():
    game = GameFactory()
    pen = PenFactory(revision=0)
    playing.record_entry(game.pk, RIFKI, pen)
    record(game, QUEENS)

    with pytest.raises(writing.KeyReused):
        playing.record_entry(game.pk, deal("heart-king", 1, 0, 0, 0), pen)


def test_key_with_a_body_that_cannot_be_is_refused_as_reused():
    game = GameFactory()
    pen = PenFactory(revision=0)
    playing.record_entry(game.pk, RIFKI, pen)

    with pytest.raises(writing.KeyReused):
        playing.record_entry(game.pk, deal("heart-king", 1, 1, 0, 0), replace(pen, revision=1))


@pytest.mark.parametrize(
    "other",
    [
        lambda game, pen: playing.record_entry(game.pk, RIFKI, pen),
        lambda game, pen: playing.correct_entry(game.pk, 1, RIFKI, "", pen),
        lambda game, pen: playing.correct_entry(game.pk, 0, QUEENS, "", pen),
        lambda game, pen: playing.correct_entry(game.pk, 0, RIFKI, "another reason", pen),
        lambda game, pen: playing.withdraw_entry(game.pk, 0, "", pen),
        lambda game, pen: playing.change_head(game.pk, HeadFactory(), pen),
    ],
    ids=["record", "other-position", "other-body", "other-reason", "withdraw", "head"],
)
def test_key_of_a_correction_is_refused_for_anything_else(other):
    game = GameFactory(entries=[deal("heart-king", 1, 0, 0, 0), QUEENS])
    pen = PenFactory(revision=2)
    playing.correct_entry(game.pk, 0, RIFKI, "", pen)

    with pytest.raises(writing.KeyReused):
        other(game, pen)

    assert len(log(game)) == 3


def test_key_of_a_refused_entry_is_free_for_the_right_one():
    game = GameFactory()
    pen = PenFactory(revision=0)
    with pytest.raises(InvalidEntry):
        playing.record_entry(game.pk, deal("heart-king", 0, 0, 1, 1), pen)

    sheet = playing.record_entry(game.pk, RIFKI, pen)

    assert (sheet.row.revision, log(game)[0][3]) == (1, RIFKI)


def test_key_of_a_stale_entry_is_free_for_the_next_try():
    game = GameFactory(entries=[RIFKI])
    pen = PenFactory(revision=0)
    with pytest.raises(writing.StaleRevision):
        playing.record_entry(game.pk, QUEENS, pen)

    sheet = playing.record_entry(game.pk, QUEENS, replace(pen, revision=1))

    assert sheet.row.revision == 2


def test_key_belongs_to_one_game():
    one, two = GameFactory(), GameFactory()
    pen = PenFactory(revision=0)
    playing.record_entry(one.pk, RIFKI, pen)

    playing.record_entry(two.pk, deal("heart-king", 1, 0, 0, 0), pen)

    assert (len(log(one)), len(log(two))) == (1, 1)


@pytest.mark.parametrize(
    "key", ["", "short", "x" * 65, "with space", "satır\nsonu", "ğğğğğğğğğ", "trailing-nl\n"]
)
def test_key_that_is_no_key_is_refused(key):
    game = GameFactory()

    with pytest.raises(writing.BadKey):
        playing.record_entry(game.pk, RIFKI, PenFactory(revision=0, key=key))

    assert log(game) == []


@pytest.mark.parametrize("revision", [0, 1, 3, -1])
def test_revision_that_is_not_the_current_one_is_stale_with_the_sheet_as_it_stands(revision):
    game = GameFactory(entries=[RIFKI, QUEENS])

    with pytest.raises(writing.StaleRevision) as refused:
        playing.record_entry(game.pk, MEN, PenFactory(revision=revision))

    assert refused.value.sheet.row.revision == 2
    assert refused.value.sheet.game.totals == (-100, 0, -520, -100)
    assert len(log(game)) == 2


def test_revision_is_looked_at_before_the_entry():
    """A phone that is behind first sees the sheet; its entry may be right or wrong by then."""
    game = GameFactory(entries=[RIFKI])

    with pytest.raises(writing.StaleRevision):
        playing.record_entry(game.pk, deal("heart-king", 9, 9, 9, 9), PenFactory(revision=0))


@pytest.mark.parametrize(
    "write",
    [
        lambda game, pen: playing.correct_entry(game.pk, 0, RIFKI, "", pen),
        lambda game, pen: playing.withdraw_entry(game.pk, 0, "", pen),
        lambda game, pen: playing.change_head(game.pk, HeadFactory(first_declarer=1), pen),
    ],
    ids=["correct", "withdraw", "head"],
)
def test_every_write_is_refused_when_stale_and_repeated_by_its_key(write):
    game = GameFactory(entries=[deal("heart-king", 1, 0, 0, 0)])
    with pytest.raises(writing.StaleRevision):
        write(game, PenFactory(revision=0))
    pen = PenFactory(revision=1)
    first = write(game, pen)

    again = write(game, pen)

    assert (first.row.revision, again.row.revision) == (2, 2)
    assert again.game == first.game
    assert len(log(game)) == 2
