import io
import json
import re
import sys
from datetime import timedelta

import pytest
from django.core import serializers
from django.core.cache import caches
from django.core.management import call_command
from django.db import transaction
from django.urls import reverse

from tests.club_factories import AccountFactory, ClubFactory, MemberFactory, PlayerFactory
from tests.deals import WHOLE_GAME
from tests.factories import EVENING, ContextFactory
from tests.services.tournaments.whole_tournament import GAMES, LATER, whole_tournament
from tests.tournament_builders import (
    NINE,
    SIXTEEN,
    closed,
    opened,
    play,
    published,
    running,
    seated,
)
from tests.tournament_records import OF_A_CLUB, OF_A_TOURNAMENT, empty_server, exported, imported
from tournaments.engine.documents.results import DIFFERS, UNKNOWN
from tournaments.engine.documents.tournaments import read_tournament, standings_of
from tournaments.engine.documents.verify import verify
from tournaments.engine.rules.rulesets import InvalidEntry, number_of
from tournaments.engine.standings.standings import rank_entrants
from tournaments.models import (
    AuditEntry,
    Club,
    Event,
    Game,
    Member,
    Revision,
    Sitting,
    Tournament,
)
from tournaments.queries.sheets import load_sheets, result_of
from tournaments.queries.state import load_state
from tournaments.reports.tournament_document import tournament_document
from tournaments.services.audit import NOBODY, Actor
from tournaments.services.games import playing
from tournaments.services.rounds.rulings import RulingDecision, rule
from tournaments.services.rounds.running import close_round
from tournaments.services.rounds.seating import seat_again
from tournaments.services.tournaments.record_import import ClubExists, TournamentExists

pytestmark = pytest.mark.django_db


def everything():
    return [
        serializers.serialize("json", each.objects.order_by("pk"))
        for each in (*OF_A_TOURNAMENT, *OF_A_CLUB, Club, Revision, AuditEntry)
    ]


@pytest.fixture(scope="module")
def texts(django_db_setup, django_db_blocker):
    """Documents of a whole tournament, and of one whose second round was drawn; led once."""
    with django_db_blocker.unblock(), transaction.atomic():
        whole_tournament()
        whole = exported()
        empty_server()
        row = running(*NINE, rounds=3)
        closed(row, entries=(*WHOLE_GAME[:6], STOPPED))
        published(row)
        swiss = exported()
        transaction.set_rollback(True)
    return whole, swiss


@pytest.fixture
def text(texts):
    return texts[0]


def standings_in_database():
    course = load_state(Tournament.objects.get())
    return rank_entrants(
        course.competitors, course.results, course.settings, course.tournament.seed
    )


@pytest.mark.parametrize("ruleset", GAMES)
def test_tournament_is_the_same_after_a_move_to_an_empty_server(ruleset):
    whole_tournament(ruleset)
    Club.objects.update(time_zone="Europe/Rome")
    text, standings = exported(), standings_in_database()
    empty_server()

    imported(text)

    assert exported() == text
    assert Club.objects.get().time_zone == "Europe/Rome"
    assert verify(json.loads(text)).agrees
    assert standings_in_database() == standings
    assert standings_of(read_tournament(json.loads(text))) == standings
    sheets = load_sheets(Game.objects.all())
    assert [sheet.row.result for sheet in sheets] == [result_of(sheet) for sheet in sheets]
    assert AuditEntry.objects.get(action="import-tournament").event == Event.objects.get()


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
    kinds = [("penalty", False), ("adjusted", True), ("forfeit", False), ("bye", False)]
    assert ruled == kinds
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


def test_names_that_no_player_can_have_are_refused(text):
    for name in (" Ali", "…", "IŞIL 1 YILMAZ"):
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


STOPPED = {"type": "stopped", "reason": "time"}
NEWER = {"digest", "result", "ranking", "draw"}
"""The fields that older exports do not have."""


def places_of_numbers(value, path=()):
    """The path of each number, and of each digit in a text."""
    if isinstance(value, dict | list):
        for name, each in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places_of_numbers(each, (*path, name))
    elif isinstance(value, str):
        yield from ((*path, found.start()) for found in re.finditer(r"\d", value))
    elif type(value) is int:
        yield path


def altered(document, path):
    """The document with one digit changed in place, and what puts it back."""
    *way, last = path
    for name in way[:-1]:
        document = document[name]
    name, holder = (way[-1], document) if way else (last, document)
    inner = holder[name] if way else holder
    if isinstance(inner, str):
        digit = str((int(inner[last]) + 1) % 10)
        holder[name] = f"{inner[:last]}{digit}{inner[last + 1 :]}"
        return lambda: holder.__setitem__(name, inner)
    before = inner[last]
    inner[last] = before + 1
    return lambda: inner.__setitem__(last, before)


