"""What each game has changed in ratings, and the spreads of points: made again game by game.

Each stored change is compared with what the stored change before it makes of the game. If every
one follows from the one before, all are what computing from the first game on would give, and
one wrong value is told once instead of in all that follow. So the ratings of a server are checked
in stretches of time, and no more than one is ever in memory.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain
from typing import Any

from tournaments.engine.ratings import Rating, Spread, rate
from tournaments.models import RatedRound
from tournaments.queries.ratings import DAY
from tournaments.services.checking.caches import Found, Looked
from tournaments.services.checking.moment import one_moment
from tournaments.services.checking.pending import Pending, load_pending
from tournaments.services.checking.rating_rows import (
    PoolKey,
    StoredChange,
    Stretch,
    orphans,
    rated_rounds,
    read_spreads,
    spreads_before,
    stored_changes,
    stretch_from,
)
from tournaments.services.ratings.games import Played, PlayedRound, played_rounds

Place = tuple[int, int, str]
"""A game, a seat of it, and who sat there."""


def look_at_changes(after: str | None) -> Looked:
    """Compare what games have changed in ratings with what the games of a stretch make of them."""
    since = None if after is None else datetime.fromisoformat(after)
    with one_moment():
        stretch, clubs = stretch_from(since)
        number, found = _look(stretch, clubs, load_pending())
    return Looked(number, tuple(found), stretch.until and stretch.until.isoformat())


def _look(stretch: Stretch, clubs: set[int], pending: Pending) -> tuple[int, list[Found]]:
    """How many changes a stretch has, and what differs in it."""
    number, pools = _read_pools(stretch, clubs)
    begin = spreads_before(pools, stretch.since)
    differing = chain.from_iterable(pool.look(begin[key]) for key, pool in pools.items())
    gone = orphans(stretch).values_list("at", "game_id", "rating_id")
    lost = [(at, Found(None, f"game {game}, rating {pk}")) for at, game, pk in gone]
    told = chain(differing, lost)
    return number, [each for at, each in told if not pending.covers(each.club, at)]


def _read_pools(stretch: Stretch, clubs: set[int]) -> tuple[int, dict[PoolKey, "_Pool"]]:
    """What is stored of each pool in a stretch, beside the games; and how many changes that is."""
    pools = _Pools()
    number = 0
    for change in stored_changes(stretch):
        pools[change.pool].changes[change.game, change.seat, change.person] = change
        number += 1
    for (key, pk), row in rated_rounds(stretch).items():
        pools[key].rounds[pk] = row
    for scope in {club for club, _family in pools} | clubs | {None}:
        for place in chain.from_iterable(played_rounds(scope, stretch.since, stretch.until)):
            for game in place.games:
                pools[scope, game.family].games.append((place, game))
    return number, pools


class _Pools(dict[PoolKey, "_Pool"]):
    """Pools by their keys, there when first asked for."""

    def __missing__(self, key: PoolKey) -> "_Pool":
        self[key] = _Pool(key)
        return self[key]


@dataclass(slots=True)
class _Pool:
    """A stretch of a pool: what is stored, and the games it is of, in order."""

    key: PoolKey
    changes: dict[Place, StoredChange] = field(default_factory=dict)
    rounds: dict[int, RatedRound] = field(default_factory=dict)
    games: list[tuple[PlayedRound, Played]] = field(default_factory=list)

    def look(self, begin: Any) -> Iterator[tuple[datetime, Found]]:
        """What differs, each with its moment; `begin` are the stored spreads before."""
        order = {game.pk: number for number, (_place, game) in enumerate(self.games)}
        spreads = read_spreads(begin)
        for place, games in self._by_round():
            for game in games:
                spread = spreads.get(game.spread, Spread()).seeing(game.scores)
                spreads[game.spread] = spread
                for found in self._look_at_game(place, game, spread, order):
                    yield place.at, found
            row = self.rounds.pop(place.pk, None)
            computed = {name: list(spread) for name, spread in spreads.items()}
            stored = None if row is None or row.at != place.at else row.spreads
            if stored != computed:
                yield place.at, self._found(f"round {place.pk}", stored, computed)
            # From what is stored on, so that one wrong spread is told once.
            spreads = read_spreads(stored or computed)
        for change in self.changes.values():
            yield change.at, self._found(_subject(change.game, change.person), _told(change), None)
        for pk, row in self.rounds.items():
            yield row.at, self._found(f"round {pk}", row.spreads, None)

    def _by_round(self) -> Iterator[tuple[PlayedRound, list[Played]]]:
        rounds: dict[int, tuple[PlayedRound, list[Played]]] = {}
        for place, game in self.games:
            rounds.setdefault(place.pk, (place, []))[1].append(game)
        return iter(rounds.values())

    def _look_at_game(
        self, place: PlayedRound, game: Played, spread: Spread, order: dict[int, int]
    ) -> Iterator[Found]:
        # Taken out of what is left: that belongs to no game.
        stored = [
            None if who is None else self.changes.pop((game.pk, seat, who), None)
            for seat, who in enumerate(game.people)
        ]
        befores = [Rating() if each is None else each.before for each in stored]
        # Where one is missing, what the others came to cannot be told.
        missing = any(
            who is not None and each is None for who, each in zip(game.people, stored, strict=True)
        )
        afters = [] if missing else rate(befores, game.sides, game.scores, spread.unit)
        for seat, (who, each) in enumerate(zip(game.people, stored, strict=True)):
            if who is None:
                continue
            if each is None:
                yield self._found(_subject(game.pk, who), None, {"seat": seat})
                continue
            before = _before(each, place.at, order)
            after = afters[seat] if afters else each.after
            right = {"at": place.at, "before": before, "after": after}
            if right != {"at": each.at, "before": each.before, "after": each.after}:
                computed = _values(each.number, before, after)
                yield self._found(_subject(game.pk, who), _told(each), computed)

    def _found(self, row: str, stored: Any, computed: Any) -> Found:
        club, family = self.key
        return Found(club, f"{family} in {club or 'all clubs'}, {row}", stored, computed)


def _before(change: StoredChange, at: datetime, order: dict[int, int]) -> Rating | None:
    """The rating with which a change has to begin; None where it is out of its turn."""
    prior = change.prior
    if prior is None:
        return Rating() if change.number == 1 else None
    if prior.at == at:
        # Of two games closed at one moment both are in the stretch.
        return prior.after if order.get(prior.game, -1) < order[change.game] else None
    if prior.at > at:
        return None
    return prior.after.rested((at - prior.at).total_seconds() / DAY)


def _subject(game: int, person: str) -> str:
    return f"game {game}, {person}"


def _told(change: StoredChange) -> dict[str, Any]:
    return _values(change.number, change.before, change.after)


def _values(number: int, before: Rating | None, after: Rating) -> dict[str, Any]:
    return {"number": number, "before": before and list(before), "after": list(after)}
