"""The published JSON Schemas of records, by file name."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from tournaments.engine.documents.game_schema import game_schema
from tournaments.engine.documents.pairing_schema import pairing_schema, seating_schema
from tournaments.engine.documents.ratings_records import ratings_schema
from tournaments.engine.documents.result_schema import result_schema
from tournaments.engine.documents.ruleset_records import ruleset_schema
from tournaments.engine.documents.tournament_schema import tournament_schema
from tournaments.engine.documents.verification import verification_schema
from tournaments.engine.rules.shapes import Schema

SCHEMAS: Mapping[str, Callable[[], Schema]] = MappingProxyType(
    {
        "kingscore-game-1.json": game_schema,
        "kingscore-pairing-1.json": pairing_schema,
        "kingscore-ratings-1.json": ratings_schema,
        "kingscore-result-1.json": result_schema,
        "kingscore-ruleset-1.json": ruleset_schema,
        "kingscore-seating-1.json": seating_schema,
        "kingscore-tournament-1.json": tournament_schema,
        "kingscore-verification-1.json": verification_schema,
    }
)