def field_name(path):
    """The field of a digit, in whichever table and place."""
    return re.sub(r"\d+", "", ".".join(map(str, path)))


def without_newer(value):
    if isinstance(value, dict):
        return {name: without_newer(each) for name, each in value.items() if name not in NEWER}
    return [without_newer(each) for each in value] if isinstance(value, list) else value


@pytest.fixture
def document(text):
    return json.loads(text)


def outcomes(document, *outcomes):
    return {each.what: each for each in verify(document).points if each.outcome in outcomes}


def test_an_altered_digit_of_every_field_is_found(document):
    last = {field_name(path): path for path in places_of_numbers(document)}
    missed = []
    for path in last.values():
        put_back = altered(document, path)
        if verify(document).agrees:
            missed.append(path)
        put_back()

    assert (len(last) > 100, missed) == (True, [])


def test_what_differs_is_found_without_the_digests_too(document):
    place = document["rounds"][0]
    del document["digest"]
    place["tables"][1]["game"]["result"]["totals"][0] += 10
    place["ranking"][2]["tie_breaks"][0] = 77
    place["standings"]["e5"][0] += 1

    found = outcomes(document, DIFFERS)

    assert {what: each.where for what, each in found.items()} == {
        "result": "rounds[0].tables[1].game.result.totals[0]",
        "standings": "rounds[0].ranking[2].tie_breaks[0]",
        "closing": "rounds[0].standings.e5[0]",
        "round-digest": "rounds[0].digest",
    }
    assert found["standings"].params["stated"] == 77


def test_seats_are_those_of_the_entrants_or_of_who_plays_for_them(document):
    table = document["rounds"][1]["tables"][0]
    table["seats"][0] = "p1" if table["seats"][0] != "p1" else "p2"

    assert "players" in outcomes(document, DIFFERS)


def test_an_older_export_is_verified_as_far_as_it_goes(document):
    verification = verify(without_newer(document))

    assert verification.agrees
    assert {each.code for each in verification.points if each.outcome == UNKNOWN} >= {
        "no-digest",
        "not-exported",
    }
    older = without_newer(document)
    older["rounds"][0]["standings"]["e4"][0] += 1
    assert not verify(older).agrees


def test_places_of_the_closing_are_those_before_a_later_correction():
    row = running(*NINE)
    round_ = closed(row, entries=(*WHOLE_GAME[:6], STOPPED))
    game = Game.objects.filter(table__round=round_).first()
    director = Actor(MemberFactory(club=row.event.club, role="director").user)
    context = ContextFactory(revision=game.revision, at=LATER, by=director)
    playing.withdraw_entry(game.pk, 1, "no", context)
    said = RulingDecision("penalty", 500, "revoke")
    rule(round_.pk, row.entrants.first().pk, said, NOBODY, at=LATER + timedelta(hours=1))
    document = json.loads(exported())

    found = {each.what: each for each in verify(document).points}

    assert verify(document).agrees
    assert found["closing"].code == "corrected-since"
    document["rounds"][0]["standings"]["e1"][1] = 1
    assert "closing" in outcomes(document, DIFFERS)


def test_ranking_after_a_round_says_what_that_round_counts():
    row, before = running(*NINE[:8]), {}
    closed(row, entries=WHOLE_GAME)
    closed(row, entries=(*WHOLE_GAME[:6], STOPPED))

    for place in json.loads(exported())["rounds"][:2]:
        now = {each["entrant"]: number_of(each["points"]) for each in place["ranking"]}
        rounds = {each["entrant"]: number_of(each["round"]) for each in place["ranking"]}
        assert rounds == {entrant: now[entrant] - before.get(entrant, 0) for entrant in now}
        before = now


TIES = ("total-points", "opponents")


@pytest.mark.parametrize("deals", [6, 20])
@pytest.mark.parametrize("version", [1, 2, None])
def test_tie_breaks_are_verified_as_they_were_published(version, deals, client):
    row = running(*NINE, points="places", tie_breaks=TIES, tie_break_version=version or 1)
    if version is None:
        # An export of before there were versions.
        del row.settings["tie_break_version"]
        row.save()
    round_ = opened(row)
    entries = WHOLE_GAME[:deals] if deals == len(WHOLE_GAME) else (*WHOLE_GAME[:deals], STOPPED)
    play(round_, entries)
    close_round(round_.pk, NOBODY, at=EVENING)
    document = json.loads(exported())

    assert verify(document).agrees
    points = {each["entrant"]: each["tie_breaks"] for each in document["rounds"][0]["ranking"]}
    seated = round_.tables.first().sittings
    at_table = [points[f"e{each.entrant.number}"][0] for each in seated.all()]
    whole = deals == len(WHOLE_GAME)
    assert (sum(map(number_of, at_table)) == 0) == (whole or version == 2)
    Event.objects.update(published=True)
    # Each of these tournaments has the key and the version of the one before.
    caches["pages"].clear()
    page = client.get(reverse("standings", args=[row.event.club.slug, row.slug])).text
    assert ("a game that was stopped" in page) == (version == 2 and not whole)
    assert ("the average of the points" in page) == (version == 2)
    document["settings"]["tie_break_version"] = 2 if version != 2 else 1
    assert not verify(document).agrees


