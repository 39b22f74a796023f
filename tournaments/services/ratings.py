"""Ratings computed from the games of closed rounds: running, after a correction, and anew.

There is one way: from some moment on, everything that was rated is taken back, and every game
that counts is rated in order. A round just closed, a correction of an old one and a rebuild of
everything differ only in the moment. Whoever computes holds the one row of the ledger.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from fractions import Fraction
from hashlib import sha256
from itertools import groupby, islice
from typing import Any

from django.db import transaction
from django.db.models import Count, OuterRef, Q, QuerySet, Subquery

from tournaments.engine.ratings import MODEL, Rating, Spread, rate, scores_of
from tournaments.engine.ruleset_records import read_ruleset
from tournaments.engine.variants import RULESETS
from tournaments.models import (
    Club,
    Entrant,
    Game,
    PlayerRating,
    RatedRound,
    RatingChange,
    RatingCount,
    RatingDue,
    RatingLedger,
    RatingPool,
    Seat,
)
from tournaments.rating_queries import DAY, shown_points

GAMES_AT_ONCE = 2000
"""So many games are read, rated and written at a time."""

Key = tuple[str, str]
"""Whose rating: the family of the rulesets, and the person as `PlayerRating` has it."""


def sweep_ratings() -> int:
    """Compute all that is due, in one transaction; how many calls for it were answered.

    Ratings by another model than the engine has now are computed anew.
    """
    with transaction.atomic():
        ledger = _lock_ledger()
        if ledger.model != MODEL:
            return _rebuild(ledger)
        # What is committed after this was read calls again, and is left for the next time.
        dues = list(RatingDue.objects.values_list("pk", "club_id", "since"))
        if not dues:
            return 0
        since: dict[int, datetime] = {}
        for _pk, club, moment in dues:
            since[club] = min(moment, since.get(club, moment))
        for club, moment in sorted(since.items()):
            _compute(club, moment)
        of_server = [moment for club, moment in since.items() if _is_in_server(club)]
        if of_server:
            _compute(None, min(of_server))
        RatingDue.objects.filter(pk__in=[pk for pk, _club, _moment in dues]).delete()
    return len(dues)


def rebuild_ratings() -> int:
    """Throw all ratings away and compute them from the games; how many games were rated."""
    with transaction.atomic():
        return _rebuild(_lock_ledger())


def differing_ratings() -> list[str]:
    """The pools, as text, whose ratings are not what their games make of them; nothing is changed.

    What is due is not yet wrong: it is computed first.
    """
    with transaction.atomic():
        ledger = _lock_ledger()
        sweep_ratings()
        before = _digests()
        _rebuild(ledger)
        after = _digests()
        transaction.set_rollback(True)
    return sorted(pool for pool in before | after if before.get(pool) != after.get(pool))


def _digests() -> dict[str, str]:
    """What says of the ratings of each pool, to the last digit, whether they are the same."""
    digests: dict[str, Any] = {}
    last = ("pool__family", "pool__club_id", "person", "mean", "variance", "games", "last_at")
    stored = ("points", "month", "provisional")
    changes = ("seat", "number", "at", "mean_before", "variance_before", "mean", "variance")
    pool = ("rating__pool__family", "rating__pool__club_id", "rating__person", "game_id")
    counts = ("pool__family", "pool__club_id", "points", "month", "provisional", "ratings")
    for rows in (
        PlayerRating.objects.order_by("person").values_list(*last, *stored),
        RatingChange.objects.order_by("rating__person", "number").values_list(*pool, *changes),
        RatingCount.objects.order_by(*counts).values_list(*counts),
    ):
        for family, club, *values in rows.iterator(GAMES_AT_ONCE):
            name = f"{family} in {club or 'all clubs'}"
            digests.setdefault(name, sha256()).update(repr(values).encode())
    return {name: digest.hexdigest() for name, digest in digests.items()}


def _rebuild(ledger: RatingLedger) -> int:
    dues = list(RatingDue.objects.values_list("pk", flat=True))
    RatingPool.objects.all().delete()
    clubs = list(Club.objects.order_by("pk").values_list("pk", flat=True))
    rated = sum(_compute(scope, None) for scope in (*clubs, None))
    RatingDue.objects.filter(pk__in=dues).delete()
    ledger.model = MODEL
    ledger.save(update_fields=["model"])
    return rated


def _lock_ledger() -> RatingLedger:
    RatingLedger.objects.get_or_create(pk=1, defaults={"model": MODEL})
    return RatingLedger.objects.select_for_update().get(pk=1)


def _is_in_server(club: int) -> bool:
    """Whether games of a club count in the server's ratings, or did when these were computed."""
    rated = RatedRound.objects.filter(pool__club=None, round__event__club=club)
    return Club.objects.filter(pk=club, in_server_ratings=True).exists() or rated.exists()


