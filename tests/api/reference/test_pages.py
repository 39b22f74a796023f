"""The description of the API as it is kept and served, and the pages about it."""

import json
import re

import pytest
from django.test import Client
from django.urls import reverse

from tournaments.api.problems import TYPES
from tournaments.api.reference.views import KEPT

pytestmark = pytest.mark.django_db


def test_description_is_served_as_it_is_kept_and_not_twice():
    first = Client().get(reverse("api:openapi"))
    assert first.json() == json.loads(KEPT.read_text())
    again = Client().get(reverse("api:openapi"), headers={"If-None-Match": first["ETag"]})
    assert again.status_code == 304


def test_page_of_the_reference_may_use_what_redoc_needs_and_no_other_page_may():
    page = Client().get(reverse("api_reference"))
    assert "style-src 'self' 'unsafe-inline'" in page["Content-Security-Policy"]
    assert "script-src" not in page["Content-Security-Policy"]
    assert reverse("api:openapi") in page.content.decode()
    assert "unsafe-inline" not in Client().get(reverse("api_index"))["Content-Security-Policy"]


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
