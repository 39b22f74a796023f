"""A document or a printed code is verified: by the page, the command and the API.

Whatever a document says, verifying it ends: with an answer, and after so much work.
"""

import io
import json
from collections import Counter
from contextlib import suppress
from copy import deepcopy
from dataclasses import asdict
from datetime import datetime, timedelta

import pytest
from django.core.cache import caches
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command

from tests.api.conftest import Program
from tests.club_factories import AccountFactory
from tests.engine.documents.small_tournament import AT, RECORD, small_tournament
from tests.factories import EVENING
from tests.services.tournaments.whole_tournament import whole_tournament
from tests.tournament_builders import NINE, SHORT, closed, running
from tests.tournament_records import exported
from tournaments.engine.documents.games import ALPHABET, digits_of, letters_of
from tournaments.engine.pairing.field import NEW_OPPONENTS, SEATING_VERSION
from tournaments.models import Event, Game, Revision, Round, Tournament
from tournaments.reports.ratings import ratings_document
from tournaments.services.audit import NOBODY
from tournaments.services.tournaments.lifecycle import move_tournament


@pytest.fixture
def finished():
    row = running(*NINE, rounds=1)
    closed(row, SHORT)
    Event.objects.update(published=True)
    return move_tournament(row.pk, "finished", NOBODY, at=EVENING)


def post(client, document=None, code=""):
    files = {}
    if document is not None:
        files["file"] = SimpleUploadedFile("tournament.json", document.encode())
    return client.post("/verify/", {"code": code, **files})


def text_of(answer):
    return " ".join(answer.content.decode().split())


def test_letters_are_the_digits_of_a_digest():
    digest = "0123456789abcdef" * 4

    assert letters_of(digest) == "ACDE FHJK MNPR"
    assert digits_of("acde-fhjk mnpr") == digest[:12]
    assert digits_of("ACDE") is None
    assert len(set(ALPHABET) & set("BGILOQSUVZ0158")) == 0


def test_an_export_is_verified_and_an_altered_one_is_not(client, finished):
    assert "is as published" in text_of(post(client, exported()))

    altered = json.loads(exported())
    altered["rounds"][0]["ranking"][0]["points"] += 10
    answer = text_of(post(client, json.dumps(altered)))

    assert "Something differs" in answer
    assert "rounds[0].ranking[0].points" in answer
    assert "Something differs" in text_of(post(client, "{"))


def test_a_row_changed_since_an_export_is_found_with_it(client, finished):
    text = exported()
    Revision.objects.filter(pk=Revision.objects.first().pk).update(
        body={"type": "deal", "contract": "no-tricks", "declarer": 0,
              "counts": {"tricks": [4, 3, 3, 3]}}
    )  # fmt: skip

    answer = text_of(post(client, text))

    assert "Something differs" in answer
    assert "rounds[0].tables[0].game" in answer


@pytest.mark.parametrize("model", [Game, Round, Tournament])
def test_a_code_is_that_of_what_is_stored_or_not(client, finished, model):
    row = model.objects.exclude(digest="").first()

    told = text_of(post(client, code=letters_of(row.digest)))

    assert "Yes." in told
    assert finished.event.name in told
    model.objects.filter(digest=row.digest).update(digest="0" * 64)
    assert "No." in text_of(post(client, code=letters_of(row.digest)))


def test_who_may_not_see_it_learns_no_more_than_yes(client, finished):
    Event.objects.update(published=False)

    told = text_of(post(client, code=letters_of(Tournament.objects.get().digest)))

    assert "Yes." in told
    assert finished.event.name not in told


def test_nothing_given_and_wrong_letters_are_refused(client):
    assert post(client).status_code == 422
    assert post(client, code="BBBB BBBB BBBB").status_code == 422


def test_standings_show_their_code_and_lead_here(client, finished):
    page = client.get(f"/clubs/{finished.event.club.slug}/tournaments/{finished.slug}/standings/")

    assert letters_of(Tournament.objects.get().digest) in page.content.decode()
    assert "/verify/?code=" in page.content.decode()


FOUR = ["e1", "e2", "e3", "e4"]
FINE = {"type": "adjustment", "seat": 0, "points": "1/7", "to": "none", "reason": "x"}
OVER = {"type": "stopped", "reason": "time"}


def later(seconds):
    return (datetime.fromisoformat(AT) + timedelta(seconds=seconds)).isoformat()


def write(revision, position, body, at):
    kept = {"author": "", "before": None, "reason": "", "key": f"k-{revision}", "at": at}
    kind = "entry" if revision == position + 1 else "correction"
    return {"revision": revision, "kind": kind, "position": position, "body": body, **kept}


def closed_round(number, **more):
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
    return tournament([closed_round(1, tables=[table]), *map(closed_round, range(2, rounds + 1))])


def rulings(number):
    fine = {"round": 1, "kind": "penalty", "points": 1, "reason": "x"}
    said = [
        fine | {"entrant": FOUR[n % 4], "at": later(n), "withdrawn_at": later(n + 1)}
        for n in range(number)
    ]
    return tournament(list(map(closed_round, range(1, 30))), rulings=said)


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
        closed_round(number, draw=draw | {"seed": number, "first": number}, standings=None)
        for number in range(1, rounds + 1)
    ]
    return tournament(drawn, entrants=entrants, players=players)


def output_of(document, folder, work=None, **options):
    """Run `manage.py verify`, and return what it writes."""
    (folder / "document.json").write_text(json.dumps(document))
    out, options = io.StringIO(), options if work is None else options | {"work": work}
    with suppress(SystemExit):
        call_command("verify", str(folder / "document.json"), stdout=out, **options)
    return out.getvalue()


def verified(document, folder, work=None):
    return json.loads(output_of(document, folder, work, json=True))


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
    assert "differs" not in output_of(replays(entries, 3), tmp_path, work)


@pytest.mark.parametrize(
    ("rounds", "by_strangers", "by_accounts"),
    [(1, True, True), (3, False, True), (20, False, False)],
)
def test_somebody_with_an_account_has_more_verified(client, rounds, by_strangers, by_accounts):
    document, account, program = draws(rounds, count=24), AccountFactory(), Program()
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
def test_any_altered_document_is_answered(kind, change, step):
    caches["throttles"].clear()
    program = Program()
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
def test_places_that_leave_an_entrant_out_differ(entrant, is_there):
    whole_tournament()
    document = json.loads(exported())
    assert (document["rounds"][0]["standings"].pop(entrant, None) is not None) == is_there

    outcome = Program().post("verify/", document).json()

    differing = {each["what"] for each in outcome["points"] if each["outcome"] == "differs"}
    assert ("closing" in differing) == is_there
