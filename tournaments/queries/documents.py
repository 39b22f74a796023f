"""Requested documents, access to them, and what verifying one found."""

import json
import re
from collections.abc import Iterator
from datetime import date
from itertools import groupby
from typing import Any

from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404
from django.utils import timezone, translation
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from tournaments.engine.documents.results import DIFFERS, Point, Verification
from tournaments.models import Report, fields
from tournaments.models.reports import FULL, LOST
from tournaments.queries.sheets import rules_of
from tournaments.texts import labels
from tournaments.texts.documents import SENTENCES, WHAT

Kind = Report.Kind

CONTENT_TYPES = {
    Report.Format.PDF: "application/pdf",
    Report.Format.XLSX: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    Report.Format.CSV: "text/csv; charset=utf-8",
    Report.Format.JSON: "application/json",
    Report.Format.PNG: "image/png",
    "zip": "application/zip",
}


def report_secret(pk: int) -> str:
    return fields.derive("report", str(pk), 1)


def report_at(request: HttpRequest, pk: int, secret: str) -> Report:
    """Return the report at an address if the visitor may see its subject; else raise 404."""
    if not fields.matches(secret, "report", str(pk), 1):
        raise Http404
    rows = Report.objects.readable_by(request.user).unexpired(timezone.now())
    return get_object_or_404(rows.select_related("game", "club", "event", "player"), pk=pk)


def may_cancel(request: HttpRequest, row: Report) -> bool:
    """Return whether the visitor may cancel it; nobody may cancel an anonymous club request."""
    return row.club is None or (row.asked_by_id is not None and row.asked_by == request.user)


def title_of(row: Report) -> str:
    if row.kind in (Kind.EMPTY_SHEET, Kind.PHOTO_SHEET):
        ruleset = {"ruleset": labels.ruleset_name(row.parameters["ruleset"])}
        if row.kind == Kind.PHOTO_SHEET:
            return _("%(ruleset)s, sheet to photograph") % ruleset
        return _("%(ruleset)s, empty sheet") % ruleset
    return row.get_kind_display()


def about(row: Report) -> list[str]:
    """Return a few lines that describe the subject of the document."""
    if row.game is not None:
        day = date_format(timezone.localtime(row.game.played_at), "DATE_FORMAT")
        head = [row.game.title, day] if row.game.title else [day]
        return [" · ".join(row.game.players), " · ".join(head)]
    lines = [row.player.shown_name] if row.player else []
    lines += [row.event.name] if row.event else []
    lines += [row.club.name] if row.club else []
    return [*lines, *filter(None, [subject_of(row)])]


def subject_of(row: Report) -> str:
    """Return the further subject of a document, beyond event, player or club."""
    parameters = row.parameters
    if row.kind in (Kind.PLAYER_SEASON, Kind.LEAGUE):
        return str(parameters.get("season_name") or _("All the time"))
    if "month" in parameters:
        year, month = map(int, parameters["month"].split("-"))
        return date_format(date(year, month, 1), "YEAR_MONTH_FORMAT")
    if "round" in parameters:
        return pgettext("of an event", "Round %(number)s") % {"number": parameters["round"]}
    return ""


def reason_of(row: Report) -> str:
    if row.error == LOST:
        return _("the worker was stopped each time while it was at it")
    if row.error == FULL:
        return _("there is no room on the disk of the server")
    return row.error


def file_name(row: Report) -> str:
    """Return a file name that still identifies the document years later."""
    with translation.override(row.language):
        if row.game is not None:
            day = timezone.localdate(row.game.played_at).isoformat()
            title = row.game.title or labels.name_of(rules_of(row.game))
            words = [title, day, *row.game.players]
        elif row.club is None:
            words = [title_of(row)]
        else:
            name = row.event.name if row.event else row.club.name
            day = row.event.held_on.isoformat() if row.event else ""
            player = row.player.shown_name if row.player else ""
            words = [*filter(None, [player, name, day, title_of(row), subject_of(row)])]
    # Characters that a file system takes for a folder separator.
    name = "".join("-" if letter in "/\\:" else letter for letter in " ".join(words))
    return f"{name}.{extension(row)}"


def extension(row: Report) -> str:
    """Return what the name of its file ends with: the format, or `zip` for several volumes."""
    return (row.file.name or "").rpartition(".")[2] or row.format


LONGEST_VALUE = 80


def verified_lines(verification: Verification) -> Iterator[dict[str, Any]]:
    """Yield the points of a verification by round (0: none); each that differs has its own line.

    A line stands for `number` points with the same outcome; `where` is the path of one that
    differs, and empty for others.
    """
    order = list(WHAT)

    def key(point: Point) -> tuple[int, int, str, str, str]:
        own = point.where if point.outcome == DIFFERS else ""
        found = re.match(r"rounds\[(\d+)\]", point.where)
        round_ = int(found[1]) + 1 if found else 0
        return round_, order.index(point.what), point.outcome, point.code, own

    for (round_, *_order, where), points in groupby(sorted(verification.points, key=key), key):
        first, *others = points
        params = {name: _text(value) for name, value in first.params.items()}
        yield {
            "round": round_,
            "what": str(WHAT[first.what]),
            "number": 1 + len(others),
            "outcome": first.outcome,
            "text": str(SENTENCES[first.outcome, first.code]) % params,
            "where": where,
        }


def _text(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}…"
