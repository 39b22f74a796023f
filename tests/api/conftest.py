"""A program that asks the API, with a token or without."""

import json
from dataclasses import dataclass, field, replace
from functools import cache, partialmethod

import pytest
from django.core.cache import caches
from django.test import Client

from tests.club_factories import ClubFactory, MemberFactory
from tests.counting import LONG_AFTER
from tests.deals import NAMES
from tournaments.api.access import token_of
from tournaments.api.reference.views import document
from tournaments.models import PersonalToken, Role, Scope

HEAD = {"ruleset": "turkish-king", "players": list(NAMES)}
"""What starts a game."""


def refused(answer):
    """Status and code of the problem that was answered."""
    return answer.status_code, answer.json()["code"]


def faults(answer):
    """Code and place of each fault of a request that is refused for what it says."""
    assert answer.status_code == 422, answer.content
    return [(problem["code"], problem["where"]) for problem in answer.json()["problems"]]


def names(answer):
    return [row["name"] for row in answer.json()["results"]]


def phone_of(program, game, below=""):
    """A program with the key to write a game, and an address below it."""
    return program.with_token(token_of(game, "write")), f"games/{game.public_id}/{below}"


@cache
def described_codes(name):
    return frozenset(document()["components"]["schemas"][name]["enum"])


def described_parameters():
    """The path of each GET of the API description, and the names of its query parameters."""
    shared = document()["components"]["parameters"]
    for path, operations in document()["paths"].items():
        asked = operations.get("get", {}).get("parameters", [])
        whole = [shared[one["$ref"].rpartition("/")[2]] if "$ref" in one else one for one in asked]
        yield path, {one["name"] for one in whole if one["in"] == "query"}


def assert_codes_described(answer):
    """Check that each problem code of a test is in the API description."""
    if answer.get("Content-Type") == "application/problem+json":
        problem = answer.json()
        assert problem["code"] in described_codes("ProblemCode")
        assert {each["code"] for each in problem["problems"]} <= described_codes("FaultCode")


@dataclass
class Program:
    """Asks below `/api/v1/`; a body is sent as JSON, and `answer.json()` is what comes back."""

    token: str = ""
    client: Client = field(default_factory=Client)

    def with_token(self, token):
        return replace(self, token=str(token))

    def as_(self, user, *scopes):
        """With a personal token of an account, for all scopes unless some are named."""
        all_or_some = list(scopes or Scope)
        row, token = PersonalToken.objects.create(user, name="a test", scopes=all_or_some)
        # Noted as used for good: no request takes a query more than another, whatever the clock.
        PersonalToken.objects.filter(pk=row.pk).update(last_used_at=LONG_AFTER)
        return replace(self, token=token)

    def role(self, role, club, *scopes):
        """As somebody who is `member`, `director` or `owner` of a club."""
        return self.as_(MemberFactory(club=club, role=Role(role)).user, *scopes)

    def ask(self, method, path, body=None, **headers):
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        data = {} if body is None else {"data": json.dumps(body)}
        path = path if path.startswith("/") else f"/api/v1/{path}"
        answer = self.client.generic(
            method, path, content_type="application/json", headers=headers, **data
        )
        assert_codes_described(answer)
        return answer

    def post(self, path, body=None, **headers):
        return self.ask("POST", path, {} if body is None else body, **headers)

    get, delete = partialmethod(ask, "GET"), partialmethod(ask, "DELETE")
    put, patch = partialmethod(ask, "PUT"), partialmethod(ask, "PATCH")


@pytest.fixture
def program(db):
    caches["throttles"].clear()
    return Program()


@pytest.fixture
def club(db):
    return ClubFactory(slug="moda")


@pytest.fixture
def member(program, club):
    return program.role("member", club)


@pytest.fixture
def director(program, club):
    return program.role("director", club)


@pytest.fixture
def owner(program, club):
    return program.role("owner", club)
