"""Why a file that is to be imported is not read, in words."""

from collections.abc import Mapping
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournaments.services.importing.record_files import MOST_RECORDS
from tournaments.services.importing.words import COLUMNS
from tournaments.web.importing.cells import MOST_LINES
from tournaments.web.importing.columns import NoColumns

Text = str | Promise


def refusal(error: Exception) -> str:
    """Why a whole file is not read."""
    if isinstance(error, NoColumns):
        missing = ", ".join(str(COLUMNS[name]) for name in error.missing)
        return _("The first line has to name the columns. Missing: %(columns)s") % {
            "columns": missing
        }
    why: Any = getattr(error, "why", "")
    return str(REFUSALS[why]) % {"lines": MOST_LINES, "records": MOST_RECORDS}


REFUSALS: Mapping[str, Text] = {
    "nothing": gettext_lazy("Choose a file."),
    "forgotten": gettext_lazy("Choose the file once more: it was kept for a day."),
    "empty": gettext_lazy("Nothing stands in this file."),
    "large": gettext_lazy("This is too large. Divide it into several files."),
    "long": gettext_lazy(
        "This is too long: at most %(lines)s lines, or %(records)s records. "
        "Divide it into several files."
    ),
    "xls": gettext_lazy("This is a workbook of an old kind: save it as XLSX or CSV."),
    "xlsx": gettext_lazy("This workbook cannot be read. Save it once more, or as CSV."),
    "text": gettext_lazy("This file cannot be read. Save it as XLSX or CSV."),
    "zip": gettext_lazy("This archive cannot be read. Pack it once more, without a password."),
}
