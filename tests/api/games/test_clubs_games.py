import pytest

from tests import club_factories as make
from tests.api.conftest import faults, phone_of, refused
from tests.deals import NAMES, WHOLE_GAME
from tests.factories import EVENING, GameFactory, record
from tests.match_builders import play, won_by
from tests.web.rounds.going import going
from tests.web.rounds.going import table as table_of
from tournaments.api.access import token_of
from tournaments.models import Event, Game, IdempotencyRecord, Round, Seat
from tournaments.models.events import MOST_WRONG_CODES

pytestmark = pytest.mark.django_db


def laid(event=None, **more):
    """The game of a new table, in an evening of its own unless one is given."""
    round_ = make.RoundFactory(event=event) if event else make.RoundFactory()
    return make.TableFactory(round=round_, **more).games.get()


def ids(answer):
    return [line["id"] for line in answer.json()["results"]]


def club_of(row):
    return row.table.round.event.club


def test_list_has_the_games_a_token_may_see_and_the_one_a_key_opens(program):
    here, there, open_table = laid(), laid(), GameFactory()
    assert ids(program.get("games/")) == []
    assert ids(program.role("member", club_of(here)).get("games/")) == [here.public_id]
    for row, kind in ((open_table, "write"), (open_table, "follow"), (there, "write")):
        keyed = program.with_token(token_of(row, kind))
        assert ids(keyed.get("games/")) == [row.public_id]
    wrong = program.with_token(f"write.{there.public_id}.wrong")
    assert ids(wrong.get("games/")) == []


def test_game_of_a_club_is_not_deleted_by_its_phone(program):
    row = laid()
    phone, path = phone_of(program, row)
    assert phone.delete(path, If_Match='"0"').status_code == 404


def test_games_are_found_by_where_when_and_how_they_were_played(program):
    club = make.ClubFactory()
    first, second = (laid(make.EventFactory(club=club)) for _ in range(2))
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
    for role, found in (("member", []), ("director", [row.public_id])):
        asked = program.role(role, club_of(row)).get("games/?name=Zeynep")
        assert ids(asked) == found


def test_result_is_confirmed_at_the_table_seat_by_seat_and_by_accounts(program):
    row = laid(entries=WHOLE_GAME)
    phone, path = phone_of(program, row, "confirmations/")
    assert phone.get(path).json()["confirmed"] == []
    answer = phone.post(path, {"seat": 2}, If_Match='"20"')
    agreement = answer.json()
    assert (answer.status_code, agreement["revision"]) == (201, 20)
    assert (agreement["confirmed"], agreement["missing"]) == ([2], [0, 1, 3])

    player = Seat.objects.get(game=row, number=1).player
    player.account = make.AccountFactory()
    player.save()
    own = program.as_(player.account)
    assert own.post(path, {}, If_Match='"20"').json()["confirmed"] == [1, 2]
    assert own.post(path, {"seat": 2}, If_Match='"20"').status_code == 404

    assert phone.post(path, {"seat": 0}).status_code == 428
    assert phone.post(path, {"seat": 0}, If_Match='"19"').status_code == 412
    phone.delete(f"games/{row.public_id}/entries/19/", If_Match='"20"')
    assert refused(phone.post(path, {"seat": 0}, If_Match='"21"')) == (409, "game-goes-on")


def test_open_table_is_taken_into_an_evening_by_a_director_with_its_key(program):
    round_ = make.RoundFactory()
    row = GameFactory(entries=WHOLE_GAME[:2])
    path = f"games/{row.public_id}/adopt/"
    said = {"key": token_of(row, "write"), "event": round_.event.public_id, "round": round_.number}
    director = program.role("director", round_.event.club)
    assert director.post(path, said | {"key": token_of(row, "follow")}).status_code == 404
    for players, code in ((NAMES[:3], "wrong-players"), ([*NAMES[:3], "Ayşe"], "sits-twice")):
        denied = director.post(path, said | {"players": list(players)}).json()
        assert (denied["status"], denied["problems"][0]["code"]) == (422, code)

    answer = director.post(path, said)
    row.refresh_from_db()
    assert (answer.status_code, answer.json()["table"]) == (200, row.table.public_id)
    assert row.table.round == round_
    keys = director.get(f"games/{row.public_id}/keys/").json()
    assert keys == {kind: token_of(row, kind) for kind in ("write", "follow", "pen")}


