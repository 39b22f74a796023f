"""Every list in pages, by `cursor` and `page_size`, beside the ways there were before."""

import pytest

from tests.api.answers import faults
from tests.api.test_queries import LISTS, rating, table, tournament
from tests.club_factories import AuditEntryFactory, EntrantFactory, RoundFactory
from tests.factories import EVENING
from tournaments.api.reference.views import document


def audit(club):
    AuditEntryFactory(club=club)


def entrant(club):
    EntrantFactory(tournament=tournament(club))


def rounds(club):
    event = tournament(club).event
    RoundFactory(event=event, number=event.rounds.count() + 1, published_at=EVENING)


COMPUTED = {
    "changes/": audit,
    "clubs/moda/ratings/": rating,
    "clubs/moda/tournaments/acik/rounds/": rounds,
    "clubs/moda/tournaments/acik/rounds/1/tables/": lambda club: table(tournament(club).event),
    "clubs/moda/tournaments/acik/standings/": entrant,
    "rulesets/": lambda _club: None,
    "schemas/": lambda _club: None,
}


def whole_by_pages(program, path, size):
    """All rows of a list, one page after the other, and back again."""
    answer, rows, pages = program.get(f"{path}?page_size={size}"), [], 0
    while True:
        page = answer.json()
        assert len(page["results"]) <= size
        rows, pages = rows + page["results"], pages + 1
        if page["next"] is None:
            break
        answer = program.get(page["next"].removeprefix("http://testserver"))
        assert answer.status_code == 200
    assert pages >= len(rows) / size
    while page["previous"] is not None:
        page, pages = (
            program.get(page["previous"].removeprefix("http://testserver")).json(),
            pages - 1,
        )
    return rows, pages


@pytest.mark.parametrize("path", COMPUTED)
def test_computed_list_is_read_whole_or_page_by_page(club, owner, path):
    for _ in range(3):
        COMPUTED[path](club)
    everything = owner.get(path).json()

    rows, left = whole_by_pages(owner, path, 2)

    assert rows == everything["results"]
    assert len(rows) >= 3
    # What follows a feed never goes back.
    assert left == (2 if path == "changes/" else 1)
    for size in ("0", "9" * 4301):
        assert faults(owner.get(f"{path}?page_size={size}"))[0][1] == "page_size"
    assert owner.get(f"{path}?cursor=none").status_code == 404


def test_former_ways_to_page_go_on(club, owner):
    for _ in range(3):
        audit(club)
        rating(club)
    assert [line["number"] for line in owner.get("changes/?after=1&limit=1").json()["results"]] == [
        2
    ]
    board = owner.get("clubs/moda/ratings/?page=2&page_size=1").json()
    assert (board["page"], board["pages"], len(board["results"])) == (2, 3, 1)


def test_every_list_is_described_with_the_same_parameters():
    paths = {
        path: methods["get"] for path, methods in document()["paths"].items() if "get" in methods
    }
    lists = [path for path, operation in paths.items() if is_list(operation)]

    assert len(lists) > len(LISTS) + len(COMPUTED)
    for path in lists:
        asked = {
            each.get("$ref", "").rpartition("/")[2] or each["name"]
            for each in paths[path]["parameters"]
        }
        assert {"cursor", "page_size"} <= asked, path


def is_list(operation):
    content = operation["responses"].get("200", {}).get("content", {}).get("application/json", {})
    name = content.get("schema", {}).get("$ref", "").rpartition("/")[2]
    form = document()["components"]["schemas"].get(name, {})
    return "results" in form.get("properties", {})
