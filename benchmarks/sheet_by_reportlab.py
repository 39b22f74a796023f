"""The scoresheet of a game as ReportLab draws it: the same words, numbers, code and chart.

It is drawn onto the canvas, ReportLab's quickest way; it has no tags.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from reportlab.graphics.barcode.qr import QrCodeWidget
from reportlab.graphics.shapes import Drawing
from reportlab.lib.colors import HexColor
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Paragraph, Table, TableStyle

FONTS = Path(__file__).resolve().parent.parent / "tournaments" / "reports" / "fonts"
GREEN, INK, FAINT = HexColor("#1d6b48"), HexColor("#1b1b19"), HexColor("#63635d")
HAIR, WASH = HexColor("#d8d5cc"), HexColor("#e4f0e9")
WIDTH, HEIGHT = A4
MARGIN = 12 * mm


def set_sheets(sheets: Sequence[dict[str, Any]], path: Path) -> None:
    """Make a PDF of the sheets, a page each."""
    for name, file in (("Sans", "DejaVuSans.ttf"), ("Bold", "DejaVuSans-Bold.ttf")):
        pdfmetrics.registerFont(TTFont(name, FONTS / file))
    canvas = Canvas(str(path), pagesize=A4)
    for sheet in sheets:
        draw_sheet(canvas, sheet)
        canvas.showPage()
    canvas.save()


def draw_sheet(canvas: Canvas, sheet: dict[str, Any]) -> None:
    """Draw a page."""
    y = draw_head(canvas, sheet)
    y = draw_table(canvas, sheet, y)
    canvas.setFont("Sans", 8)
    canvas.drawRightString(WIDTH - MARGIN, y - 4 * mm, sheet["sum"])
    y = draw_course(canvas, sheet, y - 10 * mm)
    draw_badges(canvas, sheet, y - 8 * mm)


def draw_head(canvas: Canvas, sheet: dict[str, Any]) -> float:
    y = HEIGHT - MARGIN - 6 * mm
    canvas.bookmarkPage(sheet["title"])
    canvas.addOutlineEntry(sheet["title"], sheet["title"])
    for font, size, color, text in (
        ("Bold", 20, GREEN, sheet["title"]),
        *(("Sans", 9, FAINT, line) for line in sheet["subtitles"]),
        ("Bold", 10.5, INK, sheet["ending"]),
    ):
        canvas.setFont(font, size)
        canvas.setFillColor(color)
        canvas.drawString(MARGIN, y, text)
        y -= size + 4
    code = QrCodeWidget(sheet["follow"]["url"], barLevel="M", barBorder=0)
    left, bottom, right, top = code.getBounds()
    side = 24 * mm
    drawing = Drawing(
        side, side, transform=[side / (right - left), 0, 0, side / (top - bottom), 0, 0]
    )
    drawing.add(code)
    drawing.drawOn(canvas, WIDTH - MARGIN - side, HEIGHT - MARGIN - side)
    return HEIGHT - MARGIN - 30 * mm


def draw_table(canvas: Canvas, sheet: dict[str, Any], y: float) -> float:
    words = sheet["words"]
    names = [part for name in sheet["sides"] for part in ("", name)]
    rows = [[words["number"], words["contract"], *names, "Σ"]]
    marked = []
    for row in sheet["rows"]:
        cells = [part for cell in row["cells"] for part in (cell["units"], cell["total"])]
        title = f"{row['symbol']}  {row['contract']} {row['marks']}"
        rows.append([row["number"], title, *cells, row["expected"]])
        if row["side"] is not None:
            at = 2 + 2 * row["side"]
            marked.append(("BACKGROUND", (at, len(rows) - 1), (at + 1, len(rows) - 1), WASH))
    totals = [part for total in sheet["totals"] for part in ("", total)]
    places = [part for place in sheet["places"] for part in (place["state"], place["rank"])]
    rows += [
        [words["totals"], "", *totals, sheet["expected"]],
        [words["place"], "", *places, ""],
    ]
    table = Table(
        rows,
        colWidths=[8 * mm, 40 * mm] + [12 * mm, 19.5 * mm] * len(sheet["sides"]) + [12 * mm],
        rowHeights=[12 * mm] + [7.1 * mm] * (len(rows) - 3) + [11 * mm, 7.5 * mm],
    )
    totals_of_sides = [
        ("FONT", (at, 1), (at, -1), "Bold", 9) for at in range(3, 3 + 2 * len(sheet["sides"]), 2)
    ]
    table.setStyle(
        TableStyle(
            [
                ("FONT", (0, 0), (-1, -1), "Sans", 8),
                ("FONT", (0, 0), (-1, 0), "Bold", 9),
                *totals_of_sides,
                ("FONT", (0, -2), (-1, -2), "Bold", 14),
                ("ALIGN", (2, 0), (-1, -1), "RIGHT"),
                ("VALIGN", (0, 0), (-1, -1), "MIDDLE"),
                ("LINEBELOW", (0, 0), (-1, -3), 0.35, HAIR),
                ("LINEBELOW", (0, 0), (-1, 0), 0.9, GREEN),
                ("LINEBELOW", (0, -3), (-1, -3), 0.9, GREEN),
                *marked,
            ]
        )
    )
    _width, height = table.wrapOn(canvas, WIDTH, HEIGHT)
    table.drawOn(canvas, MARGIN, y - height)
    return y - height


def draw_course(canvas: Canvas, sheet: dict[str, Any], y: float) -> float:
    """Draw the course of the game, a line for each side."""
    height, width = 40 * mm, WIDTH - 2 * MARGIN - 40 * mm
    values = [value for side in sheet["course"] for value in side]
    low, high = min(values), max(values)
    canvas.setStrokeColor(GREEN)
    for side, name in zip(sheet["course"], sheet["sides"], strict=True):
        line = canvas.beginPath()
        for index, value in enumerate(side):
            at = MARGIN + 10 * mm + width * index / (len(side) - 1)
            height_of = y - height * (high - value) / (high - low)
            (line.lineTo if index else line.moveTo)(at, height_of)
        canvas.drawPath(line)
        canvas.setFont("Bold", 7.5)
        canvas.drawString(at + 3 * mm, height_of, name)
    return y - height


def draw_badges(canvas: Canvas, sheet: dict[str, Any], y: float) -> None:
    style = ParagraphStyle("badge", fontName="Sans", fontSize=8, leading=10)
    for number, badge in enumerate(sheet["badges"]):
        who = ", ".join(f"{each['player']} ({each['deals']})" for each in badge["who"])
        text = f"<font name='Bold'>{badge['name']}</font> {who}<br/>{badge['meaning']}"
        paragraph = Paragraph(text, style)
        _width, height = paragraph.wrapOn(canvas, 89 * mm, 50 * mm)
        paragraph.drawOn(canvas, MARGIN + number % 2 * 96 * mm, y - height - number // 2 * 10 * mm)
