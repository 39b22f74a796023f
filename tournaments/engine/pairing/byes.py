"""Choose byes, and keep fixed groups at one table."""

from collections.abc import Sequence
from random import Random

from tournaments.engine.pairing.field import PairingField


class ImpossibleFixed(Exception):
    """The groups that must share a table do not fit the tables."""


def choose_byes(field: PairingField, random: Random) -> list[int]:
    """Return the byes: those whose turn it is, as in `bye_turn`; equals are drawn at random.

    Raises:
        ImpossibleFixed: if too many entrants are in fixed groups, which never get a bye.
    """
    fixed = {field.index[name] for group in field.fixed for name in group}
    free = [place for place in range(len(field.entrants)) if place not in fixed]
    wanted = len(field.entrants) % field.table_size
    if wanted > len(free):
        raise ImpossibleFixed
    random.shuffle(free)
    free.sort(key=field.bye_turn)
    return sorted(free[:wanted])


def join_groups(field: PairingField) -> list[list[int]]:
    """Return the fixed groups; groups that share an entrant are merged.

    Raises:
        ImpossibleFixed: if a group is larger than a table.
    """
    groups: list[set[int]] = []
    for names in field.fixed:
        joined = {field.index[name] for name in names}
        apart = [group for group in groups if not group & joined]
        joined.update(*(group for group in groups if group & joined))
        groups = [*apart, joined]
    if any(len(group) > field.table_size for group in groups):
        raise ImpossibleFixed
    return sorted((sorted(group) for group in groups), key=lambda group: (-len(group), group))


def seat_groups(groups: Sequence[Sequence[int]], count: int, size: int) -> list[list[int]]:
    """Return the first of `count` tables of a size, each with the groups that share it.

    Raises:
        ImpossibleFixed: if the groups need more tables.
    """
    tables: list[list[int]] = []
    for group in groups:
        if len(tables) < count:
            tables.append(list(group))
            continue
        table = next((table for table in tables if len(table) + len(group) <= size), None)
        if table is None:
            raise ImpossibleFixed
        table.extend(group)
    return tables
