import pytest

from tests.club_factories import (
    ClubFactory,
    EventFactory,
    RoundFactory,
    SeasonFactory,
    TableFactory,
    TournamentFactory,
)
from tournaments.models import AuditEntry, Event, Round

EVENINGS = "clubs/kadife/events/"
FRIDAY = {"name": "Cuma", "held_on": "2026-11-20", "ruleset": "turkish-king"}


@pytest.fixture
def club(db):
    return ClubFactory(slug="kadife", table_codes=True, confirmations="two")


def refused(answer):
    problem = answer.json()
    found = [(p["code"], p["where"]) for p in problem["problems"]]
    return answer.status_code, problem["code"], found


def test_evening_is_made_as_the_club_has_it_with_its_first_round_open(director, club):
    season = SeasonFactory(club=club)
    made = director.post(EVENINGS, FRIDAY)
    row = Event.objects.get()
    assert made.status_code == 201
    assert made["Location"] == f"/api/v1/{EVENINGS}{row.public_id}/"
    expected = {
        "id": row.public_id,
        "name": "Cuma",
        "held_on": "2026-11-20",
        "season": season.pk,
        "ruleset": "turkish-king",
        "options": {},
        "published": False,
        "table_codes": True,
        "confirmations": "two",
        "tournament": None,
        "created_at": made.json()["created_at"],
    }
    assert {name: made.json()[name] for name in expected} == expected
    read = director.get(made["Location"])
    assert (read.json(), read["ETag"]) == (made.json(), made["ETag"])
    assert Round.objects.get().is_open
    assert AuditEntry.objects.get().action == "add-event"


def test_what_is_said_of_an_evening_goes_before_what_the_club_has(director, club):
    SeasonFactory(club=club)
    said = {"season": None, "table_codes": False, "confirmations": "all", "published": True}
    made = director.post(EVENINGS, FRIDAY | said | {"options": {"king": "declared"}}).json()
    assert {name: made[name] for name in said} == said
    assert made["options"] == {"king": "declared"}


def test_evening_that_cannot_be_is_refused_at_the_place_of_each_fault(director, club):
    of_others = SeasonFactory().pk
    for said, found in (
        ({"ruleset": "poker"}, ("unknown-ruleset", "ruleset")),
        ({"options": {"king": "perhaps"}}, ("unknown-option", "options.king")),
        ({"season": of_others}, ("no-such-season", "season")),
        ({"held_on": "Friday"}, ("wrong-type", "held_on")),
    ):
        assert refused(director.post(EVENINGS, FRIDAY | said)) == (422, "invalid", [found])
    assert not Event.objects.exists()


def test_change_touches_only_what_is_said_and_only_what_was_seen(director, club):
    season = SeasonFactory(club=club)
    event = EventFactory(club=club, season=season, options={"king": "declared"})
    where = f"{EVENINGS}{event.public_id}/"
    seen = director.get(where)
    changed = director.patch(where, {"name": "Cumartesi"}, If_Match=seen["ETag"])
    assert changed.status_code == 200
    assert changed.json() == seen.json() | {"name": "Cumartesi"}
    assert director.get(where)["ETag"] == changed["ETag"]
    late = director.patch(where, {"season": None}, If_Match=seen["ETag"])
    assert refused(late) == (412, "changed-meanwhile", [])
    assert director.delete(where, If_Match=seen["ETag"]).status_code == 412
    assert director.patch(where, {"season": None}).json()["season"] is None


def test_evening_is_removed_while_no_table_was_laid(director, club):
    event = EventFactory(club=club)
    where = f"{EVENINGS}{event.public_id}/"
    table = TableFactory(round=RoundFactory(event=event))
    assert refused(director.delete(where)) == (409, "event-has-tables", [])
    table.games.get().delete()
    table.delete()
    assert director.delete(where).status_code == 204
    assert director.get(where).status_code == 404


def test_evenings_are_found_by_what_they_are(director, club):
    season = SeasonFactory(club=club)
    EventFactory(club=club, name="A", held_on="2026-10-01", season=season)
    EventFactory(club=club, name="B", held_on="2026-11-01", published=True)
    TournamentFactory(event=EventFactory(club=club, name="C", held_on="2026-12-01"), slug="open")
    EventFactory(name="of another club")

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
    first = director.get(f"{EVENINGS}?page_size=2").json()
    rest = director.get(first["next"].partition("/api/v1/")[2]).json()
    assert [row["name"] for row in rest["results"]] == ["A"]
    assert director.get(EVENINGS).json()["results"][0]["tournament"] == "open"


@pytest.mark.parametrize(("points", "adds"), [("game", "places"), ("places", "game")])
def test_league_takes_alike_tournaments_alone_and_finished_ones_too(director, club, points, adds):
    season = SeasonFactory(club=club, league_points=adds)
    settings = {"points": points, "place_points": [4, 2, 1, 0]}
    event = TournamentFactory(event__club=club, state="finished", settings=settings).event
    where = f"clubs/kadife/seasons/{season.pk}/events/{event.public_id}/"

    assert refused(director.put(where, None)) == (
        422,
        "invalid",
        [("other-league-points", "season")],
    )
    new = {"name": "Kış", "held_on": "2026-11-28", "ruleset": "turkish-king", "season": season.pk}
    made = director.post("clubs/kadife/tournaments/", new | {"settings": settings})
    assert refused(made) == (422, "invalid", [("other-league-points", "season")])
    wrong = director.patch(f"clubs/kadife/seasons/{season.pk}/", {"league_points": "kings"})
    assert wrong.status_code == 422
    director.patch(f"clubs/kadife/seasons/{season.pk}/", {"league_points": points})
    assert director.put(where, None).status_code == 204
    event.refresh_from_db()
    assert (event.season, event.tournament.state) == (season, "finished")
    back = director.patch(f"clubs/kadife/seasons/{season.pk}/", {"league_points": adds})
    assert refused(back) == (422, "invalid", [("season-counts-others", "league_points")])
    league = director.get(f"clubs/kadife/seasons/{season.pk}/league/").json()
    assert (league["points"], league["mixed"]) == (points, False)

    assert director.delete(where).status_code == 204
    event.refresh_from_db()
    assert event.season is None
