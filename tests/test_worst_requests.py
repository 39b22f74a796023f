"""What a stranger may ask for costs little at every address, however large what is stored.

Work is counted, not timed: calls of functions, of Python and of C. `MOST_CALLS` stands for half a
second of one processor; docs/development.md says how it was measured. The addresses are those of
the access tables, which name all that there are, so a new one is asked for here, too.
"""

import json
import logging
import re
from cProfile import Profile
from datetime import timedelta
from functools import partial
from urllib.parse import urlencode

import pytest
from django.core.cache import caches
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import Client, override_settings
from django.utils import translation

from tests.api.access_world import KEYS, make_programs
from tests.api.addresses import OK, TABLE
from tests.api.addresses import path_of as path_in_api
from tests.engine.documents.small_tournament import AT, small_tournament
from tests.factories import EVENING
from tests.long_sheets import fines, put_entries, record_with
from tests.tournament_builders import SHORT
from tests.web.access_table import PAGES
from tests.web.walking import BODY, path_of
from tournaments import models
from tournaments.api.access import token_of
from tournaments.api.reference.views import document
from tournaments.engine.variants import RULESETS
from tournaments.queries.sheets import load_sheet, put_computed
from tournaments.services.entrants.registration import MOST_ENTRANTS
from tournaments.web.clubs.embed import PARTS

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

MOST_CALLS = 1_150_000
"""Half a second of processor."""

MORE_IN_THE_ENGINE = 1.5
"""Its calls are shorter than those of templates and models: 3 million take a second."""

DRAWN_LATER = 503
"""The answer where a picture waits for the worker."""

EUCHRE = RULESETS["euchre"]
LATER = AT.replace("20T", "21T")
HAND = {
    "type": "deal",
    "maker": 0,
    "tricks": 2,
    "alone": True,
    "trump": "hearts",
    "note": "n" * 200,
}
"""A hand with all that it may say: the defenders score, so that many fit below the target."""


def calls_of(act):
    """What `act` returns, and how many functions it calls."""
    profile = Profile()
    profile.enable()
    try:
        found = act()
    finally:
        profile.disable()
    return found, sum(each.callcount for each in profile.getstats())


LAST = {
    "krapet": {"type": "deal", "winner": 0},
    "turkish-king": {"type": "stopped", "reason": "time"},
}
"""What ends a game at once."""

# What is stored.


