"""A sheet takes as many entries as its game can need, wherever they come from, and reads fast."""

import json
from datetime import timedelta
from functools import partial

import pytest
from django.urls import reverse

from tests.api.conftest import Program, faults
from tests.club_factories import ClubFactory, MemberFactory, TableFactory
from tests.deals import NAMES, WHOLE_GAME
from tests.engine.documents.small_tournament import AT, small_tournament
from tests.factories import EVENING, ContextFactory, GameFactory, SetupFactory, reload
from tests.long_sheets import (
    chunks,
    fines,
    lines_run,
    put_entries,
    record_with,
    revisions_of,
    stored_game,
)
from tests.services.imports.record_files import asked
from tests.web.games.table import send, url
from tournaments.api.access import token_of
from tournaments.engine.documents.entries import parse_entry
from tournaments.engine.documents.games import read_game
from tournaments.engine.documents.tournaments import read_tournament
from tournaments.engine.documents.verify import verify
from tournaments.engine.rules.rulesets import LONGEST_SHEET, InvalidEntry
from tournaments.engine.variants import RULESETS
from tournaments.models import Game
from tournaments.queries.sheets import load_sheet
from tournaments.reports.books import scoresheet_book
from tournaments.reports.pictures import compose_picture
from tournaments.reports.sheets import compose_scoresheet
from tournaments.services.audit import Actor
from tournaments.services.games import playing
from tournaments.services.games.tables import start_table
from tournaments.services.games.writing import SheetFull
from tournaments.services.imports.records import preview_records

pytestmark = pytest.mark.django_db

GAMES = [
    ("turkish-king", {}),
    ("honeymoon-king", {"deals": 12}),
    ("euchre", {"target": 10_000}),
    ("krapet", {"target": 300}),
]
FULL = "too-many-entries"


def most_of(ruleset, options):
    return RULESETS[ruleset].with_options(options).most_entries


@pytest.mark.parametrize("ruleset", RULESETS)
def test_every_game_has_room_for_an_evening_in_which_everything_happens(ruleset):
    rules = RULESETS[ruleset]
    longest = 25 if rules.length is None else rules.length
    # Each deal was once misdealt, once wanted anew and once passed, and each player fined 10 times.
    needed = 4 * longest + 10 * rules.seats

    assert needed <= rules.most_entries <= LONGEST_SHEET
    # Each was begun, sealed, counted or corrected.
    assert rules.most_revisions >= 2 * needed


@pytest.mark.parametrize(("ruleset", "options"), GAMES)
def test_full_sheet_takes_no_entry_by_any_way(client, ruleset, options):
    most = most_of(ruleset, options)
    players = (*NAMES, "Elif")[: RULESETS[ruleset].seats]
    setup = SetupFactory(ruleset=ruleset, options=options, players=players)
    game = GameFactory(head=setup)
    phone = Program().with_token(token_of(game, "write"))
    path = f"games/{game.public_id}/"
    *first, last, extra = fines(most + 1, "1")
    for chunk in chunks(({"entry": body} for body in first), 200):
        answer = phone.post(f"{path}entries/batch/", {"entries": chunk})
        assert answer.status_code == 201
    assert phone.post(f"{path}entries/", {"entry": last}).status_code == 201
    assert len(phone.get(path).json()["entries"]) == most

    single = phone.post(f"{path}entries/", {"entry": extra})
    batch = phone.post(f"{path}entries/batch/", {"entries": [{"entry": extra}] * 2})
    page = send(client, Game.objects.get(pk=game.pk), **extra)

    assert (single.status_code, faults(single)) == (422, [(FULL, "entry")])
    assert (batch.status_code, faults(batch)) == (422, [(FULL, "entries.0.entry")])
    assert page.status_code == 422
    assert f"takes at most {most} entries" in page.content.decode()
    assert revisions_of(game) == most
    # An entry that is taken off makes room.
    sheet = playing.withdraw_entry(game.pk, 3, "", ContextFactory(revision=most))
    playing.record_entry(game.pk, parse_entry(extra), ContextFactory(revision=sheet.row.revision))


