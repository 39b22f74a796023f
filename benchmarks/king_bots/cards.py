"""A deal of Turkish King as 29 whole numbers: what may be laid, and what it does.

The same code runs compiled (numba, group `experiments`) and, a few hundred times slower, as plain
Python: it uses nothing but whole numbers below 2**63 and gives the same games.
"""

from collections.abc import Callable
from typing import TypeVar

import numpy as np

Function = TypeVar("Function")

try:
    from numba import njit
except ImportError:

    def njit(**_options: bool) -> Callable[[Function], Function]:
        """Leave a function as it is."""
        return lambda function: function


compiled = njit(cache=True)

# A card is suit * 13 + rank, the rank from 0 (a two) to 12 (an ace); a hand is a set of bits.
SPADES, HEARTS, DIAMONDS, CLUBS = range(4)
JACK, QUEEN, KING, ACE = 9, 10, 11, 12
NO_TRICKS, NO_HEARTS, NO_MEN, NO_QUEENS, HEART_KING, LAST_TWO, TRUMP = range(7)
"""The contracts; TRUMP + suit names the trump."""

UNITS = (13, 13, 8, 4, 1, 2, 13, 13, 13, 13)
VALUES = (-50, -30, -60, -100, -320, -180, 50, 50, 50, 50)

ALL = (1 << 52) - 1
SUITS = tuple(8191 << (13 * suit) for suit in range(4))
MEN = sum((1 << JACK | 1 << KING) << (13 * suit) for suit in range(4))
QUEENS = sum(1 << QUEEN << (13 * suit) for suit in range(4))
RIFKI = 1 << (13 * HEARTS + KING)
DEAR = (0, SUITS[HEARTS], MEN, QUEENS, RIFKI, 0, 0, 0, 0, 0)
"""The cards a contract pays for."""

HIGHEST = np.array([max(0, bits.bit_length() - 1) for bits in range(8192)])
LOWEST = np.array([max(0, (bits & -bits).bit_length() - 1) for bits in range(8192)])
NUMBER = np.array([bits.bit_count() for bits in range(8192)])

# Where each thing lies; the first four of them once for each seat (or card of the trick).
HAND, CANNOT, COUNT, DOWN = 0, 4, 8, 12
LEADER, LAID, BROKEN, TRICKS, OUT, CONTRACT, BEST, TAKER, SEEN, SOLE = range(16, 26)
SIZE = 26


@compiled
def draw(rng: np.ndarray, number: int) -> int:
    """A whole number below `number` (L'Ecuyer 1988), from two numbers of state."""
    rng[0] = rng[0] * 40014 % 2147483563
    rng[1] = rng[1] * 40692 % 2147483399
    return (rng[0] - rng[1]) % 2147483562 % number


@compiled
def number_of(cards: int) -> int:
    """How many cards these are."""
    return (
        NUMBER[cards & 8191]
        + NUMBER[cards >> 13 & 8191]
        + NUMBER[cards >> 26 & 8191]
        + NUMBER[cards >> 39 & 8191]
    )


@compiled
def to_play(deal: np.ndarray) -> int:
    """The seat whose turn it is."""
    return (deal[LEADER] + deal[LAID]) % 4


@compiled
def over(deal: np.ndarray) -> bool:
    """Whether all is played that counts."""
    contract = deal[CONTRACT]
    if NO_HEARTS <= contract <= HEART_KING:
        return deal[OUT] == UNITS[contract] or deal[TRICKS] == 13
    return deal[TRICKS] == 13


