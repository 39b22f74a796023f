"""Verify a document of any format: recompute it, and say at each point whether it agrees."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from tournaments.engine.documents.digests import digest_of_game
from tournaments.engine.documents.ratings_records import RATINGS_FORMAT, verify_ratings
from tournaments.engine.documents.records import GAME_FORMAT, read_game
from tournaments.engine.documents.tournament_schema import TOURNAMENT_FORMAT
from tournaments.engine.documents.tournament_verification import verify_tournament
from tournaments.engine.documents.verification import Point, Verification
from tournaments.engine.rules.problems import Code, Problem

DRAWN_AT_MOST = {"strangers": 500, "accounts": 2_000}
"""How many entrants are seated again in all for somebody on the web, over all rounds."""


def verify(document: Any, drawn_at_most: int | None = None) -> Verification:
    """Verify a document by its `format`.

    With `drawn_at_most`, rounds are drawn again only as long as they have no more entrants in all.
    """
    named = document.get("format") if isinstance(document, dict) else None
    if not isinstance(named, str) or named not in VERIFIERS:
        expected = " | ".join(VERIFIERS)
        problem = Problem(Code.UNKNOWN_FORMAT, "format", {"expected": expected})
        return Verification(named if isinstance(named, str) else "", problems=(problem,))
    if named == TOURNAMENT_FORMAT:
        return verify_tournament(document, drawn_at_most)
    return VERIFIERS[named](document)


def verify_game(document: Any) -> Verification:
    """Verify a single game: it says nothing but its entries, which must fit each other."""
    reading = read_game(document)
    if reading.problems:
        return Verification(GAME_FORMAT, problems=reading.problems)
    entries = {"entries": len(document["entries"])}
    return Verification(
        GAME_FORMAT, (Point("entries", "entries", params=entries),), digest=digest_of_game(document)
    )


VERIFIERS: Mapping[str, Callable[[Any], Verification]] = MappingProxyType(
    {
        GAME_FORMAT: verify_game,
        RATINGS_FORMAT: verify_ratings,
        TOURNAMENT_FORMAT: verify_tournament,
    }
)
"""How to verify a document, by its format."""
