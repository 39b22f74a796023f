import pytest

from tests.api.conftest import faults, refused
from tests.club_factories import (
    AccountFactory,
    ClubFactory,
    EventFactory,
    RoundFactory,
    TableFactory,
    TournamentFactory,
)
from tests.deals import NAMES, WHOLE_GAME
from tests.factories import EVENING, GameFactory, record
from tests.match_builders import play, won_by
from tests.web.rounds.going import going
from tests.web.rounds.going import table as table_of
from tournaments.api.access import token_of
from tournaments.models import AuditEntry, Event, Game, IdempotencyRecord, Round, Seat
from tournaments.models.events import MOST_WRONG_CODES

pytestmark = pytest.mark.django_db


def laid(event=None, **more):
    """The game of a new table, in an evening of its own unless one is given."""
    round_ = RoundFactory(event=event) if event else RoundFactory()
    return TableFactory(round=round_, **more).games.get()


def ids(answer):
    return [line["id"] for line in answer.json()["results"]]


def club_of(row):
    return row.table.round.event.club


def test_list_has_the_games_a_token_may_see_and_the_one_a_key_opens(program):
    here, there, open_table = laid(), laid(), GameFactory()
    assert ids(program.get("games/")) == []
    assert ids(program.role("member", club_of(here)).get("games/")) == [here.public_id]
    for kind in ("write", "follow"):
        assert ids(program.with_token(token_of(open_table, kind)).get("games/")) == [
            open_table.public_id
        ]
    assert ids(program.with_token(token_of(there, "write")).get("games/")) == [there.public_id]
    wrong = program.with_token(f"write.{there.public_id}.wrong")
    assert ids(wrong.get("games/")) == []


def test_line_of_a_list_says_where_it_was_played_and_what_it_came_to(program):
    row = laid(entries=WHOLE_GAME)
    line = program.role("member", club_of(row)).get("games/").json()["results"][0]
    event = row.table.round.event
    assert (line["club"], line["event"]) == (event.club.slug, event.public_id)
    assert (line["round"], line["table"]) == (row.table.round.number, row.table.public_id)
    assert (line["finished"], line["totals"]) == (True, [540, -110, -330, -100])
    assert (line["match"], line["played_at"]) == (None, "2026-11-20T19:30:00Z")
    assert line["tournament"] is None


def test_games_are_found_by_where_when_and_how_they_were_played(program):
    club = ClubFactory()
    first, second = (laid(EventFactory(club=club)) for _ in range(2))
    third = laid(second.table.round.event, entries=WHOLE_GAME)
    Game.objects.filter(pk=first.pk).update(played_at=EVENING.replace(day=1), ruleset="rifki")
    member = program.role("member", club)
    event = second.table.round.event

    def found(query):
        return set(ids(member.get(f"games/?{query}")))

    later = {second.public_id, third.public_id}
    assert found(f"club={club.slug}") == {first.public_id, *later}
    assert found("club=another") == set()
    assert found(f"event={event.public_id}") == later
    assert found(f"round={third.table.round.number}") == {third.public_id}
    assert found(f"table={third.table.public_id}") == {third.public_id}
    assert found("ruleset=rifki") == {first.public_id}
    assert found("finished=true") == {third.public_id}
    assert found("finished=false") == {first.public_id, second.public_id}
    assert found("played_from=2026-11-02T00:00:00Z") == later
    assert found("played_until=2026-11-02T00:00:00Z") == {first.public_id}
    ordered = member.get("games/?ordering=played_at&page_size=1")
    assert ids(ordered) == [first.public_id]


def test_whoever_is_shown_by_initials_is_found_by_name_by_directors_only(program):
    row = laid()
    player = Seat.objects.get(game=row, number=0).player
    player.name, player.initials = "Zeynep Kaya", True
    player.save()
    club = club_of(row)
    assert ids(program.role("member", club).get("games/?name=Zeynep")) == []
    assert ids(program.role("director", club).get("games/?name=Zeynep")) == [row.public_id]


def finished(program):
    row = laid(entries=WHOLE_GAME)
    return row, program.with_token(token_of(row, "write")), f"games/{row.public_id}/confirmations/"


def test_result_is_confirmed_at_the_table_seat_by_seat(program):
    _row, phone, path = finished(program)
    assert phone.get(path).json()["confirmed"] == []
    answer = phone.post(path, {"seat": 2}, If_Match='"20"')
    assert answer.status_code == 201
    agreement = answer.json()
    assert (agreement["confirmed"], agreement["missing"]) == ([2], [0, 1, 3])
    assert agreement["revision"] == 20
    assert phone.post(path, {"seat": 2}, If_Match='"20"').json()["confirmed"] == [2]


