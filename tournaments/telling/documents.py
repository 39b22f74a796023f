"""What is told of a document that was asked for, and who may have it."""

from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404
from django.utils import timezone, translation
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from tournaments import words
from tournaments.document_words import NAMES, SUBJECTS
from tournaments.models import Report, addresses
from tournaments.queries.rulesets import rules_of
from tournaments.services.documents.building import FULL, LOST

Kind = Report.Kind

CONTENT_TYPES = {
    Report.Format.PDF: "application/pdf",
    Report.Format.XLSX: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    Report.Format.CSV: "text/csv; charset=utf-8",
    Report.Format.JSON: "application/json",
}


def report_secret(pk: int) -> str:
    """The secret part of a report's address."""
    return addresses.derive("report", str(pk), 1)


def report_at(request: HttpRequest, pk: int, secret: str) -> Report:
    """The report at an address, for who may see what it tells of; 404 for all others."""
    if not addresses.matches(secret, "report", str(pk), 1):
        raise Http404
    rows = Report.objects.readable_by(request.user).kept(timezone.now())
    return get_object_or_404(rows.select_related("game", "club", "event", "player"), pk=pk)


def may_cancel(request: HttpRequest, row: Report) -> bool:
    """Whether it is theirs to give up: nobody's who has asked without an account for a club's."""
    return row.club is None or (row.asked_by_id is not None and row.asked_by == request.user)


def title_of(row: Report) -> str:
    """What the page calls the document."""
    if row.kind == Kind.EMPTY_SHEET:
        ruleset = words.ruleset_name(row.parameters["ruleset"])
        return _("%(ruleset)s, empty sheet") % {"ruleset": ruleset}
    return str(NAMES[Kind(row.kind)])


def about(row: Report) -> list[str]:
    """What the document tells of, in a few lines."""
    if row.game is not None:
        day = date_format(timezone.localtime(row.game.played_at), "DATE_FORMAT")
        head = [row.game.title, day] if row.game.title else [day]
        return [" · ".join(row.game.players), " · ".join(head)]
    lines = [row.player.shown_name] if row.player else []
    lines += [row.event.name] if row.event else []
    lines += [row.club.name] if row.club else []
    more = SUBJECTS.get(Kind(row.kind))
    return [*lines, *([more(row.parameters)] if more else [])]


def reason_of(row: Report) -> str:
    """Why a report failed, in words."""
    if row.error == LOST:
        return _("the worker was stopped each time while it was at it")
    if row.error == FULL:
        return _("there is no room on the disk of the server")
    return row.error


def file_name(row: Report) -> str:
    """A name by which the file is found again years later."""
    with translation.override(row.language):
        name = _file_name(row)
    # What a file system would take for a folder.
    return "".join("-" if letter in "/\\:" else letter for letter in name) + f".{row.format}"


def _file_name(row: Report) -> str:
    if row.game is not None:
        day = timezone.localdate(row.game.played_at).isoformat()
        title = row.game.title or words.name_of(rules_of(row.game))
        return " ".join([title, day, *row.game.players])
    if row.club is None:
        return title_of(row)
    day = row.event.held_on.isoformat() if row.event else ""
    whose = [row.player.shown_name] if row.player else []
    whose += [row.event.name if row.event else row.club.name]
    more = SUBJECTS.get(Kind(row.kind))
    what = [title_of(row), *([more(row.parameters)] if more else [])]
    return " ".join(part for part in [*whose, day, *what] if part)
