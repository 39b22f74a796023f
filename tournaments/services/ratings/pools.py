"""Ratings during computation: reverted to a moment, updated game by game, and stored."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, OuterRef, QuerySet, Subquery

from tournaments.engine.ratings.ratings import Rating, Spread, rate
from tournaments.models import PlayerRating, RatedRound, RatingChange, RatingPool, Seat
from tournaments.queries.ratings.ratings import DAY, month_of, shown_points
from tournaments.services.ratings.bulk_writes import (
    ChangeRow,
    CountKey,
    StateRow,
    add_changes,
    moment,
    put_counts,
    put_states,
)
from tournaments.services.ratings.games import Played, RoundToRate

ROWS_AT_ONCE = 2000


@dataclass(slots=True)
class PlayerState:
    """A player's rating during computation; `counted` is the count key it had before."""

    pk: int
    player: int
    rating: Rating
    games: int
    last_at: datetime
    counted: CountKey | None


class Pools:
    """The ratings of a club, or of the server: one pool for each family of rulesets."""

    def __init__(self, club: int | None) -> None:
        self.club = club
        rows = RatingPool.objects.filter(club=club)
        self.pools = {row.family: Pool(row) for row in rows}

    def take_back(self, since: datetime) -> None:
        """Revert everything to its state before a moment."""
        for pool in self.pools.values():
            pool.take_back(since)

    def rate(self, rounds: Sequence[RoundToRate]) -> int:
        """Rate the games of the next rounds, in order; return their number."""
        by_family: dict[str, list[tuple[RoundToRate, list[Played]]]] = {}
        for place in rounds:
            for family in sorted({game.family for game in place.games}):
                games = [game for game in place.games if game.family == family]
                by_family.setdefault(family, []).append((place, games))
        for family, played in by_family.items():
            self._pool(family).rate(played)
        return sum(len(place.games) for place in rounds)

    def keep(self) -> None:
        """Store all ratings, and delete empty pools."""
        for pool in self.pools.values():
            pool.keep()
        people = PlayerRating.objects.filter(pool=OuterRef("pk"))
        RatingPool.objects.filter(~Exists(people), club=self.club).delete()

    def _pool(self, family: str) -> "Pool":
        if family not in self.pools:
            row = RatingPool.objects.create(club_id=self.club, family=family)
            self.pools[family] = Pool(row)
        return self.pools[family]


