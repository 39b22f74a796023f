"""A tournament record as it was at a moment: without what was corrected and ruled later."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from tournaments.engine.documents.records import read_game
from tournaments.engine.documents.tournament_records import TournamentRecord
from tournaments.engine.documents.tournament_schema import HEAD_WRITE
from tournaments.engine.play.games import Game

Json = Mapping[str, Any]
Moment = datetime


def as_of(record: TournamentRecord, moment: Moment) -> TournamentRecord:
    """Return a record without the corrections, rulings and withdrawals after a moment."""
    document = record.document
    entrants = [
        each | {"withdrawn_at": None} if is_later(each["withdrawn_at"], moment) else each
        for each in document["entrants"]
    ]
    rulings = [
        each | {"withdrawn_at": None} if is_later(each["withdrawn_at"], moment) else each
        for each in document["rulings"]
        if not is_later(each["at"], moment)
    ]
    games = dict(record.games)
    for round_ in document["rounds"]:
        for table in round_["tables"]:
            games[round_["number"], table["number"]] = _game_as_of(
                table["game"], moment, record.games[round_["number"], table["number"]]
            )
    return TournamentRecord(
        {**document, "entrants": entrants, "rulings": rulings}, record.rules, games
    )


def _game_as_of(said: Json, moment: Moment, now: Game) -> Game:
    earlier = [each for each in said["writes"] if not is_later(each["at"], moment)]
    if len(earlier) == len(said["writes"]):
        return now
    reading = read_game(record_after(said, earlier))
    return now if reading.game is None else reading.game


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


def changes_in(document: Json, number: int) -> list[Moment]:
    """Return when the sheets and rulings of the rounds up to a number were changed, in order."""
    rounds = document["rounds"][:number]
    said = [
        write["at"]
        for round_ in rounds
        for table in round_["tables"]
        for write in table["game"]["writes"]
    ]
    for each in document["rulings"]:
        if each["round"] <= number:
            said += filter(None, (each["at"], each["withdrawn_at"]))
    return sorted({moment for each in said if (moment := moment_of(each)) is not None})


def is_later(said: str | None, moment: Moment) -> bool:
    """Return whether a stated moment is later than another."""
    at = moment_of(said)
    return at is not None and at > moment


def moment_of(said: str | None) -> Moment | None:
    """Return a stated moment."""
    return None if said is None else datetime.fromisoformat(said)
