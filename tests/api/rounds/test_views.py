from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from tests.api.conftest import refused
from tests.api.rounds.evening import FIRST, NAMES, begin
from tests.deals import WHOLE_GAME
from tournaments.models import AuditEntry, Club, Round, Table


@pytest.fixture
def begun(director):
    return begin(director)


@pytest.fixture
def evening(begun):
    begun.seat(1)
    return begun


def test_clock_runs_stops_is_set_on_and_says_nothing_that_changes_by_itself(program, evening):
    director, path = evening.director, evening.round(1, "clock/")
    assert director.post(f"{path}start/").json()["clock"]["running"] is True
    begun = datetime(2026, 11, 20, 18, 30, tzinfo=UTC)
    Round.objects.update(clock_started_at=begun, clock_used=600)
    Table.objects.filter(number=1).update(extra_seconds=120)
    told = {"seconds": 3600, "running": True, "seconds_left": None}
    ends = {"ends_at": "2026-11-20T19:20:00Z"}

    wall = program.get(f"{evening.path}wall/").json()

    assert wall["clock"] == director.get(evening.round(1)).json()["clock"] == told | ends
    later = director.get(evening.round(1, "tables/1/")).json()["clock"]
    assert later == told | {"seconds": 3720, "ends_at": "2026-11-20T19:22:00Z"}
    left = director.post(f"{path}pause/").json()["clock"]
    assert (left["running"], left["ends_at"], left["seconds_left"] < 0) == (False, None, True)
    added = director.post(f"{path}add/", {"seconds": 300, "seen": 3600}).json()
    assert added["clock"]["seconds"] == 3900
    less = director.post(f"{path}add/", {"seconds": -4000})
    assert refused(less) == (422, "not-that-long")


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


def test_everybody_reads_the_tables_of_a_round_but_not_what_directors_watch(program, evening):
    Table.objects.filter(number=1).update(called_at=timezone.now())
    director = evening.director
    director.post(evening.round(1, "tables/2/finish/"))

    (first, second) = program.get(evening.round(1, "tables/")).json()["results"]
    assert (first["called_at"], first["troubles"], first["keys"]) == (None, [], None)
    assert (first["deals"], first["totals"], second["finished"]) == (0, [0, 0, 0, 0], True)


def test_ruling_is_given_listed_and_withdrawn(evening):
    director, path = evening.director, f"{evening.path}rulings/"
    said = {"entrant": 1, "kind": "penalty", "points": "1/2", "reason": "late"}
    made = director.post(evening.round(1, "rulings/"), said)
    assert (made.status_code, made.json()["points"]) == (201, "1/2")
    assert director.get(made["Location"]).json() == made.json()
    [listed] = director.get(f"{path}?entrant=1&withdrawn=false").json()["results"]
    assert listed["id"] == made.json()["id"]
    assert director.post(f"{made['Location']}withdraw/").json()["withdrawn_at"] is not None
    assert director.get(f"{path}?withdrawn=false").json()["results"] == []


def test_round_is_opened_again_and_its_correction_shown_until_it_is_accepted(evening):
    director, path = evening.director, f"{evening.path}corrections/"
    early = director.post(evening.round(1, "close/"))
    assert refused(early) == (409, "round-not-ready")
    assert [(p["code"], p["params"]) for p in early.json()["problems"]] == [
        ("unfinished", {"table": 1}),
        ("unfinished", {"table": 2}),
    ]
    evening.play(1, FIRST)
    director.post(evening.round(1, "close/"))
    assert director.post(evening.round(1, "reopen/")).json()["state"] == "open"
    director.post(evening.round(1, "close/"))
    assert director.get(path).json()["results"] == []
    first = evening.standings()["results"][0]["entrant"]
    ruled(evening, first, 4)
    told = director.get(path).json()
    (moved,) = [each for each in told["results"] if each["entrant"] == first]
    assert (moved["round"], moved["before"]["rank"]) == (1, 1)
    assert moved["before"]["points"] == moved["after"]["points"] + 4
    stale = director.post(f"{path}accept/", {"seen": "something else"})
    assert refused(stale) == (409, "more-changed")
    assert director.post(f"{path}accept/", {"seen": told["seen"]}).json()["results"] == []
    assert AuditEntry.objects.get(action="accept-changes").after == {"round": [1]}
    evening.seat(2)
    assert refused(director.post(evening.round(1, "reopen/"))) == (409, "depended")


