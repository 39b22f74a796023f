"""Whatever a document says, verifying it ends: with an answer, and after so much work."""

import io
import json
from collections import Counter
from contextlib import suppress
from copy import deepcopy
from dataclasses import asdict
from datetime import datetime, timedelta
from itertools import combinations
from random import Random

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.db import connection

from tests.api.conftest import faults, refused
from tests.club_factories import AccountFactory
from tests.engine.documents.small_tournament import AT, RECORD, small_tournament
from tests.sample_games import SAMPLE, load
from tests.services.tournaments.whole_tournament import whole_tournament
from tests.tournament_records import exported
from tournaments.api.fields import MOST_OF_STRANGERS
from tournaments.api.records import views
from tournaments.api.records.views import one_of
from tournaments.engine.documents.pairings import seat_document
from tournaments.engine.pairing.field import NEW_OPPONENTS, SEATING_VERSION
from tournaments.models import Game
from tournaments.reports.ratings import ratings_document

pytestmark = pytest.mark.django_db


ENTRANTS = [{"id": name} for name in ("Ayşe", "Burak", "Cem", "Deniz")]
PAIRING = {"format": "kingscore-pairing/1", "entrants": ENTRANTS, "seed": 3}


@pytest.mark.parametrize("name", SAMPLE)
def test_record_is_answered_with_the_result_kept_beside_it(program, name):
    answer = program.post("score/", load(name))
    assert (answer.status_code, answer.json()) == (200, load(f"{name}.result"))


def test_game_that_cannot_be_is_answered_with_its_problems_and_nothing_is_stored(program):
    wrong = load("turkish-king-whole") | {"players": ["Ayşe"]}
    answer = program.post("score/", wrong)
    assert answer.status_code == 200
    assert answer.json()["valid"] is False
    assert [p["code"] for p in answer.json()["problems"]] == ["wrong-players"]
    assert not Game.objects.exists()


def test_round_is_seated_as_by_the_command(program):
    answer = program.post("pair/", PAIRING)
    assert (answer.status_code, answer.json()) == (200, seat_document(PAIRING))
    assert sorted(answer.json()["tables"][0]) == ["Ayşe", "Burak", "Cem", "Deniz"]


def test_round_that_cannot_be_seated_is_answered_with_its_problems(program):
    answer = program.post("pair/", PAIRING | {"entrants": ENTRANTS[:3]})
    assert answer.status_code == 200
    assert [p["code"] for p in answer.json()["problems"]] == ["too-few-entrants"]


@pytest.mark.parametrize(
    ("path", "document", "where"),
    [
        ("score/", load("open") | {"entries": [{}] * 1001}, ["entries"]),
        ("pair/", PAIRING | {"entrants": ENTRANTS * 251}, ["entrants"]),
        ("pair/", PAIRING | {"table_size": 2, "entrants": ENTRANTS * 126}, ["entrants"]),
        ("pair/", PAIRING | {"rounds": [{}] * 101, "avoid": [[]] * 501}, ["rounds", "avoid"]),
    ],
)
def test_record_that_would_take_long_is_refused_at_its_lists(program, path, document, where):
    assert faults(program.post(path, document)) == [("too-long", at) for at in where]


@pytest.mark.parametrize(
    ("path", "document", "where"),
    [
        ("score/", load("open") | {"entries": [{}] * 201}, ["entries"]),
        ("pair/", PAIRING | {"entrants": ENTRANTS * 51}, ["entrants"]),
        ("pair/", PAIRING | {"table_size": 2, "entrants": ENTRANTS * 26}, ["entrants"]),
        ("pair/", PAIRING | {"rounds": [{}] * 21, "avoid": [[]] * 201}, ["rounds", "avoid"]),
    ],
)
def test_larger_record_wants_a_token(program, path, document, where):
    assert faults(program.post(path, document)) == [("too-long", at) for at in where]

    assert program.as_(AccountFactory()).post(path, document).status_code == 200


