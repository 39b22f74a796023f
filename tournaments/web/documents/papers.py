"""The paper size of a visitor."""

from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation.trans_real import parse_accept_lang_header

from tournaments.models.clubs import Paper

LETTER_REGIONS = frozenset(
    ("BZ", "CA", "CL", "CO", "CR", "GT", "MX", "NI", "PA", "PH", "PR", "SV", "US", "VE")
)
"""Regions that print on Letter: `measurementData/paperSize` of Unicode's CLDR."""

PAPERS: dict[str, str | Promise] = {Paper.A4: _("A4"), Paper.LETTER: _("US Letter")}


def paper_of(request: HttpRequest) -> str:
    """Return the paper size by the region of the visitor's preferred language; A4 by default.

    Clubs set their own size: this is for open tables.
    """
    wanted = parse_accept_lang_header(request.headers.get("Accept-Language", "").lower())
    subtags = wanted[0][0].upper().split("-")[1:] if wanted else []
    return Paper.LETTER if LETTER_REGIONS.intersection(subtags) else Paper.A4
