import json
import re

import pytest
from django.test import Client
from django.urls import reverse
from drf_spectacular.drainage import GENERATOR_STATS
from drf_spectacular.validation import validate_schema
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from tournaments.api.components import read_examples
from tournaments.api.problems import TYPES
from tournaments.api.reference.views import content, document

pytestmark = pytest.mark.django_db


EXAMPLES = read_examples()
OPERATIONS, SCHEMAS = EXAMPLES["operations"], EXAMPLES["schemas"]
HERE = "urn:kingscore:openapi"


@pytest.fixture(scope="module")
def description():
    return document()


def operations(description):
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            yield f"{method} {path}", operation


def parts_in(node):
    """Each object that a piece of the description has in it."""
    if isinstance(node, dict):
        yield node
    elif not isinstance(node, list):
        return
    for part in node.values() if isinstance(node, dict) else node:
        yield from parts_in(part)


def references_in(node):
    return {part["$ref"] for part in parts_in(node) if isinstance(part.get("$ref"), str)}


def validator(description, schema):
    resource = Resource.from_contents(description, default_specification=DRAFT202012)
    registry = Registry().with_resource(HERE, resource)
    # What is referred to stands in the description, not in the schema.
    text = json.dumps(schema).replace('"#/', f'"{HERE}#/')
    return Draft202012Validator(json.loads(text), registry=registry)


def test_every_reference_leads_somewhere(description):
    resource = Resource.from_contents(description, default_specification=DRAFT202012)
    resolver = Registry().with_resource(HERE, resource).resolver(HERE)
    for reference in references_in(description):
        resolver.lookup(reference)


def test_each_operation_has_a_name_of_its_own_a_topic_that_is_shown_and_who_may(description):
    told = {tag["name"] for tag in description["tags"]}
    names = [operation["operationId"] for _, operation in operations(description)]
    assert len(names) == len(set(names))
    for where, operation in operations(description):
        assert set(operation["tags"]) <= told, where
        assert operation.get("security", description["security"]), where
        assert operation["summary"], where


@pytest.mark.parametrize(
    ("name", "place"), [(name, place) for name, places in OPERATIONS.items() for place in places]
)
def test_example_is_what_its_schema_says(description, name, place):
    operation = next(o for _, o in operations(description) if o["operationId"] == name)
    body = operation["requestBody"] if place == "request" else operation["responses"][place]
    content = body["content"]["application/json"]
    [shown] = content["examples"].values()
    shared = description["components"]["examples"]
    assert (shared[name] if "$ref" in shown else shown)["value"] == OPERATIONS[name][place]
    faults = validator(description, content["schema"]).iter_errors(OPERATIONS[name][place])
    assert [(fault.json_path, fault.message) for fault in faults] == []


@pytest.mark.parametrize("name", SCHEMAS)
def test_example_of_a_schema_is_valid(description, name):
    schema = {"$ref": f"#/components/schemas/{name}"}
    faults = validator(description, schema).iter_errors(SCHEMAS[name])
    assert [each.message for each in faults] == []


def test_choices_of_objects_have_a_discriminator(description):
    components = description["components"]["schemas"]
    parts = {**description, "components": {**description["components"], "examples": {}}}
    for schema in parts_in(parts):
        choices = [each for each in schema.get("oneOf", []) if "$ref" in each]
        if len(choices) > 1:
            assert len(choices) == len(schema["oneOf"]), schema
            told = schema["discriminator"]
            assert set(told["mapping"].values()) == {each["$ref"] for each in choices}
            for value, to in told["mapping"].items():
                variant = components[to.rpartition("/")[2]]
                assert variant["properties"][told["propertyName"]]["const"] == value
                assert told["propertyName"] in variant["required"]
    assert "discriminator" in components["Entry"]
    assert "discriminator" in components["SeatingReason"]


@pytest.mark.parametrize(("header", "statuses"), [("Location", "201 202"), ("ETag", "200 201")])
def test_answers_describe_the_headers_with_which_a_program_goes_on(description, header, statuses):
    answers = [
        (status, header in answer.get("headers", ()))
        for path in description["paths"].values()
        for operation in path.values()
        for status, answer in operation["responses"].items()
        if status in statuses.split()
    ]
    assert {*answers} == {(status, True) for status in statuses.split()}


def test_if_match_is_required_where_it_is(description):
    if_match = {"$ref": "#/components/parameters/If-Match"}
    for where, operation in operations(description):
        own = [each for each in operation["parameters"] if each.get("name") == "If-Match"]
        assert ("428" in operation["responses"]) == any(each["required"] for each in own), where
        if where.startswith(("put", "patch", "delete")):
            assert own or if_match in operation["parameters"], where


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
    for name, unknown in (("api_topic", "nothing"), ("api_form", "Nothing")):
        assert Client().get(reverse(name, args=[unknown])).status_code == 404


def test_each_problem_has_its_place_on_the_page_its_type_leads_to():
    missing = [Client().get(f"/api/v1/{at}/").json()["type"] for at in ("games/abc", "nowhere")]
    assert missing == [f"http://testserver{TYPES}not-found"] * 2
    page = Client().get(missing[0]).content.decode()
    places = re.findall(r'<div id="([^"]+)"', page)
    codes = document()["components"]["schemas"]
    kinds, faults = codes["ProblemCode"]["enum"], codes["FaultCode"]["enum"]
    assert places == [*kinds, *(f"fault-{code}" for code in faults)]


def test_deprecated_operations_say_so_in_their_answers(description, client):
    deprecated = [
        (method, re.sub(r"{\w+}", "1", path))
        for path, methods in description["paths"].items()
        for method, operation in methods.items()
        if operation.get("deprecated")
    ]
    assert len(deprecated) == 15
    narrowed = [("get", "/api/v1/games/?fields=id"), ("get", "/api/v1/games/1/?expand=club")]
    for method, path in (*deprecated, *narrowed):
        response = client.generic(method.upper(), path, "{}", content_type="application/json")
        assert response["Deprecation"] == "@1796083200", (method, path)
    for path in ("/api/v1/games/", "/api/v1/games/1/?fields=id"):
        assert "Deprecation" not in client.get(path)
