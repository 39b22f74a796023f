"""Digests of games, rounds, tournaments and documents, and the letters that people compare.

`docs/verify.md` defines them, so that anybody can compute them again. Names of people are in none
but that of a whole document: a digest stays the same when a name is corrected or removed, and
nobody can try out names against it.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any

from tournaments.engine.documents.paper_totals import PERSONAL, written_out
from tournaments.engine.documents.records import read_rules
from tournaments.engine.rules.entries import IMPORTED, TOTALS
from tournaments.engine.rules.rulesets import number_of

Json = Mapping[str, Any]

ALPHABET = "ACDEFHJKMNPRTWXY"
"""One letter for each hexadecimal digit; none looks like a digit or like another of them."""

LETTERS = 12

OF_A_RECORD: Json = {
    "format": None,
    "ruleset": None,
    "options": {},
    "first_declarer": 0,
    "played_at": None,
}
"""The fields of a record that its digest covers beside its entries, with their defaults."""


def digest_of(value: Any) -> str:
    """Return the SHA-256 of a JSON value in its canonical form, in hexadecimal digits."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return sha256(text.encode()).hexdigest()


def letters_of(digest: str) -> str:
    """Return the first digits of a digest as letters, in groups of four."""
    letters = "".join(ALPHABET[int(digit, 16)] for digit in digest[:LETTERS])
    return " ".join(letters[at : at + 4] for at in range(0, LETTERS, 4))


def digits_of(letters: str) -> str | None:
    """Return the first digits of the digest with these letters; None if they are no such code."""
    typed = "".join(letters.upper().split()).replace("-", "")
    if len(typed) != LETTERS or not set(ALPHABET).issuperset(typed):
        return None
    return "".join(f"{ALPHABET.index(letter):x}" for letter in typed)


def digest_of_game(record: Json) -> str:
    """Return the digest of a `kingscore-game/1` record, whoever played and wherever."""
    entries = [
        {name: value for name, value in counted.items() if name not in PERSONAL}
        for entry in record["entries"]
        for counted in (_written_out(record, entry) if entry["type"] == "totals" else (entry,))
    ]
    head = {name: record.get(name, default) for name, default in OF_A_RECORD.items()}
    return digest_of(head | {"entries": entries})


def _written_out(record: Json, entry: Json) -> Iterator[Json]:
    """Yield what stood for totals before they were an entry.

    So a code printed then is still right, and both forms of a game have one digest.
    """
    rules = read_rules(record["ruleset"]).with_options(record.get("options", {}))
    totals = [number_of(points) or 0 for points in entry["totals"]]
    return written_out(totals, IMPORTED if entry.get("imported") else TOTALS, rules)


def digest_of_round(place: Json, games: Sequence[str], rulings: Iterable[Json], before: str) -> str:
    """Return the digest of a closed round, in the form of a tournament document.

    `games` are the digests of its tables' games, `before` that of the round before; both may be
    empty. The standings are the places and points kept when it was closed.
    """
    return digest_of(
        {
            "number": place["number"],
            "stage": place["stage"],
            "tables": [
                [table["number"], table["entrants"], game]
                for table, game in zip(place["tables"], games, strict=True)
            ],
            "byes": place["byes"],
            "standings": place["standings"],
            "rulings": [
                [each["entrant"], each["kind"], each["points"]]
                for each in rulings
                if each["withdrawn_at"] is None
            ],
            "before": before,
        }
    )


def digest_of_tournament(seed: int, rounds: Sequence[str]) -> str:
    """Return the digest of a finished tournament: over its seed and its rounds."""
    return digest_of({"seed": seed, "rounds": list(rounds)})


def digest_of_document(document: Json) -> str:
    """Return the digest of a whole document without its own field `digest`."""
    return digest_of({name: value for name, value in document.items() if name != "digest"})
