"""The page of a report: its name, its progress, and the way back."""

from collections.abc import Mapping
from datetime import timedelta
from types import MappingProxyType

from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from tournaments.models import Report
from tournaments.models.reports import WHOLE_WHEN_ASKED
from tournaments.presenters.documents import about, may_cancel, reason_of, report_secret, title_of
from tournaments.services.documents.reporting import is_kept
from tournaments.web.base.phone import address_on_phone, evening_games_address

LONGER_THAN_USUAL = timedelta(seconds=20)
"""Time without a heartbeat after which the page says that the worker may not be running."""

Kind, Step = Report.Kind, Report.Step


def report_page(request: HttpRequest, row: Report) -> dict[str, object]:
    """Return the context of a report's page and fragment (no query)."""
    going, secret = row.is_going, report_secret(row.pk)
    return {
        "report": row,
        "title": title_of(row),
        "about": about(row),
        "going": going,
        "may_cancel": may_cancel(request, row),
        "steps": list(enumerate(_steps(row))),
        "step": row.step + 1 if row.state == Report.State.BUILDING else 0,
        "bar": _bar(row),
        "gone": row.state == Report.State.DONE and not is_kept(row),
        "stalled": going and timezone.now() - row.touched_at > LONGER_THAN_USUAL,
        "reason": reason_of(row),
        "file": reverse("report_file", args=[row.pk, secret]),
        "here": reverse("report", args=[row.pk, secret]),
        "back": _back(request, row),
    }


def _steps(row: Report) -> list[str]:
    """Return the steps of a report in order, beginning with waiting."""
    if row.kind in WHOLE_WHEN_ASKED:
        building = [_("Reading the sheet"), _("Setting the page"), _("Keeping the file")]
    elif row.format == Report.Format.PDF:
        building = [_("Reading what was played"), _("Setting the pages"), _("Keeping the file")]
    else:
        building = [_("Reading what was played"), _("Writing the tables"), _("Keeping the file")]
    return [_("Waiting for its turn"), *building]


SHARES: Mapping[int, tuple[int, int]] = MappingProxyType(
    {Step.READING: (0, 30), Step.SETTING: (30, 95), Step.KEEPING: (95, 100)}
)
"""The range of each step on the bar, in percent; typesetting takes the longest."""


def _bar(row: Report) -> int:
    if row.state != Report.State.BUILDING:
        return 0
    first, last = SHARES[row.step]
    return first + (last - first) * row.done // row.total if row.total else first


def _back(request: HttpRequest, row: Report) -> str:
    """Return the page from which the document was requested."""
    if row.game is not None:
        table = row.game.open_table if row.kind == Kind.EVENING else None
        return evening_games_address(table) if table else address_on_phone(request, row.game)
    if row.club is None:
        return reverse("home")
    if row.event is not None:
        return reverse("event_documents", args=[row.club.slug, row.event.public_id])
    if row.player is not None:
        return reverse("player", args=[row.club.slug, row.player.public_id])
    at, further = {
        Kind.CLUB_MONTH: ("club_records", ()),
        Kind.LEAGUE: ("league", (row.parameters.get("season"),)),
    }.get(Kind(row.kind), ("club", ()))
    return reverse(at, args=[row.club.slug, *further])
