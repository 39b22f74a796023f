"""The games, as tables; `RULESETS` holds each by its id."""

from collections.abc import Mapping
from types import MappingProxyType

from tournaments.engine.rulesets import Ruleset
from tournaments.engine.variants import turkish_king

RULESETS: Mapping[str, Ruleset] = MappingProxyType(
    {ruleset.id: ruleset for ruleset in turkish_king.RULESETS}
)
