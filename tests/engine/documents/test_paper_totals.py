from random import Random

import pytest

from tests.browser.playing import FAMILIES
from tests.deals import WHOLE_GAME
from tests.paper_totals import STOPPED, line, lines_of, totals_of
from tournaments.engine.documents.games import as_one_entry, digest_of_game, read_game, write_result
from tournaments.engine.play.games import only_totals
from tournaments.engine.rules.scoring import sums_of
from tournaments.engine.variants import RULESETS

FINE = {"type": "adjustment", "seat": 1, "points": -50, "to": "none", "reason": "revoke"}


def record(ruleset, *entries):
    seats = RULESETS[ruleset].seats
    return {
        "format": "kingscore-game/1",
        "ruleset": ruleset,
        "players": list("ABCD"[:seats]),
        "entries": list(entries),
    }


def result(ruleset, *entries):
    return write_result(read_game(record(ruleset, *entries)))


def scored(ruleset, *entries):
    whole = result(ruleset, *entries)
    return {name: whole[name] for name in ("valid", "totals", "finished", "ranks", "out", "sunk")}


def written(entries, at="2026-11-20T20:00:00+00:00"):
    return [
        {
            "revision": number + 1,
            "key": f"of-paper-{number:03}",
            "kind": "entry",
            "position": number,
            "body": body,
            "before": None,
            "author": "",
            "reason": "",
            "at": at,
        }
        for number, body in enumerate(entries)
    ]


def changed(writes, position, body, reason="misread"):
    kind = "withdrawal" if body is None else "correction"
    last = writes[-1]
    more = {"key": f"change-{len(writes)}", "kind": kind, "position": position, "body": body}
    at = f"2026-11-21T20:{len(writes):02}:00+00:00"
    return [*writes, {**last, "revision": len(writes) + 1, "reason": reason, "at": at, **more}]


def stands(writes):
    bodies = {each["position"]: each["body"] for each in writes if each["position"] is not None}
    return [body for _position, body in sorted(bodies.items()) if body is not None]


def converted(ruleset, writes):
    rules = RULESETS[ruleset]
    return as_one_entry(writes, rules, sums_of(rules).game)


@pytest.mark.parametrize("ruleset", FAMILIES)
@pytest.mark.parametrize("fines", [(0, 0), (1, 0), (0, 1), (1, 2)])
def test_rulings_beside_totals_move_them_and_their_sum_from_either_side(ruleset, fines):
    rules, before, after = RULESETS[ruleset], *fines
    totals = totals_of(rules)
    entries = [*[FINE] * before, {"type": "totals", "totals": totals}, *[FINE] * after]
    got = result(ruleset, *entries)
    points = [total - 50 * (before + after) * (side == 1) for side, total in enumerate(totals)]
    assert (got["valid"], got["finished"], got["totals"]) == (True, True, points)
    assert got["expected_sum"] == sum(points)
    assert got["ended_by"] == ("target" if rules.target else "length")


@pytest.mark.parametrize("ruleset", FAMILIES)
def test_totals_that_no_game_ends_with_are_refused_unless_it_ended_early(ruleset):
    rules = RULESETS[ruleset]
    totals = totals_of(rules)
    wrong = [totals[0] - 1, *totals[1:]] if rules.target else [totals[0] + 6900, *totals[1:]]
    code = "below-target" if rules.target else "bad-sum"

    def problems(points, **more):
        got = result(ruleset, {"type": "totals", "totals": points, **more})
        return [(each["code"], each["where"]) for each in got["problems"]]

    assert problems(wrong) == [(code, "totals")]
    assert problems(wrong, early=True) == problems(wrong, unchecked=True) == []
    assert problems(totals[:-1]) == [("wrong-seats", "totals")]
    assert problems(["x", *totals[1:]]) == [("wrong-type", "totals")]
    assert problems([totals[0], *totals[1:]], sum=0) == [("unexpected-field", "sum")]
    again = {"type": "totals", "totals": totals}
    assert result(ruleset, again, again)["problems"][0]["code"] == "game-over"


def test_totals_stand_for_the_deals_on_the_sheet():
    totals = {"type": "totals", "totals": [100, -60, -40, 0]}
    got = result("turkish-king", *WHOLE_GAME[:3], totals)
    assert (got["valid"], got["totals"], got["expected_sum"]) == (True, [100, -60, -40, 0], 0)


