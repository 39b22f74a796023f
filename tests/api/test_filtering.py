import json
from base64 import b64encode
from datetime import UTC, datetime
from urllib.parse import urlencode

import pytest

from tests.club_factories import ClubFactory, PlayerFactory
from tournaments.api.reference.views import document

pytestmark = pytest.mark.django_db


def lists():
    shared = document()["components"]["parameters"]
    for path, operations in document()["paths"].items():
        asked = operations.get("get", {}).get("parameters", [])
        whole = [shared[one["$ref"].rpartition("/")[2]] if "$ref" in one else one for one in asked]
        names = {one["name"] for one in whole if one["in"] == "query"}
        if "page_size" in names:
            yield path, names


def refused(answer):
    assert answer.status_code == 422, answer.content
    return [(p["code"], p["where"]) for p in answer.json()["problems"]]


def test_slips_in_filters_orders_and_pages_are_shown_and_not_passed_over(program):
    assert refused(program.get("games/?finised=true&club=a")) == [("unexpected-field", "finised")]
    assert refused(program.get("games/?finished=perhaps")) == [("wrong-type", "finished")]
    assert refused(program.get("games/?ordering=titel")) == [("unknown-order", "ordering")]
    for wrong in ("0", "-1", "many"):
        assert refused(program.get(f"games/?page_size={wrong}")) == [("wrong-type", "page_size")]
    assert program.get("games/?finished=true&ordering=-played_at&page_size=900").status_code == 200


@pytest.mark.parametrize("place", [["2026-11-20"], [{}, []], {"a": 1}, 7, ["x", "1"], [None, "x"]])
def test_made_up_places_in_a_list_are_none(program, place):
    cursor = b64encode(urlencode({"p": json.dumps(place)}).encode()).decode()
    assert program.get(f"games/?{urlencode({'cursor': cursor})}").status_code == 404


def test_lists_take_all_that_their_description_names(program):
    owner = program.role("owner", ClubFactory(slug="kadife"))
    places = {"slug": "kadife", "club": "kadife"}
    tried = [(path, names) for path, names in lists() if set(_places(path)) <= set(places)]
    assert len(tried) > 8
    for path, names in tried:
        asked = "&".join(f"{name}=" for name in names - {"cursor"})
        answer = owner.get(f"{path.format(**places)}?{asked}")
        if answer.status_code not in {200, 404}:
            codes = {code for code, _where in refused(answer)}
            assert codes <= {"missing-field", "wrong-type"}, path


def test_empty_filters_are_refused_and_not_passed_over(program):
    asked = "games/?club=&finished=&ordering=&page_size="
    assert refused(program.get(asked)) == [
        ("missing-field", name) for name in ("club", "finished", "ordering", "page_size")
    ]


@pytest.mark.parametrize("order", ["-created_at", "created_at", "-name"])
def test_rows_added_meanwhile_move_no_page_even_among_rows_alike(program, order):
    club = ClubFactory(slug="kadife")
    at = datetime(2026, 11, 22, 18, tzinfo=UTC)
    PlayerFactory.create_batch(5, club=club, created_at=at)
    member, seen = program.role("member", club), []
    path = f"clubs/kadife/players/?page_size=2&ordering={order}"
    while path:
        page = member.get(path.removeprefix("http://testserver")).json()
        seen.append([row["id"] for row in page["results"]])
        for name, moment in ((f"A {len(seen)}", 17), (f"Ş {len(seen)}", 19)):
            PlayerFactory(club=club, name=name, created_at=at.replace(hour=moment))
        path = page["next"] if len(seen) < 4 else None
    rows = [one for each in seen for one in each]
    assert len(rows) == len(set(rows))
    back = member.get(page["previous"].removeprefix("http://testserver")).json()
    assert back["results"][-1]["id"] == seen[-2][-1]


def _places(path):
    return [part[1:-1] for part in path.split("/") if part.startswith("{")]
