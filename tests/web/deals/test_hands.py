"""Hands that nobody names, at the table page: Euchre and Krapet without a browser."""

import re
from http import HTTPStatus

import pytest

from tests.factories import GameFactory, HeadFactory, record, reload
from tests.phones import TEMPLATES
from tests.web.scoring.test_scoring import send, sentences, url

pytestmark = pytest.mark.django_db

NAMES = ["Ayşe", "Burak", "Cem", "Deniz"]


@pytest.fixture
def phone(client):
    """A browser in English that asks for fragments, as the table's scripts do."""
    client.defaults |= {"HTTP_ACCEPT_LANGUAGE": "en", "HTTP_HX_REQUEST": "true"}
    return client


@pytest.fixture
def plain(client):
    """A browser in English without scripts."""
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = "en"
    return client


def table_of(ruleset, *entries, players=NAMES, **options):
    head = HeadFactory(ruleset=ruleset, players=players, options=options)
    return reload(GameFactory(head=head, entries=entries)).row


def hand(maker, tricks, **more):
    return {"type": "deal", "maker": maker, "tricks": tricks, **more}


def won(winner, **more):
    return {"type": "deal", "winner": winner, **more}


def last(game):
    sheet = reload(game)
    return sheet.body(sheet.positions[-1])


def totals(game):
    return reload(game).game.totals


def page_of(client, game, *more):
    return client.get(url(game, *(more or ["write"]))).content.decode()


def checked(page, name):
    """The values of the ticked inputs of a name."""
    inputs = re.findall(rf'<input[^>]*name="{name}"[^>]*>', TEMPLATES.sub("", page))
    return [re.search(r'value="([^"]*)"', i)[1] for i in inputs if " checked" in i]


def places(page):
    """Where each seat is drawn."""
    return dict(re.findall(r'class="tile pick at-(\w+)[^"]*" data-seat="(\d)"', page))


# Euchre.


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


@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        ({"maker": "2", "tricks": "3"}, hand(2, 3)),
        ({"maker": "2", "tricks": "3", "trump": "clubs"}, hand(2, 3, trump="clubs")),
        ({"maker": "2", "tricks": "0-alone"}, hand(2, 0, alone=True)),
        ({"maker": "2", "tricks": "0", "alone": "yes"}, hand(2, 0, alone=True)),
        (
            {"maker": "2", "tricks": "5-alone", "defender_alone": "1", "trump": "hearts"},
            hand(2, 5, alone=True, defender_alone=1, trump="hearts"),
        ),
    ],
)
def test_hand_is_stored_as_a_record_has_it(phone, typed, stored):
    game = table_of("euchre")
    send(phone, game, **typed)
    assert last(game) == stored


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ({"tricks": "3"}, "Maker: nothing is written here yet."),
        ({"maker": "1"}, "Tricks: nothing is written here yet."),
        ({"maker": "1", "tricks": "6"}, "Tricks: at most 5, 6 written."),
        ({"maker": "7", "tricks": "3"}, "There is no such seat at this table."),
        (
            {"maker": "1", "tricks": "3", "defender_alone": "3"},
            "Only one of the other side can defend alone.",
        ),
        (
            {"maker": "x", "tricks": "3"},
            "This is not what belongs here; expected: a whole number.",
        ),
    ],
)
def test_impossible_hand_comes_back_with_what_is_wrong(phone, typed, sentence):
    game = table_of("euchre")
    answer = send(phone, game, **typed)
    assert answer.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert sentence in sentences(answer)
    assert reload(game).positions == ()


def test_refused_hand_keeps_what_was_typed(phone):
    game = table_of("euchre")
    typed = {"maker": "1", "tricks": "3-alone", "defender_alone": "3", "trump": "spades"}
    page = send(phone, game, **typed).content.decode()
    assert {name: checked(page, name) for name in typed} == {
        name: [value] for name, value in typed.items()
    }


def test_hand_of_a_stale_phone_is_kept_in_the_form(phone):
    game = table_of("euchre", hand(0, 4))
    answer = send(phone, game, revision="0", maker="1", tricks="3")
    assert answer.status_code == HTTPStatus.CONFLICT
    page = answer.content.decode()
    assert (checked(page, "maker"), checked(page, "tricks")) == (["1"], ["3"])
    assert "Write it as deal 2" in page