def test_scoring_is_taken_over_once_and_the_phone_before_follows(program):
    row, entry = GameFactory(), {"entry": WHOLE_GAME[0]}
    before, game = phone_of(program, row)
    taker = program.with_token(token_of(row, "pen"))
    keys = taker.post(f"{game}pen/", {}).json()
    assert taker.post(f"{game}pen/", {}).status_code == 404
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
    opened = phone.post(f"{game}next-game/", {})
    second = opened.json()
    assert (opened.status_code, second["match"]["game"], second["first_declarer"]) == (201, 2, 1)
    assert opened["Location"] == f"/api/v1/games/{second['id']}/"
    assert program.with_token(second["keys"]["write"]).get(opened["Location"]).status_code == 200
    other = phone.post(f"{game}next-game/", {})
    assert (other.status_code, other.json()["id"]) == (200, second["id"])
    assert "keys" not in other.json()

    match = phone.get(f"{game}match/").json()
    assert (match["won"], match["over"], match["winners"]) == ([1, 0], False, [])
    assert match["games"] == [started["id"], second["id"]]
    follower = program.with_token(match["next"]["follow"])
    assert follower.get(f"games/{match['next']['id']}/").status_code == 200


def test_later_game_of_a_match_is_shown_with_its_key_to_whoever_has_one(program):
    event = make.EventFactory(published=True)
    match = play([0, 1]).match
    match.games.update(table=make.TableFactory(round__event=event))
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


@pytest.fixture
def club(db):
    return make.ClubFactory(slug="kadife", name="Kadife")


@pytest.fixture
def table(club):
    event = make.EventFactory(club=club, table_codes=True)
    return make.TableFactory(
        round=make.RoundFactory(event=event, number=1), number=3, players=NAMES
    )


@pytest.fixture
def phone(program, table):
    return program.with_token(token_of(table, "table"))


def where(table, verb=""):
    return f"tables/{table.public_id}/{verb}"


def test_table_tells_where_it_is_and_no_more_before_its_code_is_said(phone, table):
    event = table.round.event
    told = phone.get(where(table)).json()
    assert (told["id"], told["number"], told["asks_code"]) == (table.public_id, 3, True)
    assert told["club"] == {"slug": "kadife", "name": "Kadife"}
    assert (told["event"]["id"], told["event"]["tournament"]) == (event.public_id, None)
    assert told["round"] == {"number": 1, "stage": "", "state": "open"}
    assert (told["shut"], told["play"]) == (False, None)
    Event.objects.filter(pk=event.pk).update(table_codes=False)
    told = phone.get(where(table)).json()
    assert told["asks_code"] is False
    play = told["play"]
    assert (play["game"], play["players"]) == (table.games.get().public_id, list(NAMES))


def test_right_code_gives_the_keys_of_the_game_to_write_while_its_round_is_open(
    program, director, phone, table, club
):
    game = table.games.get()
    write, follow = token_of(game, "write"), token_of(game, "follow")
    Round.objects.filter(pk=table.round_id).update(opened_at=None, published_at=EVENING)
    assert phone.get(where(table)).json()["round"]["state"] == "published"
    code = {"code": table.code}
    assert refused(phone.post(where(table, "enter/"), code)) == (409, "round-not-open")

    Round.objects.filter(pk=table.round_id).update(opened_at=EVENING)
    entered = phone.post(where(table, "enter/"), code).json()
    assert entered == {"game": game.public_id, "write": write, "follow": follow}
    # Directors need no card and no code.
    assert director.get(where(table)).json()["play"]["players"] == list(NAMES)
    assert director.post(where(table, "enter/")).json()["write"] == write

    Round.objects.filter(pk=table.round_id).update(closed_at=EVENING)
    entered = phone.post(where(table, "enter/")).json()
    assert (entered["write"], entered["follow"]) == (None, follow)
    assert director.post(where(table, "enter/")).json()["write"] == write


