"""Verify documents of games, tournaments and ratings, and all of their schemas.

Begin at `verify`. `write_draw` and `write_alternatives` write what a draw is verified by later.
The sentences of the points are in `texts/documents.py`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from fractions import Fraction
from functools import cached_property
from math import isfinite
from types import MappingProxyType
from typing import Any

from tournaments.engine.documents.games import (
    GAME_FORMAT,
    digest_of_document,
    digest_of_game,
    digest_of_round,
    digest_of_tournament,
    game_schema,
    read_game,
)
from tournaments.engine.documents.pairings import pairing_schema, seating_schema
from tournaments.engine.documents.results import (
    DIFFERS,
    SAME,
    TOO_LARGE,
    TOO_MANY_DRAWS,
    UNKNOWN,
    Point,
    Verification,
    result_schema,
    verification_schema,
)
from tournaments.engine.documents.ruleset_records import ruleset_schema
from tournaments.engine.documents.tournaments import (
    DIGEST,
    DRAW,
    NAME,
    PLACE,
    PLAYER_ID,
    TOURNAMENT_FORMAT,
    History,
    Moment,
    TournamentRecord,
    competitors_of,
    moment_of,
    read_tournament,
    results_until,
    standings_after,
    stored_standings,
    tournament_schema,
    write_ranking,
    write_table_result,
)
from tournaments.engine.pairing.field import (
    REDRAWN,
    SEATING_VERSION,
    ImpossibleFixed,
    PairingField,
    PlayedRound,
)
from tournaments.engine.pairing.judging import InvalidSeating, Seating
from tournaments.engine.pairing.methods import (
    Alternative,
    NoRoundRobin,
    Scale,
    seat_rest,
    seat_round,
)
from tournaments.engine.ratings.ratings import (
    DRIFT,
    LUCK,
    MODEL,
    PROVISIONAL,
    START,
    START_VARIANCE,
    Constants,
    Rating,
    Spread,
    half_places,
    newcomer,
    rate,
    scores_of,
)
from tournaments.engine.rules.entries import (
    LARGE,
    MOMENT,
    SWITCH,
    WORTH,
    Schema,
    fields,
    head_schema,
    listed,
    mapping,
    or_null,
    plain,
    slug,
    text,
    whole,
    write_points,
)
from tournaments.engine.rules.rulesets import (
    LONGEST_ID,
    MOST_SEATS,
    Code,
    InvalidEntry,
    Problem,
    number_of,
)
from tournaments.engine.standings.standings import Standing, next_stage
from tournaments.engine.work import TooMuchWork, limited_work, spend

Kept = Mapping[int, Sequence[str]]
"""Tables that stayed as they were, by their places from 0."""

COMMON = ("seed", "rounds_left", "table_size", "separate_clubs", "score_before_seats")
"""The fields of a draw that are the same in all its sections."""


def write_draw(
    method: str, first: int, sections: Sequence[tuple[PairingField, Kept]], seating: Seating
) -> dict[str, Any]:
    """Return the document of a drawn round.

    `first` is the round from which a method that draws all rounds at once was asked to draw.
    `sections` are the fields of its sections with the tables kept in each, and `seating` is theirs
    together.
    """
    field, _kept = sections[0]
    return {
        "version": SEATING_VERSION,
        "method": method,
        "weights": asdict(field.weights),
        "first": first,
        **{name: getattr(field, name) for name in COMMON},
        "sections": [
            {
                "entrants": [
                    {
                        "id": entrant.id,
                        "score": write_points(entrant.score),
                        "club": entrant.club,
                        **({"table": entrant.table} if entrant.table else {}),
                    }
                    for entrant in field.entrants
                ],
                "avoid": [list(pair) for pair in field.avoid],
                "kept": [
                    {"place": at, "entrants": list(table)} for at, table in sorted(kept.items())
                ],
            }
            for field, kept in sections
        ],
        "tables": [list(table) for table in seating.tables],
        "byes": list(seating.byes),
    }


def write_alternatives(
    scale: Scale, alternatives: Iterable[Alternative], seed: int
) -> dict[str, Any]:
    """Return the part of a draw's document that lists what it was taken from, the first first."""
    return {
        # A lot of tables makes fractions that nobody reads.
        "by_lot": write_points(Fraction(round(100 * scale.by_lot), 100)),
        "nearest": write_points(scale.nearest),
        "offered": [
            {
                "weights": asdict(each.weights),
                "seed": seed,
                "repeat_meetings": each.repeats,
                "score_spread": write_points(each.spread),
            }
            for each in alternatives
        ],
    }


