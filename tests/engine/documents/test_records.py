"""Games kept as records are replayed; the result beside each was written without the engine."""

import pytest

from tests.engine.documents.score_documents import score_document
from tests.sample_games import DRAWN, NAMES, load
from tournaments.engine.documents.entries import move_seats, write_entry
from tournaments.engine.documents.games import play_entry, read_game
from tournaments.engine.variants import RULESETS


def drawn_of(ruleset):
    return [kept for kept in DRAWN if kept["record"]["ruleset"] == ruleset]


@pytest.mark.parametrize("name", NAMES)
def test_record_gives_the_result_kept_beside_it(name):
    assert score_document(load(name)) == load(f"{name}.result")


@pytest.mark.parametrize("ruleset", RULESETS)
def test_drawn_games_give_the_results_kept_beside_them(ruleset):
    for kept in drawn_of(ruleset):
        assert score_document(kept["record"]) == kept["result"]


def test_records_cover_every_ruleset_and_every_ending():
    documents = [load(name) for name in NAMES]
    results = [load(f"{name}.result") for name in NAMES]
    endings = {(d["ruleset"], r["ended_by"]) for d, r in zip(documents, results, strict=True)}
    assert {ruleset for ruleset, _ in endings} == set(RULESETS)
    assert {ended_by for _, ended_by in endings} == {
        None, "king", "failed-king", "length", "stopped", "target",
    }  # fmt: skip


@pytest.mark.parametrize("ruleset", RULESETS)
def test_entries_survive_being_written_and_read_again(ruleset):
    kept = [load(name) for name in NAMES if load(name)["ruleset"] == ruleset]
    for record in [*kept, *(drawn["record"] for drawn in drawn_of(ruleset))]:
        game = read_game(record).game
        again = read_game({**record, "entries": []}).game
        for entry in game.entries:
            again = play_entry(again, write_entry(entry))
        assert again == game


@pytest.mark.parametrize("ruleset", RULESETS)
def test_game_moved_by_one_seat_gives_the_same_totals_one_seat_on(ruleset):
    for kept in drawn_of(ruleset):
        record, game = kept["record"], read_game(kept["record"]).game
        sides = game.ruleset.sides
        to = [*range(1, len(sides)), 0]
        moved = {
            **record,
            "first_declarer": to[record.get("first_declarer", 0)],
            "entries": [move_seats(body, to, sides) for body in record["entries"]],
        }
        totals = read_game(moved).game.totals
        assert [totals[sides[seat]] for seat in to] == [game.totals[side] for side in sides]
