"""The nightly check of ratings: `look_at_changes` and `look_at_ratings`, in `nights.CACHES`.

The first rates all games again, a stretch of 25 rounds at a time, each from the stored ratings
before it: so one wrong change is reported once, not all that follow from it. The second compares
each rating with its last change. What is due to be rated anew is no mismatch (`Pending`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import chain
from typing import Any, NamedTuple

from django.db.models import Exists, F, OuterRef, Q, Subquery

from tournaments.engine.ratings.ratings import MODEL, Constants, Rating, Spread, newcomer, rate
from tournaments.models import (
    Club,
    PlayerRating,
    RatedRound,
    RatingChange,
    RatingDue,
    RatingLedger,
    RatingPool,
    Round,
)
from tournaments.queries.ratings import DAY, LastChange, displayed_points, last_changes, month_of
from tournaments.services.base.writes import one_moment
from tournaments.services.checks.caches import Mismatch, ScanResult, batches_of
from tournaments.services.ratings.computing import rebuild_ratings
from tournaments.services.ratings.games import Played, RoundToRate, person_of, played_rounds

ROUNDS_AT_ONCE = 25
"""About 500 games, some tenths of a second: see `sheets.AT_ONCE`."""

ROWS_AT_ONCE = 2000

PoolKey = tuple[int | None, str]
"""A pool by its club (None: the server) and its family."""


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """Moments from `since` up to, but without, `until`; None means no limit."""

    since: datetime | None
    until: datetime | None

    @property
    def rows(self) -> Q:
        since = Q() if self.since is None else Q(at__gte=self.since)
        return since if self.until is None else since & Q(at__lt=self.until)


def stretch_from(since: datetime | None) -> tuple[TimeSpan, set[int]]:
    """Return the next stretch of a few closed rounds, and the keys of their clubs."""
    closed = Round.objects.closed().in_order_of_play().select_related("event")
    coming = closed if since is None else closed.played_since(since)
    rounds = list(coming[:ROUNDS_AT_ONCE])
    if len(rounds) < ROUNDS_AT_ONCE:
        return TimeSpan(since, None), {round_.event.club_id for round_ in rounds}
    last = rounds[-1]
    # Rounds of the same moment stay together.
    same = closed.filter(event__held_on=last.event.held_on, number=last.number)
    until = last.played_at + timedelta(seconds=1)
    return TimeSpan(since, until), {each.event.club_id for each in (*rounds, *same)}


class StoredChange(NamedTuple):
    """A stored change; `prior` is the change with the number before, if it exists."""

    club: int | None
    family: str
    person: str
    game: int
    seat: int
    number: int
    at: datetime
    before: Rating
    after: Rating
    prior: "Prior | None"


class Prior(NamedTuple):
    """The values after the change before."""

    game: int
    at: datetime
    after: Rating


def stored_changes(stretch: TimeSpan) -> Iterator[StoredChange]:
    """Yield the changes of a stretch in no order, each with the one before (1 query)."""
    before = RatingChange.objects.filter(rating=OuterRef("rating"), number=OuterRef("less"))
    priors = ("game_id", "at", "mean", "variance")
    rows = RatingChange.objects.filter(stretch.rows).order_by().alias(less=F("number") - 1)
    details = {f"prior_{name}": Subquery(before.values(name)[:1]) for name in priors}
    values: Any = rows.annotate(**details).values_list(
        *("rating__pool__club_id", "rating__pool__family", "rating__person"),
        *("game_id", "seat", "number", "at", "mean_before", "variance_before"),
        *("mean", "variance", "rating__start", *details),
    )
    for club, family, person, game, seat, number, at, *rest in values.iterator(ROWS_AT_ONCE):
        mean_before, variance_before, mean, variance, start, prior, prior_at, *after = rest
        yield StoredChange(
            *(club, family, person, game, seat, number, at),
            Rating(mean_before, variance_before, start),
            Rating(mean, variance, start),
            None if prior is None else Prior(prior, prior_at, Rating(after[0], after[1], start)),
        )


def read_spreads(stored: Any) -> dict[str, Spread]:
    """Convert stored spreads to those of the engine."""
    return {name: Spread(*spread) for name, spread in stored.items()}


class Pending:
    """The moments from which ratings will be recomputed, or that all of them will be.

    Loaded in the same snapshot as the other reads (3 queries).
    """

    def __init__(self) -> None:
        clubs = Club.objects.filter(in_server_ratings=True)
        taking_part = set(clubs.values_list("pk", flat=True))
        self.since: dict[int | None, datetime] = {}
        for club, moment in RatingDue.objects.values_list("club_id", "since"):
            # Computing a participating club then requests the server's ratings.
            for scope in {club, None} if club in taking_part else {club}:
                self.since[scope] = min(moment, self.since.get(scope, moment))
        ledger = RatingLedger.objects.first()
        self.everything = ledger is not None and ledger.model != MODEL

    def covers(self, club: int | None, at: datetime) -> bool:
        """Return whether what was rated at `at`, in a club or on the server, is pending."""
        since = self.since.get(club)
        return self.everything or (since is not None and at >= since)


ChangeKey = tuple[int, int, str]
"""The key of a rating change: game, seat and person (`person_of`)."""


def look_at_changes() -> Iterator[ScanResult]:
    """Compare stored rating changes with those computed from the games of each stretch."""
    until: datetime | None = None
    while True:
        with one_moment():
            stretch, clubs = stretch_from(until)
            number, mismatches = _look(stretch, clubs, Pending())
        yield number, mismatches
        until = stretch.until
        if until is None:
            return


def _look(stretch: TimeSpan, clubs: set[int], pending: Pending) -> tuple[int, list[Mismatch]]:
    """Return how many changes a stretch has, and what differs in it."""
    number, pools = _read_pools(stretch, clubs)
    begin: dict[PoolKey, Any] = {}
    for club, family in pools:
        rows = RatedRound.objects.filter(pool__club=club, pool__family=family)
        last = rows.filter(at__lt=stretch.since) if stretch.since else rows.none()
        stored = last.order_by("-at", "-round_id").values_list("spreads", flat=True).first()
        begin[club, family] = stored or {}
    for row in RatingPool.objects.filter(version__gt=0):
        pools[row.club_id, row.family].constants = row.constants
    differing = chain.from_iterable(pool.look(begin[key]) for key, pool in pools.items())
    # Changes whose rating is gone; no constraint prevents that.
    there = PlayerRating.objects.filter(pk=OuterRef("rating_id"))
    orphans = RatingChange.objects.filter(~Exists(there), stretch.rows).order_by()
    gone = orphans.values_list("at", "game_id", "rating_id")
    lost = [(at, Mismatch(None, f"game {game}, rating {pk}")) for at, game, pk in gone]
    details = chain(differing, lost)
    return number, [each for at, each in details if not pending.covers(each.club, at)]


def _read_pools(stretch: TimeSpan, clubs: set[int]) -> tuple[int, dict[PoolKey, "_Stretch"]]:
    pools = _Pools()
    number = 0
    for change in stored_changes(stretch):
        pools[change.club, change.family].changes[change.game, change.seat, change.person] = change
        number += 1
    for row in RatedRound.objects.filter(stretch.rows).select_related("pool"):
        pools[row.pool.club_id, row.pool.family].rounds[row.round_id] = row
    for scope in {club for club, _family in pools} | clubs | {None}:
        for round_ in chain.from_iterable(played_rounds(scope, stretch.since, stretch.until)):
            for game in round_.games:
                pools[scope, game.family].games.append((round_, game))
    return number, pools


class _Pools(dict[PoolKey, "_Stretch"]):
    """Pools by key, created on first access."""

    def __missing__(self, key: PoolKey) -> "_Stretch":
        self[key] = _Stretch(key)
        return self[key]


class _Stretch:
    """A stretch of a pool: the stored values, and its games in order."""

    def __init__(self, key: PoolKey) -> None:
        self.key = key
        self.changes: dict[ChangeKey, StoredChange] = {}
        self.rounds: dict[int, RatedRound] = {}
        self.games: list[tuple[RoundToRate, Played]] = []
        self.constants = Constants()

    def look(self, begin: Any) -> Iterator[tuple[datetime, Mismatch]]:
        """Yield each difference with its moment; `begin` are the stored spreads before."""
        order = {game.pk: number for number, (_place, game) in enumerate(self.games)}
        spreads = read_spreads(begin)
        rounds: dict[int, tuple[RoundToRate, list[Played]]] = {}
        for round_, game in self.games:
            rounds.setdefault(round_.pk, (round_, []))[1].append(game)
        for round_, games in rounds.values():
            for game in games:
                before = spreads.get(game.spread, Spread())
                scores = game.counted(before)
                spreads[game.spread] = before.seeing(scores)
                unit = self.constants.unit(game.spread, spreads[game.spread])
                for mismatch in self._look_at_game(round_, game, scores, unit, order):
                    yield round_.at, mismatch
            row = self.rounds.pop(round_.pk, None)
            computed = {name: list(spread) for name, spread in spreads.items()}
            stored = None if row is None or row.at != round_.at else row.spreads
            if stored != computed:
                yield round_.at, self._mismatch(f"round {round_.pk}", stored, computed)
            # Continue from the stored value, so that one wrong spread is reported once.
            spreads = read_spreads(stored or computed)
        for change in self.changes.values():
            yield (
                change.at,
                self._mismatch(_subject(change.game, change.person), _details(change), None),
            )
        for pk, row in self.rounds.items():
            yield row.at, self._mismatch(f"round {pk}", row.spreads, None)

    def _look_at_game(
        self,
        round_: RoundToRate,
        game: Played,
        scores: Sequence[float],
        unit: float,
        order: dict[int, int],
    ) -> Iterator[Mismatch]:
        people = [person_of(who) if who else None for who in game.people]
        # Removed from the rest: changes left at the end belong to no game.
        stored = [
            None if who is None else self.changes.pop((game.pk, seat, who), None)
            for seat, who in enumerate(people)
        ]
        unknown = newcomer(self.constants.start)
        befores = [unknown if each is None else each.before for each in stored]
        # With one missing, the result of the others is unknown.
        missing = any(
            who is not None and each is None for who, each in zip(people, stored, strict=True)
        )
        afters = [] if missing else rate(befores, game.sides, scores, unit)
        for seat, (who, each) in enumerate(zip(people, stored, strict=True)):
            if who is None:
                continue
            if each is None:
                yield self._mismatch(_subject(game.pk, who), None, {"seat": seat})
                continue
            before = self._before(each, round_.at, order)
            after = afters[seat] if afters else each.after
            right = {"at": round_.at, "before": before, "after": after}
            if right != {"at": each.at, "before": each.before, "after": each.after}:
                computed = _values(each.number, before, after)
                yield self._mismatch(_subject(game.pk, who), _details(each), computed)

    def _before(self, change: StoredChange, at: datetime, order: dict[int, int]) -> Rating | None:
        """Return the rating a change must begin with; None if it is out of order."""
        prior = change.prior
        if prior is None:
            return newcomer(self.constants.start) if change.number == 1 else None
        if prior.at == at:
            # Two games of one moment are both in the stretch.
            return prior.after if order.get(prior.game, -1) < order[change.game] else None
        if prior.at > at:
            return None
        return prior.after.rested((at - prior.at).total_seconds() / DAY)

    def _mismatch(self, row: str, stored: Any, computed: Any) -> Mismatch:
        club, family = self.key
        return Mismatch(club, f"{family} in {club or 'all clubs'}, {row}", stored, computed)


def _subject(game: int, person: str) -> str:
    return f"game {game}, {person}"


def _details(change: StoredChange) -> dict[str, Any]:
    return _values(change.number, change.before, change.after)


def _values(number: int, before: Rating | None, after: Rating) -> dict[str, Any]:
    return {"number": number, "before": before and list(before), "after": list(after)}


AT_ONCE = 1000


def look_at_ratings() -> Iterator[ScanResult]:
    for keys in batches_of(PlayerRating.objects.all(), AT_ONCE):
        with one_moment():
            pending = Pending()
            rows = PlayerRating.objects.filter(pk__in=keys)
            ratings = list(rows.order_by("pk").select_related("pool"))
            last = {change.rating: change for change in last_changes(rows)}
        mismatches = [
            Mismatch(row.pool.club_id, f"{row.pool}, {row.person}", _stored(row), computed)
            for row in ratings
            if _stored(row) != (computed := _computed(row, last.get(row.pk)))
            and not pending.covers(row.pool.club_id, row.last_at)
        ]
        yield len(ratings), mismatches


def _stored(row: PlayerRating) -> list[Any]:
    displayed = row.points, row.month, row.provisional
    return [
        row.mean,
        row.variance,
        row.start,
        row.games,
        row.last_at.isoformat(),
        row.player_id,
        *displayed,
    ]


def _computed(row: PlayerRating, change: LastChange | None) -> list[Any] | None:
    if change is None:
        return None
    player = change.player or row.player_id
    rating, at = Rating(change.mean, change.variance, row.pool.start), change.at
    displayed = displayed_points(rating), month_of(at), rating.provisional
    return [*rating, change.number, at.isoformat(), player, *displayed]


def repair_ratings(_mismatches: Sequence[Mismatch]) -> None:
    """Recompute all ratings once, however many differ."""
    rebuild_ratings()
