"""The picture of a tournament's standings, for the preview of a link."""

from typing import Any

from django.utils.translation import get_language, pgettext
from django.utils.translation import gettext as _

from tournaments.models import Report
from tournaments.presenters.standings.standings import Seen
from tournaments.queries.tournaments.state import TournamentState
from tournaments.reports.scoresheet import written_date
from tournaments.reports.standings_document import after_text, lines_of, place_text, seen_in
from tournaments.texts.labels import points_text

MOST_LINES = 4


def compose_standings_picture(report: Report) -> dict[str, Any]:
    """Return the data of the wide picture of the standings that visitors see.

    Raises:
        ValueError: the report is not about a tournament.
    """
    seen = seen_in(report)
    event = seen.state.tournament.event
    return {
        "language": get_language(),
        "title": event.name,
        "description": event.club.name,
        "wide": True,
        "remark": "",
        "sides": _places(seen) if seen.after else _invitation(seen.state),
        "course": [],
        "badges": [],
        "foot": " · ".join([event.club.name, after_text(seen)]),
        "place": written_date(event.held_on.isoformat()) if seen.after else "",
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
