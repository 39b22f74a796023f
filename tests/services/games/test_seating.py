from datetime import timedelta

import pytest

from tests.club_factories import TableFactory
from tests.deals import NAMES, WHOLE_GAME
from tests.factories import EVENING, ContextFactory, GameFactory, SetupFactory, record, record_all
from tournaments.models import Game
from tournaments.queries.sheets import phone_seats
from tournaments.services.games import seating
from tournaments.services.games.playing import change_head, hand_over, may_take_pen

pytestmark = pytest.mark.django_db


@pytest.fixture
def game():
    return GameFactory()


def states(game):
    game.refresh_from_db()
    return [each.state for each in phone_seats(game)]


def take(game, seat, phone, at=EVENING):
    return seating.take_seat(game.pk, seat, phone, at=at)


def ask(game, seat, phone):
    return seating.ask_for_seat(game.pk, seat, phone, at=EVENING)


def answer(game, seat, phone, *, gives):
    return seating.answer_for_seat(game.pk, seat, phone, gives=gives)


def test_seat_belongs_to_the_first_phone_and_each_phone_has_one(game):
    assert [take(game, 1, "one"), take(game, 1, "two"), take(game, 1, "one")] == [True, False, True]
    assert take(game, 2, "one")
    assert states(game) == ["", "", "taken", ""]
    seating.leave_seat(game.pk, "one")
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
    assert not take(game, 0, "two", EVENING + 2 * seating.PATIENCE)

    ask(game, 0, "two")
    assert not take(game, 0, "two", EVENING + seating.PATIENCE - timedelta(seconds=1))
    assert take(game, 0, "two", EVENING + seating.PATIENCE)
    assert not take(game, 0, "one")


def test_phone_goes_with_the_person_to_another_seat(game):
    take(game, 0, "one")
    players = [*game.players[1:], game.players[0]]
    change_head(game.pk, SetupFactory(players=players), ContextFactory(revision=0))
    assert states(game) == ["", "", "", "taken"]


FIVE = [*NAMES, "Elif"]


def played(players, ranks=None):
    result = None if ranks is None else {"ranks": ranks}
    return Game(ruleset="turkish-king", players=players, options={}, result=result)


def test_last_of_the_last_game_rests_first_and_then_everyone_in_turn():
    games = [played(NAMES, [1, 2, 4, 3])]
    rested = []
    for _ in range(6):
        (name,) = seating.who_rests(games, FIVE, 4)
        rested.append(name)
        games.append(played([each for each in FIVE if each != name], [4, 3, 2, 1]))

    assert rested[0] == "Cem"
    assert set(rested[:5]) == set(FIVE)
    assert rested[5] == rested[0]


@pytest.mark.parametrize(
    ("people", "seats", "resting"),
    [(NAMES, 4, ()), (NAMES[:3], 4, ()), (FIVE, 3, ("Cem", "Deniz")), (NAMES, 2, ("Cem", "Deniz"))],
)
def test_as_many_rest_as_the_game_has_no_seat_for(people, seats, resting):
    assert seating.who_rests([played(NAMES, [1, 2, 3, 4])], people, seats) == resting


def test_game_that_is_not_over_has_no_last():
    assert seating.who_rests([played(NAMES)], FIVE, 4) == ("Ayşe",)


def test_partners_share_the_place_of_their_pair():
    pairs = Game(ruleset="euchre", players=NAMES, options={}, result={"ranks": [2, 1]})

    assert seating.who_rests([pairs], FIVE, 4) == ("Ayşe",)


@pytest.mark.parametrize(
    ("people", "seats", "players"),
    [
        (["Ayşe", "Cem", "Deniz", "Elif"], 4, ["Ayşe", "Elif", "Cem", "Deniz"]),
        (["Cem", "Deniz"], 2, ["Cem", "Deniz"]),
        (["Ayşe", "Deniz"], 4, ["Ayşe", "", "", "Deniz"]),
    ],
)
def test_whoever_comes_takes_the_seat_that_is_free(people, seats, players):
    assert seating.seated(NAMES, people, seats) == players


def pens(game):
    game.refresh_from_db()
    return [bool(each.request) for each in phone_seats(game)]


def after(**time):
    return EVENING + timedelta(**time)


def may_write(game, seat, phone, at):
    game.refresh_from_db()
    return may_take_pen(game, seat, phone, at=at)


@pytest.fixture
def requested(game):
    """A game in which the phone of seat 1 asks for the scoring, with other phones at 2 and 3."""
    for seat, phone in enumerate(("one", "two", "three"), 1):
        take(game, seat, phone)
    assert seating.ask_for_pen(game.pk, 1, "one", at=EVENING)
    return game


def test_scoring_is_given_by_the_writing_phone_or_refused(requested):
    assert pens(requested) == [False, True, False, False]
    assert not may_write(requested, 1, "one", EVENING)
    assert not seating.answer_for_pen(requested.pk, 2, gives=True)
    assert seating.answer_for_pen(requested.pk, 1, gives=True)
    assert may_write(requested, 1, "one", EVENING)
    # Nobody else, and no other phone in the name of the seat.
    assert not may_write(requested, 2, "two", after(hours=1))
    assert not may_write(requested, 1, "two", after(hours=1))

    assert seating.answer_for_pen(requested.pk, 1, gives=False)
    assert pens(requested) == [False] * 4
    assert not may_write(requested, 1, "one", after(hours=1))


@pytest.mark.parametrize(
    ("agrees", "writer", "seconds"),
    [(False, "Ayşe", 300), (True, "Ayşe", 120), (False, "Burak", 120)],
)
def test_silent_phone_loses_the_scoring_sooner_if_two_agree(requested, agrees, writer, seconds):
    record(requested, WHOLE_GAME[0], author=writer, at=after(seconds=60))
    # To ask again is to wait no longer.
    assert seating.ask_for_pen(requested.pk, 1, "one", at=after(seconds=90))
    if agrees:
        # Not the phone of another seat, and nobody for one who does not ask.
        assert not seating.back_request(requested.pk, 2, NAMES[1], "three")
        assert not seating.back_request(requested.pk, 2, NAMES[3], "two")
        assert seating.back_request(requested.pk, 2, NAMES[1], "two")

    # Silence begins with the last entry.
    assert not may_write(requested, 1, "one", after(seconds=59 + seconds))
    assert may_write(requested, 1, "one", after(seconds=60 + seconds))


def test_all_requests_are_forgotten_once_another_phone_writes(requested):
    seating.back_request(requested.pk, 2, NAMES[1], "two")
    hand_over(requested.pk, requested.write_generation, "key-of-another-phone-123", at=EVENING)

    assert pens(requested) == [False] * 4
    assert not may_write(requested, 1, "one", after(hours=1))


def test_whoever_leaves_a_seat_no_longer_asks_and_a_finished_game_is_not_taken(requested):
    seating.leave_seat(requested.pk, "one")
    assert pens(requested) == [False] * 4
    take(requested, 1, "one")
    seating.ask_for_pen(requested.pk, 1, "one", at=EVENING)
    record_all(requested, WHOLE_GAME)
    assert not may_write(requested, 1, "one", after(hours=1))


def test_stranger_who_follows_a_table_of_a_club_gets_the_scoring_only_from_its_phone():
    game = TableFactory().games.get()
    take(game, 1, "one")
    seating.ask_for_pen(game.pk, 1, "one", at=EVENING)
    assert not may_write(game, 1, "one", after(hours=1))
    seating.answer_for_pen(game.pk, 1, gives=True)
    assert may_write(game, 1, "one", EVENING)
