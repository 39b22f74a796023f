"""QR codes, drawn to be set into a page."""

import io

import segno

MASK = 0
"""The pattern laid over a code; readers know all eight.

To try which of them suits an address best took 9 of the 13 ms of a scoresheet. Addresses hold many
letters by chance, which no pattern suits badly.
"""


def drawn_code(url: str) -> str:
    """An address as a QR code: an SVG without margins."""
    drawing = io.BytesIO()
    code = segno.make(url, error="m", micro=False, mask=MASK)
    code.save(drawing, kind="svg", border=0, xmldecl=False)
    return drawing.getvalue().decode()
