"""The JSON Schemas of records that are published, each by the name of its file."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from tournaments.engine.game_schema import game_schema
from tournaments.engine.pairing_schema import pairing_schema, seating_schema
from tournaments.engine.record_shapes import Schema
from tournaments.engine.result_schema import result_schema
from tournaments.engine.ruleset_schema import ruleset_schema
from tournaments.engine.tournament_schema import tournament_schema

SCHEMAS: Mapping[str, Callable[[], Schema]] = MappingProxyType(
    {
        "kingscore-game-1.json": game_schema,
        "kingscore-pairing-1.json": pairing_schema,
        "kingscore-result-1.json": result_schema,
        "kingscore-ruleset-1.json": ruleset_schema,
        "kingscore-seating-1.json": seating_schema,
        "kingscore-tournament-1.json": tournament_schema,
    }
)
