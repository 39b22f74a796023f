"""Refusals of whole files."""

from collections.abc import Mapping

from django.utils.translation import gettext_lazy as _

from tournaments.services.base.refusals import Refused
from tournaments.texts.labels import Text

MOST_LINES = 4_000
MOST_RECORDS = 500

SENTENCES: Mapping[str, Text] = {
    "nothing": _("Choose a file."),
    "forgotten": _("Choose the file once more: it was kept for a day."),
    "empty": _("This file is empty."),
    "large": _("This is too large. Divide it into several files."),
    "long": _(
        "This is too long: at most %(lines)s lines, or %(records)s records. "
        "Divide it into several files."
    ),
    "columns": _("The first line has to name the columns. Missing: %(columns)s"),
    "xls": _("This is a workbook of an old kind: save it as XLSX or CSV."),
    "xlsx": _("This workbook cannot be read. Save it once more, or as CSV."),
    "text": _("This file cannot be read. Save it as XLSX or CSV."),
    "zip": _("This archive cannot be read. Pack it once more, without a password."),
}


class FileRefused(Refused, status=422):
    """A file or table that cannot be read; `why` is a key of `SENTENCES`."""

    def __init__(self, why: str, **params: str) -> None:
        self.why = why
        limits = {"lines": MOST_LINES, "records": MOST_RECORDS}
        super().__init__({**limits, **params}, sentence=SENTENCES[why])