def test_player_confirms_for_nobody_else(program):
    row, _phone, path = finished(program)
    player = Seat.objects.get(game=row, number=1).player
    player.account = AccountFactory()
    player.save()
    own = program.as_(player.account)
    assert own.post(path, {}, If_Match='"20"').json()["confirmed"] == [1]
    assert own.post(path, {"seat": 2}, If_Match='"20"').status_code == 404


def test_confirmation_is_of_what_was_seen_and_of_a_game_that_is_over(program):
    row, phone, path = finished(program)
    assert phone.post(path, {"seat": 0}).status_code == 428
    assert phone.post(path, {"seat": 0}, If_Match='"19"').status_code == 412
    phone.delete(f"games/{row.public_id}/entries/19/", If_Match='"20"')
    assert refused(phone.post(path, {"seat": 0}, If_Match='"21"')) == (409, "game-goes-on")


def test_open_table_is_taken_into_an_evening_by_a_director_with_its_key(program):
    round_ = RoundFactory()
    club = round_.event.club
    row = GameFactory(entries=WHOLE_GAME[:2])
    path = f"games/{row.public_id}/adopt/"
    said = {"key": token_of(row, "write"), "event": round_.event.public_id, "round": round_.number}
    director = program.role("director", club)
    wrong = said | {"key": token_of(row, "follow")}
    assert director.post(path, wrong).status_code == 404
    few = director.post(path, said | {"players": list(NAMES[:3])})
    assert (few.status_code, few.json()["problems"][0]["code"]) == (422, "wrong-players")
    twice = director.post(path, said | {"players": ["Ayşe", "Ayşe", "Cem", "Deniz"]})
    assert (twice.status_code, twice.json()["problems"][0]["code"]) == (422, "sits-twice")

    answer = director.post(path, said)
    assert answer.status_code == 200
    row.refresh_from_db()
    assert answer.json()["table"] == row.table.public_id
    assert row.table.round == round_
    assert director.post(path, said).status_code == 404


def test_keys_are_shown_to_whoever_writes_and_may_score(program):
    row = laid()
    club, path = club_of(row), f"games/{row.public_id}/keys/"
    keys = program.role("director", club).get(path).json()
    assert keys == {kind: token_of(row, kind) for kind in ("write", "follow", "pen")}


def test_scoring_is_taken_over_once_and_the_phone_before_follows(program):
    row = GameFactory()
    game = f"games/{row.public_id}/"
    before = program.with_token(token_of(row, "write"))
    taker = program.with_token(token_of(row, "pen"))
    key = {"Idempotency_Key": "taking-the-pen"}
    keys = taker.post(f"{game}pen/", {}, **key).json()
    assert taker.post(f"{game}pen/", {}, **key).json() == keys
    assert taker.post(f"{game}pen/", {}).status_code == 404

    entry = {"entry": WHOLE_GAME[0]}
    assert program.with_token(keys["write"]).post(f"{game}entries/", entry).status_code == 201
    assert refused(before.post(f"{game}entries/", entry)) == (410, "pen-taken")
    assert before.get(game).status_code == 200


def test_match_goes_on_game_by_game(program):
    head = {"ruleset": "krapet", "players": ["Ayşe", "Burak"]}
    started = program.post("games/", head | {"match": {"length": "best-of", "number": 3}}).json()
    assert started["match"] == {"game": 1, "length": "best-of", "number": 3}
    phone, game = program.with_token(started["keys"]["write"]), f"games/{started['id']}/"
    assert refused(phone.post(f"{game}next-game/", {})) == (409, "game-goes-on")

    while not phone.get(f"{game}result/").json()["finished"]:
        phone.post(f"{game}entries/", {"entry": won_by(0, 30)})
    opened = phone.post(f"{game}next-game/", {}, Idempotency_Key="the-next-game")
    assert opened.status_code == 201
    second = opened.json()
    assert (second["match"]["game"], second["first_declarer"]) == (2, 1)
    assert opened["Location"] == f"/api/v1/games/{second['id']}/"
    assert program.with_token(second["keys"]["write"]).get(opened["Location"]).status_code == 200
    again = phone.post(f"{game}next-game/", {}, Idempotency_Key="the-next-game")
    assert again.json() == second
    other = phone.post(f"{game}next-game/", {})
    assert (other.status_code, other.json()["id"]) == (200, second["id"])
    assert "keys" not in other.json()

    match = phone.get(f"{game}match/").json()
    assert (match["won"], match["over"], match["winners"]) == ([1, 0], False, [])
    assert match["games"] == [started["id"], second["id"]]
    follower = program.with_token(match["next"]["follow"])
    assert follower.get(f"games/{match['next']['id']}/").status_code == 200