def taken_of(draw: Mapping[str, Any]) -> int | None:
    """Return which of its alternatives a round was drawn as, from 0; None if it is none of them."""
    drawn = draw["weights"], draw["seed"]
    offered = [(each["weights"], each["seed"]) for each in draw["alternatives"]["offered"]]
    return offered.index(drawn) if drawn in offered else None


def take(draw: Mapping[str, Any], at: int) -> dict[str, Any]:
    """Return the document of a draw as it is with one of its alternatives, but for its tables."""
    offered = draw["alternatives"]["offered"]
    taken, fewest = offered[at], min(offered, key=lambda each: int(each["repeat_meetings"]))
    figures = {name: fewest[name] for name in ("repeat_meetings", "score_spread")}
    more = taken["repeat_meetings"] > fewest["repeat_meetings"]
    return {
        **{name: value for name, value in draw.items() if name != "fewest_repeats"},
        **{name: taken[name] for name in ("weights", "seed")},
        **({"fewest_repeats": figures} if more else {}),
    }


def redraw(
    document: Mapping[str, Any], earlier: Sequence[PlayedRound]
) -> tuple[list[tuple[str, ...]], list[str]]:
    """Draw a round again; return its tables, in seat order, and its byes.

    `earlier` are the rounds before `first` as they were played, and those from there on as they
    were drawn. Its version is one of `REDRAWN`.

    Raises:
        InvalidEntry: if the document has not the form of a draw.
        ImpossibleFixed, NoRoundRobin, InvalidSeating: if there is no such seating.
    """
    draw = DRAW.load(document)
    common = {name: draw[name] for name in ("weights", *COMMON)}
    common["version"] = draw["version"]
    tables: list[tuple[str, ...]] = []
    byes: list[str] = []
    for section in draw["sections"]:
        names = {entrant.id for entrant in section["entrants"]}
        # Each is held against each other.
        spend(len(names) ** 2 // 500)
        rounds = tuple(played.among(names) for played in earlier)
        field = PairingField(section["entrants"], rounds, avoid=section["avoid"], **common)
        kept = {table["place"]: table["entrants"] for table in section["kept"]}
        method = draw["method"]
        seating = seat_rest(field, method, kept) if kept else seat_round(field, method)
        tables += seating.tables
        byes += seating.byes
    return tables, byes


Json = Mapping[str, Any]

IMPOSSIBLE = (
    *(InvalidEntry, ImpossibleFixed, NoRoundRobin, InvalidSeating),
    # What the methods of seating meet in a field that no tournament has.
    *(ArithmeticError, AssertionError, LookupError, TypeError, ValueError),
)
"""Why nothing can be drawn from what a round was drawn with."""


def verify_tournament(document: Any) -> Verification:
    """Recompute a tournament document: every point with its outcome, or its problems.

    Raises: TooMuchWork: no work is left before it is read; later points are unknown then.
    """
    try:
        record = read_tournament(document)
    except InvalidEntry as invalid:
        return Verification(document["format"], problems=invalid.problems)
    return Verification(
        document["format"], tuple(_points(record)), digest=digest_of_document(document)
    )


def _points(record: TournamentRecord) -> Iterator[Point]:
    document = record.document
    yield _digest("document", "digest", document.get("digest"), digest_of_document(document))
    games = [
        [
            digest_of_game(table["game"]["record"]) if table["game"]["writes"] else ""
            for table in round_["tables"]
        ]
        for round_ in document["rounds"]
    ]
    before, sealed, history = "", [], History(record)
    rounds = [
        _CheckedRound(history, round_, f"rounds[{at}]")
        for at, round_ in enumerate(document["rounds"])
    ]
    points: list[list[Point]] = []
    for checked, digests in zip(rounds, games, strict=True):
        round_ = checked.round_
        points.append([*checked.tables(digests), *checked.seating()])
        if round_["closed_at"] is None:
            continue
        rulings = (ruling for ruling in document["rulings"] if ruling["round"] == round_["number"])
        before = digest_of_round(round_, digests, rulings, before)
        sealed.append(before)
        points[-1].append(
            _digest("round-digest", f"{checked.where}.digest", round_.get("digest"), before)
        )
        points[-1] += checked.standings()
    # Last, since drawing again takes the most work.
    for checked, of_round in zip(rounds, points, strict=True):
        yield from (*of_round, *checked.draw())
    stated = document["tournament"].get("digest")
    if document["tournament"]["state"] == "finished" or stated is not None:
        computed = digest_of_tournament(document["tournament"]["seed"], sealed)
        yield _digest("tournament-digest", "tournament.digest", stated, computed)


def _within_limits(
    what: str, where: str, check: Callable[[], Point], code: str = TOO_LARGE
) -> Point:
    try:
        return check()
    except TooMuchWork:
        return Point(what, where, UNKNOWN, code)


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
    path, stated, computed = _first_difference(where, stated, computed)
    return Point(what, path, DIFFERS, "", {"stated": stated, "computed": computed})


def _first_difference(where: str, stated: Any, computed: Any) -> tuple[str, Any, Any]:
    if isinstance(stated, dict) and isinstance(computed, dict):
        for name in sorted({*stated, *computed}):
            if stated.get(name) != computed.get(name):
                return _first_difference(f"{where}.{name}", stated.get(name), computed.get(name))
    if isinstance(stated, list) and isinstance(computed, list) and len(stated) == len(computed):
        for at, (one, other) in enumerate(zip(stated, computed, strict=True)):
            if one != other:
                return _first_difference(f"{where}[{at}]", one, other)
    return where, stated, computed


class _CheckedRound:
    def __init__(self, history: History, round_: Json, where: str) -> None:
        self.history, self.round_, self.where = history, round_, where
        self.record, self.number = history.record, int(round_["number"])

    def tables(self, digests: Sequence[str]) -> Iterator[Point]:
        """Verify the game, its history, its result and who sat at each table."""
        for at, (table, digest) in enumerate(zip(self.round_["tables"], digests, strict=True)):
            where, game = f"{self.where}.tables[{at}]", table["game"]
            yield self._history(f"{where}.game.writes", table)
            if (stated := game.get("digest")) is not None or game["writes"]:
                yield _digest("game-digest", f"{where}.game.digest", stated, digest)
            fold = self.record.games[self.number, table["number"]]
            if fold.finished or "result" in game:
                computed = write_table_result(fold)
                yield _compared("result", f"{where}.game.result", game.get("result"), computed)
            yield self._players(f"{where}.seats", table)

    def _history(self, where: str, table: Json) -> Point:
        game, place = table["game"], (self.number, table["number"])
        writes = game["writes"]
        changes = [
            write for write in writes if write["kind"] not in ("entry", "completion", "reveal")
        ]

        def replay() -> Point:
            for write in changes:
                if self.history.after(place, game, write["revision"]).problems:
                    at = {"revision": write["revision"]}
                    return Point("game", f"{where}[{write['revision'] - 1}]", DIFFERS, "unfit", at)
            return Point("game", where, params={"writes": len(writes), "corrections": len(changes)})

        return _within_limits("game", where, replay)

    @cached_property
    def _due(self) -> tuple[dict[tuple[str, str], str], dict[str, Sequence[str]]]:
        document = self.record.document
        stand_ins = {
            (row["entrant"], row["instead_of"]): row["player"]
            for row in document["substitutes"]
            if row["round"] == self.number
        }
        return stand_ins, {row["id"]: row["players"] for row in document["entrants"]}

    def _players(self, where: str, table: Json) -> Point:
        (stands_in, entered), sides = self._due, self.record.rules.sides
        for side, entrant in enumerate(table["entrants"]):
            due = {stands_in.get((entrant, name), name) for name in entered[entrant]}
            sat = {name for name, of in zip(table["seats"], sides, strict=True) if of == side}
            if due != sat:
                params = {"entrant": entrant, "stated": sorted(sat), "computed": sorted(due)}
                return Point("players", where, DIFFERS, "", params)
        return Point("players", where, params={"stand_ins": len(stands_in)})

    # The seating.

    def seating(self) -> Iterator[Point]:
        """Verify the seating of a round, and what was changed after it; without drawing."""
        if self.round_["stage"]:
            yield _within_limits("seating", f"{self.where}.seating.tables", self._stage)
            return
        where, draw = f"{self.where}.draw", self.round_.get("draw")
        if draw is None:
            code = "by-hand" if self.record.settings.seating == "manual" else "no-draw"
            yield Point("draw", where, UNKNOWN, code)
            return
        if not self._could_be_drawn(draw):
            yield Point("draw", where, DIFFERS, "impossible")
            return
        yield _within_limits("scores", f"{where}.sections", lambda: self._scores(where, draw))
        yield self._against(f"{self.where}.tables", draw["tables"], draw["byes"])

    def draw(self) -> Iterator[Point]:
        """Verify the draw of a round, if there is one, by drawing it again."""
        where, draw = f"{self.where}.draw", self.round_.get("draw")
        if draw is not None and not self.round_["stage"] and self._could_be_drawn(draw):
            yield _within_limits(
                "draw", where, lambda: self._drawn_again(where, draw), code=TOO_MANY_DRAWS
            )

    def _could_be_drawn(self, draw: Json) -> bool:
        names = [entrant["id"] for section in draw["sections"] for entrant in section["entrants"]]
        known = {entrant["id"] for entrant in self.record.document["entrants"]}
        return (
            known.issuperset(names)
            and len(set(names)) == len(names)
            and draw["table_size"] == self.record.rules.side_count
            and draw["first"] <= self.number
        )

    def _drawn_again(self, where: str, draw: Json) -> Point:
        if draw["version"] not in REDRAWN:
            params = {"version": draw["version"], "own": SEATING_VERSION}
            return Point("draw", where, UNKNOWN, "other-version", params)
        try:
            tables, byes = redraw(draw, list(self._earlier(draw["first"])))
        except IMPOSSIBLE:
            return Point("draw", where, DIFFERS, "impossible")
        drawn, stated = _chairs(tables, byes), _chairs(draw["tables"], draw["byes"])
        if drawn == stated:
            return self._taken(where, draw)
        if self.history.is_reseated(draw["first"] - 1):
            return Point("draw", where, UNKNOWN, "reseated-before")
        seats = sum(drawn.get(name) != chair for name, chair in stated.items())
        return Point("draw", f"{where}.tables", DIFFERS, "redrawn", {"seats": seats})

    def _taken(self, where: str, draw: Json) -> Point:
        """Return the point of a draw that is as published, with which alternative was taken."""
        again = draw["seed"] != self.record.document["tournament"]["seed"]
        offered = draw.get("alternatives", {}).get("offered", ())
        if len(offered) < 2:
            return Point("draw", where, SAME, "drawn-again" if again else "")
        where = f"{where}.alternatives"
        if (at := taken_of(draw)) is None:
            return Point("draw", where, DIFFERS, "not-offered")
        code = "taken-of-further-draw" if again else "taken"
        return Point("draw", where, SAME, code, {"number": at + 1, "count": len(offered)})

    def _earlier(self, first: int) -> Iterator[PlayedRound]:
        """Yield the rounds before: as published, and those of the same draw as drawn."""
        for round_ in self.record.document["rounds"][: self.number - 1]:
            drawn = round_.get("draw") if round_["number"] >= first else None
            tables = [table["entrants"] for table in round_["tables"]]
            if drawn is not None:
                tables = drawn["tables"]
            elif round_["published_at"] is None:
                tables = round_["seating"]["tables"]
            byes = (drawn or (round_ if round_["published_at"] else round_["seating"]))["byes"]
            yield PlayedRound(tuple(map(tuple, tables)), tuple(byes))

    def _scores(self, where: str, draw: Json) -> Point:
        first = draw["first"]
        found: Point | None = None
        for moment in self._moments_of_draw(first):
            record = self.record if moment is None else self.history.as_of(moment, first - 1)
            points = {row.entrant: row.points for row in standings_after(record, first - 1)}
            wrong = [
                (f"{where}.sections[{at}].entrants[{place}].score", entrant["score"], due)
                for at, section in enumerate(draw["sections"])
                for place, entrant in enumerate(section["entrants"])
                if entrant["score"] != (due := write_points(points.get(entrant["id"], 0)))
            ]
            if not wrong:
                return Point("scores", f"{where}.sections")
            path, stated, computed = wrong[0]
            params = {"stated": stated, "computed": computed}
            found = found or Point("scores", path, DIFFERS, "", params)
        if found is None or self.history.is_reseated(first - 1):
            return Point("scores", f"{where}.sections", UNKNOWN, "reseated-before")
        return found

    def _moments_of_draw(self, first: int) -> Iterator[Moment | None]:
        """Yield when the draw may have been made: now, or at any state of the results before."""
        yield None
        rounds = self.record.document["rounds"]
        since = moment_of(rounds[first - 2]["closed_at"]) if first > 1 else None
        until = moment_of(rounds[first - 1]["published_at"])
        if since is not None:
            yield since
            yield from self.history.changes(
                first - 1, lambda at: since < at and (until is None or at <= until)
            )

    def _stage(self) -> Point:
        where, moment = f"{self.where}.seating.tables", moment_of(self.round_["published_at"])
        record = self.record if moment is None else self.history.as_of(moment, self.number - 1)
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
        tables_now = [table["entrants"] for table in self.round_["tables"]]
        stands = _chairs(tables_now, self.round_["byes"])
        if self.round_["published_at"] is None:
            seating = self.round_["seating"]
            stands = _chairs(seating["tables"], seating["byes"])
        drawn = _chairs(tables, byes)
        changed = sum(drawn.get(name) != chair for name, chair in stands.items())
        gone = len(drawn.keys() - stands.keys())
        code = "changed-by-hand" if changed or gone else ""
        return Point("seating", where, SAME, code, {"seats": changed, "gone": gone})

    # The standings.

    def standings(self) -> Iterator[Point]:
        """Verify the places after a closed round: with every tie-break, and as at its closing."""
        where = f"{self.where}.ranking"
        yield _within_limits("standings", where, lambda: self._ranking(where))
        where = f"{self.where}.standings"
        yield _within_limits("closing", where, lambda: self._closing(where))

    @cached_property
    def _now(self) -> Sequence[Standing]:
        return standings_after(self.record, self.number)

    def _ranking(self, where: str) -> Point:
        rulings = sum(
            ruling["round"] <= self.number and ruling["withdrawn_at"] is None
            for ruling in self.record.document["rulings"]
        )
        count = {"places": len(self._now), "rulings": rulings}
        stated = self.round_.get("ranking")
        return _compared("standings", where, stated, write_ranking(self._now), **count)

    def _closing(self, where: str) -> Point:
        stated = self.round_["standings"]
        if stated is None:
            return Point("closing", where, UNKNOWN, "not-exported")
        if stated == (computed := stored_standings(self._now)):
            return Point("closing", where)
        closed = moment_of(self.round_["closed_at"])
        assert closed is not None
        moments = [closed, *self.history.changes(self.number, lambda at: at > closed)]
        document = self.record.document
        rounds = document["rounds"][: self.number]
        seated = {
            *(
                name
                for played in rounds
                for table in played["tables"]
                for name in table["entrants"]
            ),
            *(name for played in rounds for name in played["byes"]),
            *(row["entrant"] for row in document["rulings"] if row["round"] <= self.number),
        }
        for moment in moments:
            then = self.history.as_of(moment, self.number)
            # Whoever entered later has no place, and house players help to rank the others.
            those = [
                competitor
                for competitor in competitors_of(then)
                if competitor.house or competitor.id in stated or competitor.id in seated
            ]
            if stated == stored_standings(standings_after(then, self.number, those)):
                changed = sum(computed.get(name) != row for name, row in stated.items())
                return Point("closing", where, SAME, "corrected-since", {"places": changed})
        if self.history.is_reseated(self.number):
            return Point("closing", where, UNKNOWN, "reseated-since")
        path, own, due = _first_difference(where, stated, computed)
        return Point("closing", path, DIFFERS, "", {"stated": own, "computed": due})


def _chairs(tables: Sequence[Sequence[str]], byes: Iterable[str]) -> dict[str, tuple[int, int]]:
    """Return the table and side of each entrant, from 0; those with a bye sit at none."""
    chairs = {
        name: (at, side) for at, table in enumerate(tables) for side, name in enumerate(table)
    }
    return chairs | dict.fromkeys(byes, (-1, -1))


RATINGS_FORMAT = "kingscore-ratings/1"
DAY = 86400.0


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) <= LARGE and isfinite(value)


