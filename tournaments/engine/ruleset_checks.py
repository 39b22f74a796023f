"""Whether a ruleset can be played: nothing in it contradicts the rest of it."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from tournaments.engine.fields import KING_FIELDS
from tournaments.engine.games import ORDERS
from tournaments.engine.outcomes import OUTCOMES
from tournaments.engine.problems import Code, Problem
from tournaments.engine.rulesets import OPTION_KINDS, Option, Ruleset, Setting
from tournaments.engine.steps import CAPPOTTO

ON_OFF = (False, True)

SETTINGS: Mapping[str, Option] = MappingProxyType(
    {
        option.setting: option
        for option in (
            Option("outcome", tuple(OUTCOMES)),
            Option("order", tuple(ORDERS)),
            Option("king", tuple(KING_FIELDS)),
            Option("king_deals", ("all", "trump")),
            Option("out", ("positive", "mean")),
            Option("naming", ("blind", "sealed")),
            Option("deals", kind="count"),
            Option("cappotto", ("none", *CAPPOTTO)),
            Option("domino_winners", ("one", "several")),
            Option("domino_redeal", ON_OFF),
            Option("no_trump_declaration", ON_OFF),
            Option("blind_declaration", ON_OFF),
            Option("sale", ON_OFF),
            Option("stake", kind="money"),
            Option("declarations", ("one-each", "free")),
            Option("scoring", ("win", "points")),
            Option("target", kind="count"),
            Option("march", kind="count"),
            Option("march_alone", kind="count"),
            Option("euchred_alone", kind="count"),
            Option("euchred_alone_by_alone", kind="count"),
            Option("deck", (24, 32, 25)),
            Option("laps", ON_OFF),
            Option("slam", ON_OFF),
        )
    }
)
"""Every setting a ruleset can have, and the values it can take."""


def check_ruleset(ruleset: Ruleset) -> Iterator[Problem]:
    """Every reason why no game, or not every game, of this ruleset could be played to its end."""
    yield from _check_settings(ruleset)


def _bad(where: str, why: str, **params: object) -> Problem:
    return Problem(Code.BAD_RULESET, where, {"why": why, **params})


def _fits(setting: str, value: Setting) -> bool:
    option = SETTINGS[setting]
    return OPTION_KINDS[option.kind](option, value)


def _check_settings(ruleset: Ruleset) -> Iterator[Problem]:
    for setting, value in ruleset.settings.items():
        if not _fits(setting, value):
            yield _bad(f"settings.{setting}", "setting")
