"""Ratings of a club, and the league of a season, as documents."""

from collections import defaultdict
from collections.abc import Iterator
from itertools import chain
from typing import Any

from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext

from tournaments.engine.documents.games import digest_of_document
from tournaments.engine.documents.verify import PROGRAM, RATINGS_FORMAT
from tournaments.engine.rules.entries import write_points
from tournaments.engine.rules.rulesets import Points
from tournaments.engine.standings.standings import SeasonStanding
from tournaments.models import (
    Club,
    Game,
    Player,
    PlayerRating,
    RatingChange,
    RatingPool,
    Report,
    Season,
    Tournament,
)
from tournaments.queries.standings import League, LeagueReader, league_of
from tournaments.reports.pages import (
    TABLES,
    Content,
    Data,
    Heading,
    OnProgress,
    document,
    page_data,
)
from tournaments.reports.spreadsheets import Cell, Column, DataTable, Kind, TableBook, book_content
from tournaments.services.base.writes import one_moment
from tournaments.services.ratings.games import Played, RoundToRate, person_of, played_rounds
from tournaments.texts.labels import points_text

Json = dict[str, Any]


def ratings_document(club: Club) -> Json:
    """Return the document; ratings that are due should be computed before."""
    with one_moment():
        writer = _Writer(club)
        document: Json = {
            "format": RATINGS_FORMAT,
            "club": {"slug": club.slug, "name": club.name},
            "program": dict(PROGRAM),
            "pools": [
                writer.pool(row) for row in RatingPool.objects.filter(club=club).order_by("family")
            ],
            "players": writer.players(),
        }
    return document | {"digest": digest_of_document(document)}


class _Writer:
    def __init__(self, club: Club) -> None:
        self.club = club
        self.ids: dict[str, str] = {}
        games = Game.objects.filter(table__round__event__club=club).exclude(digest="")
        self.digests = dict(games.values_list("pk", "digest"))
        self.games: dict[str, list[tuple[RoundToRate, Played]]] = defaultdict(list)
        for round_ in chain.from_iterable(played_rounds(club.pk, None)):
            for game in round_.games:
                self.games[game.family].append((round_, game))

    def players(self) -> list[Json]:
        """Return the people with ratings; those removed have no name."""
        names = dict(
            Player.objects.filter(club=self.club, removed_at=None).values_list("pk", "name")
        )
        return [
            {"id": own, "name": names.get(int(person.removeprefix("p")))}
            for person, own in self.ids.items()
        ]

    def _id(self, person: str) -> str:
        return self.ids.setdefault(person, f"p{len(self.ids) + 1}")

    def pool(self, row: RatingPool) -> Json:
        changes: dict[tuple[int, int], RatingChange] = {
            (change.game_id, change.seat): change
            for change in RatingChange.objects.filter(rating__pool=row).order_by().iterator()
        }
        games = [self._game(round_, game, changes) for round_, game in self.games[row.family]]
        ratings = PlayerRating.objects.filter(pool=row).order_by("pk")
        return {
            "family": row.family,
            "constants": {
                "version": row.version,
                "fitted_at": row.fitted_at.isoformat() if row.fitted_at else None,
                "start": row.start,
                "luck": row.luck,
            },
            "games": games,
            "ratings": [
                {
                    "player": self._id(row.person),
                    "games": row.games,
                    "last_at": row.last_at.isoformat(),
                    "rating": [row.mean, row.variance],
                    "provisional": row.provisional,
                }
                for row in ratings
            ],
        }

    def _game(
        self, round_: RoundToRate, game: Played, changes: dict[tuple[int, int], RatingChange]
    ) -> Json:
        seats: list[Json | None] = []
        for seat, person in enumerate(game.people):
            change = changes.get((game.pk, seat)) if person else None
            seats.append(
                None
                if change is None
                else {
                    "player": self._id(person_of(person)),
                    "before": [change.mean_before, change.variance_before],
                    "after": [change.mean, change.variance],
                }
            )
        digest = self.digests.get(game.pk)
        return {
            **({"digest": digest} if digest else {}),
            "at": round_.at.isoformat(),
            "ruleset": game.spread,
            "sides": list(game.sides),
            "totals": list(map(write_points, game.totals)),
            "ranks": list(game.ranks),
            **({"counts": "half-places"} if game.half else {}),
            "seats": seats,
        }


MOST_UPRIGHT = 8
"""With more evenings than this the page is landscape."""

LAST_ON_PAGE = 20
"""Evenings with a column on pages, the last ones; tables have all."""