@pytest.fixture
def seated(begun):
    answer = begun.director.post(f"{begun.path}seat/")
    assert (answer.status_code, answer["Location"]) == (201, begun.round(1, "seating/"))
    return begun


def tables_of(seating):
    return [[e["entrant"] for e in table["entrants"]] for table in seating["tables"]]


def codes(answer):
    return [(p["code"], p["where"], p["params"]) for p in answer.json()["problems"]]


def test_proposal_is_replaced_and_seated_again_around_locked_tables(seated):
    director, path = seated.director, seated.round(1, "seating/")
    mine = {"tables": [[1, 2, 3, 4], [5, 6, 7, 8]], "byes": [9], "locked": [2]}
    put = director.put(path, mine).json()
    assert tables_of(put) == mine["tables"]
    assert [table["locked"] for table in put["tables"]] == [False, True]
    again = director.post(f"{path}again/", {"locked": [2]}).json()
    assert (tables_of(again)[1], again["tables"][1]["locked"]) == ([5, 6, 7, 8], True)
    denied = director.put(path, {"tables": [[1, 2, 3], [5, 6, 7, 7], [40, 8, 9, 4]]})
    assert refused(denied) == (422, "invalid-seating")
    assert codes(denied) == [
        ("odd-table", "tables.0", {"table": 0, "expected": 4, "got": 3}),
        ("unknown-entrant", "tables", {"entrant": 40}),
        ("seated-twice", "tables", {"entrant": 7}),
    ]
    published = director.post(f"{path}publish/").json()
    assert [table["locked"] for table in published["tables"]] == [False, False]


def test_alternatives_of_a_proposal_are_offered_and_one_is_taken(director):
    evening = begin(director, [f"Oyuncu {n}" for n in range(1, 19)], rounds=4)
    for number, entries in enumerate((FIRST, WHOLE_GAME[:8]), 1):
        evening.close(number, entries)
    path = evening.round(3, "seating/")
    seating = director.post(f"{evening.path}seat/").json()
    found = seating["alternatives"]
    fewest = min(found["offered"], key=lambda each: each["repeat_meetings"])
    assert found["offered"][0]["taken"]
    assert seating["fewest_repeats"] == {
        name: fewest[name] for name in ("repeat_meetings", "score_spread")
    }

    apart = [each for t in seating["tables"] for e in t["entrants"] for each in e["apart"]]
    assert {each["code"] for each in apart} >= {"met", "others"}
    assert all(each["round"] in (1, 2) for each in apart if each["code"] == "met")

    said = {"number": fewest["number"], "seed": fewest["seed"]}
    taken = director.post(f"{path}take/", said).json()

    assert taken["quality"]["repeat_meetings"] == fewest["repeat_meetings"]
    assert taken["alternatives"]["offered"] == [
        each | {"taken": each["number"] == fewest["number"]} for each in found["offered"]
    ]
    assert taken["fewest_repeats"] is None
    assert refused(director.post(f"{path}take/", said | {"seed": 0})) == (409, "seating-moved")


def test_two_change_places_and_chairs_are_exchanged_once(seated):
    director, path = seated.director, seated.round(1, "seating/")
    before = director.get(path).json()
    (one, *_rest), (other, *_others) = tables_of(before)
    told = director.get(f"{path}swap/?one={one}&other={other}").json()
    assert (told["one"], told["changes"]) == (one, [])
    swap = {"one": one, "other": other, "revision": before["revision"]}
    after = director.post(f"{path}swap/", swap).json()
    assert [table[0] for table in tables_of(after)] == [other, one]
    assert refused(director.post(f"{path}swap/", swap)) == (409, "seating-moved")

    for then in ("seating/publish/", "open/"):
        director.post(seated.round(1, then))
    seated.play(1, WHOLE_GAME[:1])
    read = director.get(path).json()
    (one, other, *_rest), (third, *_others) = tables_of(read)
    exchange = {"entrants": [one, third, other], "revision": read["revision"]}
    done = director.post(f"{path}exchange/", exchange).json()
    assert (tables_of(done)[0][:2], tables_of(done)[1][0]) == ([other, third], one)
    assert refused(director.post(f"{path}exchange/", exchange)) == (409, "seating-moved")


