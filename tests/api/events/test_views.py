import pytest

from tests import club_factories as make
from tests.api.conftest import faults, refused
from tests.deals import NAMES, WHOLE_GAME
from tournaments.api.access import token_of
from tournaments.models import Event, Game, Player, Round, Table

EVENINGS = "clubs/kadife/events/"
FRIDAY = {"name": "Cuma", "held_on": "2026-11-20", "ruleset": "turkish-king"}


@pytest.fixture
def club(db):
    return make.ClubFactory(slug="kadife", table_codes=True, confirmations="two")


def test_evening_is_made_as_the_club_has_it_with_its_first_round_open(director, club):
    season = make.SeasonFactory(club=club)
    made = director.post(EVENINGS, FRIDAY)
    said = made.json()
    assert made["Location"] == f"/api/v1/{EVENINGS}{said['id']}/"
    assert (said["season"], said["options"], said["tournament"]) == (season.pk, {}, None)
    assert (said["table_codes"], said["confirmations"]) == (True, "two")
    assert director.get(made["Location"]).json() == said
    assert Round.objects.get().is_open


def test_evening_that_cannot_be_is_refused_at_the_place_of_each_fault(director, club):
    of_others = make.SeasonFactory().pk
    for said, found in (
        ({"ruleset": "poker"}, ("unknown-ruleset", "ruleset")),
        ({"options": {"king": "perhaps"}}, ("unknown-option", "options.king")),
        ({"season": of_others}, ("no-such-season", "season")),
        ({"held_on": "Friday"}, ("wrong-type", "held_on")),
    ):
        assert faults(director.post(EVENINGS, FRIDAY | said)) == [found]
    assert not Event.objects.exists()


def test_evening_is_changed_in_part_and_removed_while_no_table_was_laid(director, club):
    event = make.EventFactory(
        club=club, season=make.SeasonFactory(club=club), options={"king": "declared"}
    )
    where = f"{EVENINGS}{event.public_id}/"
    seen = director.get(where)
    changed = director.patch(where, {"name": "Cumartesi", "season": None}).json()
    assert changed == seen.json() | {"name": "Cumartesi", "season": None}
    table = make.TableFactory(round=make.RoundFactory(event=event))
    assert refused(director.delete(where)) == (409, "event-has-tables")
    table.games.get().delete()
    table.delete()
    assert director.delete(where).status_code == 204


def test_evenings_are_found_by_what_they_are(director, club):
    season = make.SeasonFactory(club=club)
    make.EventFactory(club=club, name="A", held_on="2026-10-01", season=season)
    make.EventFactory(club=club, name="B", held_on="2026-11-01", published=True)
    make.TournamentFactory(
        event=make.EventFactory(club=club, name="C", held_on="2026-12-01"), slug="open"
    )
    make.EventFactory(name="of another club")

    def names(query):
        return "".join(row["name"] for row in director.get(f"{EVENINGS}{query}").json()["results"])

    assert names("") == "CBA"
    assert names("?ordering=held_on") == "ABC"
    assert names("?ordering=-name") == "CBA"
    assert names(f"?season={season.pk}") == "A"
    assert names("?held_from=2026-11-01") == "CB"
    assert names("?held_until=2026-11-01") == "BA"
    assert names("?is_tournament=true") == "C"
    assert names("?is_tournament=false") == "BA"
    assert names("?published=true") == "B"
    assert director.get(EVENINGS).json()["results"][0]["tournament"] == "open"


def test_tournament_is_put_into_a_league_of_its_points_and_taken_out(director, club):
    season = make.SeasonFactory(club=club, league_points="places")
    settings = {"points": "game", "place_points": [4, 2, 1, 0]}
    event = make.TournamentFactory(event__club=club, state="finished", settings=settings).event
    path = f"clubs/kadife/seasons/{season.pk}/"
    where = f"{path}events/{event.public_id}/"

    assert faults(director.put(where, None)) == [("other-league-points", "season")]
    director.patch(path, {"league_points": "game"})
    assert director.put(where, None).status_code == 204
    assert director.delete(where).status_code == 204
    event.refresh_from_db()
    assert event.season is None


FOUR = {"players": [{"name": name} for name in NAMES]}


