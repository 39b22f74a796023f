"""Setting documents with typst: a template and its data in, a PDF out."""

import json
import unicodedata
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import typst

HERE = Path(__file__).resolve().parent
TEMPLATES = HERE / "typst"
FONTS = HERE / "fonts"

ACCESSIBLE = ["ua-1"]
JOINERS = "\u200c\u200d"


def typeset(template: str, data: Mapping[str, Any]) -> bytes:
    """The PDF of a template filled with `data`, tagged for screen readers (PDF/UA-1).

    The data go in as JSON, never as markup: nothing a player is called can be a command.

    Raises:
        typst.TypstError: the template cannot be set.
    """
    inputs = {"data": json.dumps(_printable(data))}
    compiler = typst.Compiler(
        TEMPLATES / template, root=TEMPLATES, font_paths=_fonts(), sys_inputs=inputs
    )
    try:
        return _pdf(compiler, ACCESSIBLE)
    except typst.TypstError as error:
        # PDF/UA forbids a letter that no font has. A name with one is still worth printing:
        # the letter shows as a box and can be copied from the PDF.
        if "could not be displayed" not in error.message:
            raise
        return _pdf(compiler, [])


def _pdf(compiler: typst.Compiler, standards: list[Any]) -> bytes:
    document = compiler.compile(format="pdf", pdf_standards=standards)
    if not isinstance(document, bytes):
        raise TypeError("a PDF is one file")
    return document


@cache
def _fonts() -> typst.Fonts:
    """Our own fonts first; the machine's only for letters that ours do not have."""
    return typst.Fonts(include_system_fonts=True, include_embedded_fonts=False, font_paths=[FONTS])


def _printable(value: Any) -> Any:
    """`value` with every text on one line, without control characters and lone surrogates."""
    if isinstance(value, str):
        spaced = " ".join(value.split())
        return "".join(
            c for c in spaced if c in JOINERS or not unicodedata.category(c).startswith("C")
        )
    if isinstance(value, Mapping):
        return {key: _printable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_printable(item) for item in value]
    return value
