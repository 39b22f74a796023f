"""Which phone has a seat, and how another one gets it."""

from datetime import timedelta

import pytest

from tests.factories import EVENING, ContextFactory, GameFactory, SetupFactory
from tournaments.queries.sheets import phone_seats
from tournaments.services.games.playing import change_head
from tournaments.services.games.seating import (
    PATIENCE,
    answer_for_seat,
    ask_for_seat,
    leave_seat,
    take_seat,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def game():
    return GameFactory()


def states(game):
    game.refresh_from_db()
    return [each.state for each in phone_seats(game)]


def take(game, seat, phone, at=EVENING):
    return take_seat(game.pk, seat, phone, at=at)


def ask(game, seat, phone):
    return ask_for_seat(game.pk, seat, phone, at=EVENING)


def answer(game, seat, phone, *, gives):
    return answer_for_seat(game.pk, seat, phone, gives=gives)


def test_seat_belongs_to_the_first_phone_and_each_phone_has_one(game):
    assert [take(game, 1, "one"), take(game, 1, "two"), take(game, 1, "one")] == [True, False, True]
    assert take(game, 2, "one")
    assert states(game) == ["", "", "taken", ""]
    leave_seat(game.pk, "one")
    assert states(game) == [""] * 4


def test_only_the_phone_that_has_a_seat_gives_it_to_the_one_that_asks(game):
    take(game, 0, "one")
    take(game, 3, "two")
    assert not ask(game, 0, "one")
    assert ask(game, 0, "two")
    assert not ask(game, 0, "three")
    assert states(game) == ["asked", "", "", "taken"]
    assert not answer(game, 0, "two", gives=True)
    assert not take(game, 0, "two")

    assert answer(game, 0, "one", gives=True)
    assert states(game) == ["taken", "", "", ""]
    assert [take(game, 0, "one"), take(game, 0, "two")] == [False, True]


def test_phone_that_says_no_keeps_its_seat_and_one_that_says_nothing_loses_it(game):
    take(game, 0, "one")
    ask(game, 0, "two")
    answer(game, 0, "one", gives=False)
    assert not take(game, 0, "two", EVENING + 2 * PATIENCE)

    ask(game, 0, "two")
    assert not take(game, 0, "two", EVENING + PATIENCE - timedelta(seconds=1))
    assert take(game, 0, "two", EVENING + PATIENCE)
    assert not take(game, 0, "one")


def test_phone_goes_with_the_person_to_another_seat(game):
    take(game, 0, "one")
    players = [*game.players[1:], game.players[0]]
    change_head(game.pk, SetupFactory(players=players), ContextFactory(revision=0))
    assert states(game) == ["", "", "", "taken"]
