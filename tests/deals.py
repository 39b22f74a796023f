"""The game most tests and benchmarks play, as plain data."""

KINGS = ("turkish-king", "turkish-king-internet", "turkish-king-bloody", "rifki")
"""The rulesets whose deals are those below."""

NAMES = ("Ayşe", "Burak", "Cem", "Deniz")


def deal(contract, *counts, **fields):
    """A deal of a contract with one unit, as it stands in a record."""
    unit, _units = UNITS[contract]
    return {"type": "deal", "contract": contract, **fields, "counts": {unit: list(counts)}}


UNITS = {
    "no-tricks": ("tricks", 13),
    "no-hearts": ("hearts", 13),
    "no-men": ("men", 8),
    "no-queens": ("queens", 4),
    "heart-king": ("heart_king", 1),
    "last-two": ("last_two", 2),
    "trump": ("tricks", 13),
}

# The whole game of docs/rules.md §1.1: it ends 540/−110/−330/−100.
WHOLE_GAME = (
    deal("heart-king", 0, 0, 1, 0),
    deal("no-queens", 1, 0, 2, 1),
    deal("no-men", 2, 1, 3, 2),
    deal("trump", 2, 3, 1, 7, trump="spades"),
    deal("no-tricks", 2, 5, 3, 3),
    deal("trump", 1, 8, 4, 0, trump="hearts"),
    deal("no-hearts", 0, 6, 4, 3),
    deal("last-two", 1, 0, 0, 1),
    deal("trump", 7, 2, 2, 2, trump="diamonds"),
    deal("no-queens", 0, 3, 0, 1),
    deal("trump", 3, 3, 6, 1, trump="clubs"),
    deal("heart-king", 0, 1, 0, 0),
    deal("no-men", 1, 4, 0, 3),
    deal("no-tricks", 4, 2, 6, 1),
    deal("last-two", 0, 0, 2, 0),
    deal("no-hearts", 0, 2, 5, 6),
    deal("trump", 6, 4, 1, 2),
    deal("trump", 2, 7, 3, 1),
    deal("trump", 3, 1, 8, 1),
    deal("trump", 2, 0, 4, 7),
)