def verified(*files, **options):
    out, err = io.StringIO(), io.StringIO()
    status = 0
    try:
        call_command("verify", *map(str, files), stdout=out, stderr=err, **options)
    except SystemExit as leaving:
        status = leaving.code
    return status, out.getvalue()


def test_command_says_where_to_look(document, tmp_path):
    file = tmp_path / "tournament.json"
    file.write_text(json.dumps(document))
    assert verified(file)[0] == 0

    document["rounds"][0]["ranking"][0]["points"] = 12345
    file.write_text(json.dumps(document))
    status, out = verified(file)

    assert status == 1
    assert re.search("differs: the document says 12345.* – rounds.0..ranking.0..points", out)
    status, out = verified(file, json=True)
    assert (status, json.loads(out)["agrees"]) == (1, False)
    assert verified(tmp_path / "none")[0] == 2
    file.write_text('{"format": "kingscore-what/1"}')
    assert verified(file)[0] == 1


def found_in(document):
    del document["digest"]
    return {each.what: each for each in verify(document).points}


@pytest.fixture
def swiss(texts):
    return json.loads(texts[1])


def test_a_seating_is_drawn_again_from_what_it_was_drawn_with(swiss):
    draw = swiss["rounds"][1]["draw"]
    tables = draw["tables"]
    tables[0][0], tables[1][0] = tables[1][0], tables[0][0]
    draw["sections"][0]["entrants"][3]["score"] += 10

    found = found_in(swiss)

    assert (found["draw"].outcome, found["draw"].where) == (DIFFERS, "rounds[1].draw.tables")
    assert found["scores"].where == "rounds[1].draw.sections[0].entrants[3].score"


def test_seats_changed_after_the_draw_are_counted_and_no_fault(swiss):
    one, other = swiss["rounds"][1]["tables"]
    for name in ("entrants", "seats"):
        one[name][0], other[name][0] = other[name][0], one[name][0]

    found = found_in(swiss)

    assert (found["seating"].code, found["seating"].params["seats"]) == ("changed-by-hand", 2)
    assert {each.outcome for each in found.values()} <= {"same", UNKNOWN}


def test_a_draw_of_another_version_is_not_drawn_again(swiss):
    swiss["rounds"][1]["draw"]["version"] = 99

    found = found_in(swiss)

    assert (found["draw"].outcome, found["draw"].code) == (UNKNOWN, "other-version")
    assert found["scores"].outcome == "same"


@pytest.mark.parametrize(
    "chosen",
    [
        {"seating": "swiss"},
        {"seating": "fixed"},
        {"seating": "manual"},
        {"seating": "rank-spread", "odd": "house"},
        {"leaders_last": True, "rounds": 3},
        {"finals": 4, "rounds": 1},
        {"sections": 2},
    ],
    ids=str,
)
def test_every_way_of_seating_is_verified(chosen):
    row = running(*SIXTEEN, "Ondört", **chosen)
    if "sections" in chosen:
        row.entrants.filter(number__lte=8).update(section="A")
    # The first table of the second section.
    row.entrants.filter(number=9).update(preferred_table=3)
    for _ in range(2):
        closed(row, (*WHOLE_GAME[:6], STOPPED))
    sat = Sitting.objects.filter(entrant__number=9, table__isnull=False, round__stage="")
    assert {*sat.values_list("table__number", flat=True)} <= {3}
    if "finals" not in chosen:
        seat_again(seated(row).pk, [0], NOBODY, at=EVENING)

    verification = verify(json.loads(exported()))

    assert verification.agrees
    unknown = {each.code for each in verification.points if each.outcome == UNKNOWN}
    assert unknown - {"no-digest"} == ({"by-hand"} if chosen.get("seating") == "manual" else set())


@pytest.mark.parametrize(("field", "value"), [("table_size", 2), ("first", 3), ("rounds_left", 99)])
def test_what_no_round_was_drawn_with_is_told_and_breaks_nothing(swiss, field, value):
    swiss["rounds"][1]["draw"][field] = value

    assert found_in(swiss)["draw"].outcome in (DIFFERS, "same")
    assert not verify({**swiss, "digest": "0" * 64}).agrees
