"""Counts of one deal that agree, and counts that no cards give (docs/rules.md, Units)."""

import random
import time
from collections import Counter

import pytest

from tournaments.engine.documents.games import read_game, write_result
from tournaments.engine.rules.rulesets import UNITS

SUITS = ("spades", "hearts", "diamonds", "clubs")
RANKS = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")
UNITS_OF_CARD = {
    (suit, rank): [
        unit
        for unit, is_one in {
            "hearts": suit == "hearts",
            "men": rank in ("K", "J"),
            "kings": rank == "K",
            "jacks": rank == "J",
            "queens": rank == "Q",
            "aces": rank == "A",
            "spade_king": (suit, rank) == ("spades", "K"),
            "spade_queen": (suit, rank) == ("spades", "Q"),
            "heart_king": (suit, rank) == ("hearts", "K"),
            "heart_ace": (suit, rank) == ("hearts", "A"),
            "diamond_eight": (suit, rank) == ("diamonds", "8"),
        }.items()
        if is_one
    ]
    for suit in SUITS
    for rank in RANKS
}
FIXED = [unit.id for unit in UNITS.values() if unit.total is not None]


def problem(counts, sides=(0, 1, 2, 3), pack=None, **fields):
    """The place where the counts of a contract of all these units are refused, None if accepted."""
    contract = {"id": "salad", "kind": "penalty", "values": dict.fromkeys(counts, -1)}
    if "tricks_played" in fields:
        contract |= {"fields": ["tricks_played"], "may_end_early": True}
    ruleset = {
        "format": "kingscore-ruleset/1",
        "id": "house",
        "name": "House",
        "family": "house",
        "contracts": [contract],
        "deals": 12,
        "sides": list(sides),
        "settings": {"outcome": "highest-wins"},
    } | ({} if pack is None else {"pack": pack})
    entry = {"type": "deal", "contract": "salad", "counts": counts, **fields}
    game = {
        "format": "kingscore-game/1",
        "ruleset": ruleset,
        "players": list("ABCDEF"[: len(sides)]),
    }
    result = write_result(read_game({**game, "entries": [entry]}))
    for each in result["problems"]:
        assert each["code"] == "inconsistent-counts"
        return each["where"]
    return None


