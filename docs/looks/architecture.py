"""Draws the layers of the import rules in `pyproject.toml`: `python -m docs.looks.architecture`."""

import tomllib
from collections.abc import Iterator, Sequence
from html import escape

from docs.looks.site import ROOT

DRAWN = ROOT / "docs" / "looks" / "architecture.svg"
CONTRACT = "Imports point one way"

COMES = {
    "web": "phones, laptops",
    "api": "programs",
    "admin": "back office",
    "management": "command line",
    "tasks": "workers",
}
"""The layers that receive requests."""

SAYS = {
    "web": "pages, commands and tasks: check who asks, call a service, answer",
    "reports": "documents: PDF by typst, XLSX, CSV",
    "permissions": "who may see and touch what, as querysets",
    "services": "what a person can do: one function, one transaction each",
    "texts": "names and sentences, translated",
    "queries": "rows to what pages, documents and API show, in a fixed number of queries",
    "models": "rows and named constraints: SQLite or PostgreSQL",
    "engine": "rules, seating, standings, ratings, documents: plain Python",
}
"""The purpose of a layer, by one of its modules."""

BELOW = (
    "Imports follow the arrow. kingscore/ wires all this to Django and Celery; "
    "nothing here imports it."
)

WIDTH, ROW, TOP, LEFT, BOXES = 920, 42, 40, 16, 424

STYLE = """
  text { font: 13px system-ui, sans-serif; fill: #1d1c18; }
  .soft { fill: #5f5a4e; font-size: 12px; }
  .box { fill: #e9f1e6; stroke: #1d6843; }
  .way { stroke: #5f5a4e; fill: none; }
  .tip { fill: #5f5a4e; }
  .ground { fill: #fffdf8; }
  @media (prefers-color-scheme: dark) {
    text { fill: #ece8dc; } .soft { fill: #aaa799; } .box { fill: #1c2d23; stroke: #7ccb9f; }
    .way { stroke: #aaa799; } .tip { fill: #aaa799; } .ground { fill: #141815; }
  }
"""


def layers() -> list[list[str]]:
    """The layers, the highest first, each with its modules."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    (contract,) = (
        found for found in project["tool"]["importlinter"]["contracts"] if found["name"] == CONTRACT
    )
    return [[name.strip(" ()") for name in line.split("|")] for line in contract["layers"]]


def drawing(rows: Sequence[Sequence[str]]) -> str:
    """The picture, light or dark as the reader's screen is."""
    height = TOP + ROW * len(rows) + 34
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">',
        "<title>The layers of tournaments/: each imports only from those below it</title>",
        f"<style>{STYLE}</style>",
        f'<rect class="ground" width="{WIDTH}" height="{height}" rx="8"/>',
    ]
    for number, names in enumerate(rows):
        lines += _row(names, TOP + ROW * number)
    end = TOP + ROW * len(rows) - 6
    x = LEFT + BOXES + 14
    lines += [
        f'<path class="way" d="M{x} {TOP + 4}V{end - 8}"/>',
        f'<path class="tip" d="M{x - 5} {end - 10}h10l-5 10z"/>',
        _text(BELOW, LEFT, height - 14, "start", soft=True),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _row(names: Sequence[str], y: int) -> Iterator[str]:
    gap = 8
    wide = (BOXES - gap * (len(names) - 1)) / len(names)
    for number, name in enumerate(names):
        x = LEFT + number * (wide + gap)
        yield f'<rect class="box" x="{x:g}" y="{y}" width="{wide:g}" height="{ROW - 10}" rx="5"/>'
        yield _text(name, x + wide / 2, y + 21, "middle")
        if name in COMES:
            yield _text(COMES[name], x + wide / 2, y - 14, "middle", soft=True)
    said = next((SAYS[name] for name in names if name in SAYS), "")
    yield _text(said, LEFT + BOXES + 32, y + 21, "start", soft=True)


def _text(words: str, x: float, y: float, anchor: str, *, soft: bool = False) -> str:
    look = ' class="soft"' if soft else ""
    return f'<text{look} x="{x:g}" y="{y:g}" text-anchor="{anchor}">{escape(words)}</text>'


if __name__ == "__main__":
    DRAWN.write_text(drawing(layers()))
