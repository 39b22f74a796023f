"""Certificates for the first three of a tournament, to sign and to hang up."""

from collections.abc import Iterator
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tournaments.engine.standings import Standing
from tournaments.models import Report, Tournament
from tournaments.queries.tournaments import Course, load_course
from tournaments.reports.contents import Content, Pages, Part, Told
from tournaments.reports.page_family import Heading, page_data
from tournaments.reports.round_seats import (
    check_for_directors,
    event_of,
    hall_heading,
    names_of,
    round_title,
)
from tournaments.words import points_text

LAST_PLACE = 3


def certificates(report: Report, told: Told) -> Content:
    """A certificate for each player of the first three places.

    Raises:
        ValueError: they were asked for others than directors, or of no tournament.
    """
    check_for_directors(report)
    return Pages([Part.of("certificates.typ", compose_certificates(report, told))])


def compose_certificates(report: Report, told: Told) -> dict[str, Any]:
    """What stands on the certificates, the winner’s first (5 queries)."""
    tournament: Tournament | None = getattr(event_of(report), "tournament", None)
    if tournament is None:
        raise ValueError("an evening has no places")
    course = load_course(tournament)
    closed = last_closed(course)
    rows = course.standings_before(closed + 1) if closed else ()
    heading = hall_heading(report, _("Certificates"), [tournament.event.name])
    items = [
        item
        for row in rows
        if row.place <= LAST_PLACE and row.has_played
        for item in _items(course, row, heading, closed)
    ]
    told(Report.Step.READING, len(items), len(items))
    empty = {"empty": _("No round is closed yet.")}
    return page_data(heading, tournament.event.club, words=empty) | {"items": items}


def last_closed(course: Course) -> int:
    """The number of the last round up to which all are closed; 0 before the first is."""
    number = 0
    for each in course.drawn:
        if each.row.closed_at is None:
            break
        number = each.row.number
    return number


def _items(
    course: Course, row: Standing, heading: Heading, closed: int
) -> Iterator[dict[str, Any]]:
    """The certificates of an entrant: one, or one for each of a pair."""
    names = names_of(entrant := course.entrants[row.entrant])
    for name in names:
        partner = [other for other in names if other != name]
        yield {
            "kind": _("CERTIFICATE"),
            "name": name,
            "place": place_text(row),
            "lines": [
                heading.event,
                " · ".join([heading.date, *_after(course, closed)]),
                " · ".join([_points(row, course), *_with(partner), *_for(entrant.team)]),
            ],
            "signatures": [_("For the club"), _("Director")],
        }


def place_text(row: Standing) -> str:
    """A place on the podium, in words."""
    place = {1: _("First place"), 2: _("Second place"), 3: _("Third place")}[row.place]
    return _("%(place)s, shared") % {"place": place} if row.shared else place


def _after(course: Course, closed: int) -> list[str]:
    """After which round, of a tournament that goes on."""
    if course.tournament.state == Tournament.State.FINISHED:
        return []
    place = next(each.row for each in course.drawn if each.row.number == closed)
    return [_("after: %(round)s") % {"round": round_title(place)}]


def _points(row: Standing, course: Course) -> str:
    count = sum(not each.house for each in course.entrants.values())
    told = {"points": points_text(row.points), "number": count}
    return (
        ngettext(
            "%(points)s points, %(number)s entrant",
            "%(points)s points, %(number)s entrants",
            count,
        )
        % told
    )


def _with(partner: list[str]) -> list[str]:
    return [_("with %(name)s") % {"name": name} for name in partner]


def _for(team: str) -> list[str]:
    return [_("for %(team)s") % {"team": team}] if team else []
