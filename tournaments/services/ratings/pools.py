"""Ratings while they are computed, and the writes that replace the stored ones.

Computing only reads. What it makes is written in slices, each short enough to hold nobody up: a
slice deletes the stored changes of a stretch of time and adds the new ones. Stored ratings before
that stretch are never touched, so the same may begin again after any slice.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import chain
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet, Subquery

from tournaments.engine.ratings.ratings import Rating, Spread, newcomer, rate
from tournaments.models import PlayerRating, RatedRound, RatingChange, RatingPool, Seat
from tournaments.queries.ratings.ratings import DAY, month_of, shown_points
from tournaments.services.ratings.bulk_writes import (
    ChangeRow,
    CountKey,
    StateRow,
    add_changes,
    adding_changes,
    delete_numbers,
    moment,
    put_counts,
    put_states,
)
from tournaments.services.ratings.games import Played, RoundToRate, played_rounds

ROWS_AT_ONCE = 2000

GAMES_AT_ONCE = 20_000
"""Games that a rebuild holds in memory."""

GAMES_OF_SLICE = 300
"""Games written together: their changes take some 40 ms."""

STATES_OF_SLICE = 500

Write = Callable[[], object]


@dataclass(slots=True, eq=False)
class PlayerState:
    """A player's rating during computation; `counted` is the count key of the stored row.

    Until a row is stored, `pk` is 0.
    """

    pk: int
    person: str
    player: int
    rating: Rating
    games: int
    last_at: datetime
    counted: CountKey | None


NO_GAMES = Spread()


class Pools:
    """The ratings of a club, or of the server, from a moment on: one pool for each family.

    Without a moment nothing is stored yet, and only `write_all` can be called.
    """

    def __init__(self, club: int | None, since: datetime | None) -> None:
        self.club, self.since = club, since
        rows = RatingPool.objects.filter(club=club)
        self.pools = {row.family: Pool(row, since) for row in rows}
        self.rated = 0
        self.finished = False

    def slices(self) -> Iterator[Write]:
        """Compute everything, and yield the writes in order, for the caller to commit each.

        There is one write if all games fit in it. The last makes it `finished`.
        """
        end: datetime | None = None
        for rounds, more in _slices(played_rounds(self.club, self.since), GAMES_OF_SLICE):
            self._rate(rounds)
            if not more and end is None:
                break
            yield from self._clearing(end, rounds[-1].at)
            yield partial(self._replace, end, rounds[-1].at)
            end = rounds[-1].at
        yield from self._clearing(end, None)
        if end is None:
            yield self._replace_all
        else:
            yield partial(self._replace, end, None)
            yield from self._finishing()

    def write_all(self) -> None:
        """Compute and store everything where nothing is stored."""
        changes: list[ChangeRow] = []
        for rounds, _more in _slices(played_rounds(self.club, None), GAMES_AT_ONCE):
            with adding_changes(changes):
                self._rate(rounds)
            changes = list(chain.from_iterable(pool.store() for pool in self.pools.values()))
        add_changes(changes)
        for pool in self.pools.values():
            pool.put(list(pool.states.values()))
        self._finish()

    def _rate(self, rounds: Sequence[RoundToRate]) -> None:
        """Rate the games of the next rounds, in order."""
        by_family: dict[str, list[tuple[RoundToRate, list[Played]]]] = {}
        for place in rounds:
            for family in sorted({game.family for game in place.games}):
                games = [game for game in place.games if game.family == family]
                by_family.setdefault(family, []).append((place, games))
        for family, played in by_family.items():
            if family not in self.pools:
                self.pools[family] = Pool(RatingPool(club_id=self.club, family=family), self.since)
            self.pools[family].rate(played)
        self.rated += sum(len(place.games) for place in rounds)

    def _replace_all(self) -> None:
        self._replace(None, None)
        for write in self._finishing():
            write()

    def _replace(self, after: datetime | None, until: datetime | None) -> None:
        """Delete what is stored of a stretch, and add what has been computed of it."""
        for stored in self._stored(after, until):
            stored.delete()
        for pool in self.pools.values():
            pool.add(replacing=(after, until) != (None, None))

    def _clearing(self, after: datetime | None, until: datetime | None) -> Iterator[Write]:
        """Yield deletions that leave few enough changes in a stretch to delete at once."""
        changes, _rounds = self._stored(after, until)
        for _ in range(changes.count() // ROWS_AT_ONCE):
            some = changes.order_by("-at").values("pk")[:ROWS_AT_ONCE]
            yield RatingChange.objects.filter(pk__in=some).delete

    def _stored(
        self, after: datetime | None, until: datetime | None
    ) -> "tuple[QuerySet[RatingChange], QuerySet[RatedRound]]":
        """Return what is stored of a stretch, from the first moment on or after another."""
        during = {"at__gte": self.since} if after is None else {"at__gt": after}
        if until is not None:
            during["at__lte"] = until
        pools = [pool.row.pk for pool in self.pools.values() if pool.row.pk]
        rounds = RatedRound.objects.filter(pool__in=pools, **during)
        return _changes_in(pools, RatingChange.objects.filter(**during)), rounds

    def _finishing(self) -> Iterator[Write]:
        """Yield the writes after the last slice: ratings, and what is left of nobody's."""
        yield from chain.from_iterable(pool.finishing() for pool in self.pools.values())
        yield self._finish

    def _finish(self) -> None:
        self.finished = True
        people = PlayerRating.objects.filter(pool=OuterRef("pk"))
        RatingPool.objects.filter(~Exists(people), club=self.club).delete()


