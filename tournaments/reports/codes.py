"""QR codes as drawings for a page."""

import io

import segno

MASK = 0
"""The mask pattern of a code; readers know all eight.

Choosing the best mask for an address took 9 of the 13 ms of a scoresheet. Addresses contain many
random letters, which suit every mask.
"""


def drawn_code(url: str) -> str:
    """Return a URL as a QR code: an SVG without margins."""
    drawing = io.BytesIO()
    code = segno.make(url, error="m", micro=False, mask=MASK)
    code.save(drawing, kind="svg", border=0, xmldecl=False)
    return drawing.getvalue().decode()
