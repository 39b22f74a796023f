"""TODO."""

from collections.abc import Mapping

from tournaments.models import Game
from tournaments.models.people import fold_name

Joined = Mapping[str, str]
"""The name that each folded name stands for."""


def person_called(name: str, joined: Joined) -> str:
    """Return the name under which a person is counted."""
    seen: set[str] = set()
    while (key := fold_name(name)) in joined and key not in seen:
        seen.add(key)
        name = joined[key]
    return name


def players_of(row: Game, joined: Joined) -> list[str]:
    """Return the players of a game as people; by their own names if two would be one."""
    people = [person_called(name, joined) for name in row.players]
    return people if len({*map(fold_name, people)}) == len(people) else list(row.players)
