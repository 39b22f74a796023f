"""A whole small tournament by programs alone, from the first entrant to the last standings."""

from tests.api.rounds.evening import FIRST, SECOND, begin
from tests.club_factories import ClubFactory
from tournaments.engine.entry_records import write_points
from tournaments.models import Tournament
from tournaments.queries.tournaments import load_course


def test_tournament_is_played_from_the_first_entrant_to_the_last_standings(program):
    director = program.role("director", ClubFactory(slug="moda"))
    evening = begin(program, director)

    seated = director.post(f"{evening.path}seat/")
    assert seated["Location"] == evening.round(1, "seating/")
    proposal = seated.json()
    assert (proposal["state"], len(proposal["tables"]), len(proposal["byes"])) == ("seated", 2, 1)
    assert proposal["quality"]["repeat_meetings"] == 0
    assert {why["code"] for why in proposal["byes"][0]["why"]} >= {"fewest-byes"}
    assert program.get(evening.round(1, "seating/")).status_code == 404

    assert director.post(evening.round(1, "seating/publish/")).json()["state"] == "published"
    seen = program.get(evening.round(1, "seating/")).json()
    names = {table["number"]: [e["entrant"] for e in table["entrants"]] for table in seen["tables"]}
    drawn = {t["number"]: [e["entrant"] for e in t["entrants"]] for t in proposal["tables"]}
    assert names == drawn
    opened = director.post(evening.round(1, "open/")).json()
    assert (opened["state"], opened["clock"]["seconds_left"]) == ("open", 3600)

    early = director.post(evening.round(1, "close/"))
    assert (early.status_code, early.json()["code"]) == (409, "round-not-ready")
    assert [(p["code"], p["params"]) for p in early.json()["problems"]] == [
        ("unfinished", {"table": 1}),
        ("unfinished", {"table": 2}),
    ]
    evening.play(1, FIRST)
    assert [table["finished"] for table in evening.tables(1)] == [True, True]
    assert director.post(evening.round(1, "close/")).json()["state"] == "closed"
    assert _as_told(evening.standings()["results"]) == _as_computed(2)

    evening.seat(2)
    evening.play(2, SECOND)
    director.post(evening.round(2, "close/"))
    finished = director.post(f"{evening.path}move/", {"state": "finished"}).json()
    assert finished["next_step"] == {"code": "see-standings", "round": None}
    rows = program.get(f"{evening.path}standings/").json()["results"]
    assert len(rows) == 9
    assert _as_told(rows) == _as_computed(3)
    assert all(len(row["by_round"]) == 2 for row in rows)


def _as_told(rows):
    return [(f"e{row['entrant']}", row["rank"], row["points"], row["shared"]) for row in rows]


def _as_computed(before):
    """What the engine says of the results that were stored."""
    standings = load_course(Tournament.objects.get()).standings_before(before)
    return [(row.entrant, row.place, write_points(row.points), row.shared) for row in standings]
