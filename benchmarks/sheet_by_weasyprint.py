"""The scoresheet of a game as WeasyPrint sets it from HTML: the same words, numbers and chart."""

from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Any

from weasyprint import HTML
from weasyprint.text.fonts import FontConfiguration

FONTS = Path(__file__).resolve().parent.parent / "tournaments" / "reports" / "fonts"

STYLE = f"""
@font-face {{ font-family: S; src: url({(FONTS / "DejaVuSans.ttf").as_uri()}) }}
@font-face {{
  font-family: S; font-weight: bold; src: url({(FONTS / "DejaVuSans-Bold.ttf").as_uri()})
}}
@page {{ size: A4; margin: 11mm 12mm 9mm }}
body {{ font: 9pt S; color: #1b1b19; margin: 0 }}
article {{ break-after: page }}
h1 {{ font-size: 20pt; color: #1d6b48; margin: 0 0 3mm }}
h2 {{ font-size: 9pt; color: #1d6b48 }}
p {{ margin: 0 0 2mm; color: #63635d }}
header svg {{ float: right; width: 24mm; height: 24mm }}
table {{ width: 100%; table-layout: fixed; border-collapse: collapse; margin-top: 6mm }}
th:nth-child(1) {{ width: 8mm }} th:nth-child(2) {{ width: 40mm }} th:last-child {{ width: 12mm }}
td {{ height: 6.6mm; padding: 0 1.5mm; border-bottom: 0.35pt solid #d8d5cc; text-align: right }}
td:nth-child(2) {{ text-align: left }}
.mine {{ background: #e4f0e9 }} .total {{ font-weight: bold }}
tfoot td {{ font-size: 14pt; font-weight: bold }}
section div {{ float: left; width: 50%; font-size: 8pt }}
"""


def set_sheets(sheets: Sequence[dict[str, Any]], path: Path) -> None:
    """Make a PDF of the sheets, a page each, tagged (PDF/UA-1)."""
    pages = "".join("".join(page(sheet)) for sheet in sheets)
    title = escape(sheets[0]["title"])
    head = f"<title>{title}</title><style>{STYLE}</style>"
    document = f'<!doctype html><html lang="{sheets[0]["language"]}">{head}<body>{pages}'
    HTML(string=document).write_pdf(path, font_config=FontConfiguration(), pdf_variant="pdf/ua-1")


def page(sheet: dict[str, Any]) -> Iterator[str]:
    """The HTML of a page."""
    words = sheet["words"]
    yield f"<article><header>{sheet['follow']['qr']}<h1>{escape(sheet['title'])}</h1>"
    yield from (f"<p>{escape(line)}</p>" for line in [*sheet["subtitles"], sheet["ending"]])
    yield f"</header><table><thead><tr><th>{words['number']}</th><th>{words['contract']}</th>"
    yield from (f'<th colspan="2">{escape(name)}</th>' for name in sheet["sides"])
    yield "<th>Σ</th></tr></thead><tbody>"
    for row in sheet["rows"]:
        title = escape(f"{row['symbol']} {row['contract']} {row['marks']}")
        yield f"<tr><td>{row['number']}</td><td>{title}</td>"
        for side, cell in enumerate(row["cells"]):
            mine = " mine" if side == row["side"] else ""
            yield f'<td class="units{mine}">{cell["units"]}</td>'
            yield f'<td class="total{mine}">{cell["total"]}</td>'
        yield f"<td>{row['expected']}</td></tr>"
    yield f'</tbody><tfoot><tr><td colspan="2">{words["totals"]}</td>'
    yield from (f'<td colspan="2">{total}</td>' for total in sheet["totals"])
    yield f'<td>{sheet["expected"]}</td></tr><tr><td colspan="2">{words["place"]}</td>'
    yield from (f'<td colspan="2">{each["state"]} {each["rank"]}</td>' for each in sheet["places"])
    yield f"<td></td></tr></tfoot></table><p>{escape(sheet['sum'])}</p>{course(sheet)}"
    yield f"<section><h2>{words['badges']}</h2>"
    for badge in sheet["badges"]:
        who = ", ".join(f"{each['player']} ({each['deals']})" for each in badge["who"])
        yield f"<div><b>{badge['name']}</b> {escape(who)}<br>{escape(badge['meaning'])}</div>"
    yield "</section></article>"


def course(sheet: dict[str, Any]) -> str:
    """The course of the game as SVG, a line for each side."""
    values = [value for side in sheet["course"] for value in side]
    low, high = min(values), max(values)
    lines = []
    for side in sheet["course"]:
        points = " ".join(
            f"{index * 7:.1f},{110 * (high - value) / (high - low):.1f}"
            for index, value in enumerate(side)
        )
        lines.append(f'<polyline points="{points}" fill="none" stroke="#1d6b48"/>')
    return f'<svg viewBox="0 0 150 110" width="146mm" height="40mm">{"".join(lines)}</svg>'