@pytest.mark.parametrize(("ruleset", "options"), GAMES)
def test_record_that_is_too_long_is_refused_wherever_it_is_read(ruleset, options):
    most = most_of(ruleset, options)
    played = (EVENING - timedelta(days=300)).isoformat()

    def record(number):
        return record_with(fines(number), ruleset, options=options, played_at=played)

    assert not read_game(record(most)).problems
    assert not verify(record(most)).problems
    reading = read_game(record(most + 1))
    assert [(reading.entry, p.code) for p in reading.problems] == [(most, FULL)]
    assert [p.code for p in verify(record(most + 1)).problems] == [FULL]
    seen = preview_records(ClubFactory(), asked(record(most + 1)), now=EVENING).seen[0]
    assert (seen.entry, [p.code for p in seen.problems]) == (most, [FULL])
    if most < 200:
        answer = Program().post("games/", record(most + 1))
        assert (answer.status_code, faults(answer)) == (422, [(FULL, f"entries.{most}")])
        assert not Game.objects.exists()


def problems_of(document):
    try:
        read_tournament(document)
    except InvalidEntry as refused:
        return [problem for problem in refused.problems if problem.code.startswith("too-many")]
    return []


@pytest.mark.parametrize(
    ("entries", "versions", "found"),
    [(181, 1, [FULL]), (180, 3, ["too-many-revisions"]), (180, 2, [])],
)
def test_tournament_with_too_long_a_sheet_is_refused_with_its_place(entries, versions, found):
    document = small_tournament()
    game = document["rounds"][0]["tables"][0]["game"]
    bodies = fines(entries)
    game["record"]["entries"] = bodies
    write = {"before": None, "author": "", "reason": "", "at": AT}
    game["writes"] = [
        {"revision": n + 1, "kind": "correction" if n >= entries else "entry",
         "position": n % entries, "body": bodies[n % entries], "key": f"key-{n}", **write}
        for n in range(entries * versions)
    ]  # fmt: skip

    problems = problems_of(document)

    assert [p.code for p in problems] == found
    assert all(p.where.startswith("rounds[0].tables[0].game") for p in problems)


@pytest.mark.parametrize("act", ["enter", "correct", "withdraw", "head", "page"])
def test_sheet_changed_too_often_takes_changes_of_directors_only(client, act):
    table = TableFactory()
    game = table.games.get()
    most = RULESETS[game.ruleset].most_revisions
    put_entries(game, fines(90), 360)
    assert game.revision == most - 100
    director = MemberFactory(club=table.round.event.club, role="director").user

    def change(by):
        context = ContextFactory(revision=revisions_of(game), by=by)
        head = SetupFactory(players=game.players, title="Moda")
        acts = {
            "enter": lambda: playing.record_entry(game.pk, parse_entry(fines(1)[0]), context),
            "correct": lambda: playing.correct_entry(
                game.pk, 3, parse_entry(fines(1, "why")[0]), "", context
            ),
            "withdraw": lambda: playing.withdraw_entry(game.pk, 3, "", context),
            "head": lambda: playing.change_head(game.pk, head, context),
        }
        return acts[act]()

    if act == "page":
        answer = send(client, game, **fines(1)[0])
        assert (answer.status_code, revisions_of(game)) == (409, game.revision)
        assert f"takes at most {most - 100}." in answer.content.decode()
        return
    with pytest.raises(SheetFull):
        change(Actor())
    assert revisions_of(game) == game.revision
    change(Actor(director))
    assert revisions_of(game) == game.revision + 1


def later_game(game, number, **fields):
    same = {name: getattr(game, name) for name in ("open_table", "ruleset", "options", "players")}
    return Game.objects.create(number=number, played_at=EVENING, **same | fields)


