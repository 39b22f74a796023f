import pytest

from tests.api.rounds.evening import FIRST, begin
from tests.club_factories import ClubFactory
from tournaments.models import Club

TEAMS = {"Cadde": (1, 2, 3), "Moda": (4, 5, 6), "Vapur": (7, 8, 9), "Yel": (10, 11, 12)}


@pytest.fixture
def league(program):
    evening = begin(
        program,
        program.role("director", ClubFactory(slug="moda", published=True)),
        [f"{team} {n}" for team, numbers in TEAMS.items() for n in numbers],
        line_up=2,
        points="game",
    )
    for team, numbers in TEAMS.items():
        for number in numbers:
            said = evening.director.patch(f"{evening.path}entrants/{number}/", {"team": team})
            assert said.status_code == 200, said.content
    return evening


def line_ups(answer):
    return {team["team"]: (team["players"], team["reserves"]) for team in answer.json()["teams"]}


def named(**teams):
    return {"teams": [{"team": team, "players": players} for team, players in teams.items()]}


def test_line_ups_are_named_as_they_were_read_all_or_none(league):
    director, path = league.director, league.round(1, "line-ups/")
    read = director.get(path)
    assert line_ups(read)["Moda"] == ([4, 5], [6])
    assert league.program.get(path).status_code == 404

    put = director.patch(path, named(Moda=[6, 4], Yel=[12]), If_Match=read["ETag"])
    assert line_ups(put)["Moda"] == ([4, 6], [5])
    assert [(t["named"], t["missing"]) for t in put.json()["teams"]] == [
        (False, 0),
        (True, 0),
        (False, 0),
        (True, 1),
    ]
    late = director.patch(path, named(Yel=[10, 11]), If_Match=read["ETag"])
    assert (late.status_code, late.json()["code"]) == (412, "changed-meanwhile")
    for wrong, code in (
        (named(Yel=[10, 11], Moda=[4, 7]), "not-of-team"),
        (named(Yel=[10, 11], Moda=[4, 5, 6]), "line-up-full"),
        (named(Yel=[10, 11], Deniz=[]), "unknown-entrant"),
    ):
        refused = director.patch(path, wrong)
        assert (refused.status_code, refused.json()["code"]) == (409, code)
    assert line_ups(director.get(path)) == line_ups(put)


def test_reserve_replaces_a_player_and_teams_stand_by_round(league):
    director, path = league.director, league.round(1, "line-ups/")
    league.seat(1)
    assert line_ups(league.program.get(path))["Cadde"] == ([1, 2], [3])
    assert director.patch(path, named(Cadde=[3])).json()["code"] == "wrong-state"
    for _twice in range(2):
        replaced = director.post(f"{path}replace/", {"player": 2, "reserve": 3})
        assert line_ups(replaced)["Cadde"] == ([1, 3], [2])
    foreign = director.post(f"{path}replace/", {"player": 1, "reserve": 4})
    assert foreign.json()["code"] == "not-of-team"
    league.play(1, FIRST)

    standings = league.standings()
    made = {row["entrant"]: row["by_round"] for row in standings["results"]}
    assert made[2] == [None]
    for team in standings["teams"]:
        played = [n for n in TEAMS[team["team"]] if made[n] != [None]]
        assert len(played) == 2
        assert team["by_round"] == [sum(made[n][0] for n in played)] == [team["points"]]


def test_export_brings_the_line_ups_along(league):
    director = league.director
    director.patch(league.round(2, "line-ups/"), named(Moda=[5, 6]))
    league.seat(1)
    record = director.get(f"{league.path}record/").json()
    assert record["line_ups"] == [{"round": 2, "team": "Moda", "entrants": ["e5", "e6"]}]

    owner = league.program.role("owner", Club.objects.get())
    answer = owner.post("clubs/moda/tournament-records/?elsewhere=true", record)
    assert answer.status_code == 201, answer.content
    again = owner.get(f"{answer['Location']}record/").json()
    # The digest covers the slug, too.
    assert {**again, "tournament": record["tournament"], "digest": record["digest"]} == record
    assert line_ups(owner.get(f"{answer['Location']}rounds/2/line-ups/"))["Moda"] == ([5, 6], [4])
    record["line_ups"][0]["entrants"] = ["e99"]
    assert owner.post("clubs/moda/tournament-records/?elsewhere=true", record).status_code == 422
