import pytest

from tests.api.conftest import faults, refused
from tests.club_factories import ClubFactory, EntrantFactory, TournamentFactory
from tests.factories import EVENING
from tournaments.engine.standings.tournament_settings import TournamentSettings, write_settings
from tournaments.models import Entrant, Event, Player

PATH = "clubs/moda/tournaments/acik/"


@pytest.fixture
def row(db):
    return TournamentFactory(
        event__club=ClubFactory(slug="moda"),
        slug="acik",
        state="registration",
        settings=write_settings(TournamentSettings(check_in="round")),
    )


@pytest.fixture
def director(program, row):
    return program.role("director", row.event.club)


def named(*names):
    return {"entrants": [{"name": name} for name in names]}


def test_entrants_are_registered_together_and_one_alone(director):
    many = director.post(f"{PATH}entrants/", named("Ayşe", "Burak", "Cem"))
    assert many.status_code == 201
    told = [(each["number"], each["name"], each["state"]) for each in many.json()["results"]]
    assert told == [(1, "Ayşe", "missing"), (2, "Burak", "missing"), (3, "Cem", "missing")]
    alone = {"name": "Deniz", "team": "Kadife", "house": True}
    one = director.post(f"{PATH}entrants/", {"entrants": [alone]})
    assert one["Location"] == f"/api/v1/{PATH}entrants/4/"
    read = director.get(one["Location"]).json()
    assert (read["team"], read["state"], read["substitutes"]) == ("Kadife", "house", [])


def test_entries_are_refused_all_or_none_each_at_its_place(director, row):
    EntrantFactory(tournament=row, number=1, player__name="Ayşe")
    several = named("Burak", "ayşe", "burak", "!!")["entrants"]
    several += [{"name": "Cem", "partner": "Deniz"}, {"name": "Ece", "represents": "…"}]
    denied = director.post(f"{PATH}entrants/", {"entrants": several})
    assert faults(denied) == [
        ("entered-already", "entrants.1.name"),
        ("named-twice", "entrants.2.name"),
        ("no-name", "entrants.3.name"),
        ("not-alone", "entrants.4.partner"),
        ("no-label", "entrants.5.represents"),
    ]
    assert denied.json()["problems"][0]["params"] == {"name": "Ayşe", "number": 1}
    assert (row.entrants.count(), Player.objects.count()) == (1, 1)


def test_list_is_filtered_searched_and_ordered(director, row):
    EntrantFactory(tournament=row, number=1, player__name="Zeynep", checked_in=1)
    EntrantFactory(tournament=row, number=2, player__name="Ayşe", withdrawn_at=EVENING)
    EntrantFactory(tournament=row, number=3, player__name="Burak", house=True, team="Kadife")

    def listed(query):
        answer = director.get(f"{PATH}entrants/{query}")
        return [each["number"] for each in answer.json()["results"]]

    assert listed("") == [1, 2, 3]
    assert listed("?ordering=name") == [2, 3, 1]
    assert listed("?withdrawn=true") == [2]
    assert listed("?house=false&withdrawn=false") == [1]
    assert listed("?checked_in=1") == [1]
    assert listed("?q=kadi") == [3]


def test_entrant_is_changed_withdraws_returns_checks_in_and_is_removed(director, row):
    EntrantFactory(tournament=row, number=1)
    path = f"{PATH}entrants/1/"
    changed = director.patch(path, {"team": "Kadife"}).json()
    assert (changed["team"], changed["house"]) == ("Kadife", False)
    assert director.patch(path, {"represents": "Moda"}).json()["team"] == "Kadife"
    assert director.patch(path, {"preferred_table": 3}).json()["preferred_table"] == 3
    assert director.patch(path, {"team": ""}).json()["preferred_table"] == 3
    # That somebody cannot move is for directors alone.
    Event.objects.update(published=True)
    assert director.with_token("").get(path).json()["preferred_table"] is None
    assert director.patch(path, {"preferred_table": 0}).status_code == 422
    assert director.patch(path, {"missed": "half"}).json()["missed"] == "half"
    assert director.patch(path, {"missed": "all"}).status_code == 422
    assert director.post(f"{path}withdraw/").json()["state"] == "withdrawn"
    assert director.post(f"{path}return/").json()["state"] == "missing"
    assert director.post(f"{path}check-in/").json()["checked_in"] == 1
    gone = director.post(f"{path}check-in/", {"here": False}).json()
    assert (gone["checked_in"], gone["state"]) == (0, "missing")
    assert director.delete(path).status_code == 204


def test_substitute_is_put_and_taken_out(director, row):
    entrant = EntrantFactory(tournament=row, number=1)
    EntrantFactory(tournament=row, number=2, player__name="Burak")
    path = f"{PATH}entrants/1/substitutes/2/{entrant.player.public_id}/"
    (put,) = director.put(path, {"name": "Yedek"}).json()["substitutes"]
    assert (put["round"], put["player"]["name"]) == (2, "Yedek")
    assert refused(director.put(path, {"name": "Burak"})) == (409, "takes-part")
    assert faults(director.put(path, {"name": "!"})) == [("no-name", "name")]
    assert director.delete(path).status_code == 204
    assert director.get(f"{PATH}entrants/1/").json()["substitutes"] == []


def test_player_registers_and_checks_in_by_the_links(program, row):
    at = f"tournaments/{row.public_id}/"
    by_link = program.with_token(f"register.{row.public_id}.{row.secret('register')}")
    assert by_link.get(f"{at}registrations/").json()["open"] is True
    first = by_link.post(f"{at}registrations/", {"name": "Ayşe", "team": "Kadife"})
    assert (first.status_code, first.json()["number"]) == (201, 1)
    assert faults(by_link.post(f"{at}registrations/", {"name": "!"})) == [("no-name", "name")]
    phone = program.with_token(f"check-in.{row.public_id}.{row.secret('check-in')}")
    asked = phone.get(f"{at}check-ins/").json()
    assert (asked["round"], [each["name"] for each in asked["entrants"]]) == (1, ["Ayşe"])
    assert phone.post(f"{at}check-ins/", {"entrant": 1}).json()["state"] == "here"
    assert Entrant.objects.get().checked_in == 1