def lengthen(game, most=EUCHRE.most_entries):
    """Give a game the longest sheet that any takes, changed as often as it may be."""
    game.revisions.all().delete()
    game.confirmations.all().delete()
    game.ruleset, game.options = "euchre", {"target": 10_000}
    game.document = None
    entries = [HAND, *fines(1, "w" * 200)] * (EUCHRE.most_entries // 2)
    put_entries(game, entries[:most], 2 * most)


def enlarge(world):
    """Let everything have as much as it may, and publish what can be."""
    models.Club.objects.update(published=True)
    models.Event.objects.update(published=True)
    lengthen(game_at(world, "write"))
    lengthen(game_at(world, "open table"), EUCHRE.most_entries - 200)
    lengthen(models.Game.objects.get(public_id=world.closed["write"]["public_id"]))
    evening = models.Game.objects.get(open_table__public_id=world.right["evening"]["public_id"])
    more_games(evening, {"open_table": evening.open_table})
    match = models.Game.objects.get(public_id=world.right["match"]["public_id"])
    more_games(match, {"match": match.match, "open_table": match.open_table})
    fill_tournament(models.Tournament.objects.get(slug=world.right["tournament"]["tournament"]))


def game_at(world, place):
    return models.Game.objects.get(public_id=world.right[place]["public_id"])


def more_games(first, together):
    """Let a table have as many games as it may, of as many lines as they may have together."""
    fields = ("ruleset", "options", "players")
    for number in range(2, 121):
        row = models.Game.objects.create(
            **{name: getattr(first, name) for name in fields},
            **together,
            number=number,
            match_number=number if "match" in together else None,
            played_at=EVENING + timedelta(minutes=number),
        )
        put_entries(row, [LAST[first.ruleset], *fines(15)], 16)


def fill_tournament(row):
    """Let 1,000 entrants play rounds of a tournament, of which the last goes on."""
    club = row.event.club
    known = row.entrants.count()
    players = models.Player.objects.bulk_create(
        models.Player(
            club=club, name=f"Yarışmacı {n:04}", name_key=f"yarismaci {n:04}", created_at=EVENING
        )
        for n in range(known, MOST_ENTRANTS)
    )
    entrants = models.Entrant.objects.bulk_create(
        models.Entrant(tournament=row, number=known + n, player=player, registered_at=EVENING)
        for n, player in enumerate(players, 1)
    )
    one = models.Game.objects.filter(table__round__event=row.event).first()
    pattern = [*SHORT, *fines(5)]
    for number in (1, 3, 4):
        round_, _new = models.Round.objects.get_or_create(
            event=row.event,
            number=number,
            defaults={
                "published_at": EVENING,
                "opened_at": EVENING,
                "closed_at": EVENING if number == 3 else None,
            },
        )
        play_all(round_, entrants, one, pattern)


def play_all(round_, entrants, one, pattern):
    first = round_.tables.count() + 1
    fours = [entrants[n : n + 4] for n in range(0, len(entrants) - 3, 4)]
    tables = models.Table.objects.bulk_create(
        models.Table(round=round_, number=first + n) for n in range(len(fours))
    )
    models.Sitting.objects.bulk_create(
        models.Sitting(round=round_, table=table, entrant=entrant, side=side)
        for table, four in zip(tables, fours, strict=True)
        for side, entrant in enumerate(four)
    )
    games = models.Game.objects.bulk_create(
        models.Game(
            ruleset=one.ruleset,
            options=one.options,
            players=[entrant.player.name for entrant in four],
            played_at=EVENING,
            table=table,
            revision=len(pattern),
        )
        for table, four in zip(tables, fours, strict=True)
    )
    models.Seat.objects.bulk_create(
        models.Seat(game=game, number=number, player=entrant.player)
        for game, four in zip(games, fours, strict=True)
        for number, entrant in enumerate(four)
    )
    models.Revision.objects.bulk_create(
        [
            models.Revision(
                game=game,
                revision=n + 1,
                key=f"in-the-hall-{n}",
                kind="entry",
                position=n,
                body=body,
                at=EVENING,
            )
            for game in games
            for n, body in enumerate(pattern)
        ],
        batch_size=1000,
    )
    put_computed(load_sheet(games[0]))
    for game in games:
        game.result, game.digest = games[0].result, games[0].digest
    models.Game.objects.bulk_update(games, ["result", "digest"], batch_size=100)


# What is asked.


@pytest.fixture(scope="module")
def programs(django_db_setup, django_db_blocker, tmp_path_factory):
    """The world of the access tests, with as much in it as it takes."""
    files = override_settings(MEDIA_ROOT=tmp_path_factory.mktemp("files"))
    english = translation.override("en")
    with django_db_blocker.unblock(), transaction.atomic(), files, english:
        programs = make_programs()
        logging.disable(logging.CRITICAL)
        enlarge(programs.world)
        yield programs
        logging.disable(logging.NOTSET)
        transaction.set_rollback(True)


def answer_of(ask):
    """The answer of a server that has stored nothing beforehand; what it wrote is taken back."""
    for cache in caches.all():
        cache.clear()
    with transaction.atomic():
        answer = ask()
        content = answer.getvalue()
        transaction.set_rollback(True)
    return answer, content


def of_pages(world):
    """Every page that strangers see, each as wide as they may ask for it, and what they send."""
    for name, page in PAGES.items():
        place = world.right[page.place]
        if any(who and who["nobody"] == OK for who in (page.get, page.published)):
            for kwargs, question in asked_for(name, place):
                path = path_of(name, kwargs) + question
                yield f"GET {path}", partial(Client().get, path)
        if page.post and page.post["nobody"] == OK:
            path, form = path_of(name, place), FORMS.get(name, lambda: BODY)
            yield f"POST {name}", lambda path=path, form=form: Client().post(path, form())


def asked_for(name, place):
    """The places and questions of a page: each part of a club for other sites, and each list."""
    if name.startswith("embed") and "part" in place:
        yield from ((place | {"part": part}, "") for part in PARTS)
    else:
        yield from ((place, question) for question in ("", *QUESTIONS.get(name, ())))


QUESTIONS = {
    "seating": ("?by=name",),
    "entrants": ("?q=a",),
    "tournament": ("?find=a",),
    "standings": ("?after=1", "?only=1"),
    "why_place": ("?after=1",),
    "club_games": ("?q=a", "?page=2"),
    "events": ("?page=2",),
    "check_in": ("?q=a",),
    "club_records": ("?season=0",),
}


def of_api(programs):
    """Every address of the API by each method, by a program without an account that may use it."""
    assert BODIES.keys() <= TABLE.keys()
    for name, row in TABLE.items():
        for method, who in row.by.items():
            published = (row.published or {}).get("nobody") == OK and method == "GET"
            key = next((key for key in ("nobody", *KEYS) if who[key] == OK), None)
            if key is None and not published:
                continue
            key = key or "nobody"
            token, place = programs.tokens[key], programs.place(row.place, key)
            if name == "entry-batch":
                # The others are full.
                game = game_at(programs.world, "open table")
                token, place = token_of(game, "write"), {"public_id": game.public_id}
            path = path_in_api(name, place)
            questions = widest(path) if method == "GET" else [""]
            body = BODIES.get(name, dict)() if method == "POST" else {}
            sent = {
                "data": json.dumps(body),
                "content_type": "application/json",
                "headers": {"Authorization": f"Bearer {token}"} if token else {},
            }
            for question in dict.fromkeys(questions):
                ask = partial(Client().generic, method, path + question, **sent)
                yield f"{method} api:{name}{question} {key}", ask


def widest(path):
    """The questions for which a list of the API answers the most: in the longest part, and whole.

    Computed lists are whole where nobody asks for a part.
    """
    for template, operations in document()["paths"].items():
        if "get" in operations and re.fullmatch(re.sub(r"{\w+}", "[^/]+", template), path):
            sent = {}
            for parameter in map(resolved, operations["get"].get("parameters", ())):
                if parameter["in"] == "query":
                    sent |= largest(parameter["name"], resolved(parameter["schema"]))
            whole = {name: value for name, value in sent.items() if name != "page_size"}
            return [f"?{urlencode(each)}" for each in (sent, whole)]
    return [""]


def resolved(part):
    while "$ref" in part:
        found = document()
        for name in part["$ref"].removeprefix("#/").split("/"):
            found = found[name]
        part = found
    return part


def largest(name, schema):
    if name == "page_size":
        return {name: 200}
    if name == "expand":
        return {name: ",".join(resolved(schema["items"]).get("enum", ()))}
    return {name: "a"} if name in ("q", "search", "find") else {}


def sheet_of_400():
    entries = [HAND, *fines(1, "w" * 200)] * (EUCHRE.most_entries // 2)
    return {**record_with(entries, "euchre", options={"target": 10_000}), "played_at": AT}


def tournament_to_verify():
    """A tournament with a sheet that is played anew at each of many moments."""
    tournament = small_tournament()
    closed = tournament["rounds"][0]
    closed["standings"] = {each["id"]: [1, "1/7"] for each in tournament["entrants"]}
    game = closed["tables"][0]["game"]
    entries = [{**fine, "reason": "x"} for fine in fines(180)]
    game["record"]["entries"] = entries
    kept = {"before": None, "author": "", "reason": ""}
    game["writes"] = [
        {"revision": n + 1, "kind": "correction" if n >= 180 else "entry", "position": n % 180,
         "body": entries[n % 180], "key": f"k-{n}", "at": AT if n < 180 else LATER, **kept}
        for n in range(440)
    ]  # fmt: skip
    game["confirmations"] = []
    empty = {**closed, "tables": [], "byes": []}
    tournament["rounds"] = [closed, *({**empty, "number": n} for n in range(2, 21))]
    tournament["settings"]["rounds"] = 20
    return tournament


def as_file(document):
    return SimpleUploadedFile("document.json", json.dumps(document).encode())


FORMS = {"verify": lambda: {"file": as_file(tournament_to_verify()), "code": ""}}
BODIES = {
    "score": lambda: sheet_of_400() | {"entries": sheet_of_400()["entries"][:200]},
    "game-list": lambda: sheet_of_400() | {"entries": sheet_of_400()["entries"][:200]},
    "verify": tournament_to_verify,
    "pair": lambda: {
        "format": "kingscore-pairing/1",
        "entrants": [{"id": f"{n}", "score": n % 7} for n in range(200)],
        "seed": 1,
    },
    "entry-batch": lambda: {"entries": [{"entry": fine} for fine in fines(200, "w" * 200)]},
}
"""The largest that an address takes; others take a few short fields."""

TAKEN = ("POST verify", *(f"POST api:{name} " for name in BODIES))
"""What must not be refused before anything was computed."""

STREAMED = ("GET api:games-export", "GET api:entrants-export")
"""A line for each row, read as it is sent, without end: here each row costs little."""

MOST_CALLS_OF_ROW = 3_000


@pytest.mark.parametrize("requests", ["pages", "api"])
def test_no_request_of_a_stranger_takes_long(programs, requests):
    asked = of_pages(programs.world) if requests == "pages" else of_api(programs)
    work, failed = {}, {}
    for name, ask in asked:
        (answer, content), calls = calls_of(lambda ask=ask: answer_of(ask))
        if calls > MOST_CALLS:
            # The first request also compiles templates and descriptions.
            (answer, content), calls = calls_of(lambda ask=ask: answer_of(ask))
        refused = name.startswith(TAKEN) and answer.status_code >= 300
        if refused or (answer.status_code >= 500 and answer.status_code != DRAWN_LATER):
            failed[name] = answer.status_code
        share = 1
        if name.startswith(STREAMED):
            share = MOST_CALLS / MOST_CALLS_OF_ROW / max(1, content.count(b"\n"))
        elif name.startswith("POST verify"):
            share = 1 / MORE_IN_THE_ENGINE
        work[name] = round(calls * share)

    assert not failed
    assert {name: calls for name, calls in work.items() if calls > MOST_CALLS} == {}
