import pytest
from django.core.cache import cache

from tests.api.conftest import faults, refused
from tests.club_factories import (
    EventFactory,
    MemberFactory,
    PlayerFactory,
    SeasonFactory,
    TableFactory,
)
from tests.deals import WHOLE_GAME
from tests.factories import GameFactory
from tournaments.api.access import token_of
from tournaments.models import Report
from tournaments.reports.documents import build_report


@pytest.fixture
def table(club):
    return TableFactory(round__event=EventFactory(club=club, name="Cuma"), entries=WHOLE_GAME[:2])


def documents_of(table):
    return f"clubs/moda/events/{table.round.event.public_id}/documents/"


def made(program, order):
    build_report(Report.objects.get().pk)
    return program.get(order["Location"]).json()


def test_sheets_of_an_evening_are_listed_asked_for_made_and_downloaded(program, club, table):
    member = program.role("member", club)
    offers = member.get(documents_of(table)).json()["offers"]
    sheets = next(offer for offer in offers if offer["document"] == "sheets")
    assert sheets["missing"] == ""
    assert "json" in sheets["formats"]

    order = member.post(documents_of(table), {"document": "sheets", "format": "json"})

    assert order.status_code == 202
    assert order["Location"] == order.json()["address"]
    assert (order.json()["state"], order.json()["file"]) == ("waiting", None)
    assert refused(member.get(f"{order['Location']}file/")) == (409, "not-done")
    done = made(member, order)
    assert (done["state"], done["error"]) == ("done", "")
    file = member.get(done["file"])
    assert file["Content-Type"] == "application/json"
    assert file["Cache-Control"] == "private, no-cache"
    assert b"kingscore-" in file.getvalue()
    assert program.get(done["file"]).status_code == 404
    assert program.get(order["Location"]).status_code == 404
    assert [r["address"] for r in member.get(documents_of(table)).json()["recent"]] == [
        order["Location"]
    ]


def test_cards_of_tables_are_for_directors_with_the_scope(program, club, table):
    owner = MemberFactory(club=club, role="owner").user
    wanted = {"document": "table-cards-of-round", "round": table.round.number}
    for lacking in (program.role("member", club), program.as_(owner, "read")):
        assert faults(lacking.post(documents_of(table), wanted)) == [("unknown", "document")]

    directs = program.as_(owner, "read", "direct")
    order = directs.post(documents_of(table), wanted)

    assert order.status_code == 202
    assert directs.get(order["Location"]).status_code == 200
    for lacking in (program.role("member", club), program.as_(owner, "read")):
        assert lacking.get(order["Location"]).status_code == 404
        assert lacking.get(documents_of(table)).json()["recent"] == []


@pytest.mark.parametrize(
    ("wrong", "where"),
    [
        ({"document": "recipes"}, "document"),
        ({"document": "sheets-of-round", "round": 999}, "round"),
        ({"document": "sheets", "format": "xlsx!"}, "format"),
        ({"document": "sheets", "language": "la"}, "language"),
    ],
    ids=str,
)
def test_document_that_there_is_not_is_refused_with_its_place(program, club, table, wrong, where):
    denied = program.role("director", club).post(documents_of(table), wrong)

    assert denied.status_code == 422
    assert [p["where"] for p in denied.json()["problems"]] == [where]
    assert not Report.objects.exists()


def test_document_that_waits_for_a_table_is_refused(program, club):
    event = EventFactory(club=club)
    director = program.role("director", club)
    path = f"clubs/moda/events/{event.public_id}/documents/"

    denied = director.post(path, {"document": "sheets"})

    assert refused(denied) == (409, "not-there-yet")
    missing = {o["document"]: o["missing"] for o in director.get(path).json()["offers"]}
    assert missing["sheets"] == "Once a table is laid."


def test_somebody_else_does_not_keep_the_worker_of_a_club_busy(program, club, table):
    cache.clear()
    table.round.event.published = club.published = True
    table.round.event.save()
    club.save()
    wanted = {"document": "seating-by-name-of-round", "round": table.round.number}
    asked = [program.post(documents_of(table), wanted) for _ in range(21)]

    assert [answer.status_code for answer in asked] == [202] * 20 + [429]
    assert asked[-1]["Retry-After"]
    assert program.role("member", club).post(documents_of(table), wanted).status_code == 202


def test_own_document_is_cancelled_and_made_again(program, club, table):
    member = program.role("member", club)
    order = member.post(documents_of(table), {"document": "sheets"})

    other = program.role("member", club)
    assert other.post(f"{order['Location']}cancel/").status_code == 404
    cancelled = member.post(f"{order['Location']}cancel/")
    assert cancelled.json()["state"] == "cancelled"
    again = member.post(f"{order['Location']}again/")
    assert (again.status_code, again.json()["state"]) == (202, "waiting")


def test_season_of_a_player_is_for_members(program, club):
    player, season = PlayerFactory(club=club), SeasonFactory(club=club)
    path = f"clubs/moda/players/{player.public_id}/documents/"
    member = program.role("member", club)

    order = member.post(path, {"season": season.pk, "format": "xlsx"})

    assert order.status_code == 202
    assert Report.objects.get().parameters["season"] == season.pk
    assert season.name in order.json()["file_name"]
    denied = member.post(path, {"season": season.pk + 1})
    assert [p["where"] for p in denied.json()["problems"]] == ["season"]


def test_month_of_a_club_is_one_in_which_something_was_held(program, club):
    EventFactory(club=club, held_on="2026-10-02")
    member = program.role("member", club)
    assert member.get("clubs/moda/documents/").json()["months"] == ["2026-10"]

    assert member.post("clubs/moda/documents/", {"month": "2026-10"}).status_code == 202
    assert member.post("clubs/moda/documents/", {"month": "2026-09"}).status_code == 422


def test_scoresheet_is_for_whoever_has_a_key_of_the_game(program):
    game = GameFactory(entries=WHOLE_GAME[:1])
    path = f"games/{game.public_id}/documents/"
    follower = program.with_token(token_of(game, "follow"))

    order = follower.post(path, {"format": "pdf", "language": "tr", "paper": "us-letter"})

    assert order.status_code == 202
    done = made(follower, order)
    file = program.get(done["file"], Accept="application/pdf")
    assert (file["Content-Type"], file.getvalue()[:5]) == ("application/pdf", b"%PDF-")


def test_empty_sheet_is_for_everybody(program):
    order = program.post("rulesets/krapet/documents/", {"language": "it"})

    assert order.status_code == 202
    assert made(program, order)["language"] == "it"
    assert program.post("rulesets/chess/documents/").status_code == 404
    denied = program.post("rulesets/krapet/documents/", {"format": "csv"})
    assert [p["code"] for p in denied.json()["problems"]] == ["no-such-format"]