NUMBER = plain("number", _is_number, {"type": "number", "minimum": -LARGE, "maximum": LARGE})
POSITIVE = plain(
    "number above 0",
    lambda value: _is_number(value) and value > 0,
    {"type": "number", "exclusiveMinimum": 0, "maximum": LARGE},
)
RULESET = text(LONGEST_ID + len("house "), least=1)
COUNT = whole(0, LARGE)
RATING = listed(NUMBER, 2, 2)
"""The mean and the variance of a rating."""

PROGRAM: Mapping[str, Any] = {
    "model": MODEL,
    "mean": START,
    "start": START_VARIANCE,
    "luck": LUCK,
    "drift": DRIFT,
    "provisional": PROVISIONAL,
}
"""The constants of the program, as in a document."""

SEAT = fields({"player": PLAYER_ID, "before": RATING, "after": RATING})
GAME = fields(
    {
        "at": MOMENT,
        "ruleset": RULESET,
        "sides": listed(whole(0, MOST_SEATS - 1), 2, MOST_SEATS),
        "totals": listed(WORTH, 2, MOST_SEATS),
        "ranks": listed(PLACE, 2, MOST_SEATS),
        # Without it the points count.
        "counts": plain(
            "half-places", lambda value: value == "half-places", {"const": "half-places"}
        ).optional(),
        "seats": listed(or_null(SEAT), 2, MOST_SEATS),
        "digest": DIGEST.optional(),
    }
)
STANDING = fields(
    {
        "player": PLAYER_ID,
        "games": whole(1, LARGE),
        "last_at": MOMENT,
        "rating": RATING,
        "provisional": SWITCH,
    }
)
POOL = fields(
    {
        "family": text(LONGEST_ID, least=1),
        "constants": fields(
            {
                "version": COUNT,
                "fitted_at": or_null(MOMENT),
                "start": POSITIVE,
                "luck": mapping(
                    POSITIVE, {"type": "object", "additionalProperties": POSITIVE.schema}
                ),
            }
        ),
        "games": listed(GAME),
        "ratings": listed(STANDING),
    }
)
DOCUMENT = fields(
    {
        "format": plain(
            RATINGS_FORMAT, lambda value: value == RATINGS_FORMAT, {"const": RATINGS_FORMAT}
        ),
        "club": fields({"slug": slug(LONGEST_ID), "name": NAME}),
        "program": fields(
            {"model": text(LONGEST_ID, least=1), **dict.fromkeys(list(PROGRAM)[1:], POSITIVE)}
        ),
        "players": listed(fields({"id": PLAYER_ID, "name": or_null(NAME)})),
        "pools": listed(POOL),
        "digest": DIGEST,
    }
)


