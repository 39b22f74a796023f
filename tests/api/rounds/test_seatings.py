import pytest

from tests.api.rounds.evening import NAMES, begin
from tests.club_factories import ClubFactory
from tests.deals import WHOLE_GAME
from tests.factories import record_all
from tests.tournament_builders import SHORT
from tournaments.engine.rules.rulesets import number_of
from tournaments.models import Game


@pytest.fixture
def evening(program):
    return begin(program, program.role("director", ClubFactory(slug="moda")))


@pytest.fixture
def seated(evening):
    answer = evening.director.post(f"{evening.path}seat/")
    assert (answer.status_code, answer["Location"]) == (201, evening.round(1, "seating/"))
    return evening


def tables_of(seating):
    return [[e["entrant"] for e in table["entrants"]] for table in seating["tables"]]


def codes(answer):
    return [(p["code"], p["where"], p["params"]) for p in answer.json()["problems"]]


def test_proposal_is_replaced_only_as_it_was_read(seated):
    director, path = seated.director, seated.round(1, "seating/")
    read = director.get(path)
    assert seated.program.get(path).status_code == 404
    mine = {"tables": [[1, 2, 3, 4], [5, 6, 7, 8]], "byes": [9], "locked": [2]}
    put = director.put(path, mine, If_Match=read["ETag"])
    assert tables_of(put.json()) == mine["tables"]
    assert [table["locked"] for table in put.json()["tables"]] == [False, True]
    late = director.put(path, mine, If_Match=read["ETag"])
    assert (late.status_code, late.json()["code"]) == (412, "changed-meanwhile")
    assert director.put(path, mine, If_Match=put["ETag"]).status_code == 200


def test_seating_that_is_none_is_refused_with_every_fault(seated):
    wrong = {"tables": [[1, 2, 3], [5, 6, 7, 7], [40, 8, 9, 4]]}
    refused = seated.director.put(seated.round(1, "seating/"), wrong)
    assert (refused.status_code, refused.json()["code"]) == (422, "invalid-seating")
    assert codes(refused) == [
        ("odd-table", "tables.0", {"table": 0, "expected": 4, "got": 3}),
        ("unknown-entrant", "tables", {"entrant": 40}),
        ("seated-twice", "tables", {"entrant": 7}),
    ]


def test_two_change_places_once_and_it_is_shown_before_what_it_costs(seated):
    director, path = seated.director, seated.round(1, "seating/")
    before = director.get(path).json()
    (one, *_rest), (other, *_others) = tables_of(before)
    told = director.get(f"{path}swap/?one={one}&other={other}").json()
    assert (told["one"], told["changes"]) == (one, [])
    swap = {"one": one, "other": other, "revision": before["revision"]}
    after = director.post(f"{path}swap/", swap).json()
    assert [table[0] for table in tables_of(after)] == [other, one]
    again = director.post(f"{path}swap/", swap)
    assert (again.status_code, again.json()["code"]) == (409, "seating-moved")


def test_chairs_are_exchanged_where_a_game_was_played(evening):
    director, path = evening.director, evening.round(1, "seating/")
    evening.seat(1)
    evening.play(1, WHOLE_GAME[:1])
    read = director.get(path).json()
    (one, other, *_), (third, *_) = tables_of(read)
    asked = {"entrants": [one, third, other], "revision": read["revision"]}
    refused = director.post(f"{path}exchange/", asked | {"entries": "people"})
    assert (refused.status_code, refused.json()["code"]) == (409, "between-tables")
    done = director.post(f"{path}exchange/", asked).json()
    assert (tables_of(done)[0][:2], tables_of(done)[1][0]) == ([other, third], one)
    again = director.post(f"{path}exchange/", asked)
    assert (again.status_code, again.json()["code"]) == (409, "seating-moved")


def test_locked_table_stays_when_all_are_seated_again(seated):
    director, path = seated.director, seated.round(1, "seating/")
    kept = tables_of(director.get(path).json())[0]
    again = director.post(f"{path}again/", {"locked": [1]}).json()
    assert tables_of(again)[0] == kept
    assert again["tables"][0]["locked"] is True


def test_seating_of_who_has_left_is_not_published(seated):
    director, path = seated.director, seated.round(1, "seating/")
    director.post(f"{seated.path}entrants/1/withdraw/")
    presence = director.get(path).json()["presence"]
    assert (presence["absent"], presence["gone"]) == ([1], [1])
    refused = director.post(f"{path}publish/", {"all_the_same": True})
    assert refused.json()["code"] == "seating-outdated"
    assert codes(refused) == [("has-left", "", {"entrant": 1})]


