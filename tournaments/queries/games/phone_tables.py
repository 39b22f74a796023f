"""The games whose addresses a phone holds."""

import re
from collections.abc import Iterable

from django.db.models import F, QuerySet

from tournaments.models import Game, User, fields

MOST_ADDRESSES = 300
"""The number of addresses that a phone may ask for at once."""

ADDRESS = re.compile(r"/(follow|play)/([0-9a-z]{1,16})/([0-9A-Za-z_-]{1,64})/")
KINDS = {"follow": "follow", "play": "write"}

Held = tuple[Game, str]
"""A game, and the kind of the address that a phone holds of it."""


def held_games(paths: Iterable[str]) -> list[Held]:
    """Return the games at these paths, the latest first (1 query); without those not valid."""
    asked: dict[tuple[str, str], str] = {}
    for path in list(paths)[:MOST_ADDRESSES]:
        if found := ADDRESS.fullmatch(path):
            asked[found[2], KINDS[found[1]]] = found[3]
    rows = _games().in_bulk({public_id for public_id, _ in asked}, field_name="public_id")
    held = [
        (rows[public_id], kind)
        for (public_id, kind), secret in asked.items()
        if public_id in rows and _opens(rows[public_id], kind, secret)
    ]
    return sorted(held, key=lambda each: (each[0].played_at, each[0].pk), reverse=True)


def saved_games(user: User) -> QuerySet[Game]:
    """Return the games that an account keeps, the latest first (1 query)."""
    mine = {"saved_by__user": user, "saved_by__generation": F("follow_generation")}
    return _games().filter(**mine).order_by("-played_at", "-pk")[:MOST_ADDRESSES]


def _opens(row: Game, kind: str, secret: str) -> bool:
    return fields.matches(secret, kind, row.public_id, row.generation(kind))


def _games() -> QuerySet[Game]:
    return Game.objects.select_related("open_table")
