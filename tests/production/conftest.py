"""Reading documents."""

import io

import pytest
from pypdf import PdfReader


@pytest.fixture
def pdf_text():
    return lambda body: "\n".join(page.extract_text() for page in PdfReader(io.BytesIO(body)).pages)
