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
from tournaments.engine.work import TooMuchWork, limited_work

MOST_WORK = 50_000
"""How much is done for a document, in entries of games that are played (`engine.work`)."""
STRANGERS_WORK = 6_000
"""The same for somebody without an account: half a second, a draw and all games of an evening."""


def verify(document: Any, most_work: int = MOST_WORK) -> Verification:
    """Verify a document by its `format`, as far as so much work goes."""
    named = document.get("format") if isinstance(document, dict) else None
    if not isinstance(named, str) or named not in VERIFIERS:
        expected = " | ".join(VERIFIERS)
        problem = Problem(Code.UNKNOWN_FORMAT, "format", {"expected": expected})
        return Verification(named if isinstance(named, str) else "", problems=(problem,))
    try:
        with limited_work(most_work):
            return VERIFIERS[named](document)
    except TooMuchWork:
        return Verification(named, problems=(Problem(Code.TOO_LARGE),))


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
