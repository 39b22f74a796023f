"""The statistics of a month of a club, from its games, tournaments and ratings."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db.models import F, QuerySet, Window
from django.db.models.functions import RowNumber
from django.utils import timezone

from tournaments.engine.ratings.ratings import Rating
from tournaments.engine.statistics import Active, ClubSums, PlayedGame, Record, add_up
from tournaments.models import (
    Club,
    Event,
    Game,
    Player,
    RatingChange,
    RatingPool,
    Report,
    Tournament,
)
from tournaments.presenters.standings.standings import standings_seen
from tournaments.queries.ratings.ratings import ACTIVE_MONTHS, Ranks, ShownRating, shown
from tournaments.queries.site import ClubGame, load_games_for_members, month_after, month_before
from tournaments.queries.tournaments.state import load_states
from tournaments.reports.contents import OnProgress

MOST_ACTIVE = 10
COMING = 6
READING = Report.Step.READING


@dataclass(frozen=True, slots=True)
class MonthEvening:
    """An event of the month: number of games and players, and the winners.

    `winners` are keys of players: those of a finished tournament, or those of the highest game of
    an evening, whose `points` are then set.
    """

    event: Event
    tournament: Tournament | None
    games: int
    players: int
    winners: tuple[int, ...]
    points: Any = None


@dataclass(frozen=True, slots=True)
class RankMove:
    """A line of a month's leaderboard: the rank at its end, and before it (None: new)."""

    rank: int
    earlier: int | None
    player: int
    rating: ShownRating
    change: int | None
    games: int


@dataclass(frozen=True, slots=True)
class BrokenRecord:
    """A club record set in the month, by its kind; `earlier` is the previous record."""

    kind: str
    record: Record
    earlier: Record | None


@dataclass(frozen=True, slots=True)
class FamilyMonth:
    """The highlights of the month in one family of games."""

    family: str
    games: int
    board: Sequence[RankMove]
    broken: Sequence[BrokenRecord]


@dataclass(frozen=True, slots=True)
class Month:
    """A month of a club, and the three figures of the month before.

    `newcomers` maps players to their games, `badges` to the players who earned them and how often.
    """

    first: date
    sums: ClubSums
    earlier: ClubSums
    evenings: Sequence[MonthEvening]
    families: Sequence[FamilyMonth]
    active: Sequence[Active]
    newcomers: Sequence[tuple[int, int]]
    badges: Mapping[str, Counter[int]]
    coming: Sequence[Event]
    names: Mapping[int, Player]

    @property
    def games(self) -> int:
        return self.sums.games


def add_up_month(club: Club, first: date, progress: OnProgress) -> Month:
    """Return the statistics of a month, as visible to every member."""
    games = load_games_for_members(club)
    progress(READING)
    days: dict[int, date] = dict(Event.objects.filter(club=club).values_list("pk", "held_on"))
    end = month_after(first)
    before = [game for game in games if days[game.played.evening] < first]
    within = [game for game in games if first <= days[game.played.evening] < end]
    last = [game for game in before if days[game.played.evening] >= month_before(first)]
    sums = add_up([game.played for game in within], MOST_ACTIVE)
    evenings = list(_evenings(club, first, within, progress))
    families = [
        _family(club, family, first, (before, within))
        for family, _games in Counter(game.family for game in within).most_common()
    ]
    progress(READING)
    badges = _badges(within)
    newcomers = list(_newcomers(before, within))
    keys = {player for evening in evenings for player in evening.winners}
    keys |= {each.player for each in sums.active} | {player for player, _games in newcomers}
    keys |= {player for those in badges.values() for player in those}
    for each in families:
        keys |= {line.player for line in each.board}
        keys |= {player for one in each.broken for player in one.record.players}
    return Month(
        first=first,
        sums=sums,
        earlier=add_up([game.played for game in last], 0),
        evenings=evenings,
        families=families,
        active=sums.active,
        newcomers=newcomers,
        badges=badges,
        coming=_coming(club, end),
        names=Player.objects.in_bulk(list(keys)),
    )


# The evenings.


def _evenings(
    club: Club, first: date, games: Sequence[ClubGame], progress: OnProgress
) -> Iterator[MonthEvening]:
    """Yield the events of the month by date (up to 7 queries)."""
    rows = Event.objects.for_members().filter(
        club=club, held_on__gte=first, held_on__lt=month_after(first)
    )
    events = list(rows.select_related("tournament").order_by("held_on", "pk"))
    played: dict[int, list[PlayedGame]] = {}
    for game in games:
        played.setdefault(game.played.evening, []).append(game.played)
    led = [tournament for event in events if (tournament := _tournament(event)) is not None]
    first_of = _winners([each for each in led if each.state == Tournament.State.FINISHED], progress)
    for event in events:
        those = played.get(event.pk, [])
        players = {player for game in those for side in game.sides for player in side}
        tournament = _tournament(event)
        if tournament is not None:
            winners, points = first_of.get(event.pk, ()), None
        else:
            winners, points = _highest(those)
        # Leave out an evening without games: nobody came, or it is still to come.
        if those or tournament is not None:
            yield MonthEvening(event, tournament, len(those), len(players), winners, points)


def _tournament(event: Event) -> Tournament | None:
    return getattr(event, "tournament", None)


