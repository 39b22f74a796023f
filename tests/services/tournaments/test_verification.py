"""Verifying an export: all of it agrees, and what was altered in it is found."""

import io
import json
import re
from datetime import timedelta

import pytest
from django.core.cache import caches
from django.core.management import call_command
from django.urls import reverse

from tests.club_factories import MemberFactory
from tests.deals import WHOLE_GAME
from tests.factories import EVENING, ContextFactory
from tests.services.tournaments.whole_tournament import LATER, whole_tournament
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
from tests.tournament_records import exported
from tournaments.engine.documents.results import DIFFERS, UNKNOWN
from tournaments.engine.documents.verify import verify
from tournaments.engine.rules.rulesets import number_of
from tournaments.models import Event, Game
from tournaments.services.audit import NOBODY, Actor
from tournaments.services.games import playing
from tournaments.services.rounds.rulings import RulingDecision, rule
from tournaments.services.rounds.running import close_round
from tournaments.services.rounds.seating import seat_again

pytestmark = pytest.mark.django_db

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


def field_of(path):
    """The field of a digit, in whichever table and place."""
    return re.sub(r"\d+", "", ".".join(map(str, path)))


def without_newer(value):
    if isinstance(value, dict):
        return {name: without_newer(each) for name, each in value.items() if name not in NEWER}
    return [without_newer(each) for each in value] if isinstance(value, list) else value


@pytest.fixture
def document():
    whole_tournament()
    return json.loads(exported())


def outcomes(document, *outcomes):
    return {each.what: each for each in verify(document).points if each.outcome in outcomes}


def test_an_altered_digit_of_every_field_is_found(document):
    last = {field_of(path): path for path in places_of_numbers(document)}
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
    round_ = closed(row, entries=(*WHOLE_GAME[:6], {"type": "stopped", "reason": "time"}))
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


STOPPED = {"type": "stopped", "reason": "time"}
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


def run(*files, **options):
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
    assert run(file)[0] == 0

    document["rounds"][0]["ranking"][0]["points"] = 12345
    file.write_text(json.dumps(document))
    status, out = run(file)

    assert status == 1
    assert re.search("differs: the document says 12345.* – rounds.0..ranking.0..points", out)
    status, out = run(file, json=True)
    assert (status, json.loads(out)["agrees"]) == (1, False)
    assert run(tmp_path / "none")[0] == 2


def test_what_is_no_document_is_refused(tmp_path):
    file = tmp_path / "what.json"
    file.write_text('{"format": "kingscore-what/1"}')

    assert run(file)[0] == 1


def found_in(document):
    del document["digest"]
    return {each.what: each for each in verify(document).points}


@pytest.fixture
def swiss():
    """The second round of a Swiss draw, and its whole document."""
    row = running(*NINE, rounds=3)
    closed(row, entries=(*WHOLE_GAME[:6], {"type": "stopped", "reason": "time"}))
    published(row)
    return json.loads(exported())


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
        {"seating": "fixed"},
        {"seating": "manual"},
        {"finals": 4, "rounds": 1},
        {"sections": 2},
        {"odd": "house"},
    ],
    ids=str,
)
def test_every_way_of_seating_is_verified(chosen):
    row = running(*SIXTEEN, "Ondört", **chosen)
    entries = (*WHOLE_GAME[:6], {"type": "stopped", "reason": "time"})
    for _ in range(2):
        closed(row, entries)
    seat_again(seated(row).pk, [0], NOBODY, at=EVENING) if "finals" not in chosen else None
    document = json.loads(exported())

    verification = verify(document)

    assert verification.agrees
    expected = {"manual": {"by-hand"}}.get(chosen.get("seating"), set())
    unknown = {each.code for each in verification.points if each.outcome == UNKNOWN}
    assert unknown - {"no-digest"} == expected


@pytest.mark.parametrize(("field", "value"), [("table_size", 2), ("first", 3), ("rounds_left", 99)])
def test_what_no_round_was_drawn_with_is_told_and_breaks_nothing(swiss, field, value):
    swiss["rounds"][1]["draw"][field] = value

    assert found_in(swiss)["draw"].outcome in (DIFFERS, "same")
    assert not verify({**swiss, "digest": "0" * 64}).agrees