class Pool:
    """The ratings of one pool, loaded as needed."""

    def __init__(self, row: RatingPool) -> None:
        self.row = row
        self.states: dict[str, PlayerState] = {}
        self.counts: Counter[CountKey] = Counter()
        self._spreads: dict[str, Spread] | None = None

    @property
    def spreads(self) -> dict[str, Spread]:
        """Return the spreads after the last rated round, including rounds rated since."""
        if self._spreads is None:
            last = RatedRound.objects.filter(pool=self.row).order_by("-at", "-round_id").first()
            kept = {} if last is None else last.spreads
            self._spreads = {name: Spread(*spread) for name, spread in kept.items()}
        return self._spreads

    def take_back(self, since: datetime) -> None:
        later = PlayerRating.objects.filter(pool=self.row, last_at__gte=since)
        states = {row.pk: (row.person, _state(row)) for row in later.iterator(ROWS_AT_ONCE)}
        _changes_since(self.row, since).delete()
        RatedRound.objects.filter(pool=self.row, at__gte=since).delete()
        for row in last_changes(later).iterator(ROWS_AT_ONCE):
            person, state = states.pop(row.rating_id)
            state.rating, state.games, state.last_at = row.after, row.number, row.at
            state.player = getattr(row, "player", None) or state.player
            self.states[person] = state
        self.counts.subtract(s.counted for _person, s in states.values() if s.counted is not None)
        gone = list(states)
        for first in range(0, len(gone), ROWS_AT_ONCE):
            PlayerRating.objects.filter(pk__in=gone[first : first + ROWS_AT_ONCE]).delete()

    def rate(self, played: Sequence[tuple[RoundToRate, list[Played]]]) -> None:
        """Rate the next games of the pool, in order."""
        self._find(played)
        changes: list[ChangeRow] = []
        rounds: list[RatedRound] = []
        for place, games in played:
            at = moment(place.at)
            for game in games:
                self._rate(game, place.at, at, changes)
            spreads = {name: list(spread) for name, spread in self.spreads.items()}
            rounds.append(
                RatedRound(pool=self.row, round_id=place.pk, at=place.at, spreads=spreads)
            )
        add_changes(changes)
        RatedRound.objects.bulk_create(rounds, batch_size=ROWS_AT_ONCE)

    def keep(self) -> None:
        put_states([self._row(state) for state in self.states.values()])
        put_counts(self.counts)

    def _row(self, state: PlayerState) -> StateRow:
        """Return a player's row, counted under the points shown now."""
        key = _count_key(self.row.pk, state)
        self.counts[key] += 1
        if state.counted is not None:
            self.counts[state.counted] -= 1
        return StateRow(
            state.player,
            state.rating.mean,
            state.rating.variance,
            state.games,
            moment(state.last_at),
            key.points,
            key.month,
            key.provisional,
            state.pk,
        )

    def _find(self, played: Sequence[tuple[RoundToRate, list[Played]]]) -> None:
        """Load the ratings of all players in some games; create missing ones."""
        wanted: dict[str, tuple[int, datetime]] = {}
        for place, games in played:
            for game in games:
                for person, player in zip(game.people, game.players, strict=True):
                    if person is not None and person not in self.states:
                        wanted.setdefault(person, (player, place.at))
        people = list(wanted)
        for first in range(0, len(people), ROWS_AT_ONCE):
            heap = people[first : first + ROWS_AT_ONCE]
            for row in PlayerRating.objects.filter(pool=self.row, person__in=heap):
                self.states[row.person] = _state(row)
        new = [
            _newcomer(self.row, person, *wanted[person])
            for person in people
            if person not in self.states
        ]
        for row in PlayerRating.objects.bulk_create(new, batch_size=ROWS_AT_ONCE):
            self.states[row.person] = PlayerState(
                row.pk, row.player_id, Rating(), 0, row.last_at, None
            )

    def _rate(self, game: Played, closed_at: datetime, at: str, changes: list[ChangeRow]) -> None:
        """Rate one game and append its changes; a guest is rated as a newcomer and not stored."""
        spread = self.spreads.get(game.spread, Spread()).seeing(game.scores)
        self.spreads[game.spread] = spread
        states = [None if person is None else self.states[person] for person in game.people]
        before = [Rating() if state is None else _rested(state, closed_at) for state in states]
        after = rate(before, game.sides, game.scores, spread.unit)
        for seat, state in enumerate(states):
            if state is None:
                continue
            state.rating, state.last_at = after[seat], closed_at
            state.games += 1
            state.player = game.players[seat]
            (mean, variance), (new, narrower) = before[seat], after[seat]
            changes.append(
                (state.pk, game.pk, seat, state.games, at, mean, variance, new, narrower)
            )


def _changes_since(pool: RatingPool, since: datetime) -> QuerySet[RatingChange]:
    """Return the changes in a pool from games closed since a moment."""
    # No join: without statistics PostgreSQL would scan all ratings first.
    of_rating = PlayerRating.objects.filter(pk=OuterRef("rating_id")).values("pool")
    rows = RatingChange.objects.filter(at__gte=since).annotate(in_pool=Subquery(of_rating))
    return rows.filter(in_pool=pool.pk)


def last_changes(ratings: QuerySet[PlayerRating]) -> QuerySet[RatingChange]:
    """Return the last change of each rating that has one, with its `player`."""
    last = RatingChange.objects.filter(rating=OuterRef("pk")).order_by("-number")
    kept = ratings.annotate(change=Subquery(last.values("pk")[:1])).values("change")
    seat = Seat.objects.filter(game=OuterRef("game"), number=OuterRef("seat"))
    rows = RatingChange.objects.filter(pk__in=kept).order_by()
    return rows.annotate(player=Subquery(seat.values("player")[:1]))


def _state(row: PlayerRating) -> PlayerState:
    key = CountKey(row.pool_id, row.points, row.month, row.provisional)
    return PlayerState(row.pk, row.player_id, row.rating, row.games, row.last_at, key)


def _newcomer(pool: RatingPool, person: str, player: int, at: datetime) -> PlayerRating:
    """Return a row for a first-time player; `keep` stores its values."""
    mean, variance = Rating()
    return PlayerRating(
        pool=pool,
        person=person,
        player_id=player,
        mean=mean,
        variance=variance,
        games=1,
        last_at=at,
        points=0,
        month=0,
        provisional=True,
    )


def _rested(state: PlayerState, at: datetime) -> Rating:
    if at == state.last_at:
        return state.rating
    return state.rating.rested((at - state.last_at).total_seconds() / DAY)


def _count_key(pool: int, state: PlayerState) -> CountKey:
    shown = shown_points(state.rating)
    return CountKey(pool, shown, month_of(state.last_at), state.rating.provisional)