@pytest.fixture
def event(club):
    return make.EventFactory(club=club)


@pytest.fixture
def evening(event):
    return f"clubs/kadife/events/{event.public_id}/"


@pytest.fixture
def round_(event):
    return make.RoundFactory(event=event, number=1)


def test_rounds_are_opened_closed_and_opened_again(program, director, evening, round_):
    assert refused(director.post(f"{evening}rounds/")) == (409, "round-still-empty")
    game = make.TableFactory(round=round_).games.get()
    opened = director.post(f"{evening}rounds/")
    assert opened["Location"] == f"/api/v1/{evening}rounds/2/"
    rounds = director.get(f"{evening}rounds/").json()["results"]
    assert [(each["state"], each["tables"]) for each in rounds] == [("open", 1), ("open", 0)]

    closed = director.post(f"{evening}rounds/1/close/").json()
    assert (closed["state"], closed["tables"]) == ("closed", 1)
    assert closed == director.get(f"{evening}rounds/1/").json()
    phone = program.with_token(token_of(game, "write"))
    denied = phone.post(f"games/{game.public_id}/entries/", {"entry": WHOLE_GAME[0]})
    assert refused(denied) == (409, "round-closed")
    reopened = director.post(f"{evening}rounds/1/reopen/").json()
    assert (reopened["state"], reopened["closed_at"]) == ("open", None)


def test_table_is_laid_with_players_and_names_and_its_keys_are_shown(
    program, director, club, evening, round_
):
    burak = make.PlayerFactory(club=club, name="Burak Demir", initials=True)
    said = {"players": [{"name": "Ayşe"}, {"player": burak.public_id}, *FOUR["players"][2:]]}
    laid = director.post(f"{evening}rounds/1/tables/", said)
    assert laid.status_code == 201
    table, game = Table.objects.get(), Game.objects.get()
    assert laid["Location"] == f"/api/v1/{evening}rounds/1/tables/{table.public_id}/"
    ids = {player.name: player.public_id for player in Player.objects.all()}
    said = laid.json()
    assert (said["id"], said["number"], said["round"]) == (table.public_id, 1, 1)
    assert (said["game"]["id"], said["game"]["totals"]) == (game.public_id, [0, 0, 0, 0])
    assert [(each["name"], each["player"]) for each in said["game"]["players"]] == [
        *(("Ayşe", ids["Ayşe"]), ("B. D.", burak.public_id)),
        *((name, ids[name]) for name in ("Cem", "Deniz")),
    ]
    assert said["keys"] == {
        "table": token_of(table, "table"),
        "code": table.code,
        "write": token_of(game, "write"),
        "follow": token_of(game, "follow"),
    }
    assert director.get(laid["Location"]).json() == laid.json()
    member = program.role("member", club).get(laid["Location"]).json()
    assert member["keys"] is None
    assert [p["player"] for p in member["game"]["players"]] == [None] * 4


def test_table_of_a_tournament_is_for_its_directors_here(program, director, club):
    event = make.TournamentFactory(event__club=club, state="running").event
    table = make.TableFactory(round=make.RoundFactory(event=event, number=1))
    where = f"{EVENINGS}{event.public_id}/rounds/1/tables/{table.public_id}/"

    assert director.get(where).json()["keys"]["code"] == table.code
    assert program.role("member", club).get(where).status_code == 404


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
    make.TableFactory(round=round_, players=NAMES)
    stranger = make.PlayerFactory().public_id
    gone = make.PlayerFactory(club=club, merged_into=make.PlayerFactory(club=club)).public_id
    tables, four = f"{evening}rounds/1/tables/", [{"name": n} for n in ("Ece", "Fatma", "Gül")]
    for last, found in (
        ({"name": "Ayşe"}, ("sits-elsewhere", "players")),
        ({"name": "Ece"}, ("wrong-players", "players")),
        ({"name": "--"}, ("no-name", "players")),
        ({"player": stranger}, ("no-such-player", "players.3.player")),
        ({"player": gone}, ("no-such-player", "players.3.player")),
        ({}, ("player-or-name", "players.3")),
    ):
        assert faults(director.post(tables, {"players": [*four, last]})) == [found]
    assert Table.objects.count() == 1
