import json

import pytest
from jsonschema import Draft202012Validator

from tests.engine.documents.pairings import NINE, SPOILED
from tests.engine.documents.schemas import PUBLISHED
from tests.engine.pairing.evenings import Evening
from tournaments.engine.documents.pairings import seat_document

PAIRINGS = Draft202012Validator(PUBLISHED["kingscore-pairing-1.json"])
SEATINGS = Draft202012Validator(PUBLISHED["kingscore-seating-1.json"])

FOUND_BY_THE_SENSE = {
    "an entrant twice",
    "twice in a round",
    "a stranger to avoid",
    "a stranger at a table",
    "groups that make five",
    "groups for more tables than there are",
    "nobody left for the bye",
}
BEYOND_THE_FORM = {"a score that no sum of can be written"}
READ = {
    "nine": NINE,
    "the least": {"format": NINE["format"], "entrants": NINE["entrants"][:4]},
    "two against two": {
        "format": NINE["format"],
        "table_size": 2,
        "entrants": [
            {"id": "p1", "score": "-9/2", "club": "Moda", "rating": 1510},
            {"id": "p2", "score": 3, "club": ""},
        ],
        "rounds": [{"tables": [], "byes": []}, {"tables": [["gone", "p2"]]}],
    },
    "alternatives": NINE | {"alternatives": 3},
    "ratings between": NINE
    | {"entrants": [{**each, "rating": 1500.5} for each in NINE["entrants"]]},
}


def seat(document):
    return json.loads(json.dumps(seat_document(document)))


@pytest.mark.parametrize("name", READ)
def test_what_can_be_seated_fits_the_schema_and_so_does_its_seating(name):
    PAIRINGS.validate(READ[name])

    seating = seat(READ[name])
    assert "problems" not in seating
    SEATINGS.validate(seating)


@pytest.mark.parametrize(("players", "size"), [(9, 4), (7, 2)])
def test_every_round_of_an_evening_fits_the_schemas(players, size):
    evening, codes = Evening(players, 6, seed=4, size=size, fixed=[["p0", "p1"]]), set()

    for _ in range(6):
        PAIRINGS.validate(evening.document())
        seating = evening.draw()
        SEATINGS.validate(json.loads(json.dumps(seating)))
        codes |= {reason["code"] for why in seating["why"].values() for reason in why}
    # All there are: a new one needs its place in the schema.
    assert codes == {
        branch["properties"]["code"]["const"]
        for branch in SEATINGS.schema["$defs"]["reason"]["oneOf"]
    }


@pytest.mark.parametrize("name", SPOILED)
def test_spoiled_pairings_do_not_fit_and_their_refusals_do(name):
    change, _problems = SPOILED[name]
    document = None if change is None else NINE | change

    assert PAIRINGS.is_valid(document) == (name in FOUND_BY_THE_SENSE | BEYOND_THE_FORM)
    SEATINGS.validate(seat(document))


@pytest.mark.parametrize("field", ["format", "entrants"])
def test_what_is_required_cannot_be_left_out(field):
    document = {name: value for name, value in NINE.items() if name != field}

    assert not PAIRINGS.is_valid(document)
    assert [(p["code"], p["where"]) for p in seat(document)["problems"]] == [
        ("missing-field", field)
    ]


@pytest.mark.parametrize("field", sorted(NINE.keys() - {"format", "entrants"}))
def test_everything_else_can_be_left_out(field):
    document = {name: value for name, value in NINE.items() if name != field}

    PAIRINGS.validate(document)
    SEATINGS.validate(seat(document))
    assert "problems" not in seat(document)


def test_groups_and_earlier_tables_have_the_size_of_the_tables():
    two = {**NINE, "table_size": 2, "rounds": [{"tables": [["p0", "p1"]]}], "fixed": []}

    assert PAIRINGS.is_valid(two)
    assert not PAIRINGS.is_valid({**two, "rounds": NINE["rounds"]})
    assert not PAIRINGS.is_valid({**two, "fixed": [["p0", "p1", "p2"]]})
    assert not PAIRINGS.is_valid({**NINE, "rounds": two["rounds"]})