def field(entrants, rounds, parts):
    """A field whose parts played among themselves, so that nearly all in each have met."""
    names, random, met, played = [f"e{n}" for n in range(entrants)], Random(5), set(), []
    for _ in range(rounds):
        tables = []
        for part in range(parts):
            left = names[part * entrants // parts : (part + 1) * entrants // parts]
            random.shuffle(left)
            while len(left) >= 4:
                table = [left.pop()]
                while len(table) < 4:
                    fewest = min(left, key=lambda n: sum(frozenset((n, m)) in met for m in table))
                    left.remove(fewest)
                    table.append(fewest)
                met.update(map(frozenset, combinations(table, 2)))
                tables.append(table)
        seated = {name for table in tables for name in table}
        played.append({"tables": tables, "byes": [name for name in names if name not in seated]})
    return PAIRING | {"entrants": [{"id": name} for name in names], "rounds": played}


@pytest.mark.parametrize("entrants", [120, 132, 144, 156])
def test_field_that_would_take_long_wants_a_token(program, entrants):
    assert faults(program.post("pair/", field(entrants, 20, 3))) == [("too-large", "")]


@pytest.mark.parametrize(
    ("entrants", "rounds"),
    [(100, 0), (100, 6), (100, 20), (200, 20), (28, 6), (40, 14), (64, 20)],
)
def test_field_of_an_evening_is_paired_for_strangers(program, entrants, rounds):
    answer = program.post("pair/", field(entrants, rounds, 1))
    assert (answer.status_code, "tables" in answer.json()) == (200, True)


def test_field_that_takes_long_is_paired_with_a_token(program):
    answer = program.as_(AccountFactory()).post("pair/", field(132, 20, 3))
    assert len(answer.json()["tables"]) == 33


def test_strangers_and_accounts_have_places_of_their_own_to_be_computed_in(program):
    known = program.as_(AccountFactory())
    large = load("open") | {"entries": [{}] * 201}
    with one_of("strangers"):
        busy = program.post("pair/", PAIRING)
        assert refused(busy) == (429, "too-many-requests")
        assert int(busy["Retry-After"]) >= 1
        assert known.post("pair/", PAIRING).status_code == 200
        # As quick as any page.
        assert program.post("score/", load("open")).status_code == 200
    assert program.post("pair/", PAIRING).status_code == 200

    with one_of("accounts"):
        assert known.post("pair/", PAIRING).status_code == 200
        with one_of("accounts"):
            assert known.post("pair/", PAIRING).status_code == 429
            assert known.post("score/", large).status_code == 429
            assert program.post("pair/", PAIRING).status_code == 200


def test_body_that_takes_long_to_read_wants_a_token(program):
    padding = {"padding": "x" * MOST_OF_STRANGERS}
    assert refused(program.post("games/", padding)) == (413, "too-large")
    # It is read up to there and no further.
    just = json.dumps(PAIRING)
    body = just + " " * (MOST_OF_STRANGERS - len(just))
    at_most = program.client.post("/api/v1/pair/", body, content_type="application/json")
    assert at_most.status_code == 200

    assert program.as_(AccountFactory()).post("games/", padding).status_code == 422


@pytest.mark.django_db(transaction=True)
def test_nobody_waits_to_write_while_a_record_with_a_key_is_computed(program, monkeypatch):
    seen = []
    monkeypatch.setattr(
        views, "seat_document", lambda _: seen.append(connection.in_atomic_block) or {}
    )

    for replayed in (None, "true"):
        answer = program.post("pair/", PAIRING, idempotency_key="a-key-of-mine")
        assert (answer.status_code, answer.get("Idempotency-Replayed")) == (200, replayed)

    assert seen == [False, False]


FOUR = ["e1", "e2", "e3", "e4"]
FINE = {"type": "adjustment", "seat": 0, "points": "1/7", "to": "none", "reason": "x"}
OVER = {"type": "stopped", "reason": "time"}


def later(seconds):
    return (datetime.fromisoformat(AT) + timedelta(seconds=seconds)).isoformat()


def write(revision, position, body, at):
    kept = {"author": "", "before": None, "reason": "", "key": f"k-{revision}", "at": at}
    kind = "entry" if revision == position + 1 else "correction"
    return {"revision": revision, "kind": kind, "position": position, "body": body, **kept}


def closed(number, **more):
    clock = {"seconds": None, "used": 0, "started_at": None}
    moments = dict.fromkeys(("published_at", "opened_at", "closed_at"), later(10))
    nothing = {"stage": "", "seating": None, "tables": [], "byes": []}
    wrong = {name: [1, "1/7"] for name in FOUR}
    return {"number": number, "clock": clock, **moments, "standings": wrong, **nothing, **more}


def tournament(rounds, **more):
    document = small_tournament() | {"substitutes": [], "rulings": [], "options": {}}
    return document | {"settings": {"rounds": 2}, "rounds": rounds} | more


def replays(fines, rounds, corrections=20):
    """A sheet with corrections after all closings, and places that fit at no moment."""
    entries = [OVER, *[FINE] * fines]
    writes = [write(at + 1, at, entry, AT) for at, entry in enumerate(entries)]
    for number in range(corrections):
        entries[-1] = FINE | {"reason": f"x{number}"}
        writes.append(write(len(writes) + 1, fines, entries[-1], later(60 + number)))
    record = RECORD | {"options": {}, "entries": entries}
    game = {"record": record, "writes": writes, "confirmations": []}
    table = {"number": 1, "entrants": FOUR, "seats": ["p1", "p2", "p3", "p4"]}
    table |= {"extra_seconds": 0, "game": game}
    return tournament([closed(1, tables=[table]), *map(closed, range(2, rounds + 1))])


def rulings(number):
    fine = {"round": 1, "kind": "penalty", "points": 1, "reason": "x"}
    said = [
        fine | {"entrant": FOUR[n % 4], "at": later(n), "withdrawn_at": later(n + 1)}
        for n in range(number)
    ]
    return tournament(list(map(closed, range(1, 30))), rulings=said)


def draws(rounds, count=12):
    """Rounds drawn from equal scores, as nobody draws them."""
    one, *_ = small_tournament()["entrants"]
    names = [f"e{number}" for number in range(1, count + 1)]
    entrants = [one | {"id": name, "players": [f"p{name[1:]}"]} for name in names]
    players = [{"id": f"p{n[1:]}", "name": f"Oyuncu {n}", "initials": False} for n in names]
    section = {
        "entrants": [{"id": name, "score": 0, "club": ""} for name in names],
        "avoid": [],
        "kept": [],
    }
    draw = {
        "version": SEATING_VERSION,
        "method": "swiss",
        "weights": asdict(NEW_OPPONENTS),
        "rounds_left": 5,
        "table_size": 4,
        "separate_clubs": False,
        "score_before_seats": False,
        "sections": [section],
        "tables": [names[at : at + 4] for at in range(0, count, 4)],
        "byes": [],
    }
    drawn = [
        closed(number, draw=draw | {"seed": number, "first": number}, standings=None)
        for number in range(1, rounds + 1)
    ]
    return tournament(drawn, entrants=entrants, players=players)


def said(document, folder, work=None, **options):
    """What the command says."""
    (folder / "document.json").write_text(json.dumps(document))
    out, options = io.StringIO(), options if work is None else options | {"work": work}
    with suppress(SystemExit):
        call_command("verify", str(folder / "document.json"), stdout=out, **options)
    return out.getvalue()


def verified(document, folder, work=None):
    return json.loads(said(document, folder, work, json=True))


TOO_MUCH = {"too-large", "too-many"}


@pytest.mark.parametrize(
    ("document", "work", "codes"),
    [
        (replays(60, 30), 4_000, {"too-large"}),
        (replays(60, 200), 4_000, {"too-large"}),
        (rulings(3_000), 4_000, {"too-large"}),
        (draws(20), 4_000, {"too-many"}),
        (draws(1), 1_000_000, set()),
        (replays(10, 3, corrections=2), None, set()),
    ],
    ids=["replays", "rounds", "rulings", "draws", "one draw", "a short sheet"],
)
def test_verifying_ends_after_so_much_work(tmp_path, document, work, codes):
    outcome = verified(document, tmp_path, work)

    assert outcome["problems"] == []
    assert {each["code"] for each in outcome["points"]} & TOO_MUCH == codes


@pytest.mark.parametrize(("entries", "work"), [(10, 5), (100, 99)])
def test_what_cannot_even_be_read_is_not_called_verified(tmp_path, entries, work):
    outcome = verified(replays(entries, 3), tmp_path, work)

    assert outcome["agrees"] is False
    assert [each["code"] for each in outcome["problems"]] == ["too-large"]
    assert "differs" not in said(replays(entries, 3), tmp_path, work)


@pytest.mark.parametrize(
    ("rounds", "by_strangers", "by_accounts"),
    [(1, True, True), (3, False, True), (20, False, False)],
)
def test_somebody_with_an_account_has_more_verified(
    program, client, rounds, by_strangers, by_accounts
):
    document, account = draws(rounds, count=24), AccountFactory()
    for known, is_whole in ((False, by_strangers), (True, by_accounts)):
        if known:
            client.force_login(account)
            program = program.as_(account)
        file = SimpleUploadedFile("draws.json", json.dumps(document).encode())
        page = client.post("/verify/", {"file": file}).text
        points = program.post("verify/", document).json()["points"]
        left_out = [each["where"] for each in points if each["code"] == "too-many"]
        assert ("too large to verify here" not in page, not left_out) == (is_whole, is_whole)
        assert ("Sign in" in page.split("<h2")[-1]) == (not is_whole and not known)
        # The first is drawn whatever follows.
        assert "rounds[0].draw" not in left_out


def fields_of(value, path=()):
    """The path of each value."""
    if path:
        yield path
    if isinstance(value, dict | list):
        for name, each in value.items() if isinstance(value, dict) else enumerate(value):
            yield from fields_of(each, (*path, name))


def altered(document, path, change):
    """A copy in which one value is left out, doubled or another."""
    copied = holder = deepcopy(document)
    for name in path[:-1]:
        holder = holder[name]
    value = holder[path[-1]]
    if change == "left out":
        del holder[path[-1]]
    elif change == "doubled" and isinstance(holder, list):
        holder.append(deepcopy(value))
    elif isinstance(value, bool):
        holder[path[-1]] = not value
    elif isinstance(value, str):
        holder[path[-1]] = {"e": "e9", "p": "p9"}.get(value[:1], "1/7")
    elif isinstance(value, int):
        holder[path[-1]] = -value or 2
    else:
        holder[path[-1]] = type(value)() if value else {}
    return copied


@pytest.mark.parametrize("kind", ["tournament", "ratings"])
@pytest.mark.parametrize(
    ("change", "step"),
    [
        ("left out", 4),
        *(
            pytest.param(each, 1, marks=pytest.mark.slow)
            for each in ("left out", "doubled", "another")
        ),
    ],
)
def test_any_altered_document_is_answered(program, kind, change, step):
    row = whole_tournament()
    club = row.event.club
    if kind == "tournament":
        document = json.loads(exported())
        document["entrants"][0]["waiting"] = False
        document["rounds"][0]["ranking"] = document["rounds"][0]["ranking"][:2]
    else:
        document = ratings_document(club)
    # The first value of each field.
    paths = {
        tuple("#" if isinstance(name, int) else name for name in path): path
        for path in reversed(list(fields_of(document)))
    }
    statuses = Counter()
    some = [path for n, path in enumerate(paths.values()) if n % step == 0 or len(path) < 4]
    for path in some:
        answer = program.post("verify/", altered(document, path, change))
        statuses[answer.status_code] += 1

    assert set(statuses) <= {200, 422}
    assert statuses[200] > 0.9 * len(some)


@pytest.mark.parametrize(("entrant", "is_there"), [("e1", True), ("e4", True), ("e12", False)])
def test_places_that_leave_an_entrant_out_differ(program, entrant, is_there):
    whole_tournament()
    document = json.loads(exported())
    assert (document["rounds"][0]["standings"].pop(entrant, None) is not None) == is_there

    outcome = program.post("verify/", document).json()

    differing = {each["what"] for each in outcome["points"] if each["outcome"] == "differs"}
    assert ("closing" in differing) == is_there
