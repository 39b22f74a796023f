"""Krapet, for two players with a pack each (`docs/rules.md` §3)."""

from tournaments.engine.rules.rulesets import Contract, Option, Ruleset

HAND = Contract(
    id="krapet",
    kind="hand",
    values={},
    scoring="piles-emptied",
    fields=("winner", "left", "calls"),
    named=False,
)

KRAPET = Ruleset(
    id="krapet",
    family="krapet",
    contracts=(HAND,),
    sides=(0, 1),
    settings={"outcome": "highest-wins", "scoring": "win", "target": 1},
    options=(Option("scoring", ("win", "points")), Option("target", kind="count")),
    implied={"scoring": {"points": {"target": 300}}},
)

RULESETS = (KRAPET,)
