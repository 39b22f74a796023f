import pytest

from tests import club_factories as make
from tests.api.conftest import faults, refused
from tests.deals import WHOLE_GAME
from tests.factories import GameFactory
from tournaments.api.access import token_of
from tournaments.models import Report
from tournaments.reports.documents import build_report


@pytest.fixture
def table(club):
    return make.TableFactory(
        round__event=make.EventFactory(club=club, name="Cuma"), entries=WHOLE_GAME[:2]
    )


def documents_of(table):
    return f"clubs/moda/events/{table.round.event.public_id}/documents/"


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
    build_report(Report.objects.get().pk)
    done = member.get(order["Location"]).json()
    assert (done["state"], done["error"]) == ("done", "")
    file = member.get(done["file"])
    assert file["Content-Type"] == "application/json"
    assert file["Cache-Control"] == "private, no-cache"
    assert b"kingscore-" in file.getvalue()
    assert program.get(done["file"]).status_code == 404
    (recent,) = member.get(documents_of(table)).json()["recent"]
    assert recent["address"] == order["Location"]


def test_cards_of_tables_are_for_directors_with_the_scope(program, club, table):
    owner = make.MemberFactory(club=club, role="owner").user
    wanted = {"document": "table-cards-of-round", "round": table.round.number}
    for lacking in (program.role("member", club), program.as_(owner, "read")):
        assert faults(lacking.post(documents_of(table), wanted)) == [("unknown", "document")]

    directs = program.as_(owner, "read", "direct")
    order = directs.post(documents_of(table), wanted)

    assert order.status_code == 202
    # Sheets are for members, but a director's may hold results that are hidden from them.
    sheets = directs.post(documents_of(table), {"document": "sheets"})
    assert directs.get(order["Location"]).status_code == 200
    for lacking in (program.role("member", club), program.as_(owner, "read")):
        for address in (order["Location"], sheets["Location"]):
            assert lacking.get(address).status_code == 404
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

    assert [place for _code, place in faults(denied)] == [where]
    assert not Report.objects.exists()


def test_season_of_a_player_and_month_of_a_club_are_those_there_are(program, club):
    player, season = make.PlayerFactory(club=club), make.SeasonFactory(club=club)
    make.EventFactory(club=club, held_on="2026-10-02")
    member = program.role("member", club)
    own, of_club = f"clubs/moda/players/{player.public_id}/documents/", "clubs/moda/documents/"
    assert member.get(of_club).json()["months"] == ["2026-10"]
    for path, name, right, wrong in (
        (own, "season", season.pk, season.pk + 1),
        (of_club, "month", "2026-10", "2026-09"),
    ):
        assert member.post(path, {name: right}).status_code == 202
        assert [where for _code, where in faults(member.post(path, {name: wrong}))] == [name]


def test_scoresheet_is_for_whoever_has_a_key_and_an_empty_one_for_everybody(program):
    game = GameFactory(entries=WHOLE_GAME[:1])
    follower = program.with_token(token_of(game, "follow"))
    for who, path, said in (
        (follower, f"games/{game.public_id}/documents/", {"language": "tr", "paper": "us-letter"}),
        (program, "rulesets/krapet/documents/", {"language": "it"}),
    ):
        order = who.post(path, said)
        assert order.status_code == 202
        build_report(Report.objects.latest("pk").pk)
        done = who.get(order["Location"]).json()
        assert done["language"] == said["language"]
        file = program.get(done["file"], Accept="application/pdf")
        assert (file["Content-Type"], file.getvalue()[:5]) == ("application/pdf", b"%PDF-")
    seen = make.TableFactory(round__event__published=True).games.get()
    made_up = program.with_token(f"follow.{seen.public_id}.{'x' * 22}")
    assert made_up.get(f"games/{seen.public_id}/").status_code == 200
    assert made_up.post(f"games/{seen.public_id}/documents/", {}).status_code == 404
    denied = program.post("rulesets/krapet/documents/", {"format": "csv"})
    assert faults(denied) == [("no-such-format", "format")]
