import re

import pytest

from tests.deals import WHOLE_GAME, deal
from tests.factories import record, reload
from tests.web.games.table import game_with, send, table_of, url

FORM = re.compile(r'data-outbox="now">(?:(?!</form>).)*?class="undo redo"', re.DOTALL)
FIELD = re.compile(r'name="([^"]+)" value="([^"]*)"')


def redo_at(phone, game):
    """Return the fields of the form that redoes; None where there is none."""
    found = FORM.search(phone.get(url(game, "write")).content.decode())
    return found and dict(FIELD.findall(found.group()))


def redo(phone, game):
    fields = redo_at(phone, game)
    del fields["key"]
    return send(phone, game, **fields)


def undo(phone, game):
    send(phone, game, "undo", position=reload(game).positions[-1])


def bodies_of(game):
    sheet = reload(game)
    return [sheet.body(position) for position in sheet.positions]


def test_entries_that_were_undone_are_redone_in_turn(plain):
    game = game_with(3)
    assert redo_at(plain, game) is None
    undo(plain, game)
    undo(plain, game)
    redo(plain, game)
    redo(plain, game)
    assert bodies_of(game) == list(WHOLE_GAME[:3])
    assert redo_at(plain, game) is None


def test_nothing_is_redone_after_another_entry(plain):
    game = game_with(2)
    undo(plain, game)
    record(game, WHOLE_GAME[2])
    assert redo_at(plain, game) is None
    # A line that was taken off from the middle is not the last thing done.
    send(plain, game, "entry", 0, action="withdraw", sure="yes")
    assert redo_at(plain, game) is None


@pytest.mark.parametrize(
    ("ruleset", "body"),
    [
        ("turkish-king", {"type": "void", "reason": "misdeal", "note": "eksik kâğıt"}),
        ("turkish-king", {"type": "redeal", "by": 2, "reason": "misdeal"}),
        ("turkish-king", {"type": "adjustment", "seat": 2, "points": "-1/2", "reason": "revoke"}),
        ("turkish-king", {"type": "stopped", "reason": "time"}),
        ("turkish-king", deal("no-hearts", 13, 0, 0, 0, king=0)),
        ("turkish-king-blind", deal("trump", 6, 4, 1, 2, trump="hearts")),
        ("euchre", {"type": "passed"}),
        ("euchre", {"type": "deal", "maker": 1, "tricks": 5, "alone": True, "trump": "clubs"}),
    ],
)
def test_every_kind_of_entry_is_redone_as_it_was(plain, ruleset, body):
    game = table_of(ruleset, body)
    written = bodies_of(game)
    undo(plain, game)
    assert bodies_of(game) == []
    redo(plain, game)
    assert bodies_of(game) == written