def test_seating_not_of_who_is_here_is_published_when_it_is_asked_for_twice(seated):
    director, path = seated.director, seated.round(1, "seating/")
    director.patch(f"{seated.path}", {"settings": {"check_in": "once"}})
    refused = director.post(f"{path}publish/")
    assert (refused.status_code, refused.json()["code"]) == (409, "not-who-is-here")
    again = director.post(f"{path}again/", {"take_in": [1, 2, 3, 4]}).json()
    assert len(again["tables"]) == 1
    assert again["presence"]["not_seated"] == [
        {"entrant": number, "reason": "not-checked-in"} for number in range(5, 10)
    ]
    assert codes(director.post(f"{path}again/", {"take_in": [40]})) == [
        ("unknown-entrant", "tables", {"entrant": 40})
    ]
    director.post(f"{seated.path}entrants/1/check-in/", {"here": False})
    published = director.post(f"{path}publish/", {"all_the_same": True}).json()
    assert (published["state"], published["quality"]) == ("published", None)


def test_somebody_comes_late_to_a_published_round(seated):
    director, path = seated.director, seated.round(1, "seating/")
    published = director.post(f"{path}publish/").json()
    leaving = published["byes"][0]["entrant"]
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
    unknown = director.post(f"{path}late/", {"arriving": [99]})
    assert (unknown.status_code, unknown.json()["code"]) == (409, "wrong-state")


def test_round_is_taken_back_until_something_is_written(seated):
    director = seated.director
    director.post(seated.round(1, "seating/publish/"))
    back = director.post(seated.round(1, "seating/take-back/")).json()
    assert back["state"] == "seated"
    director.post(seated.round(1, "seating/publish/"))
    director.post(seated.round(1, "open/"))
    seated.play(1, WHOLE_GAME[:1])
    refused = director.post(seated.round(1, "seating/take-back/"))
    assert (refused.status_code, refused.json()["code"]) == (409, "depended")
    back = director.post(seated.round(1, "seating/take-back/"), {"entries": 4}).json()
    assert back["state"] == "seated"


def test_proposal_is_thrown_away(seated):
    director = seated.director
    assert director.delete(seated.round(1)).status_code == 204
    assert director.get(seated.round(1)).status_code == 404
    assert director.get(f"{seated.path}rounds/").json()["results"] == []


def test_what_is_expected_of_a_seating_is_shown_with_ratings(seated):
    outlook = seated.director.get(seated.round(1, "outlook/")).json()
    assert outlook["results"] == []


@pytest.mark.parametrize(
    ("entrants", "rounds", "chosen"),
    [
        (8, 2, {"preset": "swiss-day"}),
        (9, 3, {"preset": "swiss-day", "points": "game"}),
        (13, 2, {"preset": "swiss-day"}),
        (5, 3, {"objective": "near-scores"}),
        (12, 2, {"objective": "leaders", "leaders_last": True}),
    ],
)
def test_each_proposal_says_how_it_would_be_with_the_fewest_repeats(
    program, entrants, rounds, chosen
):
    director = program.role("director", ClubFactory(slug="moda"))
    names = [f"Oyuncu {n}" for n in range(1, entrants + 1)]
    wanted = {"rounds": rounds, "check_in": "none", "odd": "bye"} | chosen
    evening = begin(program, director, names, **wanted)
    more = []
    for number in range(1, rounds + 1):
        key = {"Idempotency_Key": f"seat-round-{number}"}
        answers = [director.post(f"{evening.path}seat/", **key) for _ in range(2)]
        assert [each.status_code for each in answers] == [201, 201]
        seating = evening.round(number, "seating/")
        read = director.get(seating)
        assert read.status_code == 200
        more.append(read.json()["fewest_repeats"])
        assert director.post(f"{seating}publish/").status_code == 200
        assert director.post(evening.round(number, "open/")).status_code == 200
        for at, game in enumerate(Game.objects.filter(table__round__number=number)):
            record_all(game, [*WHOLE_GAME[: 4 + at % 5], {"type": "stopped", "reason": "time"}])
        assert director.post(evening.round(number, "close/")).status_code == 200
    spreads = [number_of(each["score_spread"]) for each in more if each is not None]
    assert spreads
    assert all(spread >= 0 for spread in spreads)


