"""A deal accepted at one look is the one that the exact checks let pass, with the same score."""

import json
from dataclasses import replace

import pytest

from tests.engine.documents.score_documents import score_document
from tests.sample_games import DRAWN
from tournaments.engine.documents import games as documents_games
from tournaments.engine.documents.entries import parse_entry, read_usual_deal
from tournaments.engine.play.games import Game
from tournaments.engine.rules.entries import Deal
from tournaments.engine.variants import RULESETS

DEAL = {"type": "deal", "contract": "no-queens", "declarer": 0, "counts": {"queens": [4, 0, 0, 0]}}
TRUMP = {
    "type": "deal",
    "contract": "trump",
    "declarer": 0,
    "counts": {"tricks": [10, 1, 1, 1]},
    "trump": "hearts",
}
CHANGES = (
    {"type": "void"},
    {"type": "deals"},
    {"type": None},
    {"contract": ["trump"]},
    {"contract": "no-such-contract"},
    {"contract": None},
    {"declarer": None},
    {"declarer": 3},
    {"declarer": False},
    {"declarer": True},
    {"counts": None},
    {"counts": [4, 0, 0, 0]},
    {"counts": {}},
    {"trump": "spades"},
    {"trump": "stars"},
    {"trump": ["spades"]},
    {"author": "Ayşe", "note": "late"},
    {"author": 1},
    {"author": "\0"},
    {"note": "x" * 1000},
    {"king": 0},
    {"king_declared_by": 1},
    {"tricks_played": 12},
    {"rifki_holder": 0},
    {"blind": True},
    {"reason": "misdeal"},
    {"details": {}},
)
"""Fields put into a deal."""

COUNTS = (
    lambda numbers: [*numbers, 0],
    lambda numbers: numbers[:-1],
    lambda numbers: [numbers[0] + 1, *numbers[1:]],
    lambda numbers: [-1, sum(numbers) + 1, *[0] * (len(numbers) - 2)],
    lambda numbers: [True, sum(numbers) - 1, *[0] * (len(numbers) - 2)],
    lambda numbers: [float(numbers[0]), *numbers[1:]],
    lambda numbers: [str(number) for number in numbers],
    lambda numbers: [1] * len(numbers),
    lambda numbers: dict(enumerate(numbers)),
    sorted,
)
"""Other counts in the place of those of a unit."""


def changed(deal):
    """The deal in many ways in which it may be wrong."""
    yield from ({**deal, **change} for change in CHANGES)
    for name in deal:
        yield {field: value for field, value in deal.items() if field != name}
    for unit, numbers in deal.get("counts", {}).items():
        for change in COUNTS:
            yield {**deal, "counts": {**deal["counts"], unit: change(numbers)}}
        yield {**deal, "counts": {**deal["counts"], "queens": [0, 4, 0, 0]}}
        yield {**deal, "counts": {**deal["counts"], "stars": [0, 0, 0, 0]}}


def in_other_orders(entries):
    """The entries in orders in which some can no longer come."""
    yield entries
    yield entries[::-1]
    yield entries[:1] + entries
    yield entries + entries[-1:]
    begun = [
        {name: value for name, value in entry.items() if name != "counts"} for entry in entries
    ]
    yield begun[:1] + entries
    for at in range(len(entries) - 1):
        yield [*entries[:at], entries[at + 1], *entries[at + 1 :]]
    # True for each 1, which Python takes for equal.
    yield json.loads(json.dumps(entries).replace(" 1,", " true,").replace("[1,", "[true,"))


def variations(record):
    entries = record["entries"]
    for others in in_other_orders(entries):
        yield {**record, "entries": others}
    for at in range(0, len(entries), 6):
        for other in changed(entries[at]):
            yield {**record, "entries": [*entries[:at], other, *entries[at + 1 :]]}


@pytest.mark.parametrize("ruleset", RULESETS)
def test_results_are_those_of_the_exact_checks(ruleset, monkeypatch):
    drawn = [kept["record"] for kept in DRAWN if kept["record"]["ruleset"] == ruleset]
    documents = [document for record in drawn[:4] for document in variations(record)]
    results = [score_document(document) for document in documents]
    games = [documents_games.read_game(document).game for document in documents]
    monkeypatch.setattr(documents_games, "read_usual_deal", lambda _game, _raw: None)
    assert results == [score_document(document) for document in documents]
    assert games == [documents_games.read_game(document).game for document in documents]


@pytest.mark.parametrize(
    "deal", [DEAL, TRUMP, {**DEAL, "author": "Ayşe"}, {**TRUMP, "note": "late"}]
)
def test_usual_deal_is_accepted_at_one_look(deal):
    usual = read_usual_deal(Game(RULESETS["turkish-king"]), deal)
    assert usual == (RULESETS["turkish-king"].by_id[deal["contract"]], parse_entry(deal))


@pytest.mark.parametrize(
    "changes",
    [
        {"named": False},
        {"declared": False},
        {"scoring": "domino"},
        {"values": {"tricks": 50, "hearts": -30}},
        {"values": {"cards_left": -1}},
        {"fields": ("closed_by",)},
    ],
)
def test_deal_of_a_contract_that_needs_more_is_left_to_the_exact_checks(changes):
    rules = RULESETS["turkish-king"]
    contract = replace(rules.by_id["trump"], **changes)
    assert read_usual_deal(Game(replace(rules, contracts=(contract,))), TRUMP) is None


def test_deal_where_contracts_are_offered_is_left_to_the_exact_checks():
    rules = replace(RULESETS["turkish-king"], fields=("offered", "third"))
    assert read_usual_deal(Game(rules), TRUMP) is None


def test_deal_after_an_open_one_is_left_to_the_exact_checks():
    game = Game(RULESETS["turkish-king"], open_deal=Deal("trump", 0))
    assert read_usual_deal(game, TRUMP) is None


def test_one_queen_each_is_left_to_the_exact_checks():
    deal = {**DEAL, "counts": {"queens": [1, 1, 1, 1]}}
    assert read_usual_deal(Game(RULESETS["turkish-king"]), deal) is None


def test_names_of_no_contract_are_not_kept():
    rules = RULESETS["turkish-king"].with_options({"king": "off"})
    for name in ("stars", "moons", "trump"):
        read_usual_deal(Game(rules), {**TRUMP, "contract": name})
    assert list(rules.usual_contracts) == ["trump"]
