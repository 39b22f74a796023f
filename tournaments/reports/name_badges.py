"""The name badges of a tournament, to be cut out and pinned on."""

from typing import Any

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from tournaments.models import Entrant, Report
from tournaments.reports.contents import Content, Pages, Part, Told
from tournaments.reports.name_order import name_order
from tournaments.reports.page_family import page_data
from tournaments.reports.round_seats import (
    check_for_directors,
    event_of,
    hall_heading,
    names_of,
)

ACROSS, DOWN = 2, 5
"""So many badges are on a sheet; what is left of the last one is blank, to be filled in by hand."""


def name_badges(report: Report, told: Told) -> Content:
    """A badge for everybody who plays.

    Raises:
        ValueError: they were asked for others than directors.
    """
    check_for_directors(report)
    return Pages([Part.of("name_badges.typ", compose_name_badges(report, told))])


def compose_name_badges(report: Report, told: Told) -> dict[str, Any]:
    """What stands on the badges, in the order of the names (1 query)."""
    event = event_of(report)
    rows = Entrant.objects.filter(tournament__event=event).playing()
    badges = [
        badge for row in rows.select_related("player", "partner") for badge in _badges_of(row)
    ]
    told(Report.Step.READING, len(badges), len(badges))
    language = get_language() or "en"
    badges.sort(key=lambda badge: (name_order(badge["name"], language), badge["number"]))
    blank = -len(badges) % (ACROSS * DOWN) if badges else ACROSS * DOWN
    heading = hall_heading(report, _("Name badges"))
    return page_data(heading, event.club) | {
        "across": ACROSS,
        "down": DOWN,
        "badges": badges,
        "blank": blank,
    }


def _badges_of(entrant: Entrant) -> list[dict[str, str]]:
    from_where = dict.fromkeys(part for part in (entrant.team, entrant.represents) if part)
    return [
        {"name": name, "team": " · ".join(from_where), "number": f"№ {entrant.number}"}
        for name in names_of(entrant)
    ]
