"""The cards of a round's tables: number, players, and the code that opens the sheet."""

from typing import Any
from urllib.parse import urljoin

from django.urls import reverse
from django.utils.translation import gettext as _

from tournaments.models import Event, Game, Report, Table
from tournaments.presenters.games.evenings import beginning_of
from tournaments.queries.games.sheets import rules_of
from tournaments.reports.codes import drawn_code
from tournaments.reports.contents import Content, OnProgress, PdfPages, TypstPart
from tournaments.reports.page_family import page_data
from tournaments.reports.round_seats import (
    SeatedTable,
    check_for_directors,
    event_of,
    hall_heading,
    round_of,
    seats_of,
)
from tournaments.texts import labels
from tournaments.texts.rounds import round_name

Data = dict[str, Any]


def table_cards(report: Report, progress: OnProgress) -> Content:
    """Return the cards of a round, to cut out and lay on its tables.

    The access links appear on the cards alone: they are derived here and stored nowhere.

    Raises:
        ValueError: the audience is not directors.
    """
    check_for_directors(report)
    return PdfPages([TypstPart.of("table_cards.typ", compose_table_cards(report, progress))])


def compose_table_cards(report: Report, progress: OnProgress) -> Data:
    """Return the data of the cards (4 queries, however many tables)."""
    event, round_ = event_of(report), round_of(report)
    tables = seats_of(round_).tables
    progress(Report.Step.READING, 0, len(tables))
    cards = []
    for done, table in enumerate(tables, 1):
        if table.row is not None and table.game is not None:
            cards.append(_card(report, table, table.row, table.game))
        progress(Report.Step.READING, done, len(tables))
    heading = hall_heading(report, _("Table cards"), [round_name(round_)])
    return page_data(heading, event.club, words=_words(event)) | {
        "round": round_name(round_),
        "cards": cards,
    }


def _card(report: Report, table: SeatedTable, row: Table, game: Game) -> Data:
    rules = rules_of(game)
    url = urljoin(
        report.parameters["host"], reverse("table_link", args=[row.public_id, row.secret])
    )
    return {
        "number": str(table.number),
        "game": labels.name_of(rules),
        "seats": list(table.names),
        "begins": game.first_declarer,
        "says": str(beginning_of(rules).says),
        "clockwise": rules.clockwise,
        "url": url,
        "qr": drawn_code(url),
        "caption": _("QR code of table %(number)s") % {"number": table.number},
    }


def _words(event: Event) -> dict[str, str]:
    use = [_("Scan this with one phone: it opens the sheet of this table.")]
    if event.table_codes:
        use.append(_("The director says the four digits."))
    return {
        "table": _("Table"),
        "use": " ".join(use),
        "empty": _("No table is laid yet."),
    }
