"""A tournament record as it was at a moment: without what was corrected and ruled later."""

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from itertools import accumulate
from typing import Any

from tournaments.engine.documents.records import Reading, read_game
from tournaments.engine.documents.tournament_records import TournamentRecord
from tournaments.engine.documents.tournament_schema import HEAD_WRITE
from tournaments.engine.play.games import Game
from tournaments.engine.work import spend

Json = Mapping[str, Any]
Moment = datetime
Place = tuple[int, int]
"""The numbers of a round and of a table."""

MOST_TRIED = 50
"""How many states of the results are tried on each end of a long row of corrections."""


@dataclass(frozen=True)
class History:
    """The past of a tournament record; each state of a sheet is played once."""

    record: TournamentRecord
    _played: dict[tuple[Place, int], Reading] = field(default_factory=dict)

    def as_of(self, moment: Moment, number: int) -> TournamentRecord:
        """Return the rounds up to a number as they were: nothing later counts in them."""
        document = self.record.document
        spend(1 + (len(document["entrants"]) + len(document["rulings"])) // 16)

        def in_force(rows: Sequence[Json]) -> list[Json]:
            return [
                {**each, "withdrawn_at": None} if is_later(each["withdrawn_at"], moment) else each
                for each in rows
            ]

        past = {
            "entrants": in_force(document["entrants"]),
            "rulings": in_force([e for e in document["rulings"] if not is_later(e["at"], moment)]),
        }
        games = {
            (round_["number"], table["number"]): self._game_as_of(round_, table, moment)
            for round_ in document["rounds"][:number]
            for table in round_["tables"]
        }
        return replace(self.record, document={**document, **past}, games=games)

    def _game_as_of(self, round_: Json, table: Json, moment: Moment) -> Game:
        place = round_["number"], table["number"]
        written = bisect_right(self._written[place], moment)
        now = self.record.games[place]
        if written == len(self._written[place]):
            return now
        past = self.after(place, table["game"], written).game
        return now if past is None else past

    def after(self, place: Place, game: Json, writes: int) -> Reading:
        """Return a game after its first writes."""
        if (place, writes) not in self._played:
            record = record_after(game, game["writes"][:writes])
            self._played[place, writes] = read_game(record)
        return self._played[place, writes]

    @cached_property
    def _written(self) -> dict[Place, list[Moment]]:
        """When each sheet was written to; a clock put back counts as if it had stood still."""
        return {
            (round_["number"], table["number"]): list(accumulate(moments, max))
            for round_ in self.record.document["rounds"]
            for table in round_["tables"]
            for moments in [[datetime.fromisoformat(w["at"]) for w in table["game"]["writes"]]]
        }

    @cached_property
    def _changes(self) -> list[set[Moment]]:
        """When the sheets and rulings of each round were changed."""
        rounds = self.record.document["rounds"]
        changes: list[set[Moment]] = [set() for _ in rounds]
        for (number, _table), moments in self._written.items():
            changes[number - 1].update(moments)
        for each in self.record.document["rulings"]:
            for at in filter(None, map(moment_of, (each["at"], each["withdrawn_at"]))):
                changes[each["round"] - 1].add(at)
        return changes

    def changes(self, number: int, fits: Callable[[Moment], bool]) -> list[Moment]:
        """Return when rounds up to a number were changed, in order; of many the first and last."""
        rounds = self._changes[:number]
        spend(1 + sum(map(len, rounds)) // 256)
        moments = sorted(filter(fits, set().union(*rounds)))
        return [*moments[:MOST_TRIED], *moments[MOST_TRIED:][-MOST_TRIED:]]

    @cached_property
    def _reseated(self) -> list[Moment | None]:
        """When a seat of each round was changed last."""
        return [
            max(
                (
                    datetime.fromisoformat(write["at"])
                    for table in round_["tables"]
                    for write in table["game"]["writes"]
                    if write["kind"] == HEAD_WRITE
                ),
                default=None,
            )
            for round_ in self.record.document["rounds"]
        ]

    def is_reseated(self, number: int) -> bool:
        """Return whether seats up to a round were changed after it was closed."""
        rounds = self.record.document["rounds"][:number]
        closed = moment_of(rounds[-1]["closed_at"]) if rounds else None
        return closed is not None and any(
            at is not None and at > closed for at in self._reseated[:number]
        )


def record_after(said: Json, writes: Sequence[Json]) -> Json:
    """Return the record of a game after some of its writes."""
    latest = {each["position"]: each["body"] for each in writes if each["position"] is not None}
    entries = [body for _, body in sorted(latest.items()) if body is not None]
    record = {**said["record"], "entries": entries}
    later = said["writes"][len(writes) :]
    head = next((each["before"] for each in later if each["kind"] == HEAD_WRITE), None)
    if head is not None:
        record |= {name: head[name] for name in ("options", "first_declarer")}
    return record


def is_later(said: str | None, moment: Moment) -> bool:
    """Return whether a stated moment is later than another."""
    at = moment_of(said)
    return at is not None and at > moment


def moment_of(said: str | None) -> Moment | None:
    """Return a stated moment."""
    return None if said is None else datetime.fromisoformat(said)
