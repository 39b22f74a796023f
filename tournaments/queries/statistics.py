"""Statistics of a club, and of its front page."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from django.urls import reverse
from django.utils import timezone

from tournaments.engine.rules.rulesets import Points
from tournaments.engine.statistics import NIGHT, ClubSums, PlayedGame, Record, add_up
from tournaments.engine.variants import RULESETS
from tournaments.models import Club, Event, Game, Player, RatingPool, Season, Tournament, Visitor
from tournaments.queries.player_pages import NamedPlayer, named_players
from tournaments.queries.ratings import DisplayedRating, SeasonRatings
from tournaments.queries.site import ClubGame, load_games
from tournaments.queries.standings import LeagueReader, league_of, standings_seen, tournaments_of
from tournaments.queries.state import load_states
from tournaments.texts.labels import family_name

FAMILIES = {ruleset.family for ruleset in RULESETS.values()}


@dataclass(frozen=True, slots=True)
class NumbersFilter:
    """The current filter: one family of games, and optionally one season by its key."""

    family: str
    families: Sequence[dict[str, Any]]
    season: int | None
    seasons: Sequence[dict[str, Any]]

    def select(self, games: Iterable[Any]) -> list[Any]:
        """Return those of the family and the season, of games or of parts of a history."""
        return [
            each
            for each in games
            if each.family == self.family and self.season in (None, each.season)
        ]


def chosen_family(by_family: Counter[str], wanted: str) -> str:
    """Return the requested family, else the most played one."""
    most = max(by_family, key=by_family.__getitem__, default="")
    return wanted if wanted in by_family or wanted in FAMILIES else most


def scope_of(
    by_family: Counter[str], family: str, seasons: Iterable[tuple[Season, int]], wanted: str
) -> NumbersFilter:
    """Return the scope with all choices; the seasons come with their number of games."""
    rows = list(seasons)
    season = next((row.pk for row, _games in rows if str(row.pk) == wanted), None)
    return NumbersFilter(
        family,
        [
            {"key": key, "name": family_name(key), "games": n, "chosen": key == family}
            for key, n in by_family.most_common()
        ],
        season,
        [
            {"key": str(row.pk), "name": row.name, "games": games, "chosen": row.pk == season}
            for row, games in rows
        ],
    )


def filter_of(
    counted: Counter[tuple[str, int | None]], family: str, season: str, rated: str = ""
) -> NumbersFilter:
    """Return the filter of a player's games, counted by family and season (1 query).

    Without a requested family it is the most played one; without games, the `rated` one.
    """
    by_family = Counter[str]()
    for (each, _season), games in counted.items():
        by_family[each] += games
    family = chosen_family(by_family, family) or rated
    by_season = {key: n for (own, key), n in counted.items() if own == family and key}
    rows = Season.objects.in_bulk([key for key in by_season if key])
    return scope_of(by_family, family, [(row, by_season[pk]) for pk, row in rows.items()], season)


MOST_ACTIVE = 10


@dataclass(frozen=True, slots=True)
class Wanted:
    """The raw query of the address, and the visitor."""

    family: str
    season: str
    reader: LeagueReader


@dataclass(frozen=True, slots=True)
class Champion:
    """The first of a season, by league points or by the rating after it.

    Several `players` (keys) if they are equal.
    """

    season: str
    ends_on: date
    players: tuple[int, ...]
    league: str = ""
    points: Points | None = None
    # With equal ratings, that of one of the players.
    rating: DisplayedRating | None = None

    @property
    def is_final(self) -> bool:
        return self.ends_on < timezone.localdate()


def champion_of(
    season: Season, family: str, visitor: Visitor, reader: LeagueReader
) -> Champion | None:
    """Return the leader of a season, by its league or else by rating (up to 8 queries)."""
    rows = list(tournaments_of(season, visitor))
    found = league_of(season, rows, reader) if rows else None
    if found is not None and found.rows:
        first = [row for row in found.rows if row.place == 1]
        return Champion(
            season.name,
            season.ends_on,
            tuple(int(row.player) for row in first),
            league=reverse("league", args=[season.club.slug, season.pk]),
            points=first[0].points,
        )
    pool = RatingPool.objects.seen_by(visitor).filter(club=season.club, family=family).first()
    best = SeasonRatings(pool, season, provisional=False).best if pool is not None else []
    if not best:
        return None
    players = tuple(each.player for each in best)
    return Champion(season.name, season.ends_on, players, rating=best[0].after)


def numbers_of(
    club: Club, visitor: Visitor, wanted: Wanted, seasons: Sequence[Season]
) -> tuple[NumbersFilter, ClubSums, Champion | None]:
    """Return the statistics of one family of games and, if given, one of the `seasons`.

    They are sums over the selected games, and the leader of the season.
    """
    games = load_games(club, visitor)
    by_family = Counter(game.family for game in games)
    family = chosen_family(by_family, wanted.family)
    by_season = Counter(game.season for game in games if game.family == family)
    listed = [
        (season, by_season[season.pk])
        for season in seasons
        if by_season[season.pk] or str(season.pk) == wanted.season
    ]
    scope = scope_of(by_family, family, listed, wanted.season)
    of_scope = [game.played for game in scope.select(games)]
    if scope.season is not None:
        chosen = [season for season in seasons if season.pk == scope.season]
    else:
        chosen = [season for season in seasons if season.starts_on <= timezone.localdate()]
    champion = None
    if chosen:
        champion = champion_of(chosen[0], scope.family, visitor, wanted.reader)
    return scope, add_up(of_scope, MOST_ACTIVE), champion


def rows_of_numbers(
    sums: ClubSums, champion: Champion | None
) -> tuple[dict[int, Player], dict[int, str]]:
    """Return the players in the statistics, and the ids of their games, by key (2 queries)."""
    records = (*sums.highest, *sums.lowest, *sums.kings, *sums.runs)
    keys = {player for record in records for player in record.players}
    keys |= {each.player for each in sums.active} | {*(champion.players if champion else ())}
    games = Game.objects.filter(pk__in=[record.key for record in records])
    return Player.objects.in_bulk(list(keys)), dict(games.values_list("pk", "public_id"))


LEADERS = 5
MILESTONES = 3
RECENT = timedelta(days=31)
ROUND_NUMBERS = frozenset((25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000))
"""The numbers of games that are milestones of a player."""

ENOUGH_GAMES = 20
"""A record says something once so many games have been played before it."""

FIRST_KING = "king"
GAMES = "games"


@dataclass(frozen=True, slots=True)
class FrontReader:
    """The visitor: `records` says whether they see records and milestones."""

    visitor: Visitor
    of_league: LeagueReader
    records: bool


@dataclass(frozen=True, slots=True)
class LeagueLeader:
    """A player ahead in the league; `course` is the sum after each evening that counts."""

    place: int
    player: int
    points: Points
    course: tuple[Points, ...]


@dataclass(frozen=True, slots=True)
class EveningWinner:
    """The first of an evening or a tournament, and who made a King there."""

    players: tuple[int, ...]
    points: Points
    kings: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class FallenRecord:
    """A record of this month, `kind` being `highest` or `runs`, and the one before it."""

    kind: str
    new: Record
    old: Record


@dataclass(frozen=True, slots=True)
class Milestone:
    """What a player has reached: `kind` is `games` or `king`."""

    kind: str
    player: int
    number: int
    on: date


@dataclass(frozen=True, slots=True)
class ClubFront:
    """What the front page of a club tells, with the names of all players in it."""

    leaders: tuple[LeagueLeader, ...]
    winners: dict[int, EveningWinner]
    record: FallenRecord | None
    milestones: tuple[Milestone, ...]
    names: dict[int, NamedPlayer]


def front_of(
    club: Club,
    reader: FrontReader,
    season: Season | None,
    evenings: Sequence[Event],
    today: date,
) -> ClubFront:
    """Return the front page of a club (up to 14 queries).

    `evenings` are those whose winners are shown, with their tournaments.
    """
    games = load_games(club, reader.visitor)
    leaders = tuple(_leaders(season, reader)) if season is not None else ()
    winners = _winners_of_evenings(games, evenings) | _winners_of_tournaments(evenings, games)
    record = _fallen_record(games, today) if reader.records else None
    milestones = tuple(_milestones(games, today))[:MILESTONES] if reader.records else ()
    keys = {leader.player for leader in leaders} | {each.player for each in milestones}
    keys |= {player for each in winners.values() for player in (*each.players, *each.kings)}
    keys |= {*record.new.players, *record.old.players} if record else set()
    names = named_players(club, keys, member=reader.of_league.member)
    return ClubFront(leaders, winners, record, milestones, names)


def _leaders(season: Season, reader: FrontReader) -> Iterator[LeagueLeader]:
    rows = list(tournaments_of(season, reader.visitor))
    for row in league_of(season, rows, reader.of_league).rows[:LEADERS] if rows else ():
        points = [
            worth if at in row.counted and worth is not None else 0
            for at, worth in enumerate(row.by_evening)
        ]
        course = tuple(sum(points[: at + 1], start=0) for at in range(len(points)))
        yield LeagueLeader(row.place, int(row.player), row.points, course)


def _winners_of_evenings(
    games: Sequence[ClubGame], evenings: Iterable[Event]
) -> dict[int, EveningWinner]:
    by_evening: dict[int, list[ClubGame]] = defaultdict(list)
    for game in games:
        by_evening[game.played.evening].append(game)
    found = {}
    for event in evenings:
        if event.is_tournament or event.pk not in by_evening:
            continue
        played = by_evening[event.pk]
        family = Counter(game.family for game in played).most_common(1)[0][0]
        sums = _sums(game.played for game in played if game.family == family)
        if sums:
            best = max(sums.values())
            players = tuple(player for player, points in sums.items() if points == best)
            found[event.pk] = EveningWinner(players, best, _kings(played))
    return found


def _sums(games: Iterable[PlayedGame]) -> dict[int, Points]:
    sums: dict[int, Points] = defaultdict(int)
    for game in games:
        for players, total in zip(game.sides, game.totals, strict=True):
            for player in players:
                sums[player] += total
    return sums


def _kings(games: Iterable[ClubGame]) -> tuple[int, ...]:
    made = (
        player for game in games for side in game.played.kings for player in game.played.sides[side]
    )
    return tuple(dict.fromkeys(made))


def _winners_of_tournaments(
    evenings: Iterable[Event], games: Sequence[ClubGame]
) -> dict[int, EveningWinner]:
    rows = [
        event.tournament
        for event in evenings
        if event.is_tournament and event.tournament.state == Tournament.State.FINISHED
    ]
    found = {}
    for state in load_states(rows) if rows else ():
        first = [row for row in standings_seen(state, directs=False).rows if row.place == 1]
        players = [player for row in first for player in state.entrants[row.entrant].players]
        if first:
            event = state.tournament.event_id
            kings = _kings(game for game in games if game.played.evening == event)
            keys = tuple(player.pk for player in players)
            found[event] = EveningWinner(keys, first[0].points, kings)
    return found


def _fallen_record(games: Sequence[ClubGame], today: date) -> FallenRecord | None:
    families = Counter(game.family for game in games)
    most = max(families, key=families.__getitem__, default=None)
    played = [game.played for game in games if game.family == most]
    before = [game for game in played if _evening_of(game.at) < today.replace(day=1)]
    if len(before) < ENOUGH_GAMES or len(before) == len(played):
        return None
    now, then = add_up(played, 0), add_up(before, 0)
    pairs = (("highest", now.highest, then.highest), ("runs", now.runs, then.runs))
    fallen = [
        FallenRecord(kind, new[0], old[0])
        for kind, new, old in pairs
        if new and old and new[0].value > old[0].value
    ]
    return max(fallen, key=lambda record: record.new.at, default=None)


def _evening_of(at: datetime) -> date:
    return (at - NIGHT).date()


def _milestones(games: Sequence[ClubGame], today: date) -> Iterator[Milestone]:
    played: Counter[int] = Counter()
    kings: set[int] = set()
    reached = []
    for game in games:
        on = _evening_of(game.played.at)
        for player in (player for players in game.played.sides for player in players):
            played[player] += 1
            if played[player] in ROUND_NUMBERS:
                reached.append(Milestone(GAMES, player, played[player], on))
        for player in _kings([game]):
            if player not in kings:
                kings.add(player)
                reached.append(Milestone(FIRST_KING, player, 1, on))
    recent = (each for each in reached if each.on > today - RECENT)
    yield from sorted(recent, key=lambda each: each.on, reverse=True)
