"""Which card a bot lays: any legal one, one by eye, or the best in worlds it can imagine."""

import numpy as np

from benchmarks.king_bots.cards import (
    ALL,
    BEST,
    CANNOT,
    CONTRACT,
    COUNT,
    DEAR,
    DOWN,
    HAND,
    HIGHEST,
    LAID,
    LAST_TWO,
    LOWEST,
    NO_HEARTS,
    NO_TRICKS,
    QUEEN,
    SEEN,
    SOLE,
    SUITS,
    TRICKS,
    TRUMP,
    VALUES,
    compiled,
    draw,
    lay,
    legal,
    number_of,
    over,
    to_play,
)

# What a bot is, as whole numbers: mistakes and attention of 1,000 cards, worlds looked at, tricks
# looked ahead, whether it remembers who is out of what, and worlds looked at to name a contract.
SLIPS, ATTENTION, WORLDS, AHEAD, MEMORY, NAMING = range(6)
KING_PRIZE = 500
TRIES = 6


@compiled
def choose_card(deal: np.ndarray, bot: np.ndarray, rng: np.ndarray) -> int:
    """The card a bot lays when it is its turn."""
    options = legal(deal)
    if options & (options - 1) == 0:
        return top_of(options)
    if draw(rng, 1000) < bot[SLIPS]:
        return any_of(options, rng)
    if bot[WORLDS] and draw(rng, 1000) < bot[ATTENTION]:
        return best_in_worlds(deal, options, bot, rng)
    return by_eye(deal)


@compiled
def any_of(cards: int, rng: np.ndarray) -> int:
    """One of the cards by lot."""
    for _ in range(draw(rng, number_of(cards))):
        cards &= cards - 1
    return top_of(cards & -cards)


@compiled
def top_of(cards: int) -> int:
    """The card of the highest rank."""
    best, rank = -1, -1
    for suit in range(4):
        bits = cards >> (13 * suit) & 8191
        if bits and HIGHEST[bits] > rank:
            rank = HIGHEST[bits]
            best = 13 * suit + rank
    return best


@compiled
def bottom_of(cards: int) -> int:
    """The card of the lowest rank."""
    best, rank = -1, 13
    for suit in range(4):
        bits = cards >> (13 * suit) & 8191
        if bits and LOWEST[bits] < rank:
            rank = LOWEST[bits]
            best = 13 * suit + rank
    return best


@compiled
def by_eye(deal: np.ndarray) -> int:
    """The card one lays looking at this trick only."""
    options = legal(deal)
    if deal[CONTRACT] >= TRUMP:
        return strive(deal, options)
    if deal[CONTRACT] == LAST_TWO and deal[TRICKS] < 11:
        return top_of(options)
    return duck(deal, options)


