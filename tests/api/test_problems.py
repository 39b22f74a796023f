"""How requests are read everywhere: every mistake at once, parameters, sizes, tags and scopes."""

import json
import re
from pathlib import Path

import pytest
from django.db.models import QuerySet
from django.test import Client
from rest_framework import serializers

from tests.api.conftest import HEAD, faults, refused
from tests.club_factories import SeasonFactory
from tests.deals import WHOLE_GAME, deal
from tournaments.api.fields import StrictSerializer
from tournaments.models import Scope

ROOT = Path(__file__).resolve().parents[2]
INSIDE = re.compile(rf"{re.escape(str(ROOT))}|site-packages|Traceback|Error|Exception|\.py\b")


def assert_problem(answer, status, code):
    assert answer.status_code == status
    assert answer["Content-Type"] == "application/problem+json"
    assert answer["Cache-Control"] == "private, no-cache"
    body = answer.json()
    assert (body["status"], body["code"]) == (status, code)
    assert set(body) >= {"type", "title", "instance", "problems"}
    assert INSIDE.findall(json.dumps(body)) == []
    return body


@pytest.fixture(autouse=True)
def not_developing(settings):
    settings.DEBUG = False
    settings.ALLOWED_HOSTS = ["testserver"]


def raw(program, text, kind="application/json", path="games/"):
    return program.client.generic("POST", f"/api/v1/{path}", text, content_type=kind)


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
@pytest.mark.parametrize("path", ["nowhere/", "games/abc/nowhere/", "gam", "/api/v9/games/"])
def test_nothing_is_at_an_unknown_address(program, method, path):
    assert_problem(program.ask(method, path), 404, "not-found")


def test_program_without_a_cookie_is_not_asked_for_a_forms_token(program):
    program.client = Client(enforce_csrf_checks=True)
    assert_problem(program.post("nowhere/"), 404, "not-found")
    assert program.post("games/", HEAD).status_code == 201


@pytest.mark.parametrize("method", ["GET", "PUT", "PATCH", "DELETE", "OPTIONS"])
def test_method_that_an_address_has_not_is_named_with_those_it_has(program, method):
    answer = program.ask(method, "score/", {})
    assert_problem(answer, 405, "method-not-allowed")
    assert answer["Allow"] == "POST"


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_where_the_last_slash_is_missing_the_same_is_sent_again(program, method):
    answer = program.ask(method, "changes?after=3&club=a")
    assert (answer.status_code, answer["Location"]) == (308, "/api/v1/changes/?after=3&club=a")


UNKNOWN_TOKENS = ["ks_nobody", "write.nothing", "sheet.a.b", "ÿ", "ks_\0"]
OTHERWISE = ["Basic YTpi", "Bearer", "Bearer a b", "Token a", "x", ""]


@pytest.mark.parametrize("said", [*(f"Bearer {each}" for each in UNKNOWN_TOKENS), *OTHERWISE])
@pytest.mark.parametrize("path", ["games/abc/", "", "rulesets/"])
def test_what_is_no_token_is_refused(program, said, path):
    answer = program.get(path, Authorization=said)
    assert_problem(answer, 401, "unauthenticated")
    assert answer["WWW-Authenticate"] == 'Bearer error="invalid_token", scope="read"'


@pytest.mark.parametrize("path", ["/api/v1/games/", "/evenings/"])
def test_body_of_no_announced_length_is_refused_where_nobody_has_read_it(client, path):
    answer = client.generic("POST", path, HTTP_TRANSFER_ENCODING="chunked")
    assert answer.status_code == 411


def test_more_than_can_be_sent_is_refused_before_it_is_read(program, settings):
    answer = program.client.generic(
        "POST",
        "/api/v1/games/",
        content_type="application/json",
        CONTENT_LENGTH=str(settings.LARGEST_BODY + 1),
    )
    assert assert_problem(answer, 413, "too-large")["megabytes"] == 2


def test_other_types_than_json_are_refused(program):
    answer = raw(program, "ruleset=turkish-king", "application/x-www-form-urlencoded")
    assert_problem(answer, 415, "unsupported-media-type")


def test_answer_that_is_no_json_cannot_be_had(program):
    assert_problem(program.get("games/abc/", Accept="text/html"), 406, "not-acceptable")


DEEP = "[" * 60_000 + "]" * 60_000
HALF = '{"title": "' + r"\ud83d" + '"}'
NUL = '{"title": "' + r"a\u0000b" + '"}'


