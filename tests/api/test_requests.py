"""How requests are read everywhere: every mistake at once, parameters, sizes, tags and scopes."""

import pytest
from django.test import Client

from tests.api.games.start import HEAD
from tests.deals import WHOLE_GAME, deal
from tournaments.models import Scope


def faults(answer):
    assert answer.status_code == 422, answer.content
    return {(each["code"], each["where"]) for each in answer.json()["problems"]}


@pytest.fixture
def started(program):
    game = program.post("games/", HEAD).json()
    return program.with_token(game["keys"]["write"]), f"games/{game['id']}/"


def test_mistakes_on_three_levels_are_told_at_once(program, started):
    head = HEAD | {"title": 5, "colour": "red", "match": {"length": "long", "number": 0}}
    assert faults(program.post("games/", head)) == {
        ("wrong-type", "title"),
        ("unexpected-field", "colour"),
        ("invalid-choice", "match.length"),
        ("min-value", "match.number"),
    }
    phone, path = started
    wrong = {"entry": deal("heart-king", 1, 1, 0, 0), "author": 7, "colour": "red"}
    told = {("wrong-type", "author"), ("unexpected-field", "colour")}
    entry = {("wrong-total", "entry.counts.heart_king")}
    assert faults(phone.post(f"{path}entries/", wrong)) == told | entry
    written = phone.post(f"{path}entries/", {"entry": WHOLE_GAME[0]})
    assert written.status_code == 201
    wrong["entry"] = {"type": "deal", "contract": 3}
    corrected = phone.put(f"{path}entries/0/", wrong, If_Match='"1"')
    assert faults(corrected) == told | {("wrong-type", "entry.contract")}


def test_mistakes_in_documents_are_told_with_those_beside_them(director, club):
    plan = {"name": 5, "colour": "red", "settings": {"rounds": 99, "colour": "red"}}
    told = faults(director.post(f"clubs/{club.slug}/tournaments/", plan))
    assert told >= {
        ("wrong-type", "name"),
        ("unexpected-field", "colour"),
        ("unexpected-field", "settings.colour"),
    }
    assert "settings.rounds" in {where for _code, where in told}
    rules = {"ruleset": {"id": "x"}, "options": [], "colour": "red"}
    assert faults(director.post("describe/", rules)) >= {
        ("missing-field", "ruleset.contracts"),
        ("wrong-type", "options"),
        ("unexpected-field", "colour"),
    }


def test_people_are_named_in_sentences(started):
    phone, path = started
    answer = phone.post(f"{path}entries/", {"entry": WHOLE_GAME[0] | {"declarer": 2}})
    (told,) = answer.json()["problems"]
    assert told["code"] == "wrong-declarer"
    assert told["message"] == "It is Ayşe’s turn to declare, not Cem’s."
    assert told["params"] == {"expected": 0, "got": 2}
    record = HEAD | {"entries": [WHOLE_GAME[0] | {"declarer": 2}]}
    (told,) = phone.with_token("").post("games/", record).json()["problems"]
    assert told["message"] == "It is Ayşe’s turn to declare, not Cem’s."


@pytest.mark.parametrize(
    "path",
    ["", "ratings/", "rulesets/", "rulesets/turkish-king/", "schemas/", "games/", "changes/"],
)
def test_unknown_parameters_are_refused(program, path):
    assert faults(program.get(f"{path}?colour=red")) == {("unexpected-field", "colour")}
    assert program.get(path).status_code == 200


def test_unknown_parameters_are_refused_by_what_writes(program):
    assert faults(program.post("games/?page_size=2", HEAD)) == {("unexpected-field", "page_size")}


def test_sizes_beyond_the_limit_are_cut(program):
    for asked in ("changes/?limit=100000", "games/?page_size=100000"):
        assert program.get(asked).status_code == 200, asked
    long = HEAD | {"format": "kingscore-game/1", "entries": [WHOLE_GAME[0]] * 201}
    assert faults(program.post("score/", long)) == {("too-long", "entries")}


@pytest.mark.parametrize(
    ("tags", "status"),
    [('"7", "1"', 200), ('W/"1"', 200), ('"0", W/"1"', 200), ("*", 200), ('"0", "7"', 412)],
)
def test_if_match_takes_lists_and_weak_tags(started, tags, status):
    phone, path = started
    phone.post(f"{path}entries/", {"entry": WHOLE_GAME[0]})
    answer = phone.put(f"{path}entries/0/", {"entry": WHOLE_GAME[1]}, If_Match=tags)
    assert answer.status_code == status, answer.content


def test_scope_that_is_missing_is_named(program, club):
    director = program.role("director", club, Scope.READ)
    refused = director.post(f"clubs/{club.slug}/players/", {"names": ["Ayşe"]})
    assert (refused.status_code, refused.json()["scope"]) == (403, "direct")
    told = 'Bearer error="insufficient_scope", scope="direct"'
    assert refused["WWW-Authenticate"] == told

    stranger = program.get("me/")
    assert (stranger.status_code, stranger.json()["scope"]) == (401, "read")
    assert stranger["WWW-Authenticate"] == 'Bearer scope="read"'
    unknown = program.with_token("ks_nobody").get("me/")
    assert unknown["WWW-Authenticate"] == 'Bearer error="invalid_token", scope="read"'


def test_type_of_a_problem_is_an_address_that_opens_its_page(program):
    for answer in (program.get("games/abc/"), program.get("nowhere/")):
        kind = answer.json()["type"]
        assert kind == "http://testserver/api/problems/#not-found"
        page, _hash, code = kind.partition("#")
        assert f'id="{code}"' in Client().get(page).content.decode()


def test_pages_of_other_sites_read_what_anybody_may_and_nothing_else(program, director):
    shared = "Access-Control-Allow-Origin"
    for answer in (program.get("rulesets/"), program.get("games/none/")):
        assert answer[shared] == "*"
        assert "RateLimit" in answer["Access-Control-Expose-Headers"]
    assert program.get("/api/v1/openapi.json")[shared] == "*"
    key = program.post("games/", HEAD)
    phone = program.with_token(key.json()["keys"]["follow"])

    for answer in (
        key,
        director.get("rulesets/"),
        phone.get(f"games/{key.json()['id']}/"),
        program.get("rulesets/", Authorization="Basic YTpi"),
        # A browser asks first whether it may send a token.
        program.ask("OPTIONS", "rulesets/"),
    ):
        assert shared not in answer
        assert "Access-Control-Allow-Credentials" not in answer