def test_later_game_of_a_match_is_shown_with_its_key_to_whoever_has_one(program):
    event = EventFactory(published=True)
    match = play([0, 1]).match
    match.games.update(table=TableFactory(round__event=event))
    rows = match.games.order_by("match_number")
    path = f"games/{rows[0].public_id}/match/"
    keys = [program.with_token(token_of(rows[0], kind)) for kind in ("write", "follow")]
    told = {"id": rows[1].public_id, "follow": token_of(rows[1], "follow")}

    for whom in (*keys, program.role("director", event.club, "read", "score")):
        assert whom.get(path).json()["next"] == told
    useless = token_of(GameFactory(), "follow"), f"follow.{rows[0].public_id}.wrong"
    for whom in (
        *(program, *map(program.with_token, useless), program.role("member", event.club)),
        *(program.role(role, event.club, "read") for role in ("member", "director")),
    ):
        assert whom.get(path).json()["next"] == {"id": rows[1].public_id, "follow": None}
    assert program.with_token(told["follow"]).get(path).json()["next"] == told


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
    Event.objects.filter(pk=event.pk).update(table_codes=False)
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
        assert faults(phone.post(where(table, "enter/"), body)) == [("missing-field", "code")]
    table.refresh_from_db()
    assert table.wrong_codes == 0


def test_wrong_codes_are_counted_with_a_key_too_and_close_the_access(phone, table):
    wrong = "0000" if table.code != "0000" else "1111"
    body, key = {"code": wrong}, {"Idempotency_Key": "the-same-try"}
    for left in range(MOST_WRONG_CODES - 1, 0, -1):
        denied = phone.post(where(table, "enter/"), body, **key)
        assert refused(denied) == (422, "wrong-code")
        assert denied.json()["left"] == left
    for code in (body["code"], table.code):
        shut = phone.post(where(table, "enter/"), {"code": code})
        assert refused(shut) == (403, "door-shut")
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
    assert refused(waits) == (409, "round-not-open")

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


OTHERWISE = WHOLE_GAME[1] | {"counts": {"queens": [3, 0, 0, 1]}}


def test_programs_confirm_and_dispute_deals_and_a_director_settles(program):
    club = ClubFactory()
    round_ = going(club, 1, confirm_deals=True, correct_minutes=5)
    game = table_of(round_).games.get()
    for body in WHOLE_GAME[1:3]:
        record(game, body)
    phone, director = program.with_token(token_of(game, "write")), program.role("director", club)
    path = f"games/{game.public_id}/"

    before = phone.get(f"{path}reviews/").json()
    confirmed = phone.post(f"{path}entries/0/confirm/", {"seat": 2, "revision": 1})
    own = phone.post(f"{path}entries/1/confirm/", {"seat": 1, "revision": 2})
    said = {"seat": 3, "revision": 2, "entry": OTHERWISE}
    disputed = phone.post(f"{path}entries/1/dispute/", said)
    other = said | {"entry": OTHERWISE | {"counts": {"queens": [2, 1, 0, 1]}}}
    again = phone.post(f"{path}entries/1/dispute/", other)

    assert (before["minutes"], [deal["state"] for deal in before["results"]]) == (
        5,
        ["unconfirmed"] * 2,
    )
    assert before["results"][1]["confirmers"] == [2, 0, 3]
    first = confirmed.json()["results"][0]
    assert (confirmed.status_code, first["state"], first["seat"]) == (201, "confirmed", 2)
    assert refused(own) == (422, "no-opponent")
    assert disputed.json()["results"][1]["other"] == OTHERWISE
    assert refused(again) == (409, "deal-disputed")
    assert {"called", "disputed"} <= troubles(watched(director, round_))

    where = (
        f"clubs/{club.slug}/tournaments/{round_.event.tournament.slug}/rounds/1/tables/1/settle/"
    )
    settled = director.post(where, {"position": 1, "revision": 2, "counts": "disputed"})
    assert not {"called", "disputed"} & troubles(settled.json())
    assert phone.get(path).json()["entries"][1]["entry"]["counts"] == OTHERWISE["counts"]
    assert refused(phone.delete(f"{path}entries/1/", If_Match='"3"')) == (409, "deal-fixed")


def troubles(seen):
    return {trouble["code"] for trouble in seen["troubles"]}


def watched(director, round_):
    tournament = round_.event.tournament.slug
    where = f"clubs/{round_.event.club.slug}/tournaments/{tournament}/rounds/1/tables/1/"
    return director.get(where).json()
