"""The league of a season as its page shows it: the points of its evenings, added up for players."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256

from django.core.cache import caches
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.html import escape
from django.utils.safestring import SafeString
from django.utils.translation import get_language, pgettext
from django.utils.translation import gettext as _

from tournaments.engine.rulesets import Points, whole
from tournaments.engine.season_sums import SeasonStanding, league
from tournaments.figures import figure
from tournaments.models import Player, Season, Tournament
from tournaments.models.people import fold_name
from tournaments.standings_telling import last_counted
from tournaments.tournament_queries import Course, load_courses
from tournaments.web.standings.view import KEPT_SECONDS, Version
from tournaments.web.tournaments.words import PLAYED

Played = Sequence[tuple[Tournament, Version]]


@dataclass(frozen=True, slots=True)
class Looker:
    """Who looks at the league: a director sees what is hidden, a member the players' pages."""

    member: bool
    directs: bool


@dataclass(frozen=True, slots=True)
class Evening:
    """A tournament of the season up to its round `last`, with the points of players by keys."""

    tournament: Tournament
    last: int
    points: dict[str, Points]

    @property
    def over(self) -> bool:
        """Whether nothing more will count."""
        return self.tournament.state == Tournament.State.FINISHED


def league_html(season: Season, played: Played, looker: Looker) -> SafeString:
    """The league as a fragment, kept by this process until something changes (5 queries or none).

    `played` are the tournaments of the season that whoever looks may see, the first one first.
    """
    versions = [version for _row, version in played]
    said = repr((season.pk, season.league_best, versions, looker, get_language()))
    key = f"league-{sha256(said.encode()).hexdigest()}"
    kept: SafeString | None = caches["pages"].get(key)
    if kept is None:
        kept = _render(season, [row for row, _version in played], looker)
        caches["pages"].set(key, kept, KEPT_SECONDS)
    return kept


@dataclass(frozen=True, slots=True)
class League:
    """A season added up: its evenings, the rows in order of place and name, and who they are of."""

    evenings: Sequence[Evening]
    rows: Sequence[SeasonStanding]
    people: Mapping[str, Player]
    finals: bool


def league_of(season: Season, rows: Sequence[Tournament], looker: Looker) -> League:
    """The league of a season's tournaments as somebody may see it (5 queries)."""
    courses = load_courses([row for row in rows if row.state in PLAYED])
    people: dict[str, Player] = {}
    evenings = [_evening(course, people, looker) for course in courses]
    evenings = [each for each in evenings if each.last]
    standings = league([each.points for each in evenings], season.league_best)
    # Who shares a place stands there by name.
    in_order = sorted(standings, key=lambda row: (row.place, fold_name(people[row.player].name)))
    return League(evenings, in_order, people, finals=any(course.stages for course in courses))


def _render(season: Season, rows: Sequence[Tournament], looker: Looker) -> SafeString:
    found = league_of(season, rows, looker)
    page = {
        "club": season.club,
        "season": season,
        "evenings": found.evenings,
        "finals": found.finals,
        "table": _table(season, found, looker) if found.rows else "",
    }
    return render_to_string("tournaments/_league.html", page)


def _evening(course: Course, people: dict[str, Player], looker: Looker) -> Evening:
    """What an evening gave to whom, up to its last closed round; its players go to `people`.

    Finals are left out: only some play them, and their points may start from zero.
    """
    closed = sum(each.row.closed_at is not None for each in course.drawn)
    counted = last_counted(course, directs=looker.directs)
    last = min(closed, counted, course.settings.rounds)
    points: dict[str, Points] = {}
    for key, worth in course.points_after(last).items() if last else ():
        for player in course.entrants[key].players:
            people[str(player.pk)] = player
            points[str(player.pk)] = whole(points.get(str(player.pk), 0) + worth)
    return Evening(course.tournament, last, points)


def _table(season: Season, found: League, looker: Looker) -> SafeString:
    """Put together by hand, as the standings are; only names and words are escaped."""
    text = cache(figure)
    head = "".join(_head(season, found.evenings))
    body = "".join(
        f'<tr><td class="num rank">{row.place}{"=" if row.shared else ""}</td>'
        f'<th scope="row">{_name(season, found.people[row.player], looker)}</th>'
        f'<td class="num points">{text(row.points)}</td>'
        f"{''.join(_cells(row, text))}</tr>"
        for row in found.rows
    )
    table = f'<table class="standings league"><thead>{head}</thead><tbody>{body}</tbody></table>'
    return SafeString(table)


def _head(season: Season, evenings: Iterable[Evening]) -> Iterator[str]:
    yield f'<tr><th scope="col" class="num">{escape(pgettext("in standings", "Place"))}</th>'
    yield f'<th scope="col">{escape(_("Name"))}</th>'
    yield f'<th scope="col" class="num">{escape(_("Points"))}</th>'
    for each in evenings:
        event = each.tournament.event
        at = reverse("standings", args=[season.club.slug, each.tournament.slug])
        day = escape(date_format(event.held_on, "j M"))
        yield f'<th scope="col" class="num round"><a href="{at}" title="{escape(event.name)}">'
        yield f"{day}</a></th>"
    yield "</tr>"


def _name(season: Season, player: Player, looker: Looker) -> str:
    if player.removed_at is not None:
        return f'<span class="soft">{escape(_("removed player"))}</span>'
    name = escape(player.shown_name)
    if not looker.member:
        return name
    return f'<a href="{reverse("player", args=[season.club.slug, player.public_id])}">{name}</a>'


def _cells(row: SeasonStanding, text: Callable[[Points], str]) -> Iterator[str]:
    """The points of each evening; those that do not count are struck out."""
    for at, points in enumerate(row.by_evening):
        if points is None:
            yield '<td class="num round">–</td>'
        elif at in row.counted:
            yield f'<td class="num round">{text(points)}</td>'
        else:
            yield f'<td class="num round left-out"><s>{text(points)}</s></td>'