@compiled
def strive(deal: np.ndarray, options: int) -> int:
    """The highest to lead; the cheapest that takes the trick; else the lowest."""
    if deal[LAID] == 0:
        return top_of(options)
    trumps = SUITS[deal[CONTRACT] - TRUMP]
    best = deal[BEST]
    taking = options & SUITS[best // 13] & ~((1 << best) - 1)
    if best // 13 != deal[CONTRACT] - TRUMP:
        taking |= options & trumps
    if taking == 0:
        return bottom_of(options)
    if deal[LAID] == 3 or taking & trumps:
        return bottom_of(taking)
    top = top_of(taking)
    return top if top % 13 >= QUEEN else bottom_of(options)


@compiled
def duck(deal: np.ndarray, options: int) -> int:
    """The lowest to lead; the highest that stays below; the highest where all is lost."""
    if deal[LAID] == 0:
        return bottom_of(options)
    led = SUITS[deal[DOWN] // 13]
    if options & led == 0:
        return top_of(options)
    below = options & ((1 << deal[BEST]) - 1)
    if deal[LAID] == 3 and deal[CONTRACT] >= NO_HEARTS and clean(deal):
        cheap = options & ~DEAR[deal[CONTRACT]]
        return top_of(cheap or options)
    if below:
        return top_of(below)
    return top_of(options) if deal[LAID] == 3 else bottom_of(options)


@compiled
def clean(deal: np.ndarray) -> bool:
    """Whether nothing that costs lies on the table."""
    if deal[CONTRACT] == LAST_TWO:
        return False
    lying = 0
    for place in range(deal[LAID]):
        lying |= 1 << deal[DOWN + place]
    return lying & DEAR[deal[CONTRACT]] == 0


@compiled
def best_in_worlds(deal: np.ndarray, options: int, bot: np.ndarray, rng: np.ndarray) -> int:
    """The card that does best where the hidden cards may lie, if all then play by eye."""
    seat = to_play(deal)
    until = min(13, deal[TRICKS] + bot[AHEAD])
    worth = np.zeros(52)
    # Where looking ahead sees no difference, the eye decides.
    worth[by_eye(deal)] = 0.5
    for _ in range(bot[WORLDS]):
        world = imagined(deal, seat, bot[MEMORY], rng)
        rest = options
        while rest:
            card = top_of(rest)
            rest ^= 1 << card
            trial = world.copy()
            lay(trial, card)
            play_on(trial, until)
            worth[card] += margin(trial, seat)
    best = -1
    for card in range(52):
        if options >> card & 1 and (best < 0 or worth[card] > worth[best]):
            best = card
    return best


@compiled
def play_on(deal: np.ndarray, until: int) -> None:
    """Play by eye until so many tricks are made."""
    while deal[TRICKS] < until and not over(deal):
        lay(deal, by_eye(deal))


@compiled
def margin(deal: np.ndarray, seat: int) -> float:
    """The points of a seat beyond the mean of the others, and what a King is worth."""
    contract = deal[CONTRACT]
    own, out = deal[COUNT + seat], 0
    for each in range(4):
        out += deal[COUNT + each]
    value = VALUES[contract] * (own - (out - own) / 3.0)
    if deal[TRICKS] == 13 and deal[SOLE] >= 0 and (contract >= TRUMP or contract == NO_TRICKS):
        # In no-tricks it makes good the 650 points, too.
        prize = KING_PRIZE - VALUES[contract] * 13 if contract == NO_TRICKS else KING_PRIZE
        value += prize if deal[SOLE] == seat else -prize / 3.0
    return value


@compiled
def imagined(deal: np.ndarray, seat: int, memory: int, rng: np.ndarray) -> np.ndarray:
    """The deal as it may be for all that a seat has seen."""
    world = deal.copy()
    hidden = ALL & ~deal[SEEN] & ~deal[HAND + seat]
    for attempt in range(TRIES + 1):
        # Seats that show out of suits can leave no room for the rest; at last they are ignored.
        heeded = memory and attempt < TRIES
        if spread(world, deal, hidden, seat * 2 + (1 if heeded else 0), rng):
            break
    return world


@compiled
def spread(
    world: np.ndarray, deal: np.ndarray, hidden: int, seat_and_heed: int, rng: np.ndarray
) -> bool:
    """Deal the hidden cards by lot to the other seats; whether there was room for all."""
    seat, heeded = seat_and_heed // 2, seat_and_heed % 2
    room = np.zeros(4, dtype=np.int64)
    barred = 0
    for other in range(4):
        if other != seat:
            room[other] = number_of(deal[HAND + other])
            world[HAND + other] = 0
            barred |= deal[CANNOT + other] * heeded
    # Cards that not all can have come first.
    for cards in (hidden & barred, hidden & ~barred):
        rest = cards
        while rest:
            bit = rest & -rest
            rest ^= bit
            other = holder(deal, bit * heeded, room, rng)
            if other < 0:
                return False
            room[other] -= 1
            world[HAND + other] |= bit
    return True


@compiled
def holder(deal: np.ndarray, bit: int, room: np.ndarray, rng: np.ndarray) -> int:
    """A seat by lot with room for a card that it may have; -1 if there is none."""
    places = 0
    for other in range(4):
        if not deal[CANNOT + other] & bit:
            places += room[other]
    if places == 0:
        return -1
    lot = draw(rng, places)
    for other in range(4):
        if not deal[CANNOT + other] & bit:
            lot -= room[other]
            if lot < 0:
                return other
    return -1