class Pool:
    """The ratings of one pool, loaded as they were before a moment, as needed."""

    def __init__(self, row: RatingPool, since: datetime | None) -> None:
        self.row, self.since = row, since
        self.constants = row.constants
        self.newcomer = newcomer(self.constants.start)
        self.states: dict[str, PlayerState] = {}
        self.counts: Counter[CountKey] = Counter()
        self.changes: list[ChangeRow] = []
        # Where among them are changes of ratings without a key, and whose.
        self.new: list[tuple[int, PlayerState]] = []
        self.rounds: list[RatedRound] = []
        self.spreads = self._spreads_before()

    def _spreads_before(self) -> dict[str, Spread]:
        if self.since is None or not self.row.pk:
            return {}
        rounds = RatedRound.objects.filter(pool=self.row, at__lt=self.since)
        last = rounds.order_by("-at", "-round_id").first()
        return {} if last is None else {name: Spread(*s) for name, s in last.spreads.items()}

    def rate(self, played: Sequence[tuple[RoundToRate, list[Played]]]) -> None:
        """Rate the next games of the pool, in order."""
        self._find(played)
        for place, games in played:
            at = moment(place.at)
            for game in games:
                self._rate(game, place.at, at)
            spreads = {name: list(spread) for name, spread in self.spreads.items()}
            # The pool has no key yet if it is new.
            self.rounds.append(RatedRound(round_id=place.pk, at=place.at, spreads=spreads))

    def _find(self, played: Sequence[tuple[RoundToRate, list[Played]]]) -> None:
        """Load the ratings of all players in some games, or begin new ones."""
        wanted: dict[str, tuple[int, datetime]] = {}
        for place, games in played:
            for game in games:
                for person, player in zip(game.people, game.players, strict=True):
                    if person is not None and person not in self.states:
                        wanted.setdefault(person, (player, place.at))
        people = list(wanted)
        if self.since is not None and self.row.pk:
            for first in range(0, len(people), ROWS_AT_ONCE):
                self._load(people[first : first + ROWS_AT_ONCE], self.since)
        for person, (player, at) in wanted.items():
            if person not in self.states:
                self.states[person] = PlayerState(0, person, player, self.newcomer, 0, at, None)

    def _load(self, people: Sequence[str], since: datetime) -> None:
        """Load the ratings of some people as they were before a moment, if they are stored."""
        start = self.constants.start
        rows = PlayerRating.objects.filter(pool=self.row, person__in=people)
        later: dict[int, PlayerState] = {}
        for row in rows:
            key = CountKey(row.pool_id, row.points, row.month, row.provisional)
            rating, games = Rating(row.mean, row.variance, start), row.games
            if row.last_at >= since:
                rating, games = self.newcomer, 0
            state = PlayerState(row.pk, row.person, row.player_id, rating, games, row.last_at, key)
            self.states[row.person] = later[row.pk] = state
        for change in last_changes(rows.filter(last_at__gte=since), since):
            state = later[change.rating_id]
            state.rating = Rating(change.mean, change.variance, start)
            state.games, state.last_at = change.number, change.at
            state.player = getattr(change, "player", None) or state.player

    def _rate(self, game: Played, closed_at: datetime, at: str) -> None:
        """Rate one game and append its changes; a guest is rated as a newcomer and not stored."""
        spread = self.spreads.get(game.spread, NO_GAMES).seeing(game.scores)
        self.spreads[game.spread] = spread
        states = [None if person is None else self.states[person] for person in game.people]
        before = [self.newcomer if s is None else _rested(s, closed_at) for s in states]
        unit = self.constants.unit(game.spread, spread)
        after = rate(before, game.sides, game.scores, unit)
        append = self.changes.append
        for seat, state in enumerate(states):
            if state is None:
                continue
            rating = after[seat]
            state.rating, state.last_at, state.player = rating, closed_at, game.players[seat]
            state.games += 1
            if not state.pk:
                self.new.append((len(self.changes), state))
            old = before[seat]
            append((state.pk, game.pk, seat, state.games, at, old[0], old[1], rating[0], rating[1]))

    def add(self, *, replacing: bool) -> None:
        """Store the changes computed since the last time, and those who have new ratings."""
        if self.rounds:
            if replacing:
                self._delete_other()
            add_changes(self.store())
            self._count()

    def store(self) -> list[ChangeRow]:
        """Store rounds and new ratings, and return the changes computed since the last time."""
        if not self.row.pk:
            self.row.save()
        self._create(list({state.person: state for _index, state in self.new}.values()))
        for index, state in self.new:
            self.changes[index] = (state.pk, *self.changes[index][1:])
        for row in self.rounds:
            row.pool = self.row
        RatedRound.objects.bulk_create(self.rounds, batch_size=ROWS_AT_ONCE)
        changes = self.changes
        self.changes, self.new, self.rounds = [], [], []
        return changes

    def _delete_other(self) -> None:
        """Delete stored changes outside the stretch that are in the way of the new ones.

        A game may have moved to another moment, and its players' later games have new numbers.
        """
        games = {change[1] for change in self.changes}
        _changes_in([self.row.pk], RatingChange.objects.filter(game__in=games)).delete()
        last = {change[0]: change[3] for change in self.changes}
        first = {change[0]: change[3] for change in reversed(self.changes)}
        delete_numbers([(pk, first[pk], last[pk]) for pk in last if pk])

    def _create(self, new: Sequence[PlayerState]) -> None:
        rows = [self._row(state)._asdict() | {"last_at": state.last_at} for state in new]
        for values, state in zip(rows, new, strict=True):
            values |= {"pk": None, "person": state.person}
            del values["id"]
        created = PlayerRating.objects.bulk_create(
            [PlayerRating(pool=self.row, **values) for values in rows], batch_size=ROWS_AT_ONCE
        )
        for state, row in zip(new, created, strict=True):
            state.pk = row.pk

    def finishing(self) -> Iterator[Write]:
        """Yield the writes of all ratings, and of those without games from the moment on."""
        for some in _pieces(list(self.states.values())):
            yield partial(self.put, some)
        if self.since is None or not self.row.pk:
            return
        later = PlayerRating.objects.filter(pool=self.row, last_at__gte=self.since)
        people = later.order_by("pk").values_list("person", flat=True)
        for some in _pieces([person for person in people if person not in self.states]):
            yield partial(self._take_back, some, self.since)

    def put(self, states: Sequence[PlayerState]) -> None:
        """Store ratings whose rows exist."""
        put_states([self._row(state) for state in states])
        self._count()

    def _take_back(self, people: Sequence[str], since: datetime) -> None:
        """Store ratings as they were before a moment; delete those that were not there."""
        self._load(people, since)
        states = [self.states[person] for person in people if person in self.states]
        gone = [state for state in states if not state.games]
        self.counts.subtract(state.counted for state in gone if state.counted)
        PlayerRating.objects.filter(pk__in=[state.pk for state in gone]).delete()
        self.put([state for state in states if state.games])

    def _row(self, state: PlayerState) -> StateRow:
        """Return a player's row, counted under the points shown now."""
        rating = state.rating
        key = CountKey(
            self.row.pk, shown_points(rating), month_of(state.last_at), rating.provisional
        )
        self.counts[key] += 1
        if state.counted is not None:
            self.counts[state.counted] -= 1
        state.counted = key
        at = moment(state.last_at)
        return StateRow(state.player, *rating, state.games, at, *key[1:], state.pk)

    def _count(self) -> None:
        put_counts(self.counts)
        self.counts = Counter()