def counted_games(club: int | None, since: datetime | None = None) -> QuerySet[Game]:
    """The games that count in the ratings of a club, or of the server, in the order of rating."""
    rows = Game.objects.filter(
        Q(table__round__event__tournament__isnull=False)
        | Q(table__round__event__club__rates_evenings=True),
        result__isnull=False,
        table__round__closed_at__isnull=False,
    )
    if club is None:
        rows = rows.filter(table__round__event__club__in_server_ratings=True)
    else:
        rows = rows.filter(table__round__event__club=club)
    if since is not None:
        rows = rows.filter(table__round__closed_at__gte=since)
    return rows.order_by(
        "table__round__closed_at", "table__round_id", "table__number", "match_number", "pk"
    )


@dataclass(slots=True)
class _State:
    """Somebody's rating while games are rated; `row` is its row."""

    row: PlayerRating
    rating: Rating
    games: int
    last_at: datetime | None


@dataclass(slots=True)
class _Played:
    """A game to be rated, as it was read."""

    pk: int
    ruleset: str
    family: str
    sides: tuple[int, ...]
    scores: list[float]
    round: int
    event: int
    at: datetime
    # By seat: who sat there; None for whoever is no player of the club, or fills up a table.
    people: list[str | None] = field(default_factory=list)
    players: list[int] = field(default_factory=list)


def _compute(club: int | None, since: datetime | None) -> int:
    """Rate the games of a club, or of the server, from a moment on; how many they are."""
    ledger = _Pools(club)
    if since is not None:
        ledger.take_back(since)
    rows = counted_games(club, since).values_list(
        "pk",
        "ruleset",
        "document",
        "result",
        "table__round_id",
        "table__round__event_id",
        "table__round__closed_at",
    )
    games = (played for row in rows.iterator(GAMES_AT_ONCE) if (played := _read(row)) is not None)
    houses = _houses(club)
    rated = 0
    while portion := list(islice(games, GAMES_AT_ONCE)):
        _seat(portion, houses, of_server=club is None)
        portion = [game for game in portion if sum(map(bool, game.people)) > 1]
        ledger.rate(portion)
        rated += len(portion)
    ledger.keep()
    return rated


def _read(row: tuple[Any, ...]) -> _Played | None:
    """A game as it is rated; None where nobody won a point, which tells nothing."""
    pk, ruleset, document, result, place, event, at = row
    totals = [Fraction(points) for points in result["totals"]]
    if not any(totals):
        return None
    rules = RULESETS[ruleset] if document is None else read_ruleset(document)
    scores = scores_of(totals, result["ranks"])
    return _Played(pk, ruleset, rules.family, tuple(rules.sides), scores, place, event, at)


def _houses(club: int | None) -> frozenset[tuple[int, int]]:
    """Who fills up tables in which event: event and player by their keys."""
    rows = Entrant.objects.filter(house=True)
    if club is not None:
        rows = rows.filter(tournament__event__club=club)
    return frozenset(rows.values_list("tournament__event_id", "player_id"))


def _seat(games: Sequence[_Played], houses: frozenset[tuple[int, int]], *, of_server: bool) -> None:
    """Say of each game who sat where."""
    by_key = {game.pk: game for game in games}
    for game in games:
        game.people, game.players = [None] * len(game.sides), [0] * len(game.sides)
    seats = Seat.objects.filter(game__in=list(by_key)).order_by()
    rows = seats.values_list("game_id", "number", "player_id", "player__account_id")
    for pk, number, player, account in rows:
        game = by_key[pk]
        if (game.event, player) not in houses:
            person = f"a{account}" if of_server and account is not None else f"p{player}"
            game.people[number], game.players[number] = person, player


