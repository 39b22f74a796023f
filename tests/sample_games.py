"""Whole games in `tests/records`, each beside its result, which was written without the engine."""

import json
from pathlib import Path

RECORDS = Path(__file__).parent / "records"
NAMES = sorted(path.name.removesuffix(".result.json") for path in RECORDS.glob("*.result.json"))
"""The engine replays all of them."""

SAMPLE = (
    *("barbu-doubled", "blind-open", "bloody-advised-stopped-at-16", "declared-king-failed"),
    *("documented", "double-whole", "euchre-sequence", "honeymoon-king"),
    *("italian-king-choice-sales", "italian-king-pairs-choice-whole"),
    *("italian-king-redeal-and-fines", "krapet-match", "partners-king", "sealed-over-quota"),
)
"""Every kind of entry, ending and way to score: enough for pages, paper and the API."""


DRAWN = [json.loads(line) for line in (RECORDS / "drawn.jsonl").read_text().splitlines()]
"""Games of every ruleset drawn by chance: `record` and `result`, by a second, naive scorer."""

BAD_JSON = {
    "nothing": b"",
    "half a document": b'{"format": "kingscore-game/1"',
    "two documents": b"{} {}",
    "no number": b'{"first_declarer": NaN}',
    "no number either": b'{"first_declarer": -Infinity}',
    "a field twice": b'{"format": "kingscore-game/1", "format": "kingscore-game/1"}',
    "bytes that are no letters": b'{"title": "\xff\xfe"}',
    "half of a pair in UTF-8": b'{"title": "\xed\xa0\x80"}',
    "UTF-16": '{"format": "kingscore-game/1"}'.encode("utf-16"),
    "a number without end": b'{"first_declarer": ' + b"9" * 5000 + b"}",
    "deep nesting": b"[" * 100_000 + b"]" * 100_000,
    "single quotes": b"{'format': 1}",
    "a comma too many": b'{"entries": [],}',
}
"""Texts in which `bad-json` is found."""


def load(name):
    return json.loads((RECORDS / f"{name}.json").read_text())


def load_result(name):
    return load(f"{name}.result")


def sides(players, number):
    """The names above the columns: of players, or of pairs of those who sit opposite."""
    if number == len(players):
        return players
    return [" + ".join(players[side::number]) for side in range(number)]
