"""The month of a club as a document."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db.models import F, Window
from django.db.models.functions import RowNumber
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext

from tournaments.engine.ratings.ratings import Rating
from tournaments.engine.rules.rulesets import Points
from tournaments.engine.statistics import PlayedGame, Record, add_up
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
from tournaments.queries.ratings import ACTIVE_MONTHS, DisplayedRating, Ranks, displayed
from tournaments.queries.site import ClubGame, load_games_for_members, month_after, month_before
from tournaments.queries.standings import standings_seen
from tournaments.queries.state import load_states
from tournaments.reports.pages import Data, Heading, OnProgress, document, page_data
from tournaments.texts import labels
from tournaments.texts.labels import family_name, points_text

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
    games: int
    players: int
    winners: tuple[int, ...]
    points: Any = None


BoardLine = tuple[int, int | None, int, int, int | None, int]
"""The rank of a player at the end of a month and before it (None: new), the player, their games,
the change of their rating, and the rating."""

BrokenRecord = tuple[str, Record, Record | None]
"""The kind of a club record set in the month, the record, and the one before."""


class Month:
    """A month of a club, as visible to every member, and the three figures of the month before.

    `boards` and `broken` are the leaderboard and the records of each family of games. `newcomers`
    maps players to their games, `badges` to the players who earned them and how often.
    """

    def __init__(self, club: Club, first: date, progress: OnProgress) -> None:
        games = load_games_for_members(club)
        progress(READING)
        days: dict[int, date] = dict(Event.objects.filter(club=club).values_list("pk", "held_on"))
        end = month_after(first)
        before = [game for game in games if days[game.played.evening] < first]
        within = [game for game in games if first <= days[game.played.evening] < end]
        last = [game for game in before if days[game.played.evening] >= month_before(first)]
        self.sums = add_up([game.played for game in within], MOST_ACTIVE)
        self.earlier = add_up([game.played for game in last], 0)
        self.evenings = list(_evenings(club, first, within, progress))
        pools = {pool.family: pool for pool in RatingPool.objects.filter(club=club)}
        self.boards: dict[str, list[BoardLine]] = {}
        self.broken: dict[str, list[BrokenRecord]] = {}
        for family, _games in Counter(game.family for game in within).most_common():
            old, new = (
                [game.played for game in games if game.family == family]
                for games in (before, within)
            )
            self.boards[family] = _board(pools[family], first, new) if family in pools else []
            self.broken[family] = list(_broken(old, new))
        progress(READING)
        self.badges = _badges(within)
        known = set(_players(before))
        self.newcomers = Counter(player for player in _players(within) if player not in known)
        coming = Event.objects.for_members().filter(
            club=club, held_on__gte=max(end, timezone.localdate())
        )
        self.coming = coming.select_related("tournament").order_by("held_on", "pk")[:COMING]
        keys = {player for evening in self.evenings for player in evening.winners}
        keys |= {row.player for row in self.sums.active} | self.newcomers.keys()
        keys |= {player for those in self.badges.values() for player in those}
        keys |= {line[2] for board in self.boards.values() for line in board}
        records = [record for those in self.broken.values() for _kind, record, _old in those]
        keys |= {player for record in records for player in record.players}
        self.names = Player.objects.in_bulk(list(keys))


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
    led = [event.tournament for event in events if hasattr(event, "tournament")]
    first_of = _winners([row for row in led if row.state == Tournament.State.FINISHED], progress)
    for event in events:
        those = played.get(event.pk, [])
        players = {player for game in those for side in game.sides for player in side}
        winners, points = first_of.get(event.pk, ()), None
        is_evening = not hasattr(event, "tournament")
        if is_evening and (best := add_up(those, 0).highest[:1]):
            winners, points = best[0].players, best[0].value
        # Leave out an evening without games: nobody came, or it is still to come.
        if those or not is_evening:
            yield MonthEvening(event, len(those), len(players), winners, points)


def _winners(rows: Sequence[Tournament], progress: OnProgress) -> dict[int, tuple[int, ...]]:
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


# The people.


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


def _broken(before: Sequence[PlayedGame], within: Sequence[PlayedGame]) -> Iterator[BrokenRecord]:
    if not before:
        return
    then, now = add_up(before, 0), add_up([*before, *within], 0)
    keys = {game.key for game in within}
    for kind in ("highest", "lowest", "kings", "runs"):
        old: Sequence[Record] = getattr(then, kind)
        new: Sequence[Record] = getattr(now, kind)
        if new and new[0].key in keys and (not old or new[0].value != old[0].value):
            yield kind, new[0], old[0] if old else None


def _board(pool: RatingPool, first: date, within: Sequence[PlayedGame]) -> list[BoardLine]:
    now, then = _ratings_before(pool, month_after(first)), _ratings_before(pool, first)
    listed = sorted(now.items(), key=lambda item: (-item[1][1].points, item[0]))
    ranks, earlier = _ranks(now), _ranks(then)
    played = Counter(player for game in within for side in game.sides for player in side)
    return [
        (
            ranks.rank(rating.points),
            earlier.rank(then[key][1].points) if key in then else None,
            player,
            played[player],
            rating.points - then[key][1].points if key in then else None,
            rating.points,
        )
        for key, (player, rating) in listed
    ]


RatingsOfPlayers = dict[int, tuple[int, DisplayedRating]]
"""Players with rank and rating, by the keys of their ratings."""


def _ratings_before(pool: RatingPool, until: date) -> RatingsOfPlayers:
    months = until
    for _month in range(ACTIVE_MONTHS):
        months = month_before(months)
    held_on = "game__table__round__event__held_on"
    changes = RatingChange.objects.filter(rating__pool=pool, **{f"{held_on}__lt": until})
    order = Window(RowNumber(), partition_by=F("rating"), order_by=F("number").desc())
    last = changes.annotate(from_last=order).filter(from_last=1).order_by("rating")
    columns = ("mean", "variance", "rating__start")
    rows = last.values_list("rating_id", "rating__player_id", *columns, held_on)
    found = {}
    for pk, player, mean, variance, start, day in rows.iterator(2000):
        rating = displayed(Rating(mean, variance, start))
        if day >= months and not rating.provisional:
            found[pk] = (player, rating)
    return found


def _ranks(ratings: RatingsOfPlayers) -> Ranks:
    counted = Counter(rating.points for _player, rating in ratings.values())
    return Ranks.of(sorted(counted.items(), reverse=True))


MOST_ON_BOARD = 12
MOST_NEWCOMERS = 12
MOST_EARNERS = 4
"""Most names beside a badge; beyond that only their number."""


@document(
    Report.Kind.CLUB_MONTH, note=gettext_lazy("Evenings, winners, newcomers, ratings and records.")
)
def club_month(report: Report, progress: OnProgress) -> Data:
    assert report.club is not None
    club, first = report.club, date.fromisoformat(f"{report.parameters.get('month')}-01")
    month = Month(club, first, progress)
    name = date_format(first, "YEAR_MONTH_FORMAT")
    heading = Heading(
        title=name,
        lines=[_("The month of %(club)s") % {"club": club.name}],
        date=name,
        description=f"{club.name}, {name}",
    )
    newcomers = list(month.newcomers.items())
    more = len(newcomers[MOST_NEWCOMERS:])
    and_more = ngettext("and %(number)s more", "and %(number)s more", more) % {"number": more}
    return page_data(heading, club, words=_words()) | {
        "figures": _figures(month),
        "evenings": [_evening(evening, month) for evening in month.evenings],
        "boards": [
            {
                "name": family_name(family),
                "rows": [_moved(line, month) for line in board[:MOST_ON_BOARD]],
                "note": _("%(shown)s of %(number)s")
                % {"shown": min(MOST_ON_BOARD, len(board)), "number": len(board)},
            }
            for family, board in month.boards.items()
            if board
        ],
        "active": [
            [name_of(month, row.player), str(row.games), str(row.evenings)]
            for row in month.sums.active
        ],
        "newcomers": {
            "rows": [
                [name_of(month, player), str(games)] for player, games in newcomers[:MOST_NEWCOMERS]
            ],
            "note": and_more if more else "",
        },
        "records": list(_records(month)),
        "badges": [_badge(badge, month) for badge in month.badges],
        "coming": [
            [
                date_format(event.held_on, "MONTH_DAY_FORMAT"),
                {"text": event.name, "below": " · ".join([*_kind(event), *event.details])},
            ]
            for event in month.coming
        ],
    }


def _words() -> dict[str, str]:
    return {
        "evenings": _("Evenings and tournaments"),
        "no_evenings": _("Nothing was played."),
        "board": _("Leaderboard"),
        "active": _("Who played most"),
        "newcomers": _("Played here for the first time"),
        "nobody": _("Nobody."),
        "records": _("Records of the club, set anew"),
        "badges": _("Badges"),
        "coming": _("What comes next"),
        "no_coming": _("Nothing is planned yet."),
        "day": _("Day"),
        "event": pgettext("evening or tournament", "Event"),
        "winner": _("Winner"),
        "players": pgettext("how many", "Players"),
        "games": pgettext("how many", "Games"),
        "evenings_of": pgettext("how many", "Evenings"),
        "place": pgettext("in standings", "Place"),
        "name": _("Name"),
        "rating": _("Rating"),
        "change": pgettext("column", "Change"),
        "moved": _("Moved"),
        "records_head": _("Record"),
        "before": _("Before"),
        "now": _("Now"),
        "badge": _("Badge"),
        "times": pgettext("of badges", "Times"),
    }


def name_of(month: Month, player: int) -> str:
    row: Player | None = month.names.get(player)
    return (row.shown_name if row is not None else "") or _("removed player")


def _names(month: Month, players: Sequence[int]) -> str:
    return " + ".join(name_of(month, player) for player in players)


# The figures at the top.


def _figures(month: Month) -> list[Data]:
    now, before = month.sums, month.earlier
    found = [
        _figure(pgettext("how many", "Evenings"), now.evenings, before.evenings),
        _figure(pgettext("how many", "Games"), now.games, before.games),
        _figure(pgettext("how many", "Players"), now.players, before.players),
        {"name": _("For the first time"), "value": str(len(month.newcomers)), "note": ""},
    ]
    if now.evenings:
        seats = sum(evening.players for evening in month.evenings)
        mean = labels.points_text(round(seats / now.evenings))
        found.append({"name": _("Players an evening"), "value": mean, "note": ""})
    return found


def _figure(name: str, now: int, before: int) -> Data:
    return {"name": name, "value": str(now), "note": _("%(number)s before") % {"number": before}}


# The evenings.


def _evening(evening: MonthEvening, month: Month) -> list[Any]:
    event = evening.event
    return [
        date_format(event.held_on, "MONTH_DAY_FORMAT"),
        {"text": event.name, "below": " · ".join(_kind(event))},
        _winner(evening, month),
        str(evening.players) if evening.players else "–",
        str(evening.games) if evening.games else "–",
    ]


def _kind(event: Event) -> list[str]:
    return [_("Tournament")] if hasattr(event, "tournament") else []


def _winner(evening: MonthEvening, month: Month) -> Any:
    if not evening.winners:
        tournament = getattr(evening.event, "tournament", None)
        over = tournament is None or tournament.state == Tournament.State.FINISHED
        return {"text": "–" if over else _("goes on"), "style": "faint"}
    names = _names(month, evening.winners)
    if evening.points is None:
        return {"text": names, "style": "strong"}
    below = _("highest game: %(points)s") % {"points": points_text(evening.points)}
    return {"text": names, "below": below}


# The people.


def _moved(line: BoardLine, month: Month) -> list[Any]:
    rank, earlier, player, games, change, points = line
    if earlier is None:
        moved = pgettext("on a leaderboard", "new")
    elif earlier == rank:
        moved = "="
    else:
        moved = f"{'▲' if earlier > rank else '▼'} {abs(earlier - rank)}"
    return [
        str(rank),
        {"text": moved, "style": "small"},
        name_of(month, player),
        str(games) if games else "–",
        signed(change) if change is not None else "–",
        str(points),
    ]


def signed(number: int) -> str:
    return f"+{number}" if number > 0 else points_text(number)


# Records and badges.


def _records(month: Month) -> Iterator[list[Any]]:
    names: Mapping[str, str] = {
        "highest": _("Highest game"),
        "lowest": _("Lowest game"),
        "kings": _("Most Kings"),
        "runs": _("Longest run out"),
    }
    for family, those in month.broken.items():
        more = "" if len(month.broken) == 1 else family_name(family)
        for kind, record, earlier in those:
            before = {"text": _value(kind, earlier), "style": "faint"}
            who = _names(month, record.players)
            day = date_format(record.at, "MONTH_DAY_FORMAT")
            name = {"text": names[kind], "below": more}
            yield [name, {"text": who, "below": day}, before, _value(kind, record)]


def _value(kind: str, record: Record | None) -> str:
    if record is None:
        return "–"
    value: Points = record.value
    return points_text(value) if kind in {"highest", "lowest"} else str(value)


def _badge(badge: str, month: Month) -> list[Any]:
    earned = month.badges[badge]
    number = str(sum(earned.values()))
    name = {"text": labels.badge_name(badge), "below": labels.badge_meaning(badge)}
    if len(earned) > MOST_EARNERS:
        count = ngettext("%(number)s player", "%(number)s players", len(earned))
        return [name, count % {"number": len(earned)}, number]
    who = (_times(name_of(month, player), times) for player, times in earned.most_common())
    return [name, ", ".join(who), number]


def _times(name: str, times: int) -> str:
    return name if times == 1 else f"{name} {times}×"
