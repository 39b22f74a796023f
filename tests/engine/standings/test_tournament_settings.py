import json
from dataclasses import fields
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tournaments.engine.rules.rulesets import InvalidEntry
from tournaments.engine.standings.tournament_settings import (
    PRESETS,
    SETTINGS,
    TournamentSettings,
    read_settings,
    write_settings,
)


def problems_of(document):
    with pytest.raises(InvalidEntry) as refused:
        read_settings(document)
    return [(problem.code.value, problem.where) for problem in refused.value.problems]


def test_nothing_said_is_the_default():
    assert read_settings({}) == TournamentSettings()


def test_every_field_has_its_shape():
    assert list(SETTINGS.schema["properties"]) == [f.name for f in fields(TournamentSettings)]


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_is_read_as_it_was_written(name):
    written = json.loads(json.dumps(write_settings(PRESETS[name])))

    assert read_settings(written) == PRESETS[name]


def test_everything_chosen_is_written_the_same_way():
    document = {
        "rounds": 30,
        "seating": "round-robin",
        "objective": "near-scores",
        "leaders_last": True,
        "separate_clubs": True,
        "score_before_seats": True,
        "points": "places",
        "place_points": [3, "3/2", 0, -1],
        "rated_by": "points",
        "tie_breaks": ["lot"],
        "odd": "house",
        "bye": "-5/2",
        "missed": "3/2",
        "finals": 16,
        "carry": False,
        "minutes": 45,
        "overtime": "last-deal-void",
        "check_in": "round",
        "hide_last": True,
        "confirm_deals": True,
        "correct_minutes": 15,
        "capacity": 40,
        "registration_closes_hours": 36,
        "fee": "12.50",
        "prizes": ["300", "200"],
        "sections": 3,
        "line_up": 0,
        "open_registration": True,
        "tie_break_version": 2,
    }

    settings = read_settings(document)

    assert list(write_settings(settings).items()) == list(document.items())
    assert settings.place_points == (3, Fraction(3, 2), 0, -1)
    assert settings.bye == Fraction(-5, 2)


@pytest.mark.parametrize(
    ("field", "value", "code", "where"),
    [
        ("rounds", 0, "unknown-option", "rounds"),
        ("rounds", 31, "unknown-option", "rounds"),
        ("rounds", True, "wrong-type", "rounds"),
        ("rounds", None, "wrong-type", "rounds"),
        ("seating", "dutch", "unknown-option", "seating"),
        ("seating", ["swiss"], "wrong-type", "seating"),
        ("separate_clubs", 1, "wrong-type", "separate_clubs"),
        ("points", "", "unknown-option", "points"),
        ("place_points", "4-2-1-0", "wrong-type", "place_points"),
        ("place_points", [4], "unknown-option", "place_points"),
        ("place_points", [4, 3, 2, 1, 0], "unknown-option", "place_points"),
        ("place_points", [0, 1, 2, 4], "unknown-option", "place_points"),
        ("place_points", [4, 2.5, 1, 0], "wrong-type", "place_points[1]"),
        ("place_points", [10_001, 0], "unknown-option", "place_points[0]"),
        ("tie_breaks", "lot", "wrong-type", "tie_breaks"),
        ("tie_breaks", ["wins", "wins"], "unknown-option", "tie_breaks[1]"),
        ("tie_breaks", ["wins", {}], "wrong-type", "tie_breaks[1]"),
        ("tie_breaks", ["coin"], "unknown-option", "tie_breaks[0]"),
        ("odd", "ghost", "unknown-option", "odd"),
        ("bye", "none", "wrong-type", "bye"),
        ("bye", 1.5, "wrong-type", "bye"),
        ("bye", "1/0", "wrong-type", "bye"),
        ("bye", -10_001, "unknown-option", "bye"),
        ("finals", 12, "unknown-option", "finals"),
        ("finals", False, "wrong-type", "finals"),
        ("carry", "yes", "wrong-type", "carry"),
        ("minutes", 0, "unknown-option", "minutes"),
        ("minutes", 601, "unknown-option", "minutes"),
        ("overtime", "stop", "unknown-option", "overtime"),
        ("check_in", "twice", "unknown-option", "check_in"),
        ("hide_last", None, "wrong-type", "hide_last"),
        ("correct_minutes", 0, "unknown-option", "correct_minutes"),
        ("correct_minutes", None, "wrong-type", "correct_minutes"),
        ("line_up", 17, "unknown-option", "line_up"),
        ("line_up", None, "wrong-type", "line_up"),
        ("prize", 100, "unexpected-field", "prize"),
    ],
)
def test_what_cannot_be_is_refused_where_it_stands(field, value, code, where):
    assert problems_of({field: value}) == [(code, where)]


def test_all_that_is_wrong_is_said_at_once():
    assert problems_of({"rounds": 0, "finals": 3, "tie_breaks": ["coin", 7]}) == [
        ("unknown-option", "rounds"),
        ("unknown-option", "finals"),
        ("unknown-option", "tie_breaks[0]"),
        ("wrong-type", "tie_breaks[1]"),
    ]


def test_line_ups_need_rounds_drawn_one_at_a_time():
    assert read_settings({"line_up": 4, "seating": "manual", "finals": 4}).line_up == 4
    assert problems_of({"line_up": 4, "seating": "fixed"}) == [("unknown-option", "line_up")]


@pytest.mark.parametrize("document", [None, [], "swiss", 3])
def test_settings_are_an_object(document):
    assert problems_of(document) == [("wrong-type", "")]


VALUES = st.sampled_from(
    [None, True, 0, 1, 4, 10**9, 0.5, "", "average", "3/2", "swiss", [], [4, 0], ["lot"], [[]], {}]
)


@given(st.dictionaries(st.sampled_from([*SETTINGS.schema["properties"], "other"]), VALUES))
def test_what_is_refused_is_all_that_is_wrong(document):
    refused = set()
    try:
        read_settings(document)
    except InvalidEntry as invalid:
        refused = {problem.where.partition("[")[0] for problem in invalid.problems}
    kept = {name: value for name, value in document.items() if name not in refused}

    settings = read_settings(kept)

    written = write_settings(settings)
    assert {name: written[name] for name in kept} == kept
    assert read_settings(written) == settings