class _Pools:
    """The ratings of a club, or of the server, while they are computed: a pool for each family."""

    def __init__(self, club: int | None) -> None:
        self.club = club
        self.pools = {pool.family: pool for pool in RatingPool.objects.filter(club=club)}
        self.states: dict[Key, _State] = {}
        self.spreads: dict[str, dict[str, Spread]] = {}

    def take_back(self, since: datetime) -> None:
        """Make everything as it was before a moment."""
        pools = list(self.pools.values())
        RatingChange.objects.filter(rating__pool__in=pools, at__gte=since).delete()
        RatedRound.objects.filter(pool__in=pools, at__gte=since).delete()
        later = PlayerRating.objects.filter(pool__in=pools, last_at__gte=since)
        last = RatingChange.objects.filter(rating=OuterRef("pk")).order_by("-number")
        later.annotate(left=Subquery(last.values("pk")[:1])).filter(left=None).delete()
        changes = RatingChange.objects.filter(
            pk__in=later.annotate(left=Subquery(last.values("pk")[:1])).values("left")
        )
        for change in changes.select_related("rating"):
            row = change.rating
            _put(row, change.after, change.number, change.at)
            self.states[self._family(row), row.person] = _State(
                row, change.after, change.number, change.at
            )

    def rate(self, games: Sequence[_Played]) -> None:
        """Rate games that come next in order."""
        self._find(games)
        changes: list[RatingChange] = []
        rounds: list[RatedRound] = []
        for (place, at), of_round in groupby(games, key=lambda game: (game.round, game.at)):
            families = set()
            for game in of_round:
                families.add(game.family)
                changes.extend(self._rate(game))
            rounds.extend(self._rated(family, place, at) for family in sorted(families))
        RatingChange.objects.bulk_create(changes, batch_size=GAMES_AT_ONCE)
        # A round may be read in two portions.
        RatedRound.objects.bulk_create(
            rounds,
            update_conflicts=True,
            unique_fields=["pool", "round"],
            update_fields=["spreads"],
        )

    def keep(self) -> None:
        """Write what everybody's rating has come to, and count them for the leaderboard."""
        for state in self.states.values():
            assert state.last_at is not None
            _put(state.row, state.rating, state.games, state.last_at)
        fields = ["player", "mean", "variance", "games", "last_at"]
        PlayerRating.objects.bulk_create(
            [state.row for state in self.states.values()],
            batch_size=GAMES_AT_ONCE,
            update_conflicts=True,
            unique_fields=["pool", "person"],
            update_fields=[*fields, "points", "month", "provisional"],
        )
        for pool in self.pools.values():
            count_ratings(pool)

    def _family(self, row: PlayerRating) -> str:
        return next(pool.family for pool in self.pools.values() if pool.pk == row.pool_id)

    def _find(self, games: Sequence[_Played]) -> None:
        """Have the ratings at hand of everybody who sits in some games, new ones made."""
        wanted: dict[Key, tuple[int, datetime]] = {}
        for game in games:
            for person, player in zip(game.people, game.players, strict=True):
                if person is not None and (game.family, person) not in self.states:
                    wanted.setdefault((game.family, person), (player, game.at))
        for family in sorted({family for family, _person in wanted}):
            pool = self._pool(family)
            people = [person for of, person in wanted if of == family]
            for row in PlayerRating.objects.filter(pool=pool, person__in=people):
                self.states[family, row.person] = _State(row, row.rating, row.games, row.last_at)
            new = [
                _put(
                    PlayerRating(pool=pool, person=person, player_id=wanted[family, person][0]),
                    Rating(),
                    1,
                    wanted[family, person][1],
                )
                for person in people
                if (family, person) not in self.states
            ]
            for row in PlayerRating.objects.bulk_create(new, batch_size=GAMES_AT_ONCE):
                self.states[family, row.person] = _State(row, Rating(), 0, None)

    def _pool(self, family: str) -> RatingPool:
        """The pool of a family, made where there is none, with its spreads as they are."""
        if family not in self.pools:
            self.pools[family] = RatingPool.objects.create(club_id=self.club, family=family)
        pool = self.pools[family]
        if family not in self.spreads:
            last = pool.rounds.order_by("-at", "-round_id").first()
            kept = {} if last is None else last.spreads
            self.spreads[family] = {name: Spread(*spread) for name, spread in kept.items()}
        return pool

    def _rate(self, game: _Played) -> Iterator[RatingChange]:
        """Rate one game; a guest is met as a newcomer and forgotten."""
        spreads = self.spreads[game.family]
        spread = spreads.get(game.ruleset, Spread()).seeing(game.scores)
        spreads[game.ruleset] = spread
        states = [
            None if person is None else self.states[game.family, person] for person in game.people
        ]
        before = [Rating() if state is None else _rested(state, game.at) for state in states]
        after = rate(before, game.sides, game.scores, spread.unit)
        for seat, state in enumerate(states):
            if state is None:
                continue
            state.rating, state.last_at = after[seat], game.at
            state.games += 1
            state.row.player_id = game.players[seat]
            yield RatingChange(
                rating=state.row,
                game_id=game.pk,
                seat=seat,
                number=state.games,
                at=game.at,
                mean_before=before[seat].mean,
                variance_before=before[seat].variance,
                mean=after[seat].mean,
                variance=after[seat].variance,
            )

    def _rated(self, family: str, place: int, at: datetime) -> RatedRound:
        spreads = {name: list(spread) for name, spread in self.spreads[family].items()}
        return RatedRound(pool=self.pools[family], round_id=place, at=at, spreads=spreads)


def _rested(state: _State, at: datetime) -> Rating:
    if state.last_at is None:
        return state.rating
    return state.rating.rested((at - state.last_at).total_seconds() / DAY)


def _put(row: PlayerRating, rating: Rating, games: int, at: datetime) -> PlayerRating:
    """Put a rating into its row, with what the leaderboard wants of it."""
    row.mean, row.variance = rating
    row.games, row.last_at = games, at
    row.points = shown_points(rating)
    row.month = month_of(at)
    row.provisional = rating.provisional
    return row


def month_of(at: datetime) -> int:
    """The number of a month in UTC, one more for each."""
    return at.year * 12 + at.month - 1


def count_ratings(pool: RatingPool) -> None:
    """Count the ratings of a pool anew by what they show."""
    pool.counts.all().delete()
    keys = ("points", "month", "provisional")
    counted = pool.ratings.order_by().values(*keys).annotate(ratings=Count("pk"))
    RatingCount.objects.bulk_create(
        (RatingCount(pool=pool, **row) for row in counted), batch_size=GAMES_AT_ONCE
    )
