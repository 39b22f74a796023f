from datetime import date

from django.utils import translation

from tests import club_factories as make
from tests.deals import NAMES, WHOLE_GAME
from tests.factories import EVENING, ReportFactory
from tournaments.models import Report, Round
from tournaments.reports.documents import compose

HOST = "https://king.example/"
FIVE = (*NAMES, "=Elif")
"""The last name looks like a formula."""


def report_of(row, form="pdf", audience="visitors", kind="standings", **parameters):
    return Report(
        kind=kind,
        format=form,
        event=row.event,
        club=row.event.club,
        audience=audience,
        language="tr",
        parameters=parameters,
    )


def file_of(tmp_path, row, form, language="en", **asked):
    report = report_of(row, form, **asked)
    path = tmp_path / f"a.{form}"
    with translation.override(language):
        compose(report, silent).write(path, silent)
    return path


def silent(*_steps):
    """Nobody asks how far it is."""


def outline(document):
    """Title and page of each bookmark of an open document, with those below it."""
    numbers = {page.obj.objgen: number for number, page in enumerate(document.pages, 1)}

    def listed(items):
        return [(i.title, numbers[i.destination[0].objgen], listed(i.children)) for i in items]

    with document.open_outline() as whole:
        return listed(whole.root)


def asked(event, kind, audience=Report.Audience.DIRECTORS, **parameters):
    return ReportFactory(
        kind=kind,
        event=event,
        club=event.club,
        audience=audience,
        parameters={"host": HOST, **parameters},
    )


def tournament(club):
    row = make.TournamentFactory(
        event__club=club, event__held_on=date(2026, 11, 21), state="finished"
    )
    round_ = make.RoundFactory(event=row.event, number=1, published_at=EVENING)
    table = make.TableFactory(round=round_, players=NAMES, entries=WHOLE_GAME)
    for side, seat in enumerate(table.games.get().seats.order_by("number")):
        entrant = make.EntrantFactory(tournament=row, number=side + 1, player=seat.player)
        make.SittingFactory(round=round_, entrant=entrant, table=table, side=side)
    Round.objects.filter(pk=round_.pk).update(closed_at=EVENING)
    return row
