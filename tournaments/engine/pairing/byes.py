"""Who sits out, and who shares a table whatever else there is."""

from collections.abc import Sequence
from random import Random

from tournaments.engine.pairing.field import Field


class ImpossibleFixed(Exception):
    """The groups that are to share a table do not fit the tables there are."""


def choose_byes(field: Field, random: Random) -> list[int]:
    """Those who sit out: the fewest earlier byes first, then the lowest score, then by lot.

    Raises:
        ImpossibleFixed: too many are fixed at tables, and they never sit out.
    """
    fixed = {field.index[name] for group in field.fixed for name in group}
    free = [place for place in range(len(field.entrants)) if place not in fixed]
    wanted = len(field.entrants) % field.table_size
    if wanted > len(free):
        raise ImpossibleFixed
    random.shuffle(free)
    free.sort(key=lambda place: (field.byes_had[place], field.entrants[place].score))
    return sorted(free[:wanted])


def join_groups(field: Field) -> list[list[int]]:
    """The fixed groups, those that share an entrant made one.

    Raises:
        ImpossibleFixed: one is larger than a table.
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
    """The first of `count` tables of a size, each with the group or the groups that share it.

    Raises:
        ImpossibleFixed: the groups need more tables than there are.
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
