from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from tests.api.rounds.evening import FIRST, begin
from tests.club_factories import ClubFactory
from tournaments.models import AuditEntry, Round, Table, Tournament


@pytest.fixture
def evening(program):
    evening = begin(program, program.role("director", ClubFactory(slug="moda")))
    evening.seat(1)
    return evening


def test_clock_runs_stops_and_is_set_on_once(evening):
    director = evening.director
    assert director.post(evening.round(1, "clock/start/")).json()["clock"]["running"] is True
    paused = director.post(evening.round(1, "clock/pause/")).json()["clock"]
    assert paused["running"] is False
    for _twice in range(2):
        added = director.post(evening.round(1, "clock/add/"), {"seconds": 300, "seen": 3600})
        assert added.json()["clock"]["seconds"] == 3900
    less = director.post(evening.round(1, "clock/add/"), {"seconds": -4000})
    assert (less.status_code, less.json()["code"]) == (422, "not-that-long")
    named = [p["where"] for p in director.post(evening.round(1, "clock/add/")).json()["problems"]]
    assert named == ["seconds"]


def test_running_clock_says_when_it_ends_and_nothing_that_changes_by_itself(program, evening):
    director = evening.director
    begun = datetime(2026, 11, 20, 18, 30, tzinfo=UTC)
    Round.objects.update(clock_started_at=begun, clock_used=600)
    Table.objects.filter(number=1).update(extra_seconds=120)
    told = {"seconds": 3600, "running": True, "seconds_left": None}
    ends = {"ends_at": "2026-11-20T19:20:00Z"}

    wall = program.get(f"{evening.path}wall/").json()

    assert wall["clock"] == director.get(evening.round(1)).json()["clock"] == told | ends
    later = director.get(evening.round(1, "tables/1/")).json()["clock"]
    assert later == told | {"seconds": 3720, "ends_at": "2026-11-20T19:22:00Z"}
    left = director.post(evening.round(1, "clock/pause/")).json()["clock"]
    assert (left["running"], left["ends_at"], left["seconds_left"] < 0) == (False, None, True)


def test_table_is_given_time_ended_and_its_call_answered(evening):
    director = evening.director
    path = evening.round(1, "tables/1/")
    Table.objects.filter(number=1).update(called_at=timezone.now() - timedelta(minutes=2))
    (first, second) = evening.tables(1)
    assert (first["number"], [t["code"] for t in first["troubles"]]) == (1, ["called"])
    assert (second["troubles"], second["deals"], second["totals"]) == ([], 0, [0, 0, 0, 0])
    assert director.post(f"{path}answer/").json()["called_at"] is None
    given = director.post(f"{path}add-time/", {"seconds": 120}).json()
    assert (given["extra_seconds"], given["clock"]["seconds_left"]) == (120, 3720)
    ended = director.post(f"{path}finish/").json()
    assert (ended["finished"], ended["deals"]) == (True, None)
    assert director.get(evening.round(1, "tables/3/")).status_code == 404


def test_keys_are_shown_only_to_tokens_that_may_score(program, evening):
    club = Tournament.objects.get().event.club
    reads = program.role("director", club, "read")
    tables = reads.get(evening.round(1, "tables/")).json()["results"]
    assert [table["keys"] for table in tables] == [None, None]


def test_everybody_reads_the_tables_of_a_round_but_not_what_directors_watch(program, evening):
    Table.objects.filter(number=1).update(called_at=timezone.now())
    director = evening.director
    for path in ("tables/", "tables/1/"):
        assert program.get(evening.round(1, path)).status_code == 200
    director.post(evening.round(1, "tables/2/finish/"))

    (first, second) = program.get(evening.round(1, "tables/")).json()["results"]
    assert (first["called_at"], first["troubles"], first["keys"]) == (None, [], None)
    assert (first["deals"], first["totals"], second["finished"]) == (0, [0, 0, 0, 0], True)

    row = Tournament.objects.get()
    row.settings |= {"rounds": 1, "hide_last": True}
    row.save()
    for each in program.get(evening.round(1, "tables/")).json()["results"]:
        assert (each["deals"], each["totals"]) == (None, [])
    assert director.get(evening.round(1, "tables/1/")).json()["totals"] == [0, 0, 0, 0]


def test_ruling_is_given_listed_and_withdrawn(evening):
    director = evening.director
    said = {"entrant": 1, "kind": "penalty", "points": "1/2", "reason": "late"}
    made = director.post(evening.round(1, "rulings/"), said)
    assert (made.status_code, made.json()["points"]) == (201, "1/2")
    ruling = made["Location"]
    assert director.get(ruling).json() == made.json()
    listed = director.get(f"{evening.path}rulings/?entrant=1&withdrawn=false").json()["results"]
    assert [each["id"] for each in listed] == [made.json()["id"]]
    assert director.post(f"{ruling}withdraw/").json()["withdrawn_at"] is not None
    assert director.get(f"{evening.path}rulings/?withdrawn=false").json()["results"] == []


def test_correction_after_closing_is_shown_until_it_is_accepted(evening):
    director = evening.director
    evening.play(1, FIRST)
    director.post(evening.round(1, "close/"))
    path = f"{evening.path}corrections/"
    assert director.get(path).json()["results"] == []
    first = evening.standings()["results"][0]["entrant"]
    director.post(
        evening.round(1, "rulings/"),
        {"entrant": first, "kind": "penalty", "points": 4, "reason": "late"},
    )
    told = director.get(path).json()
    (moved,) = [each for each in told["results"] if each["entrant"] == first]
    assert (moved["round"], moved["before"]["rank"]) == (1, 1)
    assert moved["before"]["points"] == moved["after"]["points"] + 4
    stale = director.post(f"{path}accept/", {"seen": "something else"})
    assert (stale.status_code, stale.json()["code"]) == (409, "more-changed")
    assert director.post(f"{path}accept/", {"seen": told["seen"]}).json()["results"] == []
    assert AuditEntry.objects.get(action="accept-changes").after == {"round": [1]}


def test_round_is_opened_again_until_a_later_one_is_published(evening):
    director = evening.director
    early = director.post(evening.round(1, "close/"))
    assert (early.status_code, early.json()["code"]) == (409, "round-not-ready")
    assert [(p["code"], p["params"]) for p in early.json()["problems"]] == [
        ("unfinished", {"table": 1}),
        ("unfinished", {"table": 2}),
    ]
    evening.play(1, FIRST)
    director.post(evening.round(1, "close/"))
    assert director.post(evening.round(1, "reopen/")).json()["state"] == "open"
    director.post(evening.round(1, "close/"))
    evening.seat(2)
    refused = director.post(evening.round(1, "reopen/"))
    assert (refused.status_code, refused.json()["code"]) == (409, "depended")


def test_wall_shows_who_sits_where_and_later_who_is_in_front(program, evening):
    wall = program.get(f"{evening.path}wall/").json()
    assert (wall["round"]["number"], wall["going"], wall["standings"]) == (1, [1, 2], [])
    assert [table["number"] for table in wall["tables"]] == [1, 2, None]
    assert len(wall["tables"][2]["names"]) == 1
    evening.play(1, FIRST)
    evening.director.post(evening.round(1, "close/"))
    over = program.get(f"{evening.path}wall/").json()
    assert (over["tables"], over["going"], len(over["standings"])) == ([], [], 9)
    assert over["standings"][0]["rank"] == 1