def _winners(rows: Sequence[Tournament], progress: OnProgress) -> dict[int, tuple[int, ...]]:
    """Return the winners of tournaments, by event (5 queries)."""
    if not rows:
        return {}
    found = {}
    for number, state in enumerate(load_states(rows), start=1):
        progress(READING, number, len(rows))
        first = [row.entrant for row in standings_seen(state, directs=False).rows if row.place == 1]
        entrants = [state.entrants[key] for key in first]
        found[state.tournament.event_id] = tuple(
            player.pk for entrant in entrants for player in entrant.players
        )
    return found


def _highest(games: Sequence[PlayedGame]) -> tuple[tuple[int, ...], Any]:
    """Return the players of the highest game of an evening, and its points."""
    best = add_up(games, 0).highest[:1]
    return (best[0].players, best[0].value) if best else ((), None)


def _coming(club: Club, end: date) -> list[Event]:
    """Return the next events after the month, from today on (1 query)."""
    rows = Event.objects.for_members().filter(club=club)
    rows = rows.filter(held_on__gte=max(end, timezone.localdate()))
    return list(rows.select_related("tournament").order_by("held_on", "pk")[:COMING])


# The people.


def _newcomers(before: Iterable[ClubGame], within: Sequence[ClubGame]) -> Iterator[tuple[int, int]]:
    """Yield the players with their first games in the club, in order, with their number."""
    known = set(_players(before))
    counted = Counter(player for player in _players(within) if player not in known)
    yield from counted.items()


def _players(games: Iterable[ClubGame]) -> Iterator[int]:
    for game in games:
        for side in game.played.sides:
            yield from side


def _badges(games: Sequence[ClubGame]) -> dict[str, Counter[int]]:
    """Return the badges and who earned them, the rarest badge first (1 query)."""
    sides = {game.played.key: game.played.sides for game in games}
    rows = Game.objects.filter(pk__in=list(sides), result__isnull=False).order_by("pk")
    found: dict[str, Counter[int]] = {}
    for pk, result in rows.values_list("pk", "result").iterator(500):
        for badge, counts in (result or {}).get("badges", {}).items():
            for side, number in enumerate(counts):
                for player in sides[pk][side] if number else ():
                    found.setdefault(badge, Counter())[player] += number
    return dict(sorted(found.items(), key=lambda item: (sum(item[1].values()), item[0])))


# One family of games.


def _family(
    club: Club, family: str, first: date, games: tuple[Sequence[ClubGame], Sequence[ClubGame]]
) -> FamilyMonth:
    before, within = ([game.played for game in part if game.family == family] for part in games)
    pool = RatingPool.objects.filter(club=club, family=family).first()
    board = _board(pool, first, within) if pool is not None else []
    return FamilyMonth(family, len(within), board, list(_broken(before, within)))


def _broken(before: Sequence[PlayedGame], within: Sequence[PlayedGame]) -> Iterator[BrokenRecord]:
    """Yield the club records set in the month that replace earlier ones."""
    if not before:
        return
    then, now = add_up(before, 0), add_up([*before, *within], 0)
    keys = {game.key for game in within}
    for kind in ("highest", "lowest", "kings", "runs"):
        old: Sequence[Record] = getattr(then, kind)
        new: Sequence[Record] = getattr(now, kind)
        if new and new[0].key in keys and (not old or new[0].value != old[0].value):
            yield BrokenRecord(kind, new[0], old[0] if old else None)


def _board(pool: RatingPool, first: date, within: Sequence[PlayedGame]) -> list[RankMove]:
    """Return the leaderboard at the end of a month, with the ranks before it (2 queries)."""
    now, then = _ratings_before(pool, month_after(first)), _ratings_before(pool, first)
    listed = sorted(now.items(), key=lambda item: (-item[1][1].points, item[0]))
    ranks, earlier = _ranks(now), _ranks(then)
    played = Counter(player for game in within for side in game.sides for player in side)
    return [
        RankMove(
            ranks.rank(rating.points),
            earlier.rank(then[key][1].points) if key in then else None,
            player,
            rating,
            rating.points - then[key][1].points if key in then else None,
            played[player],
        )
        for key, (player, rating) in listed
    ]


RatingsOfPlayers = dict[int, tuple[int, ShownRating]]
"""Players with rank and rating, by the keys of their ratings."""


def _ratings_before(pool: RatingPool, until: date) -> RatingsOfPlayers:
    """Return the default leaderboard on the morning of a day (1 query)."""
    months = until
    for _month in range(ACTIVE_MONTHS):
        months = month_before(months)
    found = {}
    for pk, player, mean, variance, start, day in _last_changes(pool, until).iterator(2000):
        rating = shown(Rating(mean, variance, start))
        if day >= months and not rating.provisional:
            found[pk] = (player, rating)
    return found


def _last_changes(pool: RatingPool, until: date) -> "QuerySet[RatingChange, tuple[Any, ...]]":
    """Query the last change of each rating in events before a day."""
    held_on = "game__table__round__event__held_on"
    changes = RatingChange.objects.filter(rating__pool=pool, **{f"{held_on}__lt": until})
    order = Window(RowNumber(), partition_by=F("rating"), order_by=F("number").desc())
    last = changes.annotate(from_last=order).filter(from_last=1).order_by("rating")
    columns = ("mean", "variance", "rating__start")
    return last.values_list("rating_id", "rating__player_id", *columns, held_on)


def _ranks(ratings: RatingsOfPlayers) -> Ranks:
    counted = Counter(rating.points for _player, rating in ratings.values())
    return Ranks.of(sorted(counted.items(), reverse=True))
