"""The month of a club as a document and as a spreadsheet."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.db.models import F, QuerySet, Window
from django.db.models.functions import RowNumber
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from tournaments.engine.ratings.ratings import Rating
from tournaments.engine.rules.rulesets import Points
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
from tournaments.queries.ratings import ACTIVE_MONTHS, Ranks, ShownRating, shown
from tournaments.queries.site import (
    ClubGame,
    load_games_for_members,
    month_after,
    month_before,
    month_key,
)
from tournaments.queries.standings import standings_seen
from tournaments.queries.state import load_states
from tournaments.reports.pages import (
    Content,
    Data,
    Heading,
    OnProgress,
    PdfPages,
    TypstPart,
    page_data,
)
from tournaments.reports.spreadsheets import Cell, Column, DataTable, Kind, TableBook, book_content
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
    best = add_up(games, 0).highest[:1]
    return (best[0].players, best[0].value) if best else ((), None)


def _coming(club: Club, end: date) -> list[Event]:
    """Return the next events after the month, from today on (1 query)."""
    rows = Event.objects.for_members().filter(club=club)
    rows = rows.filter(held_on__gte=max(end, timezone.localdate()))
    return list(rows.select_related("tournament").order_by("held_on", "pk")[:COMING])


# The people.


def _newcomers(before: Iterable[ClubGame], within: Sequence[ClubGame]) -> Iterator[tuple[int, int]]:
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


MOST_ON_BOARD = 12
MOST_NEWCOMERS = 12
MOST_EARNERS = 4
"""Most names beside a badge; beyond that only their number."""


def club_month(report: Report, progress: OnProgress) -> Content:
    club = report.club
    assert club is not None
    data = compose_club_month(club, month_of_report(report), progress)
    return PdfPages([TypstPart.of("club_month.typ", data)])


def month_of_report(report: Report) -> date:
    """Return the first day of the requested month.

    Raises: ValueError: the parameter is not a month.
    """
    return datetime.strptime(f"{report.parameters.get('month')}-01", "%Y-%m-%d").date()  # noqa: DTZ007 - a day, no moment


def compose_club_month(club: Club, first: date, progress: OnProgress) -> Data:
    """Return the data of the document of a month, in the active language."""
    month = add_up_month(club, first, progress)
    name = date_format(first, "YEAR_MONTH_FORMAT")
    heading = Heading(
        title=name,
        lines=[_("The month of %(club)s") % {"club": club.name}],
        date=name,
        description=f"{club.name}, {name}",
    )
    return page_data(heading, club, words=_words()) | {
        "figures": _figures(month),
        "evenings": [_evening(each, month) for each in month.evenings],
        "boards": [_club_month_board(each, month) for each in month.families if each.board],
        "active": [
            [name_of(month, each.player), str(each.games), str(each.evenings)]
            for each in month.active
        ],
        "newcomers": _club_month_newcomers(month),
        "records": [line for each in month.families for line in _records(each, month)],
        "badges": [_badge(badge, month) for badge in month.badges],
        "coming": [_club_month_coming(event) for event in month.coming],
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
        seats = sum(each.players for each in month.evenings)
        mean = labels.points_text(round(seats / now.evenings))
        found.append({"name": _("Players an evening"), "value": mean, "note": ""})
    return found


def _figure(name: str, now: int, before: int) -> Data:
    return {"name": name, "value": str(now), "note": _("%(number)s before") % {"number": before}}


# The evenings.


def _evening(evening: MonthEvening, month: Month) -> list[Any]:
    event = evening.event
    return [
        date_format(event.held_on, "j M"),
        {"text": event.name, "below": _kind(evening.tournament)},
        _winner(evening, month),
        str(evening.players) if evening.players else "–",
        str(evening.games) if evening.games else "–",
    ]


def _kind(tournament: Tournament | None) -> str:
    return "" if tournament is None else _("Tournament")


def _winner(evening: MonthEvening, month: Month) -> Any:
    if not evening.winners:
        over = evening.tournament is None or evening.tournament.state == Tournament.State.FINISHED
        return {"text": "–" if over else _("goes on"), "style": "faint"}
    names = _names(month, evening.winners)
    if evening.points is None:
        return {"text": names, "style": "strong"}
    below = _("highest game: %(points)s") % {"points": points_text(evening.points)}
    return {"text": names, "below": below}


def _club_month_coming(event: Event) -> list[Any]:
    below = " · ".join(filter(None, (_kind(getattr(event, "tournament", None)), *event.details)))
    return [date_format(event.held_on, "j M"), {"text": event.name, "below": below}]


# The people.


def _club_month_newcomers(month: Month) -> Data:
    """Return new players with their games; if there are many, the number of further ones."""
    shown = month.newcomers[:MOST_NEWCOMERS]
    more = len(month.newcomers) - len(shown)
    note = ngettext("and %(number)s more", "and %(number)s more", more) % {"number": more}
    rows = [[name_of(month, player), str(games)] for player, games in shown]
    return {"rows": rows, "note": note if more else ""}


def _club_month_board(found: FamilyMonth, month: Month) -> Data:
    return {
        "name": family_name(found.family),
        "rows": [_moved(line, month) for line in found.board[:MOST_ON_BOARD]],
        "note": _("%(shown)s of %(number)s")
        % {"shown": min(MOST_ON_BOARD, len(found.board)), "number": len(found.board)},
    }


def _moved(line: RankMove, month: Month) -> list[Any]:
    return [
        str(line.rank),
        {"text": _arrow(line), "style": "small"},
        name_of(month, line.player),
        str(line.games) if line.games else "–",
        signed(line.change) if line.change is not None else "–",
        str(line.rating.points),
    ]


def _arrow(line: RankMove) -> str:
    if line.earlier is None:
        return pgettext("on a leaderboard", "new")
    if line.earlier == line.rank:
        return "="
    up = line.earlier > line.rank
    return f"{'▲' if up else '▼'} {abs(line.earlier - line.rank)}"


def signed(number: int) -> str:
    return f"+{number}" if number > 0 else points_text(number)


# Records and badges.


def _records(found: FamilyMonth, month: Month) -> Iterator[list[Any]]:
    more = "" if len(month.families) == 1 else family_name(found.family)
    for broken in found.broken:
        name = {"text": _record_name(broken), "below": more}
        before = {"text": _value(broken, broken.earlier), "style": "faint"}
        who = _names(month, broken.record.players)
        day = date_format(broken.record.at, "j M")
        yield [name, {"text": who, "below": day}, before, _value(broken, broken.record)]


def _record_name(broken: BrokenRecord) -> str:
    names: Mapping[str, str] = {
        "highest": _("Highest game"),
        "lowest": _("Lowest game"),
        "kings": _("Most Kings"),
        "runs": _("Longest run out"),
    }
    return names[broken.kind]


def _value(broken: BrokenRecord, record: Record | None) -> str:
    if record is None:
        return "–"
    value: Points = record.value
    return points_text(value) if broken.kind in {"highest", "lowest"} else str(value)


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


def month_tables(report: Report, progress: OnProgress) -> Content:
    club = report.club
    assert club is not None
    month = add_up_month(club, month_of_report(report), progress)
    name = date_format(month.first, "YEAR_MONTH_FORMAT")
    boards = [_month_spreadsheet_board(each, month) for each in month.families if each.board]
    book = TableBook(
        title=name,
        lines=[club.name, name],
        tables=[_month_spreadsheet_evenings(month), *boards],
        format="kingscore-month/1",
        facts={"club": club.slug, "month": month_key(month.first)},
    )
    return book_content(book, report)


def _month_spreadsheet_evenings(month: Month) -> DataTable:
    columns = (
        Column(_("Day"), "held_on", Kind.DATE),
        Column(pgettext("evening or tournament", "Event"), "event"),
        Column(_("Winner"), "winner"),
        Column(_("Highest game"), "highest", Kind.POINTS),
        Column(pgettext("how many", "Players"), "players", Kind.INTEGER),
        Column(pgettext("how many", "Games"), "games", Kind.INTEGER, strong=True),
    )
    return DataTable(
        title=_("Evenings and tournaments"),
        key="evenings",
        columns=columns,
        rows=list(_rows(month)),
        sums=(5,),
        sums_head=_("Sum"),
        fixed=2,
    )


def _rows(month: Month) -> Iterator[tuple[Cell, ...]]:
    for each in month.evenings:
        winner = " + ".join(name_of(month, player) for player in each.winners)
        event = each.event
        yield event.held_on, event.name, winner, each.points, each.players, each.games


def _month_spreadsheet_board(found: FamilyMonth, month: Month) -> DataTable:
    columns = (
        Column(pgettext("in standings", "Place"), "place", Kind.INTEGER),
        Column(_("Before"), "before", Kind.INTEGER),
        Column(_("Name"), "name"),
        Column(pgettext("how many", "Games"), "games", Kind.INTEGER),
        Column(pgettext("column", "Change"), "change", Kind.INTEGER),
        Column(_("Rating"), "rating", Kind.INTEGER, strong=True),
    )
    rows = [
        (
            line.rank,
            line.earlier,
            name_of(month, line.player),
            line.games,
            line.change,
            line.rating.points,
        )
        for line in found.board
    ]
    title = f"{_('Leaderboard')} {family_name(found.family)}"
    return DataTable(title=title, key=f"leaderboard-{found.family}", columns=columns, rows=rows)
