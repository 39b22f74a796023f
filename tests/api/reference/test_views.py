import re

import pytest
from django.test import Client
from django.urls import reverse
from drf_spectacular.drainage import GENERATOR_STATS
from drf_spectacular.validation import validate_schema

from tournaments.api.problems import TYPES
from tournaments.api.reference.views import content, document

pytestmark = pytest.mark.django_db


def test_description_served_is_valid_english_and_sent_once():
    content.cache_clear()
    first = Client().get(reverse("api:openapi"), headers={"Accept-Language": "tr"})
    assert not GENERATOR_STATS
    validate_schema(first.json())
    # A sentence of the framework, which has it in Turkish, too.
    assert "The pagination cursor value." in first.text
    again = Client().get(reverse("api:openapi"), headers={"If-None-Match": first["ETag"]})
    assert again.status_code == 304


def test_reference_leads_to_every_operation_and_every_form_it_speaks_of():
    told = Client().get(reverse("api_reference")).content.decode()
    places = re.findall(r'href="(/api/v1/docs/[^"#]+)#([^"]+)"', told)
    operations = [
        one["operationId"] for way in document()["paths"].values() for one in way.values()
    ]
    assert sorted(place for _page, place in places) == sorted(operations)

    pages = {page for page, _place in places}
    topics = {page: Client().get(page).content.decode() for page in pages}
    assert [place for page, place in places if f'id="{place}"' not in topics[page]] == []
    forms = {
        form for page in topics.values() for form in re.findall(r'"(/[^"]+/forms/\w+/)"', page)
    }
    assert forms
    assert [form for form in sorted(forms) if Client().get(form).status_code != 200] == []


def test_operation_is_shown_with_who_may_what_is_sent_and_what_comes_back():
    page = Client().get(reverse("api_topic", args=["games"])).content.decode()
    _before, _id, after = page.partition('id="games_entries_add"')
    one = " ".join(re.sub("<[^>]+>", " ", after.partition("</article>")[0]).split())
    assert "POST /api/v1/games/{id}/entries/" in one
    assert "token score · oauth score · key" in one
    assert "Idempotency-Key" in one
    assert "entry * Entry" in one
    assert "201 Game" in one
    assert "412 · 422" in one


def test_topic_or_form_that_there_is_not_is_not_found():
    assert Client().get(reverse("api_topic", args=["nothing"])).status_code == 404
    assert Client().get(reverse("api_form", args=["Nothing"])).status_code == 404


def test_each_problem_has_its_place_on_the_page_its_type_leads_to():
    missing = Client().get("/api/v1/games/there-is-none/").json()
    path, _hash, code = missing["type"].partition("#")
    assert (f"{path}#", code) == (f"http://testserver{TYPES}", "not-found")
    page = Client().get(path).content.decode()
    places = re.findall(r'<div id="([^"]+)"', page)
    codes = document()["components"]["schemas"]
    kinds, faults = codes["ProblemCode"]["enum"], codes["FaultCode"]["enum"]
    assert places == [*kinds, *(f"fault-{code}" for code in faults)]