def test_same_hand_from_two_phones_is_written_once(phone):
    game = table_of("euchre", hand(0, 4, trump="hearts"))
    answer = send(phone, game, revision="0", maker="0", tricks="4")
    assert 'data-same="1"' in answer.content.decode()


@pytest.mark.parametrize(
    ("ruleset", "seats", "drawn"),
    [
        ("euchre", 4, {"bottom": "0", "left": "1", "top": "2", "right": "3"}),
        ("euchre-railroad", 4, {"bottom": "0", "left": "1", "top": "2", "right": "3"}),
        ("euchre-three", 3, {"bottom": "0", "left": "1", "right": "2"}),
        ("euchre-two", 2, {"bottom": "0", "top": "1"}),
    ],
)
def test_table_is_drawn_clockwise(phone, ruleset, seats, drawn):
    game = table_of(ruleset, players=NAMES[:seats])
    page = page_of(phone, game)
    assert places(page) == drawn
    assert 'class="clockwise"' in page


def test_pairs_are_shown_with_their_scores_and_the_target(phone):
    game = table_of("euchre", hand(1, 5, alone=True), target=7)
    page = page_of(phone, game)
    shown = re.findall(
        r'<li class="of-side-\d"><span class="who">([^<]+)</span> <span [^>]+>(\d)', page
    )
    assert shown == [("Ayşe + Cem", "0"), ("Burak + Deniz", "4")]
    assert "first to 7" in page
    assert "deals</span> <strong data-declarer>Burak</strong>" in page


@pytest.mark.parametrize(("ruleset", "seats"), [("euchre-two", 2), ("euchre-three", 3)])
def test_nobody_is_asked_who_was_alone_where_nobody_has_a_partner(phone, ruleset, seats):
    game = table_of(ruleset, players=NAMES[:seats])
    page = page_of(phone, game)
    assert 'name="defender_alone"' not in page
    assert "-alone" not in page
    assert 'class="pairs"' not in page
    send(phone, game, maker="1", tricks="5")
    assert last(game) == hand(1, 5)


def test_lone_defender_is_one_of_the_other_side(phone):
    page = page_of(phone, table_of("euchre"))
    found = re.findall(r'class="key defends-(\d)"><input [^>]*value="(\d)"', page)
    assert found == [("0", "0"), ("1", "1"), ("0", "2"), ("1", "3")]


def test_hand_is_corrected(plain):
    game = table_of("euchre", hand(1, 5, alone=True, trump="clubs"), hand(2, 3))
    page = page_of(plain, game, "entry", 0)
    assert [checked(page, name) for name in ("maker", "tricks", "trump")] == [
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


def test_correction_that_cannot_be_shows_why_beside_its_field(plain):
    game = table_of("euchre", hand(1, 5))
    answer = send(plain, game, "entry", 0, action="correct", maker="1", tricks="9")
    assert answer.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert "Tricks: at most 5, 9 written." in sentences(answer)


def test_passed_hand_is_taken_off(plain):
    game = table_of("euchre", {"type": "passed"}, hand(1, 4))
    assert 'name="maker"' not in page_of(plain, game, "entry", 0)
    answer = send(plain, game, "entry", 0, action="withdraw")
    assert answer.status_code == HTTPStatus.FOUND
    assert reload(game).positions == (1,)


def test_whoever_follows_sees_dealer_target_and_pairs(plain):
    game = table_of("euchre", hand(0, 4))
    path = f"/follow/{game.public_id}/{game.secret('follow')}/"
    page = plain.get(path).content.decode()
    assert "Ayşe + Cem" in page
    assert "first to 10" in page
    assert "deals</span> <strong data-declarer>Burak</strong>" in page


# Krapet.


LEFT = {"reserve": [0, 4], "stock": [0, 9], "waste": [0, 6]}


def left_fields(left):
    return {
        f"left-{pile}-{seat}": str(number)
        for pile, numbers in left.items()
        for seat, number in enumerate(numbers)
    }


def krapet(*entries, **options):
    return table_of("krapet", *entries, players=NAMES[:2], **options)


@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        ({"winner": "1"}, won(1)),
        ({"winner": "none"}, won(None)),
        ({"winner": "0", "calls-0": "2", "calls-1": ""}, won(0, calls=[2, 0])),
        ({"winner": "0", **left_fields(LEFT)}, won(0, left=LEFT)),
        (
            {"winner": "0", "left-reserve-1": "4", "left-stock-1": "9", "left-waste-1": "6"},
            won(0, left=LEFT),
        ),
        (
            # Typed before it was clear who won: the winner's piles are empty.
            {"winner": "0", "left-reserve-0": "3", "left-reserve-1": "4"},
            won(0, left={"reserve": [0, 4], "stock": [0, 0], "waste": [0, 0]}),
        ),
        (
            {"winner": "none", **left_fields({"reserve": [2, 5], "stock": [8, 10]})},
            won(None, left={"reserve": [2, 5], "stock": [8, 10], "waste": [0, 0]}),
        ),
    ],
)
def test_game_is_stored_as_a_record_has_it(phone, typed, stored):
    game = krapet(target=3)
    assert send(phone, game, **typed).status_code == HTTPStatus.OK
    assert last(game) == stored


