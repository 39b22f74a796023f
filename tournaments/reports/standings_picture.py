"""The picture of a tournament's standings, for the preview of a link."""

from typing import Any

from django.utils.translation import get_language, pgettext
from django.utils.translation import gettext as _

from tournaments.models import Report
from tournaments.presenters.standings.standings import Seen, last_closed, standings_seen
from tournaments.queries.tournaments.state import TournamentState, load_state
from tournaments.reports.scoresheet import written_date
from tournaments.reports.standings_document import (
    after_text,
    lines_of,
    place_text,
    tournament_of,
)
from tournaments.texts.labels import points_text

MOST_LINES = 4


def compose_standings_picture(report: Report) -> dict[str, Any]:
    """Return the data of the wide picture of the standings after the last closed round.

    Raises:
        ValueError: the report is not about a tournament.
    """
    state = load_state(tournament_of(report))
    closed = last_closed(state, directs=False)
    seen = standings_seen(state, directs=False, after=closed)
    event = state.tournament.event
    # The first round is on: no standings yet.
    foot = [event.club.name] if seen.after > closed else [event.club.name, after_text(seen)]
    return {
        "language": get_language(),
        "title": event.name,
        "description": event.club.name,
        "wide": True,
        "remark": "",
        "sides": _places(seen) if closed else _invitation(state),
        "course": [],
        "badges": [],
        "foot": " · ".join(foot),
        "place": written_date(event.held_on.isoformat()) if closed else "",
    }


def _places(seen: Seen) -> list[dict[str, Any]]:
    return [
        _line(
            place_text(line.row),
            line.entrant.shown_name,
            points_text(line.row.points),
            best=line.row.place == 1,
        )
        for line in lines_of(seen)[:MOST_LINES]
    ]


def _invitation(state: TournamentState) -> list[dict[str, Any]]:
    """Return what one wants to know before the first round: when, where, and how many come."""
    event = state.tournament.event
    coming = sum(not each.house for each in state.competitors)
    facts = [
        (_("Day"), written_date(event.held_on.isoformat())),
        (pgettext("hour of an event", "Start"), event.starts_at),
        (pgettext("where an event is", "Place"), event.venue),
        (pgettext("tab", "Entrants"), str(coming or "")),
    ]
    return [_line(name, value, best=name == facts[0][0]) for name, value in facts if value]


def _line(place: str, name: str, total: str = "", *, best: bool) -> dict[str, Any]:
    members = [{"seat": None, "place": place, "name": name}]
    return {"members": members, "total": total, "best": best}
