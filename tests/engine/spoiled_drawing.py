"""Drawn games with one thing wrong in one deal, and the problems that must be found in it."""

import copy

from tests.engine.mutations import GONE


def draw_spoiled(chance, record, faults):
    """Spoil a deal of a right record; the problems `(entry, code, where)`, none if no fault fits.

    A fault changes an entry and gives the `(code, where)` that must be found in it.
    """
    deals = [
        index
        for index, entry in enumerate(record["entries"])
        if entry["type"] == "deal" and ({"counts", "winner", "maker"} & set(entry))
    ]
    if not deals:
        return []
    index = chance.choice(deals)
    codes = chance.choice(faults)(chance, record, index, record["entries"][index])
    return [(index, code, where) for code, where in codes]


def change(target, name, value, *codes):
    """Write a value, or take it away; the codes that this must give."""
    if value is GONE:
        del target[name]
    else:
        target[name] = copy.deepcopy(value)
    return list(codes)