def _slices(
    batches: Iterable[Sequence[RoundToRate]], size: int
) -> Iterator[tuple[list[RoundToRate], bool]]:
    """Yield rounds with at most `size` games together, and whether more follow."""
    waiting: list[RoundToRate] = []
    games = 0
    for place in chain.from_iterable(batches):
        if waiting and games + len(place.games) > size:
            yield waiting, True
            waiting, games = [], 0
        waiting.append(place)
        games += len(place.games)
    if waiting:
        yield waiting, False


def _pieces(values: Sequence[Any]) -> Iterator[Sequence[Any]]:
    for first in range(0, len(values), STATES_OF_SLICE):
        yield values[first : first + STATES_OF_SLICE]


def _changes_in(pools: Sequence[int], changes: QuerySet[RatingChange]) -> QuerySet[RatingChange]:
    """Filter to the changes in some pools."""
    # No join: without statistics PostgreSQL would scan all ratings first.
    of_rating = PlayerRating.objects.filter(pk=OuterRef("rating_id")).values("pool")
    return changes.annotate(in_pool=Subquery(of_rating)).filter(in_pool__in=pools)


def last_changes(
    ratings: QuerySet[PlayerRating], before: datetime | None = None
) -> QuerySet[RatingChange]:
    """Return the last change of each rating that has one, with its `player`."""
    last = RatingChange.objects.filter(rating=OuterRef("pk")).order_by("-number")
    if before is not None:
        last = last.filter(at__lt=before)
    kept = ratings.annotate(change=Subquery(last.values("pk")[:1])).values("change")
    seat = Seat.objects.filter(game=OuterRef("game"), number=OuterRef("seat"))
    rows = RatingChange.objects.filter(pk__in=kept).order_by()
    return rows.annotate(player=Subquery(seat.values("player")[:1]))


def _rested(state: PlayerState, at: datetime) -> Rating:
    if at == state.last_at:
        return state.rating
    return state.rating.rested((at - state.last_at).total_seconds() / DAY)
