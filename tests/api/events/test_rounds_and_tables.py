import pytest

from tests.club_factories import (
    ClubFactory,
    EventFactory,
    PlayerFactory,
    RoundFactory,
    TableFactory,
    TournamentFactory,
)
from tests.deals import NAMES, WHOLE_GAME
from tests.factories import record
from tournaments.api.access import token_of
from tournaments.models import AuditEntry, Game, Player, Table

KING = WHOLE_GAME[0]
FOUR = {"players": [{"name": name} for name in NAMES]}


@pytest.fixture
def club(db):
    return ClubFactory(slug="kadife")


@pytest.fixture
def event(club):
    return EventFactory(club=club)


@pytest.fixture
def evening(event):
    return f"clubs/kadife/events/{event.public_id}/"


@pytest.fixture
def round_(event):
    return RoundFactory(event=event, number=1)


def refused(answer):
    problem = answer.json()
    return answer.status_code, [(p["code"], p["where"]) for p in problem["problems"]]


def test_rounds_are_opened_closed_and_opened_again(program, director, evening, round_):
    early = director.post(f"{evening}rounds/")
    assert (early.status_code, early.json()["code"]) == (409, "round-still-empty")
    table = TableFactory(round=round_)
    opened = director.post(f"{evening}rounds/")
    assert opened.status_code == 201
    assert opened["Location"] == f"/api/v1/{evening}rounds/2/"
    assert AuditEntry.objects.get().after == {"round": 2}
    rounds = director.get(f"{evening}rounds/").json()["results"]
    assert [(r["number"], r["state"], r["tables"]) for r in rounds] == [
        (1, "open", 1),
        (2, "open", 0),
    ]

    closed = director.post(f"{evening}rounds/1/close/").json()
    assert (closed["state"], closed["tables"]) == ("closed", 1)
    assert closed == director.get(f"{evening}rounds/1/").json()
    game = table.games.get()
    phone = program.with_token(token_of(game, "write"))
    path = f"games/{game.public_id}/entries/"
    late = phone.post(path, {"entry": KING})
    assert (late.status_code, late.json()["code"]) == (409, "round-closed")
    reopened = director.post(f"{evening}rounds/1/reopen/").json()
    assert (reopened["state"], reopened["closed_at"]) == ("open", None)
    assert phone.post(path, {"entry": KING}).status_code == 201


def test_table_is_laid_with_players_and_names_and_its_keys_are_shown(
    program, director, club, evening, round_
):
    burak = PlayerFactory(club=club, name="Burak Demir", initials=True)
    said = {"players": [{"name": "Ayşe"}, {"player": burak.public_id}, *FOUR["players"][2:]]}
    laid = director.post(f"{evening}rounds/1/tables/", said)
    assert laid.status_code == 201
    table, game = Table.objects.get(), Game.objects.get()
    assert laid["Location"] == f"/api/v1/{evening}rounds/1/tables/{table.public_id}/"
    ids = {player.name: player.public_id for player in Player.objects.all()}
    assert laid.json() == {
        "id": table.public_id,
        "number": 1,
        "round": 1,
        "shut": False,
        "game": {
            "id": game.public_id,
            "ruleset": "turkish-king",
            "options": {},
            "players": [
                {"name": "Ayşe", "player": ids["Ayşe"]},
                {"name": "B. D.", "player": burak.public_id},
                {"name": "Cem", "player": ids["Cem"]},
                {"name": "Deniz", "player": ids["Deniz"]},
            ],
            "revision": 0,
            "finished": False,
            "totals": [0, 0, 0, 0],
            "match_number": None,
            "confirmed": [],
            "confirmations_needed": 0,
        },
        "keys": {
            "table": token_of(table, "table"),
            "code": table.code,
            "write": token_of(game, "write"),
            "follow": token_of(game, "follow"),
        },
    }
    assert director.get(laid["Location"]).json() == laid.json()
    member = program.role("member", club).get(laid["Location"]).json()
    assert member["keys"] is None
    assert [p["player"] for p in member["game"]["players"]] == [None] * 4
    phone = program.with_token(laid.json()["keys"]["write"])
    assert phone.post(f"games/{game.public_id}/entries/", {"entry": KING}).status_code == 201


