from itertools import count

import pytest

from tests.club_factories import AccountFactory
from tests.factories import GameFactory
from tournaments.api.access import AddressToken, token_of


@pytest.fixture(autouse=True)
def few(settings):
    settings.API_LIMITS = {"read": 3, "write": 2, "failure": 2}


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


def limits(answer):
    return answer["RateLimit-Policy"], answer["RateLimit"]


def test_every_answer_tells_the_limit_and_what_is_left(program):
    mine = program.as_(AccountFactory(), "read")
    there = mine.get("rulesets/")
    assert limits(there) == ('"read";q=3;w=60', '"read";r=2;t=60')

    unchanged = mine.get("rulesets/", If_None_Match=there["ETag"])
    assert (unchanged.status_code, limits(unchanged)[1][:10]) == (304, '"read";r=1')
    refused = mine.post("clubs/")
    assert (refused.status_code, limits(refused)[1][:11]) == (403, '"write";r=1')
    unknown = program.with_token("ks_nobody").get("rulesets/")
    assert (unknown.status_code, limits(unknown)[1][:13]) == (401, '"failure";r=1')
    over = [mine.get("rulesets/") for _ in range(2)][1]
    assert (over.status_code, limits(over)[1][:10]) == (429, '"read";r=0')


def test_answers_outside_of_any_view_count_and_tell_the_limit(program, settings):
    mine = program.as_(AccountFactory())
    unknown = mine.get("nowhere/")
    assert (unknown.status_code, limits(unknown)) == (404, ('"read";q=3;w=60', '"read";r=2;t=60'))
    large = mine.client.generic(
        "POST",
        "/api/v1/games/",
        headers={"Authorization": f"Bearer {mine.token}"},
        CONTENT_LENGTH=str(settings.LARGEST_BODY + 1),
    )
    assert (large.status_code, limits(large)[1][:11]) == (413, '"write";r=1')
    assert limits(mine.get("openapi.json"))[1][:10] == '"read";r=1'
    wrong = program.with_token("ks_nobody").get("nowhere/")
    assert (wrong.status_code, limits(wrong)[1][:13]) == (404, '"failure";r=1')

    assert statuses(lambda: mine.get("nowhere/"), 2) == [404, 429]
    assert_told_to_wait(mine.get("nowhere/"))
