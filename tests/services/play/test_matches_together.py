"""Two phones at the end of one game, on real connections of their own."""

from types import SimpleNamespace

import pytest

from tests.factories import EVENING, GameFactory, HeadFactory, record
from tests.services.play.test_matches import KEY, krapet, next_game, won_by
from tests.services.play.test_playing_together import while_another_is_writing
from tournaments.models import Game
from tournaments.services.play.matches import start_rematch

pytestmark = pytest.mark.django_db(transaction=True)


def tap_next(game, key):
    """The number of the game that was opened, and 0 where it was somebody else's."""
    after, opened = next_game(game, key=key)
    return SimpleNamespace(row=SimpleNamespace(revision=after.match_number if opened else 0))


@pytest.mark.parametrize(("key", "second"), [(KEY, 2), ("key-of-another-phone-123", 0)])
def test_second_tap_on_the_next_game_waits_and_finds_it_open(key, second):
    game = krapet()
    record(game, won_by(0))

    outcomes = while_another_is_writing(
        lambda: tap_next(game, KEY),
        lambda: tap_next(game, key),
    )

    assert outcomes == (2, second, True)
    assert Game.objects.count() == 2


def tap_rematch(game, terms, key):
    """The number of the rematch, negative where somebody else has opened it."""
    head = HeadFactory(ruleset=game.ruleset, players=game.players)
    after, opened = start_rematch(game.pk, head, terms, at=EVENING, key=key)
    return SimpleNamespace(row=SimpleNamespace(revision=after.pk if opened else -after.pk))


@pytest.mark.parametrize("terms", [None, ("best-of", 3)])
@pytest.mark.parametrize(("key", "sign"), [(KEY, 1), ("key-of-another-phone-123", -1)])
def test_second_tap_on_rematch_waits_and_finds_it_open(key, sign, terms):
    game = krapet() if terms else GameFactory()

    outcomes = while_another_is_writing(
        lambda: tap_rematch(game, terms, KEY),
        lambda: tap_rematch(game, terms, key),
    )

    rematch = Game.objects.get(rematch_of=game)
    assert outcomes == (rematch.pk, sign * rematch.pk, True)
    assert Game.objects.count() == 2
