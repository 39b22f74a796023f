"""House rules of clubs and of the server, kept by programs."""

import pytest
from jsonschema import Draft202012Validator

from tests.api.conftest import faults
from tests.club_factories import ClubFactory
from tests.factories import HouseRulesetFactory
from tournaments.api.reference.views import document
from tournaments.engine.documents.ruleset_records import read_ruleset, write_ruleset
from tournaments.engine.documents.verify import SCHEMAS
from tournaments.engine.variants import RULESETS


def test_rulesets_are_those_of_the_program_and_the_house_rules_one_may_play(
    program, django_assert_num_queries
):
    club = ClubFactory()
    HouseRulesetFactory(slug="of-all")
    HouseRulesetFactory(slug="of-the-club", club=club, name="Moda usulü")
    with django_assert_num_queries(1):
        lines = program.get("rulesets/").json()["results"]
    assert [line["id"] for line in lines] == [*RULESETS, "of-all"]
    assert (lines[0]["name"], lines[0]["house"], lines[0]["seats"]) == ("King", False, 4)
    member = program.role("member", club)
    assert member.get("rulesets/").json()["results"][-1]["name"] == "Moda usulü"
    assert member.get("rulesets/of-the-club/").json()["name"] == "Moda usulü"


def test_description_names_all_that_a_form_shows_in_the_language_that_was_asked_for(program):
    asked = {
        language: program.get("rulesets/turkish-king/", Accept_Language=language)
        for language in ("en", "tr", "it")
    }
    said = asked["en"].json()
    assert said["name"] == "King"
    chosen = program.get('rulesets/turkish-king/?options={"king":"declared"}').json()
    assert chosen["settings"]["king"] == "declared" != said["settings"]["king"]
    assert (said["contracts"][-1]["name"], said["suits"]["hearts"]["symbol"]) == ("Trump", "♥")
    assert said["units"]["heart_king"]["name"] == "King of hearts"
    assert said["options"][0]["value_names"][0] == "ends the game"
    turkish = asked["tr"].json()
    assert (turkish["contracts"][-1]["name"], turkish["suits"]["hearts"]["name"]) == ("Koz", "kupa")
    assert len({answer["ETag"] for answer in asked.values()}) == 3
    assert "Accept-Language" in asked["tr"]["Vary"]


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ('{"king": "perhaps"}', ("unknown-option", "options.king")),
        ("[]", ("wrong-type", "options")),
        ("{", ("bad-json", "options")),
    ],
)
def test_options_that_cannot_be_are_refused_at_their_place(program, options, found):
    assert faults(program.get(f"rulesets/turkish-king/?options={options}")) == [found]


def test_ruleset_is_handed_on_as_a_document(program):
    document = program.get("rulesets/italian-king/ruleset/").json()
    assert read_ruleset(document) == RULESETS["italian-king"]
    assert program.get("rulesets/no-such-game/ruleset/").status_code == 404


def test_rules_that_are_stored_nowhere_are_described(program):
    document = write_ruleset(RULESETS["turkish-king"]) | {"name": "Ours"}
    said = {"ruleset": document, "options": {"king": "declared"}}
    described = program.post("describe/", said)
    assert described.status_code == 200
    assert (described.json()["name"], described.json()["settings"]["king"]) == ("Ours", "declared")
    del document["contracts"]
    assert faults(program.post("describe/", said)) == [("missing-field", "ruleset.contracts")]


def test_descriptions_are_as_their_schema_says(program):
    whole = {"$ref": "#/components/schemas/RulesetDescription", **document()}
    validator = Draft202012Validator(whole)
    for rules in RULESETS:
        each = program.get(f"rulesets/{rules}/").json()
        assert [error.message for error in validator.iter_errors(each)] == []
    wrong = {**each, "contracts": [{**each["contracts"][0], "scoring": "by-luck"}]}
    assert not validator.is_valid(wrong)


def test_schemas_are_listed_and_handed_on(program):
    lines = program.get("schemas/").json()["results"]
    assert [line["file"] for line in lines] == list(SCHEMAS)
    assert (lines[0]["id"], lines[0]["title"]) == ("urn:kingscore:game:1", "kingscore-game/1")
    path = "schemas/kingscore-game-1.json"
    assert program.get(path).json() == SCHEMAS["kingscore-game-1.json"]()
    for accepted, got in (("*/*", "application/schema+json"), ("application/json",) * 2):
        assert program.get(path, Accept=accepted)["Content-Type"] == got
    missing = program.get("schemas/kingscore-life-1.json")
    assert (missing.status_code, missing["Content-Type"]) == (404, "application/problem+json")


KING = write_ruleset(RULESETS["turkish-king"])


@pytest.fixture
def club(db):
    return ClubFactory(slug="kadife")


def test_director_makes_changes_and_removes_house_rules(director, club):
    made = director.post("clubs/kadife/house-rules/", {"document": KING | {"name": "Bizim King"}})
    assert made.status_code == 201
    where = "/api/v1/clubs/kadife/house-rules/bizim-king/"
    assert (made["Location"], made["ETag"]) == (where, '"1"')
    assert director.get(where).json() == made.json()
    assert made.json()["document"] == KING | {"name": "Bizim King", "id": "bizim-king"}

    shorter = made.json()["document"] | {"name": "Kısa King"}
    changed = director.patch(where, {"document": shorter}, If_Match='"1"')
    assert (changed.status_code, changed["ETag"]) == (200, '"2"')
    assert changed.json()["name"] == "Kısa King"
    assert director.get("rulesets/bizim-king/").json()["name"] == "Kısa King"

    assert director.delete(where, If_Match='"2"').status_code == 204
