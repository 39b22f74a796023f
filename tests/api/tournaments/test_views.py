from urllib.parse import quote

import pytest

from tests.api.conftest import faults, refused
from tests.club_factories import ClubFactory, EventFactory, SeasonFactory, TournamentFactory
from tests.factories import EVENING
from tests.services.tournaments.whole_tournament import whole_tournament

NEW = {"name": "Moda Açık", "held_on": "2026-11-28", "ruleset": "turkish-king"}


@pytest.fixture
def club(db):
    return ClubFactory(slug="moda", confirmations="two")


def test_tournament_is_made_with_a_preset_and_what_is_other_than_there(director, club):
    more = {"preset": "swiss-day", "settings": {"rounds": 4}, "seed": 7}
    made = director.post("clubs/moda/tournaments/", NEW | more)
    said = made.json()
    assert made["Location"] == f"/api/v1/clubs/moda/tournaments/{said['slug']}/"
    assert (said["state"], said["confirmations"], said["seed"]) == ("draft", "two", 7)
    assert (said["settings"]["rounds"], said["settings"]["points"]) == (4, "places")
    assert said["next_step"] == {"code": "open-registration", "round": None}
    assert director.get(made["Location"]).json() == said


def test_wrong_settings_are_refused_each_at_its_place(director):
    wrong = NEW | {"settings": {"rounds": 0, "seating": "anyhow", "colour": "red"}}
    denied = director.post("clubs/moda/tournaments/", wrong)
    assert faults(denied) == [
        ("unknown-option", "settings.rounds"),
        ("unknown-option", "settings.seating"),
        ("unexpected-field", "settings.colour"),
    ]


def test_tournament_moves_step_by_step_and_back(director, club):
    row = TournamentFactory(event__club=club)
    path = f"clubs/moda/tournaments/{row.slug}/move/"
    too_far = director.post(path, {"state": "running"})
    assert refused(too_far) == (409, "wrong-state")
    assert director.post(path, {"state": "registration"}).json()["state"] == "registration"
    running = director.post(path, {"state": "running"}).json()
    assert running["step_back"] == {"code": "back-to-registration", "round": None}


def test_only_an_owner_who_says_its_name_deletes_a_seated_tournament(program):
    row = whole_tournament()
    path, name = f"clubs/moda/tournaments/{row.slug}/", f"?name={quote(row.event.name)}"
    director = program.role("director", row.event.club)
    assert refused(director.delete(path)) == (409, "depended")
    assert director.delete(path + name).status_code == 404
    owner = program.role("owner", row.event.club)
    assert faults(owner.delete(f"{path}?name=Moda")) == [("wrong-name", "name")]
    assert owner.delete(path + name).status_code == 204


def test_list_is_filtered_and_ordered(program, club):
    season = SeasonFactory(club=club)
    for day in (1, 2, 3):
        held_on = EVENING.date().replace(day=day)
        event = EventFactory(club=club, held_on=held_on, season=season if day == 2 else None)
        TournamentFactory(event=event, slug=f"day-{day}", state="finished" if day < 3 else "draft")
    member = program.role("member", club)

    def listed(query=""):
        rows = member.get(f"clubs/moda/tournaments/{query}").json()["results"]
        return [row["slug"] for row in rows]

    assert listed() == ["day-2", "day-1"]
    assert listed("?ordering=held_on") == ["day-1", "day-2"]
    assert listed(f"?season={season.pk}") == ["day-2"]
    assert member.get(f"clubs/moda/tournaments/?season={10**20}").status_code == 422
    assert listed("?held_until=2026-11-01") == ["day-1"]
    assert listed("?state=draft") == []


def test_links_are_read_and_replaced_by_directors_only(director, club):
    row = TournamentFactory(event__club=club, state="registration")
    path = f"clubs/moda/tournaments/{row.slug}/links/"
    links = director.get(path).json()
    assert links["register"]["key"] == f"register.{row.public_id}.{row.secret('register')}"
    assert f"/check-in/{row.public_id}/{row.secret('check-in')}/" in links["check_in"]["url"]
    replaced = director.post(f"{path}replace/").json()
    assert replaced["register"]["key"] != links["register"]["key"]
