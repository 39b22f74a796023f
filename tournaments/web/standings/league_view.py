"""The page of a season's league: the points of its evenings, summed for each player."""

from collections.abc import Callable, Iterable, Iterator, Sequence
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

from tournaments.engine.rules.rulesets import Points
from tournaments.engine.standings.standings import SeasonStanding
from tournaments.models import Player, Season, Tournament
from tournaments.presenters.people.players import named_player
from tournaments.presenters.standings.standings import (
    League,
    LeagueEvening,
    LeagueReader,
    league_of,
)
from tournaments.queries.tournaments.steps import Version
from tournaments.services.events.events import dates_of
from tournaments.texts.labels import points_text
from tournaments.web.standings.view import KEPT_SECONDS

Played = Sequence[tuple[Tournament, Version]]


def league_html(season: Season, played: Played, looker: LeagueReader) -> SafeString:
    """Return the league as a fragment, cached by this process until a change (5 queries or none).

    `played` are the tournaments of the season visible to the reader, the first one first.
    """
    versions = [version for _row, version in played]
    named = season.club.shows_names
    said = repr((season.pk, dates_of(season), versions, looker, named, get_language()))
    key = f"league-{sha256(said.encode()).hexdigest()}"
    kept: SafeString | None = caches["pages"].get(key)
    if kept is None:
        kept = _render(season, [row for row, _version in played], looker)
        caches["pages"].set(key, kept, KEPT_SECONDS)
    return kept


def _render(season: Season, rows: Sequence[Tournament], looker: LeagueReader) -> SafeString:
    found = league_of(season, rows, looker)
    page = {
        "club": season.club,
        "season": season,
        "evenings": found.evenings,
        "finals": found.finals,
        "added": found.added,
        "mixed": found.mixed,
        "directs": looker.directs,
        "table": _table(season, found, looker) if found.rows else "",
    }
    return render_to_string("tournaments/standings/_league.html", page)


def _table(season: Season, found: League, looker: LeagueReader) -> SafeString:
    """Built without a template, as the standings are; only names and texts are escaped."""
    text = cache(points_text)
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


def _head(season: Season, evenings: Iterable[LeagueEvening]) -> Iterator[str]:
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


def _name(season: Season, player: Player, looker: LeagueReader) -> str:
    if player.removed_at is not None:
        return f'<span class="soft">{escape(_("removed player"))}</span>'
    named = named_player(season.club, player, member=looker.member)
    name = escape(named.name)
    return f'<a href="{named.url}">{name}</a>' if named.url else name


def _cells(row: SeasonStanding, text: Callable[[Points], str]) -> Iterator[str]:
    """Yield the points of each evening; those that do not count are struck out."""
    for at, points in enumerate(row.by_evening):
        if points is None:
            yield '<td class="num round">–</td>'
        elif at in row.counted:
            yield f'<td class="num round">{text(points)}</td>'
        else:
            yield f'<td class="num round left-out"><s>{text(points)}</s></td>'