def test_points_of_the_rules_are_written_by_the_form(phone):
    game = krapet(scoring="points")
    send(phone, game, winner="0", **left_fields(LEFT))
    assert totals(game) == (53, 0)
    send(phone, game, winner="none", **left_fields({"reserve": [2, 5], "stock": [8, 10]}))
    assert totals(game) == (61, 0)


@pytest.mark.parametrize(
    ("options", "typed", "sentence"),
    [
        ({}, {}, "Winner: nothing is written here yet."),
        ({"scoring": "points"}, {"winner": "0"}, "Cards left: nothing is written here yet."),
        (
            {},
            {"winner": "none", "left-stock-0": "3"},
            "Whoever wins has no card left, and everyone else at least one.",
        ),
        ({}, {"winner": "0", "left-stock-1": "105"}, "Cards left: at most 104, 105 written."),
        (
            {},
            {"winner": "0", "left-stock-1": "many"},
            "This is not what belongs here; expected: a whole number.",
        ),
        ({}, {"winner": "0", "calls-1": "-1"}, "Krapet calls: a number below 0 cannot be."),
    ],
)
def test_impossible_game_comes_back_with_what_is_wrong(phone, options, typed, sentence):
    game = krapet(**options)
    answer = send(phone, game, **typed)
    assert answer.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert sentence in sentences(answer)
    assert reload(game).positions == ()


def test_who_starts_and_how_many_games_decide_is_shown(phone):
    game = krapet(won(0), target=3)
    page = page_of(phone, game)
    assert "starts</span> <strong data-declarer>Burak</strong>" in page
    assert "first to 3 games" in page
    assert "one game decides" in page_of(phone, krapet())
    assert "first to 300" in page_of(phone, krapet(scoring="points"))


def test_cards_left_are_folded_where_only_games_count(phone):
    folded = "<summary>Cards left (if you like)</summary>"
    assert folded in page_of(phone, krapet())
    assert folded not in page_of(phone, krapet(scoring="points"))


def test_game_is_corrected(plain):
    game = krapet(won(0, left=LEFT, calls=[2, 1]), target=3)
    page = page_of(plain, game, "entry", 0)
    assert checked(page, "winner") == ["0"]
    for name, value in {**left_fields(LEFT), "calls-0": "2", "calls-1": "1"}.items():
        assert re.search(rf'name="{name}" value="([^"]*)"', page)[1] == value
    send(plain, game, "entry", 0, action="correct", winner="1", why="wrong player")
    assert reload(game).body(0) == won(1)


def test_match_ends_at_its_target(phone):
    game = krapet(won(0), target=2)
    record(game, won(1))
    send(phone, game, winner="1")
    assert reload(game).game.finished
    assert "Won: Burak" in page_of(phone, game)
