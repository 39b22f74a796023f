"""Certificates of a tournament: for the first three, to sign and hang up, or for one entrant."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tournaments.engine.documents.games import letters_of
from tournaments.engine.standings.standings import Standing
from tournaments.models import Report, Tournament
from tournaments.queries.tournaments.state import TournamentState, digest_after, load_state
from tournaments.reports.contents import Content, OnProgress, PdfPages, TypstPart
from tournaments.reports.page_family import Heading, page_data
from tournaments.reports.round_seats import (
    check_for_directors,
    event_of,
    hall_heading,
    names_of,
)
from tournaments.texts.labels import points_text, section_name
from tournaments.texts.rounds import round_name

LAST_PLACE = 3

ENTRANT = "entrant"
"""The parameter that names one entrant, by key."""


def certificates(report: Report, progress: OnProgress) -> Content:
    """Return a certificate for each player of the first three places, or of the named entrant.

    Raises:
        ValueError: all are wanted by others than directors, or it is not about a tournament.
    """
    if ENTRANT not in report.parameters:
        check_for_directors(report)
    return PdfPages([TypstPart.of("certificates.typ", compose_certificates(report, progress))])


def compose_certificates(report: Report, progress: OnProgress) -> dict[str, Any]:
    """Return the data of the certificates, the winner’s first (5 queries)."""
    tournament: Tournament | None = getattr(event_of(report), "tournament", None)
    if tournament is None:
        raise ValueError("an evening has no places")
    state = load_state(tournament)
    closed = last_closed(state)
    rows = state.standings_before(closed + 1) if closed else ()
    heading = hall_heading(report, _("Certificates"), [tournament.event.name])
    played = [row for row in rows if row.has_played]
    counts = Counter(row.section for row in played)
    one = report.parameters.get(ENTRANT)
    items = [
        item
        for row in played
        if (row.entrant == one if one else row.place <= LAST_PLACE)
        for item in _items(state, row, heading, (closed, counts[row.section]))
    ]
    progress(Report.Step.READING, len(items), len(items))
    empty = {"empty": _("No round is closed yet.")}
    return page_data(heading, tournament.event.club, words=empty) | {"items": items}


def last_closed(state: TournamentState) -> int:
    """Return the last round up to which all rounds are closed; 0 before the first."""
    number = 0
    for each in state.seated_rounds:
        if each.row.closed_at is None:
            break
        number = each.row.number
    return number


def _items(
    state: TournamentState, row: Standing, heading: Heading, of: tuple[int, int]
) -> Iterator[dict[str, Any]]:
    """Yield the certificates of an entrant: one, or one for each player of a pair.

    `of` are the last closed round and the number of entrants of the section who have played.
    """
    closed, played = of
    names = names_of(entrant := state.entrants[row.entrant])
    for name in names:
        partner = [other for other in names if other != name]
        yield {
            "kind": _("CERTIFICATE"),
            "name": name,
            "place": place_text(row),
            "lines": [
                heading.event,
                " · ".join([heading.date, *_after(state, closed), *_code(state, closed)]),
                " · ".join([_points(row, played), *_with(partner), *_for(entrant.team)]),
            ],
            "signatures": [_("For the club"), _("Director")],
        }


def place_text(row: Standing) -> str:
    names = {1: _("First place"), 2: _("Second place"), 3: _("Third place")}
    place = names.get(row.place) or _("Place %(place)s") % {"place": row.place}
    said = _("%(place)s, shared") % {"place": place} if row.shared else place
    return f"{section_name(row.section)}: {said}" if row.section else said


def _after(state: TournamentState, closed: int) -> list[str]:
    """Return the text that names the last closed round of an unfinished tournament."""
    if state.tournament.state == Tournament.State.FINISHED:
        return []
    round_ = next(each.row for each in state.seated_rounds if each.row.number == closed)
    return [_("after: %(round)s") % {"round": round_name(round_)}]


def _code(state: TournamentState, closed: int) -> list[str]:
    digest = digest_after(state, closed)
    return [_("Code: %(code)s") % {"code": letters_of(digest)}] if digest else []


def _points(row: Standing, count: int) -> str:
    details = {"points": points_text(row.points), "number": count}
    return (
        ngettext(
            "%(points)s points, %(number)s entrant",
            "%(points)s points, %(number)s entrants",
            count,
        )
        % details
    )


def _with(partner: list[str]) -> list[str]:
    return [_("with %(name)s") % {"name": name} for name in partner]


def _for(team: str) -> list[str]:
    return [_("for %(team)s") % {"team": team}] if team else []
