"""The page for the table, on paper and on a phone."""

from io import BytesIO
from itertools import islice

import pytest
from django.urls import reverse
from pypdf import PdfReader

from docs.looks.at_table import pictures_of
from docs.looks.shots import STEPS

pytestmark = pytest.mark.browser

A4_HEIGHT = 842
"""In points."""


def test_guide_is_printed_on_one_sheet_in_every_language(new_phone):
    for locale in ("en-GB", "tr-TR", "it-IT"):
        phone = new_phone(locale=locale)
        phone.open(reverse("guide"))
        phone.page.wait_for_load_state("networkidle")
        paper = PdfReader(BytesIO(phone.page.pdf(prefer_css_page_size=True)))
        (sheet,) = paper.pages
        assert round(sheet.mediabox.height) == A4_HEIGHT
    assert phone.misfits() == {}


def test_script_of_the_pictures_finds_what_it_taps(browser, live_server):
    """All but the document, which a worker makes."""
    pictures = dict(islice(pictures_of(browser, "en", live_server.url), len(STEPS)))

    assert pictures.keys() == {*STEPS, "table"} - {"pdf"}