def test_seating_not_of_who_is_here_is_published_when_it_is_asked_for_twice(seated):
    director, path = seated.director, seated.round(1, "seating/")
    director.patch(f"{seated.path}", {"settings": {"check_in": "once"}})
    assert refused(director.post(f"{path}publish/")) == (409, "not-who-is-here")
    again = director.post(f"{path}again/", {"take_in": [1, 2, 3, 4]}).json()
    assert len(again["tables"]) == 1
    assert again["presence"]["not_seated"] == [
        {"entrant": number, "reason": "not-checked-in"} for number in range(5, 10)
    ]
    director.post(f"{seated.path}entrants/1/withdraw/")
    presence = director.get(path).json()["presence"]
    assert (presence["absent"], presence["gone"]) == ([1], [1])
    denied = director.post(f"{path}publish/", {"all_the_same": True})
    assert refused(denied) == (409, "seating-outdated")
    assert codes(denied) == [("has-left", "", {"entrant": 1})]
    director.post(f"{seated.path}entrants/1/return/")
    assert director.get(path).json()["outdated"] is None
    published = director.post(f"{path}publish/", {"all_the_same": True}).json()
    assert (published["state"], published["quality"]) == ("published", None)


def test_somebody_comes_late_to_a_published_round(seated):
    director, path = seated.director, seated.round(1, "seating/")
    leaving = director.post(f"{path}publish/").json()["byes"][0]["entrant"]
    assert director.get(f"{path}late/").json() == {
        "arriving": [],
        "leaving": list(range(1, len(NAMES) + 1)),
    }
    done = director.post(f"{path}late/", {"leaving": [leaving]}).json()
    assert (done["byes"], done["changed"]) == ([], [])
    at_table = tables_of(done)[0][0]
    back = director.post(f"{path}late/", {"leaving": [at_table], "arriving": [leaving]}).json()
    assert back["changed"] == [1]
    assert leaving in tables_of(back)[0]


def test_round_is_taken_back_with_what_was_written_and_thrown_away(seated):
    director = seated.director
    director.post(seated.round(1, "seating/publish/"))
    director.post(seated.round(1, "open/"))
    seated.play(1, WHOLE_GAME[:1])
    assert refused(director.post(seated.round(1, "seating/take-back/"))) == (409, "depended")
    back = director.post(seated.round(1, "seating/take-back/"), {"entries": 4}).json()
    assert back["state"] == "seated"
    assert director.delete(seated.round(1)).status_code == 204
    assert director.get(seated.round(1)).status_code == 404
    assert director.get(f"{seated.path}rounds/").json()["results"] == []


def corrected(evening, entrant, points):
    """Correct the closed game of an entrant in round 1."""
    table = next(each for each in evening.tables(1) if entrant in each["entrants"])
    said = {"seat": table["entrants"].index(entrant), "points": points, "to": "none"}
    entry = {"entry": {"type": "adjustment", "reason": "misread", **said}}
    done = evening.director.post(f"games/{table['game']}/entries/", entry)
    assert done.status_code == 201, done.content


def ruled(evening, entrant, points):
    said = {"entrant": entrant, "kind": "penalty", "points": points, "reason": "late"}
    done = evening.director.post(evening.round(1, "rulings/"), said)
    assert done.status_code == 201, done.content


def set_to(evening, **settings):
    done = evening.director.patch(evening.path, {"settings": settings})
    assert done.status_code == 200, done.content


OUTDATING = {
    "correction": lambda evening: corrected(evening, 1, 3000),
    "ruling": lambda evening: ruled(evening, 2, 500),
    "objective": lambda evening: set_to(evening, objective="near-scores"),
    "method": lambda evening: set_to(evening, seating="rank-near"),
    "rounds": lambda evening: set_to(evening, rounds=2),
}


@pytest.mark.parametrize("change", OUTDATING)
def test_proposal_drawn_from_other_results_or_settings_is_published_once_it_is_accepted(
    director, change
):
    evening = begin(director, rounds=3, points="game")
    evening.close(1, WHOLE_GAME[:2])
    path = evening.round(2, "seating/")
    assert director.post(f"{evening.path}seat/").json()["outdated"] is None

    OUTDATING[change](evening)

    outdated = director.get(path).json()["outdated"]
    assert outdated["is_final"] is False
    denied = director.post(f"{path}publish/", {"all_the_same": True})
    assert refused(denied) == (409, "seating-outdated")
    assert codes(denied) == [("results-changed", "", {"digest": outdated["digest"]})]
    corrected(evening, 5, 700)
    accepting = {"accept_outdated": outdated["digest"]}
    assert director.post(f"{path}publish/", accepting).status_code == 409
    now = director.get(path).json()["outdated"]["digest"]
    done = director.post(f"{path}publish/", {"accept_outdated": now})
    assert (done.status_code, done.json()["outdated"]) == (200, None)