@pytest.mark.parametrize(
    "text",
    [
        *("{", "{'a': 1}", '{"a": NaN}', "\xff", '{"a": 1}{'),
        *(DEEP, "[" * 42 + "]" * 42, HALF, NUL, r'{"a\u0000": 1}', '{"title": "a\0b"}'),
        *('{"first_declarer": 1e400}', '{"first_declarer": ' + "9" * 5000 + "}"),
        *('{"first_declarer": 9007199254740993}', '{"a": [-9007199254740993]}'),
    ],
    ids=lambda text: text[:40],
)
def test_what_cannot_be_read_is_refused(program, text):
    assert_problem(raw(program, text.encode("latin-1")), 400, "bad-json")


@pytest.mark.parametrize("body", [[], "a", 5, None, True, [HEAD]])
def test_what_is_no_object_is_refused(program, body):
    assert_problem(raw(program, json.dumps(body)), 422, "invalid")


def shapes_of(kind):
    for shape in kind.__subclasses__():
        yield shape
        yield from shapes_of(shape)


def test_no_request_takes_a_number_for_a_text_or_a_truth():
    tried = set()
    for shape in shapes_of(StrictSerializer):
        for name, each in shape().fields.items():
            if isinstance(each, serializers.CharField | serializers.BooleanField):
                for value in (0, 1, 2.5):
                    asked = shape(data={name: value}, context={"request": None})
                    assert not asked.is_valid(), (shape, name)
                    assert asked.errors[name][0].code == "invalid", (shape, name)
                tried.add((shape.__name__, name))
    assert len(tried) > 50


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        *(("games/a%00b/", 404, "not-found"), ("nowhere%00/", 404, "not-found")),
        ("games/abc/?page=%00", 400, "bad-address"),
    ],
)
def test_nul_in_an_address_breaks_nothing(program, path, status, code):
    assert_problem(program.get(path), status, code)


def test_number_in_an_address_may_be_of_any_size(program):
    started = program.post("games/", HEAD).json()
    phone = program.with_token(started["keys"]["write"])
    path = f"games/{started['id']}/entries/{'9' * 40}/"
    assert_problem(phone.delete(path, If_Match='"0"'), 404, "no-such-entry")


def test_fault_of_ours_is_owned_up_to_without_what_it_was(program, monkeypatch):
    def broken(_rows):
        raise RuntimeError(str(ROOT))

    program.client.raise_request_exception = False
    monkeypatch.setattr(QuerySet, "get", broken)
    answer = program.get("games/abc/", Accept_Language="tr")
    assert_problem(answer, 500, "broken")
    assert answer["RateLimit"].startswith('"read";r=')


@pytest.fixture
def started(program):
    game = program.post("games/", HEAD).json()
    return program.with_token(game["keys"]["write"]), f"games/{game['id']}/"


def test_mistakes_on_three_levels_are_told_at_once(program, started):
    head = HEAD | {"title": 5, "colour": "red", "match": {"length": "long", "number": 0}}
    assert {*faults(program.post("games/", head))} == {
        ("wrong-type", "title"),
        ("unexpected-field", "colour"),
        ("invalid-choice", "match.length"),
        ("min-value", "match.number"),
    }
    phone, path = started
    wrong = {"entry": deal("heart-king", 1, 1, 0, 0), "author": 7, "colour": "red"}
    told = {("wrong-type", "author"), ("unexpected-field", "colour")}
    entry = {("wrong-total", "entry.counts.heart_king")}
    assert {*faults(phone.post(f"{path}entries/", wrong))} == told | entry
    written = phone.post(f"{path}entries/", {"entry": WHOLE_GAME[0]})
    assert written.status_code == 201
    wrong["entry"] = {"type": "deal", "contract": 3}
    corrected = phone.put(f"{path}entries/0/", wrong, If_Match='"1"')
    assert {*faults(corrected)} == told | {("wrong-type", "entry.contract")}


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
    denied = director.post(f"clubs/{club.slug}/players/", {"names": ["Ayşe"]})
    assert (denied.status_code, denied.json()["scope"]) == (403, "direct")
    told = 'Bearer error="insufficient_scope", scope="direct"'
    assert denied["WWW-Authenticate"] == told

    stranger = program.get("me/")
    assert (stranger.status_code, stranger.json()["scope"]) == (401, "read")
    assert stranger["WWW-Authenticate"] == 'Bearer scope="read"'


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


def test_refusal_is_told_in_the_language_that_is_asked_for(program):
    club = SeasonFactory(name="2026").club
    dates = {"name": "2026", "starts_on": "2026-01-01", "ends_on": "2026-12-31"}

    director = program.role("director", club)
    answer = director.post(f"clubs/{club.slug}/seasons/", dates, Accept_Language="tr")

    assert refused(answer) == (409, "season-name-taken")
    assert answer.json()["title"] == "Bu adda bir sezon var."
