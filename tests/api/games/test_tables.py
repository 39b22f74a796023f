import pytest

from tests.club_factories import (
    ClubFactory,
    EventFactory,
    RoundFactory,
    TableFactory,
    TournamentFactory,
)
from tests.deals import NAMES, WHOLE_GAME
from tests.factories import EVENING
from tournaments.api.access import token_of
from tournaments.models import AuditEntry, Event, IdempotencyRecord, Round
from tournaments.models.events import MOST_WRONG_CODES

KING = WHOLE_GAME[0]


@pytest.fixture
def club(db):
    return ClubFactory(slug="kadife", name="Kadife")


@pytest.fixture
def table(club):
    event = EventFactory(club=club, table_codes=True)
    return TableFactory(round=RoundFactory(event=event, number=1), number=3, players=NAMES)


@pytest.fixture
def phone(program, table):
    return program.with_token(token_of(table, "table"))


def where(table, verb=""):
    return f"tables/{table.public_id}/{verb}"


def wrong_code_of(table):
    return "0000" if table.code != "0000" else "1111"


def without_codes(table):
    Event.objects.filter(pk=table.round.event_id).update(table_codes=False)


def test_table_tells_where_it_is_and_no_more_before_its_code_is_said(phone, table):
    event = table.round.event
    assert phone.get(where(table)).json() == {
        "id": table.public_id,
        "number": 3,
        "club": {"slug": "kadife", "name": "Kadife"},
        "event": {
            "id": event.public_id,
            "name": "Cuma akşamı",
            "held_on": "2026-11-20",
            "tournament": None,
        },
        "round": {"number": 1, "stage": "", "state": "open"},
        "asks_code": True,
        "shut": False,
        "play": None,
    }
    without_codes(table)
    told = phone.get(where(table)).json()
    assert told["asks_code"] is False
    assert told["play"] == {
        "game": table.games.get().public_id,
        "ruleset": "turkish-king",
        "players": list(NAMES),
        "match_number": None,
        "clock": None,
        "called": False,
    }


def test_right_code_gives_the_keys_of_the_game(program, phone, table):
    entered = phone.post(where(table, "enter/"), {"code": table.code}).json()
    game = table.games.get()
    assert entered == {
        "game": game.public_id,
        "write": token_of(game, "write"),
        "follow": token_of(game, "follow"),
    }
    sheet = program.with_token(entered["write"])
    written = sheet.post(f"games/{game.public_id}/entries/", {"entry": KING})
    assert written.status_code == 201


def test_code_that_was_not_said_is_no_try(phone, table):
    for body in ({}, {"code": ""}):
        refused = phone.post(where(table, "enter/"), body)
        assert refused.status_code == 422
        assert [(p["code"], p["where"]) for p in refused.json()["problems"]] == [
            ("missing-field", "code")
        ]
    table.refresh_from_db()
    assert table.wrong_codes == 0


def test_wrong_codes_are_counted_with_a_key_too_and_close_the_access(phone, table):
    body, key = {"code": wrong_code_of(table)}, {"Idempotency_Key": "the-same-try"}
    for left in range(MOST_WRONG_CODES - 1, 0, -1):
        refused = phone.post(where(table, "enter/"), body, **key)
        assert (refused.status_code, refused.json()["code"]) == (422, "wrong-code")
        assert refused.json()["left"] == left
    for code in (body["code"], table.code):
        shut = phone.post(where(table, "enter/"), {"code": code})
        assert (shut.status_code, shut.json()["code"]) == (403, "door-shut")
        assert shut["Content-Type"] == "application/problem+json"
    table.refresh_from_db()
    assert table.wrong_codes == MOST_WRONG_CODES
    assert list(AuditEntry.objects.values_list("action", flat=True)) == ["shut-door"]
    assert phone.get(where(table)).json()["shut"] is True
    assert not IdempotencyRecord.objects.exists()


def test_one_waits_before_the_round_and_follows_after_it(phone, table):
    Round.objects.filter(pk=table.round_id).update(opened_at=None, published_at=EVENING)
    assert phone.get(where(table)).json()["round"]["state"] == "published"
    waits = phone.post(where(table, "enter/"), {"code": table.code})
    assert (waits.status_code, waits.json()["code"]) == (409, "round-not-open")

    Round.objects.filter(pk=table.round_id).update(opened_at=EVENING, closed_at=EVENING)
    entered = phone.post(where(table, "enter/")).json()
    assert (entered["write"], entered["follow"]) == (None, token_of(table.games.get(), "follow"))


def test_card_opens_nothing_but_its_table(program, phone, table, club):
    game = table.games.get()
    another = TableFactory(round=table.round, number=4, players=["Ece", "Fatma", "Gül", "Hale"])
    write = program.with_token(token_of(game, "write"))
    other_kind = f"write.{table.public_id}.{table.secret}"
    for token in (write.token, other_kind, f"table.{another.public_id}.{another.secret}"):
        assert program.with_token(token).get(where(table)).status_code == 404
    assert program.get(where(table)).status_code == 404


def test_directors_need_no_card_and_no_code(director, table, club):
    assert director.get(where(table)).json()["play"]["players"] == list(NAMES)
    write = token_of(table.games.get(), "write")
    assert director.post(where(table, "enter/")).json()["write"] == write
    Round.objects.filter(pk=table.round_id).update(closed_at=EVENING)
    assert director.post(where(table, "enter/")).json()["write"] == write


@pytest.fixture
def clocked(club):
    event = TournamentFactory(event__club=club, state="running").event
    round_ = RoundFactory(
        event=event, number=1, published_at=EVENING, clock_seconds=3600, clock_used=600
    )
    return TableFactory(round=round_, players=NAMES, extra_seconds=60)


def test_phone_of_a_tournament_sees_the_clock_and_calls_a_director(program, clocked):
    game = clocked.games.get()
    phone = program.with_token(token_of(game, "write"))
    told = phone.get(f"games/{game.public_id}/table/").json()
    assert told["event"]["tournament"] == clocked.round.event.tournament.slug
    assert told["play"]["clock"] == {
        "seconds": 3660,
        "running": False,
        "seconds_left": 3060,
        "ends_at": None,
    }
    assert told["play"]["called"] is False
    for _twice in range(2):
        called = phone.post(f"games/{game.public_id}/call/")
        assert (called.status_code, called.json()["play"]["called"]) == (200, True)
    line = AuditEntry.objects.get()
    assert (line.action, line.table) == ("call-director", clocked.public_id)
    Round.objects.update(closed_at=EVENING)
    assert phone.get(f"games/{game.public_id}/table/").status_code == 404