@pytest.mark.parametrize("seating", ["random", "manual", "fixed"])
def test_proposal_that_no_result_decides_is_not_outdated_by_one(director, seating):
    evening = begin(director, seating=seating)
    evening.close(1, WHOLE_GAME[:2])
    director.post(f"{evening.path}seat/")
    corrected(evening, 1, 3000)
    path = evening.round(2, "seating/")
    assert director.get(path).json()["outdated"] is None
    assert director.post(f"{path}publish/").status_code == 200


@pytest.mark.parametrize("change", [corrected, ruled])
def test_final_is_seated_again_before_it_is_published_where_others_are_through(director, change):
    evening = begin(director, NAMES[:8], rounds=1, points="game", finals=4)
    evening.close(1, WHOLE_GAME[:2])
    path = evening.round(2, "seating/")
    before = {*tables_of(director.post(f"{evening.path}seat/").json())[0]}
    last, first = ({*range(1, 9)} - before).pop(), before.copy().pop()

    change(evening, last if change is corrected else first, 3_000)

    read = director.get(path).json()
    rows = director.get(f"{evening.path}standings/").json()["results"]
    through = {row["entrant"] for row in rows[:4]}
    assert through != before
    assert read["outdated"]["is_final"]
    assert {*read["outdated"]["elsewhere"]} == through | before
    assert read["presence"]["not_seated"] == [
        {"entrant": each, "reason": "qualified-since"} for each in sorted(through - before)
    ]
    accepting = {"all_the_same": True, "accept_outdated": read["outdated"]["digest"]}
    assert refused(director.post(f"{path}publish/", accepting)) == (409, "seating-outdated")
    again = director.post(f"{path}again/").json()
    assert ({*tables_of(again)[0]}, again["outdated"]) == (through, None)
    assert director.post(f"{path}publish/").status_code == 200


TEAMS = {"Cadde": (1, 2, 3), "Moda": (4, 5, 6), "Vapur": (7, 8, 9), "Yel": (10, 11, 12)}


@pytest.fixture
def league(director):
    Club.objects.update(published=True)
    members = ((team, number) for team, numbers in TEAMS.items() for number in numbers)
    entrants = [(f"{team} {number}", "", team) for team, number in members]
    return begin(director, entrants, line_up=2, points="game")


def line_ups(answer):
    return {team["team"]: (team["players"], team["reserves"]) for team in answer.json()["teams"]}


def named(**teams):
    return {"teams": [{"team": team, "players": players} for team, players in teams.items()]}


def test_line_ups_are_named_and_a_reserve_replaces_a_player(league):
    director, path = league.director, league.round(1, "line-ups/")
    put = director.patch(path, named(Moda=[6, 4], Yel=[12]))
    assert line_ups(put)["Moda"] == ([4, 6], [5])
    assert [(t["named"], t["missing"]) for t in put.json()["teams"]] == [
        (False, 0),
        (True, 0),
        (False, 0),
        (True, 1),
    ]
    for wrong, code in (
        (named(Yel=[10, 11], Moda=[4, 7]), "not-of-team"),
        (named(Yel=[10, 11], Moda=[4, 5, 6]), "line-up-full"),
        (named(Yel=[10, 11], Deniz=[]), "unknown-entrant"),
    ):
        assert refused(director.patch(path, wrong)) == (409, code)
    assert line_ups(director.get(path)) == line_ups(put)

    league.seat(1)
    assert line_ups(league.program.get(path))["Cadde"] == ([1, 2], [3])
    assert director.patch(path, named(Cadde=[3])).json()["code"] == "wrong-state"
    for _twice in range(2):
        replaced = director.post(f"{path}replace/", {"player": 2, "reserve": 3})
        assert line_ups(replaced)["Cadde"] == ([1, 3], [2])


def test_export_brings_the_line_ups_along(league):
    director = league.director
    director.patch(league.round(2, "line-ups/"), named(Moda=[5, 6]))
    league.seat(1)
    record = director.get(f"{league.path}record/").json()
    owner = league.program.role("owner", Club.objects.get())
    answer = owner.post("clubs/moda/tournament-records/?elsewhere=true", record)
    assert answer.status_code == 201, answer.content
    again = owner.get(f"{answer['Location']}record/").json()
    assert again["line_ups"] == [{"round": 2, "team": "Moda", "entrants": ["e5", "e6"]}]
    record["line_ups"][0]["entrants"] = ["e99"]
    assert owner.post("clubs/moda/tournament-records/?elsewhere=true", record).status_code == 422