def test_wrong_codes_are_counted_with_a_key_too_and_close_the_access(phone, table):
    # What was not said is no try.
    assert faults(phone.post(where(table, "enter/"), {})) == [("missing-field", "code")]
    body = {"code": "0000" if table.code != "0000" else "1111"}
    for left in range(MOST_WRONG_CODES - 1, 0, -1):
        denied = phone.post(where(table, "enter/"), body, Idempotency_Key="the-same-try")
        assert refused(denied) == (422, "wrong-code")
        assert denied.json()["left"] == left
    for code in (body["code"], table.code):
        assert refused(phone.post(where(table, "enter/"), {"code": code})) == (403, "door-shut")
    assert phone.get(where(table)).json()["shut"] is True
    assert not IdempotencyRecord.objects.exists()


def test_phone_of_a_tournament_sees_the_clock_and_calls_a_director(program, club):
    event = make.TournamentFactory(event__club=club, state="running").event
    clock = {"clock_seconds": 3600, "clock_used": 600}
    round_ = make.RoundFactory(event=event, number=1, published_at=EVENING, **clock)
    game = make.TableFactory(round=round_, players=NAMES, extra_seconds=60).games.get()
    phone, path = phone_of(program, game)
    told = phone.get(f"{path}table/").json()
    assert (told["event"]["tournament"], told["play"]["called"]) == (event.tournament.slug, False)
    stands = {"seconds": 3660, "running": False, "seconds_left": 3060, "ends_at": None}
    assert told["play"]["clock"] == stands
    called = phone.post(f"{path}call/")
    assert (called.status_code, called.json()["play"]["called"]) == (200, True)
    Round.objects.update(closed_at=EVENING)
    assert phone.get(f"{path}table/").status_code == 404


OTHERWISE = WHOLE_GAME[1] | {"counts": {"queens": [3, 0, 0, 1]}}


def test_programs_confirm_and_dispute_deals_and_a_director_settles(program):
    club = make.ClubFactory()
    round_ = going(club, 1, confirm_deals=True, correct_minutes=5)
    game = table_of(round_).games.get()
    for body in WHOLE_GAME[1:3]:
        record(game, body)
    (phone, path), director = phone_of(program, game), program.role("director", club)
    directed = f"clubs/{club.slug}/tournaments/{round_.event.tournament.slug}/rounds/1/tables/1/"

    before = phone.get(f"{path}reviews/").json()
    confirmed = phone.post(f"{path}entries/0/confirm/", {"seat": 2, "revision": 1})
    own = phone.post(f"{path}entries/1/confirm/", {"seat": 1, "revision": 2})
    said = {"seat": 3, "revision": 2, "entry": OTHERWISE}
    disputed = phone.post(f"{path}entries/1/dispute/", said)
    other = said | {"entry": OTHERWISE | {"counts": {"queens": [2, 1, 0, 1]}}}
    again = phone.post(f"{path}entries/1/dispute/", other)

    states = [deal["state"] for deal in before["results"]]
    assert (before["minutes"], states) == (5, ["unconfirmed"] * 2)
    assert before["results"][1]["confirmers"] == [2, 0, 3]
    first = confirmed.json()["results"][0]
    assert (confirmed.status_code, first["state"], first["seat"]) == (201, "confirmed", 2)
    assert refused(own) == (422, "no-opponent")
    assert disputed.json()["results"][1]["other"] == OTHERWISE
    assert refused(again) == (409, "deal-disputed")
    assert {"called", "disputed"} <= troubles(director.get(directed))

    settling = {"position": 1, "revision": 2, "counts": "disputed"}
    settled = director.post(f"{directed}settle/", settling)
    assert not {"called", "disputed"} & troubles(settled)
    assert phone.get(path).json()["entries"][1]["entry"]["counts"] == OTHERWISE["counts"]
    assert refused(phone.delete(f"{path}entries/1/", If_Match='"3"')) == (409, "deal-fixed")


def troubles(answer):
    return {trouble["code"] for trouble in answer.json()["troubles"]}