def play_out(chance, sides, pack):
    """Return the counts of every unit after a deal in which the winners are drawn.

    Beside them stands the number of the trick after which nothing of a unit was left.
    """
    out = pack.get("without", [])
    ranks, packs = pack.get("ranks", RANKS), pack.get("packs", 1)
    cards = [c for c in UNITS_OF_CARD if c[1] in ranks and f"{c[0]}-{c[1]}" not in out] * packs
    chance.shuffle(cards)
    each, tricks = max(sides) + 1, pack.get("tricks", len(cards) // len(sides))
    winners = chance.choices(range(each), weights=[chance.random() for _ in range(each)], k=tricks)
    counts = {unit: [0] * each for unit in FIXED}
    left, over = cards[len(sides) * tricks :], {}
    for number, winner in enumerate(winners):
        trick = cards[number * len(sides) : (number + 1) * len(sides)]
        trick += left if number == {"first-trick": 0}.get(pack.get("talon"), tricks - 1) else []
        for unit, count in Counter(u for card in trick for u in UNITS_OF_CARD[card]).items():
            counts[unit][winner] += count
            over[unit] = number + 1
        counts["tricks"][winner] += 1
        names = {0: ["first_trick"], 6: ["seventh_trick"], 11: ["twelfth_trick"]}.get(number, [])
        ends = {1: ["last_two", "last_trick"], 2: ["last_two", "penultimate_trick"]}
        for unit in [*names, *ends.get(tricks - number, [])]:
            counts[unit][winner] += 1
    return {unit: numbers for unit, numbers in counts.items() if any(numbers)}, over


@pytest.mark.parametrize(
    ("sides", "pack"),
    [
        ((0, 1, 2, 3), {}),
        ((0, 1, 0, 1), {}),
        ((0, 1, 2), {"without": ["clubs-2"]}),
        ((0, 1, 2, 3, 4), {"talon": "first-trick"}),
        ((0, 1, 2, 0, 1, 2), {"talon": "last-trick", "without": ["hearts-2"]}),
        ((0, 1, 0, 1, 0, 1), {"ranks": ["9", "10", "J", "Q", "K", "A"]}),
        ((0, 1, 2, 3), {"ranks": ["9", "10", "J", "Q", "K", "A"], "packs": 2}),
        ((0, 1, 2, 3, 4), {"ranks": list(RANKS[5:]), "without": ["spades-7", "clubs-7"]}),
    ],
    ids=str,
)
def test_counts_of_a_deal_that_was_played_agree_whichever_are_written(sides, pack):
    chance = random.Random(38)
    for _ in range(100):
        counts, over = play_out(chance, sides, pack)
        written = chance.sample(sorted(counts), chance.randint(1, len(counts)))
        apart = {"kings", "jacks"} if "men" in written else set()
        written = {unit: counts[unit] for unit in written if unit not in apart}
        assert problem(written, sides, pack) is None, counts
        # Without the number of tricks a deal may end as soon as all of these cards are out.
        if cards := {unit: numbers for unit, numbers in written.items() if unit in over}:
            played = max(over[unit] for unit in cards)
            assert problem(cards, sides, pack, tricks_played=played) is None, (cards, played)


def test_five_units_of_six_players_and_two_packs_are_checked_at_once():
    """Nobody waits for a reply, not to 30 deals: one of 1,021 ways to share hearts is enough."""
    units = "hearts 5 5 4 4 4 4, kings 2 2 1 1 1 1, queens 2 2 1 1 1 1, "
    units += "jacks 2 2 1 1 1 1, aces 2 2 1 1 1 1"
    began = time.process_time()
    for _ in range(30):
        assert problem(read_counts(units), range(6), {"packs": 2, "talon": "first-trick"}) is None
    assert time.process_time() - began < 1


def read_counts(text):
    """Return counts written as "hearts 10 3 0 0, queens 3 1 0 0"."""
    units = [part.split() for part in text.split(", ")]
    return {unit: [int(number) for number in numbers] for unit, *numbers in units}


@pytest.mark.parametrize(
    ("counts", "where"),
    [
        # Tricks with men and queens only: no card is both.
        ("tricks 2 11 0 0, men 7 1 0 0, queens 4 0 0 0", "counts"),
        ("tricks 2 11 0 0, men 5 3 0 0, queens 4 0 0 0", "counts"),
        ("tricks 2 11 0 0, men 5 3 0 0, queens 3 1 0 0", None),
        # Hearts with men: the king and the jack of hearts are both.
        ("tricks 3 10 0 0, hearts 10 3 0 0, men 5 3 0 0", "counts"),
        ("tricks 3 10 0 0, hearts 10 3 0 0, men 4 4 0 0", None),
        ("tricks 1 12 0 0, hearts 1 12 0 0, men 5 3 0 0", "counts.men"),
        ("tricks 1 12 0 0, hearts 1 12 0 0, men 4 4 0 0", None),
        # Hearts with queens: the queen of hearts is both, and only one side has her.
        ("tricks 3 10 0 0, hearts 10 3 0 0, queens 4 0 0 0", "counts"),
        ("tricks 3 10 0 0, hearts 10 3 0 0, queens 3 1 0 0", None),
        ("tricks 1 1 11 0, hearts 4 4 5 0, queens 1 1 2 0", "counts"),
        ("tricks 1 2 10 0, hearts 4 4 5 0, queens 1 1 2 0", None),
        # Without tricks: the owner of a card has it in all its units.
        ("hearts 13 0 0 0, queens 0 4 0 0", "counts"),
        ("hearts 13 0 0 0, queens 1 3 0 0", None),
        ("hearts 13 0 0 0, men 1 7 0 0", "counts"),
        ("hearts 13 0 0 0, men 2 6 0 0", None),
        ("hearts 13 0 0 0, heart_king 0 1 0 0", "counts.heart_king"),
        ("hearts 1 12 0 0, heart_king 1 0 0 0, heart_ace 1 0 0 0", "counts"),
        ("hearts 2 11 0 0, heart_king 1 0 0 0, heart_ace 1 0 0 0", None),
        # All four honours: 13 hearts with 3 of the 12 others fit into 16 cards, 4 do not.
        ("tricks 4 9 0 0, hearts 13 0 0 0, men 4 4 0 0, queens 2 2 0 0", None),
        ("tricks 4 9 0 0, hearts 13 0 0 0, men 5 3 0 0, queens 2 2 0 0", "counts"),
        # Three hearts are an ace or men, and of two sides without more than one each owns one.
        ("hearts 11 1 1 0, aces 0 1 1 2, men 0 4 4 0", "counts"),
        ("hearts 11 1 1 0, aces 1 1 1 1, men 0 4 4 0", None),
        # The eight of diamonds takes room, too.
        ("tricks 1 12 0 0, hearts 4 9 0 0, diamond_eight 1 0 0 0", "counts"),
        # Named tricks.
        ("tricks 13 0 0 0, last_two 1 1 0 0", "counts.last_two"),
        ("tricks 1 12 0 0, twelfth_trick 1 0 0 0, last_trick 1 0 0 0", "counts"),
        ("tricks 2 11 0 0, twelfth_trick 1 0 0 0, last_trick 1 0 0 0", None),
        ("last_two 2 0 0 0, last_trick 0 1 0 0", "counts.last_trick"),
        ("last_two 1 1 0 0, twelfth_trick 1 0 0 0, last_trick 1 0 0 0", "counts"),
        # A trick holds as many cards as there are seats.
        ("tricks 3 10, hearts 6 7", None),
        ("tricks 3 10, hearts 7 6", "counts.hearts"),
        ("tricks 3 10 0, hearts 9 4 0", None),
        ("tricks 3 10 0, hearts 10 3 0", "counts.hearts"),
        # Of two at a table one has 23 cards in 12 tricks: only one trick is left for the other.
        ("hearts 13 0, men 8 0, queens 4 0, diamond_eight 1 0, last_two 0 2", "counts"),
        ("hearts 13 0, men 8 0, queens 3 1, diamond_eight 1 0, last_two 0 2", None),
    ],
)
def test_counts_at_the_edge_of_what_cards_give(counts, where):
    numbers = read_counts(counts)
    seats = len(next(iter(numbers.values())))
    assert problem(numbers, range(seats)) == where


@pytest.mark.parametrize(
    ("counts", "fewest"),
    [
        ("hearts 13 0 0 0", 4),
        ("hearts 13 0 0 0, queens 4 0 0 0", 4),
        ("hearts 13 0 0 0, men 5 3 0 0", 5),
        ("queens 1 1 1 1", 4),
        ("hearts 4 4 5 0, queens 1 1 2 0", 5),
    ],
)
def test_deal_is_over_no_sooner_than_its_cards_are_out(counts, fewest):
    assert problem(read_counts(counts), tricks_played=fewest) is None
    assert problem(read_counts(counts), tricks_played=fewest - 1) == "tricks_played"


@pytest.mark.parametrize(
    ("reserve", "stock", "is_possible"),
    [([60, 44], [0, 0], True), ([60, 45], [0, 0], False), ([1, 1], [51, 52], False)],
)
def test_two_packs_hold_104_cards_of_both_players_together(reserve, stock, is_possible):
    left = {"reserve": reserve, "stock": stock, "waste": [0, 0]}
    entry = {"type": "deal", "winner": None, "left": left}
    game = {"format": "kingscore-game/1", "ruleset": "krapet", "options": {"scoring": "points"}}
    result = write_result(read_game({**game, "players": ["Ayşe", "Burak"], "entries": [entry]}))
    most = {"most": 104, "got": 105}
    refused = [{"entry": 0, "code": "count-too-large", "where": "left", "params": most}]
    assert result["problems"] == ([] if is_possible else refused)
