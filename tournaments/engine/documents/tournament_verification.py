"""Recompute a `kingscore-tournament/1` document from its sheets, and compare what it says."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from tournaments.engine.documents.digests import (
    digest_of_document,
    digest_of_game,
    digest_of_round,
    digest_of_tournament,
)
from tournaments.engine.documents.records import read_game
from tournaments.engine.documents.tournament_records import TournamentRecord, read_tournament
from tournaments.engine.documents.tournament_results import (
    competitors_of,
    kept_standings,
    results_until,
    standings_after,
    write_ranking,
    write_table_result,
)
from tournaments.engine.documents.tournament_schema import HEAD_WRITE
from tournaments.engine.documents.verification import DIFFERS, SAME, UNKNOWN, Point, Verification
from tournaments.engine.play.games import Game
from tournaments.engine.rules.problems import InvalidEntry
from tournaments.engine.standings.finals import next_stage
from tournaments.engine.standings.standings import Standing

Json = Mapping[str, Any]
Moment = datetime


def verify_tournament(document: Any) -> Verification:
    """Recompute a tournament document: every point with its outcome, or its problems."""
    try:
        record = read_tournament(document)
    except InvalidEntry as invalid:
        return Verification(document["format"], problems=invalid.problems)
    points = tuple(_points(record))
    return Verification(document["format"], points, digest=digest_of_document(document))


def _points(record: TournamentRecord) -> Iterator[Point]:
    document = record.document
    yield _digest("document", "digest", document.get("digest"), digest_of_document(document))
    games = [
        [digest_of_game(table["game"]["record"]) for table in place["tables"]]
        for place in document["rounds"]
    ]
    before, sealed = "", []
    for at, place in enumerate(document["rounds"]):
        where = f"rounds[{at}]"
        checked = _Round(record, place, where)
        yield from checked.tables(games[at])
        yield from checked.seating()
        if place["closed_at"] is None:
            continue
        rulings = (each for each in document["rulings"] if each["round"] == place["number"])
        before = digest_of_round(place, games[at], rulings, before)
        sealed.append(before)
        yield _digest("round-digest", f"{where}.digest", place.get("digest"), before)
        yield from checked.standings()
    stated = document["tournament"].get("digest")
    if document["tournament"]["state"] == "finished" or stated is not None:
        final = write_ranking(standings_after(record, len(document["rounds"])))
        computed = digest_of_tournament(sealed, final)
        yield _digest("tournament-digest", "tournament.digest", stated, computed)


def _digest(what: str, where: str, stated: str | None, computed: str) -> Point:
    if stated is None:
        return Point(what, where, UNKNOWN, "no-digest", {"computed": computed})
    params = {"stated": stated, "computed": computed}
    return Point(what, where) if stated == computed else Point(what, where, DIFFERS, "", params)


def _compared(what: str, where: str, stated: Any, computed: Any, **params: Any) -> Point:
    """Return the point of a published value; None was not exported."""
    if stated is None:
        return Point(what, where, UNKNOWN, "not-exported")
    if stated == computed:
        return Point(what, where, params=params)
    path, said, is_right = _first_difference(where, stated, computed)
    return Point(what, path, DIFFERS, "", {"stated": said, "computed": is_right})


def _first_difference(where: str, stated: Any, computed: Any) -> tuple[str, Any, Any]:
    """Return the path of the first value that differs, as stated and as computed."""
    if isinstance(stated, dict) and isinstance(computed, dict):
        for name in sorted({*stated, *computed}):
            if stated.get(name) != computed.get(name):
                return _first_difference(f"{where}.{name}", stated.get(name), computed.get(name))
    if isinstance(stated, list) and isinstance(computed, list) and len(stated) == len(computed):
        for at, (one, other) in enumerate(zip(stated, computed, strict=True)):
            if one != other:
                return _first_difference(f"{where}[{at}]", one, other)
    return where, stated, computed


@dataclass(frozen=True)
class _Round:
    """A round of a record, with its path."""

    record: TournamentRecord
    place: Json
    where: str

    @property
    def number(self) -> int:
        return int(self.place["number"])

    def tables(self, digests: Sequence[str]) -> Iterator[Point]:
        """Verify the game, its history, its result and who sat at each table."""
        for at, (table, digest) in enumerate(zip(self.place["tables"], digests, strict=True)):
            where, game = f"{self.where}.tables[{at}]", table["game"]
            yield self._history(f"{where}.game.writes", game)
            if (stated := game.get("digest")) is not None or game["writes"]:
                yield _digest("game-digest", f"{where}.game.digest", stated, digest)
            fold = self.record.games[self.number, table["number"]]
            if fold.finished or "result" in game:
                computed = write_table_result(fold)
                yield _compared("result", f"{where}.game.result", game.get("result"), computed)
            yield self._players(f"{where}.seats", table)

    def _history(self, where: str, game: Json) -> Point:
        """Every state of the sheet was valid when it was written."""
        writes = game["writes"]
        changes = [each for each in writes if each["kind"] not in ("entry", "completion", "reveal")]
        for each in changes:
            reading = read_game(_record_after(game, writes[: each["revision"]]))
            if reading.problems:
                at = {"revision": each["revision"]}
                return Point("game", f"{where}[{each['revision'] - 1}]", DIFFERS, "unfit", at)
        return Point("game", where, params={"writes": len(writes), "corrections": len(changes)})

    def _players(self, where: str, table: Json) -> Point:
        """The players of the entrants sit there, or who played for them."""
        stands_in = {
            (each["entrant"], each["instead_of"]): each["player"]
            for each in self.record.document["substitutes"]
            if each["round"] == self.number
        }
        entered = {each["id"]: each["players"] for each in self.record.document["entrants"]}
        sides = self.record.rules.sides
        for side, entrant in enumerate(table["entrants"]):
            due = {stands_in.get((entrant, name), name) for name in entered[entrant]}
            sat = {name for name, of in zip(table["seats"], sides, strict=True) if of == side}
            if due != sat:
                params = {"entrant": entrant, "stated": sorted(sat), "computed": sorted(due)}
                return Point("players", where, DIFFERS, "", params)
        return Point("players", where, params={"stand_ins": len(stands_in)})

    # The seating.

    def seating(self) -> Iterator[Point]:
        """Verify the seating of a round, and what was changed after it."""
        if self.place["stage"]:
            yield self._stage()
        else:
            yield Point("seating", f"{self.where}.seating", UNKNOWN, "no-draw")

    def _stage(self) -> Point:
        """Who plays on follows from the standings at the cut and from the finals before."""
        where, moment = f"{self.where}.seating.tables", _moment(self.place["published_at"])
        record = self.record if moment is None else as_of(self.record, moment)
        competitors = competitors_of(record)
        rounds, finals = results_until(record, self.number - 1)
        cut = standings_after(record, len(rounds))
        try:
            stage = next_stage(cut, competitors, finals, record.settings, record.rules.side_count)
        except (InvalidEntry, ValueError):
            return Point("seating", where, DIFFERS, "no-stage")
        drawn = [] if stage is None else [list(table) for table in stage.tables]
        return self._against(where, drawn, [])

    def _against(self, where: str, tables: Sequence[Sequence[str]], byes: Sequence[str]) -> Point:
        """Compare a drawn seating with that of the round: a director may have changed seats."""
        stands = _chairs([each["entrants"] for each in self.place["tables"]], self.place["byes"])
        if self.place["published_at"] is None:
            seating = self.place["seating"]
            stands = _chairs(seating["tables"], seating["byes"])
        drawn = _chairs(tables, byes)
        changed = sum(drawn.get(name) != chair for name, chair in stands.items())
        gone = len(drawn.keys() - stands.keys())
        code = "changed-by-hand" if changed or gone else ""
        return Point("seating", where, SAME, code, {"seats": changed, "gone": gone})

    # The standings.

    def standings(self) -> Iterator[Point]:
        """Verify the places after a closed round: with every tie-break, and as at its closing."""
        rows = standings_after(self.record, self.number)
        rulings = sum(
            each["round"] <= self.number and each["withdrawn_at"] is None
            for each in self.record.document["rulings"]
        )
        count = {"places": len(rows), "rulings": rulings}
        where = f"{self.where}.ranking"
        yield _compared("standings", where, self.place.get("ranking"), write_ranking(rows), **count)
        yield self._closing(rows)

    def _closing(self, now: Sequence[Standing]) -> Point:
        where, kept = f"{self.where}.standings", self.place["standings"]
        if kept is None:
            return Point("closing", where, UNKNOWN, "not-exported")
        if kept == (computed := kept_standings(now)):
            return Point("closing", where)
        for moment in self._moments:
            then = as_of(self.record, moment)
            those = [each for each in competitors_of(then) if each.house or each.id in kept]
            if kept == kept_standings(standings_after(then, self.number, those)):
                changed = sum(computed.get(name) != row for name, row in kept.items())
                return Point("closing", where, SAME, "corrected-since", {"places": changed})
        if self._reseated:
            return Point("closing", where, UNKNOWN, "reseated-since")
        path, stated, is_right = _first_difference(where, kept, computed)
        return Point("closing", path, DIFFERS, "", {"stated": stated, "computed": is_right})

    @cached_property
    def _moments(self) -> list[Moment]:
        """The closing of the round, and each correction after it: standings may be of then."""
        closed = _moment(self.place["closed_at"])
        assert closed is not None
        later = [each for each in _changes(self.record.document, self.number) if each > closed]
        return [closed, *later]

    @property
    def _reseated(self) -> bool:
        """Whether seats were changed after the round was closed."""
        closed = self.place["closed_at"]
        return any(
            write["kind"] == HEAD_WRITE and write["at"] > closed
            for place in self.record.document["rounds"][: self.number]
            for table in place["tables"]
            for write in table["game"]["writes"]
        )


def _chairs(tables: Sequence[Sequence[str]], byes: Iterable[str]) -> dict[str, tuple[int, int]]:
    """Return the table and side of each entrant, from 0; those with a bye sit at none."""
    chairs = {
        name: (at, side) for at, table in enumerate(tables) for side, name in enumerate(table)
    }
    return chairs | dict.fromkeys(byes, (-1, -1))


# A record as it was earlier.


def as_of(record: TournamentRecord, moment: Moment) -> TournamentRecord:
    """Return a record without the corrections, rulings and withdrawals after a moment."""
    document = record.document
    entrants = [
        each | {"withdrawn_at": None} if _is_later(each["withdrawn_at"], moment) else each
        for each in document["entrants"]
    ]
    rulings = [
        each | {"withdrawn_at": None} if _is_later(each["withdrawn_at"], moment) else each
        for each in document["rulings"]
        if not _is_later(each["at"], moment)
    ]
    games = dict(record.games)
    for place in document["rounds"]:
        for table in place["tables"]:
            games[place["number"], table["number"]] = _game_as_of(
                table["game"], moment, record.games[place["number"], table["number"]]
            )
    return TournamentRecord(
        {**document, "entrants": entrants, "rulings": rulings}, record.rules, games
    )


def _game_as_of(said: Json, moment: Moment, now: Game) -> Game:
    earlier = [each for each in said["writes"] if not _is_later(each["at"], moment)]
    if len(earlier) == len(said["writes"]):
        return now
    reading = read_game(_record_after(said, earlier))
    return now if reading.game is None else reading.game


def _record_after(said: Json, writes: Sequence[Json]) -> Json:
    """Return the record of a game after some of its writes."""
    latest = {each["position"]: each["body"] for each in writes if each["position"] is not None}
    entries = [body for _, body in sorted(latest.items()) if body is not None]
    record = {**said["record"], "entries": entries}
    later = said["writes"][len(writes) :]
    head = next((each["before"] for each in later if each["kind"] == HEAD_WRITE), None)
    if head is not None:
        record |= {name: head[name] for name in ("options", "first_declarer")}
    return record


def _changes(document: Json, number: int) -> list[Moment]:
    """Return when the sheets and rulings of the rounds up to a number were changed, in order."""
    rounds = document["rounds"][:number]
    said = [
        write["at"]
        for place in rounds
        for table in place["tables"]
        for write in table["game"]["writes"]
    ]
    for each in document["rulings"]:
        if each["round"] <= number:
            said += filter(None, (each["at"], each["withdrawn_at"]))
    return sorted({moment for each in said if (moment := _moment(each)) is not None})


def _is_later(said: str | None, moment: Moment) -> bool:
    at = _moment(said)
    return at is not None and at > moment


def _moment(said: str | None) -> Moment | None:
    return None if said is None else datetime.fromisoformat(said)
