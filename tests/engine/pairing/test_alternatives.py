from dataclasses import replace

import pytest

from tests.engine.pairing.evenings import Evening
from tournaments.engine.documents.pairings import read_pairing, seat_document
from tournaments.engine.pairing.methods import draw_alternatives, draw_round


def before_round(number, players=19, seed=3, size=4):
    """Return the pairing document of one round of a five-round tournament scored by places."""
    evening = Evening(players, 5, seed, size)
    while len(evening.rounds) < number - 1:
        evening.draw()
    return evening.document()


def offered(document, **more):
    field = read_pairing(document)
    return draw_alternatives(
        [field], lambda weights: draw_round(replace(field, weights=weights)), **more
    )


def figures(found):
    return [(each.repeats, each.spread) for each in found]


@pytest.mark.parametrize(
    "players", [19, *(pytest.param(number, marks=pytest.mark.slow) for number in (18, 22))]
)
def test_a_round_that_would_be_as_by_lot_is_seated_nearer_unless_repeats_are_forbidden(players):
    document = before_round(4, players)

    scale, found = offered(document)
    _scale, strict = offered(document, forbids_repeats=True)

    assert not scale.is_as_by_lot(found[0].spread)
    assert scale.is_as_by_lot(strict[0].spread)
    assert strict[0].seating == draw_round(read_pairing(document))
    assert sorted(figures(found)) == sorted(figures(strict))
    # Each has more repeats than the one before, and is nearer for it.
    assert 2 <= len(found) <= 3
    by_repeats = sorted(figures(found))
    assert [spread for _, spread in by_repeats] == sorted(
        (spread for _, spread in by_repeats), reverse=True
    )
    assert len({repeats for repeats, _ in by_repeats}) == len(found)


def test_the_alternative_that_the_weights_ask_for_stands_first():
    document = before_round(4) | {"weights": {"repeat": 20, "last_repeat": 20}}

    _scale, found = offered(document)

    assert found[0].seating == draw_round(read_pairing(document))
    assert found[0].repeats > found[1].repeats


@pytest.mark.parametrize("number", [1, 2])
def test_where_nobody_has_to_meet_again_to_sit_near_there_is_one_seating(number):
    (only,) = seat_document(before_round(number, 40) | {"alternatives": 3})["alternatives"]

    assert only["quality"]["repeat_meetings"] == 0


@pytest.mark.parametrize("size", [4, 2])
def test_a_document_asks_for_alternatives_and_gets_the_first_as_its_seating(size):
    document = before_round(4, 12, size=size) | {"alternatives": 3}

    seating = seat_document(document)

    first, *others = seating["alternatives"]
    assert [first[name] for name in ("tables", "byes", "quality")] == [
        seating[name] for name in ("tables", "byes", "quality")
    ]
    for each in (first, *others):
        alone = seat_document(document | {"weights": each["weights"], "alternatives": 0})
        assert (alone["tables"], alone["byes"]) == (each["tables"], each["byes"])
    assert seating["spread_nearest"] <= min(
        each["quality"]["score_spread"] for each in (first, *others)
    )
    assert seat_document(document | {"alternatives": 1})["alternatives"] == [first]
    assert "alternatives" not in seat_document(document | {"alternatives": 0})
