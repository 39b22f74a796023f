from itertools import count

import pytest

from tests.club_factories import AccountFactory
from tests.factories import GameFactory
from tournaments.api.access import AddressToken, token_of
from tournaments.api.throttling import ReadThrottle


@pytest.fixture(autouse=True)
def few(monkeypatch):
    rates = {"read": "3/min", "write": "2/min", "failure": "2/min"}
    monkeypatch.setattr(ReadThrottle, "THROTTLE_RATES", rates)


def statuses(ask, times):
    return [ask().status_code for _ in range(times)]


def assert_told_to_wait(answer):
    assert answer.status_code == 429
    assert answer["Content-Type"] == "application/problem+json"
    assert answer.json()["code"] == "too-many-requests"
    assert 1 <= int(answer["Retry-After"]) <= 61


def test_reading_and_writing_are_counted_apart_and_each_says_when_to_ask_again(program):
    mine = program.as_(AccountFactory())
    assert statuses(lambda: mine.get("games/abc/"), 3) == [404] * 3
    assert statuses(lambda: mine.post("games/"), 2) == [422] * 2

    assert_told_to_wait(mine.get("games/abc/"))
    assert_told_to_wait(mine.post("games/"))


def test_two_tokens_of_an_account_and_nobody_are_counted_apart(program):
    user = AccountFactory()
    first, second = program.as_(user), program.as_(user)
    assert statuses(lambda: first.get("games/abc/"), 4)[-1] == 429

    assert second.get("games/abc/").status_code == 404
    assert program.get("games/abc/").status_code == 404


def from_address(program, where):
    other = program.with_token(program.token)
    other.client = type(program.client)(REMOTE_ADDR=where)
    return other


def test_wrong_keys_use_up_no_tries_of_the_right_one(program):
    game = GameFactory()
    right = program.with_token(token_of(game, "write"))
    wrong = from_address(
        program.with_token(AddressToken("write", game.public_id, "a" * 24)), "192.0.2.7"
    )
    path = f"games/{game.public_id}/"
    assert statuses(lambda: wrong.get(path), 4) == [404] * 3 + [429]

    assert statuses(lambda: right.get(path), 3) == [200] * 3
    assert_told_to_wait(right.get(path))


def test_keys_that_are_made_up_count_as_nobody_where_they_open_nothing(program):
    def ask():
        made_up = AddressToken("write", f"a{next(numbers)}", "a" * 24)
        return program.with_token(made_up).post("score/", {})

    numbers = count()
    assert statuses(ask, 3) == [200, 200, 429]


def test_tokens_that_are_none_are_limited_by_address_and_hinder_no_right_one(program):
    wrong = program.with_token("ks_" + "0" * 64)
    assert statuses(lambda: wrong.get("games/abc/"), 2) == [401] * 2

    assert_told_to_wait(wrong.get("games/abc/"))
    assert program.as_(AccountFactory()).get("games/abc/").status_code == 404
    assert from_address(wrong, "192.0.2.7").get("games/abc/").status_code == 401