def test_keys_are_shown_only_to_tokens_that_may_score(program, director, club, evening, round_):
    where = director.post(f"{evening}rounds/1/tables/", FOUR)["Location"]

    for scopes in (["read"], ["read", "direct"]):
        other = program.role("director", club, *scopes)
        assert other.get(where).json()["keys"] is None
        (listed,) = other.get(f"{evening}rounds/1/tables/").json()["results"]
        assert listed["keys"] is None
    assert other.post(f"{where}replace/").json()["keys"] is None
    assert program.role("director", club, "read", "score").get(where).json()["keys"] is not None


def test_table_plays_what_is_said_and_else_what_the_evening_offers(
    director, event, evening, round_
):
    event.options = {"king": "declared"}
    event.save()
    tables = f"{evening}rounds/1/tables/"
    assert director.post(tables, FOUR).json()["game"]["options"] == {"king": "declared"}
    others = {"players": [{"name": f"Oyuncu {n}"} for n in range(2)]}
    match = {"length": "best-of", "number": 3}
    game = director.post(tables, others | {"ruleset": "krapet", "match": match}).json()["game"]
    assert (game["ruleset"], game["options"], game["match_number"]) == ("krapet", {}, 1)


def test_those_who_cannot_sit_there_are_refused_and_nothing_is_written(
    director, club, evening, round_
):
    TableFactory(round=round_, players=NAMES)
    stranger = PlayerFactory().public_id
    gone = PlayerFactory(club=club, merged_into=PlayerFactory(club=club)).public_id
    tables, four = f"{evening}rounds/1/tables/", [{"name": n} for n in ("Ece", "Fatma", "Gül")]
    for last, found in (
        ({"name": "Ayşe"}, ("sits-elsewhere", "players")),
        ({"name": "Ece"}, ("wrong-players", "players")),
        ({"name": "--"}, ("no-name", "players")),
        ({"player": stranger}, ("no-such-player", "players.3.player")),
        ({"player": gone}, ("no-such-player", "players.3.player")),
        ({}, ("player-or-name", "players.3")),
    ):
        assert refused(director.post(tables, {"players": [*four, last]})) == (422, [found])
    assert Table.objects.count() == 1
    assert not Player.objects.filter(club=club, name="Ece").exists()


def test_table_of_a_tournament_gets_a_new_address_but_stays(director, club):
    event = TournamentFactory(event__club=club, state="running").event
    table = TableFactory(round=RoundFactory(event=event, number=1))
    evening = f"clubs/kadife/events/{event.public_id}/"
    where = f"{evening}rounds/1/tables/{table.public_id}/"
    keys = director.get(where).json()["keys"]
    assert director.post(f"{where}replace/").json()["keys"]["table"] != keys["table"]
    assert director.delete(where).status_code == 404
    for path in ("rounds/", "rounds/1/", "rounds/1/tables/"):
        assert director.get(f"{evening}{path}").status_code == 404
    assert director.post(f"{evening}rounds/1/close/").status_code == 404


def test_table_is_not_taken_away_when_it_is_not_as_it_was_read(director, evening, round_):
    table = TableFactory(round=round_)
    where = f"{evening}rounds/1/tables/{table.public_id}/"
    before = director.get(where)["ETag"]
    record(table.games.get(), KING)

    stale = director.delete(where, If_Match=before)
    assert (stale.status_code, stale.json()["code"]) == (412, "changed-meanwhile")
    assert stale["ETag"] == director.get(where)["ETag"]
    assert Game.objects.exists()
    assert director.delete(where, If_Match=stale["ETag"]).status_code == 204
