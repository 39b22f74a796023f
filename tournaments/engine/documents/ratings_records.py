"""The document `kingscore-ratings/1`: a club's rating history, its form, and its verification."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from math import isfinite
from typing import Any

from tournaments.engine.documents.digests import digest_of_document
from tournaments.engine.documents.tournament_schema import DIGEST, NAME, PLACE, PLAYER_ID
from tournaments.engine.documents.verification import DIFFERS, SAME, UNKNOWN, Point, Verification
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
    newcomer,
    rate,
    scores_of,
)
from tournaments.engine.rules.limits import LONGEST_ID
from tournaments.engine.rules.rulesets import number_of
from tournaments.engine.rules.shapes import (
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
)
from tournaments.engine.work import spend

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
_GAME = {
    "at": MOMENT,
    "ruleset": RULESET,
    "sides": listed(whole(0, 3), 2, 4),
    "totals": listed(WORTH, 2, 4),
    "ranks": listed(PLACE, 2, 4),
    "seats": listed(or_null(SEAT), 2, 4),
}
GAME = fields(_GAME | {"digest": DIGEST}, required=_GAME)
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
    """Return the schema of a `kingscore-ratings/1` document."""
    return {
        **head_schema("ratings", RATINGS_FORMAT),
        "description": "The rated games of a club in order, with the ratings before and after each:"
        " mean and variance. `docs/ratings.md` says how they are computed.",
        **DOCUMENT.schema,
    }


def verify_ratings(document: Any) -> Verification:
    """Recompute every rating of a document to the last digit."""
    problems = tuple(DOCUMENT.check("", document)) or ()
    if problems:
        return Verification(RATINGS_FORMAT, problems=problems)
    digest = digest_of_document(document)
    points = [_compared("document", "digest", document["digest"], digest)]
    if document["program"] == PROGRAM:
        for number, pool in enumerate(document["pools"]):
            points += _Pool(f"pools[{number}]", pool).verified()
    else:
        params = {"model": document["program"]["model"], "own": MODEL}
        points.append(Point("rating", "program", UNKNOWN, "other-model", params))
    return Verification(RATINGS_FORMAT, tuple(points), digest=digest)


def _compared(what: str, where: str, stated: Any, computed: Any) -> Point:
    if stated == computed:
        return Point(what, where)
    return Point(what, where, DIFFERS, params={"stated": stated, "computed": computed})


@dataclass
class _State:
    rating: Rating
    last_at: datetime
    games: int = 0


@dataclass
class _Pool:
    """A pool of a document while it is recomputed.

    After each game it goes on from what is stated, so that one wrong number is told where it is.
    """

    where: str
    pool: Any
    states: dict[str, _State] = field(default_factory=dict)
    spreads: dict[str, Spread] = field(default_factory=dict)

    def verified(self) -> Iterator[Point]:
        constants = self.pool["constants"]
        self.constants = Constants(constants["start"], constants["luck"])
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
        """Return whether sides, totals and places belong together, and two players are rated."""
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
        spread = self.spreads.get(game["ruleset"], Spread()).seeing(scores)
        self.spreads[game["ruleset"]] = spread
        before = [self._before(seat, at) for seat in game["seats"]]
        unit = self.constants.unit(game["ruleset"], spread)
        after = rate(before, game["sides"], scores, unit)
        computed = [
            {"player": seat["player"], "before": list(old[:2]), "after": list(new[:2])}
            for seat, old, new in zip(game["seats"], before, after, strict=True)
            if seat
        ]
        stated = [seat for seat in game["seats"] if seat]
        yield _compared("rating", where, stated, computed)
        for seat in stated:
            state = self.states[seat["player"]]
            mean, variance = seat["after"]
            state.rating, state.last_at = Rating(mean, variance, self.constants.start), at
            state.games += 1

    def _before(self, seat: Any, at: datetime) -> Rating:
        unknown = newcomer(self.constants.start)
        if seat is None:
            return unknown
        state = self.states.setdefault(seat["player"], _State(unknown, at))
        days = (at - state.last_at).total_seconds() / DAY
        return state.rating.rested(days) if days else state.rating

    def _now(self) -> Point:
        computed = {
            player: [state.games, state.last_at, *state.rating[:2], state.rating.provisional]
            for player, state in self.states.items()
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
        wrong = [each for each in computed | stated if computed.get(each) != stated.get(each)]
        params = {"stated": wrong[:3], "computed": ""}
        return Point("current-rating", f"{self.where}.ratings", DIFFERS, "other-ratings", params)
