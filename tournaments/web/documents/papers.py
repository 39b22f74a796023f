"""What paper a visitor prints on."""

from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation.trans_real import parse_accept_lang_header

from tournaments.models.clubs import Paper

LETTER_REGIONS = frozenset(
    ("BZ", "CA", "CL", "CO", "CR", "GT", "MX", "NI", "PA", "PH", "PR", "SV", "US", "VE")
)
"""Where one prints on Letter: `measurementData/paperSize` of Unicode's CLDR."""

PAPERS: dict[str, str | Promise] = {Paper.A4: _("A4"), Paper.LETTER: _("US Letter")}


def paper_of(request: HttpRequest) -> str:
    """The paper of whoever asks, by the region of the language they want most; A4 without one.

    A club has a paper of its own: this is for open tables.
    """
    wanted = parse_accept_lang_header(request.headers.get("Accept-Language", "").lower())
    subtags = wanted[0][0].upper().split("-")[1:] if wanted else []
    return Paper.LETTER if LETTER_REGIONS.intersection(subtags) else Paper.A4