@pytest.mark.parametrize("length", [None, ("best-of", 99)])
def test_sheets_of_one_table_have_a_limit_together(length):
    setup = SetupFactory(ruleset="krapet", players=NAMES[:2])
    first = start_table(setup, length, at=EVENING)
    games = [later_game(first, n, match=first.match, match_number=length and n) for n in (2, 3, 4)]
    put_entries(first, fines(400), 900)
    put_entries(games[0], fines(400), 900)
    put_entries(games[1], fines(60), 98)

    def write(game):
        context = ContextFactory(revision=revisions_of(game))
        return playing.record_entry(game.pk, parse_entry(fines(1)[0]), context)

    write(games[1])
    write(games[1])
    with pytest.raises(SheetFull):
        write(games[1])
    # A game that has just begun always has room for a few lines.
    for _line in range(16):
        write(games[2])
    with pytest.raises(SheetFull):
        write(games[2])


@pytest.mark.parametrize("length", [None, ("first-to", 99)])
def test_table_takes_so_many_games_and_no_more(client, length):
    setup = SetupFactory(ruleset="krapet", players=NAMES[:2])
    first = start_table(setup, length, at=EVENING)
    last = later_game(first, 120, match=first.match, match_number=length and 120)
    won = {"type": "deal", "winner": 0}
    playing.record_entry(last.pk, parse_entry(won), ContextFactory())
    phone = Program().with_token(token_of(last, "write"))

    if length is None:
        answer = phone.post(f"games/{last.public_id}/rematch/", {"players": list(NAMES[:2])})
    else:
        answer = phone.post(f"games/{last.public_id}/next-game/", {})

    assert (answer.status_code, answer.json()["code"]) == (409, "too-many-games")
    if length is None:
        page = client.post(url(last, "rematch"), {"key": "k" * 24, "first": "0"})
        assert "at most 120 games" in page.content.decode()
    else:
        page = client.post(url(last, "next_game"), {"key": "k" * 24}, follow=True)
        assert "at most 120 games" in page.content.decode()
    assert Game.objects.count() == 2


def of_api(client, row):
    token = {"Authorization": f"Bearer {token_of(row, 'follow')}"}
    return client.get(f"/api/v1/games/{row.public_id}/", headers=token)


def at_table(name, *more):
    return lambda client, row: client.get(url(row, name, *more))


def followed(name):
    return lambda client, row: client.get(reverse(name, args=[row.public_id, row.secret("follow")]))


def document(compose):
    return lambda _client, row: compose(load_sheet(Game.objects.get(pk=row.pk)).record)


READERS = {
    "api": of_api,
    **{name: at_table(name) for name in ("write", "history")},
    "entry": at_table("entry", 3),
    **{name: followed(name) for name in ("follow", "follow_record")},
    "scoresheet": document(partial(compose_scoresheet, follow_url="")),
    "spreadsheet": document(scoresheet_book),
    "picture": document(partial(compose_picture, wide=True)),
}


@pytest.mark.parametrize("reader", READERS)
def test_reading_takes_work_in_proportion_to_the_entries(client, reader):
    sheets = [stored_game(fines(number), 2 * number) for number in (1, 31, 91)]
    READERS[reader](client, sheets[0])

    least, some, many = (lines_run(lambda row=row: READERS[reader](client, row)) for row in sheets)

    # Three times as many more entries, and not nine times the work.
    assert many - least < 3.5 * (some - least)


@pytest.mark.parametrize("entries", [[], list(WHOLE_GAME)])
def test_longer_sheet_of_before_is_read_everywhere_and_takes_no_more(client, entries):
    row = stored_game([*entries, *fines(450)])
    assert len(reload(row).game.entries) == len(entries) + 450

    for reader in READERS.values():
        assert getattr(reader(client, row), "status_code", 200) == 200
    with pytest.raises(InvalidEntry):
        playing.record_entry(
            row.pk, parse_entry(fines(1)[0]), ContextFactory(revision=row.revision)
        )
    exported = json.loads(json.dumps(load_sheet(row).record))
    assert [p.code for p in verify(exported).problems] == [FULL]