@document(Report.Kind.LEAGUE, note=gettext_lazy("Places, points and each evening."))
def league_pages(report: Report, progress: OnProgress) -> Data:
    """Return the league as pages; what does not count is in brackets."""
    season, found = _read(report, progress)
    first = max(0, len(found.evenings) - LAST_ON_PAGE)
    days = [_day(evening["tournament"]) for evening in found.evenings[first:]]
    heading = Heading(
        title=f"{_('League')} · {season.name}",
        lines=list(_lines(season, found)),
        date=_days_of(season),
        description=f"{season.club.name}, {_('League')}, {season.name}",
    )
    words = {
        "place": pgettext("in standings", "Place"),
        "name": _("Name"),
        "points": _("Points"),
        "empty": _("No tournament of this season has closed a round yet."),
    }
    legend = [
        f"{day} {evening['tournament'].event.name}"
        for day, evening in zip(days, found.evenings[first:], strict=True)
    ]
    if first:
        legend.append(_("The spreadsheet has the earlier evenings, too."))
    if season.league_best:
        legend.append(_("What is in brackets does not count."))
    legend.append(
        _(
            "Between equal sums the better best evening comes first, then the better second one,"
            " and so on; then the last evening."
        )
    )
    if found.finals:
        legend.append(_("An evening’s rounds count; its finals don’t."))
    return page_data(heading, season.club, words=words) | {
        "landscape": len(days) > MOST_UPRIGHT,
        "days": days,
        "rows": [
            [
                f"{row.place}{'=' if row.shared else ''}",
                _name(found, row),
                points_text(row.points),
                *(_evening(row, at) for at in range(first, len(found.evenings))),
            ]
            for row in found.rows
        ],
        "legend": legend,
    }


@document(Report.Kind.LEAGUE, *TABLES)
def league_tables(report: Report, progress: OnProgress) -> Content:
    """Return the league as a spreadsheet, with a column for each evening."""
    season, found = _read(report, progress)
    columns = [
        Column(pgettext("in standings", "Place"), "place", Kind.INTEGER),
        Column(_("Name"), "name"),
        Column(_("Points"), "points", Kind.POINTS, strong=True),
        Column(pgettext("how many", "Evenings"), "played", Kind.INTEGER),
    ]
    for evening in found.evenings:
        head = f"{_day(evening['tournament'])} {evening['tournament'].event.name}"
        columns.append(Column(head, "evenings", Kind.POINTS, many=True))
    rows: list[tuple[Cell, ...]] = [
        (
            *(row.place, _name(found, row), row.points),
            sum(points is not None for points in row.by_evening),
            *row.by_evening,
        )
        for row in found.rows
    ]
    table = DataTable(_("League"), "league", columns, rows, fixed=2, landscape=True)
    book = TableBook(
        title=f"{_('League')} · {season.name}",
        lines=[season.club.name, _days_of(season), *_lines(season, found)],
        tables=[table],
        format="kingscore-league/1",
        facts={"club": season.club.slug, "season": season.name},
    )
    return book_content(book, report)


def _read(report: Report, progress: OnProgress) -> tuple[Season, League]:
    club, pk = report.club, report.parameters.get("season")
    season = Season.objects.select_related("club").filter(club=club, pk=pk).first()
    if season is None:
        raise ValueError(f"no season {pk}")
    rows = Tournament.objects.counted().filter(event__season=season).exclude(state="draft")
    in_order = rows.select_related("event").order_by("event__held_on", "pk")
    found = league_of(season, list(in_order), LeagueReader(member=True, directs=False))
    progress(Report.Step.READING, len(found.rows), len(found.rows))
    return season, found


def _lines(season: Season, found: League) -> Iterator[str]:
    if season.league_best:
        yield ngettext(
            "Of each player the best evening counts.",
            "Of each player the best %(number)s evenings count.",
            season.league_best,
        ) % {"number": season.league_best}
    if found.mixed:
        yield _("These tournaments count different points: the sums say little.")
    elif found.added:
        yield _("Added up: %(added)s.") % {"added": found.added}


def _days_of(season: Season) -> str:
    first, last = (
        date_format(day, "SHORT_DATE_FORMAT") for day in (season.starts_on, season.ends_on)
    )
    return f"{first} – {last}"


def _day(tournament: Tournament) -> str:
    return date_format(tournament.event.held_on, "MONTH_DAY_FORMAT")


def _name(found: League, row: SeasonStanding) -> str:
    return found.people[row.player].shown_name or _("removed player")


def _evening(row: SeasonStanding, at: int) -> str:
    points: Points | None = row.by_evening[at]
    if points is None:
        return "–"
    text = points_text(points)
    return text if at in row.counted else f"({text})"
