"""The picture of an evening, for the preview of a link: who leads, the points, the course."""

from typing import Any

from django.utils import timezone
from django.utils.translation import get_language

from tournaments.engine.play.outcomes import courses
from tournaments.models import Report
from tournaments.presenters.games.evenings import TallyRow, evening_of, finished_games
from tournaments.queries.games.sheets import load_sheets
from tournaments.reports.scoresheet import written_date

COLOURS = 5
"""People with a colour and a shape of their own; further ones are named without."""

MOST_PEOPLE = 6


def compose_evening_picture(report: Report) -> dict[str, Any]:
    """Return the data of the wide picture of the evening of the report's game.

    Raises:
        ValueError: the report is about no open table.
    """
    table = None if report.game is None else report.game.open_table
    if table is None:
        raise ValueError(f"{report} is of no open table")
    sheets = load_sheets(table.games.order_by("number"))
    evening, lines = evening_of(sheets), courses(finished_games(sheets))
    most = max((row.standing.won for row in evening.rows), default=0)
    return {
        "language": get_language(),
        "title": evening.headline,
        "description": ", ".join(row.name for row in evening.rows),
        "wide": True,
        "remark": "",
        "sides": [
            {
                "members": [{"seat": _colour(row), "place": "", "name": row.name}],
                "total": row.points,
                "best": bool(most) and row.standing.won == most,
            }
            for row in evening.rows[:MOST_PEOPLE]
        ],
        "course": [
            {"seat": row.seat, "totals": [float(total) for total in lines[row.name]]}
            for row in evening.rows
            if _colour(row) is not None
        ],
        "badges": [],
        "foot": evening.finished,
        "place": written_date(timezone.localtime(table.created_at).isoformat()),
    }


def _colour(row: TallyRow) -> int | None:
    return row.seat if row.seat < COLOURS else None