@pytest.mark.parametrize("ruleset", FAMILIES)
@pytest.mark.parametrize("reason", ["totals", "imported"])
@pytest.mark.parametrize("early", [False, True])
def test_old_lines_become_one_entry_with_the_same_result_and_code(ruleset, reason, early):
    rules = RULESETS[ruleset]
    totals = totals_of(rules)
    totals[0] -= 2 * early
    old = lines_of(rules, totals, reason)
    writes = [*written(old), *[each | {"at": "later"} for each in written([*old, FINE])[-1:]]]

    one = converted(ruleset, writes)

    new = stands(one.writes)
    kind, marks = new[0].pop("type"), {k: v for k, v in new[0].items() if k != "totals"}
    imported = {"imported": True} if reason == "imported" else {}
    assert (kind, new[0]["totals"]) == ("totals", totals)
    assert marks == imported | ({"early": True} if early else {})
    new = stands(converted(ruleset, writes).writes)
    assert new[1:] == [FINE]
    assert scored(ruleset, *new) == scored(ruleset, *old, FINE)
    games = [record(ruleset, *entries) for entries in (new, [*old, FINE])]
    assert len({digest_of_game(each) for each in games}) == 1
    assert len({only_totals(read_game(each).game, rated=True) for each in games}) == 1
    assert [each["revision"] for each in one.writes] == [1, 2]
    assert (one.revision_now(len(old)), one.revision_now(len(old) + 1)) == (1, 2)
    key = "of-paper" if reason == "totals" and len(old) > 0 else "of-paper-000"
    assert one.writes[0]["key"] == key


@pytest.mark.parametrize("seed", range(40))
def test_corrections_of_lines_become_versions_of_the_totals(seed):
    random, ruleset = Random(seed), "turkish-king"
    totals = [random.choice([0, 10 * random.randint(-30, 30)]) or 40 for _seat in range(3)]
    totals.append(-sum(totals))
    old = lines_of(RULESETS[ruleset], totals)
    writes = written(old)
    seats = [body["seat"] for body in old[:-1]]
    points = dict(zip(range(len(seats)), [totals[seat] for seat in seats], strict=True))
    sheets = [list(totals)]
    for number in range(random.randint(1, 4)):
        position = random.choice(list(points))
        # Now and then the sum is right again.
        right = points[position] - sum(points.values()) or 20
        points[position] = random.choice([7000, -20, 30, 10 * random.randint(1, 9), right])
        body = line(seats[position], points[position])
        writes = changed(writes, position, body, f"why {number}")
        sheet = [0, 0, 0, 0]
        for at, value in points.items():
            sheet[seats[at]] = value
        sheets.append(sheet)

    one = converted(ruleset, writes)

    versions = [(each["kind"], each["body"]["totals"], each["reason"]) for each in one.writes]
    assert versions == [
        ("correction" if number else "entry", sheet, f"why {number - 1}" if number else "")
        for number, sheet in enumerate(sheets)
    ]
    unchecked = [each["body"].get("unchecked", False) for each in one.writes]
    assert unchecked == [sum(sheet) != 0 for sheet in sheets]
    new = record(ruleset, *stands(one.writes))
    assert digest_of_game(new) == digest_of_game(record(ruleset, *stands(writes)))
    got = write_result(read_game(new))
    assert (got["totals"], got["expected_sum"]) == (sheets[-1], 0)


def test_a_line_that_was_taken_off_is_a_total_of_0():
    old = lines_of(RULESETS["turkish-king"], [100, -60, -20, -20])
    one = converted("turkish-king", changed(written(old), 3, None))
    assert [each["body"]["totals"] for each in one.writes] == [
        [100, -60, -20, -20],
        [100, -60, -20, 0],
    ]
    assert [each["kind"] for each in one.writes] == ["entry", "correction"]


OLD = lines_of(RULESETS["turkish-king"], [100, -60, -20, -20])


@pytest.mark.parametrize(
    "writes",
    [
        changed(written(OLD), 0, {**OLD[0], "points": 90, "reason": "misread"}),
        changed(written(OLD), 0, {**OLD[0], "seat": 3}),
        changed(written(OLD), 0, {**OLD[0], "to": "others"}),
        changed(written(OLD), 4, {**STOPPED, "reason": "time"}),
        changed(written(OLD), 4, None),
        written(OLD[:-1]),
        written([STOPPED]),
        written([FINE, *OLD]),
        written([FINE, STOPPED]),
        [],
    ],
)
def test_what_says_anything_else_than_totals_stays_as_it_was_written(writes):
    assert converted("turkish-king", writes) is None
