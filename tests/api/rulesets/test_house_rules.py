"""House rules of clubs and of the server, kept by programs."""

import pytest

from tests.club_factories import ClubFactory
from tests.factories import HouseRulesetFactory, UserFactory
from tournaments.engine.documents.ruleset_records import write_ruleset
from tournaments.engine.variants import RULESETS
from tournaments.models import AuditEntry, HouseRuleset

KING = write_ruleset(RULESETS["turkish-king"])


@pytest.fixture
def club(db):
    return ClubFactory(slug="kadife")


def test_director_makes_changes_and_removes_house_rules(director, club):
    made = director.post("clubs/kadife/house-rules/", {"document": KING | {"name": "Bizim King"}})
    assert made.status_code == 201
    where = "/api/v1/clubs/kadife/house-rules/bizim-king/"
    assert (made["Location"], made["ETag"]) == (where, '"1"')
    row = HouseRuleset.objects.get()
    assert (row.club, row.slug, row.revision) == (club, "bizim-king", 1)
    assert director.get(where).json() == made.json()
    assert made.json()["document"] == KING | {"name": "Bizim King", "id": "bizim-king"}

    shorter = made.json()["document"] | {"name": "Kısa King"}
    changed = director.patch(where, {"document": shorter}, If_Match='"1"')
    assert (changed.status_code, changed["ETag"]) == (200, '"2"')
    assert changed.json()["name"] == "Kısa King"
    assert director.get("rulesets/bizim-king/").json()["name"] == "Kısa King"

    stale = director.patch(where, {"document": KING | {"name": "Late"}}, If_Match='"1"')
    assert (stale.status_code, stale.json()["code"]) == (412, "changed-meanwhile")
    assert stale["ETag"] == '"2"'
    assert director.delete(where, If_Match='"1"').status_code == 412
    assert director.delete(where, If_Match='"2"').status_code == 204
    assert director.get(where).status_code == 404
    actions = list(AuditEntry.objects.order_by("pk").values_list("action", flat=True))
    assert actions == ["add-rules", "change-rules", "remove-rules"]


def test_document_that_cannot_be_is_refused_with_every_reason_at_its_place(director):
    wrong = KING | {"name": "", "contracts": [{**KING["contracts"][0], "scoring": "by-luck"}]}
    refused = director.post("clubs/kadife/house-rules/", {"document": wrong})
    assert refused.status_code == 422
    found = {(p["code"], p["where"]) for p in refused.json()["problems"]}
    assert ("bad-ruleset", "document.contracts.0.scoring") in found
    nameless = director.post("clubs/kadife/house-rules/", {"document": KING})
    assert [(p["code"], p["where"]) for p in nameless.json()["problems"]] == [
        ("missing-field", "document.name")
    ]
    assert not HouseRuleset.objects.exists()


def test_staff_keeps_the_rules_of_the_server_and_no_others(program, club):
    HouseRulesetFactory(slug="moda", club=club)
    HouseRulesetFactory(slug="of-the-server")
    staff = program.as_(UserFactory(is_superuser=True))
    assert [row["id"] for row in staff.get("house-rules/").json()["results"]] == ["of-the-server"]
    assert staff.get("house-rules/moda/").status_code == 404
    assert staff.get("clubs/kadife/house-rules/moda/").status_code == 404
    made = staff.post("house-rules/", {"document": KING | {"name": "New"}})
    assert made.json()["id"] == "new"
    assert HouseRuleset.objects.get(slug="new").club is None