def closed_round(evening, number=1):
    evening.seat(number)
    for game in Game.objects.filter(table__round__number=number):
        record_all(game, SHORT)
    assert evening.director.post(evening.round(number, "close/")).status_code == 200


def corrected(evening, entrant, points):
    """Correct the closed game of an entrant in round 1."""
    tables = evening.tables(1)
    table = next(each for each in tables if entrant in each["entrants"])
    seat = table["entrants"].index(entrant)
    entry = {"seat": seat, "points": points, "to": "none", "reason": "misread"}
    done = evening.director.post(
        f"games/{table['game']}/entries/", {"entry": {"type": "adjustment", **entry}}
    )
    assert done.status_code == 201, done.content


def ruled(evening, entrant, points):
    said = {"entrant": entrant, "kind": "penalty", "points": points, "reason": "late"}
    done = evening.director.post(evening.round(1, "rulings/"), said)
    assert done.status_code == 201, done.content


def set_to(evening, **settings):
    assert evening.director.patch(evening.path, {"settings": settings}).status_code == 200


OUTDATING = {
    "correction": lambda evening: corrected(evening, 1, 3000),
    "ruling": lambda evening: ruled(evening, 2, 500),
    "objective": lambda evening: set_to(evening, objective="near-scores"),
    "method": lambda evening: set_to(evening, seating="rank-near"),
    "rounds": lambda evening: set_to(evening, rounds=2),
}


@pytest.mark.parametrize("change", OUTDATING)
def test_proposal_drawn_from_other_results_or_settings_is_published_once_it_is_accepted(
    program, change
):
    evening = begin(
        program, program.role("director", ClubFactory(slug="moda")), rounds=3, points="game"
    )
    closed_round(evening)
    director, path = evening.director, evening.round(2, "seating/")
    assert director.post(f"{evening.path}seat/").json()["outdated"] is None

    OUTDATING[change](evening)

    outdated = director.get(path).json()["outdated"]
    assert outdated["is_final"] is False
    refused = director.post(f"{path}publish/", {"all_the_same": True})
    assert (refused.status_code, refused.json()["code"]) == (409, "seating-outdated")
    assert codes(refused) == [("results-changed", "", {"digest": outdated["digest"]})]
    corrected(evening, 5, 700)
    accepting = {"accept_outdated": outdated["digest"]}
    assert director.post(f"{path}publish/", accepting).status_code == 409
    now = director.get(path).json()["outdated"]["digest"]
    done = director.post(f"{path}publish/", {"accept_outdated": now})
    assert (done.status_code, done.json()["outdated"]) == (200, None)


@pytest.mark.parametrize("seating", ["random", "manual", "fixed"])
def test_proposal_that_no_result_decides_is_not_outdated_by_one(program, seating):
    evening = begin(program, program.role("director", ClubFactory(slug="moda")), seating=seating)
    closed_round(evening)
    evening.director.post(f"{evening.path}seat/")
    corrected(evening, 1, 3000)
    path = evening.round(2, "seating/")
    assert evening.director.get(path).json()["outdated"] is None
    assert evening.director.post(f"{path}publish/").status_code == 200


def test_coming_and_going_alone_is_told_as_before(evening):
    closed_round(evening)
    director, path = evening.director, evening.round(2, "seating/")
    director.post(f"{evening.path}entrants/9/withdraw/")
    director.post(f"{evening.path}seat/")
    director.post(f"{evening.path}entrants/", {"entrants": [{"name": "Geç Kalan"}]})
    director.post(f"{evening.path}entrants/9/return/")
    read = director.get(path).json()
    assert (read["outdated"], read["presence"]["gone"]) == (None, [])
    assert director.post(f"{path}publish/").json()["code"] == "not-who-is-here"
    assert director.post(f"{path}publish/", {"all_the_same": True}).status_code == 200


@pytest.mark.parametrize("change", [corrected, ruled])
def test_final_is_seated_again_before_it_is_published_where_others_are_through(program, change):
    director = program.role("director", ClubFactory(slug="moda"))
    evening = begin(program, director, NAMES[:8], rounds=1, points="game", finals=4)
    closed_round(evening)
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
    refused = director.post(f"{path}publish/", accepting)
    assert (refused.status_code, refused.json()["code"]) == (409, "seating-outdated")
    again = director.post(f"{path}again/").json()
    assert ({*tables_of(again)[0]}, again["outdated"]) == (through, None)
    assert director.post(f"{path}publish/").status_code == 200
