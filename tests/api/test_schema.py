import json
import re

import pytest
from django.core.management import CommandError, call_command
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from tests.servers import ROOT
from tournaments.api.reference.description import document
from tournaments.management.commands import list_api

EXAMPLES = json.loads((ROOT / "tournaments" / "api" / "examples.json").read_text())
HERE = "urn:kingscore:openapi"


@pytest.fixture(scope="module")
def description():
    return document()


def operations(description):
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            yield f"{method} {path}", operation


def references_in(node):
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"]
        for part in node.values():
            yield from references_in(part)
    elif isinstance(node, list):
        for part in node:
            yield from references_in(part)


def validator(description, schema):
    resource = Resource.from_contents(description, default_specification=DRAFT202012)
    registry = Registry().with_resource(HERE, resource)
    # What is referred to stands in the description, not in the schema.
    text = json.dumps(schema).replace('"#/', f'"{HERE}#/')
    return Draft202012Validator(json.loads(text), registry=registry)


def test_every_reference_leads_somewhere(description):
    resource = Resource.from_contents(description, default_specification=DRAFT202012)
    resolver = Registry().with_resource(HERE, resource).resolver(HERE)
    for reference in set(references_in(description)):
        resolver.lookup(reference)


def test_every_component_is_a_schema(description):
    for schema in description["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)


def test_each_operation_has_a_name_of_its_own_a_topic_that_is_shown_and_who_may(description):
    told = {tag["name"] for tag in description["tags"]}
    names = [operation["operationId"] for _, operation in operations(description)]
    assert len(names) == len(set(names))
    for where, operation in operations(description):
        assert set(operation["tags"]) <= told, where
        assert operation["security"], where
        assert operation["summary"], where


@pytest.mark.parametrize(
    ("name", "place"), [(name, place) for name, places in EXAMPLES.items() for place in places]
)
def test_example_is_what_its_schema_says(description, name, place):
    operation = next(o for _, o in operations(description) if o["operationId"] == name)
    body = operation["requestBody"] if place == "request" else operation["responses"][place]
    content = body["content"]["application/json"]
    assert content["examples"][name]["value"] == EXAMPLES[name][place]
    faults = validator(description, content["schema"]).iter_errors(EXAMPLES[name][place])
    assert [(fault.json_path, fault.message) for fault in faults] == []


def test_reading_that_needs_more_than_usual_says_so(description):
    read = description["paths"]["/api/v1/clubs/{slug}/webhooks/"]["get"]
    assert read["security"] == [{"token": ["manage"]}]


def test_api_is_the_one_that_is_listed():
    call_command("list_api", "--check")


def test_listing_names_a_part_that_has_changed_but_no_text(description):
    changed = json.loads(json.dumps(description))
    game = changed["components"]["schemas"]["Game"]
    game["description"] = game["properties"]["id"]["description"] = "Another text."
    assert list_api.listing(changed) == list_api.listing(description)
    game["properties"]["id"]["type"] = "integer"
    del game["properties"]["title"]
    changed["paths"]["/api/v1/games/"]["post"]["security"] = []
    with pytest.raises(CommandError) as refused:
        list_api.check(list_api.listing(description), list_api.listing(changed), "")
    changes = re.findall(r"^([-+] \S+ [\w.]+)#", str(refused.value), re.MULTILINE)
    assert changes == [
        *("- /api/v1/games/ post.security", "+ /api/v1/games/ post.security"),
        *("- Game id", "+ Game id", "- Game title"),
    ]
