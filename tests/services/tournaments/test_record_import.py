import io
import json
import sys

import pytest
from django.core import serializers
from django.core.management import call_command

from tests.club_factories import AccountFactory, ClubFactory, PlayerFactory
from tests.services.tournaments.whole_tournament import GAMES, whole_tournament
from tests.tournament_records import OF_A_CLUB, OF_A_TOURNAMENT, empty_server, exported, imported
from tournaments.engine.documents.tournaments import read_tournament, standings_of
from tournaments.engine.documents.verify import verify
from tournaments.engine.rules.rulesets import InvalidEntry
from tournaments.engine.standings.standings import rank_entrants
from tournaments.models import AuditEntry, Club, Game, Member, Revision, Tournament
from tournaments.queries.sheets import load_sheets, result_of
from tournaments.queries.state import load_state
from tournaments.reports.tournament_document import tournament_document
from tournaments.services.tournaments.record_import import ClubExists, TournamentExists

pytestmark = pytest.mark.django_db


def everything():
    return [
        serializers.serialize("json", each.objects.order_by("pk"))
        for each in (*OF_A_TOURNAMENT, *OF_A_CLUB, Club, Revision, AuditEntry)
    ]


@pytest.fixture
def text(request):
    """The document of a whole tournament, on an empty server; led only once."""
    known = request.config.stash.setdefault(DOCUMENT, {})
    if "text" not in known:
        whole_tournament()
        known["text"] = exported()
        empty_server()
    return known["text"]


DOCUMENT = pytest.StashKey[dict[str, str]]()


def standings_in_database():
    course = load_state(Tournament.objects.get())
    return rank_entrants(
        course.competitors, course.results, course.settings, course.tournament.seed
    )


@pytest.mark.parametrize("ruleset", GAMES)
def test_tournament_is_the_same_after_a_move_to_an_empty_server(ruleset):
    whole_tournament(ruleset)
    text, standings = exported(), standings_in_database()
    empty_server()

    imported(text)

    assert exported() == text
    assert verify(json.loads(text)).agrees
    assert standings_in_database() == standings
    assert standings_of(read_tournament(json.loads(text))) == standings
    sheets = load_sheets(Game.objects.all())
    assert [sheet.row.result for sheet in sheets] == [result_of(sheet) for sheet in sheets]
    assert AuditEntry.objects.filter(action="import-tournament").count() == 1


def test_document_holds_what_happened():
    row = whole_tournament()
    document = tournament_document(row)

    first, second, third = document["rounds"]
    assert [bool(place["closed_at"]) for place in document["rounds"]] == [True, False, False]
    assert (len(first["tables"]), len(first["byes"]), len(third["tables"])) == (2, 3, 0)
    kinds = [write["kind"] for write in first["tables"][0]["game"]["writes"]]
    assert kinds[-5:] == ["correction", "correction", "entry", "withdrawal", "head"]
    assert second["clock"]["used"] == 61
    assert second["tables"][0]["extra_seconds"] == 300
    names = {each["name"]: each["initials"] for each in document["players"]}
    assert (names["Işıl 5 Yılmaz"], names["Işıl 6 Yılmaz"], None in names) == (True, False, True)
    assert "Işıl 4 Yılmaz" not in json.dumps(document, ensure_ascii=False)
    assert "Işıl 5 Yılmaz" not in json.dumps(document["rounds"], ensure_ascii=False)
    ruled = [(each["kind"], bool(each["withdrawn_at"])) for each in document["rulings"]]
    assert ruled == [("penalty", False), ("adjusted", True), ("forfeit", False)]
    assert [each["round"] for each in document["substitutes"]] == [2]


def test_export_takes_as_many_queries_for_any_size(django_assert_num_queries):
    row = whole_tournament()
    row = Tournament.objects.select_related("event__club", "event__season").get(pk=row.pk)
    with django_assert_num_queries(15):
        tournament_document(row)


