import pytest

from tests.api.games.start import HEAD
from tests.club_factories import AccountFactory

KING = {
    "type": "deal",
    "contract": "heart-king",
    "declarer": 0,
    "counts": {"heart_king": [0, 0, 1, 0]},
}


@pytest.fixture
def started(program):
    return program.post("games/", HEAD).json()


@pytest.mark.parametrize("then", ["", "record/", "form/", "?expand=club"])
def test_follower_is_answered_304_with_the_tag_when_nothing_has_changed(program, started, then):
    follower = program.with_token(started["keys"]["follow"])
    path = f"games/{started['id']}/{then}"
    seen = follower.get(path)
    assert seen.status_code == 200
    again = follower.get(path, If_None_Match=seen["ETag"])
    assert (again.status_code, again["ETag"]) == (304, seen["ETag"])


@pytest.mark.parametrize(
    "header", [{"If_Match": '"0"'}, {"If_Unmodified_Since": "Thu, 01 Jan 1970 00:00:01 GMT"}]
)
def test_reading_is_refused_by_no_condition_of_writing(program, started, header):
    follower = program.with_token(started["keys"]["follow"])
    path = f"games/{started['id']}/record/"
    assert follower.get(path, **header).status_code == 200
    tag = follower.get(path)["ETag"]
    assert follower.get(path, **header, If_None_Match=tag).status_code == 304


def test_entry_that_cannot_be_is_refused_with_the_engines_code_and_its_place(program, started):
    phone = program.with_token(started["keys"]["write"])
    wrong = KING | {"counts": {"heart_king": [0, 0, 1, 1]}}
    refused = phone.post(f"games/{started['id']}/entries/", {"entry": wrong})
    assert refused.status_code == 422
    assert refused["Content-Type"] == "application/problem+json"
    problem = refused.json()
    assert problem["code"] == "invalid"
    assert [(p["code"], p["where"]) for p in problem["problems"]] == [
        ("wrong-total", "entry.counts.heart_king")
    ]


def test_key_sent_twice_is_answered_alike_and_another_body_is_refused(program, started):
    phone = program.with_token(started["keys"]["write"])
    path, key = f"games/{started['id']}/entries/", "abcdefgh-1"
    first = phone.post(path, {"entry": KING}, Idempotency_Key=key)
    again = phone.post(path, {"entry": KING}, Idempotency_Key=key)
    assert (again.status_code, again.content) == (first.status_code, first.content)
    assert again["Idempotency-Replayed"] == "true"
    assert again["ETag"] == first["ETag"]
    other = phone.post(path, {"entry": KING | {"declarer": 1}}, Idempotency_Key=key)
    assert (other.status_code, other.json()["code"]) == (422, "key-reused")


def test_same_key_of_another_token_of_an_account_is_not_shown_what_the_first_was(program):
    user, key = AccountFactory(), {"Idempotency_Key": "abcdefgh-3"}
    directing, reading = program.as_(user), program.as_(user, "read")
    first, other = (each.post("games/", HEAD, **key) for each in (directing, reading))
    assert first.json()["id"] != other.json()["id"]
    assert directing.post("games/", HEAD, **key).json() == first.json()


def test_same_key_of_somebody_without_a_token_elsewhere_opens_a_table_of_their_own(program):
    key = {"Idempotency_Key": "example-game-1"}
    mine = program.post("games/", HEAD, **key).json()
    program.client = type(program.client)(REMOTE_ADDR="192.0.2.7")
    theirs = program.post("games/", HEAD, **key).json()
    assert theirs["id"] != mine["id"]
    assert theirs["keys"] != mine["keys"]


def test_unknown_field_is_a_problem(program):
    refused = program.post("games/", HEAD | {"colour": "red"})
    assert refused.status_code == 422
    assert [(p["code"], p["where"]) for p in refused.json()["problems"]] == [
        ("unexpected-field", "colour")
    ]
