import json
from dataclasses import replace
from functools import partial

import pytest
from django.db import connection
from django.db.models import TextField
from django.db.models.functions import Cast

from tests.deals import WHOLE_GAME, deal
from tests.factories import ContextFactory, GameFactory, SetupFactory, log
from tournaments.engine.documents.entries import parse_entry
from tournaments.engine.rules.rulesets import InvalidEntry
from tournaments.services.games import playing, writing

pytestmark = pytest.mark.django_db

RIFKI, QUEENS = WHOLE_GAME[:2]
WRONG = deal("heart-king", 0, 0, 1, 1)


def test_key_sent_again_repeats_in_another_form_from_another_holder_and_revives_nothing():
    game = GameFactory()
    context = ContextFactory(revision=0, author="Ayşe")
    sent = {"type": "adjustment", "seat": 2, "points": -100, "reason": "revoke"}
    same = {**sent, "points": "-300/3", "to": "none"}

    def send_again():
        return playing.record_entry(game.pk, parse_entry(same), replace(context, author="Burak"))

    playing.record_entry(game.pk, parse_entry(sent), context)
    assert (send_again().row.revision, len(log(game))) == (1, 1)
    playing.withdraw_entry(game.pk, 0, "", ContextFactory(revision=1))
    assert (send_again().positions, len(log(game))) == ((), 2)


def test_key_of_a_correction_is_refused_for_anything_else():
    game = GameFactory(entries=[deal("heart-king", 1, 0, 0, 0), QUEENS])
    context = ContextFactory(revision=2)
    playing.correct_entry(game.pk, 0, parse_entry(RIFKI), "", context)

    for other in (
        partial(playing.record_entry, game.pk, parse_entry(RIFKI)),
        partial(playing.correct_entry, game.pk, 1, parse_entry(RIFKI), ""),
        partial(playing.correct_entry, game.pk, 0, parse_entry(QUEENS), ""),
        partial(playing.correct_entry, game.pk, 0, parse_entry(RIFKI), "another reason"),
        partial(playing.withdraw_entry, game.pk, 0, ""),
        partial(playing.change_head, game.pk, SetupFactory()),
    ):
        with pytest.raises(writing.KeyReused):
            other(context)

    assert len(log(game)) == 3


def test_key_of_a_refused_entry_is_free_for_the_right_one_and_for_another_game():
    game, other = GameFactory(), GameFactory()
    context = ContextFactory()
    with pytest.raises(InvalidEntry):
        playing.record_entry(game.pk, parse_entry(WRONG), context)

    for row in (game, other):
        sheet = playing.record_entry(row.pk, parse_entry(RIFKI), context)
        assert (sheet.row.revision, log(row)[0][3]) == (1, RIFKI)


def test_key_that_is_no_key_is_refused():
    game = GameFactory()

    for key in ("", "short", "x" * 65, "with space", "satır\nsonu", "ğğğğğğğğğ", "trailing-nl\n"):
        with pytest.raises(writing.BadKey):
            playing.record_entry(game.pk, parse_entry(RIFKI), ContextFactory(key=key))

    assert log(game) == []


def test_revision_that_is_not_the_current_one_is_stale_with_the_sheet_as_it_stands():
    game = GameFactory(entries=[RIFKI, QUEENS])

    for revision in (0, 1, 3, -1):
        with pytest.raises(writing.StaleRevision) as refused:
            # Whether the entry is right is only asked of a phone that has seen the sheet.
            playing.record_entry(game.pk, parse_entry(WRONG), ContextFactory(revision=revision))
        assert refused.value.sheet.row.revision == 2
        assert refused.value.sheet.game.totals == (-100, 0, -520, -100)
    assert len(log(game)) == 2


@pytest.mark.parametrize(
    "write",
    [
        lambda pk, context: playing.correct_entry(pk, 0, parse_entry(RIFKI), "", context),
        lambda pk, context: playing.withdraw_entry(pk, 0, "", context),
        lambda pk, context: playing.change_head(pk, SetupFactory(first_declarer=1), context),
    ],
    ids=["correct", "withdraw", "head"],
)
def test_every_write_is_refused_when_stale_and_repeated_by_its_key(write):
    game = GameFactory(entries=[deal("heart-king", 1, 0, 0, 0)])
    with pytest.raises(writing.StaleRevision):
        write(game.pk, ContextFactory(revision=0))
    context = ContextFactory(revision=1)

    first, again = write(game.pk, context), write(game.pk, context)

    assert (first.row.revision, again.row.revision) == (2, 2)
    assert again.game == first.game
    assert len(log(game)) == 2


def test_entry_is_kept_as_it_was_written():
    game = GameFactory(entries=WHOLE_GAME[:1])
    column = Cast("body", TextField())

    kept = game.revisions.annotate(text=column).get().text

    # Neither sorted nor spaced by PostgreSQL; and most entries are deals.
    spaces = None if connection.vendor == "sqlite" else (",", ":")
    untyped = {name: part for name, part in WHOLE_GAME[0].items() if name != "type"}
    assert kept == json.dumps(untyped, separators=spaces)