@compiled
def legal(deal: np.ndarray) -> int:
    """The cards that may be laid now."""
    hand = deal[HAND + to_play(deal)]
    if deal[LAID] == 0:
        return leads(hand, deal[CONTRACT], deal[BROKEN])
    own = hand & SUITS[deal[DOWN] // 13]
    if own == 0:
        return discards(hand, deal[CONTRACT], deal[BEST])
    return follows(own, deal[CONTRACT], deal[BEST])


@compiled
def leads(hand: int, contract: int, broken: int) -> int:
    """Hearts, where they cost, and trumps are not led before one has fallen.

    But ace, king and queen of trumps together may be drawn; and who has nothing else leads it.
    """
    if broken:
        return hand
    if contract in (NO_HEARTS, HEART_KING):
        others = hand & ~SUITS[HEARTS]
    elif contract >= TRUMP:
        top = (1 << ACE | 1 << KING | 1 << QUEEN) << (13 * (contract - TRUMP))
        others = hand & ~SUITS[contract - TRUMP]
        if hand & top == top:
            others |= top
    else:
        others = hand
    return others or hand


@compiled
def follows(own: int, contract: int, best: int) -> int:
    """In suit: trumps must rise, and a man or queen must go under a higher card."""
    under = (1 << best) - 1
    must = own
    if contract >= TRUMP:
        if best // 13 == contract - TRUMP:
            must = own & ~under & SUITS[contract - TRUMP]
    elif contract == NO_MEN:
        must = own & MEN & under
    elif contract == NO_QUEENS:
        must = own & QUEENS & under
    # A side suit that was trumped: whatever follows suit.
    return must or own


@compiled
def discards(hand: int, contract: int, best: int) -> int:
    """Out of suit: trumps, higher than one that lies, and cards that cost must go."""
    must = hand & DEAR[contract]
    if contract >= TRUMP:
        must = hand & SUITS[contract - TRUMP]
        higher = must & ~((1 << best) - 1)
        if best // 13 == contract - TRUMP and higher:
            must = higher
    elif contract == HEART_KING and not must:
        must = hand & SUITS[HEARTS]
    return must or hand


@compiled
def learn(deal: np.ndarray, card: int) -> None:
    """Note the suit that a seat has shown to be out of."""
    led = deal[DOWN] // 13
    if deal[LAID] == 0 or card // 13 == led:
        return
    contract = deal[CONTRACT]
    gone = SUITS[led]
    forced = SUITS[contract - TRUMP] if contract >= TRUMP else DEAR[contract]
    if not forced >> card & 1:
        gone |= forced
        if contract == HEART_KING and card // 13 != HEARTS:
            gone |= SUITS[HEARTS]
    deal[CANNOT + to_play(deal)] |= gone


@compiled
def beats(card: int, best: int, contract: int) -> bool:
    """Whether a card takes the trick from the best so far."""
    if card // 13 == best // 13:
        return card > best
    return card // 13 == contract - TRUMP


@compiled
def lay(deal: np.ndarray, card: int) -> None:
    """Lay a card; the fourth ends the trick."""
    seat = to_play(deal)
    contract = deal[CONTRACT]
    deal[HAND + seat] ^= 1 << card
    deal[SEEN] |= 1 << card
    if card // 13 == (contract - TRUMP if contract >= TRUMP else HEARTS):
        deal[BROKEN] = 1
    if deal[LAID] == 0 or beats(card, deal[BEST], contract):
        deal[BEST] = card
        deal[TAKER] = seat
    deal[DOWN + deal[LAID]] = card
    deal[LAID] += 1
    if deal[LAID] == 4:
        take(deal)


@compiled
def take(deal: np.ndarray) -> None:
    """Give the trick to its taker, who leads the next one."""
    contract, taker = deal[CONTRACT], deal[TAKER]
    units = 1
    if NO_HEARTS <= contract <= HEART_KING:
        units = 0
        for place in range(4):
            units += DEAR[contract] >> deal[DOWN + place] & 1
    elif contract == LAST_TWO:
        units = 1 if deal[TRICKS] >= 11 else 0
    deal[COUNT + taker] += units
    deal[OUT] += units
    if deal[TRICKS] == 0:
        deal[SOLE] = taker
    elif deal[SOLE] != taker:
        deal[SOLE] = -1
    deal[TRICKS] += 1
    deal[LEADER] = taker
    deal[LAID] = 0


@compiled
def shuffled(rng: np.ndarray, leader: int) -> np.ndarray:
    """A new deal of 13 cards each, its contract not yet named."""
    deal = np.zeros(SIZE, dtype=np.int64)
    cards = np.arange(52)
    for place in range(51, 0, -1):
        other = draw(rng, place + 1)
        cards[place], cards[other] = cards[other], cards[place]
    for place in range(52):
        deal[HAND + place % 4] |= 1 << cards[place]
    deal[LEADER] = leader
    return deal
