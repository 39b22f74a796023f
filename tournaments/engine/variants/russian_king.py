"""Russian King: penalties in a fixed order, then the same deals with the signs turned."""

from collections.abc import Iterator, Mapping

from tournaments.engine.rules.rulesets import PENALTY, RANKS, UNITS, Contract, Pack, Ruleset, Stage

FOUR = {
    "no-tricks": {"tricks": -2},
    "no-hearts": {"hearts": -2},
    "no-jacks": {"jacks": -4},
    "no-queens": {"queens": -4},
    "last-two": {"last_two": -8},
    "heart-king": {"heart_king": -16},
}

THREE = {
    "no-tricks": {"tricks": -6},
    "no-hearts": {"hearts": -8},
    "no-men": {"men": -9},
    "no-queens": {"queens": -18},
    "last-two": {"last_two": -36},
    "heart-king": {"heart_king": -72},
}


def _contracts(penalties: Mapping[str, Mapping[str, int]]) -> Iterator[Contract]:
    for id_, values in penalties.items():
        yield Contract(id=id_, kind=PENALTY, values=values, leads="after-dealer")
    for id_, values in penalties.items():
        yield Contract(
            id=f"take-{id_.removeprefix('no-')}",
            kind="positive",
            values={unit: -each for unit, each in values.items()},
            leads="after-dealer",
        )


def _game(id_: str, pack: Pack, penalties: Mapping[str, Mapping[str, int]], seats: int) -> Ruleset:
    contracts = tuple(_contracts(penalties))
    return Ruleset(
        id=id_,
        family="russian-king",
        pack=pack,
        contracts=contracts,
        deals=len(contracts),
        sides=tuple(range(seats)),
        clockwise=True,
        stages=tuple(Stage(1, (contract.id,)) for contract in contracts),
        settings={
            "outcome": "highest-wins",
            "dealer": "declares",
            "cuts": "after-dealer",
        },
    )


EACH = {unit: each for values in FOUR.values() for unit, each in values.items()}
ALL = {unit: EACH[unit] for unit in UNITS if unit in EACH}

RULESETS = (
    _game("russian-king", Pack(ranks=RANKS[5:], tricks=8), {**FOUR, "yeralash": ALL}, 4),
    _game("russian-king-three", Pack(ranks=RANKS[4:], tricks=12), THREE, 3),
)
