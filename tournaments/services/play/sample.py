"""A sample game, half-way through, to try the program on."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction

from tournaments.models import Game
from tournaments.services.play.playing import Head, record_entries, start_game
from tournaments.services.play.writing import Pen

RULESET = "turkish-king"

DEALS: Sequence[tuple[str, str, Sequence[int], str]] = (
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
    """Open a table of four at which ten deals are written; twice with one `key`, it is one."""
    with transaction.atomic():
        row = start_game(Head(RULESET, players, title=title), at=at, key=key)
        if not row.revision:
            record_entries(row.pk, list(_entries()), Pen("of-sample", 0, at))
    return row


def _entries() -> Iterator[dict[str, Any]]:
    for contract, unit, counts, trump in DEALS:
        named = {"trump": trump} if trump else {}
        yield {"type": "deal", "contract": contract, **named, "counts": {unit: list(counts)}}
