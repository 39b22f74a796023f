"""QR codes, drawn to be set into a page."""

import io

import segno


def drawn_code(url: str) -> str:
    """An address as a QR code: an SVG without margins."""
    drawing = io.BytesIO()
    segno.make(url, error="m", micro=False).save(drawing, kind="svg", border=0, xmldecl=False)
    return drawing.getvalue().decode()
