"""The name badges of a tournament, to be cut out and pinned on."""

from typing import Any

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from tournaments.models import Entrant, Report
from tournaments.reports.contents import Content, OnProgress, PdfPages, TypstPart
from tournaments.reports.name_order import name_order
from tournaments.reports.page_family import page_data
from tournaments.reports.round_seats import (
    check_for_directors,
    event_of,
    hall_heading,
    names_of,
)

ACROSS, DOWN = 2, 5
"""Badges on a sheet; unused ones on the last sheet stay blank, to fill in by hand."""


def name_badges(report: Report, progress: OnProgress) -> Content:
    """Return a badge for every player.

    Raises:
        ValueError: the audience is not directors.
    """
    check_for_directors(report)
    return PdfPages([TypstPart.of("name_badges.typ", compose_name_badges(report, progress))])


def compose_name_badges(report: Report, progress: OnProgress) -> dict[str, Any]:
    """Return the data of the badges, in the order of the names (1 query)."""
    event = event_of(report)
    rows = Entrant.objects.filter(tournament__event=event).playing()
    badges = [
        badge for row in rows.select_related("player", "partner") for badge in _badges_of(row)
    ]
    progress(Report.Step.READING, len(badges), len(badges))
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
