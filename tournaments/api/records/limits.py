"""How large a record may be that is computed while somebody waits."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext_lazy as _

from tournaments.api.problems import Refused, fault, invalid

MOST_ENTRIES = 1_000
"""A whole game has some sixty. Each is held against all before it."""

MOST_ENTRANTS = {2: 500, 4: 1_000}
"""By the size of the tables: so many take some seconds, twice as many at two four times that."""

MOST_ROUNDS = 100
MOST_GROUPS = 500
"""Pairs to be kept apart; groups to be seated together."""

TOO_LONG = _("This is too long to be computed here.")


def check_game(document: Any) -> None:
    """Refuse a game that would take long.

    Raises:
        Refused: 422, at the list that is too long.
    """
    _check(document, {"entries": MOST_ENTRIES})


def check_pairing(document: Any) -> None:
    """Refuse a field that would take long.

    Raises:
        Refused: 422, at each list that is too long.
    """
    size = document.get("table_size", 4) if isinstance(document, dict) else 4
    # Another size is a fault, which the engine finds at once.
    entrants = MOST_ENTRANTS[2 if size == 2 else 4]
    groups = {"avoid": MOST_GROUPS, "fixed": MOST_GROUPS}
    _check(document, {"entrants": entrants, "rounds": MOST_ROUNDS, **groups})


def _check(document: Any, most: Mapping[str, int]) -> None:
    lists = document if isinstance(document, dict) else {}
    long = [
        fault("too-long", name, TOO_LONG, {"most": limit, "got": len(lists[name])})
        for name, limit in most.items()
        if isinstance(lists.get(name), list) and len(lists[name]) > limit
    ]
    if long:
        raise Refused(invalid(long))
