"""The picture of a tournament's standings, for the preview of a link."""

from typing import Any

from django.utils.translation import get_language

from tournaments.models import Report
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
        "sides": [
            {
                "members": [
                    {"seat": None, "place": place_text(line.row), "name": line.entrant.shown_name}
                ],
                "total": points_text(line.row.points),
                "best": bool(seen.after) and line.row.place == 1,
            }
            for line in lines_of(seen)[:MOST_LINES]
        ],
        "course": [],
        "badges": [],
        "foot": " · ".join([event.club.name, after_text(seen)]),
        "place": written_date(event.held_on.isoformat()),
    }
