"""Whole games between four bots, with real cards and the rules of each contract."""

import numpy as np

from benchmarks.king_bots.cards import (
    ACE,
    CONTRACT,
    COUNT,
    HAND,
    HEART_KING,
    HEARTS,
    KING,
    LAST_TWO,
    NO_QUEENS,
    NO_TRICKS,
    QUEEN,
    RIFKI,
    SOLE,
    SUITS,
    TRICKS,
    TRUMP,
    compiled,
    draw,
    lay,
    learn,
    legal,
    number_of,
    over,
    shuffled,
    to_play,
)
from benchmarks.king_bots.thinking import NAMING, choose_card, imagined, margin, play_on

MOST_DEALS = 60
"""Twenty, and no-queens again as often as all took one each."""

ROW = 6
"""A stored deal: contract, four counts, and the seat of a King (or -1)."""

TRUMP_LATER = 60
"""About what a trump deal is worth that one keeps for better cards."""


@compiled
def play_game(bots: np.ndarray, first: int, rng: np.ndarray) -> np.ndarray:
    """The deals of a game, one row each; `bots` one row for each seat."""
    rows = np.full((MOST_DEALS, ROW), -1, dtype=np.int64)
    penalties = np.full(6, 2)
    left = np.array([[3, 2], [3, 2], [3, 2], [3, 2]])
    played, number = 0, 0
    while played < 20 and number < MOST_DEALS:
        declarer = (first + played) % 4
        deal = shuffled(rng, declarer)
        allowed = what_is_left(penalties, left[declarer])
        deal[CONTRACT] = name_contract(deal, allowed, bots[declarer], rng)
        play_deal(deal, bots, rng)
        write(deal, rows[number])
        number += 1
        contract = deal[CONTRACT]
        if contract == NO_QUEENS and rows[number - 1, 1:5].max() == 1:
            continue
        played += 1
        left[declarer, 1 if contract >= TRUMP else 0] -= 1
        if contract < TRUMP:
            penalties[contract] -= 1
        if rows[number - 1, 5] >= 0:
            break
    return rows[:number]


@compiled
def what_is_left(penalties: np.ndarray, own: np.ndarray) -> int:
    """Which of the ten contracts a declarer may name, as bits."""
    allowed = 0
    for contract in range(TRUMP):
        if own[0] and penalties[contract]:
            allowed |= 1 << contract
    return allowed | (15 << TRUMP if own[1] else 0)


@compiled
def play_deal(deal: np.ndarray, bots: np.ndarray, rng: np.ndarray) -> None:
    """Play a deal to its end."""
    while not over(deal):
        card = choose_card(deal, bots[to_play(deal)], rng)
        assert legal(deal) >> card & 1
        learn(deal, card)
        lay(deal, card)


@compiled
def write(deal: np.ndarray, row: np.ndarray) -> None:
    """Keep what a table writes down. Nobody asks to play on for a King when all is out."""
    row[0] = deal[CONTRACT]
    row[1:5] = deal[COUNT : COUNT + 4]
    row[5] = deal[SOLE] if deal[TRICKS] == 13 else -1


@compiled
def name_contract(deal: np.ndarray, allowed: int, bot: np.ndarray, rng: np.ndarray) -> int:
    """The contract a bot names: any, by eye, or by worlds it can imagine."""
    best, most = -1, 0.0
    for contract in range(10):
        if not allowed >> contract & 1:
            continue
        if bot[NAMING] < 0:
            worth = float(draw(rng, 1000))
        elif bot[NAMING] == 0:
            worth = look_of(deal[HAND + to_play(deal)], contract)
        else:
            worth = promise_of(deal, contract, bot[NAMING], rng)
        if contract >= TRUMP:
            worth -= TRUMP_LATER if bot[NAMING] >= 0 else 0
        if best < 0 or worth > most:
            best, most = contract, worth
    return best


@compiled
def promise_of(deal: np.ndarray, contract: int, worlds: int, rng: np.ndarray) -> float:
    """Average points of a contract for its declarer, if all play by eye."""
    total, seat = 0.0, to_play(deal)
    for _ in range(worlds):
        world = imagined(deal, seat, 0, rng)
        world[CONTRACT] = contract
        play_on(world, 13)
        total += margin(world, seat)
    return total / worlds


@compiled
def look_of(hand: int, contract: int) -> float:
    """Estimate the points of a contract by honours and lengths; few cards, low cards."""
    ranks, honours = 0, 0.0
    for card in range(52):
        if hand >> card & 1:
            ranks += card % 13
            rank = card % 13
            honours += 1.0 if rank == ACE else 0.7 if rank == KING else 0.4 if rank == QUEEN else 0
    if contract >= TRUMP:
        length = number_of(hand & SUITS[contract - TRUMP])
        return 67.0 * (honours + 0.7 * max(0, length - 3) - 3.25)
    low = 78.0 - ranks
    if contract == NO_TRICKS:
        return 7.0 * low
    if contract == LAST_TWO:
        return 3.0 * low
    if contract == HEART_KING:
        return -120.0 if hand & RIFKI else 40.0 + 2.0 * low - 8.0 * number_of(hand & SUITS[HEARTS])
    return 4.0 * low
