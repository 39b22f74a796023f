"""A sample game, half-way through, to try the program."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from django.db import transaction

from tournaments.engine.rules.entries import Deal, Entry
from tournaments.models import Game
from tournaments.services.games.open_tables import start_table
from tournaments.services.games.playing import GameSetup, record_entries
from tournaments.services.games.writing import WriteContext

RULESET = "turkish-king"

DEALS: Sequence[tuple[str, str, tuple[int, ...], str]] = (
    ("heart-king", "heart_king", (0, 0, 1, 0), ""),
    ("no-queens", "queens", (1, 0, 2, 1), ""),
    ("no-men", "men", (2, 1, 3, 2), ""),
    ("trump", "tricks", (2, 3, 1, 7), "spades"),
    ("no-tricks", "tricks", (2, 5, 3, 3), ""),
    ("trump", "tricks", (1, 8, 4, 0), "hearts"),
    ("no-hearts", "hearts", (0, 6, 4, 3), ""),
    ("last-two", "last_two", (1, 0, 0, 1), ""),
    ("trump", "tricks", (7, 2, 2, 2), "diamonds"),
    ("no-queens", "queens", (0, 3, 0, 1), ""),
)
"""The first ten deals of the whole game in `docs/rules.md` §1.1: contract, unit, counts, trump."""


def start_sample(players: Sequence[str], title: str, *, at: datetime, key: str) -> Game:
    """Open a table of four with ten recorded deals. Idempotent for one `key`."""
    with transaction.atomic():
        row = start_table(GameSetup(RULESET, players, title=title), at=at, key=key)
        if not row.revision:
            record_entries(row.pk, sample_entries(), WriteContext("of-sample", 0, at))
    return row


def sample_entries() -> Iterator[Entry]:
    """Yield the deals of the sample game."""
    for contract, unit, counts, trump in DEALS:
        details = {"trump": trump} if trump else {}
        yield Deal(contract, counts={unit: counts}, details=details)
