import copy
import json

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.sample_games import DRAWN
from tournaments.engine.documents.entries import write_entry
from tournaments.engine.documents.games import parse_json, play_entry, read_game, write_result
from tournaments.engine.play.games import Game
from tournaments.engine.play.outcomes import award, decide
from tournaments.engine.rules.rulesets import UNITS, Code, InvalidEntry
from tournaments.engine.variants import RULESETS

pytestmark = pytest.mark.slow

fuzz = settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])

RULESET = st.sampled_from(sorted(RULESETS))
WORDS = st.sampled_from(
    [
        *{contract.id for ruleset in RULESETS.values() for contract in ruleset.contracts},
        *("spades", "none", "misdeal", "one-each", "over-quota", "no-high-card", "four-extremes"),
        *("others", "time", ""),
    ]
)
SEAT = st.integers(-1, 4)
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | WORDS,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)
FIELDS = {
    "contract": WORDS,
    "declarer": SEAT,
    "king": SEAT,
    "king_declared_by": SEAT,
    "tricks_played": st.integers(-1, 14),
    "rifki_holder": SEAT,
    "trump": WORDS,
    "by": SEAT,
    "seat": SEAT,
    "points": st.integers(-500, 500) | st.sampled_from(["1/2", "-9/2", "0/1", "1/0"]),
    "to": WORDS,
    "reason": WORDS,
    "author": st.text(max_size=3),
    "counts": st.dictionaries(
        st.sampled_from(sorted(UNITS)),
        st.lists(st.integers(-1, 14), min_size=1, max_size=5),
        max_size=6,
    ),
    "sealed": st.just("0" * 64) | WORDS,
    "salt": st.just("0" * 32) | WORDS,
    "blind": st.booleans(),
    "sale": st.dictionaries(st.sampled_from(["buyer", "tricks", "x"]), st.integers(-1, 14)),
    "partner": SEAT,
    "offered": st.lists(WORDS, max_size=3),
    "third": st.booleans(),
    "closed_by": SEAT,
    "doubles": st.lists(
        st.fixed_dictionaries(
            {"seats": st.lists(SEAT, max_size=3)}, optional={"redoubled": st.booleans(), "by": SEAT}
        ),
        max_size=3,
    ),
    "maker": SEAT,
    "tricks": st.integers(-1, 6),
    "alone": st.booleans(),
    "defender_alone": st.none() | SEAT,
    "winner": st.none() | SEAT,
    "left": st.dictionaries(
        st.sampled_from(["reserve", "stock", "waste", "x"]),
        st.lists(st.integers(-1, 60), min_size=1, max_size=3),
    ),
    "calls": st.lists(st.integers(-1, 3), max_size=3),
}
TYPES = st.sampled_from(["deal", "void", "redeal", "adjustment", "stopped", "passed"])
LOOSE_ENTRY = st.fixed_dictionaries(
    {"type": TYPES}, optional={name: values | ANYTHING for name, values in FIELDS.items()}
)
RECORD = st.sampled_from([kept["record"] for kept in DRAWN])


def check_sums(game):
    for row in game.rows:
        assert sum(row.totals) == row.expected_sum
    assert sum(game.totals) == game.expected_sum
    outcome = decide(game)
    assert sorted(outcome.out + outcome.sunk) in ([], list(range(game.ruleset.side_count)))
    assert all(badge.entry < len(game.entries) for badge in award(game))
    json.dumps(write_result(read_game_of(game)))


def read_game_of(game):
    ruleset = game.ruleset
    names = [o.setting for o in ruleset.options if o.setting in ruleset.settings]
    return read_game(
        {
            "format": "kingscore-game/1",
            "ruleset": ruleset.id,
            "options": {name: ruleset.settings[name] for name in names},
            "players": list("ABCDEF"[: ruleset.seats]),
            "first_declarer": game.first_declarer,
            "entries": [write_entry(entry) for entry in game.entries],
        }
    )


def drive(game, entries):
    """The game after every entry that it takes; the others are refused with problems."""
    for entry in entries:
        problems = None
        try:
            game = play_entry(game, entry)
        except InvalidEntry as refusal:
            problems = refusal.problems
        assert problems is None or {type(problem.code) for problem in problems} == {Code}
    return game


@fuzz
@given(ANYTHING | st.dictionaries(st.text(max_size=10), ANYTHING))
@example({"format": "kingscore-game/1", "ruleset": [], "players": {}, "entries": None})
def test_any_document_can_be_read(document):
    reading = read_game(document)
    assert reading.problems
    json.dumps(write_result(reading))


@fuzz
@given(RULESET, st.lists(LOOSE_ENTRY | ANYTHING, max_size=12), st.booleans())
def test_any_entries_leave_a_game_whose_totals_add_up(ruleset, entries, optional):
    rules = RULESETS[ruleset]
    if optional:
        # Each option at the last value it can have.
        rules = rules.with_options({o.setting: o.values[-1] for o in rules.options if o.values})
    check_sums(drive(Game(rules), entries))


@fuzz
@given(RECORD, st.data())
def test_nearly_right_entries_leave_a_game_whose_totals_add_up(record, data):
    entries = copy.deepcopy(record["entries"])
    for entry in entries:
        if data.draw(st.integers(0, 5)) == 0:
            name = data.draw(st.sampled_from([*FIELDS, *entry]))
            entry[name] = data.draw(FIELDS.get(name, TYPES) | ANYTHING)
    check_sums(drive(read_game({**record, "entries": []}).game, entries))


@fuzz
@given(RECORD, st.data())
def test_nearly_right_record_is_read_and_has_a_result(record, data):
    place = data.draw(st.sampled_from([*record, "x"]))
    if record["entries"] and data.draw(st.booleans()):
        record = {**record, "entries": copy.deepcopy(record["entries"])}
        entry = data.draw(st.sampled_from(record["entries"]))
        entry[data.draw(st.sampled_from([*FIELDS, *entry]))] = data.draw(ANYTHING)
    else:
        record = {**record, place: data.draw(ANYTHING)}
    reading = read_game(record)
    assert json.loads(json.dumps(write_result(reading)))["valid"] == (not reading.problems)


@fuzz
@given(st.binary(max_size=30) | st.text(max_size=30))
def test_any_text_is_json_or_refused(text):
    codes = [Code.BAD_JSON]
    try:
        parse_json(text)
    except InvalidEntry as refusal:
        codes = [problem.code for problem in refusal.problems]
    assert codes == [Code.BAD_JSON]


def test_many_adjustments_of_any_size_can_be_written_down():
    primes = [p for p in range(2, 1000) if all(p % d for d in range(2, int(p**0.5) + 1))]
    parts = [f"{10**29}/{prime}" for prime in primes]
    entries = [
        {"type": "adjustment", "seat": 0, "points": points, "reason": "r", "to": "others"}
        for points in [10**99, *parts, -(10**99)]
    ]
    document = {
        "format": "kingscore-game/1",
        "ruleset": "rifki",
        "players": list("ABCD"),
        "entries": entries,
    }
    result = json.loads(json.dumps(write_result(read_game(document))))
    assert (result["valid"], result["expected_sum"]) == (True, 0)
    assert len(result["entries"]) == len(entries)
