from datetime import date

from tests.deals import NAMES
from tests.factories import EVENING
from tournaments.engine.variants import RULESETS
from tournaments.services.audit import NOBODY
from tournaments.services.imports import results

FRIDAY = date(2025, 3, 14)
TOTALS = (540, -110, -330, -100)


def table(number=1, names=NAMES, totals=TOTALS, *, place=1, day=FRIDAY, evening="Cuma", line=2):
    return [
        results.ResultLine(line + seat, day, evening, place, number, name, points)
        for seat, (name, points) in enumerate(zip(names, totals, strict=True))
    ]


def asked(*tables, rules="turkish-king", **chosen):
    lines = [
        results.ResultLine(
            number, *(getattr(line, name) for name in results.ResultLine.__slots__[1:])
        )
        for number, line in enumerate((line for each in tables for line in each), start=2)
    ]
    return results.ResultsRequest(lines, RULESETS[rules], **chosen)


def take_over(club, asked):
    plan = results.preview_results(club, asked)
    return results.import_results(club.pk, asked, plan.mark, NOBODY, at=EVENING)
