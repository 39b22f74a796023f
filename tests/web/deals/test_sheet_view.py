"""The sheet as the pages show it."""

import pytest

from tests.deals import deal
from tests.factories import GameFactory, HeadFactory
from tournaments.models import Game
from tournaments.queries.sheets import load_sheet
from tournaments.web.deals.sheet_view import sheet_page

pytestmark = pytest.mark.django_db


def lines(game):
    return sheet_page(load_sheet(Game.objects.get(pk=game.pk))).lines


def crowns(game):
    return [cell.king for cell in lines(game)[-1].cells]


def test_king_made_is_crowned():
    game = GameFactory(entries=[deal("trump", 0, 0, 13, 0)])
    assert crowns(game) == [False, False, True, False]


def test_king_failed_is_not_crowned():
    failed = deal("no-queens", 1, 1, 1, 1, king_declared_by=1)
    game = GameFactory(head=HeadFactory(options={"king": "declared"}), entries=[failed])
    assert crowns(game) == [False, False, False, False]


def test_hearts_as_trump_look_different_from_no_hearts():
    game = GameFactory(entries=[deal("no-hearts", 13, 0, 0, 0), deal("trump", 1, 4, 4, 4)])
    suited = GameFactory(entries=[deal("trump", 1, 4, 4, 4, trump="hearts")])
    glyphs = [line.symbol.glyphs for line in (*lines(game), *lines(suited))]
    assert glyphs == ["♥", "+", "+♥"]


def test_deal_that_was_begun_and_then_counted_is_not_corrected():
    head = HeadFactory(ruleset="turkish-king-blind")
    begun = {"type": "deal", "contract": "no-men", "declarer": 0}
    counted = deal("no-men", 2, 3, 1, 2)
    game = GameFactory(head=head, entries=[begun, counted])
    (line,) = lines(game)
    assert (line.number, line.note, line.correction) == (1, "", None)
