from fractions import Fraction

import pytest

from tests.api.conftest import faults
from tests.api.rounds.evening import FIRST, SECOND, begin
from tests.club_factories import ClubFactory, SeasonFactory
from tournaments.models import Event, Season, Tournament


@pytest.fixture
def evening(program):
    club = ClubFactory(slug="moda", published=True)
    evening = begin(program.role("director", club), hide_last=True, bye=1)
    Event.objects.update(season=SeasonFactory(club=club, name="2026"))
    evening.close(1, FIRST)
    return evening


def points_of(standings):
    return {row["entrant"]: Fraction(row["points"]) for row in standings["results"]}


def test_standings_are_those_after_a_round_or_of_one(evening):
    evening.close(2, SECOND)
    now, first = evening.standings(), evening.standings("?after=1")
    assert (now["after"], now["last"], now["rounds"]) == (2, 2, [1, 2])
    assert (first["after"], first["rounds"]) == (1, [1])
    alone = evening.standings("?only=2")
    assert (alone["only"], alone["rounds"], alone["teams"]) == (2, [], [])
    points, gained, whole = map(points_of, (first, alone, now))
    assert whole == {number: points[number] + gained[number] for number in whole}
    assert faults(evening.director.get(f"{evening.path}standings/?after=x")) == [
        ("wrong-type", "after")
    ]


def test_hidden_last_round_is_for_directors_until_the_end(program, evening):
    evening.close(2, SECOND)
    seen = program.get(f"{evening.path}standings/").json()
    assert (seen["hidden"], seen["last"], seen["rounds"]) == (True, 1, [1])
    assert program.get(f"{evening.path}standings/?after=2").json()["after"] == 1
    assert program.get(f"{evening.path}standings/?only=2").json()["only"] is None
    assert program.get(f"{evening.path}standings/1/").json()["after"] == 1
    directed = evening.standings()
    assert (directed["hidden"], directed["last"]) == (False, 2)
    evening.director.post(f"{evening.path}move/", {"state": "finished"})
    assert program.get(f"{evening.path}standings/").json() == directed


def test_place_is_explained_by_codes(program, evening):
    first, second = evening.standings()["results"][:2]
    why = program.get(f"{evening.path}standings/{first['entrant']}/").json()
    assert why["standing"] == first
    (part,) = why["parts"]
    assert (part["code"], part["points"]) == ("all", first["points"])
    (reason,) = part["rounds"][0]["reasons"]
    assert (reason["code"], reason["params"]["place"]) == ("place", 1)
    (decision,) = why["decisions"]
    assert (decision["other"], decision["ahead"]) == (second["entrant"], False)


def test_league_adds_up_the_evenings_of_a_season(program, evening):
    season = Season.objects.get()
    path = f"clubs/moda/seasons/{season.pk}/league/"
    league = program.get(path).json()
    (played,) = league["evenings"]
    assert (played["last"], played["over"]) == (1, False)
    assert played["tournament"] == Tournament.objects.get().slug
    points = [row["points"] for row in evening.standings()["results"]]
    assert [row["points"] for row in league["results"]] == points
    assert {row["player"]["id"] for row in league["results"]} == {None}
    known = evening.director.get(path).json()["results"]
    assert None not in {row["player"]["id"] for row in known}
