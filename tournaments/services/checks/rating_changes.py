"""Rating changes of each game, and spreads of points, recomputed game by game.

Each stored change is compared with the one computed from the stored change before it. If each
follows from the one before, all equal a computation from the first game on, and one wrong value is
reported once and not in all later ones. So the ratings are checked in stretches of time, and
memory holds one stretch at a time.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain
from typing import Any

from tournaments.engine.ratings.ratings import Constants, Rating, Spread, newcomer, rate
from tournaments.models import RatedRound, RatingPool
from tournaments.queries.ratings.ratings import DAY
from tournaments.services.base.moment import one_moment
from tournaments.services.checks.caches import Mismatch, ScanResult
from tournaments.services.checks.rating_rows import (
    Pending,
    PoolKey,
    StoredChange,
    TimeSpan,
    load_pending,
    orphans,
    rated_rounds,
    read_spreads,
    spreads_before,
    stored_changes,
    stretch_from,
)
from tournaments.services.ratings.games import Played, RoundToRate, person_of, played_rounds

Place = tuple[int, int, str]
"""A game, a seat in it, and the player."""


def look_at_changes() -> Iterator[ScanResult]:
    """Compare stored rating changes with those computed from the games of each stretch."""
    until: datetime | None = None
    while True:
        with one_moment():
            stretch, clubs = stretch_from(until)
            number, found = _look(stretch, clubs, load_pending())
        yield ScanResult(number, tuple(found))
        until = stretch.until
        if until is None:
            return


def _look(stretch: TimeSpan, clubs: set[int], pending: Pending) -> tuple[int, list[Mismatch]]:
    """Return the number of changes in a stretch, and the differences."""
    number, pools = _read_pools(stretch, clubs)
    begin = spreads_before(pools, stretch.since)
    for row in RatingPool.objects.filter(version__gt=0):
        pools[row.club_id, row.family].constants = row.constants
    differing = chain.from_iterable(pool.look(begin[key]) for key, pool in pools.items())
    gone = orphans(stretch).values_list("at", "game_id", "rating_id")
    lost = [(at, Mismatch(None, f"game {game}, rating {pk}")) for at, game, pk in gone]
    details = chain(differing, lost)
    return number, [each for at, each in details if not pending.covers(each.club, at)]


def _read_pools(stretch: TimeSpan, clubs: set[int]) -> tuple[int, dict[PoolKey, "_Stretch"]]:
    """Read the stored values of each pool in a stretch, without games; also count the changes."""
    pools = _Pools()
    number = 0
    for change in stored_changes(stretch):
        pools[change.pool].changes[change.game, change.seat, change.person] = change
        number += 1
    for (key, pk), row in rated_rounds(stretch).items():
        pools[key].rounds[pk] = row
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


@dataclass(slots=True)
class _Stretch:
    """A stretch of a pool: the stored values, and its games in order."""

    key: PoolKey
    changes: dict[Place, StoredChange] = field(default_factory=dict)
    rounds: dict[int, RatedRound] = field(default_factory=dict)
    games: list[tuple[RoundToRate, Played]] = field(default_factory=list)
    constants: Constants = field(default_factory=Constants)

    def look(self, begin: Any) -> Iterator[tuple[datetime, Mismatch]]:
        """Yield each difference with its moment; `begin` are the stored spreads before."""
        order = {game.pk: number for number, (_place, game) in enumerate(self.games)}
        spreads = read_spreads(begin)
        for round_, games in self._by_round():
            for game in games:
                spread = spreads.get(game.spread, Spread()).seeing(game.scores)
                spreads[game.spread] = spread
                for found in self._look_at_game(round_, game, spread, order):
                    yield round_.at, found
            row = self.rounds.pop(round_.pk, None)
            computed = {name: list(spread) for name, spread in spreads.items()}
            stored = None if row is None or row.at != round_.at else row.spreads
            if stored != computed:
                yield round_.at, self._found(f"round {round_.pk}", stored, computed)
            # Continue from the stored value, so that one wrong spread is reported once.
            spreads = read_spreads(stored or computed)
        for change in self.changes.values():
            yield (
                change.at,
                self._found(_subject(change.game, change.person), _details(change), None),
            )
        for pk, row in self.rounds.items():
            yield row.at, self._found(f"round {pk}", row.spreads, None)

    def _by_round(self) -> Iterator[tuple[RoundToRate, list[Played]]]:
        rounds: dict[int, tuple[RoundToRate, list[Played]]] = {}
        for round_, game in self.games:
            rounds.setdefault(round_.pk, (round_, []))[1].append(game)
        return iter(rounds.values())

    def _look_at_game(
        self, round_: RoundToRate, game: Played, spread: Spread, order: dict[int, int]
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
        unit = self.constants.unit(game.spread, spread)
        afters = [] if missing else rate(befores, game.sides, game.scores, unit)
        for seat, (who, each) in enumerate(zip(people, stored, strict=True)):
            if who is None:
                continue
            if each is None:
                yield self._found(_subject(game.pk, who), None, {"seat": seat})
                continue
            before = self._before(each, round_.at, order)
            after = afters[seat] if afters else each.after
            right = {"at": round_.at, "before": before, "after": after}
            if right != {"at": each.at, "before": each.before, "after": each.after}:
                computed = _values(each.number, before, after)
                yield self._found(_subject(game.pk, who), _details(each), computed)

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

    def _found(self, row: str, stored: Any, computed: Any) -> Mismatch:
        club, family = self.key
        return Mismatch(club, f"{family} in {club or 'all clubs'}, {row}", stored, computed)


def _subject(game: int, person: str) -> str:
    return f"game {game}, {person}"


def _details(change: StoredChange) -> dict[str, Any]:
    return _values(change.number, change.before, change.after)


def _values(number: int, before: Rating | None, after: Rating) -> dict[str, Any]:
    return {"number": number, "before": before and list(before), "after": list(after)}
