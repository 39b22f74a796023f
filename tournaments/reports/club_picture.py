"""The picture of a club, for the preview of a link: who leads its season."""

from typing import Any

from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from tournaments.models import Report
from tournaments.presenters.standings.league import public_league
from tournaments.texts.labels import points_text

MOST_LINES = 4


def compose_club_picture(report: Report) -> dict[str, Any]:
    """Return the data of the wide picture of a club, as everybody may see it.

    Raises:
        ValueError: the report is not about a club with a league.
    """
    club = report.club
    found = public_league(club, timezone.localdate()) if club else None
    if club is None or found is None:
        raise ValueError("no league")
    season, seen = found
    return {
        "language": get_language(),
        "title": club.name,
        "description": season.name,
        "wide": True,
        "remark": "",
        "sides": [
            {
                "members": [
                    {
                        "seat": None,
                        "place": f"{row.place}.",
                        "name": seen.people[row.player].shown_name,
                    }
                ],
                "total": points_text(row.points),
                "best": row.place == 1,
            }
            for row in seen.rows[:MOST_LINES]
        ],
        "course": [],
        "badges": [],
        "foot": _("Leading the season"),
        "place": season.name,
    }
