"""The description of the API as it is kept and served, and the pages about it."""

import json
import re

import pytest
from django.test import Client
from django.urls import reverse

from tests.club_factories import ClubFactory
from tournaments.api.problems import TYPES
from tournaments.api.reference.telling import Reference
from tournaments.api.reference.views import KEPT

pytestmark = pytest.mark.django_db


def test_description_is_served_as_it_is_kept_and_not_twice():
    first = Client().get(reverse("api:openapi"))
    assert first.json() == json.loads(KEPT.read_text())
    again = Client().get(reverse("api:openapi"), headers={"If-None-Match": first["ETag"]})
    assert again.status_code == 304


def test_index_leads_to_where_a_program_begins(program):
    index = program.get("/api/v1/").json()
    assert (index["docs"], index["openapi"]) == ("/api/v1/docs/", "/api/v1/openapi.json")
    asked = {name: Client().get(path).status_code for name, path in index.items()}
    assert asked == {name: 401 if name == "me" else 200 for name in index}
    assert program.role("member", ClubFactory()).get(index["me"]).status_code == 200
    assert Client().get("/api/v1")["Location"] == "/api/v1/"


def test_reference_leads_to_every_operation_and_every_form_it_speaks_of():
    document = json.loads(KEPT.read_text())
    told = Client().get(reverse("api_reference")).content.decode()
    places = re.findall(r'href="(/api/v1/docs/[^"#]+)#([^"]+)"', told)
    operations = [one["operationId"] for way in document["paths"].values() for one in way.values()]
    assert sorted(place for _page, place in places) == sorted(operations)

    pages = {page for page, _place in places}
    topics = {page: Client().get(page).content.decode() for page in pages}
    assert [place for page, place in places if f'id="{place}"' not in topics[page]] == []
    forms = {
        form for page in topics.values() for form in re.findall(r'"(/[^"]+/forms/\w+/)"', page)
    }
    assert forms
    assert [form for form in sorted(forms) if Client().get(form).status_code != 200] == []


def test_operation_is_told_with_who_may_what_is_sent_and_what_comes_back():
    page = Client().get(reverse("api_topic", args=["games"])).content.decode()
    _before, _id, after = page.partition('id="games_entries_add"')
    one = " ".join(re.sub("<[^>]+>", " ", after.partition("</article>")[0]).split())
    assert "POST /api/v1/games/{public_id}/entries/" in one
    assert "token score · key" in one
    assert "Idempotency-Key" in one
    assert "entry * Entry" in one
    assert "201 Game" in one
    assert "412 · 413" in one


def told_of(schema):
    """What the form of a field says of it, in one line."""
    described = {"components": {"schemas": {"Each": {"properties": {"it": schema}}}}}
    (field,) = Reference(described, str).form("Each").fields
    return str(field.told)


@pytest.mark.parametrize(
    ("schema", "told"),
    [
        ({"type": "string", "default": ""}, "else empty"),
        ({"type": "array", "default": []}, "else []"),
        ({"type": "string", "default": "all"}, "else all"),
        ({"type": "boolean", "default": False}, "else false"),
        (
            {"type": "string", "minLength": 1, "maxLength": 40},
            "at least 1 character · at most 40 characters",
        ),
        ({"type": "array", "minItems": 1}, "at least 1"),
        ({"type": "string", "description": "Its name.", "default": ""}, "Its name. · else empty"),
    ],
)
def test_field_is_told_with_its_limits_in_words(schema, told):
    assert told_of(schema) == told


def test_no_page_ends_a_field_in_the_middle_of_its_sentence():
    for name in ("tournaments", "rounds", "games"):
        page = Client().get(reverse("api_topic", args=[name])).content.decode()
        assert not re.search(r"· else\s*<|>\s*else\s*<|at (least|most) 1 characters", page)


def test_topic_or_form_that_there_is_not_is_not_found():
    assert Client().get(reverse("api_topic", args=["nothing"])).status_code == 404
    assert Client().get(reverse("api_form", args=["Nothing"])).status_code == 404


def test_each_problem_has_its_place_on_the_page_its_type_leads_to():
    missing = Client().get("/api/v1/games/there-is-none/").json()
    path, _hash, code = missing["type"].partition("#")
    assert (f"{path}#", code) == (TYPES, "not-found")
    page = Client().get(path).content.decode()
    places = re.findall(r'<div id="([^"]+)"', page)
    codes = json.loads(KEPT.read_text())["components"]["schemas"]
    kinds, faults = codes["ProblemCode"]["enum"], codes["FaultCode"]["enum"]
    assert places == [*kinds, *(f"fault-{code}" for code in faults)]


@pytest.mark.parametrize("language", ["tr", "it"])
def test_problems_are_explained_in_the_language_of_the_reader(language):
    page = Client().get(reverse("api_problems"), headers={"Accept-Language": language})
    english = Client().get(reverse("api_problems"), headers={"Accept-Language": "en"})
    assert page.content != english.content
    assert "%(" not in page.content.decode()
