"""Whether every game of a document comes to its end, beside playing all of its games."""

import random
import time
from dataclasses import replace

import pytest

from tournaments.engine.documents.ruleset_records import read_ruleset, write_ruleset
from tournaments.engine.rules.rulesets import InvalidEntry
from tournaments.engine.variants import RULESETS


def draw(chance):
    """A small document with limits of every kind, in which about every second game is safe."""
    kinds, number = ["a", "b"][: chance.randint(1, 2)], chance.randint(1, 4)
    contracts = [
        {
            "id": f"c{n}",
            "kind": chance.choice(kinds),
            "values": {"tricks": 1},
            "quota": chance.choice([None, 1, 2, 3]),
            "quota_each": chance.choice([None, 1, 2]),
        }
        for n in range(number)
    ]
    ids, parts = [c["id"] for c in contracts], [chance.randint(1, 3) for _ in range(3)]
    stages = [
        {"deals": deals, "contracts": sorted(chance.sample(ids, chance.randint(1, number)))}
        for deals in parts[: chance.choice([0, 1, 2, 3])]
    ]
    played = {c["kind"] for c in contracts}
    return {
        "format": "kingscore-ruleset/1",
        "id": "drawn",
        "family": "drawn",
        "contracts": contracts,
        "quotas": {k: chance.randint(1, 3) for k in kinds if k in played and chance.random() < 0.5},
        "deals": sum(stage["deals"] for stage in stages) or chance.randint(1, 6),
        "sides": chance.choice([[0, 1], [0, 1, 2], [0, 1, 0, 1]]),
        "stages": stages,
        "in_a_row": chance.choice([1, 1, 2]),
        "settings": {"outcome": "highest-wins"},
    }


def gets_stuck(rules, first, played=()):
    """Whether some game of a document finds no contract; `played` are sides and contracts."""
    if len(played) == rules["deals"]:
        return False
    seats = rules["sides"]
    side = seats[(first + len(played) // rules["in_a_row"]) % len(seats)]
    plan = [stage["contracts"] for stage in rules["stages"] for _ in range(stage["deals"])]
    kinds = {c["id"]: c["kind"] for c in rules["contracts"]}
    own = [name for by, name in played if by == side]
    left = [
        c["id"]
        for c in rules["contracts"]
        if (not plan or c["id"] in plan[len(played)])
        and [name for _, name in played].count(c["id"]) != c["quota"]
        and own.count(c["id"]) != c["quota_each"]
        and [kinds[name] for name in own].count(c["kind"]) != rules["quotas"].get(c["kind"])
    ]
    return not left or any(gets_stuck(rules, first, (*played, (side, name))) for name in left)


def is_refused(rules):
    try:
        read_ruleset(rules)
    except InvalidEntry as error:
        whys = {problem.params["why"] for problem in error.problems}
    else:
        return False
    assert whys == {"runs-out"}
    return True


def test_documents_are_refused_exactly_if_some_game_gets_stuck():
    chance = random.Random(44)
    drawn = [draw(chance) for _ in range(250)]
    stuck = [
        any(gets_stuck(rules, first) for first in range(len(rules["sides"]))) for rules in drawn
    ]
    assert [is_refused(rules) for rules in drawn] == stuck
    assert 50 < sum(stuck) < 200


STUCK = {
    "contracts": [
        {"id": "c0", "kind": "trump", "values": {"tricks": 1}, "quota_each": 1},
        {"id": "c1", "kind": "other", "values": {"tricks": 1}},
    ],
    "sides": [0, 1],
    "deals": 3,
}


@pytest.mark.parametrize(
    ("changes", "refused"),
    [
        ({"stages": [{"deals": 2, "contracts": ["c0"]}, {"deals": 1, "contracts": ["c0"]}]}, True),
        ({"stages": [{"deals": 2, "contracts": ["c0"]}, {"deals": 1, "contracts": ["c1"]}]}, False),
        ({"quotas": {"trump": 3}}, False),
    ],
)
def test_document_that_was_judged_wrongly_before(changes, refused):
    head = {"format": "kingscore-ruleset/1", "id": "x", "family": "x"}
    assert (
        is_refused({**head, **STUCK, "settings": {"outcome": "highest-wins"}, **changes}) is refused
    )


@pytest.mark.parametrize(("first", "refused"), [(4, False), (12, False), (13, True)])
def test_so_many_first_penalties_leave_everybody_a_contract(first, refused):
    rules = RULESETS["turkish-king-bloody"]
    settings = {**rules.settings, "penalties_first": first}
    options = tuple(o for o in rules.options if o.setting == "order")
    rules = replace(rules, options=options, implied={})
    assert is_refused({**write_ruleset(rules), "settings": settings}) is refused


def test_many_contracts_are_judged_within_a_second():
    contracts = [
        {"id": f"c{n}", "kind": f"k{n % 10}", "values": {"tricks": 1}, "quota": 6, "quota_each": 2}
        for n in range(20)
    ]
    rules = {**STUCK, "contracts": contracts, "deals": 100, "sides": [0, 1, 2, 3]}
    rules |= {"quotas": {f"k{n}": 3 for n in range(10)}, "settings": {"outcome": "highest-wins"}}
    began = time.process_time()
    assert is_refused({"format": "kingscore-ruleset/1", "id": "x", "family": "x", **rules})
    # Of one processor; it took 3.7 s when only states were counted, and takes 0.6.
    assert time.process_time() - began < 2