def test_imported_tournament_has_addresses_of_its_own(text):
    row = imported(text)
    before = {row.public_id, *Game.objects.values_list("public_id", flat=True)}
    assert not Member.objects.exists()
    empty_server()

    account = AccountFactory()
    row = imported(text, owner=account)

    after = {row.public_id, *Game.objects.values_list("public_id", flat=True)}
    assert len(after) == len(before)
    assert not before & after
    assert list(Club.objects.owned_by(account)) == [row.event.club]


def refused(text, error, **into):
    before = everything()
    with pytest.raises(error) as refusal:
        imported(text, **into)
    assert everything() == before
    return refusal.value


def test_tournament_and_club_that_are_there_are_left_alone(text):
    imported(text)

    refused(text, TournamentExists)
    Tournament.objects.update(slug="another")
    refused(text, ClubExists)


def test_players_of_a_club_that_is_there_are_the_same_ones(text):
    club = ClubFactory(slug="yeni")
    known = PlayerFactory(club=club, name="ışıl 6 yılmaz", initials=True)

    row = imported(text, club=club)

    assert row.event.club == club
    assert row.entrants.get(number=6).player == known
    shown = [game.players for game in Game.objects.filter(seats__player=known)]
    assert all("ı. 6. y." in names and "Işıl 6 Yılmaz" not in names for names in shown)
    assert club.seasons.count() == 1


def test_two_players_of_the_document_are_not_one_of_the_club(text):
    club = ClubFactory(slug="yeni")
    kept = PlayerFactory(club=club, name="Işıl 6 Yılmaz")
    PlayerFactory(club=club, name="Işıl 7 Yılmaz", merged_into=kept)

    invalid = refused(text, InvalidEntry, club=club)

    assert [problem.where for problem in invalid.problems] == ["players[5].name", "players[6].name"]


@pytest.mark.parametrize("name", [" Ali", "…", "IŞIL 1 YILMAZ"])
def test_names_that_no_player_can_have_are_refused(text, name):
    document = json.loads(text)
    document["players"][1]["name"] = name

    invalid = refused(json.dumps(document), InvalidEntry)

    assert [problem.where for problem in invalid.problems] == ["players[1].name"]


def run(monkeypatch, *command, stdin=b""):
    out, err = io.StringIO(), io.StringIO()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
    try:
        call_command(*command, stdout=out, stderr=err)
    except SystemExit as leaving:
        return leaving.code, out.getvalue(), err.getvalue()
    return 0, out.getvalue(), err.getvalue()


def test_commands_move_a_tournament(monkeypatch, tmp_path, text):
    row = imported(text)
    file = tmp_path / "moda.json"

    assert run(monkeypatch, "export_tournament", row.slug, "--output", str(file))[0] == 0
    assert run(monkeypatch, "export_tournament", row.slug) == (0, text, "")
    assert file.read_bytes() == text.encode()
    empty_server()
    status, said, _err = run(monkeypatch, "import_tournament", "-", stdin=text.encode())
    assert (status, said) == (0, f"{row.slug}: imported into moda\n")
    assert exported() == text


def test_commands_leave_with_a_status(monkeypatch, tmp_path, text):
    row = imported(text)
    nowhere = str(tmp_path / "no" / "file")
    wrong = json.loads(text) | {"state": 1}

    assert run(monkeypatch, "export_tournament", "none")[0] == 1
    assert run(monkeypatch, "export_tournament", row.slug, "--output", nowhere)[0] == 2
    assert run(monkeypatch, "import_tournament", nowhere)[0] == 2
    assert run(monkeypatch, "import_tournament", "-", stdin=text.encode())[0] == 1
    assert run(monkeypatch, "import_tournament", "-", "--club", "none", stdin=b"{}")[0] == 1
    assert run(monkeypatch, "import_tournament", "-", "--owner", "a@b.example", stdin=b"{}")[0] == 1
    status, out, err = run(monkeypatch, "import_tournament", "-", stdin=json.dumps(wrong).encode())
    assert (status, [json.loads(line)["where"] for line in out.splitlines()]) == (1, ["state"])
    assert err == "Nothing was imported: 1 problems.\n"
    assert run(monkeypatch, "import_tournament", "-", stdin=b"{nonsense")[0] == 1
