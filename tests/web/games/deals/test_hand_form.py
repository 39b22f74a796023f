"""Hands that nobody names, at the table page: Euchre and Krapet without a browser."""

import re
from http import HTTPStatus

import pytest

from tests.deals import NAMES
from tests.factories import reload
from tests.web.games.table import last, page_of, send, sentences, table_of, ticked, totals


def hand(maker, tricks, **more):
    return {"type": "deal", "maker": maker, "tricks": tricks, **more}


def won(winner, **more):
    return {"type": "deal", "winner": winner, **more}


def places(page):
    """Where each seat is drawn."""
    return dict(re.findall(r'class="tile pick at-(\w+)[^"]*" data-seat="(\d)"', page))


def test_sequence_of_the_rules_is_written_by_the_form(phone):
    game = table_of("euchre")
    for fields in (
        {"maker": "0", "tricks": "4", "defender_alone": ""},
        {"maker": "1", "tricks": "5-alone", "defender_alone": ""},
        {"maker": "0", "tricks": "2", "defender_alone": "3"},
        {"type": "passed"},
    ):
        assert send(phone, game, **fields).status_code == HTTPStatus.OK
    assert totals(game) == (1, 6)
    assert last(game) == {"type": "passed"}
    assert "<strong data-declarer>Ayşe</strong>" in page_of(phone, game)


LEFT = {"reserve": [0, 4], "stock": [0, 9], "waste": [0, 6]}


def left_fields(left):
    return {
        f"left-{pile}-{seat}": str(number)
        for pile, numbers in left.items()
        for seat, number in enumerate(numbers)
    }


def krapet(*entries, **options):
    return table_of("krapet", *entries, players=NAMES[:2], **options)


def euchre():
    return table_of("euchre")


@pytest.mark.parametrize(
    ("table", "typed", "stored"),
    [
        (euchre, {"maker": "2", "tricks": "3", "trump": "clubs"}, hand(2, 3, trump="clubs")),
        (euchre, {"maker": "2", "tricks": "0-alone"}, hand(2, 0, alone=True)),
        (euchre, {"maker": "2", "tricks": "0", "alone": "yes"}, hand(2, 0, alone=True)),
        (
            euchre,
            {"maker": "2", "tricks": "5-alone", "defender_alone": "1", "trump": "hearts"},
            hand(2, 5, alone=True, defender_alone=1, trump="hearts"),
        ),
        (krapet, {"winner": "none"}, won(None)),
        (krapet, {"winner": "0", "calls-0": "2", "calls-1": ""}, won(0, calls=[2, 0])),
        (krapet, {"winner": "0", **left_fields(LEFT)}, won(0, left=LEFT)),
        (
            # Typed before it was clear who won: the winner's piles are empty.
            krapet,
            {"winner": "0", "left-reserve-0": "3", "left-reserve-1": "4"},
            won(0, left={"reserve": [0, 4], "stock": [0, 0], "waste": [0, 0]}),
        ),
        (
            krapet,
            {"winner": "none", **left_fields({"reserve": [2, 5], "stock": [8, 10]})},
            won(None, left={"reserve": [2, 5], "stock": [8, 10], "waste": [0, 0]}),
        ),
    ],
)
def test_hand_is_stored_as_a_record_has_it(phone, table, typed, stored):
    game = table()
    assert send(phone, game, **typed).status_code == HTTPStatus.OK
    assert last(game) == stored


NO_NUMBER = "This is not what belongs here; expected: a whole number."


@pytest.mark.parametrize(
    ("table", "typed", "sentence"),
    [
        (euchre, {"maker": "1"}, "Choose the number of tricks."),
        (euchre, {"maker": "7", "tricks": "3"}, "There is no such seat at this table."),
        (
            euchre,
            {"maker": "1", "tricks": "3", "defender_alone": "3"},
            "Only one of the other side can defend alone.",
        ),
        (euchre, {"maker": "x", "tricks": "3"}, NO_NUMBER),
        (krapet, {}, "Choose who won."),
        (krapet, {"winner": "²"}, NO_NUMBER),
        (krapet, {"winner": "9" * 5000}, NO_NUMBER),
        (lambda: krapet(scoring="points"), {"winner": "0"}, "Write the number of cards left."),
        (
            krapet,
            {"winner": "none", "left-stock-0": "3"},
            "Whoever wins has no card left, and everyone else at least one.",
        ),
        (krapet, {"winner": "0", "left-stock-1": "many"}, NO_NUMBER),
    ],
)
def test_impossible_hand_comes_back_with_what_is_wrong(phone, table, typed, sentence):
    game = table()
    answer = send(phone, game, **typed)
    assert answer.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert sentence in sentences(answer)
    assert reload(game).positions == ()


def test_refused_hand_keeps_what_was_typed(phone):
    game = table_of("euchre")
    typed = {"maker": "1", "tricks": "3-alone", "defender_alone": "3", "trump": "spades"}
    page = send(phone, game, **typed).content.decode()
    assert {name: ticked(page, name) for name in typed} == {
        name: [value] for name, value in typed.items()
    }


def test_same_hand_from_two_phones_is_written_once(phone):
    game = table_of("euchre", hand(0, 4, trump="hearts"))
    answer = send(phone, game, revision="0", maker="0", tricks="4")
    assert 'data-same="1"' in answer.content.decode()


@pytest.mark.parametrize(
    ("ruleset", "seats", "drawn"),
    [
        ("euchre", 4, {"bottom": "0", "left": "1", "top": "2", "right": "3"}),
        ("euchre-three", 3, {"bottom": "0", "left": "1", "right": "2"}),
        ("euchre-two", 2, {"bottom": "0", "top": "1"}),
    ],
)
def test_table_is_drawn_clockwise(phone, ruleset, seats, drawn):
    game = table_of(ruleset, players=NAMES[:seats])
    page = page_of(phone, game)
    assert places(page) == drawn
    assert 'class="clockwise"' in page


def test_hand_is_corrected(plain):
    game = table_of("euchre", hand(1, 5, alone=True, trump="clubs"), hand(2, 3))
    page = page_of(plain, game, "entry", 0)
    assert [ticked(page, name) for name in ("maker", "tricks", "trump")] == [
        ["1"],
        ["5-alone"],
        ["clubs"],
    ]
    answer = send(
        plain, game, "entry", 0, action="correct", maker="1", tricks="4", why="miscounted"
    )
    assert answer.status_code == HTTPStatus.FOUND
    assert reload(game).body(0) == hand(1, 4)
    assert totals(game) == (1, 1)


def test_game_is_corrected(plain):
    game = krapet(won(0, left=LEFT, calls=[2, 1]), target=3)
    page = page_of(plain, game, "entry", 0)
    assert ticked(page, "winner") == ["0"]
    for name, value in {**left_fields(LEFT), "calls-0": "2", "calls-1": "1"}.items():
        assert re.search(rf'name="{name}" value="([^"]*)"', page)[1] == value
    send(plain, game, "entry", 0, action="correct", winner="1", why="wrong player")
    assert reload(game).body(0) == won(1)
