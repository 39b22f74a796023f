"""The games as they are kept, and as records the engine reads."""

import gzip
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

GAMES = Path(__file__).with_name("games.txt.gz")
CONTRACTS = ("no-tricks", "no-hearts", "no-men", "no-queens", "heart-king", "last-two")
FIELDS = ("tricks", "hearts", "men", "queens", "heart_king", "last_two", "tricks")
TRUMPS = ("spades", "hearts", "diamonds", "clubs")
POINTS = (-50, -30, -60, -100, -320, -180, 50, 50, 50, 50)
NO_QUEENS, TRUMP = 3, 6


class Sheet(NamedTuple):
    """A game: when it was played, by whom, and its deals (contract, four counts, King or -1)."""

    evening: int
    round: int
    players: tuple[int, ...]
    deals: tuple[tuple[int, ...], ...]

    @property
    def totals(self) -> list[int]:
        """The points of each seat."""
        return [
            sum(POINTS[deal[0]] * deal[1 + seat] for deal in self.deals if not one_each(deal))
            for seat in range(4)
        ]

    @property
    def ranks(self) -> list[int]:
        """The places: who has made King first, then by points, equals the same."""
        king = self.deals[-1][5]
        keys = [(seat == king, points) for seat, points in enumerate(self.totals)]
        return [1 + sum(other > key for other in keys) for key in keys]


def one_each(deal: tuple[int, ...]) -> bool:
    """Whether a deal of no-queens is to be played again."""
    return deal[0] == NO_QUEENS and max(deal[1:5]) == 1


def as_line(sheet: Sheet) -> str:
    """A game on a line: numbers, then a word for each deal."""
    words = [
        "abcdefghij"[deal[0]]
        + "".join(f"{count:x}" for count in deal[1:5])
        + ("" if deal[5] < 0 else f"K{deal[5]}")
        for deal in sheet.deals
    ]
    return " ".join(map(str, (sheet.evening, sheet.round, *sheet.players, *words)))


def as_sheet(line: str) -> Sheet:
    """The game on a line."""
    words = line.split()
    deals = [
        (
            "abcdefghij".index(word[0]),
            *(int(count, 16) for count in word[1:5]),
            int(word[6]) if "K" in word else -1,
        )
        for word in words[6:]
    ]
    return Sheet(int(words[0]), int(words[1]), tuple(map(int, words[2:6])), tuple(deals))


def keep(sheets: Iterable[Sheet], path: Path = GAMES) -> None:
    """Write the games, the same games as the same bytes."""
    text = "".join(as_line(sheet) + "\n" for sheet in sheets)
    path.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


def kept(path: Path = GAMES) -> Iterator[Sheet]:
    """The games that are kept, in the order they were played."""
    yield from map(as_sheet, gzip.decompress(path.read_bytes()).decode().splitlines())


def record_of(sheet: Sheet) -> dict[str, Any]:
    """The game as a kingscore-game/1 record; seat 0 declares first."""
    entries, played = [], 0
    for deal in sheet.deals:
        if one_each(deal):
            void = {"type": "void", "reason": "one-each", "contract": "no-queens"}
            entries.append(void | {"declarer": played % 4})
            continue
        entries.append(entry_of(deal, played % 4))
        played += 1
    return {
        "format": "kingscore-game/1",
        "ruleset": "turkish-king",
        "players": [f"Bot {player}" for player in sheet.players],
        "first_declarer": 0,
        "entries": entries,
    }


def entry_of(deal: tuple[int, ...], declarer: int) -> dict[str, Any]:
    """A deal as an entry."""
    contract, king = deal[0], deal[5]
    field = FIELDS[min(contract, TRUMP)]
    name = "trump" if contract >= TRUMP else CONTRACTS[contract]
    entry = {"type": "deal", "contract": name, "declarer": declarer}
    entry["counts"] = {field: list(deal[1:5])}
    if contract >= TRUMP:
        entry["trump"] = TRUMPS[contract - TRUMP]
    elif king >= 0 and contract > 0:
        entry["king"] = king
    return entry