def ratings_schema() -> Schema:
    return {
        **head_schema("ratings", RATINGS_FORMAT),
        "description": "The rated games of a club in order, with the ratings before and after each:"
        " mean and variance. `docs/ratings.md` says how they are computed.",
        **DOCUMENT.schema,
    }


def verify_ratings(document: Any) -> Verification:
    """Recompute every rating of a document to the last digit."""
    if problems := DOCUMENT.problems(document):
        return Verification(RATINGS_FORMAT, problems=problems)
    digest = digest_of_document(document)
    points = [_same("document", "digest", document["digest"], digest)]
    if document["program"] == PROGRAM:
        for number, pool in enumerate(document["pools"]):
            points += _Pool(f"pools[{number}]", pool).verified()
    else:
        params = {"model": document["program"]["model"], "own": MODEL}
        points.append(Point("rating", "program", UNKNOWN, "other-model", params))
    return Verification(RATINGS_FORMAT, tuple(points), digest=digest)


def _same(what: str, where: str, stated: Any, computed: Any) -> Point:
    if stated == computed:
        return Point(what, where)
    return Point(what, where, DIFFERS, params={"stated": stated, "computed": computed})


class _Pool:
    """A pool of a document while it is recomputed.

    After each game it goes on from what is stated, so that one wrong number is told where it is.
    """

    def __init__(self, where: str, pool: Any) -> None:
        self.where, self.pool = where, pool
        # The rating of each player, the moment of the last game, and the number of games.
        self.states: dict[str, tuple[Rating, datetime, int]] = {}
        self.spreads: dict[str, Spread] = {}
        self.constants = Constants(pool["constants"]["start"], pool["constants"]["luck"])

    def verified(self) -> Iterator[Point]:
        last: datetime | None = None
        for number, game in enumerate(self.pool["games"]):
            spend(1)
            where, at = f"{self.where}.games[{number}]", datetime.fromisoformat(game["at"])
            if last is not None and at < last:
                yield Point("rating", f"{where}.at", DIFFERS, "out-of-order")
            elif len(game["seats"]) != len(game["sides"]) or not self._fits(game):
                yield Point("rating", where, DIFFERS, "unfit-game")
            else:
                yield from self._game(where, game, at)
            last = at
        yield self._now()

    def _fits(self, game: Any) -> bool:
        totals, ranks = game["totals"], game["ranks"]
        known = [seat["player"] for seat in game["seats"] if seat]
        return (
            set(game["sides"]) == set(range(len(totals)))
            and len(ranks) == len(totals)
            # Equals share a place, and have equal points.
            and all(rank == 1 + sum(other < rank for other in ranks) for rank in ranks)
            and len({*ranks}) == len({*zip(ranks, map(number_of, totals), strict=True)})
            and len(known) == len({*known}) > 1
            and all(
                rating[1] > 0
                for seat in game["seats"]
                if seat
                for rating in (seat["before"], seat["after"])
            )
        )

    def _game(self, where: str, game: Any, at: datetime) -> Iterator[Point]:
        scores = scores_of([number_of(total) or 0 for total in game["totals"]], game["ranks"])
        earlier = self.spreads.get(game["ruleset"], Spread())
        if "counts" in game:
            scores, _places = half_places(scores, game["ranks"], earlier.width)
        self.spreads[game["ruleset"]] = spread = earlier.seeing(scores)
        before = [self._before(seat, at) for seat in game["seats"]]
        unit = self.constants.unit(game["ruleset"], spread)
        after = rate(before, game["sides"], scores, unit)
        computed = [
            {"player": seat["player"], "before": list(old[:2]), "after": list(new[:2])}
            for seat, old, new in zip(game["seats"], before, after, strict=True)
            if seat
        ]
        stated = [seat for seat in game["seats"] if seat]
        yield _same("rating", where, stated, computed)
        for seat in stated:
            _rating, _last, games = self.states.get(seat["player"], (None, None, 0))
            mean, variance = seat["after"]
            rating = Rating(mean, variance, self.constants.start)
            self.states[seat["player"]] = rating, at, games + 1

    def _before(self, seat: Any, at: datetime) -> Rating:
        if seat is None or seat["player"] not in self.states:
            return newcomer(self.constants.start)
        rating, last, _games = self.states[seat["player"]]
        days = (at - last).total_seconds() / DAY
        return rating.rested(days) if days else rating

    def _now(self) -> Point:
        computed = {
            player: [games, last, *rating[:2], rating.provisional]
            for player, (rating, last, games) in self.states.items()
        }
        stated = {
            row["player"]: [
                *(row["games"], datetime.fromisoformat(row["last_at"])),
                *(*row["rating"], row["provisional"]),
            ]
            for row in self.pool["ratings"]
        }
        if stated == computed and len(stated) == len(self.pool["ratings"]):
            return Point("current-rating", f"{self.where}.ratings", SAME)
        wrong = [name for name in computed | stated if computed.get(name) != stated.get(name)]
        params = {"stated": wrong[:3], "computed": ""}
        return Point("current-rating", f"{self.where}.ratings", DIFFERS, "other-ratings", params)


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
